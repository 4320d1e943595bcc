"""The other half of a block: each token through a small network of its own."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from attnref._erf import erf
from attnref._fit import has_numbers, has_shape, projects
from attnref._parameters import affine
from attnref._results import FloatArray
from attnref._validate import as_float, as_float_if_given, widest_float

Activation = Callable[[FloatArray], npt.NDArray[Any]]


def gelu(X: npt.ArrayLike) -> FloatArray:
    r"""Let each number through by the chance that a standard normal one lies below it.

    $$ \operatorname{gelu}(x) = x\, \Phi(x) $$

    where $\Phi$ is the distribution function of the standard normal.

    Parameters
    ----------
    X
        Numbers of any shape.

    Returns
    -------
    FloatArray
        Shape of `X`, dtype of `X`, at least `float32`.

    Raises
    ------
    DtypeError
        If `X` does not hold real numbers.

    Notes
    -----
    Cost: one error function for each entry. NumPy lacks it; here it is computed to the last places of a double.

    Differs from the form with a hyperbolic tangent, which approximates it and which the second GPT was
    trained with.

    Source: Hendrycks and Gimpel 2016, Section 2.

    Examples
    --------
    Half of all lies below zero; all of it below a great number, nothing below a very low one:

    >>> print(gelu([-10, 0, 10]).round(6))
    [-0.  0. 10.]
    """
    X = as_float(widest_float(X=X), X=X)[0]
    below = (1 + erf(X / math.sqrt(2))) / 2
    return np.asarray(X * below, dtype=X.dtype)


def feed_forward(
    X: npt.ArrayLike,
    W_in: npt.ArrayLike,
    W_out: npt.ArrayLike,
    *,
    b_in: npt.ArrayLike | None = None,
    b_out: npt.ArrayLike | None = None,
    activation: Activation | None = None,
) -> FloatArray:
    r"""Send each token through two matrices with a bend between them.

    $$ f(x) = \operatorname{relu}(x W_\text{in} + b_\text{in})\, W_\text{out} + b_\text{out} $$

    where $\operatorname{relu}$ keeps what is above zero and makes the rest zero.

    Parameters
    ----------
    X
        Tokens, shape `(..., d_model)`.
    W_in
        Shape `(d_model, d_hidden)`.
    W_out
        Shape `(d_hidden, d_out)`.
    b_in
        Shape `(d_hidden,)`. None: nothing is added.
    b_out
        Shape `(d_out,)`. None: nothing is added.
    activation
        What bends the hidden numbers, a function of one array. None: the paper's choice, relu. Another:
        `gelu`.

    Returns
    -------
    FloatArray
        Shape `(..., d_out)`, in the widest float dtype given, at least `float32`.

    Raises
    ------
    ShapeError
        If a matrix or vector does not fit.
    DtypeError
        If an array does not hold real numbers.

    Notes
    -----
    Cost: for each token on the order of $d_\text{hidden} (d_\text{model} + d_\text{out})$ multiplications. No
    token sees another here.

    Differs from gated networks, as in Llama, which multiply the bent numbers by a second product.

    Source: Vaswani et al. 2017, equation 2.

    Examples
    --------
    One hidden number keeps what is above zero, the other what is below, and their sum is the distance from
    zero:

    >>> print(feed_forward([[-3], [5]], [[1, -1]], [[1], [1]]))
    [[3.]
     [5.]]
    """
    given = {"X": X, "W_in": W_in, "W_out": W_out}
    dtype = widest_float(**given, b_in=b_in, b_out=b_out)
    X, W_in, W_out = as_float(dtype, **given)
    b_in, b_out = as_float_if_given(dtype, b_in=b_in, b_out=b_out)
    has_numbers("X", X)
    projects("W_in", W_in, X.shape[-1], "the last axis of X")
    projects("W_out", W_out, W_in.shape[1], "the columns of W_in")
    has_shape("b_in", b_in, W_in.shape[1:], "one number for each column of W_in")
    has_shape("b_out", b_out, W_out.shape[1:], "one number for each column of W_out")
    hidden = affine(X, W_in, b_in)  # (..., d_hidden)
    bent = np.maximum(hidden, 0) if activation is None else np.asarray(activation(hidden), dtype=dtype)
    return affine(bent, W_out, b_out)  # (..., d_out)
