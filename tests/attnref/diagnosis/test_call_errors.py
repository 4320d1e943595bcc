"""A function that cannot be called, or returns something odd, is told what to do."""

import functools
import time

import numpy as np
import pytest

from attnref import AttnRefError, attention, check
from attnref.diagnosis import _hints


def right(Q, K, V, mask=None):
    return attention(Q, K, V, mask=mask).output


class Layer:
    def __init__(self, width=3):
        self.width = width

    def __call__(self, Q, K, V, mask=None):
        return right(Q, K, V, mask)


def by_keyword(*, query, key, value, mask=None):
    return right(query, key, value, mask)


async def later(Q, K, V):
    return right(Q, K, V)


async def later_in_parts(Q, K, V):
    yield right(Q, K, V)


def in_parts(Q, K, V):
    yield right(Q, K, V)


def mends(fn):
    report = check(fn)
    assert not report.ok
    assert len(report.diagnoses) == 1, str(report)
    return " ".join(str(report).split())


@pytest.mark.parametrize("thing", [3, None, np, right])
def test_what_cannot_be_called_is_refused(thing):
    if callable(thing):
        assert check(thing).ok
        return
    with pytest.raises(AttnRefError, match="Give the function itself, without parentheses"):
        check(thing)


def test_a_path_is_sent_to_the_command_line():
    with pytest.raises(AttnRefError, match=r"python -m attnref check FILE.py:NAME"):
        check("attention.py:attend")


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (Layer, "Give an instance of Layer, and not the class"),
        (by_keyword, "Pass adapter=lambda fn, Q, K, V: fn(query=Q, key=K, value=V)."),
        (lambda Q, K: Q, "Take Q, K, V by position, or pass adapter=lambda fn, Q, K, V: fn(…)"),
        (sum, "Take Q, K, V by position"),
        (np.dot, "Take Q, K, V by position"),
        (later, "Write def instead of async def"),
        (later_in_parts, "Write def instead of async def, and return instead of yield"),
        (in_parts, "Write return instead of yield"),
        (lambda Q, K, V: right(Q, K, V) + 0j, "returns an array of dtype complex128"),
        (lambda Q, K, V: right(Q, K, V).astype(object), "returns an array of dtype object"),
        (lambda Q, K, V: right(Q, K, V) + 0j, "Change: Return real numbers"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_each_is_told_what_to_change(fn, words):
    text = mends(fn)
    assert words in text
    assert "diagnosis/_calling.py" not in text


def test_options_by_keyword_are_not_taken_for_arrays():
    def f(Q, K, *, mask=None, causal=False, scale=None):
        return Q

    assert "Take Q, K, V by position, or pass adapter=lambda fn, Q, K, V: fn(…)" in mends(f)


def test_the_adapter_that_is_proposed_works():
    assert check(by_keyword, adapter=lambda fn, Q, K, V: fn(query=Q, key=K, value=V)).ok


@pytest.mark.parametrize(
    "fn",
    [
        Layer(),
        functools.partial(lambda width, Q, K, V: right(Q, K, V), 3),
        lambda Q, K, V: right(Q, K, V).tolist(),
        lambda Q, K, V: [right(Q, K, V), attention(Q, K, V).weights],
        lambda Q, K, V: {"output": right(Q, K, V)},
    ],
)
def test_what_is_called_or_returned_in_another_way_is_right(fn):
    report = check(fn)
    assert report.ok, str(report)


def test_an_exception_without_words_has_no_colon():
    def f(Q, K, V):
        raise ValueError

    assert "Your function raises ValueError. It was called with" in mends(f)


def test_parameters_in_another_order_are_noted():
    def f(V, K, Q):
        return right(Q, K, V)

    assert any("its parameters are V, K, Q; it was given Q, K, V" in note for note in check(f).notes)


def test_other_parameters_that_must_be_given_are_noted():
    def f(Q, K, V, W_Q, n_heads):
        return Q

    assert any("it must be given W_Q and n_heads, for which None" in note for note in check(f).notes)


def test_a_slow_function_is_noted(monkeypatch):
    monkeypatch.setattr(_hints, "PATIENT", 0.2)

    def f(Q, K, V):
        time.sleep(0.02)
        return right(Q, K, V)

    assert any("calls took" in note for note in check(f).notes)


def test_what_every_call_refuses_is_told_once():
    text = mends(by_keyword)
    assert text.count("takes 0 positional arguments") == 1


def test_memory_in_another_order_that_is_refused_is_no_fault():
    def f(Q, K, V):
        if not Q.flags.c_contiguous:
            raise ValueError("contiguous arrays only")
        return right(Q, K, V)

    report = check(f)
    assert report.ok
    assert any("no contiguous memory" in text for text in report.not_tested)
