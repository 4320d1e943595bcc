"""Linear attention and the delta rule: the loops, one form against another, and ONNX's public vectors."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnref import (
    AttnRefError,
    DtypeError,
    LinearState,
    ShapeError,
    gated_delta_rule,
    join_heads,
    linear_attention,
    linear_recurrence,
    split_heads,
)
from tests.attnref import loops_forms
from tests.attnref.peers import peer
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L_Q, L_K, D_K, D_V = 2, 3, 5, 7, 11, 13
FEATURES = {
    "paper": (None, loops_forms.elu_plus_one),
    "none": (lambda X: X, lambda row: row),
    "wider": (
        lambda X: np.concatenate([X**2, np.exp(X[..., :2])], axis=-1),
        lambda row: [x**2 for x in row] + [np.exp(x) for x in row[:2]],
    ),
}
seeds = st.integers(0, 2**32 - 1)


def arrays(seed=0, L_q=L_K, L_k=L_K, dtype=np.float64):
    rng = np.random.default_rng(seed)
    shapes = (BATCH, HEADS, L_q, D_K), (BATCH, HEADS, L_k, D_K), (BATCH, HEADS, L_k, D_V)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def gates(seed=0, L=L_K):
    """Decays, one for each feature of a key, and how much is written."""
    rng = np.random.default_rng(seed)
    return -rng.random((BATCH, HEADS, L, D_K)), rng.random((BATCH, HEADS, L))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize(("L_q", "L_k"), [(L_Q, L_K), (L_K, L_Q)])
def test_linear_attention_equals_the_loop(causal, normalize, features, L_q, L_k):
    Q, K, V = arrays(L_q=L_q, L_k=L_k)
    ours, plain = FEATURES[features]
    options = {"causal": causal, "normalize": normalize}
    output = linear_attention(Q, K, V, features=ours, **options).output
    for at in itertools.product(range(BATCH), range(HEADS)):
        expected = loops_forms.linear(*(x[at].tolist() for x in (Q, K, V)), features=plain, **options)
        assert_close(output[at], expected, tol=1e-11)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("features", FEATURES)
def test_token_by_token_equals_all_at_once(normalize, features):
    options = {"features": FEATURES[features][0], "normalize": normalize}
    one, other = linear_recurrence(*arrays(), **options), linear_attention(*arrays(), causal=True, **options)
    assert_close(one.output, other.output, tol=1e-11)
    for ours, theirs in zip(one.state, other.state, strict=True):
        assert_close(ours, theirs)


@given(seeds, st.integers(0, L_K))
def test_a_text_in_two_parts_equals_the_whole(seed, cut):
    Q, K, V = arrays(seed)
    decay, beta = gates(seed)
    first, second = slice(None, cut), slice(cut, None)

    def parts(form, options):
        here = [[x[..., s, :] for x in (Q, K, V)] for s in (first, second)]
        one = form(*here[0], **{name: x[first_of(x, first)] for name, x in options.items()})
        other = form(
            *here[1], **{name: x[first_of(x, second)] for name, x in options.items()}, state=one.state
        )
        return np.concatenate([one.output, other.output], axis=-2)

    def first_of(x, s):
        return (..., s) if x.ndim == 3 else (..., s, slice(None))

    for form, options in [
        (lambda *a, **o: linear_attention(*a, causal=True, **o), {}),
        (linear_recurrence, {"decay": decay}),
        (gated_delta_rule, {"decay": decay, "beta": beta}),
    ]:
        assert_close(parts(form, options), form(Q, K, V, **options).output, tol=1e-9)


@given(seeds, st.integers(1, L_K - 1))
def test_no_output_depends_on_what_comes_later(seed, t):
    Q, K, V = arrays(seed)
    decay, beta = gates(seed)
    changed = [x.copy() for x in (Q, K, V)]
    for x in changed:
        x[..., t:, :] = np.nan
    for form in (
        lambda *a: linear_attention(*a, causal=True),
        lambda *a: linear_recurrence(*a, decay=decay),
        lambda *a: gated_delta_rule(*a, decay=decay, beta=beta),
    ):
        assert_close(form(*changed).output[..., :t, :], form(Q, K, V).output[..., :t, :])


@given(seeds)
def test_all_forget_alike_where_the_decay_is_one_number(seed):
    """A decay of one number for each token is a factor between any two tokens, so a product of all on the way."""
    Q, K, V = arrays(seed)
    decay = gates(seed)[0][..., :1]
    on_the_way = np.cumsum(decay[..., 0], axis=-1)
    shares = np.tril(np.exp(on_the_way[..., :, None] - on_the_way[..., None, :])) * (Q @ K.mT)
    ours = linear_recurrence(Q, K, V, decay=decay, features=lambda X: X, normalize=False)
    assert_close(ours.output, shares @ V, tol=1e-10)
    normed = linear_recurrence(np.abs(Q), np.abs(K), V, decay=decay, features=lambda X: X)
    shares = np.tril(np.exp(on_the_way[..., :, None] - on_the_way[..., None, :])) * (np.abs(Q) @ np.abs(K.mT))
    assert_close(normed.output, shares @ V / shares.sum(axis=-1, keepdims=True), tol=1e-10)


@pytest.mark.parametrize("gated", [False, True])
def test_the_delta_rule_equals_the_loop(gated):
    Q, K, V = arrays()
    decay, beta = gates() if gated else (np.zeros((BATCH, HEADS, L_K, D_K)), np.ones((BATCH, HEADS, L_K)))
    ours = gated_delta_rule(Q, K, V, **({"decay": decay, "beta": beta} if gated else {}))
    for at in itertools.product(range(BATCH), range(HEADS)):
        lists = [x[at].tolist() for x in (Q, K, V, decay, beta)]
        assert_close(ours.output[at], loops_forms.delta(*lists), tol=1e-10)


@given(seeds)
def test_the_delta_rule_equals_one_triangular_system(seed):
    """What is written solves (I + strictly lower part of beta K K') U = beta V; then all is read at once."""
    Q, K, V = arrays(seed)
    beta = gates(seed)[1][..., None]
    K /= np.linalg.norm(K, axis=-1, keepdims=True)
    system = np.eye(L_K) + np.tril(beta * (K @ K.mT), -1)
    expected = np.tril(Q @ K.mT) @ np.linalg.solve(system, beta * V)
    assert_close(gated_delta_rule(Q, K, V, beta=beta[..., 0]).output, expected, tol=1e-10)


def test_what_was_written_whole_can_be_read_back():
    _, K, V = arrays()
    K /= np.linalg.norm(K, axis=-1, keepdims=True)
    assert_close(gated_delta_rule(K, K, V).output, V)


def test_the_features_of_low_numbers_do_not_vanish_in_half_precision():
    low = linear_attention(np.zeros((1, 1)), np.float16([[-8]]), np.ones((1, 1)), normalize=False)
    assert_close(low.output, [[np.exp(-8)]], tol=1e-6)
    assert low.output[0, 0] > 3e-4


def test_without_a_key_the_output_is_zero():
    for result in (linear_attention(*arrays(L_k=0)), linear_attention(*arrays(L_k=0), causal=True)):
        assert_close(result.output, np.zeros((BATCH, HEADS, L_K, D_V)))
    assert linear_recurrence(*arrays(L_q=0, L_k=0)).output.shape == (BATCH, HEADS, 0, D_V)
    assert gated_delta_rule(*arrays(L_q=0, L_k=0)).output.shape == (BATCH, HEADS, 0, D_V)


@pytest.mark.parametrize(("given_dtype", "computed"), [("float16", "float32"), ("int8", "float64")])
def test_the_dtype_is_the_widest_given_and_at_least_float32(given_dtype, computed):
    Q, K, V = (10 * x for x in arrays())
    Q, K, V = (x.astype(given_dtype) for x in (Q, K, V))
    for result in (linear_attention(Q, K, V), linear_recurrence(Q, K, V)):
        assert [result.output.dtype, *(x.dtype for x in result.state)] == [computed] * 3
    assert [x.dtype for x in gated_delta_rule(Q, K, V, scale=0.5)] == [computed] * 2
    assert_close(gated_delta_rule(Q, K, V, scale=0.5).output, gated_delta_rule(Q, K, V).output / 2)


def test_leading_axes_broadcast_and_the_inputs_stay():
    Q, K, V = arrays()
    for form in (linear_attention, linear_recurrence, gated_delta_rule):
        for x in (Q, K, V):
            x.setflags(write=False)
        shared = form(Q, K[:1, :1], V[:, :1]).output
        expected = form(Q, np.broadcast_to(K[:1, :1], K.shape), np.broadcast_to(V[:, :1], V.shape)).output
        assert_close(shared, expected)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda Q, K, V: linear_recurrence(Q[..., 1:, :], K, V),
            ShapeError,
            "Q has shape (2, 3, 6, 11): there must be one for each key of K, shape (2, 3, 7, 11): token by "
            "token, both go in together. For other lengths use linear_attention.",
        ),
        (
            lambda Q, K, V: linear_attention(Q, K, V, features=lambda X: X.mT),
            ShapeError,
            "features made shape (2, 3, 11, 7) of (2, 3, 7, 11): it maps each token by itself, so all axes but "
            "the last stay. Let it work along the last axis.",
        ),
        (
            lambda Q, K, V: gated_delta_rule(Q, K, V, decay=0.5),
            AttnRefError,
            "decay goes up to 0.5: it is the logarithm of what the state is multiplied by, so not above zero. "
            "Pass np.log(decay) if it is a share.",
        ),
        (
            lambda Q, K, V: gated_delta_rule(Q, K, V, beta=np.ones((7, 1))),
            ShapeError,
            "beta has shape (7, 1): it must broadcast to (2, 3, 7), one number for each token. Insert axes of "
            "one where they are missing.",
        ),
        (
            lambda Q, K, V: gated_delta_rule(Q, K, V, state=np.ones((13, 11))),
            ShapeError,
            "state has shape (13, 11): it must have shape (2, 3, 11, 13), one row for each number of a key, "
            "one column for each of a value. Check which arrays it belongs to.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_words(call, error, message):
    with pytest.raises(error) as caught:
        call(*arrays())
    assert str(caught.value) == message


def test_words_and_switches_are_refused():
    for form in (linear_attention, linear_recurrence):
        with pytest.raises(DtypeError):
            form(*arrays(), normalize=1)
    with pytest.raises(DtypeError):
        linear_attention(*arrays(), causal=1)
    with pytest.raises(DtypeError):
        gated_delta_rule(*arrays(), beta=np.ones(L_K, bool))


def vectors() -> list[Any]:
    try:
        import onnx.backend.test.case.node.linear_attention  # noqa: F401 - makes the cases
        from onnx.backend.test.case import node
    except ImportError:
        return []
    cases = node._NodeTestCases
    return [
        case
        for case in cases
        if case.name.startswith("test_linear_attention") and "_expanded" not in case.name
    ]


VECTORS = vectors()


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case.name.removeprefix("test_"))
def test_a_public_vector_of_onnx_passes(case):
    """Heads side by side; a read scaled by one over the root of d_k; four rules under one name."""
    onnx = peer("onnx")
    [node], [(inputs, outputs)] = case.model.graph.node, case.data_sets
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    names = ("query", "key", "value", "past_state", "decay", "beta")
    arrived = iter(inputs)
    x = {name: next(arrived) for name, word in zip(names, node.input, strict=False) if word}
    n_heads, n_kv_heads = attributes["q_num_heads"], attributes["kv_num_heads"]
    Q = split_heads(x["query"], n_heads)
    K, V = (split_heads(x[name], n_kv_heads) for name in ("key", "value"))
    group = n_heads // n_kv_heads
    options = {}
    if "decay" in x:
        options["decay"] = split_heads(x["decay"], n_kv_heads)  # (..., n_kv_heads, L, 1 or d_k)
    scale = attributes.get("scale") or Q.shape[-1] ** -0.5
    rule = attributes.get("update_rule", b"gated_delta").decode()
    state = x.get("past_state")
    # Query heads that share a state read it in turn: the state itself does not depend on the queries.
    output = np.empty((*Q.shape[:-1], V.shape[-1]), np.float32)
    for r in range(group):
        if "delta" in rule:
            options["beta"] = np.swapaxes(x["beta"], -1, -2)  # (batch, n_kv_heads or 1, L)
            found = gated_delta_rule(Q[:, r::group], K, V, scale=scale, state=state, **options)
            after = found.state
        else:
            old = None if state is None else LinearState(state, np.zeros(state.shape[:-1], np.float32))
            found = linear_recurrence(
                Q[:, r::group], K, V, features=lambda X: X, normalize=False, state=old, **options
            )
            found, after = found._replace(output=scale * found.output), found.state.S
        output[:, r::group] = found.output
    theirs = [*outputs, None][:2]
    tol = 1e-5 if theirs[0].dtype == np.float32 else 2e-3
    assert_close(join_heads(output), theirs[0].astype(np.float32), tol=tol)
    if theirs[1] is not None:
        assert_close(after, theirs[1].astype(np.float32), tol=tol)


def test_no_vector_is_lost():
    peer("onnx")
    assert len(VECTORS) >= 14
