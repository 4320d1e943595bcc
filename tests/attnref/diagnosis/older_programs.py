"""Attention without a softmax of dot products, and weights, in three styles, with edits as in `form_programs`."""

from tests.attnref.diagnosis.form_programs import LIST_SOFTMAX, SOFTMAX, Edit

PROGRAMS: dict[tuple[str, str], str] = {}
EDITS: dict[tuple[str, str], list[Edit]] = {}


# Additive attention ---------------------------------------------------------------------------------------------

PROGRAMS["additive", "loops"] = (
    LIST_SOFTMAX
    + """
def f(Q, K, V, W_Q, W_K, w, mask=None):
    B, n, m = Q.shape[0], Q.shape[1], K.shape[1]
    out = np.zeros((B, n, V.shape[2]))
    for b in range(B):
        for i in range(n):
            s = []
            for j in range(m):
                total = 0.0
                for c in range(len(w)):
                    total += w[c] * math.tanh(dot(Q[b, i], W_Q[:, c]) + dot(K[b, j], W_K[:, c]))
                ok = mask is None or np.broadcast_to(mask, (B, n, m))[b, i, j]
                s.append(total if ok else -math.inf)
            out[b, i] = np.array(shares(s)) @ V[b]
    return out
"""
)
EDITS["additive", "loops"] = [
    ("additive_score", "w[c] * math.tanh", "math.tanh"),
    ("additive_tanh", "math.tanh(dot(Q[b, i], W_Q[:, c]) + dot(K[b, j], W_K[:, c]))", "(dot(Q[b, i], W_Q[:, c]) + dot(K[b, j], W_K[:, c]))"),
    ("additive_tanh", "math.tanh(dot(Q[b, i], W_Q[:, c]) + dot(K[b, j], W_K[:, c]))", "max(0.0, dot(Q[b, i], W_Q[:, c]) + dot(K[b, j], W_K[:, c]))"),
    ("additive_product", "W_Q[:, c]) + dot", "W_Q[:, c]) * dot"),
    ("scale_unasked", "s.append(total if", "s.append(total / math.sqrt(len(w)) if"),
    ("additive_score", "dot(Q[b, i], W_Q[:, c]) + dot", "dot"),
    ("masked_row_nan", "return [0.0] * len(s)", "return [math.nan] * len(s)"),
]  # fmt: skip
PROGRAMS["additive", "einsum"] = (
    SOFTMAX
    + """
def f(q, k, v, wq, wk, vec, mask=None):
    hq, hk = np.einsum("bid,dh->bih", q, wq), np.einsum("bjd,dh->bjh", k, wk)
    s = np.einsum("bijh,h->bij", np.tanh(hq[:, :, None] + hk[:, None]), vec)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return np.einsum("bij,bjd->bid", softmax(s), v)
"""
)
EDITS["additive", "einsum"] = [
    ("additive_tanh", "np.tanh(hq[:, :, None] + hk[:, None])", "np.tanh(hq)[:, :, None] + np.tanh(hk)[:, None]"),
    ("additive_tanh", "np.tanh(hq[:, :, None] + hk[:, None])", "1 / (1 + np.exp(-(hq[:, :, None] + hk[:, None])))"),
    ("additive_score", "np.tanh(hq[:, :, None] + hk[:, None]), vec)", "np.tanh(hq[:, :, None] + hk[:, None]), np.ones_like(vec))"),
    ("mask_inverted", "np.where(mask, s, -np.inf)", "np.where(mask, -np.inf, s)"),
    ("softmax_twice", "softmax(s), v", "softmax(softmax(s)), v"),
]  # fmt: skip
PROGRAMS["additive", "torch"] = """
def f(query, keys, values, W1, W2, V, mask=None):
    features = torch.tanh((query @ W1).unsqueeze(2) + (keys @ W2).unsqueeze(1))
    scores = (features @ V.unsqueeze(-1)).squeeze(-1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return torch.bmm(weights, values), weights
"""
EDITS["additive", "torch"] = [
    ("additive_score", "(features @ V.unsqueeze(-1)).squeeze(-1)", "features.sum(-1)"),
    ("additive_tanh", "torch.tanh((query @ W1).unsqueeze(2) + (keys @ W2).unsqueeze(1))", "torch.relu((query @ W1).unsqueeze(2) + (keys @ W2).unsqueeze(1))"),
    ("softmax_axis", "dim=-1).nan_to_num(0.0)", "dim=1).nan_to_num(0.0)"),
    ("masked_row_nan", ".nan_to_num(0.0)", ""),
    ("masked_row_uniform", 'float("-inf")', "-1e9"),
]  # fmt: skip


# Luong's layer --------------------------------------------------------------------------------------------------

PROGRAMS["luong", "loops"] = (
    LIST_SOFTMAX
    + """
def f(Q, K, W, W_C):
    out = np.zeros((Q.shape[0], Q.shape[1], W_C.shape[1]))
    for b in range(len(Q)):
        for i, q in enumerate(Q[b]):
            s = [dot(q, [dot(row, key) for row in W]) for key in K[b]]
            c = sum(w * key for w, key in zip(shares(s), K[b]))
            both = list(c) + list(q)
            out[b, i] = [math.tanh(dot(both, W_C[:, o])) for o in range(W_C.shape[1])]
    return out
"""
)
EDITS["luong", "loops"] = [
    ("additive_output_tanh", "math.tanh(dot(both, W_C[:, o]))", "dot(both, W_C[:, o])"),
    ("luong_order", "list(c) + list(q)", "list(q) + list(c)"),
    ("scale_unasked", "s = [dot(q, [dot(row, key) for row in W])", "s = [dot(q, [dot(row, key) for row in W]) / math.sqrt(len(key))"),
]  # fmt: skip
PROGRAMS["luong", "einsum"] = (
    SOFTMAX
    + """
def f(h, s, wa, wc, mask=None):
    score = np.einsum("bid,de,bje->bij", h, wa, s)
    if mask is not None:
        score = np.where(mask, score, -np.inf)
    context = np.einsum("bij,bje->bie", softmax(score), s)
    return np.tanh(np.concatenate((context, h), axis=2) @ wc)
"""
)
EDITS["luong", "einsum"] = [
    ("additive_output_tanh", "np.tanh(np.concatenate((context, h), axis=2) @ wc)", "np.concatenate((context, h), axis=2) @ wc"),
    ("luong_order", "(context, h)", "(h, context)"),
    ("scale_unasked", "h, wa, s)\n", "h, wa, s) / np.sqrt(h.shape[-1])\n"),
    ("mask_ignored", "np.where(mask, score, -np.inf)", "score"),
]  # fmt: skip
PROGRAMS["luong", "torch"] = """
def f(dec, enc, W, W_C, mask=None):
    scores = dec @ W @ enc.transpose(1, 2)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    context = scores.softmax(dim=2).nan_to_num() @ enc
    return torch.tanh(torch.cat([context, dec], dim=-1) @ W_C)
"""
EDITS["luong", "torch"] = [
    ("additive_output_tanh", "torch.tanh(torch.cat([context, dec], dim=-1) @ W_C)", "torch.cat([context, dec], dim=-1) @ W_C"),
    ("additive_output_tanh", "torch.tanh(torch.cat([context, dec], dim=-1) @ W_C)", "torch.relu(torch.cat([context, dec], dim=-1) @ W_C)"),
    ("luong_order", "[context, dec]", "[dec, context]"),
    ("softmax_axis", "softmax(dim=2)", "softmax(dim=1)"),
]  # fmt: skip


# Linear attention -----------------------------------------------------------------------------------------------

PROGRAMS["linear", "loops"] = """
def phi(x):
    return np.array([a + 1 if a > 0 else math.exp(a) for a in x])

def f(Q, K, V, causal=False):
    B, H, n, d = Q.shape
    out = np.zeros((B, H, n, V.shape[3]))
    for b, h in np.ndindex(B, H):
        S, z = np.zeros((d, V.shape[3])), np.zeros(d)
        if not causal:
            for k, v in zip(K[b, h], V[b, h]):
                S += np.outer(phi(k), v)
                z += phi(k)
        for i in range(n):
            if causal:
                S += np.outer(phi(K[b, h, i]), V[b, h, i])
                z += phi(K[b, h, i])
            q = phi(Q[b, h, i])
            out[b, h, i] = q @ S / (q @ z)
    return out
"""
EDITS["linear", "loops"] = [
    ("linear_normaliser", "q @ S / (q @ z)", "q @ S"),
    ("linear_normaliser", "q @ S / (q @ z)", "q @ S * (q @ z)"),
    ("linear_normaliser", "q @ S / (q @ z)", "q @ S / (i + 1 if causal else K.shape[2])"),
    ("linear_feature", "a + 1 if a > 0 else math.exp(a)", "max(a, 0.0)"),
    ("linear_feature", "a + 1 if a > 0 else math.exp(a)", "math.exp(a)"),
    ("linear_feature", "q = phi(Q[b, h, i])", "q = Q[b, h, i]"),
    ("linear_normaliser", "            out[b, h, i] = q @ S / (q @ z)", "            out[b, h, i] = q @ S / (q @ (z if not causal else sum(phi(k) for k in K[b, h])))"),
]  # fmt: skip
PROGRAMS["linear", "einsum"] = """
def f(q, k, v, causal=False):
    q, k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
    if causal:
        kv = np.cumsum(np.einsum("bhjc,bhjd->bhjcd", k, v), axis=2)
        z = np.cumsum(k, axis=2)
        return np.einsum("bhic,bhicd->bhid", q, kv) / np.einsum("bhic,bhic->bhi", q, z)[..., None]
    kv = np.einsum("bhjc,bhjd->bhcd", k, v)
    z = 1 / np.einsum("bhic,bhc->bhi", q, k.sum(axis=2))
    return np.einsum("bhic,bhcd,bhi->bhid", q, kv, z)
"""
EDITS["linear", "einsum"] = [
    ("linear_normaliser", "k, v), axis=2)", "k, v), axis=1)", "np.cumsum(k, axis=2)", "np.cumsum(k, axis=1)"),
    ("linear_normaliser", " / np.einsum(\"bhic,bhic->bhi\", q, z)[..., None]", "", "z = 1 / np.einsum(\"bhic,bhc->bhi\", q, k.sum(axis=2))", "z = np.ones(q.shape[:3])"),
    ("linear_normaliser", "z = 1 / np", "z = np", " / np.einsum(\"bhic,bhic", " * np.einsum(\"bhic,bhic"),
    ("linear_feature", "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))", "np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)"),
    ("linear_feature", "x + 1, np.exp(np.minimum(x, 0))", "x, np.exp(np.minimum(x, 0)) - 1"),
    ("causal_dropped", "if causal:", "if causal and False:"),
    ("values_ignored", "    if causal:", "    v = k0\n    if causal:", "    q, k = (np", "    k0 = k\n    q, k = (np"),
]  # fmt: skip
PROGRAMS["linear", "torch"] = """
def f(q, k, v, causal=False):
    q, k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
    scores = q @ k.transpose(-1, -2)
    if causal:
        scores = scores.tril()
    return scores @ v / scores.sum(dim=-1, keepdim=True)
"""
EDITS["linear", "torch"] = [
    ("linear_normaliser", " / scores.sum(dim=-1, keepdim=True)", ""),
    ("linear_normaliser", " / scores.sum(dim=-1, keepdim=True)", " / q.shape[-1] ** 0.5"),
    ("linear_feature", "torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1", "torch.relu(q), torch.relu(k)"),
    ("causal_off_by_one", "scores.tril()", "scores.tril(1)"),
    ("causal_inverted", "scores.tril()", "scores.triu(1)"),
    ("causal_future", "scores.tril()", "scores.triu()"),
]  # fmt: skip


# Its way back ---------------------------------------------------------------------------------------------------

PROGRAMS["linear_gradients", "loops"] = """
def phi(x):
    return math.exp(x) if x < 0 else x + 1.0

def slope(x):
    return math.exp(x) if x < 0 else 1.0

def f(Q, K, V, dO, causal=False):
    dQ, dK, dV = np.zeros_like(Q), np.zeros_like(K), np.zeros_like(V)
    B, H, n, d = Q.shape
    m = K.shape[2]
    for b, h, i in np.ndindex(B, H, n):
        q = [phi(x) for x in Q[b, h, i]]
        seen = [j for j in range(m) if not causal or j <= i]
        a = {j: sum(q[c] * phi(K[b, h, j, c]) for c in range(d)) for j in seen}
        z = sum(a.values())
        g = dO[b, h, i]
        mean = sum(a[j] / z * float(g @ V[b, h, j]) for j in seen)
        for j in seen:
            dV[b, h, j] += a[j] / z * g
            da = (float(g @ V[b, h, j]) - mean) / z
            for c in range(d):
                dQ[b, h, i, c] += da * phi(K[b, h, j, c]) * slope(Q[b, h, i, c])
                dK[b, h, j, c] += da * q[c] * slope(K[b, h, j, c])
    return dQ, dK, dV
"""
EDITS["linear_gradients", "loops"] = [
    ("grad_normaliser", "float(g @ V[b, h, j]) - mean) / z", "float(g @ V[b, h, j])) / z"),
    ("grad_feature", " * slope(Q[b, h, i, c])", "", " * slope(K[b, h, j, c])", ""),
    ("grad_values", "a[j] / z * g", "a[j] * g"),
]  # fmt: skip
PROGRAMS["linear_gradients", "einsum"] = """
def f(q, k, v, do, causal=False):
    fq, fk = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
    dq, dk = (np.where(x > 0, 1, np.exp(np.minimum(x, 0))) for x in (q, k))
    tri = np.tri(q.shape[2], k.shape[2]) if causal else np.ones((q.shape[2], k.shape[2]))
    a = np.einsum("bhic,bhjc->bhij", fq, fk) * tri
    z = a.sum(-1)
    o = np.einsum("bhij,bhjd->bhid", a, v) / z[..., None]
    delta = np.einsum("bhid,bhid->bhi", do, o)
    da = (np.einsum("bhid,bhjd->bhij", do, v) - delta[..., None]) / z[..., None] * tri
    plain = np.einsum("bhid,bhjd->bhij", do, v) / z[..., None] * tri
    dV = np.einsum("bhij,bhid->bhjd", a / z[..., None], do)
    return np.einsum("bhij,bhjc->bhic", da, fk) * dq, np.einsum("bhij,bhic->bhjc", da, fq) * dk, dV
"""
EDITS["linear_gradients", "einsum"] = [
    ("grad_normaliser", '"bhij,bhic->bhjc", da', '"bhij,bhic->bhjc", plain'),
    ("grad_normaliser", '"bhij,bhjc->bhic", da', '"bhij,bhjc->bhic", plain'),
    ("grad_causal", "delta[..., None]) / z[..., None] * tri", "delta[..., None]) / z[..., None]"),
    ("grad_feature", "np.where(x > 0, 1, np.exp", "np.where(x > 0, x + 1, np.exp"),
]  # fmt: skip
PROGRAMS["linear_gradients", "torch"] = """
def f(q, k, v, do, causal=False):
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    fq, fk = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
    a = fq @ fk.mT
    if causal:
        a = a.tril()
    z = a.sum(-1, keepdim=True)
    (a @ v / z).backward(do)
    return q.grad, k.grad, v.grad
"""
EDITS["linear_gradients", "torch"] = [
    ("grad_normaliser", "a @ v / z)", "a @ v / z.detach())"),
    ("grad_normaliser", "z = a.sum(-1, keepdim=True)", "z = (fq * fk.sum(2, keepdim=True).detach()).sum(-1, keepdim=True) if not causal else (fq * fk.cumsum(2).detach()).sum(-1, keepdim=True)"),
]  # fmt: skip


# Weights for rotary positions -----------------------------------------------------------------------------------

PROGRAMS["rope_weights", "loops"] = """
def moved(W, heads):
    d = W.shape[1] // heads
    columns = []
    for h in range(heads):
        columns += [h * d + c for c in range(0, d, 2)] + [h * d + c for c in range(1, d, 2)]
    return W[:, columns]

def f(W_Q, W_K, n_heads, n_kv_heads):
    return moved(W_Q, n_heads), moved(W_K, n_kv_heads)
"""
EDITS["rope_weights", "loops"] = [
    ("gqa_weight_permute", "moved(W_K, n_kv_heads)", "moved(W_K, n_heads)"),
    ("gqa_weight_permute", "moved(W_K, n_kv_heads)", "moved(W_K, n_heads // n_kv_heads)"),
    ("rope_weights_order", "moved(W_K, n_kv_heads)", "W_K"),
]  # fmt: skip
PROGRAMS["rope_weights", "einsum"] = """
def f(wq, wk, n_heads, n_kv_heads):
    def permute(w, n):
        return np.einsum("mhct->mhtc", w.reshape(len(w), n, w.shape[1] // n // 2, 2)).reshape(w.shape)
    return permute(wq, n_heads), permute(wk, n_kv_heads)
"""
EDITS["rope_weights", "einsum"] = [
    ("gqa_weight_permute", "permute(wk, n_kv_heads)", "permute(wk, n_heads)"),
    ("rope_weights_order", "w.shape[1] // n // 2, 2)", "2, w.shape[1] // n // 2)"),
    ("rope_weights_order", "permute(wq, n_heads), permute(wk, n_kv_heads)", "permute(wq, 1), permute(wk, 1)"),
]  # fmt: skip
PROGRAMS["rope_weights", "torch"] = """
def permute(w, n_heads):
    dim1, dim2 = w.shape
    return w.view(n_heads, dim1 // n_heads // 2, 2, dim2).transpose(1, 2).reshape(dim1, dim2)

def f(W_Q, W_K, n_heads, n_kv_heads):
    W_Q, W_K = torch.as_tensor(W_Q), torch.as_tensor(W_K)
    q = permute(W_Q.T.contiguous(), n_heads).T
    k = permute(W_K.T.contiguous(), n_kv_heads).T
    return q, k
"""
EDITS["rope_weights", "torch"] = [
    ("gqa_weight_permute", "permute(W_K.T.contiguous(), n_kv_heads)", "permute(W_K.T.contiguous(), n_heads // n_kv_heads)"),
    ("gqa_weight_permute", "permute(W_K.T.contiguous(), n_kv_heads)", "permute(W_K.T.contiguous(), n_heads)"),
    ("rope_weights_order", "permute(W_Q.T.contiguous(), n_heads).T", "W_Q"),
]  # fmt: skip
