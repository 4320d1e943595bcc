"""From pieces to words: a map in which each row and each column is a word."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from attnref._errors import ShapeError
from attnref._fit import needs_axes
from attnref._results import FloatArray
from attnref._validate import as_float, refuse, widest_float


def word_map(weights: npt.ArrayLike, spans: Sequence[tuple[int, int]]) -> FloatArray:
    r"""Make one row and one column of the pieces of each word.

    $$ M[a, b] = \operatorname{mean}_{i \in a} \sum_{j \in b} W[i, j] $$

    Parameters
    ----------
    weights
        Shape `(..., L, L)`, as `attention` returns them.
    spans
        For each word the index of its first token and the one behind its last, in order and without gaps.

    Returns
    -------
    FloatArray
        Shape `(..., n, n)` for `n` words, in the dtype of `weights`, at least `float32`. The rows sum to one
        if those of the weights do.

    Raises
    ------
    ShapeError
        If the spans do not cover the tokens one by one.

    Notes
    -----
    Cost: one sum over the rows and one over the columns. What is looked at adds up, since a word gets what
    its pieces get; who looks is a mean, since each piece has a whole weight to give.

    Source: Clark et al. 2019, Section 4.1.

    Examples
    --------
    The first word has one piece, the second two:

    >>> pieces = [[0.5, 0.25, 0.25], [0.5, 0, 0.5], [0, 1, 0]]
    >>> print(word_map(pieces, [(0, 1), (1, 3)]))
    [[0.5  0.5 ]
     [0.25 0.75]]
    """
    weights = as_float(widest_float(weights=weights), weights=weights)[0]
    needs_axes("weights", weights, "L", "L")
    begins = [begin for begin, _ in spans]
    reached = [0, *(end for _, end in spans)]
    follow = begins == reached[:-1] and all(a < b for a, b in pairwise(reached))
    if not (begins and follow and weights.shape[-2:] == (reached[-1], reached[-1])):
        given = f"spans is {list(spans)} for weights of shape {weights.shape}"
        rule = "the spans follow each other, none empty, from the first token to the last"
        refuse(ShapeError, given, rule, "Pass the spans that came with the weights")
    columns = np.add.reduceat(weights, begins, axis=-1)  # (..., L, n)
    rows = np.add.reduceat(columns, begins, axis=-2)  # (..., n, n)
    lengths = np.diff(reached)[:, None].astype(weights.dtype)
    return np.asarray(rows / lengths)
