"""Proving a page: it runs, and each numeral and block gets its owner, or a problem with its line."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sitekit import absent, bound, idle, misread, outputs, programs, unowned
from sitekit.numerals import find
from sitekit.owners import Ledger, Owned
from sitekit.pages import Page, Problem
from sitekit.programs import Run

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def check(page: Page, run: Run | None = None) -> Ledger:
    """Run a page (unless its run is given) and compare everything it shows."""
    if run is not None:  # the mutants of a page are checked with a run of their own, hundreds of times
        return _checked(page, run, tried=False)
    run = programs.run_once(absent.mark(programs.units(page), absent.missing(page)), page)
    known = _KNOWN.get(page.path)
    if (
        known is None
        or known.run is not run
        or (known.page.text, known.page.record) != (page.text, page.record)
    ):
        known = _KNOWN[page.path] = _checked(page, run, tried=True)
    return replace(known, problems=list(known.problems))  # to which others add theirs


_KNOWN: dict[str, Ledger] = {}  # the last of each page: it is checked and then rendered


def _checked(page: Page, run: Run, *, tried: bool) -> Ledger:
    ledger = Ledger(page, run)
    ledger.problems += page.markup_problems()
    ledger.problems += [Problem(page.path, f.line, f.problem) for f in page.fences if f.problem]
    ledger.problems += run.problems
    outputs.compare(ledger)
    own_without_running(ledger)
    bound.own(ledger, tried)
    ledger.problems += idle.problems(ledger) if tried else []
    ledger.problems += unowned.numerals(ledger)
    ledger.problems += unowned.markup(page)
    ledger.problems += misread.problems(page)
    ledger.problems.sort(key=lambda problem: (problem.path != page.path, problem.line))
    return ledger


def own_without_running(ledger: Ledger) -> None:
    """What needs no program: sources and names. For texts that are no pages, such as docstrings."""
    _own_phrases(ledger)
    _own_code_names(ledger)


def _own_phrases(ledger: Ledger) -> None:
    page = ledger.page
    places = {k: n for n in page.numerals for k in range(n.start, n.end)} if page.phrases else {}
    for start, end, text in page.phrases:
        phrase = page.record.phrase(text)
        for numeral in find(page.masked, start, end):
            # The page's numeral at that place: a phrase's own reading may see the sign differently.
            there = places.get(numeral.start, numeral)
            ledger.owned[there] = Owned(numeral, phrase.kind, phrase.proof)


def _own_code_names(ledger: Ledger) -> None:
    """Code in a sentence is owned where it is a piece of a block, or a name that NumPy or the page has.

    Numbers alone are not: somewhere a block holds each of them, and that proves nothing.
    """
    page = ledger.page
    parts = frozenset().union(*(_parts(unit.python) for unit in ledger.run.units))
    shell = (fence.code for fence in page.fences if fence.kind == "shell")
    commands = {line.strip().removeprefix("$ ") for code in shell for line in code.splitlines()}
    for span in page.spans:
        if span.kind != "code" or not span.numerals:
            continue
        if _normal(span.text) in parts or span.text in commands:
            proof = "stands in a block of this page"
            ledger.owned.update({n: Owned(n, "quoted", proof) for n in span.numerals})
            continue
        for name in _IDENTIFIER.finditer(span.text):
            first, *rest = name.group().removeprefix("np.").split(".")
            if not rest and (hasattr(np, first) or first in ledger.run.names):
                start, end = span.inner + name.start(), span.inner + name.end()
                inside = [n for n in span.numerals if start <= n.start < end]
                ledger.owned.update({n: Owned(n, "named", f"the name {first}") for n in inside})


@lru_cache(maxsize=2048)
def _parts(code: str) -> frozenset[str]:
    """All that can be quoted of some code: its statements, expressions and named arguments, as Python writes them."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return frozenset()
    found = {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt)
        and any(isinstance(part, ast.Name) for part in ast.walk(node))
    }
    named = (node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg)
    return frozenset(found | {f"{node.arg} = {ast.unparse(node.value)}" for node in named})


@lru_cache(maxsize=2048)
def _normal(code: str) -> str:
    try:
        return ast.unparse(ast.parse(code.strip()))
    except SyntaxError:
        return ""
