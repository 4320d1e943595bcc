"""Two faults at once, drawn at random with a seed: most are explained, and no name is wrong."""

import random

from attnref import check
from tests.attnref.diagnosis.programs import EDITS, SOURCES, compiled

STYLES = ("loops", "einsum", "matmul")
SAME_EFFECT = {"causal_dropped", "mask_ignored"}
"""They hide what else is wrong with the same rule, so a pair of them and a fault of that rule is no pair."""


def pairs(seed: int, number: int):
    rng = random.Random(seed)
    while number:
        style = rng.choice(STYLES)
        first, second = rng.sample(EDITS[style], 2)
        source = SOURCES[style]
        for old, new in [
            *zip(first[1::2], first[2::2], strict=True),
            *zip(second[1::2], second[2::2], strict=True),
        ]:
            source = source.replace(old, new) if old in source else ""
        kinds = {first[0].split("_")[0], second[0].split("_")[0]}
        if source and not set(first[1::2]) & set(second[1::2]) and len(kinds) == 2:
            number -= 1
            yield style, {first[0], second[0]}, source


def test_most_pairs_are_explained_and_none_is_misnamed():
    explained, wrong = 0, []
    for style, faults, source in pairs(seed=3, number=60):
        report = check(compiled(source, style))
        assert not report.ok
        found = [{item.fault, *item.others} for item in report.diagnoses if item.kind != "program"]
        wrong += [(style, faults, str(report)) for names in found if not names & faults]
        explained += (
            all(any(fault in names for names in found) for fault in faults) and not report.unexplained
        )
    assert wrong == []
    assert explained >= 0.65 * 60
