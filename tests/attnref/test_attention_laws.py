"""Laws that attention keeps for any numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnref import attention
from tests.attnref.tolerance import assert_close

lengths = st.integers(1, 7)
seeds = st.integers(0, 2**32 - 1)
TOL = 1e-10  # a law compares two computations with different roundings


def draw(seed: int, L_q: int, L_k: int):
    rng = np.random.default_rng(seed)
    shapes = (2, 3, L_q, 5), (2, 3, L_k, 5), (2, 3, L_k, 11)
    mask = rng.random((2, 1, L_q, L_k)) < 0.7
    return rng, [3 * rng.normal(size=shape) for shape in shapes], mask


@given(seeds, lengths, lengths)
def test_weights_of_a_row_sum_to_one_or_to_zero_where_it_is_empty(seed, L_q, L_k):
    _, (Q, K, V), mask = draw(seed, L_q, L_k)
    weights = attention(Q, K, V, mask=mask).weights
    assert (weights >= 0).all()
    assert_close(weights.sum(axis=-1), np.broadcast_to(mask.any(axis=-1), weights.shape[:-1]).astype(float))


@given(seeds, lengths, lengths)
def test_each_output_lies_between_the_least_and_the_greatest_value(seed, L_q, L_k):
    _, (Q, K, V), _ = draw(seed, L_q, L_k)
    output = attention(Q, K, V).output
    assert (output >= V.min(axis=-2, keepdims=True) - TOL).all()
    assert (output <= V.max(axis=-2, keepdims=True) + TOL).all()


@given(seeds, lengths, lengths, st.integers(-100, 100))
def test_a_bias_that_is_the_same_for_a_whole_row_changes_nothing(seed, L_q, L_k, shift):
    rng, (Q, K, V), mask = draw(seed, L_q, L_k)
    bias = shift * rng.normal(size=(L_q, 1))
    assert_close(
        attention(Q, K, V, mask=mask, bias=bias).output, attention(Q, K, V, mask=mask).output, tol=TOL
    )


@given(seeds, lengths, lengths)
def test_the_order_of_the_keys_makes_no_difference(seed, L_q, L_k):
    rng, (Q, K, V), mask = draw(seed, L_q, L_k)
    order = rng.permutation(L_k)
    shuffled = attention(Q, K[..., order, :], V[..., order, :], mask=mask[..., order])
    assert_close(shuffled.output, attention(Q, K, V, mask=mask).output, tol=TOL)


@given(seeds, lengths, lengths)
def test_each_query_is_answered_by_itself(seed, L_q, L_k):
    rng, (Q, K, V), mask = draw(seed, L_q, L_k)
    order = rng.permutation(L_q)
    shuffled = attention(Q[..., order, :], K, V, mask=mask[..., order, :])
    assert_close(shuffled.output, attention(Q, K, V, mask=mask).output[..., order, :], tol=TOL)


@given(seeds, lengths)
def test_causal_output_ignores_future_tokens(seed, L):
    rng, (Q, K, V), _ = draw(seed, L, L)
    now = int(rng.integers(L))
    before = attention(Q, K, V, causal=True).output[..., : now + 1, :]
    K[..., now + 1 :, :], V[..., now + 1 :, :] = 1e3 * rng.normal(size=(2,))
    assert_close(attention(Q, K, V, causal=True).output[..., : now + 1, :], before, tol=TOL)


@given(seeds, lengths, lengths)
def test_the_sequences_and_heads_of_a_batch_do_not_touch(seed, L_q, L_k):
    rng, (Q, K, V), mask = draw(seed, L_q, L_k)
    b, h = int(rng.integers(2)), int(rng.integers(3))
    alone = attention(Q[b, h], K[b, h], V[b, h], mask=mask[b, 0])
    assert_close(attention(Q, K, V, mask=mask).output[b, h], alone.output, tol=TOL)


@given(seeds, lengths, lengths)
def test_the_output_is_linear_in_the_values(seed, L_q, L_k):
    rng, (Q, K, V), mask = draw(seed, L_q, L_k)
    W = rng.normal(size=(11, 7))
    assert_close(attention(Q, K, V @ W, mask=mask).output, attention(Q, K, V, mask=mask).output @ W, tol=TOL)


@given(seeds, lengths, lengths)
def test_minus_infinity_in_the_bias_is_the_same_as_a_mask(seed, L_q, L_k):
    _, (Q, K, V), mask = draw(seed, L_q, L_k)
    by_bias = attention(Q, K, V, bias=np.where(mask, 0.0, -np.inf))
    assert_close(by_bias.output, attention(Q, K, V, mask=mask).output)
