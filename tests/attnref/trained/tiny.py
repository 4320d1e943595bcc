"""A BERT made of random numbers, as a folder of files: every size a prime, no two alike, and nothing published."""

import json
from pathlib import Path

import numpy as np

D_MODEL, N_HEADS, D_HIDDEN, N_LAYERS, L_MAX, N_SEGMENTS = 21, 3, 17, 2, 13, 2
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "i", "sat", "on", "the", "bank", "of", "river", ".", "sun", "##flow",
              "##er", "e", "##s", "ano", "año", "!", ",", "'", "中"]  # fmt: skip
CONFIG = {
    "model_type": "bert", "hidden_size": D_MODEL, "num_attention_heads": N_HEADS, "intermediate_size": D_HIDDEN,
    "num_hidden_layers": N_LAYERS, "max_position_embeddings": L_MAX, "type_vocab_size": N_SEGMENTS,
    "vocab_size": len(VOCABULARY), "hidden_act": "gelu", "layer_norm_eps": 0.01,
}  # fmt: skip
CODES = {"float32": "F32", "float64": "F64", "float16": "F16", "int64": "I64", "uint8": "U8", "bool": "BOOL"}


def tensors(seed: int = 0) -> dict[str, np.ndarray]:
    """The tensors of such a model, in today's names."""
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), D_MODEL),
        "embeddings.position_embeddings.weight": (L_MAX, D_MODEL),
        "embeddings.token_type_embeddings.weight": (N_SEGMENTS, D_MODEL),
        "embeddings.LayerNorm.weight": (D_MODEL,),
        "embeddings.LayerNorm.bias": (D_MODEL,),
    }
    for n in range(N_LAYERS):
        layer = f"encoder.layer.{n}."
        for part, d_out, d_in in (
            ("attention.self.query", D_MODEL, D_MODEL),
            ("attention.self.key", D_MODEL, D_MODEL),
            ("attention.self.value", D_MODEL, D_MODEL),
            ("attention.output.dense", D_MODEL, D_MODEL),
            ("intermediate.dense", D_HIDDEN, D_MODEL),
            ("output.dense", D_MODEL, D_HIDDEN),
        ):
            shapes |= {f"{layer}{part}.weight": (d_out, d_in), f"{layer}{part}.bias": (d_out,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{layer}{part}.weight": (D_MODEL,), f"{layer}{part}.bias": (D_MODEL,)}
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def file_of(arrays: dict[str, np.ndarray], **extra) -> bytes:
    """A safetensors file, written from the description of the format."""
    header, numbers = dict(extra), b""
    for name, array in arrays.items():
        begin, numbers = len(numbers), numbers + array.tobytes()
        place = [begin, len(numbers)]
        header[name] = {"dtype": CODES[array.dtype.name], "shape": array.shape, "data_offsets": place}
    return framed(json.dumps(header).encode(), numbers)


def framed(header: bytes, numbers: bytes = b"") -> bytes:
    return len(header).to_bytes(8, "little") + header + numbers


def folder(place: Path, arrays=None, config=None, vocabulary=None, **tokenizer) -> Path:
    """Write a model's folder; what is not given is as above."""
    place.mkdir(parents=True, exist_ok=True)
    lines = VOCABULARY if vocabulary is None else vocabulary
    (place / "vocab.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (place / "config.json").write_text(json.dumps(CONFIG if config is None else config), "utf-8")
    (place / "model.safetensors").write_bytes(file_of(tensors() if arrays is None else arrays))
    if tokenizer:
        (place / "tokenizer_config.json").write_text(json.dumps(tokenizer), "utf-8")
    return place
