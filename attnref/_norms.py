"""Norms: bring the numbers of each token to one size, so that blocks can be stacked."""

import numpy as np
import numpy.typing as npt

from attnref._fit import has_numbers, has_shape
from attnref._options import number
from attnref._results import FloatArray, NormedHeads
from attnref._validate import as_float, as_float_if_given, widest_float


def layer_norm(
    X: npt.ArrayLike,
    gain: npt.ArrayLike | None = None,
    shift: npt.ArrayLike | None = None,
    *,
    eps: float = 1e-5,
) -> FloatArray:
    r"""Shift each token to a mean of zero and stretch it to a variance of one.

    $$ y_c = g_c\, \frac{x_c - \mu}{\sqrt{v + \varepsilon}} + b_c, \qquad
       \mu = \operatorname{mean}(x), \quad v = \operatorname{mean}\bigl((x - \mu) \odot (x - \mu)\bigr) $$

    Parameters
    ----------
    X
        Tokens, shape `(..., d)`.
    gain
        What each number is multiplied by afterwards, shape `(d,)`. None: nothing.
    shift
        What is added afterwards, shape `(d,)`. None: nothing.
    eps
        What is added to the variance, so that a token of equal numbers does not divide by zero.

    Returns
    -------
    FloatArray
        Shape of `X`, in the widest float dtype given, at least `float32`.

    Raises
    ------
    ShapeError
        If a token has no numbers, or `gain` or `shift` has another width.
    DtypeError
        If an array does not hold real numbers.
    AttnRefError
        If `eps` is not greater than zero.

    Notes
    -----
    Cost: a few operations for each entry. Each token is treated by itself; the batch plays no part.

    Differs from code that divides the squared deviations by one number less, as a sample's variance does.

    Source: Ba et al. 2016, Section 3.

    Examples
    --------
    Two numbers lie equally far from their mean, whatever they are:

    >>> print(layer_norm([[3, 7], [100, 0]]).round(4))
    [[-1.  1.]
     [ 1. -1.]]
    """
    dtype = widest_float(X=X, gain=gain, shift=shift)
    X = as_float(dtype, X=X)[0]
    gain, shift = as_float_if_given(dtype, gain=gain, shift=shift)
    has_numbers("X", X)
    has_shape("gain", gain, X.shape[-1:], "one number for each of a token's")
    has_shape("shift", shift, X.shape[-1:], "one number for each of a token's")
    centred = X - X.mean(axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    normed = centred / np.sqrt(variance + number("eps", eps, positive=True))
    scaled = normed if gain is None else normed * gain
    return np.asarray(scaled if shift is None else scaled + shift)


def rms_norm(X: npt.ArrayLike, gain: npt.ArrayLike | None = None, *, eps: float = 1e-6) -> FloatArray:
    r"""Stretch each token so that its numbers have a mean square of one.

    $$ y_c = g_c\, \frac{x_c}{\sqrt{\operatorname{mean}(x \odot x) + \varepsilon}} $$

    Parameters
    ----------
    X
        Tokens, shape `(..., d)`.
    gain
        What each number is multiplied by afterwards, shape `(d,)`. None: nothing.
    eps
        What is added to the mean square, so that a token of zeros does not divide by zero.

    Returns
    -------
    FloatArray
        Shape of `X`, in the widest float dtype given, at least `float32`.

    Raises
    ------
    ShapeError
        If a token has no numbers, or `gain` has another width.
    DtypeError
        If an array does not hold real numbers.
    AttnRefError
        If `eps` is not greater than zero.

    Notes
    -----
    Cost: a few operations for each entry; unlike `layer_norm` it takes no mean away.

    Differs from Gemma as kept by Hugging Face, whose stored gains are less by one.

    Source: Zhang and Sennrich 2019, equation 4.

    Examples
    --------
    Three and four have a mean square of twelve and a half:

    >>> print((rms_norm([3, 4]) * np.sqrt(12.5)).round(4))
    [3. 4.]
    """
    dtype = widest_float(X=X, gain=gain)
    X = as_float(dtype, X=X)[0]
    gain = as_float_if_given(dtype, gain=gain)[0]
    has_numbers("X", X)
    has_shape("gain", gain, X.shape[-1:], "one number for each of a token's")
    normed = X / np.sqrt(np.mean(X * X, axis=-1, keepdims=True) + number("eps", eps, positive=True))
    return np.asarray(normed if gain is None else normed * gain)


def qk_norm(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    gain_Q: npt.ArrayLike | None = None,
    gain_K: npt.ArrayLike | None = None,
    *,
    eps: float = 1e-6,
) -> NormedHeads:
    r"""Norm the queries and keys of each head, so that scores cannot grow with their length.

    $$ Q' = \operatorname{rmsnorm}(Q), \qquad K' = \operatorname{rmsnorm}(K) $$

    Parameters
    ----------
    Q, K
        Queries and keys, split into heads, shapes `(..., n_heads, L_q, d_k)` and `(..., n_kv_heads, L_k,
        d_k)`.
    gain_Q, gain_K
        What is multiplied afterwards, shape `(d_k,)`, the same for all heads. None: nothing.
    eps
        As in `rms_norm`.

    Returns
    -------
    NormedHeads
        `Q` and `K`, in the shapes given, each in the widest float dtype of itself and its gain, at least
        `float32`.

    Raises
    ------
    ShapeError, DtypeError, AttnRefError
        As in `rms_norm`.

    Notes
    -----
    Cost: a few operations for each entry. Without gains no dot product is greater than $d_k$, so no score
    under the usual scale is greater than the square root of $d_k$.

    Norm first and rotate afterwards: a rotation keeps lengths, but with a gain the two do not commute.

    Differs from the second OLMo, which norms all heads of a token together, before they are split, and from
    Henry et al. 2020, who divide by the length and learn one scale for the scores.

    Source: Henry et al. 2020; per head with a root mean square: Qwen Team 2025.

    Examples
    --------
    Two heads of width one: each number is all its head has, so only its sign is left.

    >>> normed = qk_norm([[[3]], [[-4]]], [[[5]], [[6]]])
    >>> print(normed.Q.ravel().round(4), normed.K.ravel().round(4))
    [ 1. -1.] [1. 1.]
    """
    return NormedHeads(rms_norm(Q, gain_Q, eps=eps), rms_norm(K, gain_K, eps=eps))
