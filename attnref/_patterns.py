"""More masks: texts packed into one row, a prefix that all may read, blocks that are kept or dropped."""

import numpy as np
import numpy.typing as npt

from attnref._fit import has_blocks
from attnref._masks import causal_mask
from attnref._options import as_labels, as_lengths, count, size
from attnref._results import BoolArray


def segment_mask(segments: npt.ArrayLike, key_segments: npt.ArrayLike | None = None) -> BoolArray:
    r"""Keep texts apart that were packed into one row: tokens see those of their own text alone.

    $$ \text{query } i \text{ sees key } j \qquad \iff s_i = s_j $$

    Parameters
    ----------
    segments
        A label for each query's token, integers, shape `(..., L_q)`. Padding gets a label of its own.
    key_segments
        A label for each key's token, shape `(..., L_k)`. None: those of the queries.

    Returns
    -------
    BoolArray
        Shape `(..., L_q, L_k)`, True where the labels are equal. For arrays with a head axis pass
        `segments[:, None]`, so that there is an axis for the heads too.

    Raises
    ------
    MaskError
        If a label is no integer.
    ShapeError
        If there is no axis of tokens.

    Notes
    -----
    Cost: one comparison for each pair.

    For texts that are read from left to right lay a causal mask over it, `segment_mask(s) & causal_mask(L)`:
    where texts stand in a row one after the other, that is causal within each of them. Positions begin anew
    with each text.

    Differs from attending to the whole row, where each text also reads the others before it.

    Examples
    --------
    Two texts, of two tokens and of one:

    >>> print(segment_mask([7, 7, 8]).astype(int))
    [[1 1 0]
     [1 1 0]
     [0 0 1]]
    """
    of_queries = as_labels("segments", segments)
    of_keys = of_queries if key_segments is None else as_labels("key_segments", key_segments)
    same: BoolArray = of_queries[..., :, None] == of_keys[..., None, :]
    return same  # (..., L_q, L_k)


def prefix_mask(prefix: npt.ArrayLike, L_q: int, L_k: int | None = None) -> BoolArray:
    r"""Let each query see what came before it, and all of a prefix besides, also what comes after it there.

    $$ \text{query } i \text{ sees key } j \qquad \iff j < \text{prefix} \;\text{ or }\; j \le i + L_k - L_q $$

    Parameters
    ----------
    prefix
        How many tokens the prefix has, integers of any shape `(...)`: one for each sequence.
    L_q
        Number of queries.
    L_k
        Number of keys. None: as many as queries.

    Returns
    -------
    BoolArray
        Shape `(..., L_q, L_k)`. The last query lines up with the last key. For arrays with a head axis pass
        `prefix[:, None]`.

    Raises
    ------
    MaskError
        If a prefix is no integer, negative, or longer than the keys.
    ShapeError
        If a length is negative or no integer.

    Notes
    -----
    Cost: two comparisons for each pair.

    Differs from `causal_mask` only where query and key both stand in the prefix: there they see each other.

    Source: Raffel et al. 2019, Section 3.2.1.

    Examples
    --------
    >>> print(prefix_mask(2, 4).astype(int))
    [[1 1 0 0]
     [1 1 0 0]
     [1 1 1 0]
     [1 1 1 1]]
    """
    L_k = size("L_q", L_q) if L_k is None else size("L_k", L_k)
    lengths = as_lengths(prefix, L_k, "prefix")
    return causal_mask(L_q, L_k) | (np.arange(L_k) < lengths[..., None, None])  # (..., L_q, L_k)


def block_mask(blocks: npt.ArrayLike, L_q: int, L_k: int, *, block_size: int) -> BoolArray:
    r"""Say for whole blocks of queries and keys at once who may attend to whom.

    $$ \text{query } i \text{ sees key } j \qquad \iff
       \text{blocks}[\lfloor i / \text{size} \rfloor, \lfloor j / \text{size} \rfloor] $$

    Parameters
    ----------
    blocks
        Boolean, True where a block of queries may attend to a block of keys. Shape `(..., blocks of queries,
        blocks of keys)`; the last block of either may be shorter than the others.
    L_q
        Number of queries.
    L_k
        Number of keys.
    block_size
        How many queries and keys a block has.

    Returns
    -------
    BoolArray
        Shape `(..., L_q, L_k)`.

    Raises
    ------
    MaskError
        If `blocks` is not boolean, or has another number of blocks than the lengths need.
    ShapeError
        If a length is negative or no integer, or `block_size` is no count.

    Notes
    -----
    Cost: one copy of each entry. A kernel never writes the mask out: it skips the blocks that are dropped.

    Lay a causal mask over it for blocks that stand on the diagonal: `block_mask(…) & causal_mask(L_q, L_k)`.

    Source: Child et al. 2019.

    Examples
    --------
    Three tokens in blocks of two. Each block sees itself, and the second one the first:

    >>> print(block_mask([[True, False], [True, True]], 3, 3, block_size=2).astype(int))
    [[1 1 0]
     [1 1 0]
     [1 1 1]]
    """
    L_q, L_k, block_size = size("L_q", L_q), size("L_k", L_k), count("block_size", block_size)
    array = has_blocks(blocks, -(-L_q // block_size), -(-L_k // block_size))
    for axis, length in ((-2, L_q), (-1, L_k)):
        array = np.repeat(array, block_size, axis=axis).take(range(length), axis=axis)
    return array  # (..., L_q, L_k)
