"""Token by token with a cache, and the whole text at once: the same outputs, however the text is cut."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    CachedAttention,
    DtypeError,
    KVCache,
    MaskError,
    ShapeError,
    alibi_bias,
    attention,
    cached_attention,
    extend_cache,
    padding_mask,
    rotary,
    trim_cache,
)
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L, D_K, D_V = 2, 3, 11, 6, 5
seeds = st.integers(0, 2**32 - 1)
cuts = st.lists(st.integers(0, L), max_size=5)
TOL = 1e-12


def arrays(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(BATCH, HEADS, L, d)) for d in (D_K, D_K, D_V)]


def pieces(places):
    return [slice(*pair) for pair in itertools.pairwise([0, *sorted(places), L])]


@given(seeds, cuts)
def test_any_parts_of_a_text_equal_the_whole(seed, places):
    Q, K, V = arrays(seed)
    cache, outputs = None, []
    for part in pieces(places):
        result = cached_attention(
            Q[..., part, :], K[..., part, :], V[..., part, :], cache, scale=0.3, softcap=2
        )
        assert isinstance(result, CachedAttention)
        cache, outputs = result.cache, [*outputs, result.output]
    whole = attention(Q, K, V, causal=True, scale=0.3, softcap=2).output
    assert_close(np.concatenate(outputs, axis=-2), whole, tol=TOL)
    assert cache.seen == L
    assert_close(cache.K, K)
    assert_close(cache.V, V)


@given(seeds, cuts)
def test_rotated_keys_go_in_once_and_stand_where_they_stood(seed, places):
    Q, K, V = arrays(seed)
    cache, outputs = None, []
    for part in pieces(places):
        seen = 0 if cache is None else cache.seen
        q, k = (rotary(x[..., part, :], offset=seen) for x in (Q, K))
        output, _, _, cache = cached_attention(q, k, V[..., part, :], cache)
        outputs.append(output)
    whole = attention(rotary(Q), rotary(K), V, causal=True).output
    assert_close(np.concatenate(outputs, axis=-2), whole, tol=TOL)


@given(seeds, cuts)
def test_penalties_of_distance_count_the_cached_keys(seed, places):
    Q, K, V = arrays(seed)
    cache, outputs = None, []
    for part in pieces(places):
        bias = alibi_bias(HEADS, part.stop - part.start, part.stop)
        output, _, _, cache = cached_attention(
            Q[..., part, :], K[..., part, :], V[..., part, :], cache, bias=bias
        )
        outputs.append(output)
    whole = attention(Q, K, V, causal=True, bias=alibi_bias(HEADS, L)).output
    assert_close(np.concatenate(outputs, axis=-2), whole, tol=TOL)


@given(seeds, cuts, st.integers(0, 4))
def test_with_a_window_the_cache_need_not_be_longer_than_it(seed, places, left):
    Q, K, V = arrays(seed)
    cache, outputs = None, []
    for part in pieces(places):
        q, k = (rotary(x[..., part, :], offset=0 if cache is None else cache.seen) for x in (Q, K))
        output, _, _, cache = cached_attention(q, k, V[..., part, :], cache, window=(left, 0))
        cache = trim_cache(cache, keep=left)
        assert cache.K.shape[-2] == cache.V.shape[-2] <= left
        outputs.append(output)
    whole = attention(rotary(Q), rotary(K), V, causal=True, window=(left, 0)).output
    assert_close(np.concatenate(outputs, axis=-2), whole, tol=TOL)
    assert cache.seen == L


def test_a_mask_lies_on_the_cached_keys_first():
    Q, K, V = arrays()
    mask = ~padding_mask(
        np.array([[3], [0]]), L
    )  # the first sequence is padded on its left, the second is not
    whole = attention(Q, K, V, causal=True, mask=mask).output
    first = cached_attention(Q[..., :7, :], K[..., :7, :], V[..., :7, :], mask=mask[..., :7])
    second = cached_attention(Q[..., 7:, :], K[..., 7:, :], V[..., 7:, :], first.cache, mask=mask)
    assert_close(np.concatenate([first.output, second.output], axis=-2), whole, tol=TOL)
    assert second.weights.shape == second.scores.shape == (BATCH, HEADS, L - 7, L)


def test_a_cache_is_not_changed_by_going_on_from_it():
    Q, K, V = arrays()
    start = extend_cache(None, K[..., :5, :], V[..., :5, :])
    kept = [array.copy() for array in start[:2]]
    once = cached_attention(Q[..., 5:6, :], K[..., 5:6, :], V[..., 5:6, :], start)
    other = cached_attention(Q[..., 7:8, :], K[..., 7:8, :], V[..., 7:8, :], start)
    again = cached_attention(Q[..., 5:6, :], K[..., 5:6, :], V[..., 5:6, :], start)
    assert_close(again.output, once.output)
    assert np.abs(other.output - once.output).max() > 1e-3
    assert_close(start.K, kept[0])
    assert_close(start.V, kept[1])
    assert not np.shares_memory(start.K, K)


def test_trimming_keeps_the_end_and_the_count():
    cache = extend_cache(None, *arrays()[1:])
    assert_close(trim_cache(cache, 3).K, cache.K[..., -3:, :])
    assert trim_cache(cache, 3).seen == L
    assert trim_cache(cache, 0).V.shape == (BATCH, HEADS, 0, D_V)
    assert_close(trim_cache(cache, 100).V, cache.V)
    assert extend_cache(trim_cache(cache, 3), *arrays()[1:]).seen == 2 * L


def test_the_dtype_is_the_widest_given_and_at_least_float32():
    half = [array.astype(np.float16) for array in arrays()]
    cache = extend_cache(None, *half[1:])
    assert cache.K.dtype == cache.V.dtype == np.float32
    assert cached_attention(*half, cache).output.dtype == np.float32
    assert cached_attention(*arrays(), cache).cache.K.dtype == np.float64


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda cache, Q, K, V: extend_cache(cache, K[:1], V[:1]),
            ShapeError,
            r"^K has shape \(1, 3, 11, 6\): it must be like the cached one, shape \(2, 3, 11, 6\), in all",
        ),
        (
            lambda cache, Q, K, V: extend_cache(cache, K, V[..., :3]),
            ShapeError,
            r"^V has shape \(2, 3, 11, 3\): it must",
        ),
        (
            lambda cache, Q, K, V: extend_cache(None, K, V[..., :3, :]),
            ShapeError,
            r"^V has shape .* one row for each key",
        ),
        (
            lambda cache, Q, K, V: extend_cache(None, K[0, 0, 0], V),
            ShapeError,
            r"^K has shape \(6,\): .* \(\.\.\., L, d_k\)",
        ),
        (lambda cache, Q, K, V: extend_cache(None, K > 0, V), DtypeError, r"^K has dtype bool"),
        (lambda cache, Q, K, V: trim_cache(cache, -1), ShapeError, r"^keep is -1: it is a length"),
        (
            lambda cache, Q, K, V: cached_attention(Q, K, V, cache, mask=np.ones((11, 11), bool)),
            MaskError,
            r"^mask has shape \(11, 11\): it must broadcast to the scores, shape \(2, 3, 11, 22\)",
        ),
        (lambda cache, Q, K, V: extend_cache(KVCache(K, V, None), K, V), ShapeError, r"^cache.seen is None"),
    ],
)
def test_what_does_not_go_on_is_refused_in_words(call, error, words):
    Q, K, V = arrays()
    with pytest.raises(error, match=words):
        call(extend_cache(None, K, V), Q, K, V)
