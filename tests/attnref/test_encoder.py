"""A whole block: both orders of the norm against loops, and what stacking blocks may not change."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    AttnRefError,
    BlockParameters,
    DtypeError,
    MaskError,
    ShapeError,
    TransformerBlock,
    feed_forward,
    gelu,
    layer_norm,
    transformer_block,
)
from tests.attnref import loops
from tests.attnref.tolerance import assert_close

BATCH, L, D_MODEL, D_HIDDEN, N_HEADS, N_KV_HEADS, D_K, D_V = 2, 5, 7, 17, 6, 2, 3, 11
HEADS = {"n_heads": N_HEADS, "n_kv_heads": N_KV_HEADS}
seeds = st.integers(0, 2**32 - 1)


def gelu_of(x: float) -> float:
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def block(seed=0, *, vectors=True):
    rng = np.random.default_rng(seed)
    shapes = {
        "W_Q": (D_MODEL, N_HEADS * D_K),
        "W_K": (D_MODEL, N_KV_HEADS * D_K),
        "W_V": (D_MODEL, N_KV_HEADS * D_V),
        "W_O": (N_HEADS * D_V, D_MODEL),
        "W_in": (D_MODEL, D_HIDDEN),
        "W_out": (D_HIDDEN, D_MODEL),
    }
    if vectors:
        shapes |= {f"b_{name[2:]}": shape[1:] for name, shape in shapes.items()}
        shapes |= {f"{what}_{part}": (D_MODEL,) for what in ("gain", "shift") for part in ("heads", "feed")}
    return rng.normal(size=(BATCH, L, D_MODEL)), {
        name: rng.normal(size=shape) for name, shape in shapes.items()
    }


@pytest.mark.parametrize("order", ["post", "pre"])
@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize("bend", [(None, None), (gelu, gelu_of)])
@pytest.mark.parametrize("options", [{}, {"causal": True, "scale": 0.3, "softcap": 2.0}, {"window": (1, 1)}])
def test_a_block_equals_the_loops(order, vectors, bend, options):
    X, p = block(vectors=vectors)
    result = transformer_block(
        X, BlockParameters(**p), **HEADS, order=order, activation=bend[0], eps=0.01, **options
    )
    assert isinstance(result, TransformerBlock)
    assert result.attention.weights.shape == (BATCH, N_HEADS, L, L)
    lists = {name: array.tolist() for name, array in p.items()}
    for b in range(BATCH):
        expected = loops.block(
            X[b].tolist(), lists, **HEADS, order=order, activation=bend[1], eps=0.01, **options
        )
        assert_close(result.output[b], expected)


def test_mask_and_bias_reach_the_heads():
    X, p = block()
    mask = np.random.default_rng(1).random((L, L)) < 0.6
    bias = np.random.default_rng(2).normal(size=(L, L))
    lists = {name: array.tolist() for name, array in p.items()}
    output = transformer_block(X, BlockParameters(**p), **HEADS, mask=mask, bias=bias).output
    expected = loops.block(
        X[1].tolist(), lists, **HEADS, order="post", mask=mask.tolist(), bias=bias.tolist()
    )
    assert_close(output[1], expected)


def test_a_small_network_by_hand():
    """Relu of one minus three is zero, of one plus two is three; then twice three, and one."""
    assert_close(feed_forward([[1]], [[1, 1]], [[5], [2]], b_in=[-3, 2], b_out=[1]), [[7]])


def test_gelu_by_hand():
    """The normal distribution has 0.8413 of itself below one."""
    assert_close(gelu([-1, 0, 1, 30]), [-0.1587, 0, 0.8413, 30], tol=5e-5)
    assert gelu(np.ones((3, 0))).shape == (3, 0)
    assert gelu(np.float16([1])).dtype == np.float32


@given(seeds)
def test_post_norm_tokens_leave_with_a_mean_of_zero_and_a_variance_of_one(seed):
    X, p = block(seed, vectors=False)
    output = transformer_block(X, BlockParameters(**p), **HEADS, eps=1e-12).output
    assert_close(output.mean(axis=-1), np.zeros((BATCH, L)), tol=1e-12)
    assert_close(output.var(axis=-1), np.ones((BATCH, L)), tol=1e-8)


@given(seeds)
def test_a_block_that_adds_nothing_leaves_pre_norm_tokens_as_they_were(seed):
    X, p = block(seed, vectors=False)
    p["W_O"], p["W_out"] = 0 * p["W_O"], 0 * p["W_out"]
    assert_close(transformer_block(X, BlockParameters(**p), **HEADS, order="pre").output, X)
    twice = layer_norm(layer_norm(X))
    assert_close(transformer_block(X, BlockParameters(**p), **HEADS, order="post").output, twice)


@given(seeds, st.sampled_from(["post", "pre"]))
def test_the_order_of_the_tokens_makes_no_difference_without_positions(seed, order):
    X, p = block(seed)
    shuffle = np.random.default_rng(seed).permutation(L)
    output = transformer_block(X, BlockParameters(**p), **HEADS, order=order).output
    shuffled = transformer_block(X[:, shuffle], BlockParameters(**p), **HEADS, order=order).output
    assert_close(shuffled, output[:, shuffle], tol=1e-10)


@given(seeds, st.sampled_from(["post", "pre"]))
def test_causal_output_ignores_future_tokens_through_several_blocks(seed, order):
    X, p = block(seed)

    def stacked(tokens):
        for _ in range(3):
            tokens = transformer_block(tokens, BlockParameters(**p), **HEADS, order=order, causal=True).output
        return tokens

    before = stacked(X)[:, :3]
    X = X.copy()
    X[:, 3:] = 100
    assert_close(stacked(X)[:, :3], before)


def test_the_dtype_is_the_widest_given_and_at_least_float32():
    X, p = block()
    small = {name: array.astype(np.float16) for name, array in p.items()}
    result = transformer_block(X.astype(np.float16), BlockParameters(**small), **HEADS)
    assert result.output.dtype == result.attention.weights.dtype == np.float32
    wide = transformer_block(
        X.astype(np.float32), BlockParameters(**{**small, "shift_feed": p["shift_feed"]}), **HEADS
    )
    assert wide.output.dtype == wide.attention.weights.dtype == np.float64


def test_the_inputs_are_not_changed():
    X, p = block()
    before = X.copy()
    for array in (X, *p.values()):
        array.setflags(write=False)
    transformer_block(X, BlockParameters(**p), **HEADS)
    assert_close(X, before)


@pytest.mark.parametrize(
    ("changes", "options", "error", "words"),
    [
        (
            {"W_O": np.ones((66, 5))},
            {},
            ShapeError,
            r"^W_O has shape \(66, 5\): its last axis must be as long as that of X",
        ),
        (
            {"W_out": np.ones((17, 5))},
            {},
            ShapeError,
            r"^W_out has shape \(17, 5\): .* Give it d_model columns",
        ),
        (
            {"W_in": np.ones((5, 17))},
            {},
            ShapeError,
            r"^W_in has shape \(5, 17\): .* d_in of 7, the last axis of X",
        ),
        (
            {"W_out": np.ones((13, 7))},
            {},
            ShapeError,
            r"^W_out has shape \(13, 7\): .* 17, the columns of W_in",
        ),
        (
            {"b_in": np.ones(7)},
            {},
            ShapeError,
            r"^b_in has shape \(7,\): .* one number for each column of W_in",
        ),
        (
            {"gain_feed": np.ones(5)},
            {},
            ShapeError,
            r"^gain_feed has shape \(5,\): it must have shape \(7,\)",
        ),
        ({"W_in": np.ones((7, 17), bool)}, {}, DtypeError, r"^W_in has dtype bool"),
        ({}, {"order": "both"}, AttnRefError, r"^order is 'both': .* Write 'post' or 'pre'"),
        ({}, {"mask": np.ones((5, 5))}, MaskError, r"^mask has dtype float64"),
        ({}, {"n_heads": 4}, ShapeError, r"^W_Q has shape \(7, 18\): its last axis must be a multiple"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(changes, options, error, words):
    X, p = block()
    with pytest.raises(error, match=words):
        transformer_block(X, BlockParameters(**{**p, **changes}), **{**HEADS, **options})
