"""Keys and values that are made of one short vector a token, so that a cache keeps that vector alone."""

import numpy as np
import numpy.typing as npt

from attnref._attention import Window, attention
from attnref._errors import ShapeError
from attnref._fit import has_shape, needs_axes, projects, same_width
from attnref._heads import split_heads
from attnref._options import flag, scale_factor
from attnref._results import FloatArray
from attnref._results_forms import LatentAttention
from attnref._validate import as_float, refuse, widest_float


def latent_attention(
    Q: npt.ArrayLike,
    Q_rope: npt.ArrayLike,
    C: npt.ArrayLike,
    K_rope: npt.ArrayLike,
    W_UK: npt.ArrayLike,
    W_UV: npt.ArrayLike,
    *,
    absorbed: bool = False,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> LatentAttention:
    r"""Make the keys and values of all heads from one latent vector a token, beside one key that is rotated.

    $$ s_{ij}^h = \alpha \left( q_i^h \cdot (c_j W_{UK}^h) + \tilde q_i^h \cdot \tilde k_j \right), \qquad
       o_i^h = \sum_j P_{ij}^h\, c_j W_{UV}^h $$

    Absorbed, the matrices move to the other side, and no key or value of a head is ever made:

    $$ s_{ij}^h = \alpha \left( (q_i^h {W_{UK}^h}^\top) \cdot c_j + \tilde q_i^h \cdot \tilde k_j \right),
       \qquad o_i^h = \Big( \sum_j P_{ij}^h\, c_j \Big) W_{UV}^h $$

    Parameters
    ----------
    Q
        The part of the queries that is not rotated, shape `(..., n_heads, L_q, d_k)`.
    Q_rope
        The part that is, rotated already, shape `(..., n_heads, L_q, d_rope)`.
    C
        The latent vectors, shape `(..., L_k, d_c)`: all heads share them.
    K_rope
        The rotated keys, shape `(..., L_k, d_rope)`: all heads share them too.
    W_UK
        Makes the keys, shape `(d_c, n_heads * d_k)`.
    W_UV
        Makes the values, shape `(d_c, n_heads * d_v)`.
    absorbed
        True: compute by the second pair of equations. It changes the result by rounding alone.
    mask, bias, causal, window, softcap
        As in `attention`, on `(..., n_heads, L_q, L_k)`.
    scale
        None: one over the square root of $d_k + d_\text{rope}$, absorbed or not.

    Returns
    -------
    LatentAttention
        `output`, shape `(..., n_heads, L_q, d_v)`; `weights` and `scores`, shape `(..., n_heads, L_q, L_k)`.
        The dtype is the widest float given, at least `float32`.

    Raises
    ------
    ShapeError
        If the axes do not fit, or a matrix cannot be cut into that many heads.
    MaskError, DtypeError, AttnRefError
        As in `attention`.

    Notes
    -----
    Cost: a cache keeps $d_c + d_\text{rope}$ numbers a token, whatever the number of heads. Expanded, keys and
    values are made anew, $L_k d_c (d_k + d_v)$ multiplications for each head; absorbed, each comparison takes
    $d_c + d_\text{rope}$ instead of $d_k + d_\text{rope}$, which is less where few queries ask, as when text is
    generated.

    Differs from a scale of one over the square root of $d_c + d_\text{rope}$, the width of what is compared
    when absorbed: the scale belongs to the model, not to the order of its products.

    Source: DeepSeek-AI 2024, Section 2.1.2; the rotated part: DeepSeek-AI 2024, Section 2.1.3.

    Examples
    --------
    One head; the queries compare nothing, so the output is the mean of the values, twice the latent numbers:

    >>> zero = np.zeros((1, 1, 1))
    >>> result = latent_attention(zero, zero, [[1], [5]], [[0], [0]], [[1]], [[2]])
    >>> print(result.output, result.weights)
    [[[6.]]] [[[0.5 0.5]]]
    """
    given = {"Q": Q, "Q_rope": Q_rope, "C": C, "K_rope": K_rope, "W_UK": W_UK, "W_UV": W_UV}
    dtype = widest_float(**given, bias=bias)
    Q, Q_rope, C, K_rope, W_UK, W_UV = as_float(dtype, **given)
    _fit(Q, Q_rope, C, K_rope)
    n_heads = Q.shape[-3]
    same_width("d_k", Q=Q.shape[-1], W_UK=projects("W_UK", W_UK, C.shape[-1], "the last axis of C", n_heads))
    projects("W_UV", W_UV, C.shape[-1], "the last axis of C", n_heads)
    scale = scale_factor(scale, Q.shape[-1] + Q_rope.shape[-1])
    K_rope = K_rope[..., None, :, :]  # (..., 1, L_k, d_rope)
    W_UV_heads = split_heads(W_UV, n_heads)  # (n_heads, d_c, d_v)
    with np.errstate(all="ignore"):  # a masked token may hold anything
        if flag("absorbed", absorbed):
            Q = Q @ split_heads(W_UK, n_heads).mT  # (..., n_heads, L_q, d_c)
            K = V = C[..., None, :, :]  # (..., 1, L_k, d_c)
        else:
            K, V = split_heads(C @ W_UK, n_heads), split_heads(C @ W_UV, n_heads)  # (..., n_heads, L_k, d)
    result = attention(
        _beside(Q, Q_rope), _beside(K, K_rope), V,
        mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap,
    )  # fmt: skip
    output = result.output @ W_UV_heads if absorbed else result.output  # (..., n_heads, L_q, d_v)
    return LatentAttention(output, result.weights, result.scores)


def _beside(left: FloatArray, right: FloatArray) -> FloatArray:
    """Two parts of the same tokens, one behind the other on the last axis."""
    leading = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    parts = [np.broadcast_to(part, leading + part.shape[-2:]) for part in (left, right)]
    return np.concatenate(parts, axis=-1)


def _fit(Q: FloatArray, Q_rope: FloatArray, C: FloatArray, K_rope: FloatArray) -> None:
    needs_axes("Q", Q, "n_heads", "L_q", "d_k")
    needs_axes("C", C, "L_k", "d_c")
    has_shape(
        "Q_rope", Q_rope, (*Q.shape[:-1], Q_rope.shape[-1] if Q_rope.ndim else 0), "like Q but for d_rope"
    )
    d_rope = Q_rope.shape[-1]
    has_shape("K_rope", K_rope, (*C.shape[:-1], d_rope), "like C but for d_rope, the last axis of Q_rope")
    try:
        np.broadcast_shapes(Q.shape[:-3], C.shape[:-2])
    except ValueError:
        rule = f"its axes before the last two must fit those of Q, shape {Q.shape}, before the last three"
        refuse(ShapeError, f"C has shape {C.shape}", rule, "C has no axis for the heads: they share it")
