"""Attention with linear biases: a penalty that grows with distance, at a rate of its own in each head."""

import numpy as np

from attnref._masks import positions
from attnref._options import count
from attnref._results import FloatArray


def alibi_slopes(n_heads: int) -> FloatArray:
    r"""Give each head a rate, from steep to flat.

    $$ m_h = r^{h}, \qquad h = \text{one}, \dots, n_\text{heads} $$

    where the ratio $r$ is such that the last slope is the eighth power of one half. That holds where the
    number of heads is a power of two. Otherwise the slopes are those of the next lower power of two, followed
    by every other slope of the next higher one.

    Parameters
    ----------
    n_heads
        Number of heads.

    Returns
    -------
    FloatArray
        Shape `(n_heads,)`, `float64`.

    Raises
    ------
    ShapeError
        If `n_heads` is no integer of one or more.

    Notes
    -----
    Cost: one power for each head.

    Differs from a single series for any number of heads, which agrees for powers of two alone.

    Source: Press et al. 2021, Section 3; other numbers of heads: the authors' code.

    Examples
    --------
    >>> print(alibi_slopes(4))
    [0.25       0.0625     0.015625   0.00390625]
    >>> print(alibi_slopes(6))
    [0.25       0.0625     0.015625   0.00390625 0.5        0.125     ]
    """
    n_heads = count("n_heads", n_heads)
    lower = 1 << (n_heads.bit_length() - 1)  # the greatest power of two that is not above n_heads
    return np.concatenate([_series(lower), _series(2 * lower)[::2][: n_heads - lower]])


def _series(n_heads: int) -> FloatArray:
    """The slopes for a number of heads that is a power of two."""
    return np.asarray(2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads))


def alibi_bias(n_heads: int, L_q: int, L_k: int | None = None) -> FloatArray:
    r"""Penalise each key by its distance from the query, to be handed to attention as its bias.

    $$ b_{hij} = -m_h \,\lvert j - p_i \rvert, \qquad p_i = i + L_k - L_q $$

    Parameters
    ----------
    n_heads
        Number of heads.
    L_q
        Number of queries.
    L_k
        Number of keys, those in a cache included. None: as many as queries.

    Returns
    -------
    FloatArray
        Shape `(n_heads, L_q, L_k)`, `float64`: it makes attention compute in `float64`; convert it first
        where that is not wanted. The last query lines up with the last key.

    Raises
    ------
    ShapeError
        If a length or `n_heads` is no count.

    Notes
    -----
    Cost: one multiplication for each head and pair.

    The bias is not scaled. With `causal=True` the keys ahead are masked, and what their penalty would be does
    not matter; without it, keys ahead are penalised like those behind. The same number added to a whole row
    changes nothing, so a penalty counted from another key of the row is the same.

    Differs from code that takes distances among the queries alone: with one query and a cache it penalises
    nothing.

    Source: Press et al. 2021, Section 3.

    Examples
    --------
    One query after two cached keys, in a single head, whose slope is the eighth power of one half:

    >>> print(alibi_bias(1, 1, 3) / alibi_slopes(1))
    [[[-2. -1.  0.]]]
    """
    slopes = alibi_slopes(n_heads)
    queries, keys = positions(L_q, L_q if L_k is None else L_k)
    distances = np.abs(keys - queries)  # (L_q, L_k)
    return np.asarray(slopes[:, None, None] * -distances)  # (n_heads, L_q, L_k)
