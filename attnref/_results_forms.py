"""The results of the later forms: named tuples, as in `_results`."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from attnref._results import FloatArray

IntArray: TypeAlias = npt.NDArray[np.integer[Any]]


class LinearState(NamedTuple):
    """All that linear attention keeps of the tokens so far; its size does not grow with them."""

    S: FloatArray
    """Sum of the products of the keys' features and the values. Shape `(..., d_phi, d_v)`."""

    z: FloatArray
    """Sum of the keys' features. Shape `(..., d_phi)`."""


class LinearAttention(NamedTuple):
    """What linear attention found, and the state to go on from."""

    output: FloatArray
    """The blend of the values. Shape `(..., L_q, d_v)`."""

    state: LinearState
    """The sums over all keys so far."""


class DeltaRule(NamedTuple):
    """What the state answered, token by token, and the state to go on from."""

    output: FloatArray
    """What was read from the state for each query. Shape `(..., L, d_v)`."""

    state: FloatArray
    """What the state holds after the last token. Shape `(..., d_k, d_v)`."""


class DifferentialAttention(NamedTuple):
    """What two maps of weights found, one taken from the other."""

    output: FloatArray
    """The blend of the values, normed if that was asked for. Shape `(..., L_q, d_v)`."""

    weights: FloatArray
    """The first map less a share of the second. Shape `(..., L_q, L_k)`."""

    first: FloatArray
    """The weights of the first half. Shape `(..., L_q, L_k)`."""

    second: FloatArray
    """The weights of the second half. Shape `(..., L_q, L_k)`."""


class LatentAttention(NamedTuple):
    """What the heads found in keys and values that are made of one short vector a token."""

    output: FloatArray
    """What each head blended. Shape `(..., n_heads, L_q, d_v)`."""

    weights: FloatArray
    """How much each query of each head takes of each token. Shape `(..., n_heads, L_q, L_k)`."""

    scores: FloatArray
    """Dot products of both parts times scale. Shape `(..., n_heads, L_q, L_k)`."""


class PagedCache(NamedTuple):
    """Keys and values of several texts in blocks that may lie anywhere, and a table that says where."""

    K: FloatArray
    """Blocks of keys. Shape `(n_blocks, n_kv_heads, block_size, d_k)`."""

    V: FloatArray
    """Blocks of values. Shape `(n_blocks, n_kv_heads, block_size, d_v)`."""

    block_table: IntArray
    """For each text the numbers of its blocks, in the order of its tokens. Shape `(batch, most_blocks)`."""

    lengths: IntArray
    """How many tokens of each text are there. Shape `(batch,)`."""
