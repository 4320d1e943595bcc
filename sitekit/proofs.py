"""The ledger of one page: what owns each numeral and block, and everything that is wrong with them."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from sitekit import absent, bindings, formulas, misread, outputs, programs
from sitekit.bindings import Binding, BindingError, NameMissing, NotHere, Scope, Value
from sitekit.mathml import BadTeX, to_mathml
from sitekit.numerals import Numeral, find, is_printable, mismatch, rounded, value_text
from sitekit.pages import Page, Problem
from sitekit.programs import Run

_HEADING = re.compile(r"^[ \t>]*#{1,6}[ \t][^\n]*$", re.MULTILINE)
_UNDERLINE = re.compile(r"\n[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_HEADING_ID = re.compile(r"\{:?[^}\n]*#[\w-]+[^}\n]*\}[ \t]*$", re.MULTILINE)
_SHOWN_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CITED = re.compile(r"cite\.(?P<key>\w+)\.(?P<name>\w+)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass(frozen=True)
class Owned:
    """A numeral with its owner: what the reader is shown as its proof."""

    numeral: Numeral
    kind: str  # "bound", "cited", "exempt", "read", "quoted", "named" or "elsewhere"
    proof: str  # the expression, the source or the reason
    value: str = ""  # the whole value, where it is computed
    line: str = ""  # where it was computed: "72", "bank.py:12" in a program, or several with commas
    wrong: str = ""  # what is wrong with it
    right: str = ""  # what should be printed instead, where that is known
    source: str = ""  # the expression of which the value is a part


@dataclass
class Ledger:
    """All that is known of a page."""

    page: Page
    run: Run
    owned: dict[Numeral, Owned] = field(default_factory=dict)
    formula_proofs: dict[int, str] = field(default_factory=dict)  # by the span's start
    lines: dict[str, str] = field(default_factory=dict)  # the code of each line that proofs name
    problems: list[Problem] = field(default_factory=list)
    blocks: int = 0
    outputs: int = 0
    claims: int = 0
    waiting_blocks: int = 0  # these wait for a package that is not installed here
    waiting_outputs: int = 0
    comments: int = 0

    @property
    def examples(self) -> int:
        """How many checks the page has: its blocks, its outputs and its comments."""
        return self.blocks + self.outputs + self.comments

    def count(self, kind: str) -> int:
        return sum(owned.kind == kind for owned in self.owned.values())


def check(page: Page, run: Run | None = None) -> Ledger:
    """Run a page (unless its run is given) and compare everything it shows."""
    if run is None:
        page_units = absent.mark(programs.units(page), absent.missing(page))
        run = programs.run_once(page_units, page)
    ledger = Ledger(page, run)
    ledger.problems += page.markup_problems()
    ledger.problems += [Problem(page.path, f.line, f.problem) for f in page.fences if f.problem]
    ledger.problems += run.problems
    outputs.compare(ledger)
    own_without_running(ledger)
    _own_bound(ledger)
    ledger.problems += _unowned(ledger)
    ledger.problems += _markup(page)
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


def _own_bound(ledger: Ledger) -> None:
    page = ledger.page
    scope = Scope(page, ledger.run)
    found, misplaced = bindings.pair(page)
    ledger.problems += [Problem(page.path, comment.line, reason) for comment, reason in misplaced]
    found += [Binding(comment, tuple(numerals)) for comment, numerals in page.meta_comments]
    ledger.comments = len(found)
    # What never ran is reported where it failed, not once more at each number that waits for it.
    incomplete = ledger.run.broken or any(fence.problem for fence in page.fences)
    for binding in found:
        free = replace(binding, numerals=tuple(n for n in binding.numerals if n not in ledger.owned))
        if binding.columns:
            free = binding
        try:
            if binding.comment.mark == "?":
                _claim(ledger, scope, binding)
            elif binding.comment.mark == "tex":
                _read_formula(ledger, scope, binding)
            else:
                _bind(ledger, scope, free)
        except NotHere as error:
            ledger.claims -= binding.comment.mark == "?"
            ledger.owned |= {n: Owned(n, "elsewhere", str(error)) for n in free.numerals}
        except BindingError as error:
            if not (incomplete and isinstance(error, NameMissing)):
                ledger.problems.append(Problem(page.path, binding.comment.line, str(error)))
            for n in binding.numerals:  # said once, so that each numeral is not reported again
                ledger.owned.setdefault(n, Owned(n, "bound", str(error), wrong=str(error)))
    ledger.problems += _assigned_twice(ledger, scope)


def _claim(ledger: Ledger, scope: Scope, binding: Binding) -> None:
    ledger.claims += 1
    for part in bindings.parse(binding.comment.body):
        value = scope.evaluate(*part)
        if not isinstance(value, bool | np.bool_):
            raise BindingError(f"the claim {part[0]} gives {value!r}, neither True nor False")
        if not value:
            raise BindingError(f"the claim {part[0]} is false")


def _read_formula(ledger: Ledger, scope: Scope, binding: Binding) -> None:
    assert binding.span is not None
    proof = formulas.check(binding.span.text, binding.comment.body, scope)
    ledger.formula_proofs[binding.span.start] = proof
    ledger.owned.update({n: Owned(n, "read", proof) for n in binding.numerals})


def _bind(ledger: Ledger, scope: Scope, binding: Binding) -> None:
    table = bool(binding.columns)
    values = bindings.table_values(scope, binding) if table else scope.values(binding.comment.body)
    if len(values) != len(binding.numerals):
        raise BindingError(
            f"{len(binding.numerals)} numerals stand here, the comment gives {len(values)} values:"
            + _side_by_side(ledger.page, binding.numerals, values)
        )
    wrong = []
    for numeral, value in zip(binding.numerals, values, strict=True):
        reason = mismatch(numeral.text, value.value) or _percent(ledger.page, numeral, value)
        if reason:
            wrong.append(
                Problem(ledger.page.path, ledger.page.line(numeral.start), f"{reason} ({value.label})")
            )
        ledger.owned[numeral] = _owned(ledger, numeral, value, reason or "")
    if len(wrong) > 1:
        pairs = _side_by_side(ledger.page, binding.numerals, values)
        wrong[0] = replace(wrong[0], message=wrong[0].message + pairs)
    ledger.problems += wrong


def _percent(page: Page, numeral: Numeral, value: Value) -> str | None:
    """A number before a percent sign is a hundred times a share, and its expression says so."""
    follows = re.match(
        r"[*_]*(?:<!--=.*?-->)?[ \u00a0]?\\?%", page.text[numeral.end : numeral.end + 200], re.DOTALL
    )
    if follows and "100" not in value.source and not isinstance(value.value, str):
        return f"printed {numeral.text} %, but {value.source} holds no 100: bind 100 * the share"
    return None


def _owned(ledger: Ledger, numeral: Numeral, value: Value, wrong: str) -> Owned:
    right = rounded(value.value, numeral.text) if wrong and is_printable(value.value) else ""
    cited = _CITED.fullmatch(value.label)
    if cited:
        source = ledger.page.record.sources.get(cited["key"], {})
        place = source.get("figures", {}).get(cited["name"], {}).get("place")
        proof = ", ".join(filter(None, [source.get("label", cited["key"]), place]))
        return Owned(numeral, "cited", proof, wrong=wrong, right=right)
    shown = value_text(value.value) if is_printable(value.value) else repr(value.value)
    lines = ",".join(lines_of(ledger, value.label))
    return Owned(numeral, "bound", value.label, shown, lines, wrong, right, value.source)


def lines_of(ledger: Ledger, label: str) -> list[str]:
    """The lines that gave the names of a label their values, as the reader is shown them: 72, bank.py:12."""
    found = {}
    for name in _names_of(label):
        for place in ledger.run.computed.get(name, []):
            file = "" if place.path == ledger.page.path else f"{place.path.rpartition('/')[2]}:"
            found[f"{file}{place.line}"] = place.text
    shown = dict(list(found.items())[:3])
    ledger.lines.update(shown)
    return list(shown)


@lru_cache(maxsize=4096)
def _names_of(label: str) -> list[str]:
    """The names in a label, those of programs (``bank.weights``) first."""
    names = [match.group() for match in _IDENTIFIER.finditer(label)]
    return sorted(names, key=lambda name: -name.count("."))


def _side_by_side(page: Page, found: tuple[Numeral, ...], values: list[Value], limit: int = 40) -> str:
    lines = []
    for k in range(min(max(len(found), len(values)), limit)):
        left = f"line {page.line(found[k].start)}: {found[k].text}" if k < len(found) else "(no numeral)"
        right = f"{values[k].value!r:<24} {values[k].label}" if k < len(values) else "(no value)"
        bad = k >= len(found) or k >= len(values) or mismatch(found[k].text, values[k].value)
        lines.append(f"    {left:<22} {'≠' if bad else '='} {right}")
    return "\n" + "\n".join(lines)


def _assigned_twice(ledger: Ledger, scope: Scope) -> Iterator[Problem]:
    for name in sorted(scope.used):
        places = scope.computed[name]
        if len(places) > 1:
            yield Problem(
                places[1].path,
                places[1].line,
                f"{name} is bound to a numeral and assigned a second time here (first in line {places[0].line}): "
                "give one of the two another name",
            )
        elif (
            name in ledger.run.digests and programs.digest(ledger.run.names[name]) != ledger.run.digests[name]
        ):
            yield Problem(
                places[0].path,
                places[0].line,
                f"{name} is bound to a numeral and is changed in place later, so that the page shows what it held "
                "at the end: change a copy, under another name",
            )
        elif places[0].loop:
            yield Problem(
                places[0].path,
                places[0].line,
                f"{name} is bound to a numeral and is a loop variable: keep its values in a list",
            )


def _unowned(ledger: Ledger) -> Iterator[Problem]:
    page = ledger.page
    advice = "bind it: <!--= expression --> behind it or below its block"
    for numeral in page.numerals:
        if numeral not in ledger.owned:
            near = page.record.near(page.masked[page.body_start : numeral.start][-200:], numeral.text)
            yield page.problem(numeral.start, f"the numeral {numeral.text} has no owner: {near or advice}")
    pattern = page.record.pattern
    for numeral, comment in page.meta_numerals:
        phrases = list(pattern.finditer(page.text, 0, page.body_start)) if pattern else []
        if numeral not in ledger.owned and not any(m.start() <= numeral.start < m.end() for m in phrases):
            near = page.record.near(page.text[: numeral.start][-200:], numeral.text)
            end = f": {near}" if near else "" if comment else ": bind it by a line #= expression below"
            yield page.problem(
                numeral.start, f"the numeral {numeral.text} in the front matter has no owner{end}"
            )
    for fence in page.fences:
        for numeral in find(fence.title):
            if not (pattern and pattern.search(fence.title)):
                yield Problem(
                    page.path, fence.line, f"the numeral {numeral.text} in a block's title has no owner"
                )
    for start, text in page.unreadable:
        yield page.problem(start, f"{text!r} is a numeral that cannot be bound: write digits or a formula")


def _markup(page: Page) -> Iterator[Problem]:
    for match in _HEADING.finditer(page.masked):
        start, end = match.span()
        named = _HEADING_ID.search(page.text, start, end)
        if not named and any(start <= n.start < end for n in page.numerals):
            yield page.problem(
                start, "a heading that holds a numeral needs an id of its own: { #some-words }"
            )
    for match in _UNDERLINE.finditer(page.masked):
        start = page.masked.rfind("\n", 0, match.start()) + 1
        if any(start <= n.start < match.start() for n in page.numerals):
            yield page.problem(start, "write a heading that holds a numeral with # before it, and an id")
    for span in page.spans:
        if span.kind != "code":
            written = tuple(n.text.lstrip("+-−").replace("{,}", ",") for n in span.numerals)
            problem = _tex_problem(span.text, span.kind == "display", written)
            if problem:
                yield page.problem(span.start, problem)


@lru_cache(maxsize=8192)
def _tex_problem(tex: str, display: bool, written: tuple[str, ...]) -> str | None:
    """What is wrong with a formula: TeX that cannot be shown, or numbers read otherwise than they are shown."""
    try:
        rendered = to_mathml(tex, display=display)
    except BadTeX as error:
        return f"bad TeX in {tex.strip()!r}: {error}"
    texts = re.findall(r">([^<]+)<", unicodedata.normalize("NFKC", rendered))
    shown = tuple(number for text in texts for number in _SHOWN_NUMBER.findall(text))
    if shown == written:
        return None
    told = f"shows the numbers {', '.join(shown) or 'none'}, its TeX reads as {', '.join(written) or 'none'}"
    return f"the formula {told}: put what belongs together into braces, as in 2^{{10}}"
