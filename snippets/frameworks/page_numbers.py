"""The record that snippets/frameworks/measure.py has written."""

import json
import re
from pathlib import Path

import attnref

root = Path(attnref.__file__).parents[1]
record_file = root / "snippets" / "frameworks" / "record.json"
record = json.loads(record_file.read_text(encoding="utf-8"))
versions = {entry["package"]: entry["version"] for entry in record.values()}


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
