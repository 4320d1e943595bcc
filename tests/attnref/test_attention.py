"""Attention: values derived by hand, then every option against the loop.

With queries of zero every score is zero, so the weights are equal over the keys that may be seen; with the
identity as values the output is the weights. Most values below are read off in this way.
"""

import itertools

import numpy as np
import pytest

from attnref import Attention, attention, causal_mask, padding_mask
from tests.attnref import loops
from tests.attnref.peers import peer
from tests.attnref.tolerance import assert_close

LN3 = np.log(3)
BATCH, HEADS, L_Q, L_K, D_K, D_V = 2, 3, 5, 7, 11, 13


def arrays(seed: int = 0, L_q: int = L_Q, L_k: int = L_K, *, spread: float = 1.0):
    rng = np.random.default_rng(seed)
    shapes = (BATCH, HEADS, L_q, D_K), (BATCH, HEADS, L_k, D_K), (BATCH, HEADS, L_k, D_V)
    return [spread * rng.normal(size=shape) for shape in shapes]


def seen(L_q: int, L_k: int, **options):
    """The output where it is the weights: queries of zero, the identity as values."""
    return attention(np.zeros((L_q, 1)), np.zeros((L_k, 1)), np.eye(L_k), **options).output


def test_default_scale_is_one_over_the_root_of_d_k():
    result = attention([[1, 1, 1, 1]], [[LN3, 0, 0, LN3], [0, 0, 0, 0]], [[1, 0], [0, 1]])
    assert_close(result.scores, [[LN3, 0]])  # dot products 2 ln 3 and 0, divided by 2
    assert_close(result.weights, [[0.75, 0.25]])
    assert_close(result.output, [[0.75, 0.25]])


def test_the_scale_given_replaces_the_default():
    assert_close(attention([[2, 0]], [[LN3, 0], [0, 0]], np.eye(2), scale=0.5).weights, [[0.75, 0.25]])
    assert_close(attention([[2, 0]], [[LN3, 0], [0, 0]], np.eye(2), scale=0).weights, [[0.5, 0.5]])


def test_the_bias_is_added_unscaled():
    assert_close(seen(1, 2, bias=[[LN3, 0]], scale=0.1), [[0.75, 0.25]])


def test_the_softcap_bends_the_scores_before_bias_and_mask():
    result = attention([[4.0]], [[1.0], [0.0]], np.eye(2), scale=1, softcap=1)
    assert_close(result.scores, [[4.0, 0.0]])
    assert_close(result.weights, [[0.7309, 0.2691]], tol=5e-5)
    uncapped_bias = attention([[0.0]], [[1.0], [0.0]], np.eye(2), softcap=1, bias=[[1000, 0]])
    assert_close(uncapped_bias.weights, [[1, 0]])
    assert_close(
        attention([[0.0]], np.zeros((2, 1)), [[0.0], [1.0]], mask=[True, False], softcap=1).output, [[0.0]]
    )


def test_true_in_the_mask_means_may_attend():
    assert_close(seen(1, 4, mask=[[True, False, False, True]]), [[0.5, 0, 0, 0.5]])


def test_masked_keys_lose_even_to_very_low_scores():
    result = attention([[1.0]], [[-1e6], [0.0], [-1e6]], np.eye(3), mask=[True, False, True])
    assert_close(result.weights, [[0.5, 0, 0.5]])


def test_causal_lines_up_the_last_query_with_the_last_key():
    assert_close(seen(2, 4, causal=True), [[1 / 3, 1 / 3, 1 / 3, 0], [1 / 4] * 4])
    assert_close(seen(2, 4, mask=causal_mask(2, 4, align="top_left")), [[1, 0, 0, 0], [0.5, 0.5, 0, 0]])


def test_window_counts_neighbours_beside_the_own_position():
    assert_close(seen(3, 3, window=(1, 0)), [[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]])
    assert_close(seen(2, 4, window=(1, 0)), [[0, 0.5, 0.5, 0], [0, 0, 0.5, 0.5]])
    assert_close(seen(3, 3, window=(0, None)), [[1 / 3] * 3, [0, 0.5, 0.5], [0, 0, 1]])
    assert_close(seen(3, 3, window=(None, None)), np.full((3, 3), 1 / 3))


def test_what_is_given_together_must_allow_together():
    options = {
        "mask": [True, True, False, True],
        "bias": [0, -np.inf, 0, 0],
        "causal": True,
        "window": (2, 2),
    }
    assert_close(seen(4, 4, **options), [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])


@pytest.mark.parametrize(
    "options",
    [
        {"mask": [[True, True, True], [False, False, False]]},
        {"bias": [[0, 0, 0], [-np.inf] * 3]},
        {"mask": [[True] * 3, [True, False, False]], "bias": [[0, 0, 0], [-np.inf, 0, 0]]},
    ],
)
def test_an_empty_row_has_weights_and_output_of_zero(options):
    assert_close(seen(2, 3, **options), [[1 / 3] * 3, [0, 0, 0]])


def test_more_queries_than_keys_leave_the_first_causal_rows_empty():
    assert_close(seen(4, 2, causal=True), [[0, 0], [0, 0], [1, 0], [0.5, 0.5]])


@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "options",
    [
        {"mask": [True, True, False]},
        {"bias": [0, 0, -np.inf]},
        {"bias": [0, 0, -np.inf], "mask": [True] * 3},
        {"causal": True},
        {"window": (2, 0)},
    ],
)
def test_what_a_masked_key_or_value_holds_never_arrives(garbage, options):
    Q, K, V = [array[0, 0] for array in arrays(L_q=3, L_k=3)]
    clean = attention(Q, K, V, **options)
    K[2], V[2] = garbage, garbage
    soiled = attention(Q, K, V, **options)
    assert_close(soiled.weights[:2], clean.weights[:2])
    assert_close(soiled.output[:2], clean.output[:2])


def test_a_value_that_is_not_finite_does_not_change_the_dtype():
    Q, K, V = (array[0, 0].astype(np.float32) for array in arrays())
    V[2] = np.nan
    assert {array.dtype for array in attention(Q, K, V, mask=np.arange(L_K) != 2)} == {np.dtype(np.float32)}


def test_brain_floats_are_computed_in_float32():
    bfloat16 = peer("ml_dtypes").bfloat16
    Q, K, V = (array.astype(bfloat16) for array in arrays())
    assert {array.dtype for array in attention(Q, K, V)} == {np.dtype(np.float32)}


@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf])
def test_what_an_allowed_value_holds_does_arrive(garbage):
    Q, K, V = [array[0, 0] for array in arrays(L_q=3, L_k=3)]
    V[2, 0] = garbage
    output = attention(Q, K, V, causal=True).output
    assert_close(output[2, 0], garbage)
    assert np.isfinite(output[:2]).all()
    assert np.isfinite(output[:, 1:]).all()


def test_what_an_allowed_key_or_query_holds_does_arrive():
    Q, K, V = [array[0, 0] for array in arrays(L_q=3, L_k=3)]
    K[2, 0] = np.nan
    assert np.isnan(attention(Q, K, V, causal=True).output).all(axis=-1).tolist() == [False, False, True]
    Q[0, 0] = np.nan
    assert np.isnan(attention(Q, K, V, causal=True).output).all(axis=-1).tolist() == [True, False, True]


@pytest.mark.parametrize(("L_q", "L_k"), [(0, 7), (5, 0), (0, 0)])
def test_lengths_of_zero_give_what_is_left(L_q, L_k):
    result = attention(*arrays(L_q=L_q, L_k=L_k), causal=True)
    assert result.weights.shape == result.scores.shape == (BATCH, HEADS, L_q, L_k)
    assert_close(result.output, np.zeros((BATCH, HEADS, L_q, D_V)))


def test_values_without_features_and_no_sequences_at_all():
    Q, K, V = arrays()
    assert attention(Q, K, V[..., :0]).output.shape == (BATCH, HEADS, L_Q, 0)
    assert attention(Q[:0], K[:0], V[:0]).output.shape == (0, HEADS, L_Q, D_V)


def test_keys_without_features_are_all_alike_once_a_scale_is_given():
    assert_close(attention(np.ones((3, 0)), np.ones((2, 0)), [[2.0], [6.0]], scale=1).output, [[4.0]] * 3)


def test_lists_and_integers_count_as_float64():
    result = attention([[0, 0]], [[1, 2], [3, 4]], [[2], [6]])
    assert_close(result.output, [[4.0]])
    assert [array.dtype for array in result] == [np.float64] * 3
    assert (
        attention(*(np.ones((1, 1), dtype) for dtype in (np.float32, np.int8, np.float32))).output.dtype
        == np.float64
    )


@pytest.mark.parametrize(
    ("dtypes", "bias", "computed"),
    [
        (("float16", "float16", "float16"), None, "float32"),
        (("float32", "float16", "float32"), None, "float32"),
        (("float32", "float32", "float64"), None, "float64"),
        (("float32", "float32", "float32"), "float64", "float64"),
    ],
)
def test_all_is_computed_in_the_widest_float_and_returned_in_it(dtypes, bias, computed):
    arrays_given = [array.astype(dtype) for array, dtype in zip(arrays(), dtypes, strict=True)]
    given_bias = None if bias is None else np.zeros(L_K, bias)
    result = attention(*arrays_given, bias=given_bias, scale=np.float64(0.5), softcap=np.float64(3))
    assert [array.dtype for array in result] == [computed] * 3


def test_half_precision_scores_of_160000_do_not_overflow():
    Q, K = np.full((1, 4), 200, np.float16), np.float16([[200] * 4, [100] * 4])
    result = attention(Q, K, np.eye(2, dtype=np.float16), scale=1)
    assert_close(result.scores, [[160000, 80000]])
    assert_close(result.output, [[1, 0]])


def test_half_precision_is_rounded_nowhere_inside():
    Q, K, V = (array.astype(np.float16) for array in arrays())
    assert_close(
        attention(Q, K, V).output,
        attention(*(array.astype(np.float64) for array in (Q, K, V))).output,
        tol=1e-6,
    )


def test_leading_axes_broadcast():
    Q, K, V = arrays()
    shared = attention(Q, K[:1], V[0, 1])
    assert shared.weights.shape == (BATCH, HEADS, L_Q, L_K)
    for b, h in itertools.product(range(BATCH), range(HEADS)):
        assert_close(shared.output[b, h], attention(Q[b, h], K[0, h], V[0, 1]).output)
    wider_values = attention(Q[0, 0], K[0, 0], V)
    assert wider_values.weights.shape == (BATCH, HEADS, L_Q, L_K)


def test_a_padding_mask_reaches_every_head_of_its_own_sequence():
    weights = attention(*arrays(), mask=padding_mask(np.array([3, 7])[:, None], L_K)).weights
    assert (weights[0, ..., 3:] == 0).all()
    assert (weights[0, ..., :3] > 0).all()
    assert (weights[1] > 0).all()


def test_three_axes_of_a_mask_or_a_bias_are_those_of_the_heads():
    Q, K, V = (np.broadcast_to(x[:1], (HEADS, *x.shape[1:])) for x in arrays())  # as many texts as heads
    of_heads = np.random.default_rng(5).random((HEADS, L_Q, L_K)) < 0.6
    spelt_out = np.broadcast_to(of_heads, (HEADS, HEADS, L_Q, L_K))
    for short, full in [
        ({"mask": of_heads}, {"mask": spelt_out}),
        ({"bias": 1 * of_heads}, {"bias": 1 * spelt_out}),
    ]:
        assert_close(attention(Q, K, V, **short).weights, attention(Q, K, V, **full).weights)


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda x: x[..., ::-1, :][..., ::-1, :],
        lambda x: x.byteswap().view(x.dtype.newbyteorder()),
    ],
)
def test_the_layout_in_memory_makes_no_difference(change):
    given_arrays = arrays()
    assert_close(attention(*map(change, given_arrays)).output, attention(*given_arrays).output)


def test_the_inputs_are_neither_changed_nor_returned():
    X = np.random.default_rng(3).normal(size=(5, 5))
    mask, bias = causal_mask(5), X[::-1]
    before = X.copy()
    for array in (X, mask):
        array.setflags(write=False)
    result = attention(X, X, X, mask=mask, bias=bias, softcap=2, window=(1, 1), causal=True)
    assert_close(X, before)
    for array in result:
        assert not np.shares_memory(array, X)
        assert array.flags.writeable


def test_numpy_set_to_raise_makes_no_difference():
    Q, K, V = arrays(spread=30)
    K[..., 0, :], V[..., 0, :] = np.inf, np.nan
    with np.errstate(all="raise"):
        assert np.isfinite(attention(Q, K, V, mask=np.arange(L_K) > 0).output).all()


MASK = np.random.default_rng(5).random((L_Q, L_K)) < 0.6
MASK[1], MASK[:, 0] = False, MASK[:, 0] & (np.arange(L_Q) != 2)
BIAS = np.where(
    np.random.default_rng(7).random((L_Q, L_K)) < 0.2,
    -np.inf,
    np.linspace(-2, 3, L_Q * L_K).reshape(L_Q, L_K),
)
CHOICES = {
    "mask": [None, MASK],
    "bias": [None, BIAS],
    "causal": [False, True],
    "window": [None, (2, 1), (0, None)],
    "scale": [None, 1.7],
    "softcap": [None, 1.3],
}


@pytest.mark.parametrize(("L_q", "L_k"), [(5, 7), (7, 5)])
def test_every_combination_of_options_equals_the_loop(L_q, L_k):
    Q, K, V = arrays(L_q=L_q, L_k=L_k)
    for values in itertools.product(*CHOICES.values()):
        options = dict(zip(CHOICES, values, strict=True))
        for name in ("mask", "bias"):
            if options[name] is not None:
                options[name] = options[name].reshape(L_q, L_k)
        result = attention(Q, K, V, **options)
        assert isinstance(result, Attention)
        plain = {name: x.tolist() if isinstance(x, np.ndarray) else x for name, x in options.items()}
        for b, h in ((0, 2), (1, 0)):
            expected = loops.attention(Q[b, h].tolist(), K[b, h].tolist(), V[b, h].tolist(), **plain)
            for name in Attention._fields:
                assert_close(getattr(result, name)[b, h], getattr(expected, name))


@pytest.mark.parametrize("spread", [1e-3, 30.0])
def test_flat_and_saturated_scores_equal_the_loop(spread):
    Q, K, V = arrays(spread=spread)
    expected = loops.attention(Q[1, 2].tolist(), K[1, 2].tolist(), V[1, 2].tolist())
    assert_close(attention(Q, K, V).weights[1, 2], expected.weights, tol=1e-10)
