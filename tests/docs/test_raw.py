"""A page reads well as it is written: no line runs past what a narrow window or a diff shows."""

from pathlib import Path

import pytest

from sitekit import check

ROOT = Path(__file__).parents[2]
PAGES = check.page_files()
WIDTH = 120


def too_long(text: str) -> list[int]:
    """The lines that are longer than the width; a table's row cannot be broken, and an address neither."""
    lines = enumerate(text.splitlines(), 1)
    return [
        number
        for number, line in lines
        if len(line) > WIDTH and not line.lstrip("> ").startswith("|") and "://" not in line
    ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_line_of_a_page_is_too_long(path):
    assert too_long(path.read_text(encoding="utf-8")) == []


def test_a_line_that_is_too_long_is_found():
    assert too_long(f"short\n{'x' * 121}\n| {'x' * 121} |\n") == [2]
