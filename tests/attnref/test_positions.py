"""Positions: waves, rotations and penalties, by hand, against loops, and by what they are for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    AttnRefError,
    DtypeError,
    ShapeError,
    alibi_bias,
    alibi_slopes,
    attention,
    rotary,
    sinusoidal_positions,
)
from tests.attnref import loops
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L = 2, 3, 5
seeds = st.integers(0, 2**32 - 1)


def tokens(d, seed=0):
    return np.random.default_rng(seed).normal(size=(BATCH, HEADS, L, d))


@pytest.mark.parametrize("d_model", [1, 2, 7, 10])
@pytest.mark.parametrize("offset", [-3, 0, 1000])
@pytest.mark.parametrize("base", [10000.0, 7.0])
def test_waves_equal_the_loop(d_model, offset, base):
    waves = [[loops.wave(p + offset, c, d_model, base) for c in range(d_model)] for p in range(L)]
    assert_close(sinusoidal_positions(L, d_model, offset=offset, base=base), waves, tol=1e-11)


def test_the_first_columns_are_sine_and_cosine_of_the_position():
    assert_close(sinusoidal_positions(3, 6)[:, :2], [[0, 1], [0.8415, 0.5403], [0.9093, -0.4161]], tol=5e-5)


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_step_turns_each_pair_of_waves_the_same_from_anywhere(start, step):
    d_model = 6
    here, there = (sinusoidal_positions(1, d_model, offset=p)[0].reshape(3, 2) for p in (start, start + step))
    angles = step * 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    cos, sin = np.cos(angles), np.sin(angles)
    turned = np.stack([here[:, 0] * cos + here[:, 1] * sin, here[:, 1] * cos - here[:, 0] * sin], axis=-1)
    assert_close(turned, there, tol=1e-12)


def test_waves_of_no_length():
    assert sinusoidal_positions(0, 4).shape == (0, 4)
    assert sinusoidal_positions(4, 0).shape == (4, 0)


@pytest.mark.parametrize(
    ("pairing", "expected"),
    [
        ("interleaved", [-1.1426, 1.9221, 2.9599, 4.0298]),
        ("half_split", [-1.9841, 1.9599, 2.4624, 4.0198]),
    ],
)
def test_one_token_at_position_one(pairing, expected):
    assert_close(rotary([[1, 2, 3, 4]], offset=1, pairing=pairing), [expected], tol=2e-5)
    assert_close(rotary([[1, 2, 3, 4]], positions=[1], pairing=pairing), [expected], tol=2e-5)


def pairs_of(pairing, width):
    if pairing == "interleaved":
        return [(2 * n, 2 * n + 1) for n in range(width // 2)]
    return [(n, n + width // 2) for n in range(width // 2)]


@pytest.mark.parametrize("pairing", ["interleaved", "half_split"])
@pytest.mark.parametrize(("d", "rotated"), [(10, None), (10, 10), (11, 6), (7, 2), (7, 0)])
@pytest.mark.parametrize("offset", [0, 17])
@pytest.mark.parametrize("base", [10000.0, 3.0])
def test_rotations_equal_the_loop(pairing, d, rotated, offset, base):
    X = tokens(d)
    ours = rotary(X, offset=offset, pairing=pairing, rotated=rotated, base=base)
    pairs = pairs_of(pairing, d if rotated is None else rotated)
    for place in np.ndindex(X.shape[:-1]):
        assert_close(ours[place], loops.turned(X[place].tolist(), place[-1] + offset, pairs, base))


def test_the_first_token_and_the_values_beyond_the_rotated_width_stay():
    X = tokens(11)
    turned = rotary(X, rotated=6)
    assert_close(turned[..., 0, :], X[..., 0, :])
    assert_close(turned[..., 6:], X[..., 6:])
    assert np.abs(turned[..., 1:, :6] - X[..., 1:, :6]).max(axis=(0, 1)).min() > 1e-3


@given(seeds, st.sampled_from(["interleaved", "half_split"]), st.integers(-100, 100))
def test_scores_depend_on_the_distance_alone(seed, pairing, shift):
    Q, K = tokens(6, seed), tokens(6, seed + 1)
    here = rotary(Q, pairing=pairing) @ rotary(K, pairing=pairing).mT
    there = rotary(Q, offset=shift, pairing=pairing) @ rotary(K, offset=shift, pairing=pairing).mT
    assert_close(there, here, tol=1e-11)


@given(seeds, st.integers(-50, 50), st.integers(-50, 50))
def test_rotations_add_up_and_keep_lengths(seed, first, second):
    X = tokens(6, seed)
    positions = np.full(L, first)
    twice = rotary(rotary(X, positions=positions), positions=np.full(L, second))
    assert_close(twice, rotary(X, positions=np.full(L, first + second)), tol=1e-12)
    assert_close(np.linalg.norm(rotary(X), axis=-1), np.linalg.norm(X, axis=-1))


@given(seeds)
def test_the_pairings_differ_by_the_order_of_the_columns_alone(seed):
    X = tokens(10, seed)
    order = np.concatenate([np.arange(0, 10, 2), np.arange(1, 10, 2)])  # neighbours, then in halves
    assert_close(rotary(X[..., order], pairing="half_split"), rotary(X)[..., order])


def test_a_token_after_a_cache_stands_where_it_would_in_the_whole():
    X = tokens(6)
    whole = rotary(X)
    for t in range(L):
        assert_close(rotary(X[..., t : t + 1, :], offset=t), whole[..., t : t + 1, :])


def test_each_sequence_may_have_positions_of_its_own():
    """The second sequence has two tokens of padding on its left, so its third token stands at zero."""
    X = tokens(6)
    positions = np.array([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])[:, None]
    turned = rotary(X, positions=positions)
    assert_close(turned[0], rotary(X[0]))
    assert_close(turned[1, :, 2:], rotary(X[1, :, 2:]))
    assert_close(rotary(X, positions=[0.5]), rotary(X, positions=np.full(L, 0.5)))


def test_late_positions_keep_their_precision_in_float32():
    """The second pair is turned by a hundredth of the position, a number that float32 would round."""
    expected = loops.turned([1, 0, 1, 0], 1_000_003, [(0, 1), (2, 3)], 10000.0)
    X = np.float32([[1, 0, 1, 0]])
    assert_close(rotary(X, offset=1_000_003), np.float32([expected]), tol=1e-6)
    assert_close(rotary(X, positions=np.float32([1_000_003])), np.float32([expected]), tol=1e-6)


def test_the_dtype_is_that_of_the_tokens_and_at_least_float32():
    assert rotary(np.ones((3, 4), np.float16)).dtype == np.float32
    assert rotary(np.ones((3, 4), np.float32), positions=np.arange(3.0)).dtype == np.float32
    assert rotary([[1, 2]]).dtype == np.float64


def test_an_offset_is_added_to_narrow_positions_without_rounding():
    X = tokens(6)
    there = rotary(X, positions=np.float32([2**24]), offset=1)  # the next whole number is none of float32's
    assert_close(there, rotary(X, positions=np.full(L, 2**24 + 1)))


def test_float32_tokens_are_turned_in_float32():
    """Rounded as products of float32 are, and not only when they are stored."""
    X = np.random.default_rng(0).normal(size=(L, 2)).astype(np.float32)
    cos, sin = (wave(np.arange(L)).astype(np.float32) for wave in (np.cos, np.sin))
    a, b = X[:, 0], X[:, 1]
    assert_close(rotary(X), np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1), tol=0)


def test_the_tokens_are_not_changed():
    X = tokens(6)
    before = X.copy()
    X.setflags(write=False)
    assert not np.shares_memory(rotary(X, rotated=0), X)
    rotary(X)
    assert_close(X, before)


SLOPES = {
    1: [2**-8],
    2: [2**-4, 2**-8],
    3: [2**-4, 2**-8, 2**-2],
    6: [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125],
    8: [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625],
}


@pytest.mark.parametrize("n_heads", SLOPES)
def test_slopes_by_hand(n_heads):
    assert_close(alibi_slopes(n_heads), SLOPES[n_heads])


@pytest.mark.parametrize("n_heads", range(1, 40))
def test_slopes_of_any_number_of_heads_differ_and_lie_between_zero_and_one(n_heads):
    slopes = alibi_slopes(n_heads)
    assert slopes.shape == (n_heads,)
    assert len(set(slopes.tolist())) == n_heads
    assert slopes.min() == 2**-8
    assert slopes.max() < 1


@pytest.mark.parametrize(("L_q", "L_k"), [(5, 7), (7, 5), (3, None), (0, 3), (3, 0)])
def test_penalties_equal_the_loop(L_q, L_k):
    keys = L_q if L_k is None else L_k
    penalties = [
        [[-slope * abs(j - (i + keys - L_q)) for j in range(keys)] for i in range(L_q)] for slope in SLOPES[3]
    ]
    assert_close(alibi_bias(3, L_q, L_k), np.reshape(penalties, (3, L_q, keys)))


def test_near_keys_are_favoured():
    """Scores of zero and a slope of one: shares in the ratio of powers of e."""
    slope_one = alibi_bias(1, 3)[0] / 2**-8
    weights = attention(np.zeros((3, 1)), np.zeros((3, 1)), np.eye(3), bias=slope_one, causal=True).weights
    assert_close(weights[2], [0.0900, 0.2447, 0.6652], tol=5e-5)


def test_one_query_after_a_cache_is_penalised_as_in_the_whole():
    assert_close(alibi_bias(6, 1, 5), alibi_bias(6, 5)[:, -1:])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: sinusoidal_positions(-1, 4), ShapeError, "^L is -1: it is a length"),
        (lambda: sinusoidal_positions(3, 4, offset=0.5), ShapeError, "^offset is 0.5: it is a whole number"),
        (lambda: sinusoidal_positions(3, 4, base=0), AttnRefError, "^base is 0: .* greater than zero"),
        (lambda: rotary(np.ones(4)), ShapeError, r"^X has shape \(4,\): .* the axes \(\.\.\., L, d\)"),
        (lambda: rotary(np.ones((5, 7))), ShapeError, "^X has a last axis of length 7: .* in pairs"),
        (lambda: rotary(np.ones((5, 7)), rotated=3), ShapeError, "^rotated is 3 of 7: .* even number"),
        (lambda: rotary(np.ones((5, 6)), rotated=8), ShapeError, "^rotated is 8 of 6: .* not above"),
        (lambda: rotary(np.ones((5, 6)), offset=1.5), ShapeError, "^offset is 1.5: .* go into positions"),
        (lambda: rotary(np.ones((2, 5, 6)), positions=[[1] * 5] * 3), ShapeError,
         r"^positions has shape \(3, 5\): it must broadcast to \(2, 5\), one for each token of X"),
        (lambda: rotary(np.ones((5, 6)), positions=[[1] * 5]), ShapeError, r"^positions has shape \(1, 5\)"),
        (lambda: rotary(np.ones((5, 6)), positions=["a"] * 5), DtypeError, "^positions has dtype"),
        (lambda: rotary(np.ones((5, 6)), pairing="half"), AttnRefError, "'interleaved' or 'half_split'"),
        (lambda: alibi_slopes(0), ShapeError, "^n_heads is 0: it is a count"),
        (lambda: alibi_bias(2, -1), ShapeError, "^L_q is -1"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()
