"""What is laid over a few scores: which keys are looked at, where a mask is needed, in which dtype."""

import numpy as np
import pytest

from attnref import attention, blockwise_attention, multihead_attention
from attnref._scoring import Scoring
from tests.attnref.memory import peak
from tests.attnref.tolerance import assert_close

L_Q, L_K, D_K, D_V = 5, 11, 3, 7
RNG = np.random.default_rng(2)
Q, K, V = (RNG.normal(size=shape) for shape in ((L_Q, D_K), (L_K, D_K), (L_K, D_V)))
LATE = L_K - L_Q  # query i stands at key i + LATE


def read(**options) -> Scoring:
    return Scoring.read(Q, K, V, **options)


def test_nothing_is_laid_over_unless_asked_for():
    scoring = read()
    assert (scoring.cap, scoring.added, scoring.chosen, scoring.left, scoring.right) == (None,) * 5


@pytest.mark.parametrize(
    ("options", "rows", "keys"),
    [
        ({}, (1, 3), (0, 11)),
        ({"causal": True}, (0, 1), (0, 7)),  # the first query stands at key 6 and sees it
        ({"causal": True}, (1, 3), (0, 9)),
        ({"causal": True}, (3, 5), (0, 11)),
        ({"window": (2, 1)}, (0, 2), (4, 9)),
        ({"window": (2, 1)}, (2, 4), (6, 11)),
        ({"window": (7, None)}, (0, 2), (0, 11)),
        ({"window": (None, 0)}, (1, 2), (0, 8)),
        ({"window": (2, 30), "causal": True}, (1, 2), (5, 8)),
    ],
)
def test_keys_that_no_query_may_see_are_not_looked_at(options, rows, keys):
    assert read(**options).visible(slice(*rows)) == range(*keys)


def test_with_more_queries_than_keys_the_first_ones_look_at_none():
    scoring = Scoring.read(np.ones((11, 3)), np.ones((5, 3)), np.ones((5, 7)), causal=True)
    assert list(scoring.visible(slice(0, 6))) == []
    assert scoring.visible(slice(5, 8)) == range(2)
    wide = Scoring.read(np.ones((11, 3)), np.ones((5, 3)), np.ones((5, 7)), window=(3, 1))
    assert wide.visible(slice(8, 11)) == range(0, 5)
    assert list(wide.visible(slice(0, 2))) == []
    assert wide.visible(slice(10, 11)) == range(1, 5)


def laid_over(scoring, rows, keys):
    """What is allowed, where the scores were all zero; and these scores, with what is hidden at minus infinity."""
    scores = np.zeros((rows[1] - rows[0], keys[1] - keys[0]))
    return scoring.lay_over(scores, (), slice(*rows), slice(*keys)), scores


@pytest.mark.parametrize(
    ("options", "rows", "keys"),
    [
        ({}, (0, 5), (0, 11)),
        ({"causal": True}, (2, 4), (0, 2 + LATE + 1)),  # up to the key of the first of the queries
        ({"causal": True}, (2, 3), (8, 9)),
        ({"window": (3, None)}, (1, 4), (3 + LATE - 3, 11)),  # from the last query's oldest key on
        ({"window": (3, None)}, (1, 2), (4, 5)),
        ({"window": (4, 2)}, (1, 4), (5, 10)),
        ({"window": (None, 2)}, (1, 4), (0, 10)),
    ],
)
def test_a_block_that_all_its_queries_may_see_needs_no_mask(options, rows, keys):
    allowed, scores = laid_over(read(**options), rows, keys)
    assert allowed is np.True_
    assert (scores == 0).all()


@pytest.mark.parametrize(
    ("options", "rows", "keys", "hidden"),
    [
        ({"causal": True}, (2, 4), (0, 10), (0, 9)),  # one key further: the first query may not see it
        ({"window": (3, None)}, (1, 4), (5, 11), (2, 0)),  # one key earlier: the last query is past it
        ({"window": (4, 2)}, (1, 4), (4, 10), (2, 0)),
        ({"window": (4, 2)}, (1, 4), (5, 11), (0, 5)),
    ],
)
def test_one_key_more_and_one_pair_is_hidden(options, rows, keys, hidden):
    allowed, scores = laid_over(read(**options), rows, keys)
    expected = np.ones(scores.shape, dtype=bool)
    expected[hidden] = False
    assert_close(np.broadcast_to(allowed, scores.shape), expected)
    assert_close(scores, np.where(expected, 0, -np.inf))


MASK = np.random.default_rng(5).random((L_Q, L_K)) < 0.7
BIAS = np.where(np.random.default_rng(7).random((L_Q, L_K)) < 0.2, -np.inf, np.linspace(-2, 3, L_K))


@pytest.mark.parametrize("keys", [slice(None), slice(0, 4), slice(4, 11), slice(10, 11)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"causal": True},
        {"window": (1, 2)},
        {"mask": MASK},
        {"bias": BIAS},
        {"softcap": 1.3, "scale": 0.7},
        {"mask": MASK, "bias": BIAS, "causal": True, "window": (3, None), "scale": 1.7, "softcap": 0.8},
    ],
    ids=lambda options: " ".join(options),
)
def test_a_range_of_keys_is_scored_as_the_definition_does(options, keys):
    block = read(**options).of(keys)
    whole = attention(Q, K, V, **options)
    assert_close(block.scores, whole.scores[:, keys])
    allowed = np.broadcast_to(block.allowed, block.scores.shape)
    assert_close(allowed, whole.weights[:, keys] > 0)
    scale, cap = options.get("scale", D_K**-0.5), options.get("softcap")
    bent = block.scores if cap is None else cap * np.tanh(block.scores / cap)
    assert_close(
        block.logits, np.where(allowed, bent + options.get("bias", np.zeros((1, L_K)))[:, keys], -np.inf)
    )
    slope = (
        scale if cap is None else scale * (1 - (bent / cap) ** 2)
    )  # of the bent scores, by the dot products
    assert_close(np.broadcast_to(block.slope, block.scores.shape), np.broadcast_to(slope, block.scores.shape))


def test_the_softcap_is_laid_over_in_place():
    rng = np.random.default_rng(3)
    Q, K = (rng.normal(size=(L, D_K)).astype(np.float32) for L in (61, 1021))
    scores = Q @ K.T
    expected = 1.3 * np.tanh(scores / np.float32(1.3))
    scoring = Scoring.read(Q, K, K, softcap=1.3)
    assert peak(lambda: scoring.lay_over(scores, (), slice(0, 61), slice(0, 1021))) < scores.nbytes / 2
    assert_close(scores, expected)


def test_what_a_masked_key_holds_raises_no_floating_point_error():
    soiled = K.copy()
    soiled[3] = np.inf
    with np.errstate(all="raise"):
        block = Scoring.read(Q, soiled, V, mask=np.arange(L_K) != 3, bias=BIAS, softcap=1.3).of()
    assert (block.logits[:, 3] == -np.inf).all()


NARROW = {"Q": Q, "K": K, "V": V, "bias": np.zeros((L_Q, L_K))}


@pytest.mark.parametrize("wide", list(NARROW))
@pytest.mark.parametrize("form", [attention, blockwise_attention])
def test_the_widest_float_of_all_arrays_is_computed_in(form, wide):
    given = {name: array.astype(np.float32) for name, array in NARROW.items()}
    given[wide] = given[wide].astype(np.float64)
    assert {array.dtype for array in form(**given)} == {np.dtype(np.float64)}
    expected = form(**{name: array.astype(np.float64) for name, array in given.items()})
    for ours, theirs in zip(form(**given), expected, strict=True):
        assert_close(ours, theirs)


def test_an_array_read_besides_has_a_say_in_the_dtype():
    half = [array.astype(np.float16) for array in (Q, K, V)]
    assert Scoring.read(*half).dtype == np.float32
    assert Scoring.read(*half, also={"sink": np.float64([1])}).dtype == np.float64


def test_a_narrow_bias_is_added_in_the_dtype_of_the_scores():
    single = [array.astype(np.float32) for array in (Q, K, V)]
    bias = np.zeros(L_K, np.float16)
    assert Scoring.read(*single, bias=bias).added.dtype == np.float32
    assert {array.dtype for array in attention(*single, bias=bias)} == {np.dtype(np.float32)}


def test_a_wide_bias_makes_the_projections_wide_too():
    rng = np.random.default_rng(5)
    shapes = (L_Q, 7), (7, 6), (7, 6), (7, 6), (6, 13)
    single = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    ours = multihead_attention(*single, n_heads=2, bias=np.zeros(L_Q))
    double = multihead_attention(*[array.astype(np.float64) for array in single], n_heads=2)
    assert_close(ours.output, double.output)
