"""Kernels: tiles, an online softmax, pages, shared heads, as they are written for a GPU; most have one mistake.

They were written before their author had read how the checker finds things. `expected` is as in `stranger_programs`.
"""

from typing import Any

from tests.attnref.diagnosis.stranger_programs import RIGHT, UNKNOWN, Stranger

KERNELS: dict[str, Stranger] = {}


def add(name: str, truth: str, expected: str, source: str, form: str = "attention", **options: Any) -> None:
    assert name not in KERNELS
    KERNELS[name] = Stranger(truth, tuple(expected.split()), source, form, options)


# fmt: off

# Tiles of queries and keys, one head after the other, as in a Triton program ---------------------------------------

TILED = """
BLOCK_M, BLOCK_N = 4, 3

def cdiv(a, b):
    return -(-a // b)

def program(q, k, v, out, start_m, sm_scale, causal):
    L_q, d = q.shape
    L_k, d_v = v.shape
    offs_m = start_m * BLOCK_M + np.arange(BLOCK_M)
    rows = offs_m < L_q
    tile = np.where(rows[:, None], q[np.minimum(offs_m, L_q - 1)], 0.0)
    m_i = np.full(BLOCK_M, -np.inf)
    l_i = np.zeros(BLOCK_M)
    acc = np.zeros((BLOCK_M, d_v))
    for start_n in range(0, L_k, BLOCK_N):
        offs_n = start_n + np.arange(BLOCK_N)
        cols = offs_n < L_k
        at = np.minimum(offs_n, L_k - 1)
        kt = np.where(cols[:, None], k[at], 0.0)
        vt = np.where(cols[:, None], v[at], 0.0)
        qk = tile @ kt.T * sm_scale
        qk = np.where(cols[None, :], qk, -np.inf)
        if causal:
            qk = np.where(offs_m[:, None] + (L_k - L_q) >= offs_n[None, :], qk, -np.inf)
        m_new = np.maximum(m_i, qk.max(1))
        safe = np.where(m_new == -np.inf, 0.0, m_new)
        alpha = np.exp(m_i - safe)
        p = np.exp(qk - safe[:, None])
        l_i = l_i * alpha + p.sum(1)
        acc = acc * alpha[:, None] + p @ vt
        m_i = m_new
    out[offs_m[rows]] = (acc / np.where(l_i == 0, 1.0, l_i)[:, None])[rows]

def f(q, k, v, causal=False, sm_scale=None):
    sm_scale = q.shape[-1] ** -0.5 if sm_scale is None else sm_scale
    out = np.empty(q.shape[:-1] + v.shape[-1:])
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            for start_m in range(cdiv(q.shape[2], BLOCK_M)):
                program(q[b, h], k[b, h], v[b, h], out[b, h], start_m, sm_scale, causal)
    return out
"""


def tiled(*changes: tuple[str, str]) -> str:
    """The kernel above with lines changed; each must stand in it once."""
    source = TILED
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


add("tiled", "tiles of 4 queries and 3 keys", RIGHT, TILED)
add("tiled_64", "tiles of 64 queries and 32 keys", RIGHT, tiled(("= 4, 3", "= 64, 32")))
add("tiled_tail", "the last tile of keys is filled up with zeros, and they are not masked", "block_bounds",
    tiled(("qk = np.where(cols[None, :], qk, -np.inf)", "pass")))
add("tiled_tail_16", "as above, in tiles of 16", "block_bounds",
    tiled(("= 4, 3", "= 16, 16"), ("qk = np.where(cols[None, :], qk, -np.inf)", "pass")))
add("tiled_tail_repeats", "the last tile repeats the last key instead of being masked", "block_bounds",
    tiled(("qk = np.where(cols[None, :], qk, -np.inf)", "pass"), ("np.where(cols[:, None], k[at], 0.0)", "k[at]"),
          ("np.where(cols[:, None], v[at], 0.0)", "v[at]")))
add("tiled_acc_kept", "the accumulator is not rescaled when the maximum grows", "online_rescale",
    tiled(("acc = acc * alpha[:, None] + p @ vt", "acc = acc + p @ vt")))
add("tiled_sum_kept", "the sum is not rescaled when the maximum grows", "online_rescale",
    tiled(("l_i = l_i * alpha + p.sum(1)", "l_i = l_i + p.sum(1)")))
add("tiled_both_kept", "neither is rescaled", "online_rescale",
    tiled(("l_i = l_i * alpha + p.sum(1)", "l_i = l_i + p.sum(1)"),
          ("acc = acc * alpha[:, None] + p @ vt", "acc = acc + p @ vt")))
add("tiled_alpha_inverse", "the accumulators are rescaled by exp(m_new - m_old)", "online_rescale",
    tiled(("alpha = np.exp(m_i - safe)", "alpha = np.where(m_i == -np.inf, 0.0, np.exp(safe - m_i))")))
add("tiled_undivided", "the final division is forgotten", "softmax_unnormalised",
    tiled(("(acc / np.where(l_i == 0, 1.0, l_i)[:, None])[rows]", "acc[rows]")))
add("tiled_divided_each_time", "the accumulator is divided by the sum in each tile", "online_division",
    tiled(("    m_i = m_new\n", "    acc = acc / np.where(l_i == 0, 1.0, l_i)[:, None]\n        m_i = m_new\n"),
          ("(acc / np.where(l_i == 0, 1.0, l_i)[:, None])[rows]", "acc[rows]")))
add("tiled_divided_each_time_and_after", "the accumulator is divided in each tile and at the end", "online_division",
    tiled(("    m_i = m_new\n", "    acc = acc / np.where(l_i == 0, 1.0, l_i)[:, None]\n        m_i = m_new\n")))
add("tiled_max_from_zero", "the running maximum starts at 0", "online_sentinel",
    tiled(("np.full(BLOCK_M, -np.inf)", "np.zeros(BLOCK_M)")))
add("tiled_sum_from_one", "maximum and sum start at 0 and 1", "softmax_plus_one",
    tiled(("np.full(BLOCK_M, -np.inf)", "np.zeros(BLOCK_M)"), ("l_i = np.zeros(BLOCK_M)", "l_i = np.ones(BLOCK_M)")))
add("tiled_max_from_minus_hundred", "the running maximum starts at -100", "online_sentinel",
    tiled(("np.full(BLOCK_M, -np.inf)", "np.full(BLOCK_M, -100.0)")))
add("tiled_max_of_tile", "the maximum is that of the tile alone, and nothing is rescaled by the old one", "online_rescale",
    tiled(("m_new = np.maximum(m_i, qk.max(1))", "m_new = qk.max(1)"), ("alpha = np.exp(m_i - safe)", "alpha = np.ones(BLOCK_M)")))
add("tiled_exp2", "the exponential is to the base 2, and log2(e) is missing", "softmax_base",
    tiled(("alpha = np.exp(m", "alpha = np.exp2(m"), ("p = np.exp(qk", "p = np.exp2(qk")))
add("tiled_exp2_in_p", "only the powers are to the base 2", "softmax_base",
    tiled(("p = np.exp(qk", "p = np.exp2(qk")))
add("tiled_exp2_in_alpha", "only the correction is to the base 2", "softmax_base",
    tiled(("alpha = np.exp(m", "alpha = np.exp2(m")))
add("tiled_scaled_twice", "queries are scaled when loaded, and the dot products again", "scale_no_root",
    tiled(("q[np.minimum(offs_m, L_q - 1)], 0.0)", "q[np.minimum(offs_m, L_q - 1)], 0.0) * sm_scale")))
add("tiled_causal_local", "the causal rule counts within the tile", "causal_block",
    tiled(("offs_m[:, None] + (L_k - L_q) >= offs_n[None, :]", "np.arange(BLOCK_M)[:, None] >= np.arange(BLOCK_N)[None, :]")))
add("tiled_causal_top_left", "the causal rule starts at the first key", "causal_alignment",
    tiled(("offs_m[:, None] + (L_k - L_q) >=", "offs_m[:, None] >=")))
add("tiled_causal_by_tile", "each query of a tile sees what the last one of its tile sees", "causal_block",
    tiled(("offs_m[:, None] + (L_k - L_q) >=", "offs_m.max() + (L_k - L_q) >=")))
add("tiled_causal_by_tile_start", "each query of a tile sees what the first one of its tile sees", "causal_block",
    tiled(("offs_m[:, None] + (L_k - L_q) >=", "offs_m.min() + (L_k - L_q) >=")))
add("tiled_causal_stops_early", "under the causal rule tiles end before the one on the diagonal", "causal_block",
    tiled(("for start_n in range(0, L_k, BLOCK_N):",
           "for start_n in range(0, (start_m * BLOCK_M + L_k - L_q) // BLOCK_N * BLOCK_N if causal else L_k, BLOCK_N):")))
add("tiled_causal_strict", "a query does not see itself", "causal_off_by_one",
    tiled((">= offs_n[None, :]", "> offs_n[None, :]")))
add("tiled_nan", "a tile in which a row sees nothing gives inf - inf", "masked_row_nan",
    tiled(("safe = np.where(m_new == -np.inf, 0.0, m_new)", "safe = m_new")))
add("tiled_last_rows", "the last tile of queries is not written if it is not full", "block_dropped",
    tiled(("range(cdiv(q.shape[2], BLOCK_M))", "range(q.shape[2] // BLOCK_M)"), ("np.empty(", "np.zeros(")))
add("tiled_last_keys", "the last tile of keys is left out if it is not full", "block_dropped",
    tiled(("range(0, L_k, BLOCK_N)", "range(0, L_k // BLOCK_N * BLOCK_N, BLOCK_N)")))
add("tiled_values_shifted", "the tile of values starts at the number of the tile", "block_pointer",
    tiled(("np.where(cols[:, None], v[at], 0.0)", "np.where(cols[:, None], v[np.minimum(start_n // BLOCK_N + np.arange(BLOCK_N), L_k - 1)], 0.0)")))
add("tiled_key_pointer", "the pointer to the keys is not advanced", "block_pointer",
    tiled(("np.where(cols[:, None], k[at], 0.0)", "np.where(cols[:, None], k[np.minimum(np.arange(BLOCK_N), L_k - 1)], 0.0)")))
add("tiled_acc_half", "the accumulator is kept in float16", "softmax_low_precision",
    tiled(("acc = acc * alpha[:, None] + p @ vt", "acc = (acc * alpha[:, None] + p @ vt).astype(np.float16)")))
add("tiled_width_of_keys", "the accumulator has the width of the keys", "output_width",
    tiled(("acc = np.zeros((BLOCK_M, d_v))", "acc = np.zeros((BLOCK_M, d))"), ("p @ vt", "p @ vt[:, :d]"),
          ("q.shape[:-1] + v.shape[-1:]", "q.shape")))
add("tiled_64_kept", "tiles of 64 and 32, and the accumulator is not rescaled", "online_rescale",
    tiled(("= 4, 3", "= 64, 32"), ("acc = acc * alpha[:, None] + p @ vt", "acc = acc + p @ vt")))
add("tiled_128_first_tile", "tiles of 128, and only the first tile of keys is read", "block_dropped",
    tiled(("= 4, 3", "= 128, 128"), ("range(0, L_k, BLOCK_N)", "range(0, BLOCK_N, BLOCK_N)")))
add("tiled_64_last_rows", "queries after the last full tile of 64 are not computed", "block_dropped",
    tiled(("= 4, 3", "= 64, 64"), ("range(cdiv(q.shape[2], BLOCK_M))", "range(max(1, q.shape[2] // BLOCK_M))"), ("np.empty(", "np.zeros(")))
add("tiled_16_last_keys", "keys after the last full tile of 16 are not read", "block_dropped",
    tiled(("= 4, 3", "= 16, 16"), ("range(0, L_k, BLOCK_N)", "range(0, max(BLOCK_N, L_k // BLOCK_N * BLOCK_N), BLOCK_N)")))

# All heads at once, tiles of keys -----------------------------------------------------------------------------------

add("flash_lists", "chunks as lists, right", RIGHT, """
def f(Q, K, V, is_causal=False):
    d = Q.shape[-1]
    n, m = Q.shape[-2], K.shape[-2]
    pieces = []
    for qs in range(0, n, 2):
        Qb = Q[..., qs:qs + 2, :] / np.sqrt(d)
        O = L = M = None
        for ks in range(0, m, 5):
            S = np.einsum("bhid,bhjd->bhij", Qb, K[..., ks:ks + 5, :])
            if is_causal:
                i = np.arange(qs, qs + Qb.shape[-2])[:, None] + m - n
                j = np.arange(ks, ks + S.shape[-1])[None]
                S = np.where(j > i, -1e300, S)
            M2 = S.max(-1) if M is None else np.maximum(M, S.max(-1))
            P = np.exp(S - M2[..., None]) * (S > -1e299)
            c = 0.0 if M is None else np.exp(M - M2)
            L = P.sum(-1) + (0.0 if L is None else L * c)
            O = P @ V[..., ks:ks + 5, :] + (0.0 if O is None else O * c[..., None])
            M = M2
        pieces.append(O / np.maximum(L, 1e-200)[..., None])
    return np.concatenate(pieces, axis=-2)
""")

add("flash_one_normalised", "FlashAttention 1: the output is kept normalised, right", RIGHT, """
def f(Q, K, V):
    Br, Bc = 2, 3
    Q = Q * Q.shape[-1] ** -0.5
    O = np.zeros(Q.shape[:-1] + V.shape[-1:])
    l = np.zeros(Q.shape[:-1] + (1,))
    m = np.full(l.shape, -np.inf)
    for j in range(0, K.shape[-2], Bc):
        Kj, Vj = K[..., j:j + Bc, :], V[..., j:j + Bc, :]
        for i in range(0, Q.shape[-2], Br):
            rows = np.s_[..., i:i + Br, :]
            S = Q[rows] @ Kj.swapaxes(-1, -2)
            mt = S.max(-1, keepdims=True)
            P = np.exp(S - mt)
            lt = P.sum(-1, keepdims=True)
            mn = np.maximum(m[rows], mt)
            ln = np.exp(m[rows] - mn) * l[rows] + np.exp(mt - mn) * lt
            O[rows] = (l[rows] * np.exp(m[rows] - mn) * O[rows] + np.exp(mt - mn) * P @ Vj) / ln
            m[rows], l[rows] = mn, ln
    return O
""")

add("flash_one_tile_factor", "FlashAttention 1 without the factor exp(m_tile - m_new) on the new part", "online_rescale", """
def f(Q, K, V):
    Br, Bc = 2, 3
    Q = Q * Q.shape[-1] ** -0.5
    O = np.zeros(Q.shape[:-1] + V.shape[-1:])
    l = np.zeros(Q.shape[:-1] + (1,))
    m = np.full(l.shape, -np.inf)
    for j in range(0, K.shape[-2], Bc):
        Kj, Vj = K[..., j:j + Bc, :], V[..., j:j + Bc, :]
        for i in range(0, Q.shape[-2], Br):
            rows = np.s_[..., i:i + Br, :]
            S = Q[rows] @ Kj.swapaxes(-1, -2)
            mt = S.max(-1, keepdims=True)
            P = np.exp(S - mt)
            lt = P.sum(-1, keepdims=True)
            mn = np.maximum(m[rows], mt)
            ln = np.exp(m[rows] - mn) * l[rows] + lt
            O[rows] = (l[rows] * np.exp(m[rows] - mn) * O[rows] + P @ Vj) / ln
            m[rows], l[rows] = mn, ln
    return O
""")

add("flash_one_old_sum", "FlashAttention 1: the old output is not multiplied by its sum", "online_division", """
def f(Q, K, V):
    Bc = 3
    S_all = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    O, l, m = 0.0, 0.0, np.full(S_all.shape[:-1] + (1,), -np.inf)
    for j in range(0, K.shape[-2], Bc):
        S = S_all[..., j:j + Bc]
        mn = np.maximum(m, S.max(-1, keepdims=True))
        P = np.exp(S - mn)
        ln = np.exp(m - mn) * l + P.sum(-1, keepdims=True)
        O = (np.exp(m - mn) * O + P @ V[..., j:j + Bc, :]) / ln
        m, l = mn, ln
    return O
""")

add("chunks_averaged", "the outputs of two halves of the keys are averaged", "partial_merge", """
def piece(q, k, v):
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)

def f(q, k, v):
    half = (k.shape[-2] + 1) // 2
    if k.shape[-2] == 1:
        return piece(q, k, v)
    return (piece(q, k[:, :, :half], v[:, :, :half]) + piece(q, k[:, :, half:], v[:, :, half:])) / 2
""")

add("split_kv_sums_alone", "partial outputs are merged by their sums, without their maxima", "online_rescale", """
def f(q, k, v):
    outs, sums = [], []
    for start in range(0, k.shape[-2], 3):
        s = q @ k[..., start:start + 3, :].swapaxes(-1, -2) * q.shape[-1] ** -0.5
        m = s.max(-1, keepdims=True)
        p = np.exp(s - m)
        l = p.sum(-1, keepdims=True)
        outs.append(p @ v[..., start:start + 3, :] / l)
        sums.append(l)
    total = sum(sums)
    return sum(o * l / total for o, l in zip(outs, sums))
""")

add("split_kv_max_alone", "partial outputs are merged by a softmax of their maxima", "partial_merge", """
def f(q, k, v):
    outs, tops = [], []
    for start in range(0, k.shape[-2], 3):
        s = q @ k[..., start:start + 3, :].swapaxes(-1, -2) * q.shape[-1] ** -0.5
        m = s.max(-1, keepdims=True)
        p = np.exp(s - m)
        outs.append(p @ v[..., start:start + 3, :] / p.sum(-1, keepdims=True))
        tops.append(m)
    top = np.maximum.reduce(tops)
    w = [np.exp(m - top) for m in tops]
    return sum(o * x for o, x in zip(outs, w)) / sum(w)
""")

add("chunk_ends_overlap", "the last chunk is moved back to be full, and its first keys count twice", "block_bounds", """
def f(q, k, v):
    n, size = k.shape[2], 4
    m = np.full(q.shape[:3] + (1,), -np.inf)
    l, acc = np.zeros(m.shape), np.zeros(q.shape[:3] + (v.shape[3],))
    for start in range(0, n, size):
        start = max(0, min(start, n - size))
        s = np.matmul(q, k[:, :, start:start + size].transpose(0, 1, 3, 2)) / np.sqrt(q.shape[3])
        new = np.maximum(m, s.max(-1, keepdims=True))
        p = np.exp(s - new)
        l = l * np.exp(m - new) + p.sum(-1, keepdims=True)
        acc = acc * np.exp(m - new) + p @ v[:, :, start:start + size]
        m = new
    return acc / l
""")

add("clamped_exponent", "exponents are cut off at -20 and 20", "scores_clipped", """
def f(q, k, v, mask=None):
    s = np.matmul(q, k.transpose(0, 1, 3, 2)) / np.sqrt(q.shape[3])
    e = np.exp(np.clip(s, -20, 20))
    if mask is not None:
        e = e * mask
    return e @ v / np.maximum(e.sum(-1, keepdims=True), 1e-30)
""")

add("quantised_keys", "keys are rounded to 127 steps", UNKNOWN, """
def f(q, k, v):
    step = np.abs(k).max(axis=-1, keepdims=True) / 127
    k8 = np.round(k / np.where(step == 0, 1, step)).astype(np.int8)
    s = q @ (k8 * step).swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
""")

ROUND = """
def keep(x, bits):
    whole = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    drop = 23 - bits
    half = np.uint32(1 << (drop - 1))
    return ((whole + half) & np.uint32(0xFFFFFFFF << drop & 0xFFFFFFFF)).view(np.float32)
"""
add("tf32", "queries, keys, weights and values are rounded to 10 bits, as TF32 does", "softmax_low_precision", ROUND + """
def f(q, k, v):
    s = keep(q, 10) @ keep(k, 10).swapaxes(-1, -2) * np.float32(q.shape[-1] ** -0.5)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return keep(w, 10) @ keep(v, 10)
""")
add("bf16_weights", "the powers are rounded to bfloat16 before they meet the values", "softmax_low_precision", ROUND + """
def f(q, k, v):
    s = (q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5).astype(np.float32)
    p = np.exp(s - s.max(-1, keepdims=True))
    return keep(p, 7) @ v / p.sum(-1, keepdims=True)
""")
add("float32_only", "everything in float32, whatever comes in", "softmax_downcast", """
def f(q, k, v):
    q, k, v = (np.asarray(x, dtype=np.float32) for x in (q, k, v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(q.shape[-1]))
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
""")

# Fills, epsilons, empty rows ------------------------------------------------------------------------------------------

PLAIN = """
def f(q, k, v, mask=None, causal=False):
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    if causal:
        ok = np.tri(*s.shape[-2:], k=s.shape[-1] - s.shape[-2], dtype=bool)
        mask = ok if mask is None else ok & mask
    if mask is not None:
        s = np.where(mask, s, FILL)
    s = s - s.max(-1, keepdims=True)
    e = np.exp(s)
    return np.einsum("bhqk,bhkd->bhqd", e / (e.sum(-1, keepdims=True)EPSILON), v)
"""


def plain(fill: str, epsilon: str = "") -> str:
    return PLAIN.replace("FILL", fill).replace("EPSILON", epsilon)


add("fill_1e4", "hidden scores become -1e4, and scores may be lower", "mask_constant_leak", plain("-1e4"))
add("fill_1e3", "hidden scores become -1e3, and scores may be lower", "mask_constant_leak", plain("-1e3"))
add("fill_half_of_lowest", "hidden scores become half of the lowest float32", "masked_row_uniform", plain("np.finfo(np.float32).min / 2"))
add("fill_1e4_mean", "hidden scores become -1e4; rows that see nothing are agreed to give the mean", "mask_constant_leak", plain("-1e4"), empty_row="mean")
add("fill_half_of_lowest_mean", "half of the lowest float64, the mean agreed", RIGHT, plain("np.finfo(np.float64).min / 2"), empty_row="mean")
add("epsilon_1e3", "0.001 is added to the sum of the powers", "softmax_epsilon", plain("-1e300", " + 1e-3"), empty_row="mean")
add("epsilon_1e6", "0.000001 is added to the sum of the powers", RIGHT, """
def f(q, k, v):
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("bhqk,bhkd->bhqd", e / (e.sum(-1, keepdims=True) + 1e-6), v)
""")
add("epsilon_weights", "0.01 is added to each weight before they are divided by their sum", "softmax_epsilon", """
def f(q, k, v):
    s = q @ np.swapaxes(k, 2, 3) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True)) + 0.01
    return e / e.sum(-1, keepdims=True) @ v
""")
add("nan_hidden", "what is not a number becomes 0 in the scores", RIGHT, """
def f(q, k, v, mask=None):
    s = np.nan_to_num(q @ np.swapaxes(k, 2, 3) / np.sqrt(q.shape[-1]))
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(m), 0, m))
    return e @ v / np.maximum(e.sum(-1, keepdims=True), 1e-300)
""")
add("empty_row_first", "a row that sees nothing gives the first value", "masked_row_key", """
def f(q, k, v, mask=None):
    s = q @ np.swapaxes(k, 2, 3) / np.sqrt(q.shape[-1])
    if mask is not None:
        seen = np.broadcast_to(mask, s.shape).copy()
        seen[..., 0] |= ~seen.any(-1)
        s = np.where(seen, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
""")
add("mask_multiplied_late", "padding is cut from the output's queries, not from the keys", "mask_on_queries", """
def f(q, k, v, lengths=None):
    s = q @ np.swapaxes(k, 2, 3) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    o = e / e.sum(-1, keepdims=True) @ v
    if lengths is not None:
        o = o * (np.arange(q.shape[2]) < np.asarray(lengths)[:, None])[:, None, :, None]
    return o
""")
add("padding_on_queries", "padding hides rows of queries instead of columns of keys", "mask_on_queries", """
def f(q, k, v, lengths=None):
    s = q @ np.swapaxes(k, 2, 3) / np.sqrt(q.shape[-1])
    if lengths is not None:
        real = np.arange(q.shape[2]) < np.asarray(lengths)[:, None]
        s = np.where(real[:, None, :, None], s, -1e30)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
""")

# Layouts, classes, heads, strides, aliases -----------------------------------------------------------------------------

add("module_right", "a module, batch first, heads in the middle", RIGHT, """
class Attention:
    def __init__(self, causal=False):
        self.causal = causal

    def __call__(self, q, k, v, causal=False):
        s = np.einsum("blhd,bmhd->bhlm", q, k) * q.shape[-1] ** -0.5
        if causal or self.causal:
            n, m = s.shape[-2:]
            s = np.where(np.arange(m) <= np.arange(n)[:, None] + m - n, s, -np.inf)
        top = s.max(-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0))
        w = e / np.maximum(e.sum(-1, keepdims=True), 1e-300)
        return np.einsum("bhlm,bmhd->blhd", w, v)

f = Attention()
""", layout="BLHD")
add("module_causal", "a module that is always causal", "causal_unasked", """
class CausalSelfAttention:
    def __init__(self, block_size=1024):
        self.bias = np.tril(np.ones((block_size, block_size)))[None, None]

    def forward(self, q, k, v):
        T, S = q.shape[2], k.shape[2]
        att = (q @ k.swapaxes(-2, -1)) * (1.0 / np.sqrt(k.shape[-1]))
        att = np.where(self.bias[:, :, :T, :S] == 0, -np.inf, att)
        e = np.exp(att - att.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True) @ v

f = CausalSelfAttention().forward
""")
add("module_causal_bottom", "always causal, aligned to the last key, with a mask", "causal_unasked", """
def f(q, k, v, mask=None):
    s = (q @ k.swapaxes(-2, -1)) / np.sqrt(k.shape[-1])
    n, m = s.shape[-2:]
    ok = np.arange(m) <= np.arange(n)[:, None] + (m - n)
    if mask is not None:
        ok = ok & mask
    s = np.where(ok, s, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    return e @ v / np.maximum(e.sum(-1, keepdims=True), 1e-300)
""")
add("always_causal_unscaled", "always causal, and not scaled", "causal_unasked scale_missing", """
def f(q, k, v):
    s = q @ k.swapaxes(-2, -1)
    n, m = s.shape[-2:]
    s = np.where(np.arange(m) <= np.arange(n)[:, None] + (m - n), s, -1e30)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")
add("always_causal_heads", "a layer of several heads that is always causal", "causal_unasked", """
def f(x, Wq, Wk, Wv, Wo, n_heads):
    B, T, C = x.shape
    q, k, v = (np.reshape(x @ W, (B, T, n_heads, -1)).transpose(0, 2, 1, 3) for W in (Wq, Wk, Wv))
    s = np.where(np.tri(T, dtype=bool), q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True) @ v
    return y.transpose(0, 2, 1, 3).reshape(B, T, -1) @ Wo
""", form="multihead")
add("always_window", "always a window of 3 keys to each side", UNKNOWN, """
def f(q, k, v):
    s = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    s = np.where(abs(np.arange(m) - np.arange(n)[:, None]) <= 3, s, -1e30)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")
add("blhd_axis", "batch, length, heads, width: the softmax runs over the heads", "softmax_axis_heads", """
def f(q, k, v):
    s = np.einsum("blhd,bmhd->blmh", q, k) * q.shape[-1] ** -0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return np.einsum("blmh,bmhd->blhd", w, v)
""", layout="BLHD")
add("strides", "flat memory is read as if it were contiguous", "strides_ignored", """
def f(q, k, v):
    def load(x):
        flat = np.lib.stride_tricks.as_strided(x, (x.size,), (x.itemsize,))
        return np.array(flat).reshape(x.shape)

    q, k, v = load(q), load(k), load(v)
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")
add("in_place_keys", "keys are scaled in place", "inputs_changed", """
def f(q, k, v):
    np.multiply(k, k.shape[-1] ** -0.5, out=k)
    s = np.einsum("bhqd,bhkd->bhqk", q, k)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")
add("in_place_mask", "the mask is changed in place by the causal rule", "inputs_changed", """
def f(q, k, v, mask=None, causal=False):
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    if mask is None:
        mask = np.ones((n, m), dtype=bool)
    mask &= ~(np.arange(m) > np.arange(n)[:, None] + m - n) if causal else True
    mask[..., 0] |= False
    s = np.where(mask, s, -np.inf)
    mask[...] = False
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    return e @ v / np.maximum(e.sum(-1, keepdims=True), 1e-300)
""")
add("view_of_values", "with one key the values themselves are returned", "output_aliased", """
def f(q, k, v):
    if k.shape[2] == 1 and q.shape[2] == 1:
        return v
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")
add("into_queries", "the output is written over the queries where it fits", "inputs_changed", """
def f(q, k, v):
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    o = e @ v / e.sum(-1, keepdims=True)
    if o.shape == q.shape:
        q[...] = o
        return q
    return o
""")
add("workspace", "one workspace is kept and returned", "buffer_reused", """
_buffers = {}

def f(q, k, v):
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    shape = q.shape[:3] + v.shape[3:]
    out = _buffers.setdefault(shape, np.empty(shape))
    np.divide(e @ v, e.sum(-1, keepdims=True), out=out)
    return out
""")
add("workspace_added", "the workspace is not set to zero before it is added to", "keeps_state", """
_buffers = {}

def f(q, k, v):
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    shape = q.shape[:3] + v.shape[3:]
    out = _buffers.setdefault(shape, np.zeros(shape))
    out += e @ v / e.sum(-1, keepdims=True)
    return out.copy()
""")
add("scale_of_values", "the scale is taken from the width of the values", "scale_wrong_dim", """
def f(q, k, v):
    s = np.einsum("bhqd,bhkd->bhqk", q, k) * v.shape[-1] ** -0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")
add("scale_keys_root", "only the keys are multiplied by d^(-1/4)", "scale_one_side", """
def f(q, k, v):
    s = np.einsum("bhqd,bhkd->bhqk", q, k * k.shape[-1] ** -0.25)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")
add("heads_interleaved", "heads take every n-th column", "heads_interleaved", """
class MHA:
    def __call__(self, x, wq, wk, wv, wo, n_heads):
        B, L, _ = x.shape
        def split(y):
            return y.reshape(B, L, -1, n_heads).transpose(0, 3, 1, 2)
        q, k, v = split(x @ wq), split(x @ wk), split(x @ wv)
        s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
        e = np.exp(s - s.max(-1, keepdims=True))
        y = e @ v / e.sum(-1, keepdims=True)
        return y.transpose(0, 2, 3, 1).reshape(B, L, -1) @ wo

f = MHA()
""", form="multihead")
add("dropout_fixed", "dropout with a seed that is set anew in each call", "dropout_eval", """
def f(q, k, v, p_drop=0.1):
    rng = np.random.default_rng(0)
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    w = w * (rng.random(w.shape) >= p_drop) / (1 - p_drop)
    return w @ v
""")

# Shared heads, windows, positions, caches, pages, gradients ---------------------------------------------------------------

GROUPED = """
def f(q, k, v, causal=False):
    out = np.zeros(q.shape[:3] + v.shape[3:])
    n, m = q.shape[2], k.shape[2]
    for h in range(q.shape[1]):
        g = GROUP
        s = q[:, h] @ k[:, g].swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        if causal:
            s = np.where(np.arange(m) <= np.arange(n)[:, None] + m - n, s, -1e300)
        e = np.exp(s - s.max(-1, keepdims=True)) * (s > -1e299)
        out[:, h] = e @ v[:, g] / np.maximum(e.sum(-1, keepdims=True), 1e-300)
    return out
"""
add("gqa_block", "each key head serves neighbouring query heads", RIGHT, GROUPED.replace("GROUP", "h // (q.shape[1] // k.shape[1])"), form="grouped")
add("gqa_modulo", "the key head is the query head modulo their number", "gqa_tile", GROUPED.replace("GROUP", "h % k.shape[1]"), form="grouped")
add("gqa_first", "the key head is the query head, at most the last one", "gqa_clamped", GROUPED.replace("GROUP", "min(h, k.shape[1] - 1)"), form="grouped")
add("gqa_ratio", "the head is divided by the number of key heads, not by the size of a group", "gqa_ratio",
    GROUPED.replace("GROUP", "min(h // k.shape[1], k.shape[1] - 1)"), form="grouped")
add("gqa_values_modulo", "keys by block, values by modulo", "gqa_tile",
    GROUPED.replace("GROUP", "h // (q.shape[1] // k.shape[1])").replace("v[:, g]", "v[:, h % k.shape[1]]"), form="grouped")

WINDOW = """
def f(q, k, v, window=None, causal=False):
    s = q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    i, j = np.arange(n)[:, None] + m - n, np.arange(m)
    ok = np.ones((n, m), bool)
    if causal:
        ok = j <= i
    if window is not None:
        ok = ok & (j <= i) & (EDGE)
    s = np.where(ok, s, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    return e @ v / np.maximum(e.sum(-1, keepdims=True), 1e-300)
"""
add("window_right", "the window counts the query's own key", RIGHT, WINDOW.replace("EDGE", "i - j < window"))
add("window_one_more", "the window sees one key more", "window_off_by_one", WINDOW.replace("EDGE", "i - j <= window"))
add("window_one_less", "the window sees one key less", "window_off_by_one", WINDOW.replace("EDGE", "i - j < max(window - 1, 1)"))
add("window_by_tile", "the window begins at a tile of 2 keys", "window_block", WINDOW.replace("EDGE", "j >= (i - window + 1) // 2 * 2"))

add("alibi_any_count", "slopes 2^(-8 h / n) for every number of heads", "alibi_slopes", """
def f(n_heads, L_q, L_k):
    slopes = 2.0 ** (-8.0 * np.arange(1, n_heads + 1) / n_heads)
    i, j = np.arange(L_q)[:, None] + L_k - L_q, np.arange(L_k)
    return -slopes[:, None, None] * (i - j)
""", form="alibi")
add("alibi_from_one", "slopes begin at 1", "alibi_exponent", """
def f(n_heads, L_q, L_k):
    import math
    def power(n):
        return [2 ** (-8 / n * i) for i in range(n)]
    p = 2 ** math.floor(math.log2(n_heads))
    slopes = np.array(power(p) + power(2 * p)[0::2][: n_heads - p])
    i, j = np.arange(L_q)[:, None] + L_k - L_q, np.arange(L_k)
    return slopes[:, None, None] * (j - i)
""", form="alibi")
add("alibi_extra_not_interleaved", "the slopes beyond a power of two are the first of the finer row", "alibi_slopes", """
def f(n_heads, L_q, L_k):
    import math
    def power(n):
        return [2 ** (-8 / n * i) for i in range(1, n + 1)]
    p = 2 ** math.floor(math.log2(n_heads))
    slopes = np.array(power(p) + power(2 * p)[: n_heads - p])
    i, j = np.arange(L_q)[:, None] + L_k - L_q, np.arange(L_k)
    return slopes[:, None, None] * (j - i)
""", form="alibi")

add("rope_halves", "halves are paired instead of neighbours", "rope_pairing", """
def f(x, offset=0, base=10000.0):
    d = x.shape[-1]
    freq = base ** (-np.arange(0, d, 2) / d)
    a = (np.arange(x.shape[-2]) + offset)[:, None] * freq
    cos, sin = np.concatenate([np.cos(a)] * 2, -1), np.concatenate([np.sin(a)] * 2, -1)
    turned = np.concatenate([-x[..., d // 2:], x[..., : d // 2]], -1)
    return x * cos + turned * sin
""", form="rotary")
add("rope_from_one", "positions start at 1", "rope_offset", """
def f(x, offset=0, base=10000.0):
    d = x.shape[-1]
    freq = 1.0 / base ** (np.arange(0, d, 2) / d)
    z = np.exp(1j * np.outer(np.arange(1, x.shape[-2] + 1) + offset, freq))
    y = (x[..., 0::2] + 1j * x[..., 1::2]) * z
    out = np.empty_like(x)
    out[..., 0::2], out[..., 1::2] = y.real, y.imag
    return out
""", form="rotary")
add("rope_half_angles", "frequencies are counted over the pairs, not the columns", "rope_base", """
def f(x, offset=0, base=10000.0):
    d = x.shape[-1]
    freq = 1.0 / base ** (np.arange(d // 2) / d)
    z = np.exp(1j * np.outer(np.arange(x.shape[-2]) + offset, freq))
    y = (x[..., 0::2] + 1j * x[..., 1::2]) * z
    return np.stack([y.real, y.imag], -1).reshape(x.shape)
""", form="rotary")

DECODE = """
def f(q, k, v, cache):
    if cache is not None:
        k, v = JOIN
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    n, m = s.shape[-2:]
    s = np.where(SEEN, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True), (k, v)
"""
SEEN = "np.arange(m) <= np.arange(n)[:, None] + m - n"
BEHIND = "np.concatenate([cache[0], k], 2), np.concatenate([cache[1], v], 2)"
add("cache_right", "new keys stand behind the old ones", RIGHT, DECODE.replace("JOIN", BEHIND).replace("SEEN", SEEN), form="decode")
add("cache_in_front", "new keys stand in front of the old ones", "cache_order",
    DECODE.replace("JOIN", "np.concatenate([k, cache[0]], 2), np.concatenate([v, cache[1]], 2)").replace("SEEN", SEEN), form="decode")
add("cache_top_left", "the causal rule starts at the first key", "kv_first_key_only",
    DECODE.replace("JOIN", BEHIND).replace("SEEN", "np.arange(m) <= np.arange(n)[:, None]"), form="decode")
add("cache_values_old", "the new value is not kept", UNKNOWN,
    DECODE.replace("JOIN", BEHIND).replace("SEEN", SEEN).replace("(k, v)\n", "(k, np.concatenate([v[:, :, :-1], v[:, :, -2:-1]], 2) if v.shape[2] > 1 else v)\n"), form="decode")

PAGED = """
def f(Q, K_blocks, V_blocks, block_table, lengths, causal=False, scale=None):
    B, H, n, d = Q.shape
    size = K_blocks.shape[2]
    group = H // K_blocks.shape[1]
    scale = d ** -0.5 if scale is None else scale
    out = np.zeros((B, H, n, V_blocks.shape[-1]))
    for b in range(B):
        total = int(lengths[b])
        for h in range(H):
            top, sums, acc = np.full(n, -np.inf), np.zeros(n), np.zeros((n, V_blocks.shape[-1]))
            for index in range(BLOCKS):
                block = BLOCK
                s = Q[b, h] @ K_blocks[block, h // group].T * scale
                at = index * size + np.arange(size)
                s = np.where(LAST, s, -np.inf)
                if causal:
                    s = np.where(at <= np.arange(n)[:, None] + total - n, s, -np.inf)
                new = np.maximum(top, s.max(1))
                safe = np.where(np.isinf(new), 0, new)
                p = np.exp(s - safe[:, None])
                old = np.exp(top - safe)
                sums = sums * old + p.sum(1)
                acc = acc * OLD + p @ V_blocks[block, h // group]
                top = new
            out[b, h] = acc / np.where(sums == 0, 1, sums)[:, None]
    return out
"""


def paged(blocks: str = "-(-total // size)", block: str = "block_table[b, index]", last: str = "at < total",
          old: str = "old[:, None]") -> str:
    lines = {"BLOCKS": blocks, "BLOCK": block, "LAST": last, "OLD": old}
    source = PAGED.replace("range(BLOCKS)", f"range({blocks})").replace("block = BLOCK", f"block = {block}")
    del lines["BLOCKS"], lines["BLOCK"]
    for word, line in lines.items():
        source = source.replace(word, line)
    return source


add("paged_right", "an online softmax over the blocks of a page table", RIGHT, paged(), form="paged")
add("paged_whole_blocks", "a block that is not full is left out", "paged_last_block", paged(blocks="max(1, total // size)"), form="paged")
add("paged_tail", "the last block is read to its end", "paged_last_block", paged(last="at < 10**6"), form="paged")
add("paged_one_more", "one token more than there are is read", "lengths_off_by_one", paged(last="at <= total"), form="paged")
add("paged_in_order", "blocks are read in the order of memory", "paged_table", paged(block="index"), form="paged")
add("paged_row_zero", "every text reads the first row of the table", "paged_table", paged(block="block_table[0, index]"), form="paged")
add("paged_kept", "the accumulator is not rescaled from block to block", "online_rescale", paged(old="1.0"), form="paged")

BACKWARD = """
def f(Q, K, V, dO, causal=False):
    scale = Q.shape[-1] ** -0.5
    n, m = Q.shape[2], K.shape[2]
    S = Q @ K.swapaxes(-1, -2) * scale
    if causal:
        S = np.where(np.arange(m) <= np.arange(n)[:, None] + m - n, S, -np.inf)
    top = S.max(-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    l = np.exp(S - top).sum(-1, keepdims=True)
    lse = top + np.log(np.where(l == 0, 1, l))
    O = np.exp(S - lse) @ V
    delta = DELTA
    dQ, dK, dV = np.zeros_like(Q), np.zeros_like(K), np.zeros_like(V)
    for j in range(0, m, 3):
        Kj, Vj = K[..., j:j + 3, :], V[..., j:j + 3, :]
        P = np.exp(S[..., j:j + 3] - lse)
        dV[..., j:j + 3, :] = P.swapaxes(-1, -2) @ dO
        dP = dO @ Vj.swapaxes(-1, -2)
        dS = P * (dP - delta) * scale
        dQ UPDATE dS @ Kj
        dK[..., j:j + 3, :] = dS.swapaxes(-1, -2) @ Q
    return dQ, dK, dV
"""
DELTA = "(dO * O).sum(-1, keepdims=True)"
add("backward_right", "the way back in tiles", RIGHT, BACKWARD.replace("DELTA", DELTA).replace("UPDATE", "+="), form="gradients")
add("backward_no_delta", "the row's term is missing in the way back through the softmax", "softmax_grad",
    BACKWARD.replace("DELTA", "0.0").replace("UPDATE", "+="), form="gradients")
add("backward_last_tile", "the queries' gradient is that of the last tile alone", "grad_block",
    BACKWARD.replace("DELTA", DELTA).replace("dQ UPDATE", "dQ ="), form="gradients")
add("backward_unscaled", "the gradient of the scores is not scaled", "grad_scale",
    BACKWARD.replace("DELTA", DELTA).replace("UPDATE", "+=").replace("(dP - delta) * scale", "(dP - delta)"), form="gradients")
add("backward_delta_of_tile", "the row's term is summed over the tile alone", "grad_block",
    BACKWARD.replace("DELTA", "0.0").replace("UPDATE", "+=").replace("(dP - delta)", "(dP - (dP * P).sum(-1, keepdims=True))"), form="gradients")

# A second lot, written after the first had been named -----------------------------------------------------------------

add("scan_style", "one key each, merged as a tree of (maximum, sum, output)", RIGHT, """
def merge(a, b):
    (m1, l1, o1), (m2, l2, o2) = a, b
    m = np.maximum(m1, m2)
    s = np.where(np.isneginf(m), 0, m)
    a1, a2 = np.exp(m1 - s), np.exp(m2 - s)
    return m, l1 * a1 + l2 * a2, o1 * a1[..., None] + o2 * a2[..., None]


def f(q, k, v, mask=None):
    parts = []
    for j in range(k.shape[2]):
        s = (q * k[:, :, j : j + 1]).sum(-1) / np.sqrt(q.shape[-1])
        if mask is not None:
            s = np.where(np.broadcast_to(mask, q.shape[:3] + (k.shape[2],))[..., j], s, -np.inf)
        parts.append(
            (
                s,
                np.where(np.isneginf(s), 0.0, 1.0),
                np.broadcast_to(v[:, :, j : j + 1], s.shape + v.shape[-1:])
                * np.where(np.isneginf(s), 0.0, 1.0)[..., None],
            )
        )
    while len(parts) > 1:
        parts = [
            merge(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)
        ]
    m, l, o = parts[0]
    return o / np.where(l == 0, 1, l)[..., None]
""")

add("scan_bad_merge", "parts are merged by their maxima, without their sums", "partial_merge", """
def f(q, k, v):
    m = l = o = None
    for j0 in range(0, k.shape[2], 2):
        s = np.einsum("bhid,bhjd->bhij", q, k[:, :, j0 : j0 + 2]) / np.sqrt(q.shape[-1])
        mj = s.max(-1)
        p = np.exp(s - mj[..., None])
        lj = p.sum(-1)
        oj = p @ v[:, :, j0 : j0 + 2] / lj[..., None]
        if m is None:
            m, l, o = mj, lj, oj
            continue
        mn = np.maximum(m, mj)
        a, b = np.exp(m - mn), np.exp(mj - mn)
        o = (o * a[..., None] + oj * b[..., None]) / (a + b)[..., None]
        l = l * a + lj * b
        m = mn
    return o
""")

add("lse_without_max", "the log-sum-exp of a part lacks its maximum", "online_rescale", """
def f(q, k, v):
    outs, lses = [], []
    for j0 in range(0, k.shape[2], 4):
        s = np.einsum("bhid,bhjd->bhij", q, k[:, :, j0 : j0 + 4]) / np.sqrt(q.shape[-1])
        mj = s.max(-1, keepdims=True)
        p = np.exp(s - mj)
        lj = p.sum(-1, keepdims=True)
        outs.append(p @ v[:, :, j0 : j0 + 4] / lj)
        lses.append(np.log(lj))
    w = np.exp(np.stack(lses))
    w /= w.sum(0)
    return (np.stack(outs) * w).sum(0)
""")

add("lse_base2_mix", "the log-sum-exp is kept to the base 2 and merged by powers of e", "partial_merge", """
def f(q, k, v):
    outs, lses = [], []
    for j0 in range(0, k.shape[2], 4):
        s = np.einsum("bhid,bhjd->bhij", q, k[:, :, j0 : j0 + 4]) / np.sqrt(q.shape[-1])
        mj = s.max(-1, keepdims=True)
        p = np.exp(s - mj)
        lj = p.sum(-1, keepdims=True)
        outs.append(p @ v[:, :, j0 : j0 + 4] / lj)
        lses.append((mj + np.log(lj)) * 1.4426950408889634)
    L = np.stack(lses)
    w = np.exp(L - L.max(0))
    w /= w.sum(0)
    return (np.stack(outs) * w).sum(0)
""")

add("kv_outer_q_inner_reset", "maximum and sum begin anew in each tile of keys", "block_dropped", """
def f(q, k, v):
    O = np.zeros(q.shape[:3] + v.shape[3:])
    for j0 in range(0, k.shape[2], 3):
        l = np.zeros(q.shape[:3] + (1,))
        m = np.full(l.shape, -np.inf)
        s = q @ k[:, :, j0 : j0 + 3].transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
        mn = np.maximum(m, s.max(-1, keepdims=True))
        p = np.exp(s - mn)
        ln = np.exp(m - mn) * l + p.sum(-1, keepdims=True)
        O = (l * np.exp(m - mn) * O + p @ v[:, :, j0 : j0 + 3]) / ln
    return O
""")

add("causal_skip_offset", "tiles are skipped as if there were as many keys as queries", "causal_block masked_row_uniform", """
def f(q, k, v, causal=False):
    n, m = q.shape[2], k.shape[2]
    O = np.zeros(q.shape[:3] + v.shape[3:])
    for i0 in range(0, n, 4):
        qi = q[:, :, i0 : i0 + 4]
        hi = min(m, i0 + 4) if causal else m
        s = qi @ k[:, :, :hi].transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
        if causal:
            s = np.where(np.arange(hi) <= np.arange(i0, i0 + qi.shape[2])[:, None] + m - n, s, -1e30)
        e = np.exp(s - s.max(-1, keepdims=True))
        O[:, :, i0 : i0 + 4] = e @ v[:, :, :hi] / e.sum(-1, keepdims=True)
    return O
""")

add("mask_tile_transposed", "tiles of the mask are read with rows and columns exchanged", UNKNOWN, """
def f(q, k, v, mask=None):
    n, m = q.shape[2], k.shape[2]
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
    if mask is not None:
        M = np.broadcast_to(mask, s.shape)
        out = np.ones(s.shape, bool)
        for i0 in range(0, n, 2):
            for j0 in range(0, m, 2):
                t = M[..., j0 : j0 + 2, i0 : i0 + 2]
                a, b = out[..., i0 : i0 + 2, j0 : j0 + 2].shape[-2:]
                t = t[..., :a, :b]
                out[..., i0 : i0 + t.shape[-2], j0 : j0 + t.shape[-1]] = t
        s = np.where(out, s, -1e300)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""", empty_row="mean")

add("mask_first_tile_only", "the mask is applied in the first tile of keys alone", "mask_ignored", """
def f(q, k, v, mask=None):
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
    if mask is not None:
        M = np.broadcast_to(mask, s.shape).copy()
        M[..., 4:] = True
        s = np.where(M, s, -1e300)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("head_mask_of_first_head", "the mask has a stride of 0 over the heads", "mask_first", """
def f(q, k, v, mask=None):
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
    if mask is not None:
        M = np.broadcast_to(mask, s.shape)[:, :1]
        s = np.where(M, s, -1e300)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""", empty_row="mean")

add("p_cast_fp16_before_pv", "the powers are rounded to float16 before they meet the values", "softmax_low_precision", """
def f(q, k, v):
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e.astype(np.float16).astype(float)) @ v / e.sum(-1, keepdims=True)
""")

add("scale_int_div", "the root of the width is cut to a whole number", "scale_wrong_dim", """
def f(q, k, v):
    s = q @ k.transpose(0, 1, 3, 2) / int(q.shape[-1] ** 0.5)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("scale_padded_d", "the scale is that of a width padded to a multiple of 8", "scale_wrong_dim", """
def f(q, k, v):
    d = -(-q.shape[-1] // 8) * 8
    s = q @ k.transpose(0, 1, 3, 2) / d**0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("scale_pow2_d", "the scale is that of a width padded to a power of two", "scale_wrong_dim", """
def f(q, k, v):
    d = 1 << (q.shape[-1] - 1).bit_length()
    s = q @ k.transpose(0, 1, 3, 2) / d**0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("topk", "only the best four keys count", UNKNOWN, """
def f(q, k, v):
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
    t = np.sort(s, -1)[..., -4:][..., :1]
    s = np.where(s >= t, s, -1e300)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("skip_small", "keys with scores more than 8 below the best are skipped", UNKNOWN, """
def f(q, k, v):
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
    s = np.where(s < s.max(-1, keepdims=True) - 8, -1e300, s)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("lazy_rescale", "the maximum moves only when it grows by more than 8", RIGHT, """
def f(q, k, v):
    m = np.full(q.shape[:3] + (1,), -np.inf)
    l = np.zeros(m.shape)
    o = np.zeros(q.shape[:3] + v.shape[3:])
    for j in range(0, k.shape[2], 3):
        s = q @ k[:, :, j : j + 3].transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
        mt = s.max(-1, keepdims=True)
        mn = np.where(mt > m + 8, mt, m)
        mn = np.where(np.isneginf(m), mt, mn)
        a = np.exp(m - mn)
        p = np.exp(s - mn)
        l = l * a + p.sum(-1, keepdims=True)
        o = o * a + p @ v[:, :, j : j + 3]
        m = mn
    return o / l
""")

add("exp_poly", "the exponential is a power of 1 + x / 256", UNKNOWN, """
def f(q, k, v):
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
    x = s - s.max(-1, keepdims=True)
    e = np.maximum(1 + x / 256, 0) ** 256
    return e @ v / e.sum(-1, keepdims=True)
""")

add("bias_before_scale_exp2", "powers of 2, and the bias lacks the factor log2(e)", "bias_scaled", """
def f(q, k, v, bias=None):
    s = q @ k.transpose(0, 1, 3, 2) * (q.shape[-1] ** -0.5 * 1.4426950408889634)
    if bias is not None:
        s = s + bias
    e = np.exp2(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("softcap_log2e", "powers of 2, and the cap comes after the factor log2(e)", "softcap_before_scale", """
def f(q, k, v, softcap=None):
    s = q @ k.transpose(0, 1, 3, 2) * (q.shape[-1] ** -0.5 * 1.4426950408889634)
    if softcap is not None:
        s = softcap * np.tanh(s / softcap)
    e = np.exp2(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("alibi_always", "a linear bias is always added", UNKNOWN, """
def f(q, k, v, causal=False):
    n, m = q.shape[2], k.shape[2]
    H = q.shape[1]
    sl = 2.0 ** (-8 * np.arange(1, H + 1) / H)
    d = np.arange(m) - np.arange(n)[:, None] - (m - n)
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5 + sl[:, None, None] * np.minimum(d, 0)
    if causal:
        s = np.where(d <= 0, s, -1e300)
    e = np.exp(s - s.max(-1, keepdims=True)) * (s > -1e299)
    return e @ v / np.maximum(e.sum(-1, keepdims=True), 1e-300)
""")

add("rope_always", "queries and keys are always rotated", UNKNOWN, """
def f(q, k, v):
    def rot(x):
        h = x.shape[-1] // 2
        w = 10000.0 ** (-np.arange(h) / h)
        a = np.arange(x.shape[2])[:, None] * w
        x1, x2 = x[..., :h], x[..., h : 2 * h]
        return np.concatenate(
            [x1 * np.cos(a) - x2 * np.sin(a), x2 * np.cos(a) + x1 * np.sin(a), x[..., 2 * h :]], -1
        )

    q, k = rot(q), rot(k)
    s = q @ k.transpose(0, 1, 3, 2) / q.shape[-1] ** 0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("out_zero_last_batch", "the last sample is left out", UNKNOWN, """
def f(q, k, v):
    o = np.zeros(q.shape[:3] + v.shape[3:])
    for b in range(max(1, q.shape[0] - 1)):
        s = q[b] @ k[b].swapaxes(-1, -2) / q.shape[-1] ** 0.5
        e = np.exp(s - s.max(-1, keepdims=True))
        o[b] = e @ v[b] / e.sum(-1, keepdims=True)
    return o
""")

add("head_loop_wrong_k", "all heads read the keys of the first", "heads_mixed", """
def f(q, k, v):
    s = q @ k[:, :1].swapaxes(-1, -2) / q.shape[-1] ** 0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v / e.sum(-1, keepdims=True)
""")

add("grid_bh_swapped", "program numbers are taken apart in two orders", UNKNOWN, """
def f(q, k, v):
    B, H = q.shape[:2]
    o = np.zeros(q.shape[:3] + v.shape[3:])
    for pid in range(B * H):
        b, h = pid % B, pid // B
        b2, h2 = pid // H, pid % H
        s = q[b, h] @ k[b2, h2].T / q.shape[-1] ** 0.5
        e = np.exp(s - s.max(-1, keepdims=True))
        o[b, h] = e @ v[b2, h2] / e.sum(-1, keepdims=True)
    return o
""")

add("uninitialised_stale", "under the causal rule only four keys are read", UNKNOWN, """
def f(q, k, v, causal=False):
    n, m = q.shape[2], k.shape[2]
    O = np.zeros(q.shape[:3] + v.shape[3:])
    for i in range(n):
        last = i + m - n + 1 if causal else m
        if last <= 0:
            continue
        j0 = max(0, last - 4) if causal else 0
        s = q[:, :, i : i + 1] @ k[:, :, j0:last].swapaxes(-1, -2) / q.shape[-1] ** 0.5
        e = np.exp(s - s.max(-1, keepdims=True))
        O[:, :, i : i + 1] = e @ v[:, :, j0:last] / e.sum(-1, keepdims=True)
    return O
""")

add("sum_before_mask", "the sum is taken before the causal rule", "mask_after_softmax", """
def f(q, k, v, causal=False):
    n, m = q.shape[2], k.shape[2]
    s = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    l = e.sum(-1, keepdims=True)
    if causal:
        e = e * np.tri(n, m, m - n)
    return e @ v / l
""")

add("gqa_reverse", "the groups are in reverse order", UNKNOWN, """
def f(q, k, v):
    r = q.shape[1] // k.shape[1]
    i = np.arange(q.shape[1]) // r
    i = k.shape[1] - 1 - i
    s = q @ k[:, i].swapaxes(-1, -2) / q.shape[-1] ** 0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ v[:, i] / e.sum(-1, keepdims=True)
""", form="grouped")

add("decode_ring", "the cache is a ring of four places", UNKNOWN, """
def f(q, k, v, cache):
    ks, vs = cache if cache is not None else (k[:, :, :0], v[:, :, :0])
    ks, vs = np.concatenate([ks, k], 2)[:, :, -4:], np.concatenate([vs, v], 2)[:, :, -4:]
    n, m = q.shape[2], ks.shape[2]
    s = q @ ks.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    s = np.where(np.arange(m) <= np.arange(n)[:, None] + m - n, s, -1e300)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ vs / e.sum(-1, keepdims=True), (ks, vs)
""", form="decode")
