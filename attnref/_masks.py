"""Who may attend to whom: boolean arrays, True where a query may attend to a key.

Masks combine with `&`. They are handed to `attention` as `mask`; the two most used have options of their own
there.
"""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from attnref._options import as_lengths, choice, size, span
from attnref._results import BoolArray

Positions = npt.NDArray[np.integer[Any]]
Align = Literal["bottom_right", "top_left"]
ALIGNMENTS = ("bottom_right", "top_left")


def positions(L_q: int, L_k: int, align: Align = "bottom_right") -> tuple[Positions, Positions]:
    """Where each query stands, as a column, and each key, as a row; their difference is a distance."""
    queries, keys = size("L_q", L_q), size("L_k", L_k)
    offset = keys - queries if choice("align", align, ALIGNMENTS) == "bottom_right" else 0
    return np.arange(queries)[:, None] + offset, np.arange(keys)


def within(distances: Positions, left: int | None, right: int | None) -> BoolArray:
    """Where a distance lies between the two sides of a window; None is no bound."""
    seen = np.ones(distances.shape, dtype=bool)
    if left is not None:
        seen &= distances >= -left
    if right is not None:
        seen &= distances <= right
    return seen


def causal_mask(L_q: int, L_k: int | None = None, *, align: Align = "bottom_right") -> BoolArray:
    r"""Let each query see its own position and what came before it.

    $$ \text{query } i \text{ sees key } j \qquad \iff j \le i + L_k - L_q $$

    Parameters
    ----------
    L_q
        Number of queries.
    L_k
        Number of keys. None: as many as queries.
    align
        `"bottom_right"`: the last query lines up with the last key, as when the earlier keys come from a
        cache. `"top_left"`: the first query lines up with the first key, $j \le i$. They differ only where
        $L_q \ne L_k$.

    Returns
    -------
    BoolArray
        Shape `(L_q, L_k)`, True where a query may attend. With more queries than keys, the first rows of
        `"bottom_right"` are empty.

    Raises
    ------
    ShapeError
        If a length is negative or no integer.
    AttnRefError
        If `align` is none of its two words.

    Notes
    -----
    Cost: one comparison for each pair.

    Differs from PyTorch's `is_causal` and JAX's `is_causal`, which line up the first query with the first
    key; MLX lines up the last ones, as here.

    Source: Vaswani et al. 2017, Section 3.2.3.

    Examples
    --------
    >>> print(causal_mask(3).astype(int))
    [[1 0 0]
     [1 1 0]
     [1 1 1]]

    Two new tokens after two that were seen before, and the other way to line them up:

    >>> print(causal_mask(2, 4).astype(int))
    [[1 1 1 0]
     [1 1 1 1]]
    >>> print(causal_mask(2, 4, align="top_left").astype(int))
    [[1 0 0 0]
     [1 1 0 0]]
    """
    queries, keys = positions(L_q, L_q if L_k is None else L_k, align)
    return within(keys - queries, None, 0)  # (L_q, L_k)


def window_mask(
    L_q: int, L_k: int, left: int | None, right: int | None, *, align: Align = "bottom_right"
) -> BoolArray:
    r"""Let each query see its own position and a number of neighbours on either side.

    $$ \text{query } i \text{ sees key } j \qquad \iff p_i - \text{left} \le j \le p_i + \text{right},
       \qquad p_i = i + L_k - L_q $$

    Parameters
    ----------
    L_q
        Number of queries.
    L_k
        Number of keys.
    left
        How many keys before its own position a query sees. None: all of them.
    right
        How many keys after its own position a query sees. None: all of them. Zero makes the window causal.
    align
        `"bottom_right"`: the last query stands at the last key. `"top_left"`: $p_i = i$.

    Returns
    -------
    BoolArray
        Shape `(L_q, L_k)`, True where a query may attend.

    Raises
    ------
    MaskError
        If a side is negative or no integer.
    ShapeError
        If a length is negative or no integer.
    AttnRefError
        If `align` is none of its two words.

    Notes
    -----
    Cost: two comparisons for each pair.

    Differs from a `sliding_window` in Hugging Face's configurations, which counts the query's own position:
    a sliding window of $W$ keys has a `left` of one less and a `right` of zero here. FlashAttention, JAX and
    ONNX count as here, but JAX lines up the first query with the first key.

    Source: Beltagy et al. 2020, Section 3.1.

    Examples
    --------
    One key to the left, none to the right:

    >>> print(window_mask(3, 3, 1, 0).astype(int))
    [[1 0 0]
     [1 1 0]
     [0 1 1]]
    """
    left, right = span((left, right))
    queries, keys = positions(L_q, L_k, align)
    return within(keys - queries, left, right)  # (L_q, L_k)


def padding_mask(lengths: npt.ArrayLike, L_k: int) -> BoolArray:
    r"""Hide the keys that only fill a short sequence up to the common length.

    $$ \text{every query of sequence } b \text{ sees key } j \qquad \iff j < \text{lengths}_b $$

    Only keys are hidden. The rows of the padded queries stay as they are, so that they do not become empty.

    Parameters
    ----------
    lengths
        How many tokens of each sequence are real, integers of any shape `(...)`.
    L_k
        The common length of the keys.

    Returns
    -------
    BoolArray
        Shape `(..., L_q, L_k)` with one row, which stands for all queries. For arrays with a head axis pass
        `lengths[:, None]`, so that there is an axis for the heads too.

    Raises
    ------
    MaskError
        If a length is no integer, negative, or greater than `L_k`.
    ShapeError
        If `L_k` is negative or no integer.

    Notes
    -----
    Cost: one comparison for each key of each sequence.

    Differs from `key_padding_mask` of `torch.nn.MultiheadAttention`, where True marks the padding.

    Examples
    --------
    >>> print(padding_mask([2, 3], 3).astype(int))
    [[[1 1 0]]
    <BLANKLINE>
     [[1 1 1]]]
    """
    L_k = size("L_k", L_k)
    real: BoolArray = np.arange(L_k) < as_lengths(lengths, L_k)[..., None, None]
    return real  # (..., 1, L_k)
