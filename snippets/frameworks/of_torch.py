"""How the attention of PyTorch and of transformers is called, which take and give PyTorch's tensors."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

Attention = Callable[..., Any]


def torch_function() -> Attention:
    from torch.nn.functional import scaled_dot_product_attention

    def attend(Q, K, V, attn_mask=None, is_causal=False, scale=None):
        fewer = Q.shape[1] != K.shape[1]
        return scaled_dot_product_attention(
            Q, K, V, attn_mask=attn_mask, is_causal=is_causal, scale=scale, enable_gqa=fewer
        )

    return attend


def torch_layer(need_weights: bool = True) -> Attention:
    """One head whose matrices are the identity."""
    import torch

    def attend(Q, K, V, attn_mask=None):
        width = Q.shape[-1]
        layer = torch.nn.MultiheadAttention(width, 1, bias=False, dtype=Q.dtype)
        with torch.no_grad():
            layer.in_proj_weight.copy_(torch.eye(width).repeat(3, 1))
            layer.out_proj.weight.copy_(torch.eye(width))
            return layer(Q, K, V, attn_mask=attn_mask, need_weights=need_weights)[0]

    return attend


def torch_flex() -> Attention:
    """A mask and a bias are functions of places; causal order, windows and a softcap one writes oneself."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def attend(Q, K, V, mask=None, bias=None, scale=None):
        block_mask, sizes = None, (*Q.shape[:-1], K.shape[-2])
        if mask is not None:
            mask = mask.expand(sizes)
            block_mask = create_block_mask(lambda b, h, i, j: mask[b, h, i, j], *sizes, device="cpu")
        score_mod = None
        if bias is not None:
            bias = bias.expand(sizes)

            def score_mod(score, b, h, i, j):
                return score + bias[b, h, i, j]

        fewer = Q.shape[1] != K.shape[1]
        return flex_attention(Q, K, V, score_mod, block_mask, scale=scale, enable_gqa=fewer)

    return attend


def transformers_llama() -> Attention:
    from transformers.models.llama.modeling_llama import eager_attention_forward

    def attend(Q, K, V, scaling, attention_mask=None):
        layer = SimpleNamespace(num_key_value_groups=Q.shape[1] // K.shape[1], training=False)
        return eager_attention_forward(layer, Q, K, V, attention_mask, scaling)[0]

    return attend


def transformers_bert() -> Attention:
    from transformers.models.bert.modeling_bert import eager_attention_forward

    def attend(Q, K, V, attention_mask=None, scaling=None):
        return eager_attention_forward(SimpleNamespace(training=False), Q, K, V, attention_mask, scaling)[0]

    return attend


def transformers_gemma() -> Attention:
    from transformers.models.gemma2.modeling_gemma2 import eager_attention_forward

    def attend(Q, K, V, attention_mask=None, scaling=None, softcap=None):
        groups = Q.shape[1] // K.shape[1]
        layer = SimpleNamespace(num_key_value_groups=groups, head_dim=Q.shape[-1], training=False)
        return eager_attention_forward(layer, Q, K, V, attention_mask, scaling=scaling, softcap=softcap)[0]

    return attend


def transformers_mistral() -> Attention:
    """The window is in the mask; whoever calls says where the queries stand: at the end, as with a cache."""
    from transformers.masking_utils import eager_mask, sliding_window_causal_mask_function
    from transformers.models.mistral.modeling_mistral import eager_attention_forward

    def attend(Q, K, V, scaling, attention_mask=None, sliding_window=None):
        if sliding_window is not None:
            L_q, L_k = Q.shape[-2], K.shape[-2]
            seen = sliding_window_causal_mask_function(sliding_window)
            attention_mask = eager_mask(1, L_q, L_k, L_k - L_q, mask_function=seen, dtype=Q.dtype)
        layer = SimpleNamespace(num_key_value_groups=Q.shape[1] // K.shape[1], training=False)
        return eager_attention_forward(layer, Q, K, V, attention_mask, scaling)[0]

    return attend
