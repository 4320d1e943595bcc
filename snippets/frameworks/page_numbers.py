"""The record that snippets/frameworks/measure.py has written."""

import json
import re
from pathlib import Path

import attnref

root = Path(attnref.__file__).parents[1]
folder = root / "snippets" / "frameworks"
text = (folder / "record.json").read_text(encoding="utf-8")
record = json.loads(text)
versions = {e["package"]: e["version"] for e in record.values()}


def numbers(question, name):
    """The whole numbers in an answer."""
    answer = record[name]["answers"][question]
    return list(map(int, re.findall("[0-9]+", answer)))


shown = (
    "attnref",
    "JAX",
    "keras MHA",
    "transformers Mistral",
    "MLX",
)
windows = [numbers("window", name) for name in shown]
