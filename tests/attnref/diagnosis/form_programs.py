"""Functions of the newer forms in three styles, and edits that make each of them wrong: (fault, old text, new text, …).

As in `programs`, each style is a program of its own and knows nothing of the checker's pipeline.
"""

Edit = tuple[str, ...]

SOFTMAX = """
def softmax(x):
    m = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(m), m, 0))
    z = e.sum(axis=-1, keepdims=True)
    return e / np.where(z == 0, 1, z)
"""
LIST_SOFTMAX = """
def shares(s):
    top = max(s)
    if top == -math.inf:
        return [0.0] * len(s)
    e = [math.exp(x - top) for x in s]
    z = sum(e)
    return [x / z for x in e]

def dot(a, b):
    return sum(float(x) * float(y) for x, y in zip(a, b))
"""

PROGRAMS: dict[tuple[str, str], str] = {}
EDITS: dict[tuple[str, str], list[Edit]] = {}


# Half precision -------------------------------------------------------------------------------------------------

PROGRAMS["half", "loops"] = (
    LIST_SOFTMAX
    + """
def f(Q, K, V, mask=None, causal=False):
    B, H, n, d = Q.shape
    m = K.shape[2]
    out = np.zeros((B, H, n, V.shape[3]), dtype=Q.dtype)
    for b, h, i in np.ndindex(B, H, n):
        s = [dot(Q[b, h, i], K[b, h, j]) / math.sqrt(d) for j in range(m)]
        for j in range(m):
            if causal and j > i + m - n:
                s[j] = -math.inf
            if mask is not None and not np.broadcast_to(mask, (B, H, n, m))[b, h, i, j]:
                s[j] = -math.inf
        w = shares(s)
        for c in range(V.shape[3]):
            out[b, h, i, c] = sum(w[j] * float(V[b, h, j, c]) for j in range(m))
    return out
"""
)
EDITS["half", "loops"] = [
    ("fp16_dots", "dot(Q[b, h, i], K[b, h, j])", "float(Q.dtype.type(dot(Q[b, h, i], K[b, h, j])))",
        "w = shares(s)", "w = shares([float(Q.dtype.type(x)) for x in s])"),
    ("softmax_low_precision", "w = shares(s)", "w = shares([float(Q.dtype.type(x)) for x in s])"),
    ("fp16_mask_overflow", "s[j] = -math.inf", "s[j] = float(Q.dtype.type(-1e9))", "return [0.0] * len(s)", "return [math.nan] * len(s)"),
    ("finfo_min_sum", "s[j] = -math.inf", "s[j] = float(Q.dtype.type(s[j] + float(np.finfo(Q.dtype).min)))", "return [0.0] * len(s)", "return [math.nan] * len(s)"),
    ("scale_missing", " / math.sqrt(d)", ""),
    ("mask_inverted", "and not np.broadcast", "and np.broadcast"),
]  # fmt: skip

PROGRAMS["half", "einsum"] = (
    SOFTMAX
    + """
def f(q, k, v, mask=None, causal=False):
    x = np.einsum("bhid,bhjd->bhij", q.astype("f4"), k.astype("f4")) / np.sqrt(np.float32(q.shape[-1]))
    hidden = np.zeros(x.shape, bool)
    if mask is not None:
        hidden = hidden | ~mask
    if causal:
        hidden = hidden | np.triu(np.ones(x.shape[-2:], bool), 1 + x.shape[-1] - x.shape[-2])
    x = np.where(hidden, -np.inf, x)
    return np.einsum("bhij,bhjd->bhid", softmax(x), v.astype("f4")).astype(q.dtype)
"""
)
EDITS["half", "einsum"] = [
    ("fp16_dots", 'q.astype("f4"), k.astype("f4"))', "q, k)", "np.sqrt(np.float32(q.shape[-1]))", "q.dtype.type(math.sqrt(q.shape[-1]))"),
    ("softmax_low_precision", "    hidden = np.zeros", "    x = x.astype(q.dtype).astype('f4')\n    hidden = np.zeros"),
    ("fp16_mask_overflow", "np.where(hidden, -np.inf, x)", "np.where(hidden, np.float32(q.dtype.type(-1e9)), x)", "np.where(np.isfinite(m), m, 0)", "m", "np.where(z == 0, 1, z)", "z"),
    ("causal_off_by_one", "1 + x.shape[-1]", "2 + x.shape[-1]"),
    ("masked_row_uniform", "np.where(hidden, -np.inf, x)", "np.where(hidden, -30000.0, x)"),
]  # fmt: skip

PROGRAMS["half", "torch"] = """
def f(query, key, value, attn_mask=None, is_causal=False):
    scores = torch.matmul(query.float(), key.float().transpose(2, 3)) / math.sqrt(query.size(-1))
    bias = torch.zeros(scores.shape)
    if is_causal:
        n, m = scores.shape[-2:]
        bias = bias.masked_fill(~torch.ones(n, m, dtype=torch.bool).tril(m - n), float("-inf"))
    if attn_mask is not None:
        bias = bias.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores + bias, dim=-1)
    weights = weights.masked_fill((bias == float("-inf")).all(-1, keepdim=True), 0.0)
    return torch.matmul(weights, value.float()).to(query.dtype)
"""
EDITS["half", "torch"] = [
    ("fp16_dots", "query.float(), key.float().transpose(2, 3)", "query, key.transpose(2, 3)"),
    ("fp16_mask_overflow", "torch.zeros(scores.shape)", "torch.zeros(scores.shape, dtype=query.dtype)", "    weights = weights.masked_fill((bias == float(\"-inf\")).all(-1, keepdim=True), 0.0)\n", "", 'float("-inf")', "-1e9"),
    ("finfo_min_sum", "torch.zeros(scores.shape)", "torch.zeros(scores.shape, dtype=query.dtype)",
        "bias = bias.masked_fill(~torch.ones(n, m, dtype=torch.bool).tril(m - n), float(\"-inf\"))",
        "bias = bias + torch.zeros_like(bias).masked_fill(~torch.ones(n, m, dtype=torch.bool).tril(m - n), torch.finfo(query.dtype).min)",
        "bias = bias.masked_fill(~attn_mask, float(\"-inf\"))",
        "bias = bias + torch.zeros_like(bias).masked_fill(~attn_mask, torch.finfo(query.dtype).min)",
        "weights = torch.softmax(scores + bias, dim=-1)", "weights = torch.softmax(scores + bias.float(), dim=-1)",
        "weights = weights.masked_fill((bias == float(\"-inf\")).all(-1, keepdim=True), 0.0)", "pass"),
    ("masked_row_nan", "    weights = weights.masked_fill((bias == float(\"-inf\")).all(-1, keepdim=True), 0.0)\n", ""),
]  # fmt: skip


# Decoding with a cache ------------------------------------------------------------------------------------------

PROGRAMS["decode", "loops"] = (
    LIST_SOFTMAX
    + """
def f(q, k, v, cache):
    B, H, n, d = q.shape
    keys = [] if cache is None else list(cache[0])
    values = [] if cache is None else list(cache[1])
    past = len(keys)
    out = np.zeros((B, H, n, v.shape[3]))
    for t in range(n):
        keys.append(k[:, :, t])
        values.append(v[:, :, t])
        for b in range(B):
            for h in range(H):
                s = [dot(q[b, h, t], key[b, h]) * d ** -0.5 for key in keys]
                w = shares(s)
                out[b, h, t] = sum(w[j] * values[j][b, h] for j in range(len(w)))
    return out, (keys, values)
"""
)
EDITS["decode", "loops"] = [
    ("cache_ignored", "keys = [] if cache is None else list(cache[0])", "keys = []", "values = [] if cache is None else list(cache[1])", "values = []"),
    ("cache_replaced", "return out, (keys, values)", "return out, (keys[past:], values[past:])"),
    ("cache_twice", "    return out", "    keys = keys\n    return out", "w = shares(s)",
        "w = shares(s + s[past:])\n                w = [w[j] + (w[len(s) + j - past] if j >= past else 0) for j in range(len(s))]"),
    ("scale_missing", " * d ** -0.5", ""),
    ("values_ignored", "values.append(v[:, :, t])", "values.append(k[:, :, t])", "v.shape[3]", "k.shape[3]"),
    ("causal_off_by_one", "w = shares(s)", "w = shares(s[:-1] + [-math.inf])"),
]  # fmt: skip

PROGRAMS["decode", "einsum"] = (
    SOFTMAX
    + """
def f(q, k, v, cache, mask=None):
    if cache is None:
        K, V = k, v
    else:
        K = np.concatenate([cache["k"], k], axis=2)
        V = np.concatenate([cache["v"], v], axis=2)
    n, m = q.shape[2], K.shape[2]
    scores = np.einsum("bhid,bhjd->bhij", q, K) / math.sqrt(q.shape[-1])
    past = m - n
    seen = np.arange(m)[None, :] <= np.arange(n)[:, None] + past
    scores = np.where(seen, scores, -np.inf)
    if mask is not None:
        scores = np.where(mask[:, None, None, :], scores, -np.inf)
    return np.einsum("bhij,bhjd->bhid", softmax(scores), V), {"k": K, "v": V}
"""
)
EDITS["decode", "einsum"] = [
    ("kv_first_key_only", "np.arange(n)[:, None] + past", "np.arange(n)[:, None]"),
    ("causal_dropped", "    scores = np.where(seen, scores, -np.inf)\n", ""),
    ("cache_replaced", '{"k": K, "v": V}', '{"k": k, "v": v}'),
    ("cache_replaced", '{"k": K, "v": V}', 'cache or {"k": K, "v": V}'),
    ("cache_late", "n, m = q.shape[2], K.shape[2]", "n, m = q.shape[2], K.shape[2]\n    late = np.arange(m) >= m - n", "scores = np.where(seen, scores, -np.inf)", "scores = np.where(seen & (~late | (m == n)), scores, -np.inf)"),
    ("cache_order", '[cache["k"], k]', '[k, cache["k"]]', '[cache["v"], v]', '[v, cache["v"]]'),
    ("cache_ignored", "    if cache is None:", "    if True:", "mask[:, None, None, :]", "mask[:, None, None, -m:]"),
    ("mask_ignored", "    if mask is not None:", "    if mask is not None and cache is None and n > 99:"),
    ("mask_inverted", "np.where(mask[:, None, None, :]", "np.where(~mask[:, None, None, :]"),
    ("softmax_unnormalised", "e / np.where(z == 0, 1, z)", "e"),
    ("scale_wrong_dim", "math.sqrt(q.shape[-1])", "math.sqrt(q.shape[1])"),
]  # fmt: skip

PROGRAMS["decode", "torch"] = """
def f(q, k, v, past_key_value, attention_mask=None):
    b, h, n, d = q.shape
    size = 64
    if past_key_value is None:
        K, V, pos = torch.zeros(b, k.shape[1], size, d, dtype=q.dtype), torch.zeros(b, v.shape[1], size, v.shape[-1], dtype=q.dtype), 0
    else:
        K, V, pos = past_key_value
        K, V = K.clone(), V.clone()
    K[:, :, pos:pos + n] = k
    V[:, :, pos:pos + n] = v
    pos = pos + n
    keys, values = K[:, :, :pos], V[:, :, :pos]
    groups = h // k.shape[1]
    keys, values = keys.repeat_interleave(groups, dim=1), values.repeat_interleave(groups, dim=1)
    scores = (q @ keys.transpose(-1, -2)) * d ** -0.5
    mask = torch.ones(n, keys.shape[2], dtype=torch.bool).tril(pos - n)
    scores = scores.masked_fill(~mask, float("-inf"))
    if attention_mask is not None:
        scores = scores.masked_fill(~attention_mask[:, None, None, :], float("-inf"))
    return torch.nan_to_num(scores.softmax(-1)) @ values, (K, V, pos)
"""
EDITS["decode", "torch"] = [
    ("kv_first_key_only", ".tril(pos - n)", ".tril()"),
    ("causal_dropped", "    scores = scores.masked_fill(~mask, float(\"-inf\"))\n", ""),
    ("cache_unfilled", "keys, values = K[:, :, :pos], V[:, :, :pos]", "keys, values = K, V", ".tril(pos - n)", ".tril(pos - n) | (torch.arange(keys.shape[2]) >= pos)", "size = 64", "size = 32", "~attention_mask[:, None, None, :]", "~torch.nn.functional.pad(attention_mask, (0, size - attention_mask.shape[1]), value=True)[:, None, None, :]"),
    ("scale_missing", " * d ** -0.5", ""),
    ("gqa_tile", "keys.repeat_interleave(groups, dim=1), values.repeat_interleave(groups, dim=1)", "keys.repeat(1, groups, 1, 1), values.repeat(1, groups, 1, 1)"),
    ("cache_ignored", "    if past_key_value is None:", "    if True:"),
    ("softmax_axis_heads", "scores.softmax(-1)", "scores.softmax(1)"),
]  # fmt: skip


# Decoding with rotation -----------------------------------------------------------------------------------------

PROGRAMS["rotary_decode", "loops"] = (
    LIST_SOFTMAX
    + """
def turn(x, p):
    out = list(x)
    for c in range(0, len(x), 2):
        angle = p * 10000.0 ** (-c / len(x))
        out[c] = x[c] * math.cos(angle) - x[c + 1] * math.sin(angle)
        out[c + 1] = x[c] * math.sin(angle) + x[c + 1] * math.cos(angle)
    return out

def f(q, k, v, cache):
    B, H, n, d = q.shape
    out = np.zeros((B, H, n, v.shape[3]))
    new = {}
    for b in range(B):
        for h in range(H):
            rows = list(cache[b, h]) if cache else []
            start = len(rows)
            for t in range(n):
                p = start + t
                rows.append((turn(k[b, h, t], p), v[b, h, t]))
                query = turn(q[b, h, t], p)
                w = shares([dot(query, row[0]) / math.sqrt(d) for row in rows])
                out[b, h, t] = sum(x * row[1] for x, row in zip(w, rows))
            new[b, h] = rows
    return out, new
"""
)
EDITS["rotary_decode", "loops"] = [
    ("rope_cache_offset", "p = start + t", "p = t"),
    ("rope_cache_offset", "query = turn(q[b, h, t], p)", "query = turn(q[b, h, t], t)"),
    ("rope_missing", "rows.append((turn(k[b, h, t], p)", "rows.append((k[b, h, t]"),
    ("rope_values", "v[b, h, t]))", "np.array(turn(v[b, h, t], p))))"),
    ("rope_double", "list(cache[b, h]) if cache else []", "[(turn(row[0], j), row[1]) for j, row in enumerate(cache[b, h])] if cache else []"),
    ("scale_missing", " / math.sqrt(d)", ""),
    ("cache_ignored", "list(cache[b, h]) if cache else []", "[]", "start = len(rows)", "start = cache['n'] if cache else 0", "return out, new", "new['n'] = start + n\n    return out, new"),
]  # fmt: skip

PROGRAMS["rotary_decode", "einsum"] = (
    SOFTMAX
    + """
def rope(x, positions):
    d = x.shape[-1]
    freqs = 1.0 / 10000 ** (np.arange(0, d, 2) / d)
    angle = positions[:, None] * freqs
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

def f(q, k, v, cache):
    past = 0 if cache is None else cache[0].shape[2]
    here = np.arange(q.shape[2]) + past
    if cache is not None:
        k, v = np.concatenate([cache[0], k], 2), np.concatenate([cache[1], v], 2)
    cache = (k, v)
    everywhere = np.arange(k.shape[2])
    q, k = rope(q, here), rope(k, everywhere)
    s = np.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
    s = s + np.where(everywhere > here[:, None], -np.inf, 0)
    return softmax(s) @ v, cache
"""
)
EDITS["rotary_decode", "einsum"] = [
    ("rope_double", "    cache = (k, v)\n", "", "return softmax(s) @ v, cache", "return softmax(s) @ v, (k, v)"),
    ("rope_cache_offset", "q, k = rope(q, here)", "q, k = rope(q, here - past)"),
    ("rope_missing", "q, k = rope(q, here), rope(k, everywhere)", "q, k = q, k"),
    ("rope_missing", "rope(q, here), rope(k, everywhere)", "rope(q, here), k"),
    ("rope_offset", "rope(q, here)", "rope(q, here[-1:])"),
    ("rope_sign", "np.exp(1j * angle)", "np.exp(-1j * angle)"),
    ("kv_first_key_only", "here[:, None], -np.inf", "here[:, None] - past, -np.inf"),
    ("causal_dropped", "np.where(everywhere > here[:, None], -np.inf, 0)", "0"),
]  # fmt: skip

PROGRAMS["rotary_decode", "torch"] = """
def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)

def f(q, k, v, past):
    start = 0 if past is None else past[0].shape[-2]
    dim = q.shape[-1]
    position_ids = torch.arange(start, start + q.shape[-2], dtype=q.dtype)
    inv_freq = 1.0 / (10000.0 ** (torch.arange(0, dim, 2, dtype=q.dtype) / dim))
    emb = torch.outer(position_ids, inv_freq).repeat(1, 2)
    cos, sin = emb.cos(), emb.sin()
    q = q * cos + rotate_half(q) * sin
    k = k * cos + rotate_half(k) * sin
    if past is not None:
        k = torch.cat([past[0], k], dim=-2)
        v = torch.cat([past[1], v], dim=-2)
    mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
    scores = (q @ k.transpose(-1, -2) / dim ** 0.5).masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ v, (k, v)
"""
EDITS["rotary_decode", "torch"] = [
    ("rope_cache_offset", "torch.arange(start, start + q.shape[-2]", "torch.arange(0, q.shape[-2]"),
    ("rope_cache_offset", "start = 0 if past is None else past[0].shape[-2]", "start = 0 if past is None else past[0].shape[-2] - 1"),
    ("rope_cache_offset", "start = 0 if past is None else past[0].shape[-2]", "start = 0 if past is None else past[0].shape[-2] + 1"),
    ("rope_double", "    mask = torch.ones", "    if past is not None:\n        e = torch.outer(torch.arange(start, dtype=q.dtype), inv_freq).repeat(1, 2)\n        k = torch.cat([k[..., :start, :] * e.cos() + rotate_half(k[..., :start, :]) * e.sin(), k[..., start:, :]], dim=-2)\n    mask = torch.ones"),
    ("rope_missing", "    q = q * cos + rotate_half(q) * sin\n", ""),
    ("cache_replaced", "return scores.softmax(-1) @ v, (k, v)", "return scores.softmax(-1) @ v, past or (k, v)", "start = 0 if past is None else past[0].shape[-2]", "start = 0 if past is None else past[2]", "past or (k, v)", "(*(past or (k, v))[:2], start + q.shape[-2])"),
]  # fmt: skip


# Positions of padded texts --------------------------------------------------------------------------------------

PROGRAMS["positions", "loops"] = """
def f(mask):
    rows = []
    for row in mask:
        n, out = 0, []
        for real in row:
            out.append(n if real else 0)
            n += 1 if real else 0
        rows.append(out)
    return np.array(rows)
"""
EDITS["positions", "loops"] = [
    ("position_left_pad", "n += 1 if real else 0", "n += 1"),
    ("position_from_one", "n, out = 0, []", "n, out = 1, []"),
    ("position_batch", "    rows = []\n", "    rows = []\n    n = 0\n", "n, out = 0, []", "out = []"),
]  # fmt: skip
PROGRAMS["positions", "einsum"] = """
def f(attention_mask):
    position_ids = np.cumsum(attention_mask.astype(int), axis=-1) - 1
    return np.where(attention_mask, position_ids, 1)
"""
EDITS["positions", "einsum"] = [
    ("position_left_pad", "np.cumsum(attention_mask.astype(int), axis=-1) - 1", "np.tile(np.arange(attention_mask.shape[1]), (len(attention_mask), 1))"),
    ("position_left_pad", "    return", "    position_ids = position_ids[:1] + 0 * position_ids\n    return"),
    ("position_from_one", "axis=-1) - 1", "axis=-1)"),
    ("position_batch", "axis=-1", "axis=0"),
    ("position_inverted", "np.cumsum(attention_mask", "np.cumsum((~attention_mask)"),
]  # fmt: skip
PROGRAMS["positions", "torch"] = """
def f(attention_mask):
    m = torch.as_tensor(attention_mask).long()
    ids = m.cumsum(-1) - 1
    return ids.masked_fill(m == 0, 1)
"""
EDITS["positions", "torch"] = [
    ("position_left_pad", "m.cumsum(-1) - 1", "torch.arange(m.shape[1]).expand_as(m)"),
    ("position_from_one", "m.cumsum(-1) - 1", "m.cumsum(-1)"),
    ("position_batch", "cumsum(-1)", "cumsum(0)"),
]  # fmt: skip


# Pages ----------------------------------------------------------------------------------------------------------

PROGRAMS["paged", "loops"] = (
    LIST_SOFTMAX
    + """
def f(Q, K_blocks, V_blocks, block_table, lengths, causal=False):
    B, H, n, d = Q.shape
    size = K_blocks.shape[2]
    group = H // K_blocks.shape[1]
    out = np.zeros((B, H, n, V_blocks.shape[3]))
    for b in range(B):
        for h in range(H):
            for i in range(n):
                last = lengths[b]
                if causal:
                    last = lengths[b] - n + i + 1
                s, rows = [], []
                for j in range(last):
                    block, place = block_table[b, j // size], j % size
                    s.append(dot(Q[b, h, i], K_blocks[block, h // group, place]) / math.sqrt(d))
                    rows.append(V_blocks[block, h // group, place])
                out[b, h, i] = sum(w * row for w, row in zip(shares(s), rows))
    return out
"""
)
EDITS["paged", "loops"] = [
    ("paged_last_block", "last = lengths[b]\n", "last = -(-lengths[b] // size) * size\n"),
    ("lengths_off_by_one", "last = lengths[b]", "last = lengths[b] - 1"),
    ("paged_table", "block_table[b, j // size]", "block_table[0, j // size]"),
    ("paged_table", "block_table[b, j // size]", "j // size"),
    ("gqa_tile", "h // group", "h % K_blocks.shape[1]"),
    ("scale_missing", " / math.sqrt(d)", ""),
    ("causal_dropped", "if causal:", "if causal and n > 100:"),
]  # fmt: skip
PROGRAMS["paged", "einsum"] = (
    SOFTMAX
    + """
def f(q, kb, vb, table, lens, causal=False, scale=None):
    B, most = table.shape
    size = kb.shape[2]
    k = kb[table].swapaxes(1, 2).reshape(B, kb.shape[1], most * size, -1)
    v = vb[table].swapaxes(1, 2).reshape(B, vb.shape[1], most * size, -1)
    groups = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, groups, 1), np.repeat(v, groups, 1)
    s = np.einsum("bhid,bhjd->bhij", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    j = np.arange(most * size)
    valid = j < lens[:, None, None, None]
    if causal:
        i = np.arange(q.shape[2])[:, None]
        valid = valid & (j <= i + lens[:, None, None, None] - q.shape[2])
    return np.einsum("bhij,bhjd->bhid", softmax(np.where(valid, s, -np.inf)), v)
"""
)
EDITS["paged", "einsum"] = [
    ("paged_last_block", "valid = j < lens[:, None, None, None]", "valid = j // size <= (lens[:, None, None, None] - 1) // size"),
    ("paged_last_block", "valid = j < lens[:, None, None, None]", "valid = np.ones((1, 1, 1, most * size), bool)"),
    ("lengths_off_by_one", "valid = j < lens", "valid = j <= lens"),
    ("paged_table", "    size = kb", "    table = np.arange(table.size).reshape(table.shape) % len(kb)\n    size = kb"),
    ("paged_alignment", "valid & (j <= i + lens[:, None, None, None] - q.shape[2])", "valid & (j <= i + most * size - q.shape[2])"),
    ("gqa_tile", "np.repeat(k, groups, 1), np.repeat(v, groups, 1)", "np.tile(k, (1, groups, 1, 1)), np.tile(v, (1, groups, 1, 1))"),
    ("scale_arg_ignored", "if scale is None else scale", "if True else 0"),
]  # fmt: skip
PROGRAMS["paged", "torch"] = """
def f(q, key_cache, value_cache, block_tables, context_lens, causal=False):
    outputs = []
    size = key_cache.shape[2]
    for b in range(q.shape[0]):
        n = int(context_lens[b])
        used = block_tables[b, : (n + size - 1) // size].long()
        k = key_cache[used].transpose(0, 1).flatten(1, 2)[:, :n]
        v = value_cache[used].transpose(0, 1).flatten(1, 2)[:, :n]
        k = k.repeat_interleave(q.shape[1] // k.shape[0], dim=0)
        v = v.repeat_interleave(q.shape[1] // v.shape[0], dim=0)
        s = torch.einsum("hid,hjd->hij", q[b], k) / math.sqrt(q.shape[-1])
        if causal:
            ok = torch.ones(s.shape[-2:], dtype=torch.bool).tril(k.shape[1] - q.shape[2])
            s = s.masked_fill(~ok, float("-inf"))
        outputs.append(torch.softmax(s, -1) @ v)
    return torch.stack(outputs)
"""
EDITS["paged", "torch"] = [
    ("paged_last_block", ".flatten(1, 2)[:, :n]", ".flatten(1, 2)"),
    ("lengths_off_by_one", ".flatten(1, 2)[:, :n]", ".flatten(1, 2)[:, :n - 1]"),
    ("paged_table", "block_tables[b, : (n", "block_tables[0, : (n"),
    ("paged_alignment", "tril(k.shape[1] - q.shape[2])", "tril()"),
]  # fmt: skip
