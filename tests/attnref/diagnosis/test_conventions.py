"""`conventions` reads off what a function does: each answer from a function that was written to give it."""

import numpy as np
import pytest

from attnref import attention, causal_mask, conventions, softmax, window_mask
from attnref.diagnosis._asking import NONE, attended
from attnref.diagnosis._command import main
from attnref.diagnosis._questions import QUESTIONS
from tests.attnref.peers import peer

FIRST, LAST = "first query at first key", "last query at last key"


def three_lines(Q, K, V, allowed=True, scale=None, fill=-np.inf):
    scores = Q @ K.mT * (Q.shape[-1] ** -0.5 if scale is None else scale)
    scores = np.where(allowed, scores, fill)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ V


def moved(order, back=None):
    """Attention over arrays whose axes stand in another order; `back`: the order of the result."""

    def attend(Q, K, V):
        turned = [np.transpose(x, np.argsort([*order, 3])) for x in (Q, K, V)]
        return np.transpose(three_lines(*turned), [*(back or order), 3])

    return attend


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (0.5, "1/sqrt(d_k)"), (1, "none"), (0.25, "1/d_k"), (0, "zero"), (2, "first weight 0.9997"),
    ],
)  # fmt: skip
def test_the_scale_is_read_off_one_weight(factor, words):
    def attend(Q, K, V):
        return three_lines(Q, K, V, scale=factor)

    assert conventions(attend)["scale"] == words


def test_a_scale_without_a_default_must_be_given():
    def attend(Q, K, V, scaling):
        return three_lines(Q, K, V, scale=scaling)

    found = conventions(attend)
    assert found["scale"] == "must be given"
    assert found["layout"] == "batch, heads, length, width"


@pytest.mark.parametrize(
    ("order", "back", "words"),
    [
        ((0, 1, 2), None, "batch, heads, length, width"),
        ((0, 2, 1), None, "batch, length, heads, width"),
        ((2, 0, 1), None, "length, batch, heads, width"),
        ((0, 1, 2), (0, 2, 1), "batch, heads, length, width; the result: batch, length, heads, width"),
    ],
)
def test_the_layout_is_found_out_and_used(order, back, words):
    found = conventions(moved(order, back))
    assert found["layout"] == words
    assert found["scale"] == "1/sqrt(d_k)"


@pytest.mark.parametrize(
    ("axes", "order", "words"),
    [
        (3, (1, 0, 2), "length, batch, width"),
        (3, (0, 1, 2), "batch, length, width"),
        (2, (0, 1), "length, width"),
    ],
)
def test_functions_of_fewer_axes_are_asked_with_fewer(axes, order, words):
    def attend(Q, K, V):
        if Q.ndim != axes:
            raise ValueError("another number of axes")
        return np.transpose(three_lines(*(np.transpose(x, order) for x in (Q, K, V))), order)

    found = conventions(attend)
    assert found["layout"] == words
    assert found["scale"] == "1/sqrt(d_k)"
    assert found["fewer key heads"] == NONE


def test_a_function_that_raises_everywhere_is_told_to():
    def attend(Q, K, V):
        raise RuntimeError("no fuel")

    found = conventions(attend)
    assert found["layout"] == "not found: it raises RuntimeError: no fuel"
    assert list(found.found) == ["layout"]


def test_a_mean_over_the_width_is_no_layout():
    V = np.arange(48.0).reshape(2, 3, 4, 2)
    assert attended(np.broadcast_to(V.mean(axis=-1, keepdims=True), V.shape), V) is None


MASKS = {
    "True attends": lambda mask: {"allowed": np.asarray(mask, bool)},
    "True hides": lambda mask: {"allowed": ~np.asarray(mask, bool)},
    "ignored": lambda mask: {},
}


@pytest.mark.parametrize("words", MASKS)
def test_the_meaning_of_true_is_read_off_the_weights(words):
    def attend(Q, K, V, mask=None):
        return three_lines(Q, K, V, **(MASKS[words](mask) if mask is not None else {}))

    assert conventions(attend)["mask, True or False"] == words


@pytest.mark.parametrize(("scaled", "words"), [(False, "added as it is"), (True, "multiplied by the scale")])
def test_numbers_are_added_before_or_after_the_scale(scaled, words):
    def attend(Q, K, V, mask=None):
        scale = Q.shape[-1] ** -0.5
        dots, added = Q @ K.mT, 0 if mask is None else mask
        return softmax((dots + added) * scale if scaled else dots * scale + added) @ V

    found = conventions(attend)
    assert found["mask, True or False"] == "added as one"
    assert found["mask, numbers"] == "added"
    assert found["numbers and scale"] == words


@pytest.mark.parametrize("scaled", [False, True])
def test_a_bias_is_added_before_or_after_the_scale(scaled):
    def attend(Q, K, V, bias=0.0):
        scale = Q.shape[-1] ** -0.5
        return softmax((Q @ K.mT + bias) * scale if scaled else Q @ K.mT * scale + bias) @ V

    words = "multiplied by the scale" if scaled else "added as it is"
    assert conventions(attend)["numbers and scale"] == words


@pytest.mark.parametrize(
    ("align", "empty", "words"),
    [
        ("top_left", "zero", f"{FIRST} | {FIRST} | sees the first key only"),
        ("bottom_right", "zero", f"{LAST} | {LAST}; empty rows: zero | sees all keys"),
        ("bottom_right", "mean", f"{LAST} | {LAST}; empty rows: mean of the values | sees all keys"),
        ("bottom_right", "nan", f"{LAST} | {LAST}; empty rows: NaN | sees all keys"),
        (None, "zero", "ignored | ignored | sees all keys"),
    ],
)
def test_the_causal_order_and_its_empty_rows_are_read_off(align, empty, words):
    def attend(Q, K, V, causal=False):
        seen = causal_mask(Q.shape[-2], K.shape[-2], align=align) if causal and align else True
        if empty == "zero":
            return attention(Q, K, V, mask=seen).output
        return three_lines(Q, K, V, seen, fill={"mean": -1e9, "nan": -np.inf}[empty])

    found = conventions(attend)
    assert " | ".join(found[key] for key in ("causal", "causal, more queries", "causal, one query")) == words


@pytest.mark.parametrize(("fill", "words"), [(-1e9, "mean of the values"), (-np.inf, "NaN")])
def test_a_query_that_sees_nothing_is_told(fill, words):
    def attend(Q, K, V, mask=True):
        return three_lines(Q, K, V, mask, fill=fill)

    assert conventions(attend)["empty row, mask"] == words


def test_nan_behind_a_mask_is_looked_for_in_keys_and_values():
    def lowered(Q, K, V, mask=True):
        return softmax(Q @ K.mT + np.where(mask, 0, -np.inf)) @ V

    def replaced(Q, K, V, mask=True):
        return three_lines(Q, K, V, mask, fill=-1e9)

    def hiding(Q, K, V, mask=False):
        return three_lines(Q, K, V, ~np.asarray(mask), fill=-1e9)

    def adding(Q, K, V, mask=0):
        return softmax(Q @ K.mT + mask) @ V

    def answers(fn):
        found = conventions(fn)
        return found["NaN in a hidden key"], found["NaN in a hidden value"]

    assert answers(hiding) == answers(replaced)
    assert answers(adding) == answers(lowered)
    assert answers(lowered) == ("reaches the output", "reaches the output")
    assert answers(replaced) == ("stays hidden", "reaches the output")
    assert answers(attention) == ("stays hidden", "stays hidden")


@pytest.mark.parametrize(
    ("spread", "words"),
    [(np.repeat, "neighbours share a key head"), (None, "every second one shares a key head")],
)
def test_fewer_key_heads_are_told_by_who_shares(spread, words):
    def attend(Q, K, V):
        times = Q.shape[1] // K.shape[1]
        if spread:
            K, V = (spread(x, times, axis=1) for x in (K, V))
        else:
            K, V = (np.tile(x, (1, times, 1, 1)) for x in (K, V))
        return three_lines(Q, K, V)

    assert conventions(attend)["fewer key heads"] == words


@pytest.mark.parametrize(
    ("window_of", "words"),
    [
        (lambda w: w, "(2, 0): query 3 sees keys 1–3"),
        (lambda w: (w[0] - 1, w[1]), "(2, 0): query 3 sees keys 2–3"),
        (lambda w: (operator_only_number(w) - 1, 0), "2: query 3 sees keys 2–3"),
        (lambda w: (operator_only_number(w),) * 2, "2: query 3 sees keys 1–4"),
    ],
)
def test_the_keys_of_a_window_are_counted(window_of, words):
    def attend(Q, K, V, window=None):
        if window is None:
            return three_lines(Q, K, V)
        return attention(Q, K, V, mask=window_mask(Q.shape[-2], K.shape[-2], *window_of(window))).output

    found = conventions(attend)
    assert found["window"] == words
    assert found["window, more keys"] == "last query at last key"


def operator_only_number(window):
    if not isinstance(window, int):
        raise TypeError("a number")
    return window


@pytest.mark.parametrize(
    ("kind", "words"), [("before", "before the mask"), ("after", "after the mask"), ("not", "ignored")]
)
def test_the_place_of_the_softcap_is_told(kind, words):
    def attend(Q, K, V, mask=True, softcap=None):
        cap = (lambda x: softcap * np.tanh(x / softcap)) if softcap and kind != "not" else (lambda x: x)
        scores = Q @ K.mT * Q.shape[-1] ** -0.5
        if kind == "after":
            return softmax(cap(np.where(mask, scores, -np.inf))) @ V
        return softmax(np.where(mask, cap(scores), -np.inf)) @ V

    assert conventions(attend)["softcap"] == words


def test_a_softcap_that_raises_is_refused():
    def attend(Q, K, V, softcap=None):
        if softcap:
            raise ValueError("only on other hardware")
        return three_lines(Q, K, V)

    assert conventions(attend)["softcap"] == "refused"


def test_what_is_rounded_inside_is_told_stage_by_stage():
    def wide(Q, K, V):
        return three_lines(*(x.astype(np.float32) for x in (Q, K, V))).astype(Q.dtype)

    def narrow(Q, K, V):
        return three_lines(Q, K, V, scale=np.float16(Q.shape[-1] ** -0.5))

    def narrow_weights(Q, K, V):
        weights = three_lines(
            Q.astype(np.float32), K.astype(np.float32), np.eye(K.shape[-2], dtype=np.float32)
        )
        return (weights.astype(V.dtype).astype(np.float32) @ V.astype(np.float32)).astype(V.dtype)

    def answers(fn):
        found = conventions(fn)
        return [found[f"float16, {stage}"] for stage in ("large scores", "scores", "weights")]

    assert answers(wide) == ["no matter", "kept wider", "kept wider"]
    assert answers(narrow) == ["overflow", "rounded", "rounded"]
    assert answers(narrow_weights) == ["no matter", "kept wider", "rounded"]


def test_values_of_another_width_may_be_refused():
    def attend(Q, K, V):
        assert K.shape == V.shape
        return three_lines(Q, K, V)

    assert conventions(attend)["width of the values"] == "must be that of the keys"
    assert conventions(three_lines)["width of the values"] == "may be another"


def test_a_question_that_never_ends_is_told():
    def attend(Q, K, V, causal=False):
        while causal and Q.shape[-2] != K.shape[-2]:
            pass
        return three_lines(Q, K, V)

    found = conventions(attend, timeout=0.5)
    assert found["causal"] == "does not end"


def test_it_prints_an_answer_a_line_and_is_one_row_of_a_table():
    found = conventions(three_lines)
    told = str(found).splitlines()
    assert told[0] == "three_lines"
    assert "  scale                  1/sqrt(d_k)" in told
    assert "  no argument for: mask, True or False; mask, numbers; numbers and" in told
    assert max(map(len, told)) <= 70
    assert found.row().count(" | ") == 2 + len(QUESTIONS)
    assert found.row().startswith("| three_lines | numpy | batch, heads, length, width | 1/sqrt(d_k) | ")


def test_an_adapter_says_how_it_is_called():
    def other(K, V, Q):
        return three_lines(Q, K, V)

    assert conventions(other, adapter=lambda fn, Q, K, V: fn(K, V, Q))["scale"] == "1/sqrt(d_k)"


def test_the_command_line_measures_a_function_of_a_module(capsys):
    assert main(["conventions", "attnref:attention"]) == 0
    assert "  causal                    last query at last key\n" in capsys.readouterr().out


def test_the_command_line_measures_a_builtin_whose_signature_cannot_be_read(capsys):
    peer("torch")
    assert main(["conventions", "torch.nn.functional:scaled_dot_product_attention"]) == 0
    told = capsys.readouterr().out
    assert "  framework                 torch\n" in told
    assert "  causal                    first query at first key\n" in told
