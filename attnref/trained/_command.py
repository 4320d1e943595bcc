"""`python -m attnref maps` and `fetch`: what every head of a trained model looks at, and where to get one."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from attnref._errors import ModelError
from attnref._results import FloatArray
from attnref._validate import refuse
from attnref.trained._basic import is_mark
from attnref.trained._config import text_of
from attnref.trained._fetch import PINNED, fetch
from attnref.trained._folder import SentenceMaps, hash_of, load_bert
from attnref.trained._words import word_map

SENTENCES = ("I sat on the bank of the river.", "I put the money in the bank.")
FEW = 12  # heads that are listed by name


def add_commands(commands: Any) -> None:
    """What can be asked."""
    maps: argparse.ArgumentParser = commands.add_parser(
        "maps", help="show what every head of a trained BERT looks at; exit 2 if it cannot be read"
    )
    maps.add_argument("--model-dir", type=Path, required=True, metavar="DIR", help="where config.json lies")
    maps.add_argument("--sentences", metavar="FILE", help="one sentence a line; - reads from the terminal")
    maps.add_argument("--word", help="count on which word its row has the largest weight, head by head")
    maps.add_argument("--sha256", help="refuse weights with another hash")
    maps.add_argument("--json", action="store_true", help="print all weights as JSON")
    get: argparse.ArgumentParser = commands.add_parser(
        "fetch", help="fetch a pinned model and check its hashes"
    )
    get.add_argument("name", choices=list(PINNED))
    get.add_argument("--to", type=Path, metavar="DIR", help="where to; default: a folder of its name")


def run(command: str, given: dict[str, Any]) -> None:
    """Do what was asked and print it."""
    if command == "fetch":
        fetch(given["name"], given["to"])
    else:
        print(maps_text(given["model_dir"], sentences(given["sentences"]), given))


def sentences(file: str | None) -> list[str]:
    """The lines of a file that are not blank."""
    if file is None:
        return list(SENTENCES)
    text = sys.stdin.read() if file == "-" else text_of(Path(file))
    found = [line.strip() for line in text.split("\n") if line.strip()]
    if not found:
        refuse(ModelError, f"{file} holds no sentence", "there is one in each line", "Write at least one")
    return found


def maps_text(folder: Path, texts: list[str], given: dict[str, Any]) -> str:
    """All sentences, as tables or as JSON."""
    model = load_bert(folder, digest=given["sha256"])
    found = {text: model.maps(text) for text in texts}
    if not given["json"]:
        parts = [table(text, maps) for text, maps in found.items()]
        if given["word"]:
            parts = [tally(text, maps, given["word"]) for text, maps in found.items()]
        return "\n\n".join(parts)
    layers, heads = next(iter(found.values())).weights.shape[:2]
    return json.dumps(
        {
            "model": folder.resolve().name,
            "sha256": hash_of(folder / "model.safetensors"),
            "layers": layers,
            "heads": heads,
            "sentences": [
                {
                    "text": text,
                    "tokens": maps.tokens,
                    "words": maps.words,
                    "spans": maps.spans,
                    "weights": np.round(maps.weights.astype(float), 5).tolist(),
                }
                for text, maps in found.items()
            ],
        },
        ensure_ascii=False,
    )


def by_head(maps: SentenceMaps) -> tuple[list[str], FloatArray]:
    """Names of the heads, counted from one, and their maps by words, one after the other."""
    layers, heads = maps.weights.shape[:2]
    names = [f"L{layer + 1}H{head + 1}" for layer in range(layers) for head in range(heads)]
    weights = word_map(maps.weights, maps.spans)
    return names, weights.reshape(layers * heads, *weights.shape[2:])


def marks_of(words: tuple[str, ...]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which are no words: the special tokens at both ends, and punctuation."""
    inside = [len(word) == 1 and is_mark(word) for word in words[1:-1]]
    return np.array([True, *inside, True])


def table(text: str, maps: SentenceMaps) -> str:
    """A line for each head: where the words look on average, and the strongest look from word to word."""
    names, weights = by_head(maps)
    marks = marks_of(maps.words)
    words = np.flatnonzero(~marks)
    lines = [f"{text}\n  {' '.join(maps.tokens)}"]
    if not words.size:
        return lines[0] + "\n  no words"
    pairs = np.flatnonzero(~marks[:-1] & ~marks[1:])
    lines.append("  head     previous   next  itself  marks  strongest")
    for name, head in zip(names, weights, strict=True):
        own = head[words]
        places = (head[pairs + 1, pairs], head[pairs, pairs + 1], head[words, words], own[:, marks].sum(-1))
        means = [f"{place.mean():.3f}" if place.size else "    –" for place in places]
        others = np.where(marks | np.eye(len(marks), dtype=bool), -1, head)[words]
        row, column = np.unravel_index(others.argmax(), others.shape)
        said = f"{maps.words[words[row]]} → {maps.words[column]} {others[row, column]:.3f}"
        strongest = said if len(words) > 1 else ""
        lines.append(f"  {name:<8} {means[0]:>8}  {means[1]}   {means[2]}  {means[3]}  {strongest}".rstrip())
    return "\n".join(lines)


def tally(text: str, maps: SentenceMaps, word: str) -> str:
    """How many heads have the largest weight of a word's row on which word, and which heads, where few."""
    if word not in maps.words:
        rule = "it must be one of the words as the model reads them: " + " ".join(maps.words)
        refuse(ModelError, f"the word is {word!r}", rule, "Small letters and no accents, where it says so")
    names, weights = by_head(maps)
    largest = weights[:, maps.words.index(word)].argmax(axis=-1)
    lines = [f"{text}\n  the largest weight of {word!r} lies, of {len(names)} heads, on"]
    for column, number in Counter(largest.tolist()).most_common():
        heads = [name for name, place in zip(names, largest, strict=True) if place == column]
        listed = ": " + ", ".join(heads) if number <= FEW else ""
        lines.append(f"  {number:>5}  {maps.words[column]}{listed}")
    on_marks = int(marks_of(maps.words)[largest].sum())
    return "\n".join([*lines, f"  {on_marks:>5}  any mark"])
