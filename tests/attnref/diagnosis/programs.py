"""Attention written in four styles, and edits that make each of them wrong: (fault, old text, new text, …).

The programs know nothing of the checker's pipeline: each style is a whole program of its own, with its own way
to mask, to normalise and to treat a query that may see nothing.
"""

import math
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

LOOPS = """
def f(Q, K, V, mask=None, causal=False, scale=None):
    B, H, n, d = Q.shape
    m = K.shape[2]
    out = np.zeros((B, H, n, V.shape[-1]))
    factor = 1 / math.sqrt(d) if scale is None else scale
    for b in range(B):
        for h in range(H):
            for i in range(n):
                s = []
                for j in range(m):
                    s.append(factor * sum(float(Q[b, h, i, c]) * float(K[b, h, j, c]) for c in range(d)))
                ok = [True] * m
                if mask is not None:
                    M = np.broadcast_to(mask, (B, H, n, m))
                    ok = [bool(M[b, h, i, j]) for j in range(m)]
                if causal:
                    ok = [ok[j] and j <= i + m - n for j in range(m)]
                if not any(ok):
                    continue
                s = [s[j] if ok[j] else -math.inf for j in range(m)]
                top = max(s)
                e = [math.exp(x - top) for x in s]
                z = sum(e)
                w = [x / z for x in e]
                for j in range(m):
                    if w[j] > 0:
                        out[b, h, i] += w[j] * V[b, h, j]
    return out
"""

EINSUM = """
def f(q, k, v, mask=None, causal=False, scale=None):
    d = q.shape[-1]
    if scale is None:
        scale = d ** -0.5
    scores = np.einsum("bhid,bhjd->bhij", q * scale, k)
    L, S = scores.shape[-2:]
    hidden = np.zeros(scores.shape, dtype=bool)
    if causal:
        hidden |= np.triu(np.ones((L, S), dtype=bool), k=1 + S - L)
    if mask is not None:
        hidden |= ~mask
    scores[hidden] = -np.inf
    scores -= np.maximum(scores.max(axis=-1, keepdims=True), -1e300)
    weights = np.exp(scores)
    total = np.einsum("bhij->bhi", weights)[..., None]
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return np.einsum("bhij,bhjd->bhid", weights, v)
"""

MATMUL = """
def softmax(x):
    m = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(m), m, 0))
    z = e.sum(axis=-1, keepdims=True)
    return e / np.where(z == 0, 1, z)

def f(queries, keys, values, mask=None, causal=False, scale=None):
    d_k = queries.shape[-1]
    dots = np.matmul(queries, np.transpose(keys, (0, 1, 3, 2)))
    scores = dots / np.sqrt(d_k) if scale is None else dots * scale
    allow = None
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    if causal:
        t, u = scores.shape[-2], scores.shape[-1]
        tri = np.tril(np.ones((t, u)), k=u - t)
        scores = np.where(tri == 1, scores, -np.inf)
    attention_weights = softmax(scores)
    return np.matmul(attention_weights, values)
"""

TORCH = """
def f(query, key, value, attn_mask=None, is_causal=False, scale=None):
    L, S = query.size(-2), key.size(-2)
    scale_factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    attn_bias = torch.zeros(query.size(0), query.size(1), L, S, dtype=query.dtype)
    if is_causal:
        temp_mask = torch.ones(L, S, dtype=torch.bool).tril(diagonal=S - L)
        attn_bias.masked_fill_(temp_mask.logical_not(), float("-inf"))
    if attn_mask is not None:
        attn_bias = attn_bias.masked_fill(attn_mask.logical_not(), float("-inf"))
    attn_weight = query @ key.transpose(-2, -1) * scale_factor
    attn_weight = attn_weight + attn_bias
    attn_weight = torch.softmax(attn_weight, dim=-1)
    attn_weight = torch.where(torch.isneginf(attn_bias).all(-1, keepdim=True), 0.0, attn_weight)
    return attn_weight @ value
"""

SOURCES = {"loops": LOOPS, "einsum": EINSUM, "matmul": MATMUL, "torch": TORCH}

Edit = tuple[str, ...]

EDITS: dict[str, list[Edit]] = {
    "loops": [
        ("scale_missing", "1 / math.sqrt(d) if", "1.0 if"),
        ("scale_model_dim", "math.sqrt(d) if", "math.sqrt(H * d) if"),
        ("scale_inverse", "1 / math.sqrt(d) if", "math.sqrt(d) if"),
        ("scale_wrong_dim", "math.sqrt(d) if", "math.sqrt(V.shape[-1]) if"),
        ("scale_wrong_dim", "math.sqrt(d) if", "math.sqrt(64) if"),
        ("scale_wrong_dim", "math.sqrt(d) if", "math.sqrt(m) if"),
        ("scale_default_zero", "1 / math.sqrt(d) if", "0.0 if"),
        ("scale_no_root", "math.sqrt(d) if", "d if"),
        ("scale_arg_ignored", "if scale is None else scale", ""),
        ("softmax_unnormalised", "w = [x / z for x in e]", "w = e"),
        ("softmax_overflow", "top = max(s)", "top = 0", "math.exp(x - top)", "float(np.exp(np.float64(x)))"),
        ("softmax_const_max", "top = max(s)", "top = 10", "math.exp(x - top)", "float(np.exp(np.float64(x - 10)))"),
        ("online_sentinel", "top = max(s)", "top = max([-5e4] + s)", "z = sum(e)", "z = sum(e) or 1.0"),
        ("off_by_one_shift", "z = sum(e)", "z = sum(e) + 1"),
        ("softmax_plus_one", "z = sum(e)", "z = sum(e) + math.exp(min(-top, 700))"),
        ("mask_inverted", "bool(M[b, h, i, j])", "not M[b, h, i, j]"),
        ("mask_ignored", "if mask is not None:", "if False:"),
        ("mask_multiplied", "s[j] if ok[j] else -math.inf", "s[j] if ok[j] else 0.0", "if not any(ok):", "if False:"),
        ("mask_constant_leak", "else -math.inf", "else -10000.0", "if not any(ok):", "if False:"),
        ("mask_constant_leak", "else -math.inf", "else -1000.0"),
        ("masked_row_uniform", "else -math.inf", "else -1e9", "if not any(ok):", "if False:"),
        ("masked_row_nan", "continue", "out[b, h, i] = math.nan\n                    continue"),
        ("mask_bool_added", "s[j] if ok[j] else -math.inf", "s[j] + ok[j]", "if not any(ok):", "if False:"),
        ("mask_after_softmax", "s[j] if ok[j] else -math.inf", "s[j]", "if w[j] > 0:", "if ok[j]:"),
        ("causal_dropped", "if causal:", "if causal and mask is not None and False:"),
        ("causal_off_by_one", "j <= i + m - n", "j <= i + m - n + 1"),
        ("causal_off_by_one", "j <= i + m - n", "j < i + m - n"),
        ("causal_alignment", "j <= i + m - n", "j <= i"),
        ("kv_first_key_only", "j <= i + m - n", "j <= (i if n == 1 else i + m - n)"),
        ("causal_future", "j <= i + m - n", "j >= i + m - n"),
        ("values_ignored", "np.zeros((B, H, n, V.shape[-1]))", "np.zeros((B, H, n, d))", "* V[b, h, j]",
            "* K[b, h, j]"),
        ("heads_mixed", "float(K[b, h, j, c])", "float(K[b, 0, j, c])", "* V[b, h, j]", "* V[b, 0, j]"),
        ("batch_mixed", "float(K[b, h, j, c])", "float(K[0, h, j, c])", "* V[b, h, j]", "* V[0, h, j]"),
        ("mask_head_order", "bool(M[b, h, i, j])", "bool(M[(b * H + h) % B, 0, i, j])"),
        ("causal_dropped", "if causal:", "elif causal:"),
    ],
    "einsum": [
        ("scale_missing", "d ** -0.5", "1.0"),
        ("scale_model_dim", "d ** -0.5", "(q.shape[1] * d) ** -0.5"),
        ("scale_inverse", "d ** -0.5", "d ** 0.5"),
        ("scale_wrong_dim", "d ** -0.5", "k.shape[-2] ** -0.5"),
        ("scale_no_root", "d ** -0.5", "d ** -1.0"),
        ("scale_one_side", "d ** -0.5", "d ** -0.25"),
        ("scale_default_zero", "if scale is None:\n        scale = d ** -0.5", "scale = scale or 0.0"),
        ("scale_arg_ignored", "if scale is None:", "if True:"),
        ("softmax_axis", "scores.max(axis=-1, keepdims=True)", "scores.max(axis=-2, keepdims=True)",
            '"bhij->bhi", weights)[..., None]', '"bhij->bhj", weights)[:, :, None]'),
        ("softmax_axis_batch", "scores.max(axis=-1, keepdims=True)", "scores.max(axis=0, keepdims=True)",
            '"bhij->bhi", weights)[..., None]', '"bhij->hij", weights)[None]'),
        ("softmax_axis_heads", "scores.max(axis=-1, keepdims=True)", "scores.max(axis=1, keepdims=True)",
            '"bhij->bhi", weights)[..., None]', '"bhij->bij", weights)[:, None]'),
        ("softmax_overflow", "    scores -= np.maximum(scores.max(axis=-1, keepdims=True), -1e300)\n", ""),
        ("softmax_global_max", "scores.max(axis=-1, keepdims=True)", "scores.max()"),
        ("softmax_const_max", "np.maximum(scores.max(axis=-1, keepdims=True), -1e300)", "50.0"),
        ("online_sentinel", "-1e300", "-1e4"),
        ("softmax_downcast", "weights = np.exp(scores)", "weights = np.exp(scores.astype(np.float32))"),
        ("softmax_low_precision", "weights = np.exp(scores)", "weights = np.exp(scores.astype(np.float16))"),
        ("mask_inverted", "~mask", "mask"),
        ("mask_ignored", "hidden |= ~mask", "pass"),
        ("mask_ignored", "if mask is not None:", "elif mask is not None:"),
        ("mask_multiplied", "scores[hidden] = -np.inf", "scores *= ~hidden"),
        ("mask_constant_leak", "scores[hidden] = -np.inf", "scores[hidden] = -1e4"),
        ("masked_row_uniform", "scores[hidden] = -np.inf", "scores[hidden] = -1e9"),
        ("masked_row_uniform", "scores[hidden] = -np.inf", "scores = scores - 1e9 * hidden"),
        ("mask_constant_leak", "scores[hidden] = -np.inf", "scores = scores - 100 * hidden"),
        ("masked_row_nan", "out=np.zeros_like(weights), where=total > 0",
            "out=np.full_like(weights, np.nan), where=total > 0"),
        ("mask_after_softmax", "scores[hidden] = -np.inf\n", "\n", "return", "weights[hidden] = 0\n    return"),
        ("mask_bool_added", "scores[hidden] = -np.inf", "scores += ~hidden"),
        ("causal_dropped", "if causal:", "if causal and L == S and L > 100:"),
        ("causal_off_by_one", "k=1 + S - L", "k=2 + S - L"),
        ("causal_off_by_one", "k=1 + S - L", "k=S - L"),
        ("causal_alignment", "k=1 + S - L", "k=1"),
        ("causal_inverted", "np.triu(np.ones((L, S), dtype=bool), k=1 + S - L)",
            "np.tril(np.ones((L, S), dtype=bool), k=S - L)"),
        ("values_ignored", "weights, v)", "weights, k)"),
        ("weights_returned", 'return np.einsum("bhij,bhjd->bhid", weights, v)', "return weights"),
        ("heads_mixed", '"bhid,bhjd->bhij"', '"bhid,bgjd->bhij"'),
        ("batch_mixed", '"bhid,bhjd->bhij"', '"bhid,chjd->bhij"'),
        ("output_layout", "->bhid", "->bihd"),
        ("scale_after_softmax", "q * scale", "q", "return np.einsum",
            "weights = weights * scale\n    return np.einsum"),
        ("softmax_twice", "    return np",
            "    e2 = np.exp(weights)\n    weights = e2 / e2.sum(-1, keepdims=True)\n    return np"),
    ],
    "matmul": [
        ("scale_missing", "dots / np.sqrt(d_k) if", "dots if"),
        ("scale_model_dim", "np.sqrt(d_k) if", "np.sqrt(queries.shape[1] * d_k) if"),
        ("scale_inverse", "dots / np.sqrt(d_k) if", "dots * np.sqrt(d_k) if"),
        ("scale_wrong_dim", "np.sqrt(d_k) if", "np.sqrt(values.shape[-1]) if"),
        ("scale_wrong_dim", "np.sqrt(d_k) if", "8.0 if"),
        ("scale_arg_ignored", "dots * scale", "dots / np.sqrt(d_k)"),
        ("scale_arg_inverse", "dots * scale", "dots / scale"),
        ("scale_arg_on_top", "dots * scale", "dots * scale / np.sqrt(d_k)"),
        ("scale_negative", "dots / np.sqrt(d_k) if", "-dots / np.sqrt(d_k) if", "dots * scale", "-dots * scale"),
        ("softmax_axis", "np.max(x, axis=-1", "np.max(x, axis=-2", "e.sum(axis=-1", "e.sum(axis=-2"),
        ("softmax_axis_batch", "np.max(x, axis=-1", "np.max(x, axis=0", "e.sum(axis=-1", "e.sum(axis=0"),
        ("softmax_axis_heads", "np.max(x, axis=-1", "np.max(x, axis=1", "e.sum(axis=-1", "e.sum(axis=1"),
        ("softmax_axis_all", "np.max(x, axis=-1, keepdims=True)", "np.max(x)",
            "e.sum(axis=-1, keepdims=True)", "e.sum()"),
        ("softmax_overflow", "np.exp(x - np.where(np.isfinite(m), m, 0))", "np.exp(x)"),
        ("softmax_global_max", "np.max(x, axis=-1, keepdims=True)", "np.max(x)"),
        ("softmax_unnormalised", "e / np.where(z == 0, 1, z)", "e"),
        ("softmax_base", "np.exp(x -", "np.exp2(x -"),
        ("softmax_missing", "softmax(scores)", "scores"),
        ("mask_inverted", "np.where(mask, scores, -np.inf)", "np.where(mask, -np.inf, scores)"),
        ("mask_ignored", "np.where(mask, scores, -np.inf)", "scores"),
        ("mask_multiplied", "np.where(mask, scores, -np.inf)", "scores * mask"),
        ("mask_multiplied", "np.where(mask, scores, -np.inf)", "np.where(mask, scores, 1e-9)"),
        ("mask_bool_added", "np.where(mask, scores, -np.inf)", "scores + mask"),
        ("mask_constant_leak", "np.where(mask, scores, -np.inf)", "np.where(mask, scores, -1e4)"),
        ("mask_constant_leak", "np.where(mask, scores, -np.inf)", "np.where(mask, scores, -20.0)"),
        ("mask_constant_leak", "np.where(mask, scores, -np.inf)", "np.where(mask, scores, -7.5)"),
        ("masked_row_uniform", "np.where(mask, scores, -np.inf)", "np.where(mask, scores, -1e9)",
            "np.where(tri == 1, scores, -np.inf)", "np.where(tri == 1, scores, -1e9)"),
        ("masked_row_uniform", "np.where(mask, scores, -np.inf)", "scores + (1 - mask) * -1e9",
            "np.where(tri == 1, scores, -np.inf)", "scores + (1 - tri) * -1e9"),
        ("masked_row_uniform", "np.where(mask, scores, -np.inf)",
            "np.where(mask, scores, np.finfo(np.float32).min)", "np.where(tri == 1, scores, -np.inf)",
            "np.where(tri == 1, scores, np.finfo(np.float32).min)"),
        ("masked_row_nan", "np.where(np.isfinite(m), m, 0)", "m", "np.where(z == 0, 1, z)", "z"),
        ("mask_after_softmax", "scores = np.where(mask, scores, -np.inf)", "allow = mask",
            "    return np.matmul(attention",
            "    if allow is not None:\n        attention_weights = attention_weights * allow\n    return np.matmul(attention"),
        ("mask_transposed", "np.where(mask, scores", "np.where(np.swapaxes(mask, -1, -2), scores"),
        ("causal_dropped", "scores = np.where(tri == 1, scores, -np.inf)", "pass"),
        ("causal_off_by_one", "k=u - t", "k=u - t + 1"),
        ("causal_off_by_one", "k=u - t", "k=u - t - 1"),
        ("causal_alignment", "k=u - t", "k=0"),
        ("causal_future", "np.tril(np.ones((t, u)), k=u - t)", "np.triu(np.ones((t, u)), k=u - t)"),
        ("values_ignored", "np.matmul(attention_weights, values)", "np.matmul(attention_weights, keys)"),
        ("keys_reshaped", "np.transpose(keys, (0, 1, 3, 2))",
            "keys.reshape(keys.shape[0], keys.shape[1], keys.shape[3], -1)"),
        ("layout", "    d_k =",
            "    queries, keys, values = (x.transpose(0, 2, 1, 3) for x in (queries, keys, values))\n    d_k =", "return np.matmul(attention_weights, values)", "return np.matmul(attention_weights, values).transpose(0, 2, 1, 3)"),
        ("batch_first", "    d_k =",
            "    queries, keys, values = (x.transpose(2, 1, 0, 3) for x in (queries, keys, values))\n    d_k =", "return np.matmul(attention_weights, values)", "return np.matmul(attention_weights, values).transpose(2, 1, 0, 3)"),
        ("roles_swapped", "    d_k =", "    queries, keys = keys, queries\n    d_k ="),
        ("online_sentinel", "np.where(np.isfinite(m), m, 0)", "np.maximum(m, -1e3)"),
    ],
    "torch": [
        ("scale_missing", "1 / math.sqrt(query.size(-1)) if", "1.0 if"),
        ("scale_model_dim", "math.sqrt(query.size(-1)) if", "math.sqrt(query.size(1) * query.size(-1)) if"),
        ("scale_inverse", "1 / math.sqrt(query.size(-1)) if", "math.sqrt(query.size(-1)) if"),
        ("scale_wrong_dim", "math.sqrt(query.size(-1)) if", "math.sqrt(S) if"),
        ("scale_arg_ignored", "if scale is None else scale", ""),
        ("softmax_axis", "dim=-1)", "dim=-2)"),
        ("softmax_axis_batch", "dim=-1)", "dim=0)"),
        ("softmax_axis_heads", "dim=-1)", "dim=1)"),
        ("softmax_downcast", "torch.softmax(attn_weight, dim=-1)",
            "torch.softmax(attn_weight.float(), dim=-1).to(value.dtype)"),
        ("softmax_low_precision", "torch.softmax(attn_weight, dim=-1)",
            "torch.softmax(attn_weight.half(), dim=-1).to(value.dtype)"),
        ("mask_inverted", "attn_mask.logical_not()", "attn_mask"),
        ("mask_ignored", "if attn_mask is not None:", "if attn_mask is not None and False:"),
        ("mask_ignored", "if attn_mask is not None:", "if attn_mask is not None and not is_causal:"),
        ("mask_bool_added", "attn_bias = attn_bias.masked_fill(attn_mask.logical_not(), float(\"-inf\"))",
            "attn_bias = attn_bias + attn_mask"),
        ("mask_constant_leak", "attn_mask.logical_not(), float(\"-inf\")", "attn_mask.logical_not(), -30.0"),
        ("masked_row_uniform", "float(\"-inf\")", "-1e9"),
        ("masked_row_nan",
            "    attn_weight = torch.where(torch.isneginf(attn_bias).all(-1, keepdim=True), 0.0, attn_weight)\n", ""),
        ("mask_after_softmax", "attn_bias = attn_bias.masked_fill(attn_mask.logical_not(), float(\"-inf\"))",
            "pass", "    return",
            "    if attn_mask is not None:\n        attn_weight = attn_weight * attn_mask\n    return"),
        ("causal_dropped", "if is_causal:", "if is_causal and attn_mask is not None:"),
        ("causal_off_by_one", "diagonal=S - L", "diagonal=S - L + 1"),
        ("causal_alignment", "diagonal=S - L", "diagonal=0"),
        ("causal_inverted", "temp_mask.logical_not()", "temp_mask"),
        ("values_ignored", "attn_weight @ value", "attn_weight @ key"),
        ("layout", "    L, S",
            "    query, key, value = (x.transpose(1, 2) for x in (query, key, value))\n    L, S",
            "attn_weight @ value", "(attn_weight @ value).transpose(1, 2)"),
        ("output_layout", "attn_weight @ value", "(attn_weight @ value).transpose(1, 2).flatten(2)"),
        ("dropout_eval", "    return", "    attn_weight = torch.dropout(attn_weight, 0.5, True)\n    return"),
    ],
}  # fmt: skip


def compiled(source: str, name: str, **names: Any) -> Callable[..., Any]:
    """The function `f` of a program."""
    import numpy as np

    scope: dict[str, Any] = {"np": np, "math": math, **names}
    exec(compile(textwrap.dedent(source), name, "exec"), scope)
    return scope["f"]


def edited(style: str, edit: Edit) -> str:
    """A program with its edits; each must hit something."""
    source = SOURCES[style]
    for old, new in zip(edit[1::2], edit[2::2], strict=True):
        assert old in source, f"{style}: {old!r} is not in the program"
        source = source.replace(old, new)
    return source


def wrong_programs() -> Iterator[tuple[str, str, str]]:
    """Style, fault and source of every wrong program."""
    for style, edits in EDITS.items():
        for edit in edits:
            yield style, edit[0], edited(style, edit)
