"""A style sheet closes what it opens: a brace lost in a merge hides every rule below it, and no tool complains."""

import re
from pathlib import Path

import pytest

ASSETS = Path(__file__).parents[2] / "docs" / "assets"
SHEETS = sorted(path for path in ASSETS.rglob("*.css") if "vendor" not in path.parts)


def unclosed(css: str) -> list[int]:
    """The lines of braces that are never closed, and of those that close nothing."""
    opened, wrong = [], []
    plain = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), css, flags=re.DOTALL)
    for number, line in enumerate(plain.splitlines(), 1):
        for sign in re.sub(r'"[^"]*"', "", line):
            if sign == "{":
                opened.append(number)
            elif sign == "}" and opened:
                opened.pop()
            elif sign == "}":
                wrong.append(number)
    return opened + wrong


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_a_style_sheet_closes_every_brace(path):
    assert unclosed(path.read_text(encoding="utf-8")) == []


def test_a_lost_brace_is_found():
    assert unclosed("a {\n}\n") == []
    assert unclosed("@media print {\n  a {\n  }\n\nb {\n}\n") == [1]
    assert unclosed("a {\n}\n}\n") == [3]
    assert unclosed('/* { */\na::after { content: "{"; }\n') == []
