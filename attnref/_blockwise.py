"""Attention a few keys at a time, and answers from separate keys merged. Knows nothing of the definition."""

import numpy as np
import numpy.typing as npt

from attnref._fit import as_pairs, same_parts
from attnref._options import count
from attnref._results import BlockwiseAttention
from attnref._running import Running
from attnref._scoring import Scoring
from attnref._softmax import softmax
from attnref._validate import as_float, widest_float


def blockwise_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    *,
    block_size: int = 128,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    causal: bool = False,
    window: tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> BlockwiseAttention:
    r"""Compute attention block by block of keys, without ever holding all the weights.

    For each query three things are kept: the greatest score so far, $m$; the sum of the exponentials so far,
    $Z$; the blend so far, $o$. A block with scores $s_j$ and values $v_j$ changes them to

    $$ m' = \max(m, \max_j s_j), \qquad Z' = e^{m - m'} Z + \sum_j e^{s_j - m'}, \qquad
       o' = e^{m - m'} o + \sum_j e^{s_j - m'} v_j $$

    and at the end the output is $o / Z$ and the logarithm of the normalizer $m + \ln Z$.

    Parameters
    ----------
    Q
        Queries, shape `(..., L_q, d_k)`.
    K
        Keys, shape `(..., L_k, d_k)`.
    V
        Values, shape `(..., L_k, d_v)`.
    block_size
        How many keys are compared at a time. It changes the result by rounding alone. The last block may be
        shorter.
    mask, bias, causal, window, scale, softcap
        As in `attention`.

    Returns
    -------
    BlockwiseAttention
        `output`, shape `(..., L_q, d_v)`, equal to that of `attention` up to rounding; `log_normalizer`,
        shape `(..., L_q)`, which `merge` needs. Both in the widest float dtype given, at least `float32`. A
        query that may attend to nothing has an output of zero and a log-normalizer of minus infinity.

    Raises
    ------
    ShapeError, MaskError, DtypeError, AttnRefError
        As in `attention`; `ShapeError` too if `block_size` is no count.

    Notes
    -----
    Cost: as many multiplications as `attention`, and one more exponential for each query and block; the
    memory for scores grows with $L_q$ times the block size instead of $L_q L_k$. Queries are not cut into
    blocks here; a kernel does that too, so that both fit into fast memory.

    Differs from kernels that start the running maximum at a large negative number instead of minus infinity:
    there, a row whose scores all lie below that number is lost.

    Source: Dao et al. 2022, Algorithm 1; the running maximum and sum: Milakov and Gimelshein 2018, Algorithm
    3.

    Examples
    --------
    Four keys that match equally, one at a time; the normalizer counts them:

    >>> result = blockwise_attention(np.zeros((1, 1)), np.zeros((4, 1)), [[1], [2], [3], [6]], block_size=1)
    >>> print(result.output)
    [[3.]]
    >>> print(np.exp(result.log_normalizer).round(6))
    [4.]
    """
    scoring = Scoring.read(
        Q, K, V, mask=mask, bias=bias, causal=causal, window=window, scale=scale, softcap=softcap
    )
    Q, K, V = scoring.Q, scoring.K, scoring.V
    block_size = count("block_size", block_size)
    so_far = Running.nothing((*scoring.leading, Q.shape[-2]), V.shape[-1], scoring.dtype)
    for start in range(0, K.shape[-2], block_size):
        keys = slice(start, start + block_size)
        block = scoring.of(keys)
        so_far = so_far.and_block(block.logits, V[..., keys, :], block.allowed)
    return so_far.result()


def merge(*parts: tuple[npt.ArrayLike, npt.ArrayLike]) -> BlockwiseAttention:
    r"""Merge the answers that the same queries got from separate sets of keys.

    $$ \ln Z = \ln \sum_p e^{\ln Z_p}, \qquad o = \sum_p \frac{Z_p}{Z}\, o_p $$

    Each part $p$ counts by its share of the normalizer, so parts are blended as keys are.

    Parameters
    ----------
    *parts
        Results of `blockwise_attention`, or pairs of an output `(..., L_q, d_v)` and a log-normalizer
        `(..., L_q)`. The parts have the same shapes and share no key.

    Returns
    -------
    BlockwiseAttention
        What one call with all the keys would have given, up to rounding, in the widest float dtype given.
        Merging in any order or grouping gives the same.

    Raises
    ------
    ShapeError
        If no part is given, or parts differ in shape.
    DtypeError
        If a part does not hold real numbers.

    Notes
    -----
    Cost: one exponential for each query and part, one multiplication for each entry of each output.

    The options `causal` and `window` line up the last query with the last key *given*: where keys are cut up,
    lay a mask over all of them instead and cut it up alike.

    Differs from adding the outputs or taking their mean, which would give parts with few keys as much say as
    parts with many.

    Source: Dao et al. 2022, Algorithm 1, where parts are merged one after the other.

    Examples
    --------
    One part found four equal keys with a mean of three, the other a single key with a value of eight:

    >>> merged = merge(([[3]], [np.log(4)]), ([[8]], [np.log(1)]))
    >>> print(merged.output.round(6), np.exp(merged.log_normalizer).round(6))
    [[4.]] [5.]
    """
    given = as_pairs(parts)
    arrays = as_float(widest_float(**given), **given)
    outputs, log_normalizers = arrays[::2], arrays[1::2]
    same_parts(outputs, log_normalizers)
    logs = np.stack(log_normalizers)  # (parts, ..., L_q)
    shares = softmax(logs, axis=0)[..., None]  # (parts, ..., L_q, 1)
    return BlockwiseAttention((shares * np.stack(outputs)).sum(axis=0), np.logaddexp.reduce(logs, axis=0))
