"""Which blocks of a page a reader can run in the browser. They are marked where the page's HTML is made.

A block that runs alone, or after the page's earlier ones, gets the class `live`; `own` is added where it is a whole
program with a name space of its own, and `first` where it is the page's page_numbers.py. A block that cannot run in a
browser gets the class `native` and says why: it needs a package that is not there, or the page's front matter has the
reason. Both are measured: a test runs every block in Pyodide and compares. No code is written into the page a second
time; the scripts read it where it is shown.
"""

from __future__ import annotations

import ast
import html
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from sitekit import absent, programs
from sitekit.fences import ATTRIBUTE
from sitekit.pages import Page
from sitekit.programs import PAGE, Unit


@dataclass(frozen=True)
class Block:
    """A piece of code that runs as a whole; ``why`` says why it does not do so in a browser."""

    unit: Unit
    why: str

    @property
    def classes(self) -> str:
        kind = "own" if self.unit.module != PAGE else "first" if self.unit.fence is None else ""
        return "native" if self.why else f"live {kind}".strip()


def blocks(page: Page) -> list[Block]:
    """What of a page runs as a whole, in the order in which it runs."""
    units = [unit for unit in programs.units(page) if unit.kind == "python" and not _is_region(page, unit)]
    found: list[Block] = []
    missing: set[str] = set()  # names that a browser does not have, since what gives them does not run there
    for unit in absent.mark(units, sorted(set(_imported(units)) - set(absent.ALWAYS))):
        why = f"it needs {unit.absent}" if unit.absent else _reason(page, unit)
        if unit.module == PAGE:
            _, used, given = absent.names(unit)
            why = why or ("it builds on a block that does not run there" if used & missing else "")
            missing = missing | given if why else missing - given
        found.append(Block(unit, why))
    return found


def reasons(page: Page) -> list[dict[str, str]]:
    """The reasons that the page's front matter gives, each with a piece of the code that it speaks of."""
    try:
        found: list[dict[str, str]] = page.meta.get("native", [])
    except (yaml.YAMLError, ValueError, AttributeError):  # said by the page's check
        return []
    return found


def _reason(page: Page, unit: Unit) -> str:
    return next((item["reason"] for item in reasons(page) if item["code"] in unit.code), "")


def _is_region(page: Page, unit: Unit) -> bool:
    """Whether the block shows a region of a program, which runs as a whole or not at all."""
    return unit.fence is not None and bool(page.fences[unit.fence].region)


def _imported(units: list[Unit]) -> Iterator[str]:
    """The packages that units import, those of Python itself left out."""
    for unit in units:
        try:
            nodes: list[Any] = list(ast.walk(ast.parse(unit.code)))
        except SyntaxError:
            continue
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        yield from {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names)


def marks(page: Page) -> list[tuple[int, int, str]]:
    """The changes to a page's text that mark its blocks: start, end, new text."""
    found = []
    for block in blocks(page):
        if block.unit.fence is not None:
            fence = page.fences[block.unit.fence]
            start = page.text.index(fence.info, fence.start + len(fence.prefix))
            found.append((start, start + len(fence.info), info(fence.info, block)))
    return found


def info(written: str, block: Block) -> str:
    """The info line of a block with its marks, in the one form that takes all of them."""
    options = [match.group() for match in ATTRIBUTE.finditer(written)]
    options += [f'data-why="{html.escape(block.why)}"'] if block.why else []
    words = [word.lstrip(".") for word in ATTRIBUTE.sub(" ", written).strip("{} ").split()]
    given = [word if word.startswith("#") else f".{word}" for word in [*words, *block.classes.split()]]
    return f"{{ {' '.join([*given, *options])} }}"
