"""Two things called sinks: a score without a value, and the first keys, which stay in sight of a moving window."""

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._fit import broadcasts_to
from attnref._masks import Align, positions, window_mask
from attnref._options import how_many_keys
from attnref._results import Attention, BoolArray
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

    Differs from the attention sinks of Xiao et al. 2023, which are the first tokens of the text, with values of
    their own: their keys stay in sight when a window moves on. Those are a mask, `streaming_mask`.

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


def streaming_mask(
    L_q: int, L_k: int, left: int | None, first: int, *, align: Align = "bottom_right"
) -> BoolArray:
    r"""Let each query see a few keys before its own position, and the first keys of the text however far it is.

    $$ \text{query } i \text{ sees key } j \qquad \iff j \le p_i \qquad \text{and }\;
       (j \ge p_i - \text{left} \;\text{ or }\; j < \text{first}), \qquad p_i = i + L_k - L_q $$

    Parameters
    ----------
    L_q
        Number of queries.
    L_k
        Number of keys.
    left
        How many keys before its own position a query sees. None: all of them.
    first
        How many keys at the beginning stay in sight.
    align
        `"bottom_right"`: the last query stands at the last key. `"top_left"`: $p_i = i$.

    Returns
    -------
    BoolArray
        Shape `(L_q, L_k)`, True where a query may attend.

    Raises
    ------
    MaskError
        If `left` or `first` is negative or no integer.
    ShapeError
        If a length is negative or no integer.
    AttnRefError
        If `align` is none of its two words.

    Notes
    -----
    Cost: three comparisons for each pair.

    Differs from `window_mask` in the first keys, which trained models give much of their attention to: without
    them the rest of a row has to share it. Differs from `sink_attention`, whose sink is a learned score without
    a value. Positions are those of the whole text here; Xiao et al. 2023 count them within what is kept.

    Source: Xiao et al. 2023, Section 3.2.

    Examples
    --------
    One key to the left, and the first in sight of all:

    >>> print(streaming_mask(4, 4, left=1, first=1).astype(int))
    [[1 0 0 0]
     [1 1 0 0]
     [1 1 1 0]
     [1 0 1 1]]
    """
    queries, keys = positions(L_q, L_k, align)
    kept = (keys < how_many_keys("first", first)) & (keys <= queries)  # (L_q, L_k)
    return kept | window_mask(L_q, L_k, left, 0, align=align)
