"""Attention as the equation has it: the definition that every other form is tested against."""

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._fit import attention_shapes
from attnref._masks import causal_mask, window_mask
from attnref._options import flag, number, scale_factor, span
from attnref._results import Attention, FloatArray
from attnref._softmax import softmax
from attnref._validate import as_bias, as_float, as_mask, widest_float

Window = tuple[int | None, int | None]


def attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Attention:
    r"""Let each query blend the values, by how well it matches their keys.

    $$ \operatorname{attention}(Q, K, V)
       = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V $$

    The options come in, in this order: scale, softcap, bias, mask, softmax, blend.

    Parameters
    ----------
    Q
        Queries, shape `(..., L_q, d_k)`. Leading axes (batch, heads) of all arrays broadcast.
    K
        Keys, shape `(..., L_k, d_k)`.
    V
        Values, shape `(..., L_k, d_v)`.
    mask
        Boolean, True where a query may attend to a key. It broadcasts to `(..., L_q, L_k)` and adds no axis.
        None: every query may attend to every key.
    bias
        Numbers added to the scores after scale and softcap, of a shape like that of `mask`. They are not
        scaled. An entry of minus infinity is the same as a mask of False. None: nothing is added.
    causal
        True: query $i$ sees key $j$ only where $j \le i + L_k - L_q$, so the last query lines up with the
        last key.
    window
        A pair `(left, right)`: each query sees that many keys to either side of its own position and that
        position itself, lined up as with `causal`. None on a side: no bound there. None: no window.
    scale
        What the dot products are multiplied by. None: the paper's choice, one over the square root of $d_k$.
    softcap
        A bound $c$: each score $s$ becomes $c \tanh(s / c)$. None: no bound.

    Returns
    -------
    Attention
        `output`, shape `(..., L_q, d_v)`; `weights` and `scores`, shape `(..., L_q, L_k)`. All three have the
        dtype that was computed in: the widest float given, at least `float32` (so `float16` comes back as
        `float32`; integers count as `float64`).

    Raises
    ------
    ShapeError
        If the axes do not fit, or if there is no $d_k$ to take the scale from.
    MaskError
        If `mask` is not boolean or does not fit the scores, or `window` is no pair of counts.
    DtypeError
        If an array does not hold real numbers.
    AttnRefError
        If `scale` or `softcap` is out of range.

    Notes
    -----
    Where `mask`, `bias`, `causal` and `window` are given together, a query sees a key only if all of them
    allow it. A query that may attend to nothing has weights of zero and an output of zero.
    NaN or infinity in a key or value that a query may not attend to never reaches that query's weights and
    output; in one that it may attend to, it does. `scores` shows what was compared before any mask, NaN
    included.

    Cost: on the order of $L_q L_k (d_k + d_v)$ multiplications, and two arrays of $L_q L_k$ numbers
    for each leading index, which `blockwise_attention` does without.

    Differs from PyTorch's `scaled_dot_product_attention` and `jax.nn.dot_product_attention`, which with
    `is_causal` line up the first query with the first key, and which let NaN in a masked value through.
    Differs from JAX, Keras and MLX, which give an empty row of a boolean mask the mean of all values.
    Differs from `torch.nn.MultiheadAttention`, where True in a boolean mask hides a key.

    Source: Vaswani et al. 2017, equation 1; the softcap: Gemma Team 2024, Section 2.

    Examples
    --------
    Both keys match the query equally well, so each value has half a say:

    >>> result = attention([[5, 1]], [[2, 0], [2, 0]], [[2, 40], [6, 80]])
    >>> print(result.weights)
    [[0.5 0.5]]
    >>> print(result.output)
    [[ 4. 60.]]

    The first token may see itself alone:

    >>> print(attention(np.zeros((2, 1)), np.zeros((2, 1)), [[2], [6]], causal=True).output)
    [[2.]
     [4.]]
    """
    dtype = widest_float(Q=Q, K=K, V=V, bias=bias)
    Q, K, V = as_float(dtype, Q=Q, K=K, V=V)
    leading = attention_shapes(Q, K, V)
    L_q, L_k = Q.shape[-2], K.shape[-2]
    factor = scale_factor(scale, Q.shape[-1])
    Q, K = (np.broadcast_to(array, leading + array.shape[-2:]) for array in (Q, K))
    with np.errstate(all="ignore"):  # a masked key may hold anything; what is not finite shows in the result
        scores = (Q @ K.mT) * factor  # (..., L_q, L_k)
        logits = scores if softcap is None else capped(scores, number("softcap", softcap, positive=True))
        allowed = np.ones((L_q, L_k), dtype=bool)
        if bias is not None:
            bias = as_bias(bias, dtype, scores.shape)
            logits = logits + bias
            allowed = allowed & (bias != -np.inf)
    if mask is not None:
        allowed = allowed & as_mask(mask, scores.shape)
    if flag("causal", causal):
        allowed = allowed & causal_mask(L_q, L_k)
    if window is not None:
        allowed = allowed & window_mask(L_q, L_k, *span(window))
    weights = softmax(np.where(allowed, logits, -np.inf))
    return Attention(blend(weights, V, allowed), weights, scores)


def capped(scores: FloatArray, softcap: float) -> FloatArray:
    """Bend the scores so that none passes the bound."""
    bent: FloatArray = softcap * np.tanh(scores / softcap)
    return bent
