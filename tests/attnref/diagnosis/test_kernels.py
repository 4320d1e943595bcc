"""Kernels as they are written for a GPU are named by what is wrong in them, and by nothing else."""

import numpy as np
import pytest

from attnref import check
from tests.attnref.diagnosis.kernel_programs import KERNELS, tiled
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.diagnosis.stranger_programs import RIGHT, UNKNOWN

CAUSAL = {"causal": True}


def report_on(name: str, **options):
    kernel = KERNELS[name]
    return check(compiled(kernel.source, name), form=kernel.form, **{**kernel.options, **options})


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_named_by_what_is_wrong_in_it(name):
    report, kernel = report_on(name), KERNELS[name]
    found = [item.fault for item in report.diagnoses] + [UNKNOWN] * bool(report.unexplained)
    assert sorted(found) == sorted(set(kernel.expected) - {RIGHT}), f"{kernel.truth}\n{report}"
    assert report.ok is (kernel.expected == (RIGHT,)), str(report)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("module_causal", {"causal_align": "top_left"}),
        ("module_causal_bottom", {}),
        ("always_causal_heads", {}),
    ],
)
def test_what_is_meant_always_to_be_causal_is_right(name, options):
    assert not report_on(name, **options).ok
    report = report_on(name, always=CAUSAL, **options)
    assert report.ok, str(report)
    assert report.conventions["always causal"] == "True"


def test_what_is_always_causal_is_held_to_the_corner():
    names = [item.fault for item in report_on("module_causal", always=CAUSAL).diagnoses]
    assert names == ["causal_alignment"]


def test_a_window_that_is_built_in_is_right_with_always():
    options = {"always": {"window": (3, 3)}, "causal_align": "top_left", "empty_row": "mean"}
    assert report_on("always_window", **options).ok


def test_hidden_keys_without_a_reason_are_told():
    stages = {item.stage for item in report_on("always_window").unexplained}
    assert len(stages) == 1
    assert "hidden without being asked, and query 0 of head 0 of sample 0 sees keys 0–3" in stages.pop()


def test_the_words_name_the_size_of_the_tile():
    source = tiled(("= 4, 3", "= 4, 5"), ("acc = acc * alpha[:, None] + p @ vt", "acc = acc + p @ vt"))
    sentence = check(compiled(source, "fives")).diagnoses[0].sentence
    assert "(blocks of 5)" in sentence


def test_rounding_is_told_from_what_the_function_gave():
    sentence = report_on("bf16_weights").diagnoses[0].sentence
    assert "as in bfloat16, to 8 bits" in sentence
    assert "yours gives [0.8808, 0.1196]" in sentence


def test_results_in_half_precision_are_told_before_all_else():
    def halved(Q, K, V):
        q, k, v = (np.asarray(x, dtype=np.float16) for x in (Q, K, V))
        scores = q @ k.mT / np.float16(q.shape[-1] ** 0.5)
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True) @ v

    report = check(halved)
    assert [item.fault for item in report.diagnoses] == ["softmax_low_precision"]
    assert "computes in float16 and returns it" in report.diagnoses[0].sentence


def test_a_window_of_one_number_is_told():
    report = report_on("window_right")
    assert any("one number" in text for text in report.not_tested)


def test_an_unknown_report_says_where_before_it_shows_numbers():
    text = str(report_on("cache_values_old"))
    assert text.index("It goes wrong in:") < text.index("In probe")
    assert "Right were “all tokens at once”." in text
