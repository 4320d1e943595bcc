"""Read a cache in blocks: what its table may say, and its blocks laid out in the order of the tokens."""

from typing import Any

import numpy as np
import numpy.typing as npt

from attnref._errors import MaskError, ShapeError
from attnref._fit import has_shape, needs_axes
from attnref._options import as_lengths
from attnref._results import FloatArray
from attnref._results_forms import IntArray, PagedCache
from attnref._validate import as_float, described, read, refuse


def read_pages(
    cache: PagedCache, dtype: np.dtype[np.floating[Any]]
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """The four arrays of a cache, checked; entries of the table that no token needs become zero."""
    K, V = as_float(dtype, **{"cache.K": cache.K, "cache.V": cache.V})
    axes = ("n_blocks", "n_kv_heads", "block_size")
    needs_axes("cache.K", K, *axes, "d_k")
    has_shape(
        "cache.V", V, (*K.shape[:-1], V.shape[-1] if V.ndim else 0), "like that of the keys but for d_v"
    )
    table = read("cache.block_table", cache.block_table)
    if table.dtype.kind not in "iu" or table.ndim != 2:
        given = described("cache.block_table", table)
        refuse(ShapeError, given, "it holds the numbers of blocks, (batch, most_blocks)", "Pass integers")
    lengths = as_lengths(cache.lengths, table.shape[1] * K.shape[2], "cache.lengths")
    has_shape("cache.lengths", lengths, table.shape[:1], "one number for each row of the block table")
    fits(table, lengths, K.shape[2], len(K))
    return K, V, table, lengths


def _used(table: IntArray, lengths: IntArray, block_size: int) -> npt.NDArray[np.bool_]:
    """Which entries of the table some token needs."""
    return np.asarray(np.arange(table.shape[1]) * block_size < lengths[:, None])


def fits(table: IntArray, lengths: IntArray, block_size: int, n_blocks: int) -> None:
    """Refuse lengths that the blocks cannot hold, and blocks that there are not."""
    most = table.shape[1] * block_size
    if lengths.size and lengths.max() > most:
        rule = f"the {table.shape[1]} blocks of its row hold {most}"
        refuse(MaskError, f"a text would have {lengths.max()} tokens", rule, "Give the table more blocks")
    needed = table[_used(table, lengths, block_size)]
    if needed.size and not (needed.min() >= 0 and needed.max() < n_blocks):
        given = f"cache.block_table names blocks from {needed.min()} to {needed.max()}"
        refuse(ShapeError, given, f"there are {n_blocks}, counted from zero", "Add blocks, or mend the table")


def laid_out(blocks: FloatArray, table: IntArray) -> FloatArray:
    """The tokens of each text in their order, what lies behind its end included."""
    inside = np.clip(table, 0, max(len(blocks) - 1, 0))  # entries that no token needs may hold anything
    found = np.moveaxis(blocks[inside], 2, 1)  # (batch, n_kv_heads, most_blocks, block_size, d)
    return found.reshape(*found.shape[:2], found.shape[2] * found.shape[3], found.shape[4])


def one_writer(numbers: npt.NDArray[Any]) -> None:
    """Refuse a block that tokens of two texts would go into."""
    blocks = np.concatenate([np.unique(row) for row in numbers]) if len(numbers) else numbers.ravel()
    shared = np.unique(blocks, return_counts=True)
    twice = shared[0][shared[1] > 1]
    if twice.size:
        rule = "a block that several texts share can be read, but not written"
        refuse(
            MaskError, f"two texts would write into block {twice[0]}", rule, "Copy it for one of them first"
        )
