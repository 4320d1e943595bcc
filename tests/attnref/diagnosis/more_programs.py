"""More functions in three styles, and edits that make each of them wrong, as in `form_programs`."""

from tests.attnref.diagnosis.form_programs import LIST_SOFTMAX, SOFTMAX, Edit

PROGRAMS: dict[tuple[str, str], str] = {}
EDITS: dict[tuple[str, str], list[Edit]] = {}


# Sinks ----------------------------------------------------------------------------------------------------------

PROGRAMS["sinks", "loops"] = (
    LIST_SOFTMAX
    + """
def f(Q, K, V, sink, causal=False):
    B, H, n, d = Q.shape
    m = K.shape[2]
    out = np.zeros((B, H, n, V.shape[3]))
    for b, h, i in np.ndindex(B, H, n):
        s = [dot(Q[b, h, i], K[b, h, j]) / math.sqrt(d) if not causal or j <= i + m - n else -math.inf for j in range(m)]
        w = shares(s + [float(sink[h])])
        out[b, h, i] = sum(w[j] * V[b, h, j] for j in range(m))
    return out
"""
)
EDITS["sinks", "loops"] = [
    ("sink_wrong", "s + [float(sink[h])]", "s"),
    ("sink_wrong", "s + [float(sink[h])]", "s + [float(sink[h])] * 2"),
    ("sink_wrong", "float(sink[h])", "float(sink[h]) / math.sqrt(d)"),
    ("sink_head", "sink[h]", "sink[0]"),
    ("sink_value", "out[b, h, i] = sum(", "out[b, h, i] = w[m] * V[b, h, 0] + sum("),
    ("scale_missing", " / math.sqrt(d)", ""),
]  # fmt: skip
PROGRAMS["sinks", "einsum"] = """
def f(q, k, v, sinks, mask=None, causal=False, scale=None, softcap=None):
    s = np.einsum("bhid,bhjd->bhij", q, k) * (scale or q.shape[-1] ** -0.5)
    if softcap:
        s = softcap * np.tanh(s / softcap)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    if causal:
        i, j = s.shape[-2:]
        s = np.where(np.tri(i, j, j - i, dtype=bool), s, -np.inf)
    z = sinks.reshape(1, -1, 1, 1)
    top = np.maximum(s.max(-1, keepdims=True), -1e30)
    e = np.exp(s - top)
    with np.errstate(over="ignore"):
        total = e.sum(-1, keepdims=True) + np.exp(z - top)
    return np.einsum("bhij,bhjd->bhid", e / np.where(total == 0, 1, total), v)
"""
EDITS["sinks", "einsum"] = [
    ("sink_shift", "np.exp(z - top)", "np.exp(z)"),
    ("sink_wrong", "np.exp(z - top)", "2 * np.exp(z - top)"),
    ("sink_wrong", "np.exp(z - top)", "0"),
    ("sink_wrong", "np.exp(z - top)", "z"),
    ("sink_wrong", "np.exp(z - top)", "np.exp((softcap * np.tanh(z / softcap) if softcap else z) - top)"),
    ("sink_head", "sinks.reshape(1, -1, 1, 1)", "sinks[::-1].reshape(1, -1, 1, 1)"),
    ("mask_inverted", "np.where(mask, s, -np.inf)", "np.where(mask, -np.inf, s)"),
    ("causal_alignment", "np.tri(i, j, j - i", "np.tri(i, j, 0"),
]  # fmt: skip
PROGRAMS["sinks", "torch"] = """
def f(query, key, value, sinks, attn_mask=None):
    qk = torch.matmul(query, key.transpose(2, 3)) * query.shape[-1] ** -0.5
    if attn_mask is not None:
        qk = qk.masked_fill(~attn_mask, float("-inf"))
    column = sinks.reshape(1, -1, 1, 1).expand(query.shape[0], -1, query.shape[2], -1)
    combined = torch.cat([qk, column], dim=-1)
    probs = torch.softmax(combined, dim=-1)
    return torch.matmul(probs[..., :-1], value)
"""
EDITS["sinks", "torch"] = [
    ("sink_wrong", "torch.matmul(probs[..., :-1], value)", "torch.matmul(probs[..., :-1] / probs[..., :-1].sum(-1, keepdim=True), value)"),
    ("sink_wrong", "column = sinks", "sinks = sinks * query.shape[-1] ** -0.5\n    column = sinks"),
    ("sink_wrong", "torch.cat([qk, column]", "torch.cat([qk, -column]"),
    ("softmax_axis_heads", "dim=-1)\n    return", "dim=1)\n    return"),
    ("scale_missing", " * query.shape[-1] ** -0.5", ""),
]  # fmt: skip


# Dropout --------------------------------------------------------------------------------------------------------

PROGRAMS["dropout", "loops"] = (
    LIST_SOFTMAX
    + """
def f(Q, K, V, keep, p):
    B, H, n, d = Q.shape
    out = np.zeros((B, H, n, V.shape[3]))
    for b, h, i in np.ndindex(B, H, n):
        w = shares([dot(Q[b, h, i], key) / math.sqrt(d) for key in K[b, h]])
        kept = [x / (1 - p) if keep[b, h, i, j] else 0.0 for j, x in enumerate(w)]
        for j, x in enumerate(kept):
            out[b, h, i] += x * V[b, h, j]
    return out
"""
)
EDITS["dropout", "loops"] = [
    ("dropout_scale", "x / (1 - p)", "x"),
    ("dropout_scale", "x / (1 - p)", "(x / p if p else x)"),
    ("dropout_inverted", "if keep[b, h, i, j]", "if not keep[b, h, i, j]"),
    ("dropout_ignored", "x / (1 - p) if keep[b, h, i, j] else 0.0", "x"),
    ("dropout_in_denominator", "        for j, x in enumerate(kept)", "        total = sum(kept) or 1.0\n        kept = [x / total for x in kept]\n        for j, x in enumerate(kept)"),
]  # fmt: skip
PROGRAMS["dropout", "einsum"] = (
    SOFTMAX
    + """
def f(q, k, v, keep, p, mask=None, causal=False):
    s = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    if causal:
        s = s + np.triu(np.full(s.shape[-2:], -np.inf), 1 + s.shape[-1] - s.shape[-2])
    w = softmax(s)
    dropped = w * keep / (1 - p)
    return np.einsum("bhij,bhjd->bhid", dropped, v), w
"""
)
EDITS["dropout", "einsum"] = [
    ("dropout_in_denominator", "w = softmax(s)", "w = softmax(np.where(keep, s, -np.inf))", "dropped, v), w", "dropped, v)"),
    ("dropout_in_denominator", "w = softmax(s)", "w = softmax(np.where(keep, s, -np.inf))", "w * keep / (1 - p)", "w", "dropped, v), w", "dropped, v)"),
    ("weights_after_dropout", "dropped, v), w", "dropped, v), dropped"),
    ("dropout_scale", "w * keep / (1 - p)", "w * keep * (1 - p)"),
    ("causal_off_by_one", "1 + s.shape[-1]", "2 + s.shape[-1]"),
]  # fmt: skip
PROGRAMS["dropout", "torch"] = """
def f(q, k, v, keep, p, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    attn = weights.masked_fill(~keep, 0.0) / (1.0 - p)
    return attn @ v, weights
"""
EDITS["dropout", "torch"] = [
    ("weights_after_dropout", "attn @ v, weights", "attn @ v, attn"),
    ("dropout_scale", " / (1.0 - p)", ""),
    ("dropout_on_scores", "weights = torch.softmax(scores, dim=-1)", "weights = torch.softmax(scores * keep / (1.0 - p), dim=-1)", "weights.masked_fill(~keep, 0.0) / (1.0 - p)", "weights", "attn @ v, weights", "attn @ v", "scores.masked_fill(~mask, -torch.inf)", "scores", "mask=None", "unused=None", "if mask is not None:", "if False:"),
    ("dropout_inverted", "masked_fill(~keep", "masked_fill(keep"),
    ("dropout_ignored", "weights.masked_fill(~keep, 0.0) / (1.0 - p)", "weights"),
]  # fmt: skip


# YaRN's scale ---------------------------------------------------------------------------------------------------

PROGRAMS["yarn", "loops"] = (
    LIST_SOFTMAX
    + """
def get_mscale(scale, m):
    if scale <= 1:
        return 1.0
    return 0.1 * m * math.log(scale) + 1.0

def f(Q, K, V, factor, mscale, mscale_all_dim, causal=False):
    B, H, n, d = Q.shape
    m = K.shape[2]
    scale = d ** -0.5
    correction = get_mscale(factor, mscale_all_dim)
    scale = scale * correction * correction
    out = np.zeros((B, H, n, V.shape[3]))
    for b, h, i in np.ndindex(B, H, n):
        s = [scale * dot(Q[b, h, i], K[b, h, j]) for j in range(m)]
        if causal:
            s = [x if j <= i + m - n else -math.inf for j, x in enumerate(s)]
        out[b, h, i] = np.array(shares(s)) @ V[b, h]
    return out
"""
)
EDITS["yarn", "loops"] = [
    ("scale_yarn", "    scale = scale * correction * correction\n", ""),
    ("scale_yarn", "scale * correction * correction", "scale * correction"),
    ("scale_yarn", "get_mscale(factor, mscale_all_dim)", "get_mscale(factor, mscale)"),
    ("scale_yarn", "get_mscale(factor, mscale_all_dim)", "get_mscale(factor, 1)"),
    ("scale_yarn", "    if scale <= 1:\n        return 1.0\n", ""),
    ("causal_alignment", "j <= i + m - n", "j <= i"),
]  # fmt: skip
PROGRAMS["yarn", "einsum"] = (
    SOFTMAX
    + """
def f(q, k, v, s, mscale, mscale_all_dim):
    t = 1.0
    if s > 1:
        t = (0.1 * mscale_all_dim * np.log(s) + 1) ** 2
    x = np.einsum("bhid,bhjd->bhij", q, k) * t / np.sqrt(q.shape[-1])
    return np.einsum("bhij,bhjd->bhid", softmax(x), v)
"""
)
EDITS["yarn", "einsum"] = [
    ("scale_yarn", "* t /", "/"),
    ("scale_yarn", "np.log(s)", "np.log2(s)"),
    ("scale_yarn", "+ 1) ** 2", "+ 1)"),
    ("scale_yarn", "0.1 * mscale_all_dim", "mscale_all_dim"),
    ("scale_yarn", "+ 1) ** 2", "+ 1) ** -2"),
]  # fmt: skip
PROGRAMS["yarn", "torch"] = """
def f(q, k, v, factor, mscale, mscale_all_dim):
    def get(m):
        return 0.1 * m * math.log(factor) + 1.0 if factor > 1 else 1.0
    softmax_scale = q.shape[-1] ** -0.5 * get(mscale_all_dim) ** 2
    return torch.softmax(q @ k.mT * softmax_scale, -1) @ v
"""
EDITS["yarn", "torch"] = [
    ("scale_yarn", " * get(mscale_all_dim) ** 2", ""),
    ("scale_yarn", "get(mscale_all_dim) ** 2", "get(mscale) ** 2"),
    ("scale_yarn", "get(mscale_all_dim) ** 2", "get(mscale) / get(mscale_all_dim)"),
    ("softmax_axis", "softmax_scale, -1)", "softmax_scale, -2)"),
]  # fmt: skip


# Query-key norm -------------------------------------------------------------------------------------------------

PROGRAMS["qk_norm", "loops"] = (
    LIST_SOFTMAX
    + """
def normed(x, gain):
    size = math.sqrt(sum(a * a for a in x) / len(x) + 1e-6)
    return [a / size * g for a, g in zip(x, gain)]

def f(Q, K, V, gain_Q, gain_K, causal=False):
    B, H, n, d = Q.shape
    m = K.shape[2]
    out = np.zeros((B, H, n, V.shape[3]))
    for b, h in np.ndindex(B, H):
        keys = [normed(k, gain_K) for k in K[b, h]]
        for i in range(n):
            q = normed(Q[b, h, i], gain_Q)
            s = [dot(q, k) / math.sqrt(d) if j <= i + m - n or not causal else -math.inf for j, k in enumerate(keys)]
            out[b, h, i] = np.array(shares(s)) @ V[b, h]
    return out
"""
)
EDITS["qk_norm", "loops"] = [
    ("qknorm_missing", "q = normed(Q[b, h, i], gain_Q)", "q = Q[b, h, i] * gain_Q"),
    ("qknorm_missing", "[normed(k, gain_K) for k in K[b, h]]", "[k * gain_K for k in K[b, h]]"),
    ("qknorm_length", " / len(x) + 1e-6", ""),
    ("qknorm_length", "math.sqrt(sum(a * a for a in x) / len(x) + 1e-6)", "sum(a * a for a in x) / len(x) + 1e-6"),
    ("qknorm_gain", "a / size * g", "a / size * (1 + g)"),
    ("qknorm_gain", "a / size * g", "a / size"),
    ("scale_missing", " / math.sqrt(d)", ""),
    ("scale_inverse", " / math.sqrt(d)", " * math.sqrt(d)"),
]  # fmt: skip
PROGRAMS["qk_norm", "einsum"] = (
    SOFTMAX
    + """
def f(q, k, v, gq, gk, mask=None, scale=None):
    q = q / np.sqrt(np.einsum("...d,...d->...", q, q)[..., None] / q.shape[-1] + 1e-5) * gq
    k = k / np.sqrt(np.einsum("...d,...d->...", k, k)[..., None] / k.shape[-1] + 1e-5) * gk
    s = np.einsum("bhid,bhjd->bhij", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return np.einsum("bhij,bhjd->bhid", softmax(s), v)
"""
)
EDITS["qk_norm", "einsum"] = [
    ("qknorm_axis", '"...d,...d->...", q, q)[..., None] / q.shape[-1]', '"bhid,bhid->bi", q, q)[:, None, :, None] / (q.shape[-1] * q.shape[1])',
        '"...d,...d->...", k, k)[..., None] / k.shape[-1]', '"bhid,bhid->bi", k, k)[:, None, :, None] / (k.shape[-1] * k.shape[1])'),
    ("qknorm_mean", "    q = q / np.sqrt", "    q = q - q.mean(-1, keepdims=True)\n    k = k - k.mean(-1, keepdims=True)\n    q = q / np.sqrt"),
    ("qknorm_gain", "1e-5) * gq", "1e-5)", "/ k.shape[-1] + 1e-5) * gk", "/ k.shape[-1] + 1e-5)"),
    ("qknorm_values", "    s = np.einsum", "    v = v / np.sqrt((v * v).mean(-1, keepdims=True) + 1e-9)\n    s = np.einsum"),
]  # fmt: skip
PROGRAMS["qk_norm", "torch"] = """
def rms(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w

def f(q, k, v, q_norm, k_norm, causal=False):
    q, k = rms(q, q_norm), rms(k, k_norm)
    s = q @ k.mT * q.shape[-1] ** -0.5
    if causal:
        n, m = s.shape[-2:]
        s = s.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(m - n + 1), -torch.inf)
    return s.softmax(-1).nan_to_num() @ v
"""
EDITS["qk_norm", "torch"] = [
    ("qknorm_axis", "x.pow(2).mean(-1, keepdim=True)", "x.pow(2).mean((1, 3), keepdim=True)"),
    ("qknorm_axis", "x.pow(2).mean(-1, keepdim=True)", "x.pow(2).mean(-2, keepdim=True)"),
    ("qknorm_missing", "q, k = rms(q, q_norm), rms(k, k_norm)", "pass"),
    ("qknorm_length", "x.pow(2).mean(-1", "x.pow(2).sum(-1"),
    ("causal_inverted", ".triu(m - n + 1)", ".tril(m - n)"),
]  # fmt: skip


# Differential attention -----------------------------------------------------------------------------------------

PROGRAMS["differential", "loops"] = (
    LIST_SOFTMAX
    + """
def f(Q, K, V, lam, lam_init, causal=False):
    B, H, n, two_d = Q.shape
    m, d = K.shape[2], two_d // 2
    out = np.zeros((B, H, n, V.shape[3]))
    for b, h, i in np.ndindex(B, H, n):
        maps = []
        for half in (slice(0, d), slice(d, None)):
            s = [dot(Q[b, h, i, half], K[b, h, j, half]) / math.sqrt(d) for j in range(m)]
            if causal:
                s = [x if j <= i + m - n else -math.inf for j, x in enumerate(s)]
            maps.append(shares(s))
        o = sum((a - lam[h] * c) * V[b, h, j] for j, (a, c) in enumerate(zip(*maps)))
        rms = math.sqrt(sum(x * x for x in o) / len(o) + 1e-5)
        out[b, h, i] = o / rms * (1 - lam_init)
    return out
"""
)
EDITS["differential", "loops"] = [
    ("diff_attn", "a - lam[h] * c", "a"),
    ("diff_factor", "a - lam[h] * c", "a - c"),
    ("diff_factor", "a - lam[h] * c", "a + lam[h] * c"),
    ("diff_factor", "a - lam[h] * c", "a - lam_init * c"),
    ("diff_attn", "o / rms * (1 - lam_init)", "o / rms"),
    ("diff_attn", "o / rms * (1 - lam_init)", "o"),
    ("diff_attn", "o / rms * (1 - lam_init)", "o * (1 - lam_init)"),
    ("diff_halves", "(slice(0, d), slice(d, None))", "(slice(0, None, 2), slice(1, None, 2))"),
    ("scale_missing", " / math.sqrt(d)", ""),
]  # fmt: skip
PROGRAMS["differential", "einsum"] = (
    SOFTMAX
    + """
def f(q, k, v, lam, init, mask=None, scale=None):
    q1, q2 = np.split(q, 2, axis=-1)
    k1, k2 = np.split(k, 2, axis=-1)
    a = q1.shape[-1] ** -0.5 if scale is None else scale
    s1, s2 = np.einsum("bhid,bhjd->bhij", q1, k1) * a, np.einsum("bhid,bhjd->bhij", q2, k2) * a
    if mask is not None:
        s1, s2 = np.where(mask, s1, -np.inf), np.where(mask, s2, -np.inf)
    w = softmax(s1) - lam[None, :, None, None] * softmax(s2)
    o = np.einsum("bhij,bhjd->bhid", w, v)
    return o / np.sqrt((o * o).mean(axis=-1, keepdims=True) + 1e-6) * (1 - init)
"""
)
EDITS["differential", "einsum"] = [
    ("diff_norm", "(o * o).mean(axis=-1", "(o * o).mean(axis=(1, 3)"),
    ("diff_norm", "    return o", "    o = o - o.mean(-1, keepdims=True)\n    return o"),
    ("diff_scores", "softmax(s1) - lam[None, :, None, None] * softmax(s2)", "softmax(s1 - lam[None, :, None, None] * s2)", "mask=None", "unused=None", "if mask is not None:", "if False:"),
    ("scale_wrong_dim", "q1.shape[-1] ** -0.5", "q.shape[-1] ** -0.5"),
    ("diff_factor", "lam[None, :, None, None]", "lam[0]"),
    ("mask_inverted", "np.where(mask, s1, -np.inf), np.where(mask, s2, -np.inf)", "np.where(mask, -np.inf, s1), np.where(mask, -np.inf, s2)"),
    ("diff_halves", "q1, k1) * a, np.einsum(\"bhid,bhjd->bhij\", q2, k2)", "q1, k2) * a, np.einsum(\"bhid,bhjd->bhij\", q2, k1)"),
]  # fmt: skip
PROGRAMS["differential", "torch"] = """
def f(q, k, v, lambda_full, lambda_init):
    q = q.unflatten(-1, (2, -1))
    k = k.unflatten(-1, (2, -1))
    attn = torch.softmax(torch.einsum("bhipd,bhjpd->pbhij", q, k) * q.shape[-1] ** -0.5, dim=-1)
    attn = attn[0] - lambda_full[:, None, None] * attn[1]
    out = attn @ v
    out = torch.nn.functional.rms_norm(out, (out.shape[-1],), eps=1e-5)
    return out * (1 - lambda_init)
"""
EDITS["differential", "torch"] = [
    ("diff_attn", "    out = torch.nn.functional.rms_norm(out, (out.shape[-1],), eps=1e-5)\n", ""),
    ("diff_attn", "out * (1 - lambda_init)", "out"),
    ("diff_attn", "out * (1 - lambda_init)", "out * lambda_init"),
    ("diff_factor", "attn[0] - lambda_full[:, None, None] * attn[1]", "(attn[0] - lambda_full[:, None, None] * attn[1]).relu()"),
    ("diff_halves", "unflatten(-1, (2, -1))", "unflatten(-1, (-1, 2)).transpose(-1, -2)"),
]  # fmt: skip
PROGRAMS["differential_factor", "loops"] = (
    LIST_SOFTMAX
    + """
def f(q1, k1, q2, k2, depth):
    init = 0.8 - 0.6 * math.exp(-0.3 * depth)
    return math.exp(dot(q1, k1)) - math.exp(dot(q2, k2)) + init
"""
)
EDITS["differential_factor", "loops"] = [
    ("diff_lambda", " + init", ""),
    ("diff_lambda", "-0.3 * depth", "-0.3 * (depth - 1)"),
    ("diff_lambda", "math.exp(dot(q1, k1)) - math.exp(dot(q2, k2))", "dot(q1, k1) - dot(q2, k2)"),
]  # fmt: skip
PROGRAMS["differential_factor", "einsum"] = """
def f(q1, k1, q2, k2, depth):
    return np.exp(np.einsum("d,d", q1, k1)) - np.exp(np.einsum("d,d", q2, k2)) + (0.8 - 0.6 * np.exp(-0.3 * depth))
"""
EDITS["differential_factor", "einsum"] = [
    ("diff_lambda", "-0.3 * depth", "-0.3 * (depth + 1)"),
    ("diff_lambda", "(0.8 - 0.6 * np.exp(-0.3 * depth))", "0.8"),
]  # fmt: skip
PROGRAMS["differential_factor", "torch"] = """
def f(lq1, lk1, lq2, lk2, depth):
    lambda_1 = torch.exp(torch.sum(lq1 * lk1, dim=-1))
    lambda_2 = torch.exp(torch.sum(lq2 * lk2, dim=-1))
    return lambda_1 - lambda_2 + 0.8 - 0.6 * math.exp(-0.3 * depth)
"""
EDITS["differential_factor", "torch"] = [
    ("diff_lambda", "lambda_1 - lambda_2", "lambda_1 + lambda_2"),
    ("diff_lambda", "-0.3 * depth", "0.3 * depth"),
]  # fmt: skip
