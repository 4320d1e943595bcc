"""Two maps of weights, one taken from the other: what both attend to cancels out."""

import numpy as np
import numpy.typing as npt

from attnref._attention import Window, attention
from attnref._errors import ShapeError
from attnref._fit import broadcasts_to, has_shape, leading_axes, needs_axes
from attnref._norms import rms_norm
from attnref._options import number, size
from attnref._results import FloatArray
from attnref._results_forms import DifferentialAttention
from attnref._validate import as_float, refuse, widest_float


def differential_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    factor: npt.ArrayLike,
    *,
    init: float | None = None,
    gain: npt.ArrayLike | None = None,
    eps: float = 1e-5,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> DifferentialAttention:
    r"""Attend twice with two halves of queries and keys, and take the second map from the first.

    $$ [Q_a \mid Q_b] = Q, \qquad [K_a \mid K_b] = K, \qquad
       P = \operatorname{softmax}(\alpha Q_a K_a^\top) - \lambda \operatorname{softmax}(\alpha Q_b K_b^\top),
       \qquad \text{output} = P V $$

    Parameters
    ----------
    Q
        Both halves of the queries side by side, shape `(..., L_q, d_k + d_k)`.
    K
        Both halves of the keys side by side, shape `(..., L_k, d_k + d_k)`.
    V
        Values, shape `(..., L_k, d_v)`; in the paper they are as wide as both halves together.
    factor
        $\lambda$, one number or one for each head: its shape broadcasts to the leading axes. See
        `differential_factor`.
    init
        The part of $\lambda$ that is not learned. With it each head's output is normed by its root mean square
        and multiplied by one less `init`, as the paper does. None: neither.
    gain
        What the normed numbers are multiplied by, shape `(d_v,)`. None: nothing. Without `init` it has no use.
    eps
        As in `rms_norm`.
    mask, bias, causal, window, scale, softcap
        As in `attention`, the same for both maps. A scale of None is one over the square root of $d_k$, the
        width of one half.

    Returns
    -------
    DifferentialAttention
        `output`, shape `(..., L_q, d_v)`; `weights`, the difference, and `first` and `second`, the two maps,
        shape `(..., L_q, L_k)`. The rows of `weights` sum to one less $\lambda$, and entries may be negative.

    Raises
    ------
    ShapeError
        If queries or keys have no two halves, or `factor` or `gain` does not fit; otherwise as in `attention`.
    MaskError, DtypeError, AttnRefError
        As in `attention`.

    Notes
    -----
    Cost: two maps of `attention`, and their blends.

    Differs from code that takes even and odd columns for the two halves, or that leaves out the norm of each
    head, whose size depends on $\lambda$.

    Source: Ye et al. 2024, Section 2.1.

    Examples
    --------
    The first half prefers no key, and neither does the second; a fifth of the mean is left:

    >>> result = differential_attention(np.zeros((1, 2)), np.zeros((2, 2)), [[10], [30]], 0.8)
    >>> print(result.weights.round(6), result.output.round(6))
    [[0.1 0.1]] [[4.]]
    """
    dtype = widest_float(Q=Q, K=K, V=V, bias=bias, factor=factor, gain=gain)
    Q, K, V, factor = as_float(dtype, Q=Q, K=K, V=V, factor=factor)
    needs_axes("Q", Q, "L_q", "d_k + d_k")
    needs_axes("K", K, "L_k", "d_k + d_k")
    needs_axes("V", V, "L_k", "d_v")
    (Q1, Q2), (K1, K2) = _halves("Q", Q), _halves("K", K)
    leading = leading_axes(Q=Q, K=K, V=V)
    broadcasts_to("factor", factor, leading, "the axes of Q, K and V before the last two")
    share = factor[..., None, None]
    one, other = (
        attention(a, b, V, mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap)
        for a, b in ((Q1, K1), (Q2, K2))
    )
    with np.errstate(all="ignore"):
        output: FloatArray = np.asarray(one.output - share * other.output)  # (..., L_q, d_v)
        if init is not None:
            output = rms_norm(output, gain, eps=eps) * (1 - number("init", init))
    return DifferentialAttention(output, one.weights - share * other.weights, one.weights, other.weights)


def differential_factor(
    q_a: npt.ArrayLike, k_a: npt.ArrayLike, q_b: npt.ArrayLike, k_b: npt.ArrayLike, *, layer: int
) -> tuple[FloatArray, float]:
    r"""The share of the second map, from four learned vectors, and the part of it that is not learned.

    $$ \lambda = e^{q_a \cdot k_a} - e^{q_b \cdot k_b} + \lambda_\text{init}, \qquad
       \lambda_\text{init} = x - y\, e^{-z l} $$

    where $x$ is four fifths, $y$ three fifths and $z$ three tenths.

    Parameters
    ----------
    q_a, k_a, q_b, k_b
        Learned vectors, shape `(..., d_k)`, one of each for a head or for all of them.
    layer
        The number $l$ of the layer. The first has the number zero.

    Returns
    -------
    tuple[FloatArray, float]
        $\lambda$, shape `(...)`, for the argument `factor` of `differential_attention`, and
        $\lambda_\text{init}$ for `init`.

    Raises
    ------
    ShapeError
        If the vectors differ in shape, or `layer` is no whole number of zero or more.
    DtypeError
        If an array does not hold real numbers.

    Notes
    -----
    Cost: two products of vectors.

    Differs from the paper, which numbers layers from one and subtracts one in the exponent: the same numbers.

    Source: Ye et al. 2024, Section 2.1.

    Examples
    --------
    Vectors of zero, in the first layer: the two exponentials cancel, and a fifth is left.

    >>> factor, init = differential_factor([0], [0], [0], [0], layer=0)
    >>> print(factor.round(6), round(init, 6))
    0.2 0.2
    """
    given = {"q_a": q_a, "k_a": k_a, "q_b": q_b, "k_b": k_b}
    first, *others = as_float(widest_float(**given), **given)
    needs_axes("q_a", first, "d_k")
    for name, array in zip(("k_a", "q_b", "k_b"), others, strict=True):
        has_shape(name, array, first.shape, "that of q_a")
    init = 0.8 - 0.6 * float(np.exp(-0.3 * size("layer", layer)))
    k_a, q_b, k_b = others
    with np.errstate(over="ignore"):
        learned = np.exp(np.sum(first * k_a, axis=-1)) - np.exp(np.sum(q_b * k_b, axis=-1))
    return np.asarray(learned + first.dtype.type(init)), init


def _halves(name: str, array: FloatArray) -> tuple[FloatArray, FloatArray]:
    if array.shape[-1] % 2:
        rule = "its last axis holds two halves of equal width"
        refuse(ShapeError, f"{name} has shape {array.shape}", rule, "Project to twice the width of one map")
    half = array.shape[-1] // 2
    return array[..., :half], array[..., half:]
