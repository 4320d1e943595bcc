"""How the attention of the other frameworks is called, which take arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np

Attention = Callable[..., Any]


def attnref() -> Attention:
    from attnref import attention

    return attention


def jax_function() -> Attention:
    import jax

    return jax.nn.dot_product_attention


def flax_linen() -> Attention:
    import flax.linen

    return flax.linen.dot_product_attention


def flax_nnx() -> Attention:
    import flax.nnx

    return flax.nnx.dot_product_attention


def keras_function() -> Attention:
    import keras

    return keras.ops.dot_product_attention


def keras_layer() -> Attention:
    """One head whose matrices are the identity."""
    import keras

    def attend(Q, K, V, attention_mask=None, use_causal_mask=False, sliding_window=None):
        width = Q.shape[-1]
        layer = keras.layers.MultiHeadAttention(
            1,
            width,
            use_bias=False,
            sliding_window=sliding_window,
            dtype=keras.backend.standardize_dtype(Q.dtype),
        )
        layer.build(Q.shape, V.shape, K.shape)
        layer.set_weights([np.eye(width).reshape(weight.shape) for weight in layer.weights])
        return layer(Q, V, K, attention_mask=attention_mask, use_causal_mask=use_causal_mask)

    return attend


def onnx_model(Q, K, V, attn_mask, **attributes: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """One node `Attention`, and what to feed it."""
    from onnx import TensorProto, helper

    feeds = {"Q": Q, "K": K, "V": V} | ({} if attn_mask is None else {"attn_mask": attn_mask})
    kinds = {"?": TensorProto.BOOL, "e": TensorProto.FLOAT16, "f": TensorProto.FLOAT}
    inputs = [helper.make_tensor_value_info(name, kinds[x.dtype.char], x.shape) for name, x in feeds.items()]
    output = helper.make_tensor_value_info("output", kinds[Q.dtype.char], None)
    node = helper.make_node("Attention", list(feeds), ["output"], **attributes)
    graph = helper.make_graph([node], "attention", inputs, [output])
    opset = helper.make_opsetid("", 25 if any("window" in name for name in attributes) else 24)
    return helper.make_model(graph, opset_imports=[opset], ir_version=11), feeds


def onnx_by(run: Callable[[Any, dict[str, np.ndarray]], Any]) -> Attention:
    def attend(Q, K, V, attn_mask=None, is_causal=False, scale=None, softcap=None, window=None):
        given = {"is_causal": int(is_causal), "scale": scale, "softcap": softcap}
        if window is not None:
            given |= {"left_window_size": window[0], "right_window_size": window[1]}
        attributes = {name: value for name, value in given.items() if value is not None}
        return run(*onnx_model(Q, K, V, attn_mask, **attributes))

    return attend


def onnx_reference() -> Attention:
    from onnx.reference import ReferenceEvaluator

    return onnx_by(lambda model, feeds: ReferenceEvaluator(model).run(None, feeds)[0])


def onnx_runtime() -> Attention:
    import onnxruntime

    def run(model, feeds):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        return session.run(None, feeds)[0]

    return onnx_by(run)


def mlx_function() -> Attention:
    import mlx.core as mx

    def attend(Q, K, V, scale, mask=None, causal=False):
        mask = "causal" if causal else (None if mask is None else mx.array(mask))
        given = map(mx.array, (Q, K, V))
        return np.array(mx.fast.scaled_dot_product_attention(*given, scale=scale, mask=mask))

    return attend


def tinygrad_method() -> Attention:
    from tinygrad import Tensor

    def attend(Q, K, V, attn_mask=None, is_causal=False):
        fewer = Q.shape[1] != K.shape[1]
        mask = None if attn_mask is None else Tensor(attn_mask)
        return (
            Tensor(Q)
            .scaled_dot_product_attention(Tensor(K), Tensor(V), mask, is_causal=is_causal, enable_gqa=fewer)
            .numpy()
        )

    return attend
