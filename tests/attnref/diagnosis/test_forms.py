"""The other forms: several heads, shared heads, gradients, rotary and linear positions."""

import numpy as np
import pytest

from attnref import (
    AttnRefError,
    alibi_bias,
    alibi_slopes,
    attention,
    attention_gradients,
    check,
    multihead_attention,
    multihead_gradients,
    rotary,
)
from attnref.diagnosis import FORMS
from attnref.diagnosis._pipeline import Rules, run
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.diagnosis.reference_forms import NEW
from tests.attnref.tolerance import assert_close


def gradients(Q, K, V, d_output, mask=None, causal=False, scale=None):
    shared, group = K.shape[1], Q.shape[1] // K.shape[1]
    K, V = (np.repeat(x, group, axis=1) for x in (K, V))
    back = attention_gradients(Q, K, V, d_output, mask=mask, causal=causal, scale=scale)
    d_K, d_V = (x.reshape(len(x), shared, group, *x.shape[2:]).sum(axis=2) for x in (back.d_K, back.d_V))
    return back.d_Q, d_K, d_V


def multihead(X, W_Q, W_K, W_V, W_O, n_heads, causal=False, mask=None, scale=None, n_kv_heads=None):
    options = {"causal": causal, "mask": mask, "scale": scale, "n_heads": n_heads, "n_kv_heads": n_kv_heads}
    return multihead_attention(X, W_Q, W_K, W_V, W_O, **options).output


def grouped(Q, K, V, mask=None, causal=False, scale=None):
    K, V = (np.repeat(x, Q.shape[1] // x.shape[1], axis=1) for x in (K, V))
    return attention(Q, K, V, mask=mask, causal=causal, scale=scale).output


REFERENCE = {
    "attention": lambda Q, K, V, mask=None, causal=False, scale=None, bias=None, window=None, softcap=None: (
        attention(
            Q, K, V, mask=mask, causal=causal, scale=scale, bias=bias, window=window, softcap=softcap
        ).output
    ),
    "grouped": grouped,
    "multihead": multihead,
    "gradients": gradients,
    "rotary": lambda X, offset=0, base=1e4: rotary(X, offset=offset, base=base),
    "alibi": lambda n_heads, L_q, L_k: alibi_bias(n_heads, L_q, L_k),
    **NEW,
}


@pytest.mark.parametrize("form", FORMS)
def test_the_reference_is_right_in_every_form(form):
    report = check(REFERENCE[form], form=form)
    assert report.ok, str(report)
    assert len(report.passed) >= 4
    assert form not in NEW or report.not_tested == ()


def test_lengths_are_tested_where_a_function_takes_them():
    def f(Q, K, V, lengths=None):
        seen = None if lengths is None else np.arange(K.shape[2]) < lengths[:, None, None, None]
        return attention(Q, K, V, mask=seen)

    assert sum(name.startswith("lengths") for name in check(f).passed) == 2


def test_what_a_form_computes_is_written_down():
    for name, (form, _) in FORMS.items():
        assert form.about.endswith(".")
        assert form.call.startswith("fn(")
        assert all(x in form.about for x in form.arguments if len(x) > 1), name


def test_a_layout_without_heads_is_refused_where_a_form_has_numbers_for_each_head():
    with pytest.raises(AttnRefError, match="all four axes"):
        check(REFERENCE["sinks"], form="sinks", layout="LD")


def test_gradients_of_the_pipeline_are_those_of_several_heads_too():
    """The checker's way back is held against another one than its own reference."""
    rng = np.random.default_rng(7)
    X, d_output = rng.normal(size=(2, 5, 12)), rng.normal(size=(2, 5, 12))
    W_Q, W_K, W_V = (rng.normal(size=(12, 12)) for _ in range(3))
    back = multihead_gradients(X, W_Q, W_K, W_V, np.eye(12), d_output, n_heads=3)
    Q, K, V, d = (np.swapaxes((x).reshape(2, 5, 3, 4), 1, 2) for x in (X @ W_Q, X @ W_K, X @ W_V, d_output))
    form = FORMS["gradients"][0]
    probe = type(form.probes(0)[0])("x", {"Q": Q, "K": K, "V": V, "d_output": d})
    work = run(form, probe, Rules())
    d_queries = np.swapaxes(work.d_Q, 1, 2).reshape(2, 5, 12)
    assert_close(np.einsum("bid,bie->de", X, d_queries), back.d_W_Q)


def test_a_number_that_a_whole_row_shares_makes_no_difference_to_a_linear_bias():
    assert check(
        lambda n_heads, L_q, L_k: alibi_slopes(n_heads)[:, None, None] * np.arange(L_k), form="alibi"
    ).ok


def test_what_stands_in_the_future_makes_no_difference_to_a_linear_bias():
    def f(n_heads, L_q, L_k):
        bias = alibi_bias(n_heads, L_q, L_k)
        return np.where(bias == 0, 0, bias) + np.triu(np.ones((L_q, L_k)), 1 + L_k - L_q)

    assert check(f, form="alibi").ok


HEADS = """
def f(X, W_Q, W_K, W_V, W_O, n_heads, causal=False):
    B, L, D = X.shape
    q = X @ W_Q
    k = X @ W_K
    v = X @ W_V
    d_k, d_v = q.shape[-1] // n_heads, v.shape[-1] // n_heads
    q = q.reshape(B, L, n_heads, d_k).transpose(0, 2, 1, 3)
    k = k.reshape(B, L, n_heads, d_k).transpose(0, 2, 1, 3)
    v = v.reshape(B, L, n_heads, d_v).transpose(0, 2, 1, 3)
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d_k)
    if causal:
        s = np.where(np.tril(np.ones(s.shape[-2:], bool)), s, -np.inf)
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    o = (w @ v).transpose(0, 2, 1, 3).reshape(B, L, -1)
    return o @ W_O
"""
PER_HEAD = """
def f(X, W_Q, W_K, W_V, W_O, n_heads, causal=False):
    n, out = X.shape[1], []
    for h in range(n_heads):
        part = lambda W: np.split(W, n_heads, axis=1)[h]
        q, k, v = X @ part(W_Q), X @ part(W_K), X @ part(W_V)
        s = np.einsum("bid,bjd->bij", q, k) * q.shape[-1] ** -0.5
        if causal:
            s = s + np.triu(np.full((n, n), -np.inf), 1)
        e = np.exp(s - s.max(axis=2)[:, :, None])
        out.append(np.einsum("bij,bjd->bid", e / e.sum(axis=2)[:, :, None], v))
    return np.concatenate(out, axis=-1) @ W_O
"""
SPLIT = ".reshape(B, L, n_heads, {d}).transpose(0, 2, 1, 3)"
HEAD_EDITS = [
    (HEADS, "scale_missing", " / np.sqrt(d_k)", ""),
    (HEADS, "scale_model_dim", "np.sqrt(d_k)", "np.sqrt(D)"),
    (HEADS, "scale_model_dim", "np.sqrt(d_k)", "np.sqrt(d_k * n_heads)"),
    (HEADS, "heads_split_reshape", SPLIT.format(d="d_k"), ".reshape(B, n_heads, L, d_k)",
        SPLIT.format(d="d_v"), ".reshape(B, n_heads, L, d_v)"),
    (HEADS, "heads_split_reshape", SPLIT.format(d="d_v"), ".reshape(B, n_heads, L, d_v)"),
    (HEADS, "heads_merge_reshape", "(w @ v).transpose(0, 2, 1, 3)", "(w @ v)"),
    (HEADS, "heads_interleaved", SPLIT.format(d="d_k"), ".reshape(B, L, d_k, n_heads).transpose(0, 3, 1, 2)",
        SPLIT.format(d="d_v"), ".reshape(B, L, d_v, n_heads).transpose(0, 3, 1, 2)"),
    (HEADS, "projection_missing", "o @ W_O", "o"),
    (HEADS, "projection_T", "X @ W_Q", "X @ W_Q.T"),
    (HEADS, "projection_T", "o @ W_O", "o @ W_O.T"),
    (HEADS, "projection_swapped", "v = X @ W_V", "v = X @ W_K"),
    (HEADS, "layout", SPLIT.format(d="d_k"), ".reshape(B, L, n_heads, d_k)", SPLIT.format(d="d_v"),
        ".reshape(B, L, n_heads, d_v)", "(w @ v).transpose(0, 2, 1, 3)", "(w @ v)"),
    (HEADS, "batch_first", "    B, L, D", "    X = X.transpose(1, 0, 2)\n    B, L, D", "return o @ W_O",
        "return (o @ W_O).transpose(1, 0, 2)"),
    (HEADS, "causal_future", "np.tril", "np.triu"),
    (PER_HEAD, "scale_missing", " * q.shape[-1] ** -0.5", ""),
    (PER_HEAD, "scale_model_dim", "q.shape[-1] ** -0.5", "X.shape[-1] ** -0.5"),
    (PER_HEAD, "softmax_axis", "s.max(axis=2)[:, :, None]", "s.max(axis=1)[:, None]",
        "e.sum(axis=2)[:, :, None]", "e.sum(axis=1)[:, None]"),
    (PER_HEAD, "projection_T", "np.split(W,", "np.split(W.T,"),
    (PER_HEAD, "projection_missing", "np.concatenate(out, axis=-1) @ W_O", "np.concatenate(out, axis=-1)"),
    (PER_HEAD, "projection_swapped", "X @ part(W_Q), X @ part(W_K)", "X @ part(W_K), X @ part(W_Q)"),
    (PER_HEAD, "heads_merge_reshape", "np.concatenate(out, axis=-1)",
        "np.stack(out, axis=-1).reshape(*X.shape[:2], -1)"),
    (PER_HEAD, "heads_order", "np.concatenate(out,", "np.concatenate(out[::-1],"),
    (PER_HEAD, "causal_off_by_one", "-np.inf), 1)", "-np.inf), 2)"),
    (PER_HEAD, "causal_dropped", "if causal:", "if causal is None:"),
]  # fmt: skip


@pytest.mark.parametrize("source", [HEADS, PER_HEAD])
def test_several_heads_are_right_before_they_are_edited(source):
    report = check(compiled(source, "heads"), form="multihead")
    assert report.ok, str(report)


@pytest.mark.parametrize("edit", HEAD_EDITS, ids=[f"{n}-{edit[1]}" for n, edit in enumerate(HEAD_EDITS)])
def test_a_wrong_program_of_several_heads_is_named(edit):
    source, fault = edit[:2]
    for old, new in zip(edit[2::2], edit[3::2], strict=True):
        assert old in source
        source = source.replace(old, new)
    report = check(compiled(source, "heads"), form="multihead")
    assert [item.fault for item in report.diagnoses] == [fault], str(report)
    assert report.unexplained == ()
