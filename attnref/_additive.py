"""Attention before the transformer: scores from a small network, or from a product without a scale."""

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._fit import attention_shapes, has_shape, projects, token_shapes
from attnref._results import Attention, FloatArray
from attnref._softmax import softmax
from attnref._validate import as_bias, as_float, as_mask, widest_float


def additive_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    W_Q: npt.ArrayLike,
    W_K: npt.ArrayLike,
    w: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
) -> Attention:
    r"""Score each key with a small network that adds up query and key.

    $$ \text{score}_{ij} = w^\top \tanh(W_Q^\top q_i + W_K^\top k_j), \qquad
       \text{output}_i = \sum_j \operatorname{softmax}_j(\text{score}_{ij})\, v_j $$

    Parameters
    ----------
    Q
        Queries, shape `(..., L_q, d_q)`: in the paper the states of the decoder. Leading axes broadcast.
    K
        Keys, shape `(..., L_k, d_k)`: in the paper the states of the encoder. Their width may differ from the
        queries'.
    V
        Values, shape `(..., L_k, d_v)`: in the paper the keys themselves.
    W_Q
        Shape `(d_q, d_hidden)`.
    W_K
        Shape `(d_k, d_hidden)`.
    w
        What turns the hidden numbers into a score, shape `(d_hidden,)`.
    mask, bias
        As in `attention`: boolean, True where a query may attend; numbers that are added to the scores.

    Returns
    -------
    Attention
        `output`, shape `(..., L_q, d_v)`; `weights` and `scores`, shape `(..., L_q, L_k)`. All have the
        widest float dtype given, at least `float32`. A query that may attend to nothing has weights and
        output of zero.

    Raises
    ------
    ShapeError
        If the axes do not fit.
    MaskError
        If `mask` is not boolean or does not fit the scores.
    DtypeError
        If an array does not hold real numbers.

    Notes
    -----
    Cost: a hyperbolic tangent for each query, key and hidden number, on the order of
    $L_q L_k d_\text{hidden}$, and as much memory; a dot product needs no such array. There is no scale: the
    hyperbolic tangent keeps the hidden numbers between minus one and one.

    Differs from Keras' `AdditiveAttention`, which has neither of the two matrices: project before the call
    there. Adding a vector inside the network, as some do, is a bias of either projection and left out in the
    paper.

    Source: Bahdanau et al. 2014, Appendix A.1.2; the softmax: Bahdanau et al. 2014, equation 6; the blend:
    Bahdanau et al. 2014, equation 5.

    Examples
    --------
    Both keys are zero, so both scores are equal, and the output is the mean of the values:

    >>> print(additive_attention([[1]], [[0], [0]], [[2], [6]], [[1]], [[1]], [2]).output)
    [[4.]]

    The score itself, twice the hyperbolic tangent of one plus one:

    >>> print(additive_attention([[1]], [[1]], [[0]], [[1]], [[1]], [2]).scores.round(4))
    [[1.9281]]
    """
    dtype = widest_float(Q=Q, K=K, V=V, W_Q=W_Q, W_K=W_K, w=w, bias=bias)
    Q, K, V, W_Q, W_K, w = as_float(dtype, Q=Q, K=K, V=V, W_Q=W_Q, W_K=W_K, w=w)
    leading = token_shapes(Q, K, V)
    projects("W_Q", W_Q, Q.shape[-1], "the last axis of Q")
    has_shape("W_K", W_K, (K.shape[-1], W_Q.shape[1]), "the widths of K and of the hidden numbers of W_Q")
    has_shape("w", w, W_Q.shape[1:], "one number for each column of W_Q")
    Q, K = (np.broadcast_to(array, leading + array.shape[-2:]) for array in (Q, K))
    with np.errstate(all="ignore"):  # a masked key may hold anything
        hidden = np.tanh((Q @ W_Q)[..., :, None, :] + (K @ W_K)[..., None, :, :])  # (..., L_q, L_k, d_hidden)
        scores = np.asarray(hidden @ w)  # (..., L_q, L_k)
    return _choose(scores, V, mask, bias)


def luong_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    W: npt.ArrayLike | None = None,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
) -> Attention:
    r"""Score each key by its product with the query, plain or through a matrix, without a scale.

    $$ \text{score}_{ij} = q_i^\top k_j \quad \text{("dot")}, \qquad
       \text{score}_{ij} = q_i^\top W k_j \quad \text{("general")} $$

    Parameters
    ----------
    Q
        Queries, shape `(..., L_q, d_q)`. Leading axes broadcast.
    K
        Keys, shape `(..., L_k, d_k)`.
    V
        Values, shape `(..., L_k, d_v)`: in the paper the keys themselves.
    W
        Shape `(d_q, d_k)`, the paper's "general" score. None: its "dot" score, where `d_q` equals `d_k`.
    mask, bias
        As in `attention`: boolean, True where a query may attend; numbers that are added to the scores.

    Returns
    -------
    Attention
        As from `additive_attention`.

    Raises
    ------
    ShapeError
        If the axes do not fit.
    MaskError
        If `mask` is not boolean or does not fit the scores.
    DtypeError
        If an array does not hold real numbers.

    Notes
    -----
    Cost: on the order of $L_q L_k d_k$ multiplications, and one product with `W`.

    Differs from `attention` in the scale alone, which is one here: with wide keys the scores grow and the
    softmax saturates. The paper's third score, "concat", is `additive_attention`: one matrix on query and key
    side by side is two matrices.

    Source: Luong et al. 2015, Section 3.1.

    Examples
    --------
    The query is the logarithm of three and the keys are one and zero, so the shares are three to one:

    >>> print(luong_attention([[np.log(3)]], [[1], [0]], [[8], [0]]).output)
    [[6.]]
    """
    dtype = widest_float(Q=Q, K=K, V=V, W=W, bias=bias)
    Q, K, V = as_float(dtype, Q=Q, K=K, V=V)
    if W is None:
        leading = attention_shapes(Q, K, V)
    else:
        leading = token_shapes(Q, K, V)
        W = as_float(dtype, W=W)[0]
        has_shape("W", W, (Q.shape[-1], K.shape[-1]), "the widths of Q and of K")
        Q = np.asarray(Q @ W)  # (..., L_q, d_k)
    Q, K = (np.broadcast_to(array, leading + array.shape[-2:]) for array in (Q, K))
    with np.errstate(all="ignore"):  # a masked key may hold anything
        scores = np.asarray(Q @ K.mT)  # (..., L_q, L_k)
    return _choose(scores, V, mask, bias)


def _choose(
    scores: FloatArray, V: FloatArray, mask: npt.ArrayLike | None, bias: npt.ArrayLike | None
) -> Attention:
    """From scores to weights to the blend, as in every form."""
    logits, allowed = scores, np.ones(scores.shape, dtype=bool)
    if bias is not None:
        bias = as_bias(bias, scores.dtype, scores.shape)
        logits, allowed = logits + bias, allowed & (bias != -np.inf)
    if mask is not None:
        allowed = allowed & as_mask(mask, scores.shape)
    weights = softmax(np.where(allowed, logits, -np.inf))
    return Attention(blend(weights, V, allowed), weights, scores)
