"""Token by token: keys and values are kept, so that a new token costs one row instead of a square.

A cache is a value and not a place: extending it gives a new one, and the old one stays good.
"""

import numpy as np
import numpy.typing as npt

from attnref._attention import Window, attention
from attnref._fit import continues, needs_axes, one_value_a_key
from attnref._options import size
from attnref._results import CachedAttention, KVCache
from attnref._validate import as_float, widest_float


def extend_cache(cache: KVCache | None, K: npt.ArrayLike, V: npt.ArrayLike) -> KVCache:
    r"""Put the keys and values of new tokens at the end of a cache.

    $$ K' = \begin{bmatrix} K_\text{cached} \\ K \end{bmatrix}, \qquad
       V' = \begin{bmatrix} V_\text{cached} \\ V \end{bmatrix} $$

    Parameters
    ----------
    cache
        What was kept of earlier tokens. None: there were none.
    K
        Keys of the new tokens, shape `(..., L, d_k)`. Rotate them before they go in, with
        `offset=cache.seen`.
    V
        Values of the new tokens, shape `(..., L, d_v)`.

    Returns
    -------
    KVCache
        A new cache, in the widest float dtype given, at least `float32`. The old one is not changed.

    Raises
    ------
    ShapeError
        If the new keys or values differ from the cached ones in another axis than that of the tokens.
    DtypeError
        If an array does not hold real numbers.

    Notes
    -----
    Cost: one copy of the cache. Programs that generate text write into memory set aside beforehand instead.

    Examples
    --------
    >>> cache = extend_cache(None, [[1]], [[10]])
    >>> cache = extend_cache(cache, [[2], [3]], [[20], [30]])
    >>> print(cache.K.T, cache.seen)
    [[1. 2. 3.]] 3
    """
    old = {} if cache is None else {"cache.K": cache.K, "cache.V": cache.V}
    dtype = widest_float(K=K, V=V, **old)
    K, V = as_float(dtype, K=K, V=V)
    needs_axes("K", K, "L", "d_k")
    needs_axes("V", V, "L", "d_v")
    one_value_a_key(K, V)
    new = K.shape[-2]
    if cache is None:
        return KVCache(K.copy(), V.copy(), new)
    old_K, old_V = as_float(dtype, **old)
    continues("K", K, old_K)
    continues("V", V, old_V)
    K, V = np.concatenate([old_K, K], axis=-2), np.concatenate([old_V, V], axis=-2)
    return KVCache(K, V, size("cache.seen", cache.seen) + new)


def trim_cache(cache: KVCache, keep: int) -> KVCache:
    r"""Drop all but the last keys and values of a cache.

    With a window that lets each query see a number of keys before its own position, the next query sees no
    more than that many cached keys: what lies before may go.

    Parameters
    ----------
    cache
        What was kept so far.
    keep
        How many keys to keep, from the end. Where there are no more than that, all stay.

    Returns
    -------
    KVCache
        The end of the cache, as views; `seen` stays as it is, since later tokens stand where they stood.

    Raises
    ------
    ShapeError
        If `keep` is negative or no integer.

    Notes
    -----
    Cost: none.

    Source: the rolling buffer of Jiang et al. 2023, Section 2, without its fixed memory.

    Examples
    --------
    >>> cache = trim_cache(extend_cache(None, [[1], [2], [3]], [[10], [20], [30]]), keep=2)
    >>> print(cache.V.T, cache.seen)
    [[20. 30.]] 3
    """
    first = max(cache.K.shape[-2] - size("keep", keep), 0)
    return KVCache(cache.K[..., first:, :], cache.V[..., first:, :], cache.seen)


def cached_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    cache: KVCache | None = None,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> CachedAttention:
    r"""Let new tokens attend to themselves and to all that came before, whose keys and values are kept.

    $$ \operatorname{attention}\left(Q,\; \begin{bmatrix} K_\text{cached} \\ K \end{bmatrix},\;
       \begin{bmatrix} V_\text{cached} \\ V \end{bmatrix}\right) \qquad \text{causal} $$

    The last query lines up with the last key, so one pass over a whole text and any number of passes over its
    parts give the same outputs.

    Parameters
    ----------
    Q, K, V
        Queries, keys and values of the new tokens, as in `attention`: one token or many.
    cache
        What was kept of earlier tokens. None: there were none.
    mask, bias, window, scale, softcap
        As in `attention`. They lie on all keys, the cached ones first: `(..., L_q, L_cached + L_new)`.

    Returns
    -------
    CachedAttention
        `output`, shape `(..., L_q, d_v)`; `weights` and `scores`, shape `(..., L_q, L_cached + L_new)`;
        `cache`, to be passed with the next tokens. The dtype is the widest float given, at least `float32`.

    Raises
    ------
    ShapeError
        If the new keys or values do not go on where the cached ones end; otherwise as in `attention`.
    MaskError, DtypeError, AttnRefError
        As in `attention`.

    Notes
    -----
    Cost: for one new token on the order of $L_k (d_k + d_v)$ multiplications, where the whole pass would take
    $L_k$ times as many; the cache holds $L_k (d_k + d_v)$ numbers for each sequence and head.

    Differs from a causal mask that lines up the first query with the first key, as PyTorch's `is_causal`
    does: there a new token would see the first cached key alone.

    Examples
    --------
    Scores of zero: each token takes the mean of all values so far.

    >>> first = cached_attention([[0]], [[0]], [[2]])
    >>> second = cached_attention([[0]], [[0]], [[6]], first.cache)
    >>> print(first.output, second.output)
    [[2.]] [[4.]]
    >>> print(second.cache.V.T)
    [[2. 6.]]
    """
    extended = extend_cache(cache, K, V)
    result = attention(
        Q, extended.K, extended.V,
        causal=True, mask=mask, bias=bias, window=window, scale=scale, softcap=softcap,
    )  # fmt: skip
    return CachedAttention(*result, extended)
