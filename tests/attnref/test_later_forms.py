"""Differential and latent attention: the loops, and one order of products against the other."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    ShapeError,
    attention,
    differential_attention,
    differential_factor,
    latent_attention,
)
from tests.attnref import loops_forms
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L_Q, L_K, D_K, D_V, D_C, D_ROPE = 2, 3, 5, 7, 11, 13, 17, 19
MASK = np.random.default_rng(5).random((BATCH, 1, L_Q, L_K)) < 0.6
MASK[:, :, 1] = False
BIAS = np.random.default_rng(7).normal(size=(HEADS, L_Q, L_K))
OPTIONS = [{}, {"causal": True, "softcap": 1.3}, {"window": (2, 1), "scale": 0.7}]
seeds = st.integers(0, 2**32 - 1)


def pairs(seed=0):
    rng = np.random.default_rng(seed)
    shapes = (BATCH, HEADS, L_Q, 2 * D_K), (BATCH, HEADS, L_K, 2 * D_K), (BATCH, HEADS, L_K, D_V)
    return [rng.normal(size=shape) for shape in shapes]


def latents(seed=0):
    rng = np.random.default_rng(seed)
    shapes = (
        (BATCH, HEADS, L_Q, D_K), (BATCH, HEADS, L_Q, D_ROPE), (BATCH, L_K, D_C), (BATCH, L_K, D_ROPE),
        (D_C, HEADS * D_K), (D_C, HEADS * D_V),
    )  # fmt: skip
    return [rng.normal(size=shape) / 2 for shape in shapes]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("init", [None, 0.2])
def test_differential_attention_equals_the_loop(options, init):
    Q, K, V = pairs()
    factor, gain = np.float64([0.3, 0.8, 1.1]), np.linspace(1, 2, D_V)
    norm = {} if init is None else {"init": init, "gain": gain}
    ours = differential_attention(Q, K, V, factor, mask=MASK, bias=BIAS, **norm, **options)
    for b, h in itertools.product(range(BATCH), range(HEADS)):
        expected = loops_forms.differential(
            *(x[b, h].tolist() for x in (Q, K, V)), factor[h],
            **({} if init is None else {"init": init, "gain": gain.tolist()}),
            mask=MASK[b, 0].tolist(), bias=BIAS[h].tolist(), **options,
        )  # fmt: skip
        assert_close(ours.output[b, h], expected)
    assert_close(ours.weights, ours.first - factor[:, None, None] * ours.second)


@given(seeds)
def test_without_a_second_share_differential_attention_is_attention(seed):
    Q, K, V = pairs(seed)
    plain = attention(Q[..., :D_K], K[..., :D_K], V)
    ours = differential_attention(Q, K, V, 0.0)
    assert_close(ours.output, plain.output)
    assert_close(ours.first, plain.weights)


@given(seeds, st.floats(0, 2))
def test_the_rows_sum_to_one_less_the_share(seed, factor):
    ours = differential_attention(*pairs(seed), factor)
    assert_close(ours.weights.sum(axis=-1), np.full((BATCH, HEADS, L_Q), 1 - factor))


def test_equal_halves_cancel_out():
    Q, K, V = pairs()
    Q, K = (np.tile(x[..., :D_K], 2) for x in (Q, K))
    assert_close(differential_attention(Q, K, V, 1.0).output, np.zeros((BATCH, HEADS, L_Q, D_V)))


def test_a_bare_number_does_not_widen_the_result():
    assert differential_attention(*(x.astype(np.float32) for x in pairs()), 0.5).output.dtype == np.float32


def test_the_share_follows_from_four_vectors_and_the_layer():
    vectors = [[np.log(3), 0]] * 5, [[1, 7]] * 5, [[0, np.log(2)]] * 5, [[3, 1]] * 5
    factor, init = differential_factor(*vectors, layer=0)
    assert_close(factor, [1.2] * 5)  # three less two, and the fifth that is not learned
    assert_close(init, 0.2)
    assert_close(differential_factor([0], [0], [0], [0], layer=10)[1], 0.8 - 0.6 / np.e**3)


@pytest.mark.parametrize("absorbed", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_latent_attention_equals_the_loop(absorbed, options):
    Q, Q_rope, C, K_rope, W_UK, W_UV = given_arrays = latents()
    ours = latent_attention(*given_arrays, absorbed=absorbed, mask=MASK, **options)
    for b in range(BATCH):
        expected = loops_forms.latent(
            *(x[b].tolist() for x in (Q, Q_rope, C, K_rope)), W_UK.tolist(), W_UV.tolist(),
            n_heads=HEADS, mask=MASK[b, 0].tolist(), **options,
        )  # fmt: skip
        assert_close(ours.output[b], expected, tol=1e-12)


@given(seeds)
def test_absorbed_equals_expanded_in_all_it_returns(seed):
    one, other = (
        latent_attention(*latents(seed), absorbed=absorbed, bias=BIAS) for absorbed in (False, True)
    )
    for ours, theirs in zip(one, other, strict=True):
        assert_close(ours, theirs, tol=1e-12)


@pytest.mark.parametrize("absorbed", [False, True])
def test_the_scale_is_that_of_the_width_before_the_matrices_are_absorbed(absorbed):
    arrays = latents()
    ours = latent_attention(*arrays, absorbed=absorbed)
    explicit = latent_attention(*arrays, absorbed=absorbed, scale=(D_K + D_ROPE) ** -0.5)
    assert_close(ours.output, explicit.output)


@pytest.mark.parametrize("absorbed", [False, True])
def test_what_a_masked_token_holds_never_arrives(absorbed):
    arrays = latents()
    clean = latent_attention(*arrays, absorbed=absorbed, mask=np.arange(L_K) < 5).output
    arrays[2][:, 5:], arrays[3][:, 5:] = np.nan, np.inf
    assert_close(latent_attention(*arrays, absorbed=absorbed, mask=np.arange(L_K) < 5).output, clean)


@given(seeds, st.integers(1, L_K - 1))
def test_no_causal_output_depends_on_what_comes_later(seed, t):
    Q, K, V = pairs(seed)
    changed = [K.copy(), V.copy()]
    for x in changed:
        x[..., t:, :] = np.nan
    seen = np.arange(L_Q) + L_K - L_Q < t
    ours, theirs = (differential_attention(Q, *kv, 0.5, causal=True).output for kv in ((K, V), changed))
    assert_close(ours[..., seen, :], theirs[..., seen, :])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: differential_attention(np.ones((5, 3)), np.ones((7, 4)), np.ones((7, 2)), 0.5),
            "Q has shape (5, 3): its last axis holds two halves of equal width. Project to twice the width of "
            "one map.",
        ),
        (
            lambda: differential_attention(*pairs(), np.ones((3, 1))),
            "factor has shape (3, 1): it must broadcast to (2, 3), the axes of Q, K and V before the last two. "
            "Insert axes of one where they are missing.",
        ),
        (
            lambda: differential_factor([1, 2], [1], [1, 2], [1, 2], layer=0),
            "k_a has shape (1,): it must have shape (2,), that of q_a. Check which arrays it belongs to.",
        ),
        (
            lambda: latent_attention(*latents()[:4], latents()[4].T, latents()[5]),
            "W_UK has shape (33, 17): it must be (d_in, d_out) with a d_in of 17, the last axis of C. If it is "
            "stored as (d_out, d_in), pass W_UK.T.",
        ),
        (
            lambda: latent_attention(*latents()[:3], np.ones((2, 3, 7, 19)), *latents()[4:]),
            "K_rope has shape (2, 3, 7, 19): it must have shape (2, 7, 19), like C but for d_rope, the last axis "
            "of Q_rope. Check which arrays it belongs to.",
        ),
        (
            lambda: latent_attention(
                *latents()[:2], np.ones((3, 7, 17)), np.ones((3, 7, 19)), *latents()[4:]
            ),
            "C has shape (3, 7, 17): its axes before the last two must fit those of Q, shape (2, 3, 5, 11), "
            "before the last three. C has no axis for the heads: they share it.",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_words(call, message):
    with pytest.raises(ShapeError) as caught:
        call()
    assert str(caught.value) == message
