"""A whole block: several heads, a feed-forward network, a way around each, and a norm before or after."""

from typing import Literal, NamedTuple

import numpy.typing as npt

from attnref._attention import Window
from attnref._feed_forward import Activation, feed_forward
from attnref._fit import has_shape, leads_back, needs_axes
from attnref._multihead import multihead_attention
from attnref._norms import layer_norm
from attnref._options import choice
from attnref._results import FloatArray, TransformerBlock
from attnref._validate import as_float, widest_float

Order = Literal["post", "pre"]


class BlockParameters(NamedTuple):
    """What a block has learned. Vectors that are None are left out."""

    W_Q: npt.ArrayLike
    """As in `multihead_attention`, and so the next three; `W_O` leads back to `d_model`."""

    W_K: npt.ArrayLike
    W_V: npt.ArrayLike
    W_O: npt.ArrayLike

    W_in: npt.ArrayLike
    """As in `feed_forward`, and so the next one, which leads back to `d_model`."""

    W_out: npt.ArrayLike

    b_Q: npt.ArrayLike | None = None
    """What is added after a product, one number for each column; likewise the next five."""

    b_K: npt.ArrayLike | None = None
    b_V: npt.ArrayLike | None = None
    b_O: npt.ArrayLike | None = None
    b_in: npt.ArrayLike | None = None
    b_out: npt.ArrayLike | None = None

    gain_heads: npt.ArrayLike | None = None
    """Gain of the norm that belongs to the heads, shape `(d_model,)`; then its shift."""

    shift_heads: npt.ArrayLike | None = None

    gain_feed: npt.ArrayLike | None = None
    """Gain of the norm that belongs to the feed-forward network, shape `(d_model,)`; then its shift."""

    shift_feed: npt.ArrayLike | None = None


def transformer_block(
    X: npt.ArrayLike,
    parameters: BlockParameters,
    *,
    n_heads: int,
    n_kv_heads: int | None = None,
    order: Order = "post",
    activation: Activation | None = None,
    eps: float = 1e-5,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: Window | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> TransformerBlock:
    r"""Let tokens look at each other, then think by themselves, each time adding to what they were.

    With $h$ for the heads, $f$ for the feed-forward network and $n$ for the norms, post-norm and pre-norm are

    $$ Y = n(X + h(X)), \qquad \text{output} = n(Y + f(Y)); \qquad
       Y = X + h(n(X)), \qquad \text{output} = Y + f(n(Y)) $$

    Parameters
    ----------
    X
        Tokens, shape `(..., L, d_model)`.
    parameters
        What the block has learned: `BlockParameters`.
    n_heads, n_kv_heads
        As in `multihead_attention`.
    order
        `"post"`, the paper's choice: norm after the addition. `"pre"`: norm on the way in, nothing on the way
        around.
    activation
        As in `feed_forward`. None: relu, the paper's choice.
    eps
        As in `layer_norm`.
    mask, bias, causal, window, scale, softcap
        As in `multihead_attention`. With `causal=True` it is the block of a language model.

    Returns
    -------
    TransformerBlock
        `output`, shape `(..., L, d_model)`, and `attention`, what `multihead_attention` found on the way. All
        have the widest float dtype given, at least `float32`.

    Raises
    ------
    ShapeError
        If a matrix or vector does not fit, or a part does not lead back to `d_model`.
    MaskError, DtypeError, AttnRefError
        As in `multihead_attention`; `AttnRefError` too if `order` is none of its two words.

    Notes
    -----
    Cost: that of `multihead_attention` and `feed_forward`. There is no dropout: this is the block as it is
    used, not as it is trained.

    Differs in order from model to model: BERT is post-norm, GPT from the second on and Llama are pre-norm,
    with one more norm after the last block.

    Source: Vaswani et al. 2017, Section 3.1; pre-norm: Xiong et al. 2020, Section 3.

    Examples
    --------
    Heads and network that give zero leave pre-norm tokens as they were:

    >>> zero = np.zeros((2, 2))
    >>> nothing = BlockParameters(zero, zero, zero, zero, zero, zero)
    >>> print(transformer_block([[3, 7]], nothing, n_heads=1, order="pre").output)
    [[3. 7.]]
    """
    p = parameters
    given = {name: x for name, x in p._asdict().items() if x is not None}
    dtype = widest_float(X=X, **given, bias=bias)
    X = as_float(dtype, X=X)[0]
    needs_axes("X", X, "L", "d_model")
    leads_back("W_O", p.W_O, X)
    leads_back("W_out", p.W_out, X)
    norms = {name: x for name, x in given.items() if name.startswith(("gain", "shift"))}
    for name, vector in zip(norms, as_float(dtype, **norms), strict=True):
        has_shape(name, vector, X.shape[-1:], "one number for each of a token's")
    before = choice("order", order, ("post", "pre")) == "pre"

    def norm_heads(tokens: FloatArray) -> FloatArray:
        return layer_norm(tokens, p.gain_heads, p.shift_heads, eps=eps)

    def norm_feed(tokens: FloatArray) -> FloatArray:
        return layer_norm(tokens, p.gain_feed, p.shift_feed, eps=eps)

    attended = multihead_attention(
        norm_heads(X) if before else X, p.W_Q, p.W_K, p.W_V, p.W_O,
        n_heads=n_heads, n_kv_heads=n_kv_heads, b_Q=p.b_Q, b_K=p.b_K, b_V=p.b_V, b_O=p.b_O,
        mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap,
    )  # fmt: skip
    added = X + attended.output  # (..., L, d_model)
    Y = added if before else norm_heads(added)
    thought = feed_forward(
        norm_feed(Y) if before else Y, p.W_in, p.W_out, b_in=p.b_in, b_out=p.b_out, activation=activation
    )
    output = Y + thought  # (..., L, d_model)
    return TransformerBlock(output if before else norm_feed(output), attended)
