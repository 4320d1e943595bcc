"""Programs written by somebody who had not read the checker: each with what is wrong in it, in words.

`expected` is "right", or the names of all faults that are to be found, "unknown" for what has no name. Each program
defines `f`; one that computes with tensors is given PyTorch.
"""

from typing import Any, NamedTuple

RIGHT = "right"
UNKNOWN = "unknown"


class Stranger(NamedTuple):
    """A program, what is wrong in it in truth, and what the checker is to say."""

    truth: str
    expected: tuple[str, ...]
    source: str
    form: str
    options: dict[str, Any]


STRANGERS: dict[str, Stranger] = {}


def add(name: str, truth: str, expected: str, source: str, form: str = "attention", **options: Any) -> None:
    assert name not in STRANGERS
    STRANGERS[name] = Stranger(truth, tuple(expected.split()), source, form, options)


# fmt: off

# Right ----------------------------------------------------------------------------------------------------------

add("base_2", "the exponential is one to the base 2, its scale holds log2(e)", RIGHT, """
def f(q, k, v, is_causal=False):
    LOG2_E = 1.4426950408889634
    s = np.einsum("...qd,...kd->...qk", q, k) * (LOG2_E / np.sqrt(q.shape[-1]))
    if is_causal:
        n, m = s.shape[-2:]
        hidden = np.arange(m)[None, :] > np.arange(n)[:, None] + (m - n)
        s = np.where(hidden, -np.inf, s)
    top = s.max(axis=-1, keepdims=True)
    top = np.where(np.isinf(top), 0.0, top)
    p = np.exp2(s - top)
    z = p.sum(axis=-1, keepdims=True)
    return np.einsum("...qk,...kd->...qd", p / np.where(z == 0, 1, z), v)
""")

add("online_in_sevens", "an online softmax in odd chunks of 7 and then 3 keys", RIGHT, """
def f(q, k, v, causal=False):
    *lead, n, d = q.shape
    m = k.shape[-2]
    acc = np.zeros((*lead, n, v.shape[-1]))
    top = np.full((*lead, n, 1), -np.inf)
    total = np.zeros((*lead, n, 1))
    start, size = 0, 7
    while start < m:
        stop = min(start + size, m)
        s = q @ np.swapaxes(k[..., start:stop, :], -1, -2) / d**0.5
        if causal:
            ok = np.arange(start, stop)[None] <= np.arange(n)[:, None] + m - n
            s = np.where(ok, s, -np.inf)
        new = np.maximum(top, s.max(-1, keepdims=True))
        safe = np.where(np.isinf(new), 0, new)
        old = np.exp(top - safe)
        p = np.exp(s - safe)
        acc = acc * old + p @ v[..., start:stop, :]
        total = total * old + p.sum(-1, keepdims=True)
        top, start, size = new, stop, 3
    return acc / np.where(total == 0, 1, total)
""")

add("fourth_root_twice", "queries and keys are each multiplied by d^(-1/4)", RIGHT, """
def f(xq, xk, xv, mask=None):
    c = xq.shape[-1] ** -0.25
    sim = (xq * c) @ (xk * c).swapaxes(-2, -1)
    if mask is not None:
        sim = np.where(mask, sim, -np.inf)
    m = sim.max(-1, keepdims=True)
    e = np.exp(sim - np.where(np.isfinite(m), m, 0))
    return e @ xv / np.maximum(e.sum(-1, keepdims=True), 1e-300)
""")

add("masked_then_renormalised", "weights of all keys, masked afterwards and divided by their new sum", RIGHT, """
def f(Q, K, V, mask=None):
    s = Q @ K.transpose(0, 1, 3, 2) / np.sqrt(K.shape[-1])
    if mask is not None:
        s = s - np.where(mask, s, -np.inf).max(-1, keepdims=True, initial=-1e300)
        e = np.where(mask, np.exp(np.minimum(s, 0)), 0)
    else:
        e = np.exp(s - s.max(-1, keepdims=True))
    z = e.sum(-1, keepdims=True)
    return np.divide(e, z, out=np.zeros_like(e), where=z > 0) @ V
""")

add("shifted_scores", "the first key is taken from all keys, which adds one number to a row", RIGHT, """
def f(Q, K, V):
    moved = K - K[:, :, :1]
    S = np.matmul(Q, moved.transpose(0, 1, 3, 2)) / np.sqrt(Q.shape[-1])
    S = S - np.max(S, axis=3, keepdims=True)
    W = np.exp(S)
    return np.matmul(W, V) / np.sum(W, axis=3, keepdims=True)
""")

add("loops", "four loops and Python numbers", RIGHT, """
import math

def f(Q, K, V, causal=False):
    B, H, n, d = Q.shape
    m = K.shape[2]
    out = np.zeros((B, H, n, V.shape[3]))
    for b in range(B):
        for h in range(H):
            for i in range(n):
                last = i + m - n if causal else m - 1
                seen = [j for j in range(m) if j <= last]
                if not seen:
                    continue
                s = [sum(x * y for x, y in zip(Q[b, h, i], K[b, h, j])) / math.sqrt(d) for j in seen]
                top = max(s)
                e = [math.exp(x - top) for x in s]
                for j, w in zip(seen, e):
                    out[b, h, i] += w / sum(e) * V[b, h, j]
    return out
""")

add("log_softmax", "weights are exp of a log-softmax", RIGHT, """
def f(query, key, value, mask=None, scale=None):
    scale = 1 / np.sqrt(query.shape[-1]) if scale is None else scale
    logits = np.einsum("bhqd,bhkd->bhqk", query, key) * scale
    if mask is not None:
        logits = logits + np.where(mask, 0.0, -np.inf)
    top = np.max(logits, axis=-1, keepdims=True)
    top = np.where(top == -np.inf, 0, top)
    with np.errstate(divide="ignore", invalid="ignore"):
        logp = logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))
    return np.einsum("bhqk,bhkd->bhqd", np.nan_to_num(np.exp(logp), nan=0.0), value)
""")

add("torch_module", "a module as it stands in many repositories", RIGHT, """
class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = torch.nn.Softmax(dim=-1)

    def forward(self, query, key, value, attn_mask=None, is_causal=False):
        scores = torch.matmul(query, key.transpose(-2, -1)) / query.size(-1) ** 0.5
        if is_causal:
            n, m = scores.shape[-2:]
            seen = torch.ones(n, m, dtype=torch.bool).tril(m - n)
            scores = scores.masked_fill(~seen, float("-inf"))
        if attn_mask is not None:
            scores = scores.masked_fill(attn_mask == 0, float("-inf"))
        return torch.matmul(self.softmax(scores).nan_to_num(0.0), value)

f = Attention()
""")

add("torch_baddbmm", "batched products of PyTorch with alpha", RIGHT, """
def f(q, k, v):
    b, h, n, d = q.shape
    m = k.shape[2]
    s = torch.baddbmm(torch.zeros(b * h, n, m, dtype=q.dtype), q.reshape(b * h, n, d),
                      k.reshape(b * h, m, d).transpose(1, 2), beta=0, alpha=d**-0.5)
    return torch.bmm(torch.softmax(s, -1), v.reshape(b * h, m, -1)).view(b, h, n, -1)
""")

add("mask_needed", "its mask has no default", RIGHT, """
def f(q, k, v, mask):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    s = np.where(mask, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z > 0, z, 1) @ v
""")

add("float16_plain", "computes in what it is given, which is float16", RIGHT, """
def f(Q, K, V):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]).astype(Q.dtype)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V
""", dtype="float16")

add("float16_promoted", "a Python scale, computed in float16", RIGHT, """
def f(q, k, v, causal=False):
    s = np.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
    if causal:
        s = np.where(np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool), s, -np.inf)
    top = s.max(-1, keepdims=True)
    p = np.exp(s - np.where(np.isfinite(top), top, 0))
    z = p.sum(-1, keepdims=True)
    return np.einsum("bhij,bhjd->bhid", p / np.where(z > 0, z, 1), v).astype(q.dtype)
""", dtype="float16")

add("multihead_combined", "one product for queries, keys and values", RIGHT, """
def f(x, Wq, Wk, Wv, Wo, n_heads, causal=False):
    B, T, C = x.shape
    w = np.concatenate([Wq, Wk, Wv], axis=1)
    q, k, v = np.split(x @ w, [Wq.shape[1], Wq.shape[1] + Wk.shape[1]], axis=-1)
    q, k, v = (a.reshape(B, T, n_heads, -1).transpose(0, 2, 1, 3) for a in (q, k, v))
    att = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    if causal:
        att[..., np.triu(np.ones((T, T), dtype=bool), 1)] = -np.inf
    att = np.exp(att - att.max(-1, keepdims=True))
    att /= att.sum(-1, keepdims=True)
    return (att @ v).transpose(0, 2, 1, 3).reshape(B, T, -1) @ Wo
""", form="multihead")

add("grouped_without_repeat", "query heads in groups, keys never copied", RIGHT, """
def f(q, k, v, causal=False):
    b, h, n, d = q.shape
    g = k.shape[1]
    q = q.reshape(b, g, h // g, n, d)
    s = np.einsum("bgrid,bgjd->bgrij", q, k) / np.sqrt(d)
    if causal:
        m = k.shape[2]
        s = s + np.triu(np.full((n, m), -np.inf), 1 + m - n)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(top), 0, top))
    z = e.sum(-1, keepdims=True)
    return np.einsum("bgrij,bgjd->bgrid", e / np.where(z == 0, 1, z), v).reshape(b, h, n, -1)
""", form="grouped")

add("decode_buffers", "a cache in a dict with room for more", RIGHT, """
def f(q, k, v, cache):
    new = k.shape[2]
    if cache is None:
        room = 64
        cache = {"k": np.zeros((*k.shape[:2], room, k.shape[3])), "v": np.zeros((*v.shape[:2], room, v.shape[3])), "n": 0}
    else:
        cache = {"k": cache["k"].copy(), "v": cache["v"].copy(), "n": cache["n"]}
    past = cache["n"]
    cache["k"][:, :, past:past + new] = k
    cache["v"][:, :, past:past + new] = v
    cache["n"] = n = past + new
    K, V = cache["k"][:, :, :n], cache["v"][:, :, :n]
    s = q @ K.swapaxes(2, 3) / np.sqrt(q.shape[-1])
    s = np.where(np.arange(n)[None] <= np.arange(past, n)[:, None], s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V, cache
""", form="decode")

# Wrong: one mistake ---------------------------------------------------------------------------------------------

SOFTMAX = """
def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)
"""

add("scale_by_d", "divides by d_k, not by its root", "scale_no_root", SOFTMAX + """
def f(Q, K, V):
    return softmax(Q @ K.swapaxes(-1, -2) / Q.shape[-1]) @ V
""")

add("softmax_over_queries", "the softmax runs along the axis of the queries", "softmax_axis", SOFTMAX + """
def f(Q, K, V):
    scores = np.einsum("bhqd,bhkd->bhqk", Q, K) / np.sqrt(Q.shape[-1])
    return np.einsum("bhqk,bhkd->bhqd", softmax(scores, axis=2), V)
""")

add("softmax_over_heads", "the default axis is that of the heads", "softmax_axis_heads", SOFTMAX + """
def f(Q, K, V):
    scores = np.einsum("bhqd,bhkd->bhqk", Q, K) / np.sqrt(Q.shape[-1])
    return np.einsum("bhqk,bhkd->bhqd", softmax(scores, axis=1), V)
""")

add("max_of_everything", "one maximum for the whole array, so rows far below it vanish", "softmax_global_max", """
def f(Q, K, V):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(s - np.max(s))
    return (e / e.sum(axis=-1, keepdims=True)) @ V
""")

add("mask_inverted_torch", "masked_fill with the mask itself, True meaning attend", "mask_inverted", """
def f(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(mask, float("-inf"))
    return torch.softmax(s, dim=-1).nan_to_num() @ v
""")

add("mask_after_softmax", "hidden weights are set to zero and the rest not divided again", "mask_after_softmax", SOFTMAX + """
def f(q, k, v, mask=None):
    w = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
    if mask is not None:
        w = w * mask
    return w @ v
""")

add("mask_zero_scores", "hidden scores become zero", "mask_multiplied", SOFTMAX + """
def f(q, k, v, mask=None):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = s * mask
    return softmax(s) @ v
""")

add("mask_tiny_number", "hidden scores are filled with 1e-9, the sign is in the exponent", "mask_multiplied", SOFTMAX + """
def f(q, k, v, mask=None):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask == 0, 1e-9, s)
    return softmax(s) @ v
""")

add("causal_triu_0", "triu without k=1 hides the diagonal too", "causal_off_by_one", """
def f(q, k, v, causal=False):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    if causal:
        s = np.where(np.triu(np.ones((n, m), dtype=bool), m - n), -np.inf, s)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1, z) @ v
""")

add("causal_sees_next", "one key too many: k=2 instead of k=1", "causal_off_by_one", """
def f(q, k, v, causal=False):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    if causal:
        s = np.where(np.triu(np.ones((n, m), dtype=bool), m - n + 2), -np.inf, s)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1, z) @ v
""")

add("causal_lower", "hides the past: tril where triu was meant", "causal_future", """
def f(q, k, v, causal=False):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    if causal:
        s = np.where(np.tril(np.ones((n, m), dtype=bool), m - n - 1), -np.inf, s)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1, z) @ v
""")

add("keys_as_values", "blends the keys", "values_ignored", SOFTMAX + """
def f(Q, K, V):
    w = softmax(np.matmul(Q, K.transpose(0, 1, 3, 2)) / np.sqrt(K.shape[-1]))
    return np.matmul(w, K)
""")

add("scale_of_length", "divides by the root of the number of keys", "scale_wrong_dim", SOFTMAX + """
def f(Q, K, V):
    return softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-2])) @ V
""")

add("scale_after_softmax", "divides the weights, not the scores", "scale_after_softmax", SOFTMAX + """
def f(Q, K, V):
    return softmax(Q @ K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1]) @ V
""")

add("scale_multiplied", "multiplies by sqrt(d_k)", "scale_inverse", SOFTMAX + """
def f(Q, K, V):
    return softmax(Q @ K.swapaxes(-1, -2) * np.sqrt(Q.shape[-1])) @ V
""")

add("softmax_twice", "weights go through the softmax once more", "softmax_twice", """
def f(q, k, v):
    w = torch.nn.functional.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
    return torch.nn.functional.softmax(w, dim=-1) @ v
""")

add("online_forgets_accumulator", "the accumulator is not rescaled when the maximum grows", "online_rescale", """
def f(q, k, v):
    d, m = q.shape[-1], k.shape[-2]
    acc, total, top = 0.0, 0.0, np.full((*q.shape[:-1], 1), -np.inf)
    for j in range(0, m, 2):
        s = q @ k[..., j:j + 2, :].swapaxes(-1, -2) / np.sqrt(d)
        new = np.maximum(top, s.max(-1, keepdims=True))
        p = np.exp(s - new)
        acc = acc + p @ v[..., j:j + 2, :]
        total = total * np.exp(top - new) + p.sum(-1, keepdims=True)
        top = new
    return acc / total
""")

add("online_forgets_total", "the sum is not rescaled when the maximum grows", "online_rescale", """
def f(q, k, v):
    d, m = q.shape[-1], k.shape[-2]
    acc, total, top = 0.0, 0.0, np.full((*q.shape[:-1], 1), -np.inf)
    for j in range(m):
        s = q @ k[..., j:j + 1, :].swapaxes(-1, -2) / np.sqrt(d)
        new = np.maximum(top, s.max(-1, keepdims=True))
        p = np.exp(s - new)
        acc = acc * np.exp(top - new) + p @ v[..., j:j + 1, :]
        total = total + p.sum(-1, keepdims=True)
        top = new
    return acc / total
""")

add("last_chunk_dropped", "whole chunks of 4 keys only, the rest is forgotten", "block_dropped", """
def f(q, k, v):
    d, m = q.shape[-1], k.shape[-2]
    acc, total, top = 0.0, 0.0, np.full((*q.shape[:-1], 1), -np.inf)
    size = 4 if m >= 4 else m
    for c in range(m // size):
        part = slice(c * size, (c + 1) * size)
        s = q @ k[..., part, :].swapaxes(-1, -2) / np.sqrt(d)
        new = np.maximum(top, s.max(-1, keepdims=True))
        p, old = np.exp(s - new), np.exp(top - new)
        acc = acc * old + p @ v[..., part, :]
        total = total * old + p.sum(-1, keepdims=True)
        top = new
    return acc / total
""")

add("cosine", "queries and keys are normalised to length one and then scaled", "keys_normalised", SOFTMAX + """
def f(q, k, v):
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
""")

add("reshape_for_transpose", "keys are reshaped where they should be transposed", "keys_reshaped", SOFTMAX + """
def f(Q, K, V):
    b, h, m, d = K.shape
    return softmax(Q @ K.reshape(b, h, d, m) / np.sqrt(d)) @ V
""")

add("epsilon_in_sum", "adds 1e-3 to the sum of the exponentials", "softmax_epsilon", """
def f(Q, K, V):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / (e.sum(-1, keepdims=True) + 1e-3) @ V
""")

add("softmax_off_by_one", "one is added to the sum: the softmax1 of a blog post", "softmax_plus_one", """
def f(Q, K, V):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    top = np.maximum(s.max(-1, keepdims=True), 0)
    e = np.exp(s - top)
    return e / (e.sum(-1, keepdims=True) + np.exp(-top)) @ V
""")

add("sigmoid", "a sigmoid in place of the softmax", UNKNOWN, """
def f(Q, K, V):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return 1 / (1 + np.exp(-s)) @ V
""")

add("absolute_scores", "takes the absolute value of the scores", UNKNOWN, SOFTMAX + """
def f(Q, K, V):
    return softmax(np.abs(Q @ K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])) @ V
""")

add("forgot_return", "prints and returns nothing", "returns_no_array", SOFTMAX + """
def f(Q, K, V):
    out = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])) @ V
""")

add("weights_first", "returns weights before the output, which their shapes tell", RIGHT, SOFTMAX + """
def f(Q, K, V):
    w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))
    return w, w @ V
""")

add("mask_added", "a boolean mask is added to the scores as numbers", "mask_bool_added", SOFTMAX + """
def f(Q, K, V, mask=None):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = s + (1 - mask) * -1.0
    return softmax(s) @ V
""")

add("mask_before_scale_small", "hidden scores are filled with −10, which is not enough", "mask_constant_leak", SOFTMAX + """
def f(Q, K, V, mask=None):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -10.0)
    return softmax(s) @ V
""")

add("default_scale_always", "a scale that is given is multiplied in beside 1/sqrt(d_k)", "scale_arg_on_top", SOFTMAX + """
def f(Q, K, V, scale=None):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if scale is not None:
        s = s * scale
    return softmax(s) @ V
""")

# Wrong: other forms ---------------------------------------------------------------------------------------------

add("heads_not_swapped_back", "the heads' outputs are reshaped without moving their axis back", "heads_merge_reshape", SOFTMAX + """
def f(x, W_q, W_k, W_v, W_o, num_heads):
    B, T, _ = x.shape
    split = lambda a: a.reshape(B, T, num_heads, -1).transpose(0, 2, 1, 3)
    q, k, v = split(x @ W_q), split(x @ W_k), split(x @ W_v)
    out = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
    return out.reshape(B, T, -1) @ W_o
""", form="multihead")

add("heads_split_by_view", "the heads are split by a reshape that mixes tokens", "heads_split_reshape", SOFTMAX + """
def f(x, W_q, W_k, W_v, W_o, num_heads):
    B, T, _ = x.shape
    split = lambda a: a.reshape(B, num_heads, T, -1)
    q, k, v = split(x @ W_q), split(x @ W_k), split(x @ W_v)
    out = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
    return out.transpose(0, 2, 1, 3).reshape(B, T, -1) @ W_o
""", form="multihead")

add("scale_of_model", "divides by the root of d_model instead of a head's width", "scale_model_dim", SOFTMAX + """
class MHA:
    def __init__(self, x, wq, wk, wv, wo, h):
        self.x, self.w, self.h = x, (wq, wk, wv, wo), h

    def run(self):
        wq, wk, wv, wo = self.w
        B, T, C = self.x.shape
        q, k, v = (np.stack(np.split(self.x @ w, self.h, axis=-1), axis=1) for w in (wq, wk, wv))
        att = softmax(np.einsum("bhtd,bhsd->bhts", q, k) / np.sqrt(C))
        y = np.einsum("bhts,bhsd->bthd", att, v)
        return y.reshape(B, T, -1) @ wo

def f(X, W_Q, W_K, W_V, W_O, n_heads):
    return MHA(X, W_Q, W_K, W_V, W_O, n_heads).run()
""", form="multihead")

add("no_output_matrix", "the output matrix is left out", "projection_missing", SOFTMAX + """
def f(x, W_q, W_k, W_v, W_o, num_heads):
    B, T, _ = x.shape
    split = lambda a: a.reshape(B, T, num_heads, -1).transpose(0, 2, 1, 3)
    q, k, v = split(x @ W_q), split(x @ W_k), split(x @ W_v)
    out = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
    out = out.transpose(0, 2, 1, 3).reshape(B, T, -1)
    return out
""", form="multihead")

add("tile_for_repeat", "key heads are tiled where each should be repeated", "gqa_tile", SOFTMAX + """
def f(q, k, v):
    r = q.shape[1] // k.shape[1]
    k, v = np.tile(k, (1, r, 1, 1)), np.tile(v, (1, r, 1, 1))
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v
""", form="grouped")

add("values_head_0", "keys are repeated, values are those of the first head for all", "heads_mixed", SOFTMAX + """
def f(q, k, v):
    r = q.shape[1] // k.shape[1]
    k = np.repeat(k, r, axis=1)
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v[:, :1]
""", form="grouped")

add("decode_without_causal", "several new tokens all see one another", "causal_dropped", SOFTMAX + """
def f(q, k, v, past_kv=None):
    if past_kv is not None:
        k, v = np.concatenate([past_kv[0], k], 2), np.concatenate([past_kv[1], v], 2)
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v, (k, v)
""", form="decode")

add("decode_mask_without_past", "the causal mask forgets the length of the past", "kv_first_key_only", SOFTMAX + """
def f(q, k, v, cache):
    if cache is not None:
        k, v = np.concatenate([cache[0], k], 2), np.concatenate([cache[1], v], 2)
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    s = np.where(np.tril(np.ones(s.shape[-2:], dtype=bool)), s, -np.inf)
    return softmax(s) @ v, (k, v)
""", form="decode")

# Wrong: two mistakes --------------------------------------------------------------------------------------------

add("unscaled_and_mask_after", "no scale, and the mask is multiplied into the weights", "scale_missing mask_after_softmax", SOFTMAX + """
def f(Q, K, V, mask=None):
    w = softmax(Q @ K.swapaxes(-1, -2))
    if mask is not None:
        w = w * mask
    return w @ V
""")

add("inverted_and_top_left", "the mask is inverted, the causal mask is of the top left", "mask_inverted causal_alignment", """
def f(Q, K, V, mask=None, causal=False):
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if causal:
        s = np.where(np.tri(*s.shape[-2:]) > 0, s, -np.inf)
    if mask is not None:
        s = np.where(mask, -np.inf, s)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1, z) @ V
""")

add("wrong_axis_and_scale", "softmax over the queries and no scale, in PyTorch", "scale_missing softmax_axis", """
def f(q, k, v):
    return torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k), dim=-2) @ v
""")

# A mask that must be given --------------------------------------------------------------------------------------

NEEDED = SOFTMAX + """
def f(q, k, v, mask):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    s = np.where(HIDDEN, -np.inf, s)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(softmax(s)) @ v
"""
add("mask_needed_inverted", "the mask, which must be given, is inverted", "mask_inverted", NEEDED.replace("HIDDEN", "mask"))
add("mask_needed_unscaled", "a mask must be given, and there is no scale", "scale_missing",
    NEEDED.replace("HIDDEN", "~mask").replace(" / np.sqrt(q.shape[-1])", ""))
add("mask_needed_with_none", "a mask must be given and may be None", RIGHT,
    NEEDED.replace("HIDDEN", "False if mask is None else ~mask"))
add("multihead_mask_needed", "a mask must be given to several heads", RIGHT, SOFTMAX + """
def f(x, Wq, Wk, Wv, Wo, n_heads, mask):
    B, T, _ = x.shape
    q, k, v = (np.moveaxis((x @ w).reshape(B, T, n_heads, -1), 2, 1) for w in (Wq, Wk, Wv))
    s = np.where(mask == 0, -1e30, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
    return np.moveaxis(softmax(s) @ v, 1, 2).reshape(B, T, -1) @ Wo
""", form="multihead")

# Half precision -------------------------------------------------------------------------------------------------

add("float16_torch", "PyTorch computes in float16", RIGHT, """
def f(q, k, v, attn_mask=None):
    s = (q @ k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    if attn_mask is not None:
        s = s.masked_fill(~attn_mask, float("-inf"))
    return s.softmax(-1).nan_to_num() @ v
""", dtype="float16")
add("float16_unscaled", "no scale, in float16", "scale_missing", SOFTMAX + """
def f(q, k, v):
    return softmax(q @ k.swapaxes(-1, -2)) @ v
""", dtype="float16")
add("float16_no_maximum", "exp without a maximum, in float16", "softmax_overflow", """
def f(q, k, v):
    e = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(np.float16(q.shape[-1])))
    return e / e.sum(-1, keepdims=True) @ v
""", dtype="float16")

# More of what is written ----------------------------------------------------------------------------------------

add("torch_sdpa_by_hand", "the stand-in that a library's documentation prints, with a bias", RIGHT, """
import math

def f(query, key, value, attn_mask=None, scale=None):
    L, S = query.size(-2), key.size(-2)
    scale_factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    attn_bias = torch.zeros(L, S, dtype=query.dtype)
    if attn_mask is not None:
        attn_bias = torch.zeros(attn_mask.shape, dtype=query.dtype).masked_fill(attn_mask.logical_not(), float("-inf"))
    w = query @ key.transpose(-2, -1) * scale_factor + attn_bias
    return torch.nan_to_num(torch.softmax(w, dim=-1)) @ value
""")
add("three_axes", "samples only, batched by bmm", RIGHT, """
def f(q, k, v):
    w = torch.bmm(q, k.transpose(1, 2)) / q.size(2) ** 0.5
    return torch.bmm(w.softmax(2), v)
""", layout="BLD")
add("lengths_first", "lengths before heads", RIGHT, SOFTMAX + """
def f(xq, xk, xv, causal=False):
    s = np.einsum("bqhd,bkhd->bhqk", xq, xk) / np.sqrt(xq.shape[-1])
    if causal:
        i, j = np.ogrid[:s.shape[2], :s.shape[3]]
        s = np.where(j - i > s.shape[3] - s.shape[2], -1e38, s)
        dead = (j - i > s.shape[3] - s.shape[2]).all(1)
        return np.einsum("bhqk,bkhd->bqhd", np.where(dead[:, None], 0, softmax(s)), xv)
    return np.einsum("bhqk,bkhd->bqhd", softmax(s), xv)
""", layout="BLHD")
add("hide_mask", "True hides, as in torch.nn.MultiheadAttention", RIGHT, """
def f(q, k, v, attn_mask=None):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if attn_mask is not None:
        s = s.masked_fill(attn_mask, -torch.inf)
    return s.softmax(-1).nan_to_num(0) @ v
""", mask="hide")
add("lengths_one_too_many", "a key behind the end is still seen: <= where < was meant", "lengths_off_by_one", """
def f(q, k, v, lengths=None):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if lengths is not None:
        s = np.where(np.arange(k.shape[-2]) <= np.asarray(lengths)[:, None, None, None], s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
""")
add("softcap_after_mask", "the cap is applied after the mask, which lifts −∞ to −cap", "softcap_after_mask", """
def f(q, k, v, mask=None, softcap=None):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    if softcap is not None:
        s = softcap * np.tanh(s / softcap)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1, z) @ v
""")
add("softcap_without_multiplying", "tanh(s / cap) is not multiplied by the cap", "softcap_unscaled", SOFTMAX + """
def f(q, k, v, softcap=None):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if softcap is not None:
        s = np.tanh(s / softcap)
    return softmax(s) @ v
""")
add("window_symmetric", "the window's left width is used on both sides", "window_future", """
def f(q, k, v, window=None):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    if window is not None:
        left, right = window
        gap = np.arange(m)[None] - (np.arange(n)[:, None] + m - n)
        s = np.where(np.abs(gap) <= left, s, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1, z) @ v
""")
add("bias_before_scale", "the bias is added before the scale", "bias_scaled", SOFTMAX + """
def f(q, k, v, bias=None):
    s = q @ k.swapaxes(-1, -2)
    if bias is not None:
        s = s + bias
    return softmax(s / np.sqrt(q.shape[-1])) @ v
""")
add("causal_by_default", "it is always causal", "causal_unasked", """
def f(q, k, v):
    s = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    s = s.masked_fill(torch.ones(s.shape[-2:]).triu(1).bool(), float("-inf"))
    return s.softmax(-1) @ v
""")
add("dropout_left_on", "dropout is on, as in training", "dropout_eval", """
def f(q, k, v):
    w = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
    return torch.nn.functional.dropout(w, 0.2) @ v
""")
add("query_overwritten", "scales the queries in place", "inputs_changed", """
def f(q, k, v):
    q /= q.shape[-1] ** 0.5
    return torch.softmax(q @ k.mT, -1) @ v
""")
add("sum_without_keepdims", "the sum has lost its axis and divides along another one", "raises unknown", """
def f(q, k, v):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1)[:, :, None, :]) @ v
""")
add("causal_zero_after", "future weights are zeroed after the softmax, not divided again", "mask_after_softmax", SOFTMAX + """
def f(q, k, v, is_causal=False):
    w = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
    if is_causal:
        n, m = w.shape[-2:]
        w = np.tril(w, m - n)
    return w @ v
""")
add("causal_multiplied", "future scores are multiplied to zero by tril", "mask_multiplied", SOFTMAX + """
def f(q, k, v, is_causal=False):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if is_causal:
        s = np.tril(s, s.shape[-1] - s.shape[-2])
    return softmax(s) @ v
""")
add("heads_reversed", "heads come back in reverse, with no scale at all", UNKNOWN, SOFTMAX + """
def f(q, k, v):
    return (softmax(q @ k.swapaxes(-1, -2)) @ v)[:, ::-1]
""")
add("key_and_query_swapped", "K Qᵀ, turned back: the softmax runs over queries", "softmax_axis", SOFTMAX + """
def f(q, k, v):
    s = softmax(k @ q.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), axis=-1)
    return s.swapaxes(-1, -2) @ v
""")
add("relu_scores", "negative scores are cut to zero, and there is no scale", UNKNOWN, SOFTMAX + """
def f(q, k, v):
    return softmax(np.maximum(q @ k.swapaxes(-1, -2), 0)) @ v
""")
add("unscaled_beside_unknown", "no scale, and what a mask hides is halved", "scale_missing unknown", SOFTMAX + """
def f(q, k, v, mask=None):
    s = q @ k.swapaxes(-1, -2)
    if mask is not None:
        s = np.where(mask, s, s / 2)
    return softmax(s) @ v
""")
add("float16_overflow_mask", "float16 filled with −65504, which leaves empty rows their mean", "masked_row_uniform", """
def f(q, k, v, mask=None):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    return s.softmax(-1) @ v
""", dtype="float16")

add("float32_no_maximum", "exp without a maximum, in float32", "softmax_overflow", """
def f(q, k, v):
    e = np.exp(q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5)
    return e / e.sum(-1, keepdims=True) @ v
""", dtype="float32")
add("float32_global_max", "one maximum for the whole array, in float32", "softmax_global_max", """
def f(q, k, v):
    s = q @ k.mT / q.shape[-1] ** 0.5
    e = torch.exp(s - s.max())
    return e / e.sum(-1, keepdim=True) @ v
""", dtype="float32")

# Arguments that must be given, other forms, narrower dtypes -----------------------------------------------------

add("everything_needed", "mask, causal and scale must all be given", RIGHT, SOFTMAX + """
def f(q, k, v, mask, causal, scale):
    s = q @ k.swapaxes(-1, -2) * scale
    n, m = s.shape[-2:]
    ok = np.broadcast_to(mask, s.shape)
    if causal:
        ok = ok & np.tri(n, m, m - n, dtype=bool)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(softmax(np.where(ok, s, -np.inf))) @ v
""")
add("mask_needed_grouped", "a mask must be given, heads share keys", RIGHT, SOFTMAX + """
def f(q, k, v, mask):
    r = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, r, 1), np.repeat(v, r, 1)
    s = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(softmax(s)) @ v
""", form="grouped")
add("mask_needed_zero_scores", "a mask must be given, hidden scores become zero", "mask_multiplied", SOFTMAX + """
def f(q, k, v, mask):
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) * mask) @ v
""")
add("mask_needed_additive", "a mask of numbers must be given and is added", RIGHT, SOFTMAX + """
def f(q, k, v, mask):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + mask)) @ v
""", mask="additive")
add("mask_needed_torch_hide", "a mask must be given, and the causal rule is of the top left", "causal_alignment", """
def f(query, key, value, mask, is_causal=False):
    s = query @ key.transpose(-1, -2) / query.size(-1) ** 0.5
    s = s.masked_fill(mask == 0, float("-inf"))
    if is_causal:
        s = s.masked_fill(~torch.tril(torch.ones(s.shape[-2:], dtype=torch.bool)), float("-inf"))
    return s.softmax(-1).nan_to_num() @ value
""")
add("float32_fill", "filled with −1e4, which is above scores of −60000, and hidden weights are set to zero afterwards", UNKNOWN, SOFTMAX + """
def f(q, k, v, mask=None):
    s = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        s = np.where(mask, s, np.float32(-1e4))
    w = softmax(s)
    return (w if mask is None else np.where(mask, w, 0)) @ v
""", dtype="float32")
add("float16_causal_off_by_one", "the diagonal is hidden, in float16", "causal_off_by_one", """
def f(q, k, v, causal=False):
    s = q @ k.mT / q.shape[-1] ** 0.5
    n, m = s.shape[-2:]
    if causal:
        s = s.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(m - n), float("-inf"))
    return s.softmax(-1).nan_to_num() @ v
""", dtype="float16")
add("float16_wide_inside", "float16 in and out, float32 inside", RIGHT, """
def f(q, k, v, causal=False):
    s = q.float() @ k.float().mT / q.shape[-1] ** 0.5
    n, m = s.shape[-2:]
    if causal:
        s = s.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(m - n + 1), float("-inf"))
    return (s.softmax(-1).nan_to_num() @ v.float()).half()
""", dtype="float16")
add("gradient_without_sum", "the softmax's gradient lacks the row's sum", "softmax_grad", SOFTMAX + """
def f(Q, K, V, dO):
    c = Q.shape[-1] ** -0.5
    P = softmax(Q @ K.swapaxes(-1, -2) * c)
    dV = P.swapaxes(-1, -2) @ dO
    dS = P * (dO @ V.swapaxes(-1, -2))
    return dS @ K * c, dS.swapaxes(-1, -2) @ Q * c, dV
""", form="gradients")
add("gradient_without_scale", "the gradients of Q and K lack the scale", "grad_scale", SOFTMAX + """
def f(Q, K, V, dO):
    P = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))
    dP = dO @ V.swapaxes(-1, -2)
    dS = P * (dP - (dP * P).sum(-1, keepdims=True))
    return dS @ K, dS.swapaxes(-1, -2) @ Q, P.swapaxes(-1, -2) @ dO
""", form="gradients")
add("rotary_halves", "pairs are halves, not neighbours", "rope_pairing", """
def f(x, offset=0, base=10000.0):
    d = x.shape[-1]
    t = (np.arange(x.shape[-2]) + offset)[:, None] * base ** (-np.arange(0, d, 2) / d)
    cos, sin = np.cos(np.concatenate([t, t], -1)), np.sin(np.concatenate([t, t], -1))
    a, b = np.split(x, 2, axis=-1)
    return x * cos + np.concatenate([-b, a], -1) * sin
""", form="rotary")
add("rotary_complex", "pairs as complex numbers", RIGHT, """
def f(x, offset=0, base=10000.0):
    d = x.shape[-1]
    t = (np.arange(x.shape[-2]) + offset)[:, None] * base ** (-np.arange(0, d, 2) / d)
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * t)
    return np.stack([z.real, z.imag], -1).reshape(x.shape)
""", form="rotary")
add("decode_overwrites", "the cache keeps the newest tokens alone", "cache_replaced", SOFTMAX + """
def f(q, k, v, cache):
    new = (k, v)
    if cache is not None:
        k, v = np.concatenate([cache[0], k], 2), np.concatenate([cache[1], v], 2)
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    s = np.where(np.tri(n, m, m - n, dtype=bool), s, -np.inf)
    return softmax(s) @ v, new
""", form="decode")
add("multihead_no_scale_torch", "several heads, no scale, heads not moved back", "heads_merge_reshape scale_missing", """
def f(x, wq, wk, wv, wo, n_heads):
    B, T, _ = x.shape
    q, k, v = ((x @ w).view(B, T, n_heads, -1).transpose(1, 2) for w in (wq, wk, wv))
    y = (q @ k.mT).softmax(-1) @ v
    return y.reshape(B, T, -1) @ wo + 0 * torch.zeros(1)
""", form="multihead")
