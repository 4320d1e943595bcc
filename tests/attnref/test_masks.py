"""Masks: each derived by hand as a picture, zeros and ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import AttnRefError, MaskError, ShapeError, causal_mask, padding_mask, window_mask

lengths = st.integers(0, 11)
sides = st.none() | st.integers(0, 5)


def picture(mask: np.ndarray) -> list[str]:
    assert mask.dtype == np.bool_
    return ["".join(map(str, row)) for row in mask.astype(int).tolist()]


def test_causal_rows_see_themselves_and_the_past():
    assert picture(causal_mask(3)) == ["100", "110", "111"]


def test_causal_lines_up_the_last_query_with_the_last_key():
    assert picture(causal_mask(2, 5)) == ["11110", "11111"]
    assert picture(causal_mask(1, 5)) == ["11111"]


def test_causal_lines_up_the_first_ones_when_asked():
    assert picture(causal_mask(2, 5, align="top_left")) == ["10000", "11000"]


def test_causal_with_more_queries_than_keys_has_empty_rows():
    assert picture(causal_mask(5, 2)) == ["00", "00", "00", "10", "11"]
    assert picture(causal_mask(5, 2, align="top_left")) == ["10", "11", "11", "11", "11"]


def test_window_counts_neighbours_beside_the_own_position():
    assert picture(window_mask(5, 5, 2, 0)) == ["10000", "11000", "11100", "01110", "00111"]
    assert picture(window_mask(5, 5, 0, 1)) == ["11000", "01100", "00110", "00011", "00001"]


def test_window_lines_up_like_causal():
    assert picture(window_mask(2, 5, 1, 0)) == ["00110", "00011"]
    assert picture(window_mask(2, 5, 1, 0, align="top_left")) == ["10000", "11000"]


def test_window_without_a_bound_on_a_side():
    assert picture(window_mask(3, 3, None, 0)) == picture(causal_mask(3))
    assert picture(window_mask(3, 3, 0, None)) == ["111", "011", "001"]
    assert picture(window_mask(2, 3, None, None)) == ["111", "111"]


def test_padding_hides_keys_for_every_query():
    mask = padding_mask([2, 0, 3], 3)
    assert mask.shape == (3, 1, 3)
    assert picture(mask[:, 0]) == ["110", "000", "111"]
    assert padding_mask(np.array([[2], [3]]), 5).shape == (2, 1, 1, 5)
    assert picture(padding_mask(2, 3)) == ["110"]


@given(lengths, lengths, sides, sides, st.sampled_from(["bottom_right", "top_left"]))
def test_window_follows_its_inequalities(L_q, L_k, left, right, align):
    mask = window_mask(L_q, L_k, left, right, align=align)
    assert mask.shape == (L_q, L_k)
    for i in range(L_q):
        position = i + (L_k - L_q if align == "bottom_right" else 0)
        for j in range(L_k):
            seen = (left is None or j >= position - left) and (right is None or j <= position + right)
            assert mask[i, j] == seen


@given(lengths, lengths)
def test_causal_is_a_window_open_to_the_left(L_q, L_k):
    assert picture(causal_mask(L_q, L_k)) == picture(window_mask(L_q, L_k, None, 0))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: causal_mask(-2), ShapeError, "L_q is -2: it is a length"),
        (lambda: causal_mask(2, 2.5), ShapeError, "L_k is 2.5: it is a length"),
        (
            lambda: causal_mask(2, align="left"),
            AttnRefError,
            "align is 'left': .* Write 'bottom_right' or 'top_left'",
        ),
        (lambda: window_mask(2, 3, -1, 0), MaskError, r"is \(-1, 0\): .* For no bound on a side write None"),
        (lambda: window_mask(2, 3, 0, 1.5), MaskError, r"is \(0, 1.5\): .* zero or more"),
        (
            lambda: padding_mask([4, -1], 3),
            MaskError,
            "lengths goes from -1 to 4: each must lie between zero and L_k, 3",
        ),
        (lambda: padding_mask([True], 3), MaskError, "lengths has dtype bool .* it is a mask already"),
        (lambda: padding_mask([2.0], 3), MaskError, "lengths has dtype float64"),
        (lambda: padding_mask([2], -3), ShapeError, "L_k is -3"),
    ],
)
def test_what_has_no_meaning_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()
