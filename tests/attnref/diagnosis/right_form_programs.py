"""Right functions of the newer forms: (form, what it does, source). Those marked with `!` look wrong."""

from tests.attnref.diagnosis.form_programs import SOFTMAX

RIGHT: list[tuple[str, str, str]] = [
    ("sinks", "! a gate behind plain attention", SOFTMAX + """
def f(Q, K, V, sink, mask=None):
    s = Q @ K.mT / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    top = np.maximum(s.max(-1, keepdims=True), -1e30)
    lse = top + np.log(np.exp(s - top).sum(-1, keepdims=True) + 1e-300)
    with np.errstate(over="ignore"):
        return (softmax(s) @ V) / (1 + np.exp(sink[:, None, None] - lse))
"""),
    ("sinks", "! the sink starts the running maximum and the sum", """
def f(Q, K, V, sink, causal=False):
    B, H, n, d = Q.shape
    m = np.broadcast_to(sink[None, :, None], (B, H, n)).copy()
    total, out = np.isfinite(m) * 1.0, np.zeros((B, H, n, V.shape[3]))
    for j in range(K.shape[2]):
        s = np.einsum("bhid,bhd->bhi", Q, K[:, :, j]) / np.sqrt(d)
        if causal:
            s = np.where(j <= np.arange(n) + K.shape[2] - n, s, -np.inf)
        new = np.maximum(m, s)
        safe = np.where(np.isfinite(new), new, 0)
        old, now = np.exp(m - safe), np.exp(s - safe)
        total, out, m = total * old + now, out * old[..., None] + now[..., None] * V[:, :, None, j], new
    return out / np.where(total == 0, 1, total)[..., None]
"""),
    ("sinks", "a key of zeros with a bias, and a value of zeros", SOFTMAX + """
def f(Q, K, V, sink):
    pad = [(0, 0), (0, 0), (0, 1), (0, 0)]
    K, V = np.pad(K, pad), np.pad(V, pad)
    s = Q @ K.mT / np.sqrt(Q.shape[-1])
    s[..., -1] += sink[:, None]
    return softmax(s) @ V
"""),
    ("decode", "! queries are kept too, and all is computed anew", """
def f(q, k, v, cache):
    cache = (cache or []) + [(q, k, v)]
    q, k, v = (np.concatenate(x, axis=2) for x in zip(*cache))
    s = q @ k.mT / np.sqrt(q.shape[-1])
    s = np.where(np.tri(q.shape[2], dtype=bool), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return ((e / e.sum(-1, keepdims=True)) @ v)[:, :, -cache[-1][0].shape[2]:], cache
"""),
    ("decode", "! the cache is kept backwards, with the number of each token", """
def f(q, k, v, cache):
    start = 0 if cache is None else cache[2].max() + 1
    new = (k[:, :, ::-1], v[:, :, ::-1], np.arange(start, start + k.shape[2])[::-1])
    K, V, at = new if cache is None else [np.concatenate([a, b], axis=2 if a.ndim > 1 else 0) for a, b in zip(new, cache)]
    s = q @ K.mT / np.sqrt(q.shape[-1])
    s = np.where(at <= (start + np.arange(q.shape[2]))[:, None], s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)) @ V, (K, V, at)
"""),
    ("decode", "! padding gives the mean of what there is", SOFTMAX + """
def f(q, k, v, cache, mask=None):
    K, V = (k, v) if cache is None else (np.concatenate([c, x], 2) for c, x in zip(cache, (k, v)))
    s = q @ K.mT / np.sqrt(q.shape[-1])
    seen = np.tri(q.shape[2], K.shape[2], K.shape[2] - q.shape[2], dtype=bool)
    if mask is not None:
        seen = seen & mask[:, None, None]
    return softmax(np.where(seen, s, -1e9)) @ V, [K, V]
"""),
    ("decode", "! a buffer that is longer than the text, masked", SOFTMAX + """
def f(q, k, v, cache):
    n = q.shape[2]
    if cache is None:
        cache = {"K": np.full((*k.shape[:2], 40, k.shape[3]), 7.0), "V": np.full((*v.shape[:2], 40, v.shape[3]), 9.0), "n": 0}
    K, V, p = cache["K"].copy(), cache["V"].copy(), cache["n"]
    K[:, :, p:p + n], V[:, :, p:p + n] = k, v
    s = np.einsum("bhid,bhjd->bhij", q, K) / np.sqrt(q.shape[-1])
    s = np.where(np.arange(40) <= (np.arange(n) + p)[:, None], s, -np.inf)
    return softmax(s) @ V, {"K": K, "V": V, "n": p + n}
"""),
    ("rotary_decode", "! positions start at 100", SOFTMAX + """
def rope(x, p):
    z = (x[..., 0] + 1j * x[..., 1]) * np.exp(1j * p)
    return np.stack([z.real, z.imag], -1)

def f(q, k, v, cache):
    p = (100 if cache is None else cache[2]) + np.arange(q.shape[2])
    q, k = rope(q, p), rope(k, p)
    if cache is not None:
        k, v = np.concatenate([cache[0], k], 2), np.concatenate([cache[1], v], 2)
    s = q @ k.mT / np.sqrt(2)
    s = np.where(np.tri(q.shape[2], k.shape[2], k.shape[2] - q.shape[2], dtype=bool), s, -np.inf)
    return softmax(s) @ v, (k, v, p[-1] + 1)
"""),
    ("rotary_decode", "! bare keys are kept, and all are turned in each call", SOFTMAX + """
def rope(x, p):
    c, s = np.cos(p)[:, None], np.sin(p)[:, None]
    return x * c + np.concatenate([-x[..., 1:], x[..., :1]], -1) * s

def f(q, k, v, cache):
    if cache is not None:
        k, v = np.concatenate([cache[0], k], 2), np.concatenate([cache[1], v], 2)
    n, m = q.shape[2], k.shape[2]
    s = rope(q, np.arange(m - n, m)) @ rope(k, np.arange(m)).mT / np.sqrt(2)
    return softmax(np.where(np.tri(n, m, m - n, dtype=bool), s, -np.inf)) @ v, (k, v)
"""),
    ("rotary_decode", "! keys are turned back to the newest token's place, and queries not at all", SOFTMAX + """
def rope(x, p):
    z = (x[..., 0] + 1j * x[..., 1]) * np.exp(1j * p)
    return np.stack([z.real, z.imag], -1)

def f(q, k, v, cache):
    K, V = (k, v) if cache is None else (np.concatenate([c, x], 2) for c, x in zip(cache, (k, v)))
    n, m = q.shape[2], K.shape[2]
    out = []
    for i in range(n):
        at = m - n + i
        s = q[:, :, i:i + 1] @ rope(K[:, :, :at + 1], np.arange(at + 1) - at).mT / np.sqrt(2)
        out.append(softmax(s) @ V[:, :, :at + 1])
    return np.concatenate(out, 2), (K, V)
"""),
    ("positions", "! padding has the position of what stands before it", """
def f(real):
    return np.maximum(np.cumsum(real, axis=1) - 1, 0)
"""),
    ("positions", "! padding has a position of -1000", """
def f(real):
    out = np.full(real.shape, -1000)
    for row, text in zip(out, real):
        row[text] = np.arange(text.sum())
    return out
"""),
    ("paged", "! each block by itself, put together at the end", """
def f(Q, KB, VB, table, lengths):
    out = np.zeros((*Q.shape[:3], VB.shape[3]))
    size, group = KB.shape[2], Q.shape[1] // KB.shape[1]
    for b, n in enumerate(lengths):
        parts = []
        for c in range(-(-n // size)):
            k, v = (np.repeat(x[table[b, c], :, : n - c * size], group, 0) for x in (KB, VB))
            s = Q[b] @ k.mT / np.sqrt(Q.shape[-1])
            parts.append((s.max(-1, keepdims=True), np.exp(s - s.max(-1, keepdims=True)), v))
        top = max(p[0].max() for p in parts)
        z = sum(np.exp(m - top) * e.sum(-1, keepdims=True) for m, e, _ in parts)
        out[b] = sum(np.exp(m - top) * (e @ v) for m, e, v in parts) / z
    return out
"""),
    ("dropout", "! values are blended first, and divided afterwards", SOFTMAX + """
def f(Q, K, V, keep, p, mask=None):
    s = Q @ K.mT / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    w = softmax(s)
    return ((w * keep) @ V) / (1 - p), w
"""),
    ("dropout", "! dropout within the exponentials, over the whole sum", """
def f(Q, K, V, keep, p):
    e = np.exp(Q @ K.mT / np.sqrt(Q.shape[-1]))
    return (e * keep / (1 - p)) @ V / e.sum(-1, keepdims=True)
"""),
    ("yarn", "! the correction is laid on queries and keys, once each", SOFTMAX + """
def f(Q, K, V, factor, mscale, mscale_all_dim):
    m = 1.0 if factor <= 1 else 0.1 * mscale_all_dim * np.log(factor) + 1.0
    return softmax((m * Q) @ (m * K).mT / np.sqrt(Q.shape[-1])) @ V
"""),
    ("qk_norm", "! lengths of one, times the root of the width", SOFTMAX + """
def f(Q, K, V, gain_Q, gain_K, mask=None):
    unit = lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)
    s = np.sqrt(Q.shape[-1]) * (unit(Q) * gain_Q) @ (unit(K) * gain_K).mT
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return softmax(s) @ V
"""),
    ("qk_norm", "! both gains are laid on the queries", SOFTMAX + """
def f(Q, K, V, gain_Q, gain_K):
    rms = lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
    return softmax((rms(Q) * gain_Q * gain_K) @ rms(K).mT / np.sqrt(Q.shape[-1])) @ V
"""),
    ("qk_norm", "! gains exchanged, which no product shows", SOFTMAX + """
def f(Q, K, V, a, b):
    rms = lambda x, g: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g
    return softmax(rms(Q, b) @ rms(K, a).mT / np.sqrt(Q.shape[-1])) @ V
"""),
    ("differential", "! two blends, and twice the difference, which the norm undoes", SOFTMAX + """
def f(Q, K, V, lam, init):
    d = Q.shape[-1] // 2
    one, two = (softmax(Q[..., c] @ K[..., c].mT / np.sqrt(d)) @ V for c in (slice(d), slice(d, None)))
    o = 2 * (one - lam[:, None, None] * two)
    return (1 - init) * o / np.sqrt((o ** 2).mean(-1, keepdims=True))
"""),
    ("differential", "a weight of one and of minus λ on a longer sequence", SOFTMAX + """
def f(Q, K, V, lam, init, causal=False):
    q, k = (np.stack(np.split(x, 2, axis=-1), axis=2) for x in (Q, K))
    s = np.einsum("bhpid,bhpjd->bhpij", q, k) / np.sqrt(q.shape[-1])
    if causal:
        s = np.where(np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool), s, -np.inf)
    signs = np.stack([np.ones_like(lam), -lam], axis=-1)
    o = np.einsum("hp,bhpij,bhjd->bhid", signs, softmax(s), V)
    return o / np.sqrt((o * o).mean(-1, keepdims=True) + 1e-6) * (1 - init)
"""),
    ("differential_factor", "exponents in one sum", """
def f(a, b, c, d, layer):
    return np.exp((a * b).sum()) - np.exp((c * d).sum()) + 0.8 - 0.6 * 0.7408182206817179 ** layer
"""),
    ("additive", "! query and key side by side, one matrix, and a constant", SOFTMAX + """
def f(Q, K, V, W_Q, W_K, w, mask=None):
    W = np.concatenate([W_Q, W_K])
    q = np.broadcast_to(Q[:, :, None], (*Q.shape[:2], K.shape[1], Q.shape[2]))
    k = np.broadcast_to(K[:, None], (K.shape[0], Q.shape[1], *K.shape[1:]))
    s = np.tanh(np.concatenate([q, k], axis=-1) @ W) @ w + 3.0
    return softmax(s if mask is None else np.where(mask, s, -np.inf)) @ V
"""),
    ("luong", "keys through the matrix first, the last matrix in two parts", SOFTMAX + """
def f(Q, K, W, W_C, mask=None):
    s = Q @ (K @ W.T).mT
    c = softmax(s if mask is None else np.where(mask, s, -np.inf)) @ K
    n = K.shape[-1]
    return np.tanh(c @ W_C[:n] + Q @ W_C[n:])
"""),
    ("linear", "! features times a constant, which the quotient undoes", """
def f(Q, K, V, causal=False):
    phi = lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) / np.sqrt(x.shape[-1])
    a = phi(Q) @ phi(K).mT
    a = np.tril(a) if causal else a
    return a / a.sum(-1, keepdims=True) @ V
"""),
    ("linear", "! one state that grows, from the last token backwards", """
def f(Q, K, V):
    phi = lambda x: np.exp(np.minimum(x, 0)) + np.maximum(x, 0)
    S, z = 0, 1e-12
    for j in reversed(range(K.shape[2])):
        S = S + phi(K[:, :, j])[..., None] * V[:, :, j, None]
        z = z + phi(K[:, :, j])
    return phi(Q) @ S / (phi(Q) * z[:, :, None]).sum(-1, keepdims=True)
"""),
    ("linear_gradients", "sums from the end", """
def f(Q, K, V, dO, causal=False):
    up = lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
    down = lambda x: np.where(x > 0, 1, np.exp(np.minimum(x, 0)))
    q, k = up(Q), up(K)
    see = np.tri(Q.shape[2], K.shape[2]) if causal else 1
    z = ((q @ k.mT) * see).sum(-1, keepdims=True)
    o = ((q @ k.mT) * see) @ V / z
    dN, dz = dO / z, -(dO * o).sum(-1, keepdims=True) / z
    A = (dN @ V.mT + dz) * see
    return (A @ k) * down(Q), (A.mT @ q) * down(K), ((q @ k.mT) * see).mT @ dN
"""),
    ("rope_weights", "by sorting the numbers of the columns", """
def f(W_Q, W_K, n_heads, n_kv_heads):
    def order(W, heads):
        d = W.shape[1] // heads
        return W[:, sorted(range(W.shape[1]), key=lambda c: (c // d, c % 2, c))]
    return order(W_Q, n_heads), order(W_K, n_kv_heads)
"""),
    ("half", "! queries scaled by a power of two in half precision, the rest in float32", SOFTMAX + """
def f(Q, K, V, mask=None):
    d = Q.shape[-1]
    s = (Q * Q.dtype.type(0.5)).astype(np.float32) @ K.astype(np.float32).mT * np.float32(2 / math.sqrt(d))
    if mask is not None:
        s = np.where(mask, s, np.float32(-np.inf))
    return (softmax(s) @ V.astype(np.float32)).astype(Q.dtype)
"""),
    ("half", "! weights are rounded before the blend", SOFTMAX + """
def f(Q, K, V, mask=None, causal=False):
    s = Q.astype(np.float32) @ K.astype(np.float32).mT / np.float32(math.sqrt(Q.shape[-1]))
    if causal:
        s = np.where(np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool), s, -np.inf)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return softmax(s).astype(Q.dtype) @ V
"""),
    ("attention", "lengths as a mask, in one comparison", SOFTMAX + """
def f(Q, K, V, valid_lens=None):
    s = Q @ K.mT / np.sqrt(Q.shape[-1])
    if valid_lens is not None:
        s = np.where(np.arange(K.shape[2]) >= np.asarray(valid_lens)[:, None, None, None], -np.inf, s)
    return softmax(s) @ V
"""),
]  # fmt: skip

TORCH_RIGHT: list[tuple[str, str, str]] = [
    ("half", "scaled_dot_product_attention", """
def f(q, k, v, mask=None):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
"""),
    ("linear_gradients", "by autograd", """
def f(q, k, v, d, causal=False):
    q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
    a = (F.elu(q) + 1) @ (F.elu(k) + 1).mT
    a = a.tril() if causal else a
    return torch.autograd.grad(a @ v / a.sum(-1, keepdim=True), (q, k, v), d)
"""),
    ("decode", "! with scaled_dot_product_attention, causal only where nothing is cached and one query otherwise", """
def f(q, k, v, cache):
    if cache is not None:
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    if cache is None or q.shape[2] == 1:
        return F.scaled_dot_product_attention(q, k, v, is_causal=cache is None), (k, v)
    mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask), (k, v)
"""),
    ("grouped", "enable_gqa", """
def f(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
"""),
    ("qk_norm", "rms_norm of torch", """
def f(q, k, v, a, b):
    d = q.shape[-1]
    return F.scaled_dot_product_attention(F.rms_norm(q, (d,), a, 1e-6), F.rms_norm(k, (d,), b, 1e-6), v)
"""),
]  # fmt: skip
