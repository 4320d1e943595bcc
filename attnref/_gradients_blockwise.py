"""The way back through attention in blocks: the weights are computed anew, never kept."""

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._fit import has_shape, summed_to
from attnref._options import count
from attnref._results import BlockwiseGradients
from attnref._scoring import Scoring
from attnref._validate import as_float


def blockwise_gradients(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    d_output: npt.ArrayLike,
    result: tuple[npt.ArrayLike, npt.ArrayLike],
    *,
    block_size: int = 128,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> BlockwiseGradients:
    r"""Go back through attention block by block of keys, without ever holding all the weights.

    The weights of a block come back from the scores $s$ and the logarithm of the normalizer, and the sum that
    the softmax's gradient needs over a whole row comes from the output alone:

    $$ P_{ij} = e^{s_{ij} - \ln Z_i}, \qquad
       \sum_j P_{ij}\, \partial P_{ij} = \sum_c \partial O_{ic}\, O_{ic} $$

    Parameters
    ----------
    Q, K, V
        As in `blockwise_attention`, shapes `(..., L_q, d_k)`, `(..., L_k, d_k)` and `(..., L_k, d_v)`.
    d_output
        The gradient of the loss with respect to the output, shape `(..., L_q, d_v)`.
    result
        What `blockwise_attention` returned for the same arguments: the output, `(..., L_q, d_v)`, and the
        log-normalizer, `(..., L_q)`.
    block_size
        How many keys are taken at a time. It need not be that of the way forward.
    mask, bias, causal, window, scale, softcap
        The options that the result was computed with.

    Returns
    -------
    BlockwiseGradients
        `d_Q`, `d_K` and `d_V`, in the shapes of `Q`, `K` and `V`, equal to those of `attention_gradients` up
        to rounding, in the widest float dtype given, at least `float32`.

    Raises
    ------
    ShapeError, MaskError, DtypeError, AttnRefError
        As in `attention_gradients`; `ShapeError` too if `result` does not fit.

    Notes
    -----
    Cost: five products of the size of those in `attention`, one of them to compute the scores again; the
    memory for scores grows with $L_q$ times the block size instead of $L_q L_k$.

    The sum over a row holds for the whole row only: from the keys of one block it would be another number.

    Source: Dao et al. 2022, Algorithm 4.

    Examples
    --------
    Two keys that match equally, one at a time. Each value gets half of the output's gradient:

    >>> Q, K, V = [[0]], [[1], [-1]], [[4], [0]]
    >>> there = blockwise_attention(Q, K, V, block_size=1)
    >>> print(blockwise_gradients(Q, K, V, [[1]], there, block_size=1).d_V.round(6))
    [[0.5]
     [0.5]]
    """
    output, log_normalizer = result
    given = {"d_output": d_output, "result.output": output, "result.log_normalizer": log_normalizer}
    scoring = Scoring.read(
        Q, K, V, also=given,
        mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap,
    )  # fmt: skip
    d_output, output, log_normalizer = as_float(scoring.dtype, **given)
    queries = (*scoring.leading, scoring.Q.shape[-2])
    has_shape("d_output", d_output, (*queries, scoring.V.shape[-1]), "that of the output")
    has_shape("result.output", output, d_output.shape, "that of d_output")
    has_shape("result.log_normalizer", log_normalizer, queries, "one for each query")
    shift = np.where(log_normalizer == -np.inf, 0, log_normalizer)[..., None]  # (..., L_q, 1)
    through_rows = np.sum(d_output * output, axis=-1, keepdims=True)  # (..., L_q, 1)
    d_Q = np.zeros(scoring.Q.shape, dtype=scoring.dtype)
    d_K, d_V = (np.zeros(scoring.leading + x.shape[-2:], dtype=scoring.dtype) for x in (scoring.K, scoring.V))
    block_size = count("block_size", block_size)
    for start in range(0, d_K.shape[-2], block_size):
        keys = slice(start, start + block_size)
        block = scoring.of(keys)
        with np.errstate(all="ignore"):  # a masked value may hold anything
            weights = np.exp(block.logits - shift)  # (..., L_q, keys)
            d_weights = d_output @ scoring.V[..., keys, :].mT  # (..., L_q, keys)
            d_dots = np.where(block.allowed, weights * (d_weights - through_rows) * block.slope, 0)
        d_V[..., keys, :] = blend(weights.mT, d_output, block.allowed.mT)
        d_K[..., keys, :] = blend(d_dots.mT, scoring.Q, block.allowed.mT)
        d_Q += blend(d_dots, scoring.K[..., keys, :], block.allowed)
    return BlockwiseGradients(
        summed_to(np.shape(Q), d_Q), summed_to(np.shape(K), d_K), summed_to(np.shape(V), d_V)
    )
