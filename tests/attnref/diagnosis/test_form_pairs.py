"""Two faults at once in a newer form, drawn at random with a seed: most are explained, and no name is wrong."""

import random

from attnref import check
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.diagnosis.test_form_programs import EDITS, PROGRAMS

SINGLE = {"positions", "differential_factor"}
"""Forms of one step or two, in which two faults are one."""


def pairs(seed: int, number: int):
    rng = random.Random(seed)
    edits = {key: [edit for other, edit in EDITS if other == key] for key in PROGRAMS}
    keys = [key for key in PROGRAMS if key[1] != "torch" and key[0] not in SINGLE]
    while number:
        key = rng.choice(keys)
        first, second = rng.sample(edits[key], 2)
        source = PROGRAMS[key]
        for edit in (first, second):
            for old, new in zip(edit[1::2], edit[2::2], strict=True):
                source = source.replace(old, new) if old in source else ""
        if source and first[0] != second[0] and not set(first[1::2]) & set(second[1::2]):
            number -= 1
            yield key, {first[0], second[0]}, source


def test_most_pairs_are_explained_and_none_is_misnamed():
    explained, wrong, tried = 0, [], 0
    for key, faults, source in pairs(seed=2, number=50):
        report = check(compiled(source, "two faults"), form=key[0])
        if report.ok:  # one hides the other
            continue
        tried += 1
        found = [{item.fault, *item.others} for item in report.diagnoses if item.kind != "program"]
        wrong += [(key, faults, str(report)) for names in found if not names & faults]
        explained += (
            all(any(fault in names for names in found) for fault in faults) and not report.unexplained
        )
    assert wrong == []
    assert explained >= 0.65 * tried
