"""Docstrings are pages too: each numeral in their prose is owned by a source or a name, or it is reported.

Examples are left out here: they run as doctests. What else needs a number writes it as a word or as an example.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from sitekit.owners import Ledger
from sitekit.pages import Page, Problem
from sitekit.programs import Run
from sitekit.proofs import own_without_running
from sitekit.sources import Record

_EXAMPLE = re.compile(r"^[ \t]*>>>.*\n(?:[ \t]*\S.*\n?)*", re.MULTILINE)


def texts(module: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, docstring) of a module and all that is defined in it."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield node.body[0].lineno, text


def examples(docstring: str) -> list[str]:
    """The examples of a docstring as they are shown: from a prompt to the next blank line."""
    found = (match.group().strip() for match in _EXAMPLE.finditer(inspect.cleandoc(docstring)))
    return [example.replace("<BLANKLINE>", "") for example in found]


def problems(package: Path, root: Path, record: Record) -> Iterator[Problem]:
    """Report each numeral of a docstring's prose that neither a source nor a name owns."""
    for module in sorted(package.rglob("*.py")):
        for line, text in texts(module):
            prose = _EXAMPLE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
            page = Page(module.relative_to(root).as_posix(), prose, root / "snippets", record)
            ledger = Ledger(page, Run([]))
            own_without_running(ledger)
            for numeral in page.numerals:
                if numeral not in ledger.owned:
                    where = line + page.line(numeral.start) - 1
                    advice = "say it in words, cite it, or show it in an example"
                    yield Problem(
                        page.path, where, f"the numeral {numeral.text} in a docstring has no owner: {advice}"
                    )
