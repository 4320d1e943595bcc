"""Attention, straight from its equations: a NumPy reference to learn from and to test against.

Tokens stand on the last axis but one and features on the last, `(..., L, d)`; a head axis stands before
them. A mask is boolean, True where a query may attend. Nothing keeps state or changes what it is given.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnref._additive import additive_attention, luong_attention
from attnref._alibi import alibi_bias, alibi_slopes
from attnref._attention import attention
from attnref._blockwise import blockwise_attention, merge
from attnref._cache import cached_attention, extend_cache, trim_cache
from attnref._differential import differential_attention, differential_factor
from attnref._encoder import BlockParameters, transformer_block
from attnref._errors import AttnRefError, DtypeError, MaskError, ModelError, ShapeError
from attnref._feed_forward import feed_forward, gelu
from attnref._gradients import attention_gradients, softmax_gradient
from attnref._gradients_blockwise import blockwise_gradients
from attnref._gradients_multihead import multihead_gradients
from attnref._heads import join_heads, split_heads, split_qkv
from attnref._latent import latent_attention
from attnref._linear import linear_attention
from attnref._masks import causal_mask, padding_mask, window_mask
from attnref._multihead import multihead_attention
from attnref._norms import layer_norm, qk_norm, rms_norm
from attnref._paged import extend_pages, paged_attention
from attnref._patterns import block_mask, prefix_mask, segment_mask
from attnref._positions import rotary, sinusoidal_positions
from attnref._recurrences import gated_delta_rule, linear_recurrence
from attnref._results import (
    Attention,
    AttentionGradients,
    BlockwiseAttention,
    BlockwiseGradients,
    CachedAttention,
    KVCache,
    MultiheadAttention,
    MultiheadGradients,
    NormedHeads,
    Projections,
    TransformerBlock,
)
from attnref._results_forms import (
    DeltaRule,
    DifferentialAttention,
    LatentAttention,
    LinearAttention,
    LinearState,
    PagedCache,
)
from attnref._sinks import sink_attention, streaming_mask
from attnref._softmax import softmax

if TYPE_CHECKING:
    from attnref.diagnosis import assert_attention, check, conventions, explain, faults
    from attnref.trained import (
        Bert,
        EncoderParameters,
        Encoding,
        Pieces,
        SentenceMaps,
        WordPiece,
        encoder,
        load_bert,
        read_safetensors,
        word_map,
    )

__version__ = "0.1.0"

__all__ = [
    "Attention",
    "AttentionGradients",
    "AttnRefError",
    "Bert",
    "BlockParameters",
    "BlockwiseAttention",
    "BlockwiseGradients",
    "CachedAttention",
    "DeltaRule",
    "DifferentialAttention",
    "DtypeError",
    "EncoderParameters",
    "Encoding",
    "KVCache",
    "LatentAttention",
    "LinearAttention",
    "LinearState",
    "MaskError",
    "ModelError",
    "MultiheadAttention",
    "MultiheadGradients",
    "NormedHeads",
    "PagedCache",
    "Pieces",
    "Projections",
    "SentenceMaps",
    "ShapeError",
    "TransformerBlock",
    "WordPiece",
    "additive_attention",
    "alibi_bias",
    "alibi_slopes",
    "assert_attention",
    "attention",
    "attention_gradients",
    "block_mask",
    "blockwise_attention",
    "blockwise_gradients",
    "cached_attention",
    "causal_mask",
    "check",
    "conventions",
    "differential_attention",
    "differential_factor",
    "encoder",
    "explain",
    "extend_cache",
    "extend_pages",
    "faults",
    "feed_forward",
    "gated_delta_rule",
    "gelu",
    "join_heads",
    "latent_attention",
    "layer_norm",
    "linear_attention",
    "linear_recurrence",
    "load_bert",
    "luong_attention",
    "merge",
    "multihead_attention",
    "multihead_gradients",
    "padding_mask",
    "paged_attention",
    "prefix_mask",
    "qk_norm",
    "read_safetensors",
    "rms_norm",
    "rotary",
    "segment_mask",
    "sink_attention",
    "sinusoidal_positions",
    "softmax",
    "softmax_gradient",
    "split_heads",
    "split_qkv",
    "streaming_mask",
    "transformer_block",
    "trim_cache",
    "window_mask",
    "word_map",
]

# What is not needed to compute is imported when it is first asked for: public name -> the module that has it.
_CHECKER = ("assert_attention", "check", "conventions", "explain", "faults")
_TRAINED = (
    "Bert", "EncoderParameters", "Encoding", "Pieces", "SentenceMaps", "WordPiece",
    "encoder", "load_bert", "read_safetensors", "word_map",
)  # fmt: skip
_LAZY = dict.fromkeys(_CHECKER, "attnref.diagnosis") | dict.fromkeys(_TRAINED, "attnref.trained")


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'attnref' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
