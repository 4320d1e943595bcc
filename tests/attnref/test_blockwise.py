"""Blocks of keys with a running maximum: the same answer as all keys at once, whatever the blocks."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    AttnRefError,
    BlockwiseAttention,
    DtypeError,
    MaskError,
    ShapeError,
    attention,
    blockwise_attention,
    causal_mask,
    merge,
)
from tests.attnref import loops
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L_Q, L_K, D_K, D_V = 2, 3, 5, 7, 11, 13
BLOCKS = [1, 2, 3, 7, 64]
seeds = st.integers(0, 2**32 - 1)


def arrays(seed=0, L_q=L_Q, L_k=L_K, spread=1.0):
    rng = np.random.default_rng(seed)
    shapes = (BATCH, HEADS, L_q, D_K), (BATCH, HEADS, L_k, D_K), (BATCH, HEADS, L_k, D_V)
    return [spread * rng.normal(size=shape) for shape in shapes]


MASK = np.random.default_rng(5).random((BATCH, 1, L_Q, L_K)) < 0.6
MASK[:, :, 1] = False  # an empty row
MASK[:, :, 2, :4] = False  # a row whose first blocks are masked
BIAS = np.where(np.random.default_rng(7).random((HEADS, L_Q, L_K)) < 0.2, -np.inf, np.linspace(-2, 3, L_K))
CHOICES = {
    "mask": [None, MASK],
    "bias": [None, BIAS],
    "causal": [False, True],
    "window": [None, (2, 1), (0, None), (None, 2)],
    "scale": [None, 1.7],
    "softcap": [None, 1.3],
}


@pytest.mark.parametrize("block_size", BLOCKS)
def test_every_combination_of_options_equals_the_definition(block_size):
    Q, K, V = arrays()
    for values in itertools.product(*CHOICES.values()):
        options = dict(zip(CHOICES, values, strict=True))
        result = blockwise_attention(Q, K, V, block_size=block_size, **options)
        assert isinstance(result, BlockwiseAttention)
        assert_close(result.output, attention(Q, K, V, **options).output)


@pytest.mark.parametrize("block_size", BLOCKS)
@pytest.mark.parametrize("options", [{}, {"causal": True, "softcap": 1.3}, {"window": (0, 1), "scale": 1.7}])
def test_output_and_log_normalizer_equal_the_loops(block_size, options):
    Q, K, V = arrays()
    result = blockwise_attention(Q, K, V, block_size=block_size, mask=MASK, bias=BIAS, **options)
    for b, h in itertools.product(range(BATCH), range(HEADS)):
        lists = [array[b, h].tolist() for array in (Q, K, V)]
        expected = loops.attention(*lists, mask=MASK[b, 0].tolist(), bias=BIAS[h].tolist(), **options)
        assert_close(result.output[b, h], expected.output)
        assert_close(result.log_normalizer[b, h], expected.log_normalizers)


def one_query(scores, block_size, dtype=np.float32):
    """The weights of one query with these scores, seen a block at a time."""
    keys = np.asarray(scores, dtype)[:, None]
    return blockwise_attention(
        np.ones((1, 1), dtype), keys, np.eye(len(scores), dtype=dtype), block_size=block_size
    )


@pytest.mark.parametrize(
    "scores",
    [[-60000.0, -60001.0], [0.0, -1.0], [60000.0, 59999.0], [-3e38, -3e38], [100.0, -100.0], [-200.0, 3e38]],
)
def test_very_low_and_very_high_scores_keep_their_distance(scores):
    assert_close(one_query(scores, 1).output, [loops.softmax_row(np.float32(scores).tolist())], tol=1e-6)


@pytest.mark.parametrize("low", [0.0, -200.0, -60000.0])
def test_a_first_block_that_is_masked_leaves_the_maximum_open(low):
    result = blockwise_attention(
        np.ones((1, 1), np.float32),
        np.float32([[0], [0], [low], [low - 1]]),
        np.eye(4, dtype=np.float32),
        mask=np.arange(4) > 1,
        block_size=2,
    )
    assert_close(result.output, np.float32([[0, 0, 0.7310586, 0.26894143]]))


def test_an_empty_row_has_no_output_and_a_normalizer_of_zero():
    result = blockwise_attention(*arrays(), mask=MASK, block_size=3)
    assert_close(result.output[:, :, 1], np.zeros((BATCH, HEADS, D_V)))
    assert (result.log_normalizer[:, :, 1] == -np.inf).all()


def test_the_normalizer_counts_equal_keys():
    result = blockwise_attention(np.zeros((3, 1)), np.zeros((5, 1)), np.ones((5, 1)), block_size=2)
    assert_close(np.exp(result.log_normalizer), [5, 5, 5])


@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("options", [{"mask": np.arange(7) < 5}, {"bias": [0] * 5 + [-np.inf] * 2}])
def test_what_a_masked_key_or_value_holds_never_arrives(garbage, options):
    Q, K, V = arrays()
    clean = blockwise_attention(Q, K, V, **options)
    K[..., 5:, :], V[..., 5:, :] = garbage, garbage
    for block_size in BLOCKS:
        assert_close(blockwise_attention(Q, K, V, block_size=block_size, **options).output, clean.output)


@pytest.mark.parametrize("block_size", BLOCKS)
def test_what_an_allowed_value_holds_does_arrive(block_size):
    Q, K, V = arrays()
    V[0, 0, 3, 0], V[0, 1, 5, 0], V[1, 2, 0, 0] = np.nan, np.inf, -np.inf
    assert_close(
        blockwise_attention(Q, K, V, block_size=block_size).output,
        attention(Q, K, V).output,
    )


@pytest.mark.parametrize(("L_q", "L_k"), [(0, 7), (5, 0), (0, 0)])
def test_lengths_of_zero_give_what_is_left(L_q, L_k):
    result = blockwise_attention(*arrays(L_q=L_q, L_k=L_k), causal=True, block_size=3)
    assert_close(result.output, np.zeros((BATCH, HEADS, L_q, D_V)))
    assert_close(result.log_normalizer, np.full((BATCH, HEADS, L_q), -np.inf))


@pytest.mark.parametrize(
    ("given_dtype", "computed"), [("float16", "float32"), ("float32", "float32"), ("int16", "float64")]
)
def test_the_dtype_is_the_widest_given_and_at_least_float32(given_dtype, computed):
    Q, K, V = (array.astype(given_dtype) for array in arrays())
    result = blockwise_attention(Q, K, V, block_size=2)
    assert [array.dtype for array in result] == [computed] * 2
    assert [array.dtype for array in merge(result, result)] == [computed] * 2


def test_the_inputs_are_not_changed():
    given_arrays = arrays()
    before = [array.copy() for array in given_arrays]
    for array in given_arrays:
        array.setflags(write=False)
    with np.errstate(all="raise"):
        blockwise_attention(*given_arrays, mask=MASK, block_size=2)
    for array, kept in zip(given_arrays, before, strict=True):
        assert_close(array, kept)


def test_memory_grows_with_the_block_and_not_with_the_square_of_the_length():
    X = np.random.default_rng(0).normal(size=(1024, 4))

    def peak(form, **options):
        tracemalloc.start()
        form(X, X, X, causal=True, **options)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    square = 8 * len(X) ** 2
    assert peak(blockwise_attention, block_size=16) < square / 8
    assert peak(attention) > square


@given(seeds, st.integers(0, 11), st.integers(1, 5), st.floats(0.01, 30))
def test_the_blocks_make_no_difference(seed, L_k, block_size, spread):
    Q, K, V = arrays(seed, L_k=L_k, spread=spread)
    ours, all_at_once = (blockwise_attention(Q, K, V, block_size=size) for size in (block_size, 64))
    assert_close(ours.output, all_at_once.output, tol=1e-11)
    assert_close(ours.log_normalizer, all_at_once.log_normalizer, tol=1e-11)


@given(seeds, st.lists(st.integers(0, 11), max_size=4))
def test_parts_with_separate_keys_merge_to_the_whole(seed, cuts):
    Q, K, V = arrays(seed, L_k=11)
    mask = causal_mask(L_Q, 11, align="top_left") | (np.random.default_rng(seed).random((L_Q, 11)) < 0.2)
    mask[3] = False
    whole = blockwise_attention(Q, K, V, mask=mask)
    edges = [0, *sorted(cuts), 11]
    pieces = [slice(*pair) for pair in itertools.pairwise(edges)]
    parts = [blockwise_attention(Q, K[..., s, :], V[..., s, :], mask=mask[:, s]) for s in pieces]
    for merged in (
        merge(*parts),
        merge(*parts[::-1]),
        merge(parts[0], merge(*parts[1:])) if parts[1:] else whole,
    ):
        assert_close(merged.output, whole.output, tol=1e-11)
        assert_close(merged.log_normalizer, whole.log_normalizer, tol=1e-11)


def test_merging_weighs_each_part_by_what_it_saw():
    merged = merge(([[3.0]], [np.log(4)]), ([[8.0]], [0.0]))
    assert_close(merged.output, [[4.0]])
    assert_close(merged.log_normalizer, [np.log(5)])


def test_merging_one_part_or_empty_ones_changes_nothing():
    part = blockwise_attention(*arrays())
    nothing = blockwise_attention(*arrays(L_k=0))
    with np.errstate(all="raise"):
        for merged in (merge(part), merge(part, nothing), merge(nothing, part, nothing)):
            assert_close(merged.output, part.output)
            assert_close(merged.log_normalizer, part.log_normalizer)
        assert_close(merge(nothing, nothing).output, nothing.output)


ONE = (np.ones((5, 3)), np.ones(5))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: blockwise_attention(*arrays(), block_size=0),
            ShapeError,
            "block_size is 0: it is a count, an integer of one or more. "
            "Pass a whole number, not a fraction or an array.",
        ),
        (
            lambda: merge(),
            ShapeError,
            "no part is given: merging takes one partial result or more. Pass at least one.",
        ),
        (
            lambda: merge(ONE, attention(*arrays())),
            ShapeError,
            "part 1 holds 3 arrays: a part is a pair of an output and a log-normalizer. "
            "Compute it with blockwise_attention.",
        ),
        (
            lambda: merge(ONE, (np.ones((5, 3)), np.ones((5, 1)))),
            ShapeError,
            "part 1 holds an output of shape (5, 3) and with it (5, 1): a log-normalizer has one number for "
            "each query. Drop its last axis.",
        ),
        (
            lambda: merge(ONE, (np.ones((7, 3)), np.ones(7))),
            ShapeError,
            "part 1 has an output of shape (7, 3) and part 0 one of (5, 3): all parts answer the same "
            "queries. Pass all queries to each part and cut up keys and values only.",
        ),
        (
            lambda: merge((np.ones((5, 3)), np.ones(5, bool))),
            DtypeError,
            "part 0[1] has dtype bool and shape (5,): attnref computes with real numbers, floats or "
            "integers. If it says who may attend, pass it as mask; if not, convert it to float32.",
        ),
    ],
)
def test_what_cannot_be_merged_is_refused_in_words(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"mask": np.ones((5, 7))}, MaskError),
        ({"mask": np.ones((3, 2, 3, 5, 7), bool)}, MaskError),
        ({"bias": np.ones((4, 1, 1))}, ShapeError),
        ({"window": 3}, MaskError),
        ({"causal": 1}, DtypeError),
        ({"softcap": -1}, AttnRefError),
    ],
)
def test_options_are_refused_as_by_the_definition(options, error):
    said = []
    for form in (attention, blockwise_attention):
        with pytest.raises(error) as caught:
            form(*arrays(), **options)
        said.append(str(caught.value))
    assert said[0] == said[1]
