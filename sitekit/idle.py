"""Inputs that feed nothing but their own numeral: a literal that was given a name only to be bound.

``share = 0.735`` in page_numbers.py and ``0.735<!--= share -->`` on the page agree, and prove nothing. A number that is
chosen is an input: something has to be computed from it, drawn from it, or claimed of it. (What a block of the page
assigns is shown to the reader as an input.)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from sitekit import sketches, texts
from sitekit.expressions import BindingError, parse
from sitekit.owners import Ledger
from sitekit.pages import Page, Problem
from sitekit.programs import PAGE, Unit

_LITERAL = ast.Constant | ast.List | ast.Tuple | ast.UnaryOp | ast.unaryop | ast.expr_context


def problems(ledger: Ledger) -> Iterator[Problem]:
    """Each such input, at the line that gives it its value."""
    given: dict[str, tuple[Unit, int]] = {}
    read: set[str] = set()
    for unit in ledger.run.units:
        literals, loads = _of(unit.python)
        before = f"{unit.module}." if unit.module != PAGE else ""
        given |= {before + name: (unit, line) for name, line in literals if unit.fence is None}
        read |= {before + name for name in loads}
    if not given.keys() - read:
        return
    alone, used = _bound(ledger.page)
    for name in sorted((given.keys() & alone) - read - used - _drawn(ledger.page)):
        unit, line = given[name]
        message = f"{name} is a literal that only its own numeral uses, which proves nothing: compute with it, or claim"
        yield Problem(unit.path, unit.line + line - 1, message)


@lru_cache(maxsize=1024)
def _of(code: str) -> tuple[tuple[tuple[str, int], ...], frozenset[str]]:
    """The names that are given literals, each with its line, and all names that are read."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return (), frozenset()
    literals = []
    for node in tree.body:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            literals += [
                (name.id, node.lineno)
                for name, value in pairs
                if isinstance(name, ast.Name) and all(isinstance(part, _LITERAL) for part in ast.walk(value))
            ]
    loads = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return tuple(literals), frozenset(loads)


def _bound(page: Page) -> tuple[set[str], set[str]]:
    """The names that comments bind as they are, and those that they compute with or claim something of."""
    alone, used = set(), set()
    for comment in [*page.comments, *(comment for comment, _ in page.meta_comments)]:
        body = (
            comment.body.partition(":")[2] if comment.mark == "tex" else comment.body.removeprefix("table:")
        )
        try:
            parts = parse(body.strip())
        except BindingError:
            continue
        for source, _, names in parts:
            if comment.mark == "=" and source in names:
                alone.add(source)
            else:
                used |= names
    return alone, used


def _drawn(page: Page) -> set[str]:
    """The names that the page's figures are drawn from."""
    path = sketches.source_of(page.snippets.parent, page.slug)
    return set(re.findall(r"\w+", texts.read(path)[0])) if path.exists() else set()
