"""What the trained model has to give in the page: python -m tests.widgets.vectors_induction writes it beside this.

Computed by the program that trained it, from the parameters that are kept.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import attnref

FILE = Path(__file__).with_name("vectors_induction.json")
FOLDER = Path(__file__).parents[2] / "snippets" / "induction-head"
keep = SimpleNamespace(**runpy.run_path(str(FOLDER / "keep.py")))
program = SimpleNamespace(**runpy.run_path(str(FOLDER / "train.py")))
CASES: list[tuple[str, int | None]] = [
    ("q", None),
    ("planetplane", None),
    ("planetplane", 0),
    ("zyx.,;:zyx", 1),
    ("abcdefghijklmnopabcdefghijklmno", None),  # as long as it gets
]


def case(text: str, without: int | None) -> dict[str, Any]:
    """Of each layer the row that asks last, and the sum of all squares, which a slip in any other row would move."""
    tokens = np.array([[keep.TOKENS.index(sign) for sign in text]])
    _, weights, logits = program.forward(keep.read(), tokens, without)
    return {
        "text": text,
        "without": without,
        "tokens": tokens[0].tolist(),
        "last": [rows[0, -1].tolist() for rows in weights],
        "squares": [float((rows[0] ** 2).sum()) for rows in weights],
        "logits": logits[0, -1].tolist(),
        "shares": attnref.softmax(logits[0, -1]).tolist(),
        "all_squares": float((logits[0] ** 2).sum()),
    }


def arrays() -> dict[str, Any]:
    """Of each array of parameters its shape, its first and last number, and the sum of all squares."""
    return {
        name: {"shape": list(a.shape), "ends": [a.flat[0], a.flat[-1]], "squares": float((a**2).sum())}
        for name, a in keep.read().items()
    }


def text() -> str:
    cases = [json.dumps(case(*given)) for given in CASES]
    return f'{{"arrays": {json.dumps(arrays())},\n"cases": [\n' + ",\n".join(cases) + "\n]}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
