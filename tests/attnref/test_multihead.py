"""Several heads: every choice of heads, context and options against loops that never split an axis."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    MaskError,
    MultiheadAttention,
    ShapeError,
    attention,
    causal_mask,
    multihead_attention,
    padding_mask,
)
from tests.attnref import loops
from tests.attnref.tolerance import assert_close

BATCH, L_Q, L_K, D_MODEL, D_CONTEXT, D_K, D_V, D_OUT = 2, 5, 7, 11, 13, 3, 2, 17
HEADS = [(1, 1), (3, 3), (6, 2), (6, 3), (5, 1)]  # query heads, key and value heads
seeds = st.integers(0, 2**32 - 1)


def matrices(n_heads: int, n_kv_heads: int, *, cross: bool, seed: int = 0):
    rng = np.random.default_rng(seed)
    d_in = D_CONTEXT if cross else D_MODEL
    given = {
        "X": rng.normal(size=(BATCH, L_Q, D_MODEL)),
        "W_Q": rng.normal(size=(D_MODEL, n_heads * D_K)),
        "W_K": rng.normal(size=(d_in, n_kv_heads * D_K)),
        "W_V": rng.normal(size=(d_in, n_kv_heads * D_V)),
        "W_O": rng.normal(size=(n_heads * D_V, D_OUT)),
    }
    if cross:
        given["context"] = rng.normal(size=(BATCH, L_K, D_CONTEXT))
    vectors = {f"b_{name}": rng.normal(size=given[f"W_{name}"].shape[1]) for name in "QKVO"}
    return given, vectors


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), HEADS)
@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("with_vectors", [False, True])
@pytest.mark.parametrize("options", [{}, {"causal": True, "softcap": 2.0}, {"window": (1, 2), "scale": 0.3}])
def test_every_choice_equals_the_loops(n_heads, n_kv_heads, cross, with_vectors, options):
    arrays, vectors = matrices(n_heads, n_kv_heads, cross=cross)
    vectors = vectors if with_vectors else {}
    result = multihead_attention(**arrays, **vectors, n_heads=n_heads, n_kv_heads=n_kv_heads, **options)
    assert isinstance(result, MultiheadAttention)
    lists = {name: array.tolist() for name, array in arrays.items() if name.startswith("W")}
    for b in range(BATCH):
        X = arrays["X"][b].tolist()
        context = arrays["context"][b].tolist() if cross else X
        output, heads = loops.multihead(
            X, context, **lists, n_heads=n_heads, n_kv_heads=n_kv_heads,
            **{name: v.tolist() for name, v in vectors.items()}, **options,
        )  # fmt: skip
        assert_close(result.output[b], output)
        assert_close(result.weights[b], [head.weights for head in heads])
        assert_close(result.scores[b], [head.scores for head in heads])
        assert_close(result.heads[b], [head.output for head in heads])


def test_mask_and_bias_of_each_head_and_sequence_equal_the_loops():
    arrays, _ = matrices(6, 2, cross=True)
    rng = np.random.default_rng(1)
    mask = rng.random((BATCH, 6, L_Q, L_K)) < 0.6
    bias = rng.normal(size=(6, L_Q, 1)) * np.arange(L_K)
    result = multihead_attention(**arrays, n_heads=6, n_kv_heads=2, mask=mask, bias=bias)
    for b, h in itertools.product(range(BATCH), range(6)):
        lists = [arrays[name].tolist() for name in ("W_Q", "W_K", "W_V", "W_O")]
        heads = loops.multihead(
            arrays["X"][b].tolist(), arrays["context"][b].tolist(), *lists,
            n_heads=6, n_kv_heads=2, mask=mask[b, h].tolist(), bias=bias[h].tolist(),
        )[1]  # fmt: skip
        assert_close(result.heads[b, h], heads[h].output)


def test_query_heads_share_key_heads_in_blocks():
    """Four query heads, two value heads that hold zero and one: 0, 0, 1, 1 and not 0, 1, 0, 1."""
    X = np.ones((3, 1))
    heads = multihead_attention(
        X, np.zeros((1, 4)), np.zeros((1, 2)), [[0, 1]], np.eye(4), n_heads=4, n_kv_heads=2
    ).output
    assert_close(heads, [[0, 0, 1, 1]] * 3)


@given(seeds)
def test_one_head_with_identities_around_it_is_attention(seed):
    X = np.random.default_rng(seed).normal(size=(BATCH, L_Q, D_MODEL))
    same = np.eye(D_MODEL)
    ours = multihead_attention(X, same, same, same, same, n_heads=1, causal=True)
    alone = attention(X, X, X, causal=True)
    assert_close(ours.output, alone.output)
    assert_close(ours.weights[:, 0], alone.weights)


@given(seeds, st.sampled_from(HEADS))
def test_the_heads_do_not_touch(seed, heads):
    arrays, _ = matrices(*heads, cross=True, seed=seed)
    before = multihead_attention(**arrays, n_heads=heads[0], n_kv_heads=heads[1]).heads
    arrays["W_Q"] = arrays["W_Q"].copy()
    arrays["W_Q"][:, :D_K] += 1
    after = multihead_attention(**arrays, n_heads=heads[0], n_kv_heads=heads[1]).heads
    assert_close(after[:, 1:], before[:, 1:])
    assert np.abs(after[:, 0] - before[:, 0]).max() > 1e-6


@given(seeds)
def test_the_order_of_the_heads_makes_no_difference_to_the_output(seed):
    arrays, _ = matrices(3, 3, cross=False, seed=seed)
    order = np.random.default_rng(seed).permutation(3)
    shuffled = dict(arrays)
    for name, width in (("W_Q", D_K), ("W_K", D_K), ("W_V", D_V)):
        shuffled[name] = arrays[name].reshape(-1, 3, width)[:, order].reshape(arrays[name].shape)
    shuffled["W_O"] = arrays["W_O"].reshape(3, D_V, D_OUT)[order].reshape(arrays["W_O"].shape)
    ours, theirs = multihead_attention(**arrays, n_heads=3), multihead_attention(**shuffled, n_heads=3)
    assert_close(theirs.output, ours.output, tol=1e-10)


def test_the_sum_over_heads_is_the_joined_product():
    arrays, _ = matrices(3, 3, cross=False)
    result = multihead_attention(**arrays, n_heads=3)
    parts = arrays["W_O"].reshape(3, D_V, D_OUT)
    assert_close(result.output, np.einsum("bhlv,hvo->blo", result.heads, parts))


def test_causal_output_ignores_future_tokens():
    arrays, _ = matrices(6, 2, cross=False)
    before = multihead_attention(**arrays, n_heads=6, n_kv_heads=2, causal=True).output
    arrays["X"] = arrays["X"].copy()
    arrays["X"][:, 3:] = 100
    after = multihead_attention(**arrays, n_heads=6, n_kv_heads=2, causal=True).output
    assert_close(after[:, :3], before[:, :3])


def test_an_empty_row_leaves_the_bias_of_the_output_alone():
    arrays, vectors = matrices(3, 3, cross=False)
    mask = causal_mask(L_Q) & (np.arange(L_Q) > 0)
    output = multihead_attention(**arrays, **vectors, n_heads=3, mask=mask).output
    assert_close(output[:, 0], np.broadcast_to(vectors["b_O"], (BATCH, D_OUT)))


def test_a_padding_mask_with_an_axis_for_the_heads_reaches_its_own_sequence():
    arrays, _ = matrices(3, 3, cross=True)
    weights = multihead_attention(**arrays, n_heads=3, mask=padding_mask(np.array([[3], [7]]), L_K)).weights
    assert (weights[0, :, :, 3:] == 0).all()
    assert (weights[1] > 0).all()


def test_the_dtype_is_the_widest_given():
    arrays, vectors = matrices(3, 3, cross=False)
    small = {name: array.astype(np.float16) for name, array in arrays.items()}
    assert {array.dtype for array in multihead_attention(**small, n_heads=3)} == {np.dtype(np.float32)}
    narrow = {name: vector.astype(np.float16) for name, vector in vectors.items()}
    assert {array.dtype for array in multihead_attention(**small, **narrow, n_heads=3)} == {
        np.dtype(np.float32)
    }
    wide = multihead_attention(**small, b_O=vectors["b_O"], n_heads=3)
    assert {array.dtype for array in wide} == {np.dtype(np.float64)}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"W_Q": np.ones((18, 11))},
            ShapeError,
            "W_Q has shape (18, 11): it must be (d_in, d_out) with a d_in of 11, the last axis of X. "
            "If it is stored as (d_out, d_in), pass W_Q.T.",
        ),
        (
            {"W_K": np.ones((11, 7))},
            ShapeError,
            "W_K has shape (11, 7): its last axis must be a multiple of the number of heads, 2. "
            "Give each head equally many numbers.",
        ),
        (
            {"W_K": np.ones((11, 10))},
            ShapeError,
            "W_K gives each head 5 numbers and W_Q gives 3: both are the d_k of one head and must be equal. "
            "Check n_heads and n_kv_heads, or change the width of one matrix.",
        ),
        (
            {"W_O": np.ones((18, 17))},
            ShapeError,
            "W_O has shape (18, 17): it must be (d_in, d_out) with a d_in of 12, n_heads times the d_v of "
            "W_V. If it is stored as (d_out, d_in), pass W_O.T.",
        ),
        (
            {"context": np.ones((2, 7, 13))},
            ShapeError,
            "W_K has shape (11, 6): it must be (d_in, d_out) with a d_in of 13, the last axis of the "
            "context. If it is stored as (d_out, d_in), pass W_K.T.",
        ),
        (
            {"b_V": np.ones(12)},
            ShapeError,
            "b_V has shape (12,): it must have shape (4,), one number for each column of W_V. "
            "Check which arrays it belongs to.",
        ),
        (
            {"n_kv_heads": 4},
            ShapeError,
            "n_heads is 6 and n_kv_heads is 4: each key and value head serves equally many query heads. "
            "Choose an n_kv_heads that divides n_heads.",
        ),
        (
            {"X": np.ones(11)},
            ShapeError,
            "X has shape (11,): it must have at least the axes (..., L_q, d_model). "
            "For a length of one insert an axis, such as X[None].",
        ),
        (
            {"mask": np.ones((2, 5, 5), bool)},
            MaskError,
            "mask has shape (2, 5, 5): it must broadcast to the scores, shape (2, 6, 5, 5), without adding "
            "to their axes. Its last axis is the keys', the one before it the queries'; insert axes of one "
            "for others.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_words(changes, error, message):
    arrays, _ = matrices(6, 2, cross=False)
    with pytest.raises(error) as caught:
        multihead_attention(**{**arrays, "n_heads": 6, "n_kv_heads": 2, **changes})
    assert str(caught.value) == message
