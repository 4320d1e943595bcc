"""A sink: a score that competes in the softmax and has no value, so that a query may leave some of it."""

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._fit import broadcasts_to
from attnref._results import Attention
from attnref._scoring import Scoring
from attnref._softmax import softmax
from attnref._validate import as_float


def sink_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    sink: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Attention:
    r"""Let each query leave a share of its attention to nothing, by a score that stands beside those of the
    keys.

    $$ P_{ij} = \frac{e^{s_{ij}}}{e^{z} + \sum_l e^{s_{il}}}, \qquad \text{output}_i = \sum_j P_{ij} v_j $$

    where $s$ are the scores after all that is laid over them, and $z$ is the sink.

    Parameters
    ----------
    Q, K, V
        As in `attention`, shapes `(..., L_q, d_k)`, `(..., L_k, d_k)` and `(..., L_k, d_v)`.
    sink
        The score that has no value, a learned number for each head: its shape broadcasts to the leading axes,
        such as `(n_heads,)`. It is not scaled, capped, biased or masked. Minus infinity: no sink. Zero:
        "softmax off by one".
    mask, bias, causal, window, scale, softcap
        As in `attention`.

    Returns
    -------
    Attention
        As from `attention`, but the weights of a row sum to less than one; what is missing went to the sink.
        A query that may attend to nothing has weights and output of zero.

    Raises
    ------
    ShapeError
        If `sink` does not fit the leading axes; otherwise as in `attention`.
    MaskError, DtypeError, AttnRefError
        As in `attention`.

    Notes
    -----
    Cost: that of `attention`, and one more exponential for each query.

    The output is that of `attention` times a number between zero and one, the logistic function of the
    log-normalizer less the sink. Where keys are cut up and merged, the sink counts once, not once for each
    part.

    Differs from the attention sinks of Xiao et al. 2023, which are the first tokens of the text: their keys
    are kept when a window moves on. Those are a mask.

    Source: OpenAI 2025, where each head learns its sink.

    Examples
    --------
    Four keys and a sink, all with a score of zero, share equally, so four fifths arrive:

    >>> result = sink_attention(np.zeros((1, 1)), np.zeros((4, 1)), np.ones((4, 1)), sink=0)
    >>> print(result.weights)
    [[0.2 0.2 0.2 0.2]]
    >>> print(result.output)
    [[0.8]]
    """
    scoring = Scoring.read(
        Q, K, V, also={"sink": sink},
        mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap,
    )  # fmt: skip
    sink = as_float(scoring.dtype, sink=sink)[0]
    broadcasts_to("sink", sink, scoring.leading, "the axes of Q, K and V before the last two")
    block = scoring.of()
    beside = np.broadcast_to(sink[..., None, None], (*block.logits.shape[:-1], 1))
    shares = softmax(np.concatenate([block.logits, beside], axis=-1))  # (..., L_q, L_k + 1)
    weights = shares[..., :-1].copy()  # (..., L_q, L_k)
    return Attention(blend(weights, scoring.V, block.allowed), weights, block.scores)
