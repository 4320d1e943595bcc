"""What a model's folder says of its shape: `config.json`, read with suspicion."""

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from attnref._errors import ModelError
from attnref._validate import refuse

LONGEST_TEXT = 50_000_000  # bytes; no configuration and no vocabulary is nearly that long


class Config(NamedTuple):
    """The sizes of an encoder, as its configuration states them."""

    n_layers: int
    n_heads: int
    d_model: int
    d_hidden: int
    n_words: int
    L_max: int
    n_segments: int
    eps: float


SIZES = {
    "n_layers": "num_hidden_layers", "n_heads": "num_attention_heads", "d_model": "hidden_size",
    "d_hidden": "intermediate_size", "n_words": "vocab_size", "L_max": "max_position_embeddings",
    "n_segments": "type_vocab_size",
}  # fmt: skip
# Setting -> the one value that the equations of this encoder stand for; a missing setting means this value.
FIXED = {"hidden_act": "gelu", "position_embedding_type": "absolute", "is_decoder": False}


def text_of(path: Path) -> str:
    """A text file of a model's folder."""
    try:
        if path.stat().st_size > LONGEST_TEXT:
            rule = f"attnref reads texts of at most {LONGEST_TEXT} bytes"
            refuse(ModelError, f"{path} has {path.stat().st_size} bytes", rule, "Check what it is")
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        refuse(ModelError, f"{path} is no UTF-8", "a model's texts are", "Fetch the file again")
    except OSError as error:
        step = "Pass a folder that `python -m attnref fetch` or its publisher has filled"
        refuse(ModelError, f"{path}: {error.strerror}", "it belongs to the model and cannot be read", step)


def object_of(path: Path) -> dict[str, Any]:
    """A JSON file of a model's folder."""
    try:
        found = json.loads(text_of(path))
    except ModelError:
        raise
    except (ValueError, RecursionError) as error:
        rule = f"it is to be JSON ({type(error).__name__}: {str(error)[:80]})"
        refuse(ModelError, f"{path} cannot be parsed", rule, "Fetch the file again")
    if not isinstance(found, dict):
        refuse(ModelError, f"{path} holds no object", "settings have names", "Fetch the file again")
    return found


def read_config(path: Path) -> Config:
    """The sizes of a BERT encoder; any other model is refused."""
    settings = object_of(path)
    if settings.get("model_type") != "bert":
        given = f"{path} is of model_type {str(settings.get('model_type'))[:40]!r}"
        rule = "attnref computes the encoder of 'bert' and of no other model"
        refuse(ModelError, given, rule, "Pass the folder of a BERT, such as all-MiniLM-L6-v2")
    for name, value in FIXED.items():
        if settings.get(name, value) != value:
            given = f"{path} has {name} {str(settings[name])[:40]!r}"
            refuse(ModelError, given, f"attnref computes {value!r} alone", "Pass the folder of another model")
    sizes: dict[str, Any] = {ours: settings.get(theirs) for ours, theirs in SIZES.items()}
    for ours, size in sizes.items():
        if not (isinstance(size, int) and not isinstance(size, bool) and 0 < size < 2**31):
            given = f"{path} has {SIZES[ours]} {str(size)[:40]}"
            refuse(ModelError, given, "it is a count of one or more", "Fetch the file again")
    eps = settings.get("layer_norm_eps", 1e-12)
    if not (isinstance(eps, float) and math.isfinite(eps) and eps > 0):
        refuse(ModelError, f"{path} has layer_norm_eps {str(eps)[:40]}", "it is a small number", "Check it")
    config = Config(**sizes, eps=eps)
    if config.d_model % config.n_heads:
        given = f"{path} has hidden_size {config.d_model} and num_attention_heads {config.n_heads}"
        refuse(ModelError, given, "each head takes equally many numbers", "Fetch the file again")
    return config
