"""The catalogue: every fault that has a form is found, by its own name, in the pipeline that has it."""

import json
from pathlib import Path

import numpy as np
import pytest

from attnref import attention, check, explain, faults
from attnref.diagnosis import FORMS
from attnref.diagnosis._faulty import composed
from attnref.diagnosis._pipeline import Rules, run, same, shows_on

SEEN: set[str] = set()
FIRST = [
    (form, variant, variant.fault)
    for form, (_, variants) in FORMS.items()
    for variant in variants
    if not (variant.fault in SEEN or SEEN.add(variant.fault))
]
NEEDS = {
    "mask_additive_vs_binary": {"mask": "additive"},
    "masked_garbage_leaks": {"features": ["mask", "garbage"]},
    "linear_feature_bf16": {"dtype": "float16"},
}


@pytest.mark.parametrize(
    ("form", "variant", "name"), FIRST, ids=[f"{form}-{name}" for form, _, name in FIRST]
)
def test_each_fault_is_found_in_the_pipeline_that_has_it(form, variant, name):
    report = check(composed(FORMS[form][0], [variant], name), form=form, **NEEDS.get(name, {}))
    assert not report.ok
    found = {fault for item in report.diagnoses for fault in (item.fault, *item.others)}
    assert name in found, str(report)


@pytest.mark.parametrize("form", FORMS)
def test_a_variant_shows_only_where_it_says(form):
    """A fault that needs an option gives the right numbers without it: the search relies on that."""
    chosen, variants = FORMS[form]
    with np.errstate(all="ignore"):
        for probe in chosen.probes(0):
            right = run(chosen, probe, Rules())
            for variant in variants:
                if not shows_on(variant, probe):
                    wrong = run(chosen, probe, Rules(), [variant])
                    assert same(right.output, wrong.output, 1e-6), (
                        f"{variant.fault}: {variant.says} on {probe.name}"
                    )


def test_every_fault_has_words():
    for name, fault in faults().items():
        assert fault.id == name
        assert fault.title
        assert not fault.title.endswith(".")
        assert fault.why.endswith(".")
        assert fault.mend.endswith(".")


def test_every_fault_with_a_form_has_an_explanation_with_numbers():
    missing = [
        name for name, fault in faults().items()
        if fault.forms and fault.kind != "program" and explain(name).right is None
    ]  # fmt: skip
    assert set(missing) <= {"dropout_eval", "weights_after_dropout", "weights_averaged", "weights_wrong"}


def test_the_core_knows_nothing_of_faults():
    core = Path(attention.__code__.co_filename).parent
    for path in core.glob("_[a-z]*.py"):
        assert "diagnosis" not in path.read_text("utf-8"), path.name


def test_the_catalogue_is_plain_data():
    json.dumps({name: vars(fault) for name, fault in faults().items()}, default=list)
