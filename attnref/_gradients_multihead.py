"""The way back through several heads: projections, split, attention in each, joining. Knows no definition."""

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._fit import has_shape, summed_to
from attnref._gradients import back_through
from attnref._heads import join_heads, split_heads
from attnref._parameters import Parameters, affine
from attnref._results import BoolArray, FloatArray, MultiheadGradients
from attnref._scoring import Scoring
from attnref._softmax import softmax
from attnref._validate import as_float


def multihead_gradients(
    X: npt.ArrayLike,
    W_Q: npt.ArrayLike,
    W_K: npt.ArrayLike,
    W_V: npt.ArrayLike,
    W_O: npt.ArrayLike,
    d_output: npt.ArrayLike,
    *,
    n_heads: int,
    n_kv_heads: int | None = None,
    context: npt.ArrayLike | None = None,
    b_Q: npt.ArrayLike | None = None,
    b_K: npt.ArrayLike | None = None,
    b_V: npt.ArrayLike | None = None,
    b_O: npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> MultiheadGradients:
    r"""Say how a loss changes with the tokens and with each matrix of several heads.

    A product $Y = X W + b$ passes a gradient on in three parts:

    $$ \partial X = \partial Y\, W^\top, \qquad \partial W = X^\top \partial Y, \qquad
       \partial b = \sum_i \partial Y_i $$

    Between the products the gradient goes back through `attention` in each head. Where query heads share a
    key and value head, its gradient is the sum over them.

    Parameters
    ----------
    X, W_Q, W_K, W_V, W_O
        As in `multihead_attention`.
    d_output
        The gradient of the loss with respect to the output, shape `(..., L_q, d_out)`.
    n_heads, n_kv_heads, context, b_Q, b_K, b_V, b_O, mask, bias, causal, window, scale, softcap
        As in `multihead_attention`: what the output was computed with.

    Returns
    -------
    MultiheadGradients
        `d_X`, `d_context` and the gradients of matrices and biases, each in the shape of its array, summed
        over all sequences. Without a context `d_X` is the sum of all three ways, and `d_context` that of the
        two by keys and values. All have the widest float dtype given, at least `float32`.

    Raises
    ------
    ShapeError, MaskError, DtypeError, AttnRefError
        As in `multihead_attention`; `ShapeError` too if `d_output` has not the shape of the output.

    Notes
    -----
    Cost: about twice that of `multihead_attention`, and its way forward once more.

    Differs from code that keeps a gradient for each query head where heads share keys: there is one key head,
    so there is one gradient, the sum.

    Source: the chain rule applied to Vaswani et al. 2017, Section 3.2.2.

    Examples
    --------
    One head, one token, which attends to itself alone: the output is the token, so its gradient is passed on:

    >>> one = np.eye(1)
    >>> print(multihead_gradients([[5]], one, one, one, one, [[3]], n_heads=1).d_X)
    [[3.]]
    """
    p = Parameters.read(
        X, W_Q, W_K, W_V, W_O, n_heads=n_heads, n_kv_heads=n_kv_heads, context=context,
        b_Q=b_Q, b_K=b_K, b_V=b_V, b_O=b_O, bias=bias, d_output=d_output,
    )  # fmt: skip
    d_output = as_float(p.X.dtype, d_output=d_output)[0]
    Q = split_heads(affine(p.X, p.W_Q, p.b_Q), p.n_heads)  # (..., n_heads, L_q, d_k)
    K = split_heads(affine(p.context, p.W_K, p.b_K), p.n_kv_heads)  # (..., n_kv_heads, L_k, d_k)
    V = split_heads(affine(p.context, p.W_V, p.b_V), p.n_kv_heads)  # (..., n_kv_heads, L_k, d_v)
    K, V = (np.repeat(array, p.group, axis=-3) for array in (K, V))  # (..., n_heads, L_k, d)
    scoring = Scoring.read(
        Q, K, V, mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap
    )
    block = scoring.of()
    weights = softmax(block.logits)  # (..., n_heads, L_q, L_k)
    joined = join_heads(blend(weights, V, block.allowed))  # (..., L_q, n_heads * d_v)
    has_shape("d_output", d_output, (*joined.shape[:-1], p.W_O.shape[1]), "that of the output")

    d_joined = np.asarray(d_output @ p.W_O.T)  # (..., L_q, n_heads * d_v)
    d_W_O, d_b_O = summed_to(p.W_O.shape, joined.mT @ d_output), summed_to(p.W_O.shape[1:], d_output)
    d_Q, d_K, d_V, _ = back_through(scoring, block, weights, split_heads(d_joined, p.n_heads))
    allowed = np.broadcast_to(block.allowed, weights.shape)
    by_group = allowed.reshape(*weights.shape[:-3], p.n_kv_heads, p.group, *weights.shape[-2:])
    asks = np.asarray(allowed.any(axis=-1))  # (..., n_heads, L_q)
    asked = np.asarray(by_group.any(axis=(-3, -2)))  # (..., n_kv_heads, L_k)
    d_asking, d_W_Q, d_b_Q = _back(p.X, p.W_Q, d_Q, asks)
    by_keys, d_W_K, d_b_K = _back(p.context, p.W_K, _shared(d_K, p.group), asked)
    by_values, d_W_V, d_b_V = _back(p.context, p.W_V, _shared(d_V, p.group), asked)
    d_context = by_keys + by_values
    d_X = d_asking + d_context if context is None else d_asking
    return MultiheadGradients(d_X, d_context, d_W_Q, d_W_K, d_W_V, d_W_O, d_b_Q, d_b_K, d_b_V, d_b_O)


def _back(
    X: FloatArray, W: FloatArray, d_heads: FloatArray, used: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Back through a projection: to the tokens, the matrix and what was added.

    What a head does not use has a gradient of zero there, but may hold anything: it is left out of the sum.
    """
    each = blend(d_heads.mT, X[..., None, :, :], used[..., None, :])  # (..., heads, d, d_in)
    d_W = each.sum(axis=tuple(range(each.ndim - 3)))  # (heads, d, d_in)
    d_Y = join_heads(d_heads)  # (..., L, heads * d)
    return summed_to(X.shape, d_Y @ W.T), d_W.reshape(W.shape[::-1]).T, summed_to(W.shape[1:], d_Y)


def _shared(gradient: FloatArray, group: int) -> FloatArray:
    """Sum over the query heads that share a key and value head."""
    *leading, n_heads, L, d = gradient.shape
    return np.asarray(gradient.reshape(*leading, n_heads // group, group, L, d).sum(axis=-3))
