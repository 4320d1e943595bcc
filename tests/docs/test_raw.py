"""A page reads well as it is written: no line runs past what a narrow window or a diff shows, no code past its box."""

import re
from pathlib import Path

import pytest

from sitekit import check, fences

ROOT = Path(__file__).parents[2]
PAGES = check.page_files()
WIDTH = 120


def too_long(text: str) -> list[int]:
    """The lines that are longer than the width; a table's row, an address and an error cannot be broken."""
    lines = enumerate(text.splitlines(), 1)
    return [
        number
        for number, line in lines
        if len(line) > WIDTH and not re.match(r"[> ]*\||.*://|[\w.]+Error: ", line)
    ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_line_of_a_page_is_too_long(path):
    assert too_long(path.read_text(encoding="utf-8")) == []


def test_a_line_that_is_too_long_is_found():
    assert too_long(f"short\n{'x' * 121}\n| {'x' * 121} |\nShapeError: {'x' * 121}\n") == [2]


COLUMN, FOLD = 71, 66  # characters of code that the column of text shows, and a fold within it


def too_wide(text: str, path: str = "page.md") -> list[str]:
    """The lines of code, and of what it prints, that a reader would have to scroll for.

    An error's message is a sentence, and the page breaks it. A formula or a table is not code.
    """
    found, message = [], False
    for fence in fences.find(text, path, ROOT / "snippets"):
        if fence.kind in ("python", "output") and not message:
            limit = FOLD if fence.prefix else COLUMN
            found += [line for line in fence.code.splitlines() if len(line) > limit]
        message = fence.fails
    return found


@pytest.mark.parametrize(
    "path",
    [
        page for page in PAGES if page.parent.name == "lessons"
    ],  # elsewhere reports are printed, at their own width
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_code_of_a_lesson_fits_the_column(path):
    assert too_wide(path.read_text(encoding="utf-8"), str(path)) == []


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("snippets/*/page_numbers.py")), ids=lambda path: path.parent.name
)
def test_the_numbers_of_a_page_fit_the_fold_that_shows_them(path):
    assert [line for line in path.read_text(encoding="utf-8").splitlines() if len(line) > FOLD] == []


def test_code_that_is_too_wide_is_found():
    line = "x" * 67
    assert too_wide(f"```python\n{line}\n```\n") == []
    assert too_wide(f"```python\n{'x' * 72}\n```\n") == ["x" * 72]
    assert too_wide(f"??? note\n\n    ```python\n    {line}\n    ```\n") == [line]
    assert too_wide(f"```{{ .python .fails }}\nf()\n```\n\n```text\n{'x' * 73}\n```\n") == []
