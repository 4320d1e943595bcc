"""The tables of the page, from the record: a row for each set of answers, and who gives them."""

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "frameworks.md"
FAMILIES = ("PyTorch MHA", "flax", "keras", "ONNX", "transformers")
NONE = "no such argument"
WORDS = {"1/sqrt(d_k)": "one over the root of $d_k$", NONE: "–"}
# The head of each table, before the column with the names: question in the record -> words on the page.
TABLES = (
    {"scale": "default scale"},
    {"layout": "order of the axes"},
    {"mask, True or False": "True in a mask", "mask, numbers": "numbers in a mask"},
    {
        "causal": "more keys than queries",
        "causal, more queries": "more queries than keys",
        "causal, one query": "one query",
    },
    {
        "empty row, mask": "hidden by True or False",
        "empty row, −∞": "minus infinity added",
        "empty row, lowest number": "lowest number added",
    },
    {"NaN in a hidden key": "NaN in a hidden key", "NaN in a hidden value": "NaN in a hidden value"},
    {"fewer key heads": "fewer key heads than query heads", "width of the values": "width of the values"},
    {"window": "window", "window, more keys": "more keys than queries"},
    {"softcap": "softcap"},
    {"float16, large scores": "large scores", "float16, scores": "scores", "float16, weights": "weights"},
)


def rows(record: dict[str, Any], questions: list[str]) -> list[tuple[str, ...]]:
    """The answers, and who gives them; those that have no such argument come last."""
    who: dict[tuple[str, ...], list[str]] = {}
    for name, entry in record.items():
        who.setdefault(tuple(entry["answers"].get(q, NONE) for q in questions), []).append(name)
    order = sorted(who, key=lambda answers: all(answer == NONE for answer in answers))
    return [(*answers, ", ".join(together(who[answers], list(record)))) for answers in order]


def together(names: list[str], everyone: list[str]) -> list[str]:
    """The names, with those of a family told by its name where all of it are there."""
    for family in FAMILIES:
        first, *others = [name for name in everyone if name.startswith(family)]
        if {first, *others} <= set(names):
            names = [family if name == first else name for name in names if name not in others]
    return names


def head(columns: dict[str, str]) -> str:
    return f"| {' | '.join(columns.values())} | given by |"


def table(record: dict[str, Any], columns: dict[str, str]) -> str:
    """One table in Markdown."""
    lines = [head(columns), "|" + "---|" * (len(columns) + 1)]
    for cells in rows(record, list(columns)):
        lines.append("| " + " | ".join(WORDS.get(cell, cell) for cell in cells) + " |")
    return "\n".join(lines)


def written(page: str, record: dict[str, Any]) -> str:
    """The page with its tables as the record has them."""
    for columns in TABLES:
        old = re.search(re.escape(head(columns)) + r"\n(?:\|.*\n)*", page)
        if old is None:
            raise ValueError(f"the page has no table that begins {head(columns)}")
        page = page[: old.start()] + table(record, columns) + "\n" + page[old.end() :]
    return page
