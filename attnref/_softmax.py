"""The softmax: from any numbers to shares that sum to one."""

import numpy as np
import numpy.typing as npt

from attnref._options import axis_of
from attnref._results import FloatArray
from attnref._validate import as_float, widest_float


def softmax(x: npt.ArrayLike, axis: int = -1) -> FloatArray:
    r"""Turn numbers into shares: positive, in the same order, with a sum of one.

    $$ \operatorname{softmax}(x)_j = \frac{e^{x_j - m}}{\sum_l e^{x_l - m}}, \qquad m = \max_l x_l $$

    Subtracting the maximum $m$ changes nothing in the quotient and keeps the exponentials from overflowing.

    Parameters
    ----------
    x
        Numbers of any shape with at least one axis. Entries of minus infinity get a share of zero.
    axis
        The axis along which the shares sum to one. Default: the last, which in attention is the keys'.

    Returns
    -------
    FloatArray
        The shares, of the shape of `x`, in the dtype of `x` but at least `float32` (integers count as
        `float64`). Where a row holds nothing but minus infinity, or nothing at all, all of its shares are
        zero. A row that holds NaN or plus infinity becomes NaN.

    Raises
    ------
    DtypeError
        If `x` does not hold real numbers.
    ShapeError
        If `x` has no such axis.

    Notes
    -----
    Cost: one exponential and one division for each entry, and an array of the size of `x`.

    Differs from `torch.softmax` and `jax.nn.softmax`, where a row of nothing but minus infinity becomes NaN.

    Source: Vaswani et al. 2017, equation 1, where it is taken over the keys.

    Examples
    --------
    One number is the logarithm of three above the other, so its share is three times the other's:

    >>> print(softmax([np.log(3), 0]))
    [0.75 0.25]

    The same number added to all of them changes nothing, however large:

    >>> print(softmax([1000 + np.log(3), 1000]))
    [0.75 0.25]

    Nothing to choose from:

    >>> print(softmax([-np.inf, -np.inf]))
    [0. 0.]
    """
    x = as_float(widest_float(x=x), x=x)[0]
    axis = axis_of("x", x, axis)
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(top == -np.inf, 0, top)  # an empty row: minus infinity less minus infinity is no number
    with np.errstate(all="ignore"):
        powers = np.exp(x - top)
        total = np.sum(powers, axis=axis, keepdims=True)
        shares: FloatArray = powers / np.where(total == 0, 1, total)  # zero only where the row is empty
    return shares
