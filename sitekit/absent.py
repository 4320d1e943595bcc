"""Labs that need a package which is not everybody's, such as PyTorch: what of them runs where it is missing.

A lab names its packages in its front matter: `needs: [numpy, torch]`. Where one is not installed, the cells that use
it (import it, or name it to find its files) do not run, nor do those that use what such a cell made. Their outputs
stand as they were written, and numbers bound to their names are not compared: that happens wherever the package is
installed, and in CI it has to be.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from types import CodeType

from sitekit.pages import Page
from sitekit.programs import Unit

_NEEDS = re.compile(r"^needs:[ \t]*\[(?P<names>[\w, ]*)\]", re.MULTILINE)
ALWAYS = ("numpy", "attnref")  # what every build has


def missing(page: Page) -> list[str]:
    """The packages that a page needs and that are not installed."""
    match = _NEEDS.search(page.text, 0, page.body_start)
    names = match["names"].replace(",", " ").split() if match else []
    return [name for name in names if name not in ALWAYS and find_spec(name) is None]


def mark(units: Iterable[Unit], packages: list[str]) -> list[Unit]:
    """The units, each that cannot run marked by the package that it waits for."""
    marked = []
    made_by: dict[str, str] = {}  # name -> the package that it could not be made without
    for unit in units:
        imported, used, given = names(unit)
        waits = [name for name in imported if name in packages] + [made_by[n] for n in used if n in made_by]
        made_by = {name: package for name, package in made_by.items() if name not in given}
        if waits:
            made_by |= dict.fromkeys(given, waits[0])
        marked.append(replace(unit, absent=waits[0]) if waits else unit)
    return marked


def names(unit: Unit) -> tuple[list[str], set[str], set[str]]:
    """The packages that a unit imports or names, the names it takes from units before it, those it gives a value."""
    try:
        code = compile(unit.python, unit.path, "exec", dont_inherit=True)
    except SyntaxError:  # said where the unit is run
        return [], set(), set()
    imported, used, given = [], set(), set()
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            imported.append(step.argval.partition(".")[0])
        elif step.opname.endswith("_CONST") and isinstance(step.argval, str):
            imported.append(step.argval.replace("-", "_"))  # metadata.files("a-package")
        elif step.opname == "STORE_NAME":
            given.add(step.argval)
        elif step.opname == "LOAD_NAME" and step.argval not in given:
            used.add(step.argval)
    return imported, used | (set(_of_functions(code)) - given), given


def _of_functions(code: CodeType) -> Iterator[str]:
    """The global names that the functions in a piece of code use."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from (s.argval for s in dis.get_instructions(inner) if s.opname == "LOAD_GLOBAL")
            yield from _of_functions(inner)
