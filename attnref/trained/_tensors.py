"""The tensors of a BERT file as the parameters of the encoder: names, shapes, which way the matrices lie."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnref._encoder import BlockParameters
from attnref._errors import ModelError
from attnref._results import FloatArray
from attnref._validate import refuse
from attnref.trained._bert import EncoderParameters
from attnref.trained._config import Config
from attnref.trained._safetensors import Tensor

Dtype = type[np.floating[Any]]

# Parameter of a block -> its tensor in each layer, and its shape by the names of `Config`.
BLOCK = {
    "W_Q": ("attention.self.query.weight", "d_model", "d_model"),
    "W_K": ("attention.self.key.weight", "d_model", "d_model"),
    "W_V": ("attention.self.value.weight", "d_model", "d_model"),
    "W_O": ("attention.output.dense.weight", "d_model", "d_model"),
    "W_in": ("intermediate.dense.weight", "d_hidden", "d_model"),
    "W_out": ("output.dense.weight", "d_model", "d_hidden"),
    "b_Q": ("attention.self.query.bias", "d_model"),
    "b_K": ("attention.self.key.bias", "d_model"),
    "b_V": ("attention.self.value.bias", "d_model"),
    "b_O": ("attention.output.dense.bias", "d_model"),
    "b_in": ("intermediate.dense.bias", "d_hidden"),
    "b_out": ("output.dense.bias", "d_model"),
    "gain_heads": ("attention.output.LayerNorm.weight", "d_model"),
    "shift_heads": ("attention.output.LayerNorm.bias", "d_model"),
    "gain_feed": ("output.LayerNorm.weight", "d_model"),
    "shift_feed": ("output.LayerNorm.bias", "d_model"),
}
EMBEDDINGS = {
    "words": ("word_embeddings.weight", "n_words", "d_model"),
    "positions": ("position_embeddings.weight", "L_max", "d_model"),
    "segments": ("token_type_embeddings.weight", "n_segments", "d_model"),
    "gain": ("LayerNorm.weight", "d_model"),
    "shift": ("LayerNorm.bias", "d_model"),
}


def modern(name: str) -> str:
    """A tensor's name in today's style: older files begin with the model's name and call a norm's parts
    gamma and beta.
    """
    name = name.removeprefix("bert.")
    for old, new in ((".gamma", ".weight"), (".beta", ".bias")):
        if name.endswith("LayerNorm" + old):
            name = name.removesuffix(old) + new
    return name


def parameters_from(tensors: Mapping[str, Tensor], config: Config, dtype: Dtype) -> EncoderParameters:
    """Every tensor that the encoder needs, each of the shape that the configuration promises."""
    left: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if modern(name) in left:
            rule = "a file names its tensors in one style, old or new"
            refuse(ModelError, f"{modern(name)} stands in the file twice", rule, "Fetch the file again")
        left[modern(name)] = tensor

    def taken(place: str, name: str, *sizes: str) -> FloatArray:
        shape = tuple(getattr(config, size) for size in sizes)
        full = place + name
        if full not in left:
            rule = f"a BERT of {config.n_layers} layers needs it, of shape {shape}"
            refuse(ModelError, f"the tensor {full} is missing", rule, "Check config.json against the file")
        tensor = left.pop(full)
        if tensor.shape != shape or tensor.dtype.kind != "f":
            given = f"the tensor {full} has dtype {tensor.dtype} and shape {tensor.shape}"
            rule = f"it must hold floats of shape {shape}"
            refuse(ModelError, given, rule, "Check config.json against the file")
        array: FloatArray = tensor.astype(dtype, copy=False)
        # A linear layer is stored as (d_out, d_in).
        return array.T if array.ndim == 2 and place != "embeddings." else array

    embeddings = {ours: taken("embeddings.", *where) for ours, where in EMBEDDINGS.items()}
    blocks = [
        BlockParameters(**{ours: taken(f"encoder.layer.{n}.", *where) for ours, where in BLOCK.items()})
        for n in range(config.n_layers)
    ]
    unknown = [name for name in left if name.startswith(("embeddings.", "encoder."))]
    unknown = [name for name in unknown if name != "embeddings.position_ids"]
    if unknown:
        rule = f"a BERT of {config.n_layers} layers has no such tensor, so the file is of another model"
        refuse(ModelError, f"the file holds {unknown[0]}", rule, "Check config.json against the file")
    return EncoderParameters(**embeddings, blocks=blocks)
