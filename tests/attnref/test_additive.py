"""Scores from a small network and from products without a scale, by hand and against loops."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import DtypeError, MaskError, ShapeError, additive_attention, attention, luong_attention
from tests.attnref import loops
from tests.attnref.tolerance import assert_close

BATCH, L_Q, L_K, D_Q, D_K, D_V, D_HIDDEN = 2, 5, 7, 3, 11, 13, 17
seeds = st.integers(0, 2**32 - 1)


def arrays(seed=0):
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(size=(BATCH, *shape)) for shape in ((L_Q, D_Q), (L_K, D_K), (L_K, D_V)))
    W_Q, W_K, w = (rng.normal(size=shape) for shape in ((D_Q, D_HIDDEN), (D_K, D_HIDDEN), D_HIDDEN))
    return Q, K, V, W_Q, W_K, w


def laid_over(seed=1):
    rng = np.random.default_rng(seed)
    mask = rng.random((BATCH, L_Q, L_K)) < 0.6
    mask[:, 2] = False
    bias = np.where(rng.random((L_Q, L_K)) < 0.2, -np.inf, rng.normal(size=(L_Q, L_K)))
    return mask, bias


def test_the_score_is_a_hyperbolic_tangent_through_both_matrices():
    """w tanh(W q + U k) = 2 tanh(1 + 1); without the vector it would be 0.964."""
    assert_close(additive_attention([[1]], [[1]], [[5]], [[1]], [[1]], [2]).scores, [[1.9281]], tol=5e-5)


def test_shares_by_hand():
    """Keys of zero and of plus infinity's side: 2 tanh(0) = 0 against 2 tanh(20) = 2."""
    result = additive_attention([[0]], [[0], [20]], np.eye(2), [[1]], [[1]], [np.log(3)])
    assert_close(result.weights, [[0.25, 0.75]])


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_additive_equals_the_loops(masked, biased):
    Q, K, V, W_Q, W_K, w = arrays()
    mask, bias = laid_over()
    result = additive_attention(
        Q, K, V, W_Q, W_K, w, mask=mask if masked else None, bias=bias if biased else None
    )
    for b in range(BATCH):
        network = W_Q.tolist(), W_K.tolist(), w.tolist()
        scores = [[loops.additive_score(q, k, *network) for k in K[b].tolist()] for q in Q[b].tolist()]
        options = {"mask": mask[b].tolist() if masked else None, "bias": bias.tolist() if biased else None}
        expected = loops.from_scores(scores, V[b].tolist(), **options)
        assert_close(result.scores[b], scores)
        assert_close(result.weights[b], expected.weights)
        assert_close(result.output[b], expected.output)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_luong_general_equals_the_loops(masked, biased):
    Q, K, V, *_ = arrays()
    W = np.random.default_rng(3).normal(size=(D_Q, D_K))
    mask, bias = laid_over()
    result = luong_attention(Q, K, V, W, mask=mask if masked else None, bias=bias if biased else None)
    for b in range(BATCH):
        scores = [[loops.bilinear_score(q, k, W.tolist()) for k in K[b].tolist()] for q in Q[b].tolist()]
        options = {"mask": mask[b].tolist() if masked else None, "bias": bias.tolist() if biased else None}
        expected = loops.from_scores(scores, V[b].tolist(), **options)
        assert_close(result.scores[b], scores)
        assert_close(result.weights[b], expected.weights)
        assert_close(result.output[b], expected.output)


@given(seeds)
def test_luong_dot_is_attention_with_a_scale_of_one(seed):
    _, K, V, *_ = arrays(seed)
    mask, bias = laid_over(seed)
    Q = np.random.default_rng(seed).normal(size=(BATCH, L_Q, D_K))
    theirs = attention(Q, K, V, scale=1, mask=mask, bias=bias)
    for ours in (
        luong_attention(Q, K, V, mask=mask, bias=bias),
        luong_attention(Q, K, V, np.eye(D_K), mask=mask, bias=bias),
    ):
        for one, other in zip(ours, theirs, strict=True):
            assert_close(one, other)


@given(seeds)
def test_luong_concat_is_the_additive_form(seed):
    """One matrix on query and key side by side is the two matrices of the additive form."""
    Q, K, V, W_Q, W_K, w = arrays(seed)
    W = np.concatenate([W_Q, W_K])
    pairs = np.concatenate(
        [
            np.broadcast_to(Q[:, :, None], (BATCH, L_Q, L_K, D_Q)),
            np.broadcast_to(K[:, None], (BATCH, L_Q, L_K, D_K)),
        ],
        -1,
    )
    assert_close(additive_attention(Q, K, V, W_Q, W_K, w).scores, np.tanh(pairs @ W) @ w)


@given(seeds)
def test_weights_of_a_row_sum_to_one_or_to_zero_where_it_is_empty(seed):
    mask, bias = laid_over(seed)
    sums = (mask & (bias != -np.inf)).any(axis=-1).astype(float)
    Q, K, V, W_Q, W_K, w = arrays(seed)
    assert_close(additive_attention(Q, K, V, W_Q, W_K, w, mask=mask, bias=bias).weights.sum(-1), sums)
    assert_close(luong_attention(Q, K, V, W_Q @ W_K.T, mask=mask, bias=bias).weights.sum(-1), sums)


@given(seeds)
def test_the_order_of_the_keys_makes_no_difference(seed):
    Q, K, V, W_Q, W_K, w = arrays(seed)
    order = np.random.default_rng(seed).permutation(L_K)
    assert_close(
        additive_attention(Q, K[:, order], V[:, order], W_Q, W_K, w).output,
        additive_attention(Q, K, V, W_Q, W_K, w).output,
        tol=1e-11,
    )


@pytest.mark.parametrize("garbage", [np.nan, np.inf])
@pytest.mark.parametrize("option", [{"mask": np.arange(L_K) < 5}, {"bias": [0.0] * 5 + [-np.inf] * 2}])
def test_what_a_masked_key_or_value_holds_never_arrives(garbage, option):
    Q, K, V, W_Q, W_K, w = arrays()

    def outputs():
        return (
            additive_attention(Q, K, V, W_Q, W_K, w, **option).output,
            luong_attention(Q, K, V, W_Q @ W_K.T, **option).output,
        )

    clean = outputs()
    K[:, 5:], V[:, 5:] = garbage, garbage
    with np.errstate(all="raise"):
        soiled = outputs()
    for before, after in zip(clean, soiled, strict=True):
        assert_close(after, before)


def test_leading_axes_broadcast():
    Q, K, V, W_Q, W_K, w = arrays()
    for b, c in itertools.product(range(BATCH), range(BATCH)):
        alone = additive_attention(Q[b], K[c], V[0], W_Q, W_K, w).output
        assert_close(additive_attention(Q[:, None], K, V[0], W_Q, W_K, w).output[b, c], alone)
    assert additive_attention(Q[0], K[0], V, W_Q, W_K, w).weights.shape == (BATCH, L_Q, L_K)
    assert luong_attention(Q[0], K[0], V, W_Q @ W_K.T).weights.shape == (BATCH, L_Q, L_K)


def test_the_dtype_is_the_widest_given_and_at_least_float32():
    half = [array.astype(np.float16) for array in arrays()]
    assert {array.dtype for array in additive_attention(*half)} == {np.dtype(np.float32)}
    assert {array.dtype for array in luong_attention(*half[:3], half[3] @ half[4].T)} == {
        np.dtype(np.float32)
    }
    assert additive_attention(*half[:5], arrays()[5]).output.dtype == np.float64


def test_lengths_of_zero_give_what_is_left():
    Q, K, V, W_Q, W_K, w = arrays()
    assert_close(additive_attention(Q, K[:, :0], V[:, :0], W_Q, W_K, w).output, np.zeros((BATCH, L_Q, D_V)))
    assert additive_attention(Q[:, :0], K, V, W_Q, W_K, w).output.shape == (BATCH, 0, D_V)


@pytest.mark.parametrize(
    ("place", "shape", "message"),
    [
        (
            3,
            (17, 3),
            "W_Q has shape (17, 3): it must be (d_in, d_out) with a d_in of 3, the last axis of Q. "
            "If it is stored as (d_out, d_in), pass W_Q.T.",
        ),
        (
            4,
            (17, 11),
            "W_K has shape (17, 11): it must have shape (11, 17), the widths of K and of the hidden numbers "
            "of W_Q. Pass W_K.T.",
        ),
        (
            5,
            (17, 1),
            "w has shape (17, 1): it must have shape (17,), one number for each column of W_Q. "
            "Check which arrays it belongs to.",
        ),
        (
            2,
            (2, 5, 13),
            "V has shape (2, 5, 13): it must have one row for each key of K, shape (2, 7, 11), since each "
            "key stands for one value. Give K and V the same L_k, the last axis but one.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_words(place, shape, message):
    given_arrays = list(arrays())
    given_arrays[place] = np.ones(shape)
    with pytest.raises(ShapeError) as caught:
        additive_attention(*given_arrays)
    assert str(caught.value) == message


def test_luong_says_what_its_matrix_ties_together():
    Q, K, V, *_ = arrays()
    with pytest.raises(
        ShapeError, match=r"^W has shape \(11, 3\): .* \(3, 11\), the widths of Q and of K. Pass W.T"
    ):
        luong_attention(Q, K, V, np.ones((D_K, D_Q)))
    with pytest.raises(ShapeError, match=r"^K has shape .* as long as that of Q"):
        luong_attention(Q, K, V)
    with pytest.raises(MaskError, match=r"^mask has dtype float64"):
        luong_attention(K, K, V, mask=np.ones((7, 7)))
    with pytest.raises(DtypeError, match=r"^W has dtype bool"):
        luong_attention(Q, K, V, np.ones((D_Q, D_K), bool))
