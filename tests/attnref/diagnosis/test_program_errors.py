"""What the function does wrong as a program is a finding with its line, and no crash of the checker."""

import contextlib
import threading
import time
import warnings

import numpy as np
import pytest

from attnref import attention, check


def faults(report):
    return [item.fault for item in report.diagnoses]


def test_an_exception_is_reported_with_its_line():
    def f(Q, K, V):
        scale = undefined  # noqa: F821
        return scale

    report = check(f)
    assert faults(report) == ["raises"]
    assert "NameError" in report.diagnoses[0].sentence
    assert __file__ in report.diagnoses[0].line
    assert "scale = undefined" in report.diagnoses[0].line


def test_an_exception_for_some_sizes_does_not_hide_a_fault():
    def f(Q, K, V):
        if Q.shape[-2] > K.shape[-2]:
            raise ValueError("more queries than keys")
        return attention(Q, K, V, scale=1.0).output

    assert set(faults(check(f))) == {"scale_missing", "raises"}


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "None"), ((x for x in ()), "generator"), ("text", "str"), ({"a": None}, "dict")],
)
def test_what_is_no_array_is_reported(value, words):
    report = check(lambda Q, K, V: value)
    assert faults(report) == ["returns_no_array"]
    assert words in report.diagnoses[0].sentence


def test_a_wrong_shape_is_reported_with_both_shapes():
    report = check(lambda Q, K, V: attention(Q, K, V).output[..., :1])
    assert not report.ok
    assert "(2, 3, 5, 6)" in str(report)
    assert "(2, 3, 5, 1)" in str(report)


def test_an_endless_loop_is_stopped_and_its_line_named():
    def f(Q, K, V):
        while True:
            time.sleep(0.001)

    began = time.monotonic()
    report = check(f, timeout=0.3)
    assert time.monotonic() - began < 5
    assert faults(report) == ["times_out"]
    assert "time.sleep" in report.diagnoses[0].line or "while True" in report.diagnoses[0].line
    assert not [thread for thread in threading.enumerate() if thread.name == "attnref.diagnosis"]


def test_a_loop_that_catches_exceptions_is_stopped_too():
    def f(Q, K, V):
        while True:
            with contextlib.suppress(Exception):
                sum(range(1000))

    assert faults(check(f, timeout=0.3)) == ["times_out"]


def test_prints_and_warnings_are_kept_out_of_the_way_and_noted(capsys):
    def f(Q, K, V):
        print("shape", Q.shape)
        warnings.warn("slow", stacklevel=1)
        return attention(Q, K, V).output

    report = check(f)
    assert report.ok
    assert capsys.readouterr().out == ""
    assert any("it printed" in note for note in report.notes)
    assert any("slow" in note for note in report.notes)


def test_a_changed_input_is_reported():
    def f(Q, K, V):
        Q *= Q.shape[-1] ** -0.5
        return attention(Q, K, V, scale=1.0).output

    report = check(f)
    assert faults(report) == ["inputs_changed"]
    assert "Q" in report.diagnoses[0].sentence


def test_state_between_calls_is_reported():
    kept = {}

    def f(Q, K, V):
        scale = kept.setdefault("scale", Q.shape[-1] ** -0.5)
        kept["scale"] = scale * 0.99
        return attention(Q, K, V, scale=scale).output

    assert {"not_deterministic", "keeps_state"} & set(faults(check(f)))


def test_a_mask_kept_from_an_earlier_call_is_reported():
    kept = {}

    def f(Q, K, V, causal=False):
        shape = Q.shape[-2], K.shape[-2]
        mask = kept.setdefault(shape, np.tril(np.ones(shape, bool), shape[1] - shape[0]) if causal else None)
        return attention(Q, K, V, mask=mask).output

    report = check(f)
    assert not report.ok
    assert "keeps_state" in faults(report) or report.unexplained or "causal_dropped" in faults(report)


def test_a_buffer_that_is_used_again_is_reported():
    buffers = {}

    def f(Q, K, V):
        result = attention(Q, K, V).output
        buffer = buffers.setdefault(result.shape, np.empty_like(result))
        buffer[...] = result
        return buffer

    assert faults(check(f)) == ["buffer_reused"]


def test_chance_is_reported_and_not_given_another_name():
    rng = np.random.default_rng(1)
    report = check(lambda Q, K, V: attention(Q, K, V).output + rng.normal())
    assert faults(report) == ["not_deterministic"]


def test_dropout_is_told_from_other_chance():
    rng = np.random.default_rng(1)

    def f(Q, K, V):
        weights = attention(Q, K, V).weights
        return (weights * (rng.random(weights.shape) < 0.8) / 0.8) @ V

    report = check(f)
    assert faults(report) == ["dropout_eval"]
    assert "1.25" in report.diagnoses[0].sentence


def test_a_function_that_needs_other_arguments_is_told_about_adapters():
    report = check(lambda Q, K, V, something: Q)
    assert faults(report) == ["raises"] or not report.ok


def test_an_adapter_calls_the_function_its_own_way():
    def by_name(*, q, k, v, hide):
        return {"result": attention(q, k, v, mask=None if hide is None else ~hide).output}

    def adapter(fn, Q, K, V, mask=None):
        return fn(q=Q, k=K, v=V, hide=None if mask is None else ~mask)["result"]

    report = check(by_name, adapter=adapter)
    assert report.ok, str(report)
    assert any("causal" in text for text in report.not_tested)


def test_weights_averaged_over_the_heads_are_named():
    def f(Q, K, V):
        result = attention(Q, K, V)
        return result.output, result.weights.mean(axis=1)

    assert faults(check(f)) == ["weights_averaged"]


def test_weights_that_are_not_those_of_the_output_are_named():
    def f(Q, K, V):
        return attention(Q, K, V).output, attention(Q, K, V, scale=1.0).weights

    assert faults(check(f)) == ["weights_wrong"]


def test_a_function_of_two_axes_is_told_its_layout():
    report = check(lambda Q, K, V: attention(Q, K.T.T, V, scale=1.0).output if Q.ndim == 2 else Q @ K.T)
    assert 'layout="LD"' in report.diagnoses[0].sentence


def test_a_function_is_not_stopped_while_it_loads_a_module(tmp_path, monkeypatch):
    """A module that was stopped half-way would be broken for the whole program."""
    (tmp_path / "slow_to_load.py").write_text(
        "import time\ntime.sleep(0.9)\nready = True\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def f(Q, K, V):
        import slow_to_load

        assert slow_to_load.ready
        return attention(Q, K, V).output

    report = check(f, timeout=0.3)
    assert report.ok, str(report)
