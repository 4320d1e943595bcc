"""The reference, called as each form of the check calls a function."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import attnref as A


def shared(x: Any, heads: int) -> Any:
    return np.repeat(x, heads // x.shape[1], axis=1)


def half(Q, K, V, mask=None, causal=False, scale=None):
    wide = (x.astype(np.float32) for x in (Q, K, V))
    return A.attention(*wide, mask=mask, causal=causal, scale=scale).output.astype(Q.dtype)


def decode(q, k, v, cache, mask=None, scale=None):
    cache = A.extend_cache(cache, k, v)
    K, V = (shared(x, q.shape[1]) for x in (cache.K, cache.V))
    seen = None if mask is None else mask[:, None, None]
    return A.attention(q, K, V, mask=seen, causal=True, scale=scale).output, cache


def rotary_decode(q, k, v, cache, scale=None):
    past = 0 if cache is None else cache.seen
    return A.cached_attention(A.rotary(q, offset=past), A.rotary(k, offset=past), v, cache, scale=scale)[::3]


def paged(Q, K_blocks, V_blocks, block_table, lengths, causal=False, scale=None):
    cache = A.PagedCache(K_blocks, V_blocks, block_table, lengths)
    return A.paged_attention(Q, cache, causal=causal, scale=scale)


def dropout(Q, K, V, keep, p, mask=None, causal=False, scale=None):
    right = A.attention(Q, K, V, mask=mask, causal=causal, scale=scale)
    return right.weights * keep / (1 - p) @ V, right.weights


def yarn(Q, K, V, factor, mscale, mscale_all_dim, causal=False):
    mscale = 1.0 if factor <= 1 else 0.1 * mscale_all_dim * math.log(factor) + 1
    return A.attention(Q, K, V, causal=causal, scale=mscale * mscale / math.sqrt(Q.shape[-1]))


def qk_norm(Q, K, V, gain_Q, gain_K, mask=None, causal=False, scale=None):
    return A.attention(*A.qk_norm(Q, K, gain_Q, gain_K), V, mask=mask, causal=causal, scale=scale)


def luong(Q, K, W, W_C, mask=None):
    return np.tanh(np.concatenate([A.luong_attention(Q, K, K, W, mask=mask).output, Q], axis=-1) @ W_C)


def linear_gradients(Q, K, V, d_output, causal=False):
    """By central differences: no way back is written down."""
    arrays, found = [Q, K, V], []
    for n, x in enumerate(arrays):
        slopes = np.zeros_like(x)
        for place in np.ndindex(x.shape):
            ends = []
            for step in (1e-6, -1e-6):
                moved = x.copy()
                moved[place] += step
                ends.append(A.linear_attention(*arrays[:n], moved, *arrays[n + 1 :], causal=causal).output)
            slopes[place] = ((ends[0] - ends[1]) * d_output).sum() / 2e-6
        found.append(slopes)
    return tuple(found)


def rope_weights(W_Q, W_K, n_heads, n_kv_heads):
    def ordered(W, heads):
        parts = np.split(W, heads, axis=1)
        return np.concatenate([x for part in parts for x in (part[:, ::2], part[:, 1::2])], axis=1)

    return ordered(W_Q, n_heads), ordered(W_K, n_kv_heads)


NEW: dict[str, Callable[..., Any]] = {
    "half": half,
    "decode": decode,
    "rotary_decode": rotary_decode,
    "positions": lambda real: np.cumsum(real, axis=-1) - 1,
    "paged": paged,
    "sinks": lambda Q, K, V, sink, mask=None, causal=False, scale=None, window=None, softcap=None: (
        A.sink_attention(Q, K, V, sink, mask=mask, causal=causal, scale=scale, window=window, softcap=softcap)
    ),
    "dropout": dropout,
    "yarn": yarn,
    "qk_norm": qk_norm,
    "differential": lambda Q, K, V, factor, init, mask=None, causal=False, scale=None: (
        A.differential_attention(Q, K, V, factor, init=init, mask=mask, causal=causal, scale=scale)
    ),
    "differential_factor": lambda q_a, k_a, q_b, k_b, layer: A.differential_factor(
        q_a, k_a, q_b, k_b, layer=layer
    )[0],
    "additive": lambda Q, K, V, W_Q, W_K, w, mask=None: A.additive_attention(Q, K, V, W_Q, W_K, w, mask=mask),
    "luong": luong,
    "linear": lambda Q, K, V, causal=False: A.linear_attention(Q, K, V, causal=causal),
    "linear_gradients": linear_gradients,
    "rope_weights": rope_weights,
}
