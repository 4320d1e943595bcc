"""What a function of a newer form does wrong as a program is a finding, and no crash of the checker."""

import time
import warnings

import numpy as np
import pytest

from attnref import check
from attnref.diagnosis import FORMS
from tests.attnref.diagnosis.reference_forms import NEW

SOME = [form for form in NEW if form != "linear_gradients"]  # its reference takes a second


def faults(report):
    return [item.fault for item in report.diagnoses]


def test_every_newer_form_is_tried():
    assert set(NEW) == set(FORMS) - {"attention", "grouped", "multihead", "gradients", "rotary", "alibi"}


@pytest.mark.parametrize("form", NEW)
def test_an_exception_is_reported_with_its_line(form):
    def f(*arrays):
        size = undefined  # noqa: F821
        return size

    report = check(f, form=form)
    assert faults(report) == ["raises"]
    assert "size = undefined" in report.diagnoses[0].line


@pytest.mark.parametrize("form", NEW)
@pytest.mark.parametrize("value", [None, "text", (None, None), {"a": None}, 1.5, ()], ids=repr)
def test_a_result_of_another_kind_is_reported(form, value):
    report = check(lambda *arrays: value, form=form)
    assert not report.ok
    assert str(report)
    assert report.to_json()


@pytest.mark.parametrize("form", NEW)
def test_a_generator_is_reported(form):
    def f(*arrays):
        yield arrays[0]

    report = check(f, form=form)
    assert faults(report) == ["returns_no_array"]
    assert "generator" in report.diagnoses[0].sentence


@pytest.mark.parametrize("form", SOME)
def test_a_wrong_shape_is_reported(form):
    def f(*arrays):
        result = NEW[form](*arrays)
        if form in ("decode", "rotary_decode"):
            return result[0][..., :1], result[1]
        if form == "rope_weights":
            return result[0][:, :1], result[1]
        return np.stack([np.asarray(result[0] if isinstance(result, tuple) else result)] * 3)

    report = check(f, form=form)
    assert not report.ok
    assert not [fault for fault in faults(report) if fault not in ("output_layout", "raises")], str(report)
    assert "shape" in str(report)


@pytest.mark.parametrize("form", NEW)
def test_an_endless_loop_is_stopped(form):
    def f(*arrays):
        while True:
            time.sleep(0.001)

    began = time.monotonic()
    report = check(f, form=form, timeout=0.2)
    assert time.monotonic() - began < 5
    assert faults(report) == ["times_out"]


@pytest.mark.parametrize("form", SOME)
def test_prints_and_warnings_are_noted(form, capsys):
    def f(*arrays):
        print("here")
        warnings.warn("slow", stacklevel=1)
        return NEW[form](*arrays)

    report = check(f, form=form)
    assert report.ok, str(report)
    assert capsys.readouterr().out == ""
    assert any("it printed" in note for note in report.notes)
    assert any("slow" in note for note in report.notes)


@pytest.mark.parametrize("form", [form for form in SOME if form != "differential_factor"])
def test_a_changed_input_is_reported(form):
    def f(*arrays):
        result = NEW[form](*(x.copy() if isinstance(x, np.ndarray) else x for x in arrays))
        arrays[0][...] = 0
        return result

    report = check(f, form=form)
    assert "inputs_changed" in faults(report)


def test_a_step_that_returns_no_cache_is_told_what_is_due():
    report = check(lambda q, k, v, cache: NEW["decode"](q, k, v, cache)[0], form="decode")
    assert faults(report) == ["returns_no_array"]
    assert "(output, cache) is due" in report.diagnoses[0].sentence


def test_a_step_that_keeps_its_cache_from_text_to_text_is_found_out():
    kept = []

    def f(q, k, v, cache):
        kept.append((k, v))
        K, V = (np.concatenate(x, axis=2) for x in zip(*kept, strict=True))
        s = q @ K.mT
        return np.exp(s) / np.exp(s).sum(-1, keepdims=True) @ V, None

    report = check(f, form="decode")
    assert set(faults(report)) & {"raises", "keeps_state"}, str(report)


def test_an_object_with_a_cache_of_its_own_is_checked_by_an_adapter():
    class Decoder:
        def __init__(self):
            self.cache = None

        def step(self, q, k, v):
            output, self.cache = NEW["decode"](q, k, v, self.cache)
            return output

    def adapter(cls, q, k, v, decoder):
        decoder = decoder or cls()
        return decoder.step(q, k, v), decoder

    report = check(Decoder, form="decode", adapter=adapter)
    assert report.ok, str(report)
    assert any("mask" in text for text in report.not_tested)


@pytest.mark.parametrize("form", SOME)
def test_what_a_function_does_not_take_is_not_tested(form):
    def f(*arrays):
        return NEW[form](*arrays)

    report = check(f, form=form)
    assert report.ok, str(report)
    options = set(FORMS[form][0].options)
    assert all(any(name in text for text in report.not_tested) for name in options)


@pytest.mark.parametrize("form", SOME)
def test_another_layout_is_kept_to(form):
    """Batch, length, heads, width: what has four axes is turned, and the rest is not."""

    def turned(x):
        return x.swapaxes(1, 2) if getattr(x, "ndim", 0) == 4 and x.dtype != bool else x

    def f(*arrays):
        result = NEW[form](*(turned(x) for x in arrays))
        if form in ("decode", "rotary_decode"):
            return turned(result[0]), result[1]
        if form == "rope_weights":
            return result
        return turned(result[0] if isinstance(result, tuple) else result)

    report = check(f, form=form, layout="BLHD")
    assert report.ok, str(report)
