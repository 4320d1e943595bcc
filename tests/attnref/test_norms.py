"""Norms: by hand, against loops, and by what they make equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    AttnRefError,
    DtypeError,
    NormedHeads,
    ShapeError,
    attention,
    layer_norm,
    qk_norm,
    rms_norm,
    split_heads,
)
from tests.attnref import loops
from tests.attnref.tolerance import assert_close

seeds = st.integers(0, 2**32 - 1)


def tokens(seed=0):
    rng = np.random.default_rng(seed)
    return 3 + 2 * rng.normal(size=(2, 5, 7)), rng.normal(size=7), rng.normal(size=7)


def test_two_numbers_lie_equally_far_from_their_mean():
    assert_close(layer_norm([[3, 7], [100, 0]]), [[-1, 1], [1, -1]], tol=1e-5)


def test_the_root_mean_square_becomes_one():
    assert_close(rms_norm([3, 4]), [0.8485, 1.1314], tol=5e-5)
    assert_close(rms_norm([[3], [-4]]), [[1], [-1]], tol=1e-6)


@pytest.mark.parametrize("with_gain", [False, True])
@pytest.mark.parametrize("with_shift", [False, True])
@pytest.mark.parametrize("eps", [1e-6, 0.5])
def test_norms_equal_the_loops(with_gain, with_shift, eps):
    X, gain, shift = tokens()
    g, s = gain if with_gain else None, shift if with_shift else None
    lists = [None if x is None else x.tolist() for x in (g, s)]
    for place in np.ndindex(X.shape[:-1]):
        x = X[place].tolist()
        assert_close(layer_norm(X, g, s, eps=eps)[place], loops.layer_normed(x, *lists, eps=eps))
        assert_close(rms_norm(X, g, eps=eps)[place], loops.rms_normed(x, lists[0], eps=eps))


@given(seeds)
def test_size_and_shift_of_a_token_make_no_difference(seed):
    X = tokens(seed)[0]
    assert_close(layer_norm(5 * X + 11, eps=1e-12), layer_norm(X, eps=1e-12), tol=1e-8)
    assert_close(rms_norm(5 * X, eps=1e-12), rms_norm(X, eps=1e-12), tol=1e-8)


@given(seeds)
def test_mean_variance_and_mean_square_are_as_promised(seed):
    X = tokens(seed)[0]
    assert_close(layer_norm(X, eps=1e-12).mean(axis=-1), np.zeros((2, 5)))
    assert_close(layer_norm(X, eps=1e-12).var(axis=-1), np.ones((2, 5)), tol=1e-8)
    assert_close((rms_norm(X, eps=1e-12) ** 2).mean(axis=-1), np.ones((2, 5)), tol=1e-8)


def test_a_token_of_equal_numbers_becomes_zero_and_not_nan():
    assert_close(layer_norm([[5.0, 5, 5]]), [[0, 0, 0]])
    assert_close(rms_norm([[0.0, 0]]), [[0, 0]])


def test_queries_and_keys_are_normed_per_head_and_not_together():
    """Two heads of width one: each keeps its sign alone; together they would be 0.8485 and 1.1314."""
    Q = split_heads([[3, 4]], n_heads=2)
    normed = qk_norm(Q, Q)
    assert isinstance(normed, NormedHeads)
    assert_close(normed.Q, [[[1]], [[1]]], tol=1e-6)
    assert_close(normed.K, [[[1]], [[1]]], tol=1e-6)


@given(seeds, st.floats(1, 1e6))
def test_normed_scores_are_bounded_whatever_the_length(seed, size):
    X = size * tokens(seed)[0]
    Q, K = qk_norm(X, X)
    assert np.abs(attention(Q, K, X).scores).max() <= np.sqrt(7) + 1e-9


def test_each_gain_goes_to_its_own():
    X, gain_Q, gain_K = tokens()
    Q, K = qk_norm(X, X[:1], gain_Q, gain_K, eps=0.1)
    assert_close(Q, rms_norm(X, gain_Q, eps=0.1))
    assert_close(K, rms_norm(X[:1], gain_K, eps=0.1))


def test_the_dtype_is_the_widest_given_and_at_least_float32():
    X, gain, shift = tokens()
    half = X.astype(np.float16)
    assert layer_norm(half).dtype == rms_norm(half).dtype == np.float32
    assert layer_norm(half, shift=shift).dtype == rms_norm(half, gain).dtype == np.float64
    assert_close(rms_norm(np.full((1, 4), 60000, np.float16)), np.ones((1, 4), np.float32))


def test_the_inputs_are_not_changed():
    X, gain, shift = tokens()
    before = X.copy()
    X.setflags(write=False)
    layer_norm(X, gain, shift), rms_norm(X, gain)
    assert_close(X, before)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda X: layer_norm(X, np.ones(5)),
            ShapeError,
            r"^gain has shape \(5,\): it must have shape \(7,\)",
        ),
        (
            lambda X: layer_norm(X, shift=np.ones((1, 7))),
            ShapeError,
            r"^shift has shape \(1, 7\): it must have",
        ),
        (lambda X: rms_norm(X, np.ones((5, 7))), ShapeError, r"^gain has shape \(5, 7\)"),
        (
            lambda X: rms_norm(X[..., :0]),
            ShapeError,
            r"^X has shape \(2, 5, 0\): its last axis holds the numbers",
        ),
        (lambda X: layer_norm(3.0), ShapeError, r"^X has shape \(\)"),
        (
            lambda X: layer_norm(X, eps=0),
            AttnRefError,
            "^eps is 0: it must be one finite number greater than zero",
        ),
        (lambda X: rms_norm(X > 0), DtypeError, "^X has dtype bool"),
    ],
)
def test_what_cannot_be_normed_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call(tokens()[0])
