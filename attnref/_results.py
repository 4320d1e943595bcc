"""The results: one named tuple for each equation, the same whatever the options."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


class Attention(NamedTuple):
    """What `attention` found, from the answer back to the comparison it rests on."""

    output: FloatArray
    """The blend of the values, `weights @ V`. Shape `(..., L_q, d_v)`."""

    weights: FloatArray
    """How much each query takes of each key, after the softmax. Shape `(..., L_q, L_k)`."""

    scores: FloatArray
    """Dot products times scale, before softcap, bias and mask. Shape `(..., L_q, L_k)`."""


class Projections(NamedTuple):
    """The three matrices (or their biases) that stood side by side in a fused one."""

    W_Q: FloatArray
    """Makes the queries. Shape `(..., n_heads * d_k)`."""

    W_K: FloatArray
    """Makes the keys. Shape `(..., n_kv_heads * d_k)`."""

    W_V: FloatArray
    """Makes the values. Shape `(..., n_kv_heads * d_k)`."""


class MultiheadAttention(NamedTuple):
    """What `multihead_attention` found, from the answer back to the comparisons of each head."""

    output: FloatArray
    """The heads side by side, times `W_O`. Shape `(..., L_q, d_out)`."""

    weights: FloatArray
    """How much each query of each head takes of each key. Shape `(..., n_heads, L_q, L_k)`."""

    scores: FloatArray
    """Dot products times scale, before softcap, bias and mask. Shape `(..., n_heads, L_q, L_k)`."""

    heads: FloatArray
    """What each head blended, before they are joined. Shape `(..., n_heads, L_q, d_v)`."""


class BlockwiseAttention(NamedTuple):
    """An answer from some of the keys, with what it takes to merge it with answers from others."""

    output: FloatArray
    """The blend of the values of these keys. Shape `(..., L_q, d_v)`."""

    log_normalizer: FloatArray
    """Logarithm of the sum of the exponentials of each query's scores. Shape `(..., L_q)`."""


class AttentionGradients(NamedTuple):
    """How fast a loss changes with each input of `attention`."""

    d_Q: FloatArray
    """With the queries, in their shape."""

    d_K: FloatArray
    """With the keys, in their shape."""

    d_V: FloatArray
    """With the values, in their shape."""

    d_bias: FloatArray
    """With a bias of full shape, `(..., L_q, L_k)`; sum it over the axes along which yours was broadcast."""


class BlockwiseGradients(NamedTuple):
    """How fast a loss changes with each input of `blockwise_attention`."""

    d_Q: FloatArray
    """With the queries, in their shape."""

    d_K: FloatArray
    """With the keys, in their shape."""

    d_V: FloatArray
    """With the values, in their shape."""


class MultiheadGradients(NamedTuple):
    """How fast a loss changes with each input of `multihead_attention`."""

    d_X: FloatArray
    """With the tokens that ask, in their shape; where they are the context too, by all three ways."""

    d_context: FloatArray
    """With the tokens that are asked, by way of keys and values, in their shape."""

    d_W_Q: FloatArray
    """With the matrix of the queries, in its shape; likewise the next three."""

    d_W_K: FloatArray
    d_W_V: FloatArray
    d_W_O: FloatArray

    d_b_Q: FloatArray
    """With what is added to the queries, one number for each column; likewise the next three."""

    d_b_K: FloatArray
    d_b_V: FloatArray
    d_b_O: FloatArray


class KVCache(NamedTuple):
    """Keys and values of the tokens so far, so that they need not be computed again."""

    K: FloatArray
    """Keys that are kept, already rotated if they are rotated at all. Shape `(..., L, d_k)`."""

    V: FloatArray
    """Values that are kept. Shape `(..., L, d_v)`."""

    seen: int
    """How many tokens have gone in, those dropped since included: the position of the next one."""


class CachedAttention(NamedTuple):
    """What `cached_attention` found, and the cache to go on with."""

    output: FloatArray
    """The blend of the values for the new queries. Shape `(..., L_q, d_v)`."""

    weights: FloatArray
    """How much each new query takes of each key, cached ones first. Shape `(..., L_q, L_k)`."""

    scores: FloatArray
    """Dot products times scale, before softcap, bias and mask. Shape `(..., L_q, L_k)`."""

    cache: KVCache
    """The cache with the new keys and values at its end."""


class NormedHeads(NamedTuple):
    """Queries and keys whose length says nothing any more."""

    Q: FloatArray
    """Queries, in the shape given. `(..., n_heads, L_q, d_k)`."""

    K: FloatArray
    """Keys, in the shape given. `(..., n_kv_heads, L_k, d_k)`."""


class TransformerBlock(NamedTuple):
    """What a block made of its tokens, and what its heads found on the way."""

    output: FloatArray
    """The tokens as they leave the block. Shape `(..., L, d_model)`."""

    attention: MultiheadAttention
    """What the heads found: their output before it was added, weights, scores and the heads apart."""
