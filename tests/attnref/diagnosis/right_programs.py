"""Programs that are right, a third of which look wrong. Each defines `f`; options are what the check is told."""

from typing import Any

import numpy as np

GUARD = """
def safe_softmax(x):
    m = x.max(axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(m), m, 0))
    z = e.sum(axis=-1, keepdims=True)
    return e / np.where(z == 0, 1, z)
"""

HIDE = """
def hide(s, mask, causal):
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    if causal:
        n, m = s.shape[-2:]
        s = np.where(np.arange(m) - np.arange(n)[:, None] <= m - n, s, -np.inf)
    return s
"""


def simple(body: str) -> str:
    return GUARD + HIDE + "\ndef f(Q, K, V, mask=None, causal=False, scale=None):\n" + body


RIGHT: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    return safe_softmax(hide(Q @ K.mT * a, mask, causal)) @ V
"""), {}),
    "shifted scores": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = Q @ K.mT * a
    return safe_softmax(hide(s + 7.25 + s[..., :1], mask, causal)) @ V
"""), {}),
    "fourth roots": (simple("""
    a = Q.shape[-1] ** -0.25 if scale is None else np.sqrt(scale)
    return safe_softmax(hide((Q * a) @ (K * a).mT, mask, causal)) @ V
"""), {}),
    "softmax, mask, renormalise": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = Q @ K.mT * a
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    w = w * np.isfinite(hide(np.zeros_like(s), mask, causal))
    z = w.sum(-1, keepdims=True)
    return np.divide(w, z, out=np.zeros_like(w), where=z > 0) @ V
"""), {}),
    "base two": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * (a * np.log2(np.e)), mask, causal)
    m = s.max(-1, keepdims=True)
    e = np.exp2(s - np.where(np.isfinite(m), m, 0))
    return np.nan_to_num(e / np.maximum(e.sum(-1, keepdims=True), 1e-30)) @ V
"""), {}),
    "online, one key at a time": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    m = np.full(s.shape[:-1], -np.inf); z = np.zeros(s.shape[:-1]); o = np.zeros(s.shape[:-1] + V.shape[-1:])
    for j in range(s.shape[-1]):
        new = np.maximum(m, s[..., j])
        base = np.where(np.isfinite(new), new, 0)
        old, now = np.exp(m - base), np.exp(s[..., j] - base)
        z = z * old + now
        o = o * old[..., None] + now[..., None] * V[..., None, j, :]
        m = new
    return o / np.where(z == 0, 1, z)[..., None]
"""), {}),
    "online, odd chunks": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    m = np.full(s.shape[:-1] + (1,), -np.inf); z = np.zeros_like(m); o = 0.0
    at, size = 0, 1
    while at < s.shape[-1]:
        block, values = s[..., at:at + size], V[..., at:at + size, :]
        new = np.maximum(m, block.max(-1, keepdims=True))
        base = np.where(np.isneginf(new), 0.0, new)
        p = np.exp(block - base)
        z = z * np.exp(m - base) + p.sum(-1, keepdims=True)
        o = o * np.exp(m - base) + p @ values
        m, at, size = new, at + size, size * 2 + 1
    return np.where(z > 0, o / np.where(z > 0, z, 1), 0)
"""), {}),
    "masked values zeroed": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    keep = s > -np.inf
    e = np.where(keep, np.exp(np.where(keep, s, 0) - np.where(keep, s, -np.inf).max(-1, keepdims=True,
        initial=-1e18)), 0)
    return (e @ V) / np.maximum(e.sum(-1, keepdims=True), 1e-30)
"""), {}),
    "divided after the blend": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    e = np.exp(s - np.maximum(s.max(-1, keepdims=True), -1e30))
    z = e.sum(-1)
    o = np.einsum("bhij,bhjd->bhid", e, V)
    return o / np.where(z, z, 1)[..., None]
"""), {}),
    "logsumexp": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    lse = np.logaddexp.reduce(s, axis=-1)
    return np.exp(s - np.where(np.isfinite(lse), lse, 0)[..., None]) @ V
"""), {}),
    "lists of lists": (simple("""
    import math
    out = []
    a = scale if scale is not None else Q.shape[-1] ** -0.5
    s = hide(np.einsum("bhid,bhjd->bhij", Q, K) * a, mask, causal).tolist()
    for b, sample in enumerate(s):
        out.append([])
        for h, head in enumerate(sample):
            out[b].append([])
            for row in head:
                top = max(row)
                e = [math.exp(x - top) if x > -math.inf else 0.0 for x in row]
                z = sum(e) or 1.0
                out[b][h].append([sum(p * V[b, h, j, c] for j, p in enumerate(e)) / z for c in range(V.shape[-1])])
    return out
"""), {}),
    "returns the weights too": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    w = safe_softmax(hide(Q @ K.mT * a, mask, causal))
    return w @ V, w
"""), {}),
    "returns the weights first": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    w = safe_softmax(hide(Q @ K.mT * a, mask, causal))
    return w, w @ V
"""), {}),
    "returns a dict": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    w = safe_softmax(hide(Q @ K.mT * a, mask, causal))
    return {"weights": w, "output": w @ V}
"""), {}),
    "small term in the denominator": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    e = np.exp(s - np.maximum(s.max(-1, keepdims=True), -1e30))
    return e / (e.sum(-1, keepdims=True) + 1e-9) @ V
"""), {}),
    "keys transposed by hand": (simple("""
    B, H, m, d = K.shape
    a = scale if scale is not None else d ** -0.5
    Kt = np.empty((B, H, d, m))
    for j in range(m):
        Kt[..., j] = K[:, :, j]
    return safe_softmax(hide(np.matmul(Q, Kt) * a, mask, causal)) @ V
"""), {}),
    "queries in chunks": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    return np.concatenate([safe_softmax(s[..., i:i + 2, :]) @ V for i in range(0, s.shape[-2], 2)], axis=-2)
"""), {}),
    "heads in a loop": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    return np.stack([safe_softmax(s[:, h]) @ V[:, h] for h in range(s.shape[1])], axis=1)
"""), {}),
    "additive penalties": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = Q @ K.mT * a
    penalty = hide(np.zeros_like(s), mask, causal)
    return safe_softmax(s + penalty) @ V
"""), {}),
    "allowed cells plus one": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = Q @ K.mT * a
    return safe_softmax(s + hide(np.ones_like(s), mask, causal)) @ V
"""), {}),
    "triu above the diagonal": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, False)
    if causal:
        n, m = s.shape[-2:]
        with np.errstate(invalid="ignore"):
            s = s + np.triu(np.full((n, m), -np.inf), k=m - n + 1)
    return safe_softmax(s) @ V
"""), {}),
    "no options": ("""
def f(q, k, v):
    s = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(k.shape[-1])
    e = np.exp(s - s.max(axis=3, keepdims=True))
    return np.einsum("bhij,bhjd->bhid", e / e.sum(axis=3, keepdims=True), v)
""", {}),
    "mask of False": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    return safe_softmax(hide(Q @ K.mT * a, None if mask is None else ~mask, causal)) @ V
"""), {"mask": "hide"}),
    "additive mask": (GUARD + """
def f(Q, K, V, mask=None):
    s = Q @ K.mT / np.sqrt(Q.shape[-1])
    return safe_softmax(s if mask is None else s + mask) @ V
""", {"mask": "additive"}),
    "first query at first key": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, False)
    if causal:
        s = np.where(np.tril(np.ones(s.shape[-2:], bool)), s, -np.inf)
    return safe_softmax(s) @ V
"""), {"causal_align": "top_left"}),
    "mean of an empty row": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    return safe_softmax(np.where(np.isneginf(s).all(-1, keepdims=True), 0, s)) @ V
"""), {"empty_row": "mean"}),
    "NaN in an empty row": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = hide(Q @ K.mT * a, mask, causal)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V
"""), {"empty_row": "nan"}),
    "length before heads": (simple("""
    Q, K, V = (np.swapaxes(x, 1, 2) for x in (Q, K, V))
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    return np.swapaxes(safe_softmax(hide(Q @ K.mT * a, mask, causal)) @ V, 1, 2)
"""), {"layout": "BLHD"}),
    "no heads": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    return safe_softmax(hide(np.einsum("bid,bjd->bij", Q, K) * a, mask, causal)) @ V
"""), {"layout": "BLD"}),
    "two axes": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    return safe_softmax(hide(Q @ K.T * a, mask, causal)) @ V
"""), {"layout": "LD"}),
    "float32": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    return (safe_softmax(hide((Q @ K.mT * a).astype(np.float32), mask, causal)) @ V).astype(np.float32)
"""), {"dtype": np.float32}),
    "mask must be given": (simple("""
    raise AssertionError
""").replace("mask=None, causal=False, scale=None", "mask").replace("    raise AssertionError\n", """
    return safe_softmax(hide(Q @ K.mT / np.sqrt(Q.shape[-1]), mask, False)) @ V
"""), {}),
    "own buffers": (simple("""
    a = scale if scale is not None else 1 / np.sqrt(Q.shape[-1])
    s = np.matmul(Q, np.swapaxes(K, -1, -2))
    s *= a
    s = hide(s, mask, causal).copy()
    m = s.max(-1, keepdims=True); m[np.isneginf(m)] = 0
    s -= m
    np.exp(s, out=s)
    z = s.sum(-1, keepdims=True); z[z == 0] = 1
    s /= z
    return s @ V
"""), {}),
    "window and softcap": (GUARD + """
def f(Q, K, V, mask=None, causal=False, scale=None, bias=None, window=None, softcap=None):
    a = scale if scale is not None else Q.shape[-1] ** -0.5
    s = a * (Q @ K.mT)
    if softcap:
        s = np.tanh(s / softcap) * softcap
    if bias is not None:
        s = s + bias
    n, m = s.shape[-2:]
    j, i = np.arange(m), np.arange(n)[:, None] + (m - n)
    ok = np.ones((n, m), bool)
    left, right = window or (None, None)
    if causal:
        right = 0 if right is None else min(right, 0)
    if left is not None:
        ok = ok & (j >= i - left)
    if right is not None:
        ok = ok & (j <= i + right)
    if mask is not None:
        ok = ok & mask
    return safe_softmax(np.where(ok, s, -np.inf)) @ V
""", {}),
}  # fmt: skip

TORCH_RIGHT: dict[str, tuple[str, dict[str, Any]]] = {
    "torch SDPA": ("""
def f(Q, K, V, attn_mask=None, is_causal=False, scale=None):
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=attn_mask, is_causal=is_causal, scale=scale)
""", {"causal_align": "top_left"}),
    "torch with gradients": ("""
def f(Q, K, V, mask=None, causal=False):
    Q = Q.clone().requires_grad_()
    s = torch.einsum("bhid,bhjd->bhij", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -torch.inf)
    if causal:
        s = s.masked_fill(torch.ones(s.shape[-2:]).triu(1 + s.shape[-1] - s.shape[-2]).bool(), -torch.inf)
    return torch.nan_to_num(s.softmax(-1)) @ V
""", {}),
    "torch baddbmm": ("""
def f(Q, K, V):
    B, H, n, d = Q.shape
    s = torch.bmm(Q.reshape(B * H, n, d), K.reshape(B * H, -1, d).transpose(1, 2)) / d ** 0.5
    return torch.bmm(F.softmax(s, dim=-1), V.reshape(B * H, -1, V.shape[-1])).reshape(B, H, n, -1)
""", {}),
}  # fmt: skip
JAX_RIGHT: dict[str, tuple[str, dict[str, Any]]] = {
    "jax.nn": ("""
def f(Q, K, V, mask=None, is_causal=False, scale=None):
    Q, K = (jnp.asarray(x) for x in (Q, K))
    return jax.nn.dot_product_attention(Q, K, jnp.asarray(V),
        mask=None if mask is None else jnp.asarray(mask), is_causal=is_causal, scale=scale)
""", {"layout": "BLHD", "causal_align": "top_left", "empty_row": "mean"}),
    "jnp": ("""
def f(Q, K, V, mask=None, causal=False):
    s = jnp.einsum("bhid,bhjd->bhij", Q, K) / jnp.sqrt(Q.shape[-1])
    if mask is not None:
        s = jnp.where(mask, s, -jnp.inf)
    if causal:
        s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], bool), s.shape[-1] - s.shape[-2]), s, -jnp.inf)
    return jnp.nan_to_num(jax.nn.softmax(s, axis=-1)) @ V
""", {}),
}  # fmt: skip
