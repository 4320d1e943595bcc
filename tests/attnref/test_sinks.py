"""Two things called sinks. A score without a value: by hand, against a loop, and against attention itself; and the
first keys, which a moving window keeps in sight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    AttnRefError,
    DtypeError,
    MaskError,
    ShapeError,
    attention,
    blockwise_attention,
    causal_mask,
    sink_attention,
    streaming_mask,
    window_mask,
)
from tests.attnref import loops
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L_Q, L_K, D_K, D_V = 2, 3, 5, 7, 11, 13
seeds = st.integers(0, 2**32 - 1)
SINK = np.array([-1.0, 0.5, 3.0])
BIAS = np.where(np.random.default_rng(7).random((L_Q, L_K)) < 0.2, -np.inf, np.linspace(-2, 3, L_K)).tolist()


def arrays(seed=0):
    rng = np.random.default_rng(seed)
    Q, K, V = (rng.normal(size=(BATCH, HEADS, *shape)) for shape in ((L_Q, D_K), (L_K, D_K), (L_K, D_V)))
    mask = rng.random((BATCH, 1, L_Q, L_K)) < 0.6
    mask[:, :, 1] = False
    return Q, K, V, mask


def test_a_sink_takes_its_share_and_gives_no_value():
    zeros = np.zeros((1, 1)), np.zeros((4, 1))
    assert_close(sink_attention(*zeros, np.ones((4, 1)), 0).output, [[0.8]])
    assert_close(sink_attention(*zeros, np.ones((4, 1)), np.log(4)).output, [[0.5]])


def test_off_by_one_is_a_sink_of_zero():
    """Scores of three and zero: one is added to the sum of the exponentials."""
    weights = sink_attention([[1.0]], [[3.0], [0.0]], np.eye(2), 0).weights
    assert_close(weights, [[0.9094, 0.0453]], tol=5e-5)
    assert_close(sink_attention([[1.0]], [[1000.0], [1000.0]], np.eye(2), 0).weights, [[0.5, 0.5]])


@pytest.mark.parametrize(
    "options", [{}, {"causal": True}, {"window": (1, 1), "scale": 0.7}, {"softcap": 1.3}, {"bias": BIAS}]
)
def test_equals_the_loop_with_one_more_key_that_has_no_value(options):
    """The extra key is laid beside the others after everything else, as a bias on scores of zero."""
    Q, K, V, mask = arrays()
    result = sink_attention(Q, K, V, SINK, mask=mask, **options)
    for b, h in np.ndindex(BATCH, HEADS):
        plain = loops.attention(*(x[b, h].tolist() for x in (Q, K, V)), mask=mask[b, 0].tolist(), **options)
        assert_close(result.scores[b, h], plain.scores)
        shares = []
        for weights, log_normalizer in zip(plain.weights, plain.log_normalizers, strict=True):
            logits = [log_normalizer + np.log(w) if w else -np.inf for w in weights]
            shares.append(loops.softmax_row([*logits, float(SINK[h])])[:-1])
        assert_close(result.weights[b, h], shares)
        assert_close(result.output[b, h], loops.product(shares, V[b, h].tolist()))


@given(seeds)
def test_the_output_is_that_of_attention_times_a_logistic_number(seed):
    Q, K, V, mask = arrays(seed)
    log_normalizer = blockwise_attention(Q, K, V, mask=mask).log_normalizer
    share = 1 / (1 + np.exp(SINK[:, None] - log_normalizer))
    expected = share[..., None] * attention(Q, K, V, mask=mask).output
    assert_close(sink_attention(Q, K, V, SINK, mask=mask).output, expected, tol=1e-12)


@given(seeds)
def test_a_sink_of_minus_infinity_is_none(seed):
    Q, K, V, mask = arrays(seed)
    for ours, theirs in zip(
        sink_attention(Q, K, V, -np.inf, mask=mask), attention(Q, K, V, mask=mask), strict=True
    ):
        assert_close(ours, theirs)


@given(seeds)
def test_the_weights_of_a_row_sum_to_less_than_one(seed):
    Q, K, V, mask = arrays(seed)
    sums = sink_attention(Q, K, V, SINK, mask=mask).weights.sum(axis=-1)
    assert (sums < 1).all()
    assert ((sums > 0) == np.broadcast_to(mask.any(axis=-1), sums.shape)).all()


def test_an_empty_row_stays_empty():
    Q, K, V, mask = arrays()
    for sink in (0.0, -np.inf, -1000.0):
        result = sink_attention(Q, K, V, sink, mask=mask)
        assert_close(result.output[:, :, 1], np.zeros((BATCH, HEADS, D_V)))
        assert_close(result.weights[:, :, 1], np.zeros((BATCH, HEADS, L_K)))
    nothing = sink_attention(Q, K[..., :0, :], V[..., :0, :], 0)
    assert_close(nothing.output, np.zeros((BATCH, HEADS, L_Q, D_V)))


def test_a_sink_is_neither_scaled_nor_capped():
    Q, K, V, _ = arrays()
    zero = np.zeros_like(Q)
    for options in ({"scale": 0.1}, {"softcap": 0.1}):
        result = sink_attention(zero, K, V, np.log(7), **options)
        assert_close(result.weights.sum(axis=-1), np.full((BATCH, HEADS, L_Q), 0.5))


@pytest.mark.parametrize("garbage", [np.nan, np.inf])
def test_what_a_masked_key_or_value_holds_never_arrives(garbage):
    Q, K, V, _ = arrays()
    clean = sink_attention(Q, K, V, SINK, mask=np.arange(L_K) < 5)
    K[..., 5:, :], V[..., 5:, :] = garbage, garbage
    with np.errstate(all="raise"):
        assert_close(sink_attention(Q, K, V, SINK, mask=np.arange(L_K) < 5).output, clean.output)


def test_the_dtype_is_the_widest_given_and_at_least_float32():
    half = [array.astype(np.float16) for array in arrays()[:3]]
    assert {array.dtype for array in sink_attention(*half, np.float16(0))} == {np.dtype(np.float32)}
    assert sink_attention(*half, SINK).output.dtype == np.float64


def test_a_sink_that_does_not_fit_is_refused_in_words():
    Q, K, V, _ = arrays()
    with pytest.raises(
        ShapeError, match=r"^sink has shape \(2,\): it must broadcast to \(2, 3\), the axes of Q"
    ):
        sink_attention(Q, K, V, [0, 0])
    with pytest.raises(ShapeError, match=r"^sink has shape \(3,\): it must broadcast to \(\)"):
        sink_attention(Q[0, 0], K[0, 0], V[0, 0], SINK)
    with pytest.raises(DtypeError, match=r"^sink has dtype bool"):
        sink_attention(Q, K, V, True)
    with pytest.raises(AttnRefError, match=r"^softcap is 0"):
        sink_attention(Q, K, V, 0, softcap=0)


def picture(mask):
    assert mask.dtype == np.bool_
    return ["".join(map(str, row)) for row in mask.astype(int).tolist()]


def test_first_keys_stay_in_sight_of_a_moving_window():
    assert picture(streaming_mask(5, 5, left=1, first=2)) == ["10000", "11000", "11100", "11110", "11011"]
    assert picture(streaming_mask(2, 7, left=2, first=1)) == ["1001110", "1000111"]
    assert picture(streaming_mask(3, 2, left=0, first=1)) == ["00", "10", "11"]
    assert picture(streaming_mask(3, 5, left=0, first=2, align="top_left")) == ["10000", "11000", "11100"]


@pytest.mark.parametrize(("L_q", "L_k"), [(5, 7), (7, 5), (0, 3), (3, 0)])
def test_a_streaming_mask_lies_between_its_window_and_the_causal_mask(L_q, L_k):
    assert picture(streaming_mask(L_q, L_k, 2, 0)) == picture(window_mask(L_q, L_k, 2, 0))
    assert picture(streaming_mask(L_q, L_k, 0, L_k)) == picture(causal_mask(L_q, L_k))
    assert picture(streaming_mask(L_q, L_k, None, 1)) == picture(causal_mask(L_q, L_k))


def test_what_left_the_window_may_be_forgotten():
    """The last query needs only the first keys and those of its window: the promise of a cache that lets others go."""
    Q, K, V, _ = arrays()
    first, left = 2, 1
    whole = attention(Q, K, V, mask=streaming_mask(L_Q, L_K, left, first)).output[..., -1, :]
    kept = [*range(first), *range(L_K - left - 1, L_K)]
    assert_close(
        attention(Q[..., -1:, :], K[..., kept, :], V[..., kept, :]).output[..., 0, :], whole, tol=1e-12
    )


@pytest.mark.parametrize("first", [-1, 1.5, None])
def test_first_keys_that_are_no_count_are_refused(first):
    with pytest.raises(
        MaskError, match=r"^first is .*: it is a count of keys, an integer of zero or more\. .*write 0"
    ):
        streaming_mask(3, 5, 1, first)
