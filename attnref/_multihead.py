"""Several heads: project, split, attend in each, join, project back."""

import numpy as np
import numpy.typing as npt

from attnref._attention import Window, attention
from attnref._heads import join_heads, split_heads
from attnref._parameters import Parameters, affine
from attnref._results import MultiheadAttention


def multihead_attention(
    X: npt.ArrayLike,
    W_Q: npt.ArrayLike,
    W_K: npt.ArrayLike,
    W_V: npt.ArrayLike,
    W_O: npt.ArrayLike,
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
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> MultiheadAttention:
    r"""Attend several times side by side, each time with projections of its own, and join the results.

    $$ \operatorname{multihead}(X) = [\, \text{head}_h \,]_h\, W_O, \qquad
       \text{head}_h = \operatorname{attention}(X W_Q^h,\; C W_K^{g(h)},\; C W_V^{g(h)}) $$

    $C$ is the context, $W^h$ the columns of a matrix that belong to head $h$, and $g(h)$ the key and value
    head that serves query head $h$: $h$ divided by the number of query heads for each, rounded down.

    Parameters
    ----------
    X
        The tokens that ask, shape `(..., L_q, d_model)`.
    W_Q
        Shape `(d_model, n_heads * d_k)`.
    W_K
        Shape `(d_context, n_kv_heads * d_k)`.
    W_V
        Shape `(d_context, n_kv_heads * d_v)`.
    W_O
        Shape `(n_heads * d_v, d_out)`.
    n_heads
        Number of query heads.
    n_kv_heads
        Number of key and value heads, a divisor of `n_heads`. None: as many as query heads, the paper's
        choice. One: multi-query attention; between the two: grouped-query attention.
    context
        The tokens that are asked (cross-attention), shape `(..., L_k, d_context)`. None: `X` itself
        (self-attention).
    b_Q, b_K, b_V, b_O
        What is added after each projection, one number for each column. None: nothing, the paper's choice.
    mask
        As in `attention`; it lies on `(..., n_heads, L_q, L_k)`. A mask for each sequence needs an axis for
        the heads, `mask[:, None]`.
    bias
        As in `attention`, on the same axes.
    causal, window, scale, softcap
        As in `attention`. A scale of None is one over the square root of the width of one head.

    Returns
    -------
    MultiheadAttention
        `output`, shape `(..., L_q, d_out)`; `weights` and `scores`, shape `(..., n_heads, L_q, L_k)`, one map
        for each head; `heads`, shape `(..., n_heads, L_q, d_v)`. All have the widest float dtype given, at
        least `float32`.

    Raises
    ------
    ShapeError
        If a matrix does not fit the tokens or cannot be cut into that many heads.
    MaskError, DtypeError, AttnRefError
        As in `attention`.

    Notes
    -----
    Cost: that of `attention` for each head, and four projections, on the order of
    $L\, d_\text{model}\, n_\text{heads}\, d_k$ multiplications each. Fewer key and value heads save memory
    for keys and values, not comparisons: here they are repeated before the heads attend.

    Differs from `torch.nn.MultiheadAttention`, which expects `(L, batch, d_model)` unless told otherwise,
    hides a key where its mask is True, and returns the weights averaged over the heads.

    Source: Vaswani et al. 2017, Section 3.2.2; shared heads: Shazeer 2019, Section 3; Ainslie et al. 2023,
    Section 2.2.

    Examples
    --------
    Two heads of width one. Queries of zero compare nothing, so each head takes the mean of its own number:

    >>> X, zero, same = [[2, 10], [4, 30]], np.zeros((2, 2)), np.eye(2)
    >>> print(multihead_attention(X, zero, same, same, same, n_heads=2).output)
    [[ 3. 20.]
     [ 3. 20.]]
    """
    p = Parameters.read(
        X, W_Q, W_K, W_V, W_O, n_heads=n_heads, n_kv_heads=n_kv_heads, context=context,
        b_Q=b_Q, b_K=b_K, b_V=b_V, b_O=b_O, bias=bias,
    )  # fmt: skip
    Q = split_heads(affine(p.X, p.W_Q, p.b_Q), p.n_heads)  # (..., n_heads, L_q, d_k)
    K = split_heads(affine(p.context, p.W_K, p.b_K), p.n_kv_heads)  # (..., n_kv_heads, L_k, d_k)
    V = split_heads(affine(p.context, p.W_V, p.b_V), p.n_kv_heads)  # (..., n_kv_heads, L_k, d_v)
    K, V = (np.repeat(array, p.group, axis=-3) for array in (K, V))  # query head h reads h // group
    heads, weights, scores = attention(
        Q, K, V, mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap
    )
    output = affine(join_heads(heads), p.W_O, p.b_O)  # (..., L_q, d_out)
    return MultiheadAttention(output, weights, scores, heads)
