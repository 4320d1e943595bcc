"""The axis of the heads: split it off, join it again, take a fused projection apart."""

import numpy as np
import numpy.typing as npt

from attnref._fit import needs_axes, width_of_head
from attnref._options import head_counts
from attnref._results import FloatArray, Projections
from attnref._validate import as_float, widest_float


def split_heads(X: npt.ArrayLike, n_heads: int) -> FloatArray:
    r"""Cut each token's numbers into equal parts, one for each head.

    $$ \text{head}_h[i, c] = X[i, h \cdot d + c] $$

    Parameters
    ----------
    X
        Tokens, shape `(..., L, n_heads * d)`.
    n_heads
        Number of heads.

    Returns
    -------
    FloatArray
        Shape `(..., n_heads, L, d)`, in the dtype of `X`, at least `float32`. A view of `X` where that is
        possible.

    Raises
    ------
    ShapeError
        If the last axis cannot be cut into that many equal parts.

    Notes
    -----
    Cost: none; the numbers stay where they are, only the axes are read anew.

    Differs from a reshape to `(..., n_heads, L, d)` alone, which has the same shape but deals whole tokens
    out to heads: the tokens must stay together, so the head axis is split off last and then moved.

    Examples
    --------
    Two tokens of two numbers; the first head takes the first number of each:

    >>> print(split_heads([[0, 1], [2, 3]], n_heads=2)[0])
    [[0.]
     [2.]]
    """
    X = as_float(widest_float(X=X), X=X)[0]
    needs_axes("X", X, "L", "d_model")
    n_heads, _ = head_counts(n_heads, None)
    parts = X.reshape(*X.shape[:-1], n_heads, width_of_head("X", X, n_heads))  # (..., L, n_heads, d)
    return np.swapaxes(parts, -3, -2)  # (..., n_heads, L, d)


def join_heads(heads: npt.ArrayLike) -> FloatArray:
    r"""Put the heads' numbers side by side again, token by token.

    $$ X[i, h \cdot d + c] = \text{head}_h[i, c] $$

    Parameters
    ----------
    heads
        What each head has for each token, shape `(..., n_heads, L, d)`.

    Returns
    -------
    FloatArray
        Shape `(..., L, n_heads * d)`, in the dtype of `heads`, at least `float32`.

    Raises
    ------
    ShapeError
        If there is no head axis.

    Notes
    -----
    Cost: one copy.

    Differs from a reshape to `(..., L, n_heads * d)` alone, which mixes tokens: the head axis is moved back
    beside the features first. It undoes `split_heads`.

    Source: the concatenation in Vaswani et al. 2017, Section 3.2.2.

    Examples
    --------
    >>> print(join_heads([[[0], [2]], [[1], [3]]]))
    [[0. 1.]
     [2. 3.]]
    """
    heads = as_float(widest_float(heads=heads), heads=heads)[0]
    needs_axes("heads", heads, "n_heads", "L", "d")
    tokens = np.swapaxes(heads, -3, -2)  # (..., L, n_heads, d)
    return tokens.reshape(*tokens.shape[:-2], tokens.shape[-2] * tokens.shape[-1])  # (..., L, n_heads * d)


def split_qkv(W: npt.ArrayLike, *, n_heads: int, n_kv_heads: int | None = None) -> Projections:
    r"""Take a fused projection apart into those of queries, keys and values.

    $$ W = [\, W_Q \mid W_K \mid W_V \,] $$

    Parameters
    ----------
    W
        The matrices side by side, shape `(d_model, (n_heads + n_kv_heads + n_kv_heads) * d_k)`, or their
        biases likewise. Projected tokens can be split in the same way. Queries, keys and values are equally
        wide.
    n_heads
        Number of query heads.
    n_kv_heads
        Number of key and value heads. None: as many as query heads.

    Returns
    -------
    Projections
        `W_Q`, `W_K` and `W_V`, cut from the last axis, in the dtype of `W`, at least `float32`. Views of `W`
        where that is possible.

    Raises
    ------
    ShapeError
        If the last axis is not made of that many heads.

    Notes
    -----
    Cost: none; the parts are views.

    Differs from GPT-NeoX and BLOOM, where the three parts of each head stand together, and from PyTorch's
    `in_proj_weight`, which is stored as `(d_out, d_in)`: pass its transpose.

    Examples
    --------
    Two query heads that share one key and value head, each of width one:

    >>> for part in split_qkv([[1, 2, 3, 4]], n_heads=2, n_kv_heads=1):
    ...     print(part)
    [[1. 2.]]
    [[3.]]
    [[4.]]
    """
    W = as_float(widest_float(W=W), W=W)[0]
    needs_axes("W", W, "d_out")
    n_heads, n_kv_heads = head_counts(n_heads, n_kv_heads)
    d_k = width_of_head("W", W, n_heads + 2 * n_kv_heads)
    return Projections(*np.split(W, [n_heads * d_k, (n_heads + n_kv_heads) * d_k], axis=-1))
