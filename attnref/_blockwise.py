"""Attention a few keys at a time, and answers from separate keys merged. Knows nothing of the definition."""

from collections.abc import Callable
from itertools import product

import numpy as np
import numpy.typing as npt

from attnref._fit import as_pairs, same_parts
from attnref._options import count
from attnref._results import BlockwiseAttention, FloatArray
from attnref._running import Running
from attnref._scoring import Scoring
from attnref._softmax import softmax
from attnref._threads import share
from attnref._validate import as_float, widest_float

Task = tuple[tuple[int, ...], slice]  # a head, and some of its queries
ROWS = 512  # queries at a time: fewer cost more calls, more leave less that causal can skip
WORTH_THREADS = 2**20  # scores from which threads are worth starting


def blockwise_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    *,
    block_size: int = 512,
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
    Cost: as many multiplications as `attention`, less the blocks that `causal` or `window` hide, and one
    more exponential for each query and block. Queries are cut into blocks too, so beyond the result the
    memory grows with the block size alone, for each thread. Where threadpoolctl is installed, heads and
    blocks of queries are shared among as many threads as BLAS would use; otherwise BLAS uses them itself.

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
    leading, (L_q, L_k), d_v = (
        scoring.leading,
        (scoring.Q.shape[-2], scoring.K.shape[-2]),
        scoring.V.shape[-1],
    )
    block_size = min(count("block_size", block_size), max(L_k, 1))
    result = BlockwiseAttention(
        np.empty((*leading, L_q, d_v), scoring.dtype), np.empty((*leading, L_q), scoring.dtype)
    )
    V = np.broadcast_to(scoring.V, leading + scoring.V.shape[-2:])
    shield = not np.isfinite(scoring.V).all()

    def worker() -> Callable[[Task], None]:
        room = Running(min(ROWS, L_q), block_size, d_v, scoring.dtype)
        return lambda task: _attend(scoring, V, shield, room, block_size, task, result)

    tasks = product(np.ndindex(leading), (slice(i, min(i + ROWS, L_q)) for i in range(0, L_q, ROWS)))
    share(tasks, worker, worth=result.log_normalizer.size * L_k >= WORTH_THREADS)
    return result


def _attend(
    scoring: Scoring,
    V: FloatArray,
    shield: bool,
    so_far: Running,
    block_size: int,
    task: Task,
    result: BlockwiseAttention,
) -> None:
    """Answer a few queries of one head, a block of keys at a time."""
    at, rows = task
    visible = scoring.visible(rows)
    with np.errstate(all="ignore"):  # a masked key may hold anything; each thread has an errstate of its own
        Q = scoring.Q[at][rows] * scoring.factor  # (rows, d_k)
        so_far.begin(len(Q))
        for start in range(visible.start, visible.stop, block_size):
            keys = slice(start, min(start + block_size, visible.stop))
            scores = so_far.compare(Q, scoring.K[at][keys])  # (rows, keys)
            allowed = scoring.lay_over(scores, at, rows, keys)
            so_far.take(scores, V[at][keys], allowed, shield)
        so_far.result(result.output[at][rows], result.log_normalizer[at][rows])


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
