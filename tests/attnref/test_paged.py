"""A cache in blocks: the same as the texts one by one, whatever the order of the blocks and what else they hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    AttnRefError,
    MaskError,
    PagedCache,
    ShapeError,
    attention,
    extend_pages,
    paged_attention,
)
from tests.attnref.tolerance import assert_close

BATCH, HEADS, KV_HEADS, L_Q, BLOCK, MOST, D_K, D_V = 3, 6, 2, 5, 4, 3, 7, 11
LENGTHS = np.array([5, 12, 8])  # a block that is partly full, full ones to the end, full ones and one unused


def some(seed=0, lengths=LENGTHS, garbage=np.nan):
    """Queries, the texts' keys and values each by itself, and a cache that holds them in mixed-up blocks."""
    rng = np.random.default_rng(seed)
    Q = rng.normal(size=(BATCH, HEADS, L_Q, D_K))
    texts = [[rng.normal(size=(KV_HEADS, n, d)) for d in (D_K, D_V)] for n in lengths]
    numbers = rng.permutation(BATCH * MOST + 2)
    table = np.full((BATCH, MOST), 99)  # no block: must not be looked up
    blocks = [np.full((len(numbers), KV_HEADS, BLOCK, d), garbage) for d in (D_K, D_V)]
    for b, text in enumerate(texts):
        for n in range(-(-lengths[b] // BLOCK)):
            table[b, n] = numbers[b * MOST + n]
            for block, x in zip(blocks, text, strict=True):
                part = x[:, n * BLOCK : (n + 1) * BLOCK]
                block[table[b, n], :, : part.shape[1]] = part
    return Q, texts, PagedCache(*blocks, table, np.array(lengths))


def one_by_one(Q, texts, **options):
    """Each text by itself, each key head repeated for the query heads that it serves."""
    repeated = [[np.repeat(x, HEADS // KV_HEADS, axis=0) for x in text] for text in texts]
    return [attention(q, *text, **options) for q, text in zip(Q, repeated, strict=True)]


@pytest.mark.parametrize("garbage", [np.nan, np.inf, 1e6, 0.0])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"causal": False},
        {"window": (2, 0)},
        {"scale": 0.3, "softcap": 1.1},
        {"causal": False, "window": (1, 2)},
    ],
)
def test_each_text_gets_what_it_would_by_itself(options, garbage):
    Q, texts, cache = some(garbage=garbage)
    with np.errstate(all="raise"):
        ours = paged_attention(Q, cache, **options)
    for b, expected in enumerate(one_by_one(Q, texts, **{"causal": True, **options})):
        assert_close(ours.output[b], expected.output)
        assert_close(ours.weights[b, ..., : LENGTHS[b]], expected.weights)
        assert_close(ours.weights[b, ..., LENGTHS[b] :], np.zeros((HEADS, L_Q, MOST * BLOCK - LENGTHS[b])))


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, BLOCK * MOST), min_size=BATCH, max_size=BATCH))
def test_any_lengths_and_any_order_of_blocks(seed, lengths):
    Q, texts, cache = some(seed, lengths)
    ours = paged_attention(Q, cache)
    for b, expected in enumerate(one_by_one(Q, texts, causal=True)):
        assert_close(ours.output[b], expected.output)


def test_a_mask_and_a_bias_lie_on_the_laid_out_keys():
    Q, texts, cache = some()
    rng = np.random.default_rng(3)
    mask = rng.random((BATCH, 1, L_Q, MOST * BLOCK)) < 0.6
    bias = rng.normal(size=(HEADS, L_Q, MOST * BLOCK))
    ours = paged_attention(Q, cache, mask=mask, bias=bias)
    for b, n in enumerate(LENGTHS):
        [expected] = one_by_one(
            Q[b : b + 1], texts[b : b + 1], causal=True, mask=mask[b, ..., :n], bias=bias[..., :n]
        )
        assert_close(ours.output[b], expected.output)


@given(st.integers(0, 2**32 - 1), st.integers(0, 7), st.integers(0, 5))
def test_writing_in_parts_equals_having_it_all(seed, first, second):
    rng = np.random.default_rng(seed)
    K, V = (rng.normal(size=(BATCH, KV_HEADS, first + second, d)) for d in (D_K, D_V))
    table = rng.permutation(BATCH * MOST).reshape(BATCH, MOST)
    cache = PagedCache(
        *(np.full((BATCH * MOST, KV_HEADS, BLOCK, d), np.nan) for d in (D_K, D_V)),
        table,
        np.zeros(BATCH, int),
    )
    before = cache.K.copy()
    grown = extend_pages(cache, K[..., :first, :], V[..., :first, :])
    grown = extend_pages(grown, K[..., first:, :], V[..., first:, :])
    assert_close(cache.K, before)
    assert grown.lengths.tolist() == [first + second] * BATCH
    Q = rng.normal(size=(BATCH, HEADS, 1, D_K))
    for ours, expected in zip(
        paged_attention(Q, grown).output, one_by_one(Q, zip(K, V, strict=True), causal=True), strict=True
    ):
        assert_close(ours, expected.output)


def test_two_texts_may_read_one_block():
    Q, texts, cache = some(lengths=[8, 8, 8])
    shared = cache._replace(block_table=np.repeat(cache.block_table[:1], BATCH, axis=0))
    for ours, expected in zip(
        paged_attention(Q, shared).output, one_by_one(Q, [texts[0]] * BATCH, causal=True), strict=True
    ):
        assert_close(ours, expected.output)


def changed(**fields):
    return some()[2]._replace(**fields)


NEW = np.ones((BATCH, KV_HEADS, 1, D_K)), np.ones((BATCH, KV_HEADS, 1, D_V))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: paged_attention(some()[0][0], some()[2]),
            ShapeError,
            "Q has shape (6, 5, 7): it must be (3, n_heads, L_q, 7): batch and d_k are the cache's. Split it into "
            "heads; insert a batch axis of one.",
        ),
        (
            lambda: paged_attention(some()[0], changed(lengths=np.array([5, 13, 8]))),
            MaskError,
            "cache.lengths goes from 5 to 13: each must lie between zero and L_k, 12. Pass as L_k the length of "
            "the keys, padding included.",
        ),
        (
            lambda: paged_attention(some()[0], changed(block_table=np.full((3, 3), 11))),
            ShapeError,
            "cache.block_table names blocks from 11 to 11: there are 11, counted from zero. Add blocks, or mend "
            "the table.",
        ),
        (
            lambda: paged_attention(some()[0], changed(block_table=np.zeros(3))),
            ShapeError,
            "cache.block_table has dtype float64 and shape (3,): it holds the numbers of blocks, (batch, "
            "most_blocks). Pass integers.",
        ),
        (
            lambda: extend_pages(some()[2], *NEW),
            MaskError,
            "a text would have 13 tokens: the 3 blocks of its row hold 12. Give the table more blocks.",
        ),
        (
            lambda: extend_pages(changed(block_table=np.full((3, 3), 2), lengths=np.array([5, 5, 5])), *NEW),
            MaskError,
            "two texts would write into block 2: a block that several texts share can be read, but not written. "
            "Copy it for one of them first.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_words(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_key_heads_that_do_not_divide_the_query_heads_are_refused():
    with pytest.raises(AttnRefError, match="n_heads is 5 and n_kv_heads is 2"):
        paged_attention(some()[0][:, :5], some()[2])
