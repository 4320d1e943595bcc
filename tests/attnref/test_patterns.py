"""Packed texts, prefixes and blocks: pictures by hand, and what each pattern is for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    MaskError,
    ShapeError,
    attention,
    block_mask,
    causal_mask,
    prefix_mask,
    segment_mask,
    window_mask,
)
from tests.attnref.tolerance import assert_close

seeds = st.integers(0, 2**32 - 1)


def picture(mask: np.ndarray) -> list[str]:
    assert mask.dtype == np.bool_
    return ["".join(map(str, row)) for row in mask.astype(int).tolist()]


def test_texts_in_one_row_are_kept_apart():
    assert picture(segment_mask([3, 3, 5, 5, 5])) == ["11000", "11000", "00111", "00111", "00111"]
    assert picture(segment_mask([1, 2], [2, 2, 1])) == ["001", "110"]


def test_labels_may_have_leading_axes():
    mask = segment_mask(np.array([[1, 1, 2], [1, 2, 2]])[:, None])
    assert mask.shape == (2, 1, 3, 3)
    assert picture(mask[1, 0]) == ["100", "011", "011"]
    assert segment_mask([[1, 1, 2]], [1, 2]).shape == (1, 3, 2)


@given(seeds, st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_packed_texts_get_the_outputs_that_they_get_alone(seed, lengths):
    rng, L = np.random.default_rng(seed), sum(lengths)
    Q, K, V = (rng.normal(size=(3, L, d)) for d in (7, 7, 11))
    mask = segment_mask(np.repeat(np.arange(len(lengths)), lengths)) & causal_mask(L)
    packed = attention(Q, K, V, mask=mask).output
    for start, length in zip(np.cumsum([0, *lengths]), lengths, strict=False):
        text = slice(start, start + length)
        alone = attention(Q[:, text], K[:, text], V[:, text], causal=True).output
        assert_close(packed[:, text], alone, tol=1e-12)


def test_a_prefix_is_seen_by_all_and_the_rest_by_what_follows():
    assert picture(prefix_mask(3, 5)) == ["11100", "11100", "11100", "11110", "11111"]
    assert picture(prefix_mask(2, 2, 5)) == ["11110", "11111"]
    assert picture(prefix_mask(4, 2, 5)) == ["11110", "11111"]
    assert picture(prefix_mask(5, 2, 5)) == ["11111", "11111"]


def test_each_sequence_may_have_a_prefix_of_its_own():
    mask = prefix_mask(np.array([0, 3])[:, None], 3)
    assert mask.shape == (2, 1, 3, 3)
    assert picture(mask[0, 0]) == picture(causal_mask(3))
    assert picture(mask[1, 0]) == ["111", "111", "111"]


@given(st.integers(0, 7), st.integers(0, 7))
def test_a_prefix_follows_its_inequalities(prefix, L):
    prefix = min(prefix, L)
    mask = prefix_mask(prefix, L)
    for i in range(L):
        for j in range(L):
            assert mask[i, j] == (j < prefix or j <= i)


def test_blocks_are_written_out_and_the_last_one_is_cut():
    assert picture(block_mask([[True, False], [False, True]], 3, 4, block_size=2)) == ["1100", "1100", "0011"]
    assert picture(block_mask([[True, False, True]], 1, 5, block_size=2)) == ["11001"]


@given(seeds, st.integers(0, 11), st.integers(0, 11), st.integers(1, 5))
def test_blocks_follow_their_definition(seed, L_q, L_k, block_size):
    shape = (2, -(-L_q // block_size), -(-L_k // block_size))
    blocks = np.random.default_rng(seed).random(shape) < 0.5
    mask = block_mask(blocks, L_q, L_k, block_size=block_size)
    assert mask.shape == (2, L_q, L_k)
    for h, i, j in np.ndindex(mask.shape):
        assert mask[h, i, j] == blocks[h, i // block_size, j // block_size]


@given(st.integers(1, 11), st.integers(1, 4), st.integers(0, 3))
def test_the_first_tokens_and_a_window_can_be_kept_together(L, first, left):
    """Masks combine: the pattern of a streaming model is a window, or the first tokens, and the past."""
    mask = causal_mask(L) & (window_mask(L, L, left, 0) | (np.arange(L) < first))
    assert mask.sum(axis=-1).tolist() == [
        min(i + 1, left + 1 + min(first, max(i - left, 0))) for i in range(L)
    ]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: segment_mask([0.0, 1.0]),
            MaskError,
            "^segments has dtype float64 .* same integer belong together",
        ),
        (lambda: segment_mask([0], [True]), MaskError, "^key_segments has dtype bool"),
        (lambda: segment_mask(3), ShapeError, "^segments has no axis: there is one label for each token"),
        (
            lambda: prefix_mask(4, 3),
            MaskError,
            "^prefix goes from 4 to 4: each must lie between zero and L_k, 3",
        ),
        (lambda: prefix_mask(1.0, 3), MaskError, "^prefix has dtype float64"),
        (lambda: prefix_mask(1, -3), ShapeError, "^L_q is -3"),
        (lambda: block_mask([[1]], 2, 2, block_size=2), MaskError, "^blocks has dtype int64 .* blocks != 0"),
        (
            lambda: block_mask([[True]], 3, 2, block_size=2),
            MaskError,
            r"^blocks has shape \(1, 1\): .* \(2, 1\)",
        ),
        (lambda: block_mask([True], 2, 2, block_size=2), MaskError, r"^blocks has shape \(1,\): .* \(1, 1\)"),
        (lambda: block_mask([[True]], 2, 2, block_size=0), ShapeError, "^block_size is 0"),
    ],
)
def test_what_has_no_meaning_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()
