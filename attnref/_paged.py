"""A cache in blocks: keys and values lie wherever there is room, and a table says where."""

import numpy as np
import numpy.typing as npt

from attnref._attention import Window, attention
from attnref._errors import ShapeError
from attnref._fit import has_shape, needs_axes, one_value_a_key
from attnref._masks import within
from attnref._options import flag, head_counts, span
from attnref._pages import fits, laid_out, one_writer, read_pages
from attnref._results import Attention
from attnref._results_forms import PagedCache
from attnref._validate import as_float, as_mask, refuse, widest_float


def paged_attention(
    Q: npt.ArrayLike,
    cache: PagedCache,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = True,
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Attention:
    r"""Let new tokens attend to a cache whose keys and values lie in blocks, in any order.

    $$ k_j = \text{blocks}\,[\, \text{table}\,[\lfloor j / B \rfloor],\; j \bmod B\, ], \qquad
       j < \text{length} $$

    with $B$ tokens in a block, and likewise for the values; what follows is `attention`.

    Parameters
    ----------
    Q
        Queries of the newest tokens of each text, shape `(batch, n_heads, L_q, d_k)`. Their own keys and
        values are in the cache already, put there by `extend_pages`.
    cache
        Blocks, table and lengths. Key head $g$ serves the query heads $h$ with
        $g = \lfloor h\, n_\text{kv} / n \rfloor$.
    mask, bias, scale, softcap
        As in `attention`, on the scores below.
    causal
        True: the last query lines up with the last token of its text, not with the end of its last block.
        False: every query sees the whole text.
    window
        As in `attention`, lined up likewise.

    Returns
    -------
    Attention
        `output`, shape `(batch, n_heads, L_q, d_v)`; `weights` and `scores`, shape `(batch, n_heads, L_q,
        most_blocks * block_size)`, with weights of zero behind the end of each text.

    Raises
    ------
    ShapeError
        If the axes do not fit, or the table names a block that there is not.
    MaskError
        If a length is greater than the blocks of its row can hold; otherwise as in `attention`.
    DtypeError, AttnRefError
        As in `attention`.

    Notes
    -----
    Cost: that of `attention` over the longest row of the table, and here one copy of its keys and values; a
    kernel reads them where they lie.

    What a block holds behind the end of a text is never looked at, and no entry of the table that no token
    needs is read.

    Differs from code that attends to the last block as a whole, filled or not.

    Source: Kwon et al. 2023, Section 4.1.

    Examples
    --------
    Blocks of two; the text has three tokens, in block one and then in block zero. The fourth place is not read:

    >>> V = np.array([[[[9], [np.nan]]], [[[3], [6]]]])
    >>> cache = PagedCache(np.zeros((2, 1, 2, 1)), V, np.array([[1, 0]]), np.array([3]))
    >>> print(paged_attention(np.zeros((1, 1, 1, 1)), cache).output.ravel())
    [6.]
    """
    dtype = widest_float(Q=Q, bias=bias, **{"cache.K": cache.K, "cache.V": cache.V})
    Q = as_float(dtype, Q=Q)[0]
    K_blocks, V_blocks, table, lengths = read_pages(cache, dtype)
    if Q.ndim != 4 or Q.shape[0] != len(lengths) or Q.shape[-1] != K_blocks.shape[-1]:
        rule = (
            f"it must be ({len(lengths)}, n_heads, L_q, {K_blocks.shape[-1]}): batch and d_k are the cache's"
        )
        refuse(ShapeError, f"Q has shape {Q.shape}", rule, "Split it into heads; insert a batch axis of one")
    n_heads, n_kv_heads = head_counts(Q.shape[1], K_blocks.shape[1])
    K, V = (np.repeat(laid_out(x, table), n_heads // n_kv_heads, axis=1) for x in (K_blocks, V_blocks))
    L_q, L_k = Q.shape[-2], K.shape[-2]
    ends = lengths[:, None, None, None]
    left, right = (None, None) if window is None else span(window)
    right = 0 if flag("causal", causal) else right
    distances = np.arange(L_k) - (np.arange(L_q)[:, None] + ends - L_q)  # (batch, 1, L_q, L_k)
    allowed = within(distances, left, right) & (np.arange(L_k) < ends)
    if mask is not None:
        allowed = allowed & as_mask(mask, (len(Q), n_heads, L_q, L_k))
    return attention(Q, K, V, mask=allowed, bias=bias, scale=scale, softcap=softcap)


def extend_pages(cache: PagedCache, K: npt.ArrayLike, V: npt.ArrayLike) -> PagedCache:
    r"""Put keys and values of new tokens behind the end of each text, into the blocks that its table names.

    Parameters
    ----------
    cache
        Blocks, table and lengths. A text needs as many blocks in its table as its new length takes; no two
        texts may write into the same block.
    K
        Keys of the new tokens, shape `(batch, n_kv_heads, L, d_k)`.
    V
        Values of the new tokens, shape `(batch, n_kv_heads, L, d_v)`.

    Returns
    -------
    PagedCache
        A new cache, in the widest float dtype given, at least `float32`. The old one is not changed.

    Raises
    ------
    ShapeError
        If the axes do not fit, or the table names a block that there is not.
    MaskError
        If a text would grow beyond its blocks, or a block would be written by two texts.
    DtypeError
        If an array does not hold real numbers.

    Notes
    -----
    Cost: one copy of all blocks; a program that generates text writes in place.

    Source: Kwon et al. 2023, Section 4.3.

    Examples
    --------
    Blocks of two, the second one first:

    >>> empty = np.zeros((2, 1, 2, 1))
    >>> cache = PagedCache(empty, empty, np.array([[1, 0]]), np.array([0]))
    >>> cache = extend_pages(cache, [[[[1], [2], [3]]]], [[[[10], [20], [30]]]])
    >>> print(cache.V.reshape(2, 2), cache.lengths)
    [[30.  0.]
     [10. 20.]] [3]
    """
    dtype = widest_float(K=K, V=V, **{"cache.K": cache.K, "cache.V": cache.V})
    K, V = as_float(dtype, K=K, V=V)
    K_blocks, V_blocks, table, lengths = read_pages(cache, dtype)
    K_blocks, V_blocks = K_blocks.copy(), V_blocks.copy()
    needs_axes("K", K, "batch", "n_kv_heads", "L", "d_k")
    needs_axes("V", V, "batch", "n_kv_heads", "L", "d_v")
    one_value_a_key(K, V)
    new, block_size = K.shape[-2], K_blocks.shape[-2]
    has_shape("K", K, (len(lengths), K_blocks.shape[1], new, K_blocks.shape[-1]), "like the cached keys")
    has_shape("V", V, (len(lengths), V_blocks.shape[1], new, V_blocks.shape[-1]), "like the cached values")
    places = lengths[:, None] + np.arange(new)  # (batch, L)
    fits(table, lengths + new, block_size, len(K_blocks))
    numbers = np.take_along_axis(table, places // block_size, axis=1)  # (batch, L)
    one_writer(numbers)
    K_blocks[numbers, :, places % block_size] = np.moveaxis(K, 1, 2)  # (batch, L, n_kv_heads, d_k)
    V_blocks[numbers, :, places % block_size] = np.moveaxis(V, 1, 2)
    return PagedCache(K_blocks, V_blocks, table, lengths + new)
