"""The way back through softmax and attention, written out by hand. Knows nothing of the definition."""

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._fit import has_shape, summed_to
from attnref._options import axis_of
from attnref._results import AttentionGradients, FloatArray
from attnref._scoring import Block, Scoring
from attnref._softmax import softmax
from attnref._validate import as_float, widest_float


def softmax_gradient(shares: npt.ArrayLike, d_shares: npt.ArrayLike, axis: int = -1) -> FloatArray:
    r"""Pass a gradient back through the softmax.

    $$ \frac{\partial \ell}{\partial x_j}
       = p_j \left( \frac{\partial \ell}{\partial p_j} - \sum_l p_l \frac{\partial \ell}{\partial p_l} \right)
       $$

    Parameters
    ----------
    shares
        What the softmax gave, $p$, of any shape.
    d_shares
        The gradient of the loss with respect to the shares, of the same shape.
    axis
        The axis that the softmax was taken over. Default: the last.

    Returns
    -------
    FloatArray
        The gradient with respect to the numbers that the softmax was given, of the same shape, in the widest
        float dtype given, at least `float32`. Along the axis it sums to zero. An empty row, all shares zero,
        gets zero.

    Raises
    ------
    ShapeError
        If the shapes differ, or there is no such axis.
    DtypeError
        If an array does not hold real numbers.

    Notes
    -----
    Cost: two multiplications for each entry; the matrix of all derivatives is never built.

    Differs from an elementwise product of $p$ and its complement, which holds for a single share and
    leaves out how the others answer.

    Source: Dao et al. 2022, Appendix B.2.

    Examples
    --------
    Two equal shares; only the first one matters to the loss, and raising its score takes from the other:

    >>> print(softmax_gradient([0.5, 0.5], [1, 0]))
    [ 0.25 -0.25]
    """
    shares, d_shares = as_float(
        widest_float(shares=shares, d_shares=d_shares), shares=shares, d_shares=d_shares
    )
    has_shape("d_shares", d_shares, shares.shape, "that of the shares")
    axis = axis_of("shares", shares, axis)
    mean = np.sum(shares * d_shares, axis=axis, keepdims=True)
    return np.asarray(shares * (d_shares - mean))


def attention_gradients(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    d_output: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> AttentionGradients:
    r"""Say how a loss changes with queries, keys, values and bias, from how it changes with the output.

    With the weights $P$, the scale $\alpha$ and $\partial X$ for the gradient with respect to $X$:

    $$ \partial V = P^\top \partial O, \qquad \partial P = \partial O\, V^\top, \qquad
       \partial B = P \odot (\partial P - \operatorname{rowsum}(P \odot \partial P)) $$
    $$ \partial Q = \alpha\, \partial B\, K, \qquad \partial K = \alpha\, \partial B^\top Q $$

    Parameters
    ----------
    Q, K, V
        As in `attention`, shapes `(..., L_q, d_k)`, `(..., L_k, d_k)` and `(..., L_k, d_v)`.
    d_output
        The gradient of the loss with respect to the output, shape `(..., L_q, d_v)`.
    mask, bias, causal, window, scale, softcap
        The options that the output was computed with. A softcap $c$ multiplies $\partial B$ by
        one less the square of $\tanh(s / c)$ on its way to the dot products.

    Returns
    -------
    AttentionGradients
        `d_Q`, `d_K` and `d_V`, in the shapes of `Q`, `K` and `V`: where a leading axis was broadcast, it is
        summed over. `d_bias`, shape `(..., L_q, L_k)`. All have the widest float dtype given, at least
        `float32`. A query that may attend to nothing gets zeros and gives none; so does a masked key,
        whatever it holds.

    Raises
    ------
    ShapeError, MaskError, DtypeError, AttnRefError
        As in `attention`; `ShapeError` too if `d_output` has not the shape of the output.

    Notes
    -----
    Cost: the scores are computed anew, then four products of the size of the two that `attention` takes, and
    arrays of $L_q L_k$ numbers.

    Differs from automatic differentiation of code that repairs NaN after the softmax: there the gradient of
    an empty row is NaN, although its output is not. The repair has to come before.

    Source: Dao et al. 2022, Appendix B.2; the softcap's slope follows from Gemma Team 2024, Section 2.

    Examples
    --------
    Two keys that match equally: each value gets half of the output's gradient, and the first key, whose value
    is above the mean by two, pulls the query towards itself:

    >>> back = attention_gradients([[0]], [[1], [-1]], [[4], [0]], [[1]])
    >>> print(back.d_V)
    [[0.5]
     [0.5]]
    >>> print(back.d_Q)
    [[2.]]
    """
    scoring = Scoring.read(
        Q, K, V, also={"d_output": d_output},
        mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap,
    )  # fmt: skip
    d_output = as_float(scoring.dtype, d_output=d_output)[0]
    block = scoring.of()
    weights = softmax(block.logits)  # (..., L_q, L_k)
    has_shape("d_output", d_output, (*weights.shape[:-1], scoring.V.shape[-1]), "that of the output")
    d_Q, d_K, d_V, d_bias = back_through(scoring, block, weights, d_output)
    return AttentionGradients(
        summed_to(np.shape(Q), d_Q), summed_to(np.shape(K), d_K), summed_to(np.shape(V), d_V), d_bias
    )


def back_through(
    scoring: Scoring, block: Block, weights: FloatArray, d_output: FloatArray
) -> AttentionGradients:
    """The equations above, with all leading axes still there."""
    with np.errstate(all="ignore"):  # a masked value may hold anything
        d_weights = np.where(block.allowed, d_output @ scoring.V.mT, 0)  # (..., L_q, L_k)
        d_logits = np.where(block.allowed, softmax_gradient(weights, d_weights), 0)
        d_dots = np.where(block.allowed, d_logits * block.slope, 0)
    d_V = blend(weights.mT, d_output, block.allowed.mT)  # (..., L_k, d_v)
    d_Q = blend(d_dots, scoring.K, block.allowed)  # (..., L_q, d_k)
    d_K = blend(d_dots.mT, scoring.Q, block.allowed.mT)  # (..., L_k, d_k)
    return AttentionGradients(d_Q, d_K, d_V, d_logits)
