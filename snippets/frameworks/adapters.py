"""How the attention of each framework is called. Nothing is decided here that the framework decides itself.

Each function of `of_torch` and `of_arrays` returns one that `attnref.conventions` can ask: it takes queries, keys and
values, and those options that the framework has an argument for, under the framework's own name or ours.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from snippets.frameworks import of_arrays, of_torch


class Framework(NamedTuple):
    """An attention, the package whose version counts, and what has to stand in the environment."""

    make: Callable[[], Callable[..., Any]]
    package: str
    environment: dict[str, str] = {}


FRAMEWORKS = {
    "attnref": Framework(of_arrays.attnref, "attnref"),
    "PyTorch SDPA": Framework(of_torch.torch_function, "torch"),
    "PyTorch MHA with weights": Framework(of_torch.torch_layer, "torch"),
    "PyTorch MHA without weights": Framework(lambda: of_torch.torch_layer(need_weights=False), "torch"),
    "PyTorch flex": Framework(of_torch.torch_flex, "torch"),
    "JAX": Framework(of_arrays.jax_function, "jax"),
    "flax linen": Framework(of_arrays.flax_linen, "flax"),
    "flax nnx": Framework(of_arrays.flax_nnx, "flax"),
    "keras on JAX": Framework(of_arrays.keras_function, "keras", {"KERAS_BACKEND": "jax"}),
    "keras on PyTorch": Framework(of_arrays.keras_function, "keras", {"KERAS_BACKEND": "torch"}),
    "keras MHA": Framework(of_arrays.keras_layer, "keras", {"KERAS_BACKEND": "torch"}),
    "ONNX reference": Framework(of_arrays.onnx_reference, "onnx"),
    "ONNX Runtime": Framework(of_arrays.onnx_runtime, "onnxruntime"),
    "transformers Llama": Framework(of_torch.transformers_llama, "transformers"),
    "transformers BERT": Framework(of_torch.transformers_bert, "transformers"),
    "transformers Gemma": Framework(of_torch.transformers_gemma, "transformers"),
    "transformers Mistral": Framework(of_torch.transformers_mistral, "transformers"),
    "MLX": Framework(of_arrays.mlx_function, "mlx"),
    # The device that is written in Python needs no compiler.
    "tinygrad": Framework(of_arrays.tinygrad_method, "tinygrad", {"DEV": "PYTHON"}),
}
