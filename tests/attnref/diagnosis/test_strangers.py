"""What strangers write is named by what is wrong in it, and by nothing else."""

import pytest

from attnref import attention, check
from tests.attnref.diagnosis.kernel_programs import KERNELS
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.diagnosis.stranger_programs import RIGHT, STRANGERS, UNKNOWN
from tests.attnref.peers import peer


def report_on(name: str):
    stranger = STRANGERS[name]
    tensors = any(word in stranger.source for word in ("torch.", ".mT", "masked_fill"))
    modules = {"torch": peer("torch")} if tensors else {}
    return check(compiled(stranger.source, name, **modules), form=stranger.form, **stranger.options)


@pytest.mark.parametrize("name", STRANGERS)
def test_a_strangers_program_is_named_by_what_is_wrong_in_it(name):
    report, stranger = report_on(name), STRANGERS[name]
    found = [item.fault for item in report.diagnoses] + [UNKNOWN] * bool(report.unexplained)
    assert sorted(found) == sorted(set(stranger.expected) - {RIGHT}), f"{stranger.truth}\n{report}"
    assert report.ok is (stranger.expected == (RIGHT,)), str(report)


def test_a_wrong_report_has_at_least_one_finding():
    report = report_on("sigmoid")
    assert {item.probe for item in report.unexplained} == set(report.failed)


def test_a_missing_return_is_told_in_whole_sentences():
    text = " ".join(str(report_on("forgot_return")).split())
    assert "Your function returns None: is a return missing? It was called with" in text
    assert text.count("is a return missing?") == 1  # and not once more for what it need not be able to do


def test_one_more_probe_is_one():
    def f(Q, K, V):
        if Q.shape[-2] == 1 < K.shape[-2] and V.shape[-1] != 3:
            raise RuntimeError("a single query .")
        return attention(Q, K, V).output

    text = " ".join(str(check(f)).split())
    assert "RuntimeError: a single query. It was called with" in text
    assert "So it does in 1 more probe." in text


def test_what_float16_cannot_hold_is_left_out_and_said():
    report = report_on("float16_plain")
    assert any("float16 cannot hold" in text for text in report.not_tested)
    assert not any("cannot hold" in text for text in report_on("base_2").not_tested)


def test_attention_that_is_always_causal_is_told_so():
    (item,) = report_on("causal_by_default").diagnoses
    assert "causal without being asked, and its mask is aligned to the top left" in item.sentence
    assert 'always={"causal": True}' in item.mend


def test_a_fault_in_every_probe_is_not_laid_on_the_sizes():
    kernel = KERNELS["gqa_reverse"]
    report = check(compiled(kernel.source, "gqa_reverse"), form=kernel.form)
    assert {item.stage for item in report.unexplained} == {"the computation without options"}
