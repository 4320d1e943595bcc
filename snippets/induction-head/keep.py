"""Train with the full recipe and write the trained parameters to a file that a page can load.

    python keep.py [FILE]

Each number becomes one of 255 steps, a byte; each array has a step of its own. The bytes are written as base64 text.
Without a file's name nothing is written: then the file that the page loads is measured.
"""

import argparse
import base64
import json
import runpy
import string
from pathlib import Path
from types import SimpleNamespace

import numpy as np

train = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("train.py"))))
ROOT = Path(__file__).parents[2]
KEPT = ROOT / "docs" / "assets" / "javascripts" / "widgets" / "attn-induction" / "parameters.json"
TOKENS = string.ascii_lowercase + ".,;:!?"  # a sign for each of the 32 tokens
SEED = 0


def packed(array):
    """An array as bytes in steps of one size, the largest number 127 steps from zero."""
    step = float(np.abs(array).max()) / 127
    steps = np.round(array / step).astype(np.int8)
    return {"shape": list(array.shape), "step": step, "steps": base64.b64encode(steps.tobytes()).decode()}


def unpacked(kept):
    """The array that `packed` was given, rounded to its steps."""
    steps = np.frombuffer(base64.b64decode(kept["steps"]), np.int8)
    return kept["step"] * steps.astype(float).reshape(kept["shape"])


def read(file=KEPT):
    """The parameters that were kept."""
    kept = json.loads(Path(file).read_text(encoding="utf-8"))
    return {name: unpacked(array) for name, array in kept["parameters"].items()}


def keep(file):
    """Train, round, write."""
    recipe = train.Recipe()
    p, _ = train.train(recipe, SEED, recipe.steps)
    kept = {
        "command": "python snippets/induction-head/keep.py parameters.json",
        "seed": SEED,
        "recipe": vars(recipe),
        "tokens": TOKENS,
        "parameters": {name: packed(array) for name, array in p.items()},
    }
    Path(file).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?")
    chosen = parser.parse_args()
    if chosen.file:
        keep(chosen.file)
    found = train.measure(read(chosen.file or KEPT), train.unseen(train.Recipe()))
    print(*(f"{name} {value:.4f}" for name, value in found.items()))
