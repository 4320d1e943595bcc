"""The way back: every gradient against central differences of the definition, for every option."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    AttnRefError,
    ShapeError,
    attention,
    attention_gradients,
    blockwise_attention,
    blockwise_gradients,
    multihead_attention,
    multihead_gradients,
    softmax,
    softmax_gradient,
)
from attnref._fit import summed_to
from tests.attnref.differences import TOL, gradient
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L_Q, L_K, D_K, D_V = 2, 3, 5, 7, 11, 13
seeds = st.integers(0, 2**32 - 1)


def arrays(seed=0, L_q=L_Q, L_k=L_K):
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(size=(BATCH, HEADS, *shape)) for shape in ((L_q, D_K), (L_k, D_K), (L_k, D_V)))
    return Q, K, V, rng.normal(size=(BATCH, HEADS, L_q, D_V))


MASK = np.random.default_rng(5).random((BATCH, 1, L_Q, L_K)) < 0.7
MASK[0, :, 1] = False
BIAS = np.where(np.random.default_rng(7).random((L_Q, L_K)) < 0.2, -np.inf, np.linspace(-2, 3, L_K))
OPTIONS = [
    {},
    {"mask": MASK},
    {"bias": BIAS},
    {"causal": True},
    {"window": (1, 1)},
    {"scale": 1.7},
    {"softcap": 1.3},
    {"mask": MASK, "bias": BIAS, "causal": True, "window": (3, None), "scale": 0.6, "softcap": 0.8},
]


def test_softmax_gradient_by_hand():
    assert_close(softmax_gradient([0.5, 0.5], [1, 0]), [0.25, -0.25])
    assert_close(softmax_gradient([0.75, 0.25], [0, 4]), [-0.75, 0.75])


@given(seeds, st.integers(-3, 2))
def test_softmax_gradient_is_the_slope_of_softmax(seed, axis):
    rng = np.random.default_rng(seed)
    x, d_shares = rng.normal(size=(2, 2, 3, 5))
    x[0, :, 1] = -np.inf if axis in (-3, 0) else x[0, :, 1]
    shares = softmax(x, axis=axis)
    finite = np.isfinite(x)
    slopes = gradient(
        lambda moved: np.sum(softmax(np.where(finite, moved, x), axis) * d_shares), np.where(finite, x, 0)
    )
    assert_close(softmax_gradient(shares, d_shares, axis=axis), slopes, tol=TOL)


def test_softmax_gradient_of_an_empty_row_is_zero():
    assert_close(softmax_gradient(softmax([-np.inf, -np.inf]), [3, 5]), [0, 0])


@given(seeds)
def test_softmax_gradient_sums_to_zero(seed):
    shares, d_shares = np.random.default_rng(seed).normal(size=(2, 5, 7))
    assert_close(softmax_gradient(softmax(shares), d_shares).sum(axis=-1), np.zeros(5))


@pytest.mark.parametrize("options", OPTIONS)
def test_attention_gradients_are_the_slopes_of_attention(options):
    Q, K, V, d_output = arrays()

    def loss(Q, K, V, **changed):
        return np.sum(attention(Q, K, V, **{**options, **changed}).output * d_output)

    d_Q, d_K, d_V, d_bias = attention_gradients(Q, K, V, d_output, **options)
    assert_close(d_Q, gradient(lambda x: loss(x, K, V), Q), tol=TOL)
    assert_close(d_K, gradient(lambda x: loss(Q, x, V), K), tol=TOL)
    assert_close(d_V, gradient(lambda x: loss(Q, K, x), V), tol=TOL)
    bias = np.broadcast_to(options.get("bias", np.zeros((L_Q, L_K))), (BATCH, HEADS, L_Q, L_K))
    closed = np.where(bias == -np.inf, bias, 0)
    by_bias = gradient(lambda x: loss(Q, K, V, bias=x + closed), np.where(bias == -np.inf, 0, bias))
    assert_close(d_bias, by_bias, tol=TOL)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("block_size", [1, 2, 64])
def test_gradients_in_blocks_equal_those_at_once(options, block_size):
    Q, K, V, d_output = arrays()
    there = blockwise_attention(Q, K, V, **options)
    back = blockwise_gradients(Q, K, V, d_output, there, block_size=block_size, **options)
    for ours, theirs in zip(back, attention_gradients(Q, K, V, d_output, **options), strict=False):
        assert_close(ours, theirs, tol=1e-12)


def shared_arrays():
    """Keys shared by a batch, values by all, queries by none."""
    Q, K, V, d_output = arrays()
    return Q, K[:1, 0], V[0, 0], d_output


def both_forms(Q, K, V, d_output, **options):
    there = blockwise_attention(Q, K, V, **options)
    return [
        attention_gradients(Q, K, V, d_output, **options)[:3],
        blockwise_gradients(Q, K, V, d_output, there, block_size=2, **options),
    ]


@pytest.mark.parametrize("shape", [(3, 1, 5), (1, 7, 1), (7, 5), (1, 1), (2, 3, 1, 5)])
def test_the_sum_goes_over_the_axes_that_were_added_or_stretched(shape):
    array = np.random.default_rng(0).normal(size=shape)
    weights = np.random.default_rng(1).normal(size=(2, 3, 7, 5))
    slopes = gradient(lambda x: np.sum(np.broadcast_to(x, weights.shape) * weights), array)
    assert_close(summed_to(shape, weights), slopes, tol=TOL)


def test_what_was_broadcast_gets_the_sum():
    Q, K, V, d_output = shared_arrays()
    by_key = gradient(lambda x: np.sum(attention(Q, x, V).output * d_output), K)
    by_value = gradient(lambda x: np.sum(attention(Q, K, x).output * d_output), V)
    for d_Q, d_K, d_V in both_forms(Q, K, V, d_output):
        assert d_Q.shape == Q.shape
        assert_close(d_K, by_key, tol=TOL)
        assert_close(d_V, by_value, tol=TOL)


@pytest.mark.parametrize("option", [{"mask": np.arange(L_K) < 3}, {"bias": [0.0] * 3 + [-np.inf] * 4}])
@pytest.mark.parametrize("garbage", [np.nan, np.inf])
@pytest.mark.parametrize("softcap", [None, 2.0])
def test_what_a_masked_key_or_value_holds_gets_and_gives_nothing(option, garbage, softcap):
    Q, K, V, d_output = arrays()
    clean = both_forms(Q, K, V, d_output, softcap=softcap, **option)
    K[..., 3:, :], V[..., 3:, :] = garbage, garbage
    with np.errstate(all="raise"):
        soiled = both_forms(Q, K, V, d_output, softcap=softcap, **option)
    for before, after in zip(clean, soiled, strict=True):
        assert (after[1][..., 3:, :] == 0).all()
        assert (after[2][..., 3:, :] == 0).all()
        for ours, theirs in zip(after, before, strict=True):
            assert_close(ours, theirs)


def test_what_an_allowed_value_holds_stays_out_of_the_masked_ones():
    Q, K, V, d_output = arrays()
    V[..., 0, :] = np.nan
    back = attention_gradients(Q, K, V, d_output, mask=np.arange(L_K) < 5)
    assert np.isnan(back.d_bias[..., :5]).all()
    assert (back.d_bias[..., 5:] == 0).all()
    assert (back.d_K[..., 5:, :] == 0).all()
    assert np.isfinite(back.d_V).all()


@pytest.mark.parametrize("empty", [{"mask": False}, {"bias": -np.inf}])
def test_an_empty_row_gets_and_gives_nothing(empty):
    Q, K, V, d_output = arrays()
    ((name, closed),) = empty.items()
    laid_over = np.full((L_Q, L_K), True if name == "mask" else 0.0)
    laid_over[1] = closed
    rest = np.delete(np.arange(L_Q), 1)
    without = both_forms(Q[..., rest, :], K, V, d_output[..., rest, :])
    for ours, theirs in zip(both_forms(Q, K, V, d_output, **{name: laid_over}), without, strict=True):
        assert_close(ours[0][..., 1, :], np.zeros((BATCH, HEADS, D_K)))
        assert_close(ours[0][..., rest, :], theirs[0])
        assert_close(ours[1], theirs[1])
        assert_close(ours[2], theirs[2])


@given(seeds)
def test_a_row_of_the_bias_moves_no_loss_as_a_whole(seed):
    Q, K, V, d_output = arrays(seed)
    d_bias = attention_gradients(Q, K, V, d_output, mask=MASK, softcap=2).d_bias
    assert_close(d_bias.sum(axis=-1), np.zeros((BATCH, HEADS, L_Q)))
    assert (d_bias[~np.broadcast_to(MASK, d_bias.shape)] == 0).all()


@pytest.mark.parametrize(("L_q", "L_k"), [(0, 7), (5, 0)])
def test_lengths_of_zero_give_gradients_of_zero(L_q, L_k):
    given_arrays = arrays(L_q=L_q, L_k=L_k)
    for back in both_forms(*given_arrays):
        for ours, array in zip(back, given_arrays, strict=False):
            assert_close(ours, np.zeros(array.shape))


def test_the_dtype_is_the_widest_given_and_at_least_float32():
    half = [array.astype(np.float16) for array in arrays()]
    assert {array.dtype for back in both_forms(*half) for array in back} == {np.dtype(np.float32)}
    assert attention_gradients(*half[:3], arrays()[3]).d_K.dtype == np.float64
    assert softmax_gradient(half[0], half[0]).dtype == np.float32


D_MODEL, D_CONTEXT, D_OUT = 11, 13, 17
NAMES = ["X", "context", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"]


def parameters(n_heads, n_kv_heads, d_context):
    rng = np.random.default_rng(11)
    shapes = {
        "X": (BATCH, L_Q, D_MODEL),
        "context": (BATCH, L_K, d_context),
        "W_Q": (D_MODEL, n_heads * 2),
        "W_K": (d_context, n_kv_heads * 2),
        "W_V": (d_context, n_kv_heads * 3),
        "W_O": (n_heads * 3, D_OUT),
    }
    shapes |= {f"b_{name}": shapes[f"W_{name}"][1:] for name in "QKVO"}
    return {name: rng.normal(size=shapes[name]) for name in NAMES}, rng.normal(size=(BATCH, L_Q, D_OUT))


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(1, 1), (3, 3), (6, 2), (3, 1)])
@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("options", [{}, {"causal": True, "softcap": 1.3, "scale": 0.4}])
def test_multihead_gradients_are_the_slopes_of_multihead_attention(n_heads, n_kv_heads, cross, options):
    arrays_given, d_output = parameters(n_heads, n_kv_heads, D_CONTEXT if cross else D_MODEL)
    if not cross:
        del arrays_given["context"]
    options = {**options, "n_heads": n_heads, "n_kv_heads": n_kv_heads}
    back = multihead_gradients(**arrays_given, d_output=d_output, **options)

    def loss(name, x):
        return np.sum(multihead_attention(**{**arrays_given, name: x}, **options).output * d_output)

    for name, array in arrays_given.items():
        slopes = gradient(lambda x, name=name: loss(name, x), array)
        assert_close(getattr(back, f"d_{name}"), slopes, tol=TOL)


def test_without_a_context_the_way_by_keys_and_values_is_told_apart():
    arrays_given, d_output = parameters(3, 3, D_MODEL)
    arrays_given["context"] = arrays_given["X"]
    apart = multihead_gradients(**arrays_given, d_output=d_output, n_heads=3)
    del arrays_given["context"]
    together = multihead_gradients(**arrays_given, d_output=d_output, n_heads=3)
    assert_close(together.d_X, apart.d_X + apart.d_context)
    assert_close(together.d_context, apart.d_context)


def test_a_context_shared_by_the_batch_gets_the_sum():
    arrays_given, d_output = parameters(6, 2, D_CONTEXT)
    arrays_given["context"] = arrays_given["context"][0]
    back = multihead_gradients(**arrays_given, d_output=d_output, n_heads=6, n_kv_heads=2)

    def loss(context):
        options = {**arrays_given, "context": context}
        return np.sum(multihead_attention(**options, n_heads=6, n_kv_heads=2).output * d_output)

    assert_close(back.d_context, gradient(loss, arrays_given["context"]), tol=TOL)


@pytest.mark.parametrize("garbage", [np.nan, np.inf])
@pytest.mark.parametrize("heads", [(6, 2), (3, 3)])
def test_what_a_token_holds_that_nobody_asks_reaches_no_gradient_of_the_heads(garbage, heads):
    arrays_given, d_output = parameters(*heads, D_CONTEXT)
    options = {"n_heads": heads[0], "n_kv_heads": heads[1], "mask": np.arange(L_K) < 5}
    clean = multihead_gradients(**arrays_given, d_output=d_output, **options)
    arrays_given["context"][:, 5:] = garbage
    with np.errstate(all="raise"):
        assert np.isfinite(multihead_attention(**arrays_given, **options).output).all()
        dirty = multihead_gradients(**arrays_given, d_output=d_output, **options)
    for ours, expected in zip(dirty, clean, strict=True):
        assert_close(ours, expected)


def test_what_a_token_holds_that_asks_nobody_and_is_asked_by_nobody_reaches_no_gradient():
    arrays_given, d_output = parameters(6, 2, D_MODEL)
    arrays_given["context"] = None
    real = np.arange(L_Q) < 3
    options = {"n_heads": 6, "n_kv_heads": 2, "mask": real[:, None] & real}
    clean = multihead_gradients(**arrays_given, d_output=d_output, **options)
    arrays_given["X"][:, ~real] = np.nan
    dirty = multihead_gradients(**arrays_given, d_output=d_output, **options)
    for ours, expected in zip(dirty, clean, strict=True):
        assert_close(ours, expected)


def test_a_token_that_one_head_alone_may_ask_reaches_the_columns_of_that_head_alone():
    arrays_given, d_output = parameters(6, 2, D_CONTEXT)
    mask = np.ones((6, L_Q, L_K), dtype=bool)
    mask[:3, :, 6] = False  # the heads of the first key head
    arrays_given["context"][:, 6] = np.nan
    back = multihead_gradients(**arrays_given, d_output=d_output, n_heads=6, n_kv_heads=2, mask=mask)
    first, second = np.split(back.d_W_V, 2, axis=-1)
    assert np.isfinite(first).all()
    assert np.isnan(second).all()


def test_a_gradient_of_another_shape_is_refused_in_words():
    Q, K, V, d_output = arrays()
    there = blockwise_attention(Q, K, V)
    message = r"^d_output has shape \(2, 3, 5\): it must have shape \(2, 3, 5, 13\), that of the output"
    with pytest.raises(ShapeError, match=message):
        attention_gradients(Q, K, V, d_output[..., 0])
    with pytest.raises(ShapeError, match=message):
        blockwise_gradients(Q, K, V, d_output[..., 0], there)
    with pytest.raises(
        ShapeError, match=r"^d_shares has shape \(3,\): it must have shape \(5,\), that of the"
    ):
        softmax_gradient(np.ones(5), np.ones(3))
    arrays_given, d_output = parameters(3, 3, D_MODEL)
    with pytest.raises(ShapeError, match=r"^d_output has shape \(2, 5, 1\): it must have shape \(2, 5, 17\)"):
        multihead_gradients(**arrays_given, d_output=d_output[..., :1], n_heads=3)


def test_a_result_of_another_shape_is_refused_in_words():
    Q, K, V, d_output = arrays()
    output, log_normalizer = blockwise_attention(Q, K, V)
    with pytest.raises(
        ShapeError, match=r"^result.output has shape \(2, 3, 5, 2\): it must have .* d_output"
    ):
        blockwise_gradients(Q, K, V, d_output, (output[..., :2], log_normalizer))
    with pytest.raises(
        ShapeError, match=r"^result.log_normalizer has shape \(2, 3, 2\): .* one for each query"
    ):
        blockwise_gradients(Q, K, V, d_output, (output, log_normalizer[..., :2]))


@pytest.mark.parametrize("options", [{"mask": np.ones((5, 5))}, {"window": 3}, {"causal": 1}, {"softcap": 0}])
def test_options_are_refused_as_by_the_definition(options):
    Q, K, V, d_output = arrays()
    said = []
    for form in (attention, lambda *a, **o: attention_gradients(*a, d_output, **o)):
        with pytest.raises(AttnRefError) as caught:
            form(Q, K, V, **options)
        said.append(str(caught.value))
    assert len(set(said)) == 1


def test_the_inputs_are_not_changed():
    given_arrays = arrays()
    before = [array.copy() for array in given_arrays]
    for array in given_arrays:
        array.setflags(write=False)
    both_forms(*given_arrays, mask=MASK, causal=True)
    for array, kept in itertools.zip_longest(given_arrays, before):
        assert_close(array, kept)
