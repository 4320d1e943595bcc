"""Which numerals a comment of the ledger speaks for, and what its expressions give."""

from __future__ import annotations

import ast
import builtins
import difflib
import numbers
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from sitekit.numerals import Numeral, flatten
from sitekit.pages import Comment, Page, Span
from sitekit.programs import Run
from sitekit.sources import NotRecorded

_CLOSERS = re.compile(r"[*_)\]~^\0]*(?:\s?%)?\Z")
_PRIMARY = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.List  # takes an index without brackets
_REFUSED = (
    ((ast.Yield, ast.YieldFrom), "a comment is no generator: leave yield out"),
    (ast.Await, "a comment runs at once: leave await out"),
    (ast.NamedExpr, "a comment gives no name a value: assign it in a block"),
)
_WRAPPED = re.compile(r"(?<=\S\n)[ \t>]*(\d+\.)(?=[ \t])")
_DIGITS = 1900  # of a value or a numeral; numerals are compared to two thousand
_LARGEST = 10**_DIGITS
_DELIMITER = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")


class BindingError(Exception):
    """A comment that cannot be paired or evaluated; the text says why and what to do."""


class NotHere(BindingError):
    """A comment that uses a name which is computed where a package is installed that is missing here."""


class NameMissing(BindingError):
    """A comment that uses a name which nothing computed."""


@dataclass(frozen=True)
class Value:
    """One value with the text that a reader is shown as its origin."""

    value: Any
    label: str  # keys[2][0]
    source: str = ""  # the expression it is a part of: keys


@dataclass(frozen=True)
class Binding:
    """A comment with the numerals it owns. ``rows`` holds them by table row and column for the table form."""

    comment: Comment
    numerals: tuple[Numeral, ...]
    span: Span | None = None
    columns: tuple[tuple[tuple[Numeral, ...], ...], ...] = ()


def pair(page: Page) -> tuple[list[Binding], list[tuple[Comment, str]]]:
    """Give each comment its numerals. What stands in the wrong place comes back with the reason."""
    inline = {c: _inline(page, c) for c in page.comments if not c.own_line}
    taken = {n for found in inline.values() if found for n in found[0]}
    free = free_numerals(page, taken)
    bindings, misplaced = [], []
    for comment in page.comments:
        try:
            binding = _pair_one(page, comment, inline, free)
            if any(len(numeral.text) > _DIGITS for numeral in binding.numerals):
                raise BindingError(f"a numeral of more than {_DIGITS} digits stands here: show fewer")
            bindings.append(binding)
        except BindingError as error:
            misplaced.append((comment, str(error)))
    return bindings, misplaced


def _pair_one(page: Page, comment: Comment, inline: dict, free: list[Numeral]) -> Binding:
    if not comment.own_line:
        found = inline[comment]
        if comment.mark == "?":
            return Binding(comment, ())
        if found is None:
            raise BindingError(
                "this comment follows no numeral, code span or formula: " + _where_to_move(page, comment)
            )
        if comment.mark == "tex" and found[1] is None:
            raise BindingError("a tex comment reads a formula: put it directly behind one")
        return Binding(comment, *found)
    block = page.block_above(comment)
    if block is None and page.follows_comment(comment):
        raise BindingError("a comment that speaks for this block stands above: put all values in one comment")
    if block is None:
        raise BindingError(
            "this comment stands below a blank line: put it directly below the block it speaks for"
        )
    if comment.mark == "?":
        return Binding(comment, ())
    start, end = block
    if comment.mark == "tex":
        spans = [s for s in page.spans if start <= s.start < end and s.kind != "code"]
        if len(spans) != 1:
            raise BindingError(f"a tex comment reads one formula, the block above holds {len(spans)}")
        return Binding(comment, spans[0].numerals, spans[0])
    found = tuple(n for n in free if start <= n.start < end)
    if comment.body.startswith("table:"):
        columns = _columns(page, start, end, found)
        return Binding(
            comment, tuple(n for column in columns for cell in column for n in cell), None, columns
        )
    if not found:
        marker = _WRAPPED.search(page.text, start, end)
        reads = f": a line begins with {marker[1]!r}, which reads as the marker of a list" if marker else ""
        raise BindingError("the block above this comment holds no numeral that is left to bind" + reads)
    return Binding(comment, found)


def free_numerals(page: Page, taken: set[Numeral]) -> list[Numeral]:
    """The numerals that no inline comment and no phrase of the record owns already."""
    named = [(start, end) for start, end, _ in page.phrases]
    return [n for n in page.numerals if n not in taken and not any(a <= n.start < b for a, b in named)]


def _inline(page: Page, comment: Comment) -> tuple[tuple[Numeral, ...], Span | None] | None:
    line_start = page.text.rfind("\n", 0, comment.start) + 1
    for span in page.spans:
        if span.end == comment.start or (
            span.end < comment.start and re.fullmatch(r"[*_]+", page.text[span.end : comment.start])
        ):
            if comment.mark == "tex" and span.kind == "code":
                return None
            return (span.numerals, span) if span.numerals or comment.mark == "tex" else None
    before = [n for n in page.numerals if line_start <= n.start and n.end <= comment.start]
    if before:
        between = slice(before[-1].end, comment.start)
        if _CLOSERS.fullmatch(page.masked[between]) and "<!--" not in page.text[between]:
            return (before[-1],), None
    return None


def _where_to_move(page: Page, comment: Comment) -> str:
    """What stands between a comment and the numeral that it seems to be meant for."""
    first = max(page.text.rfind("\n", 0, comment.start) + 1, comment.start - 30)
    before = [n for n in page.numerals if first <= n.start and n.end <= comment.start]
    between = page.text[before[-1].end : comment.start] if before else ""
    if not between or "<!--" in between or "`" in between or "$" in between:
        return "move it directly behind one"
    return f"move it directly behind one ({between!r} stands between it and {before[-1].text})"


def _columns(page: Page, start: int, end: int, found: tuple[Numeral, ...]) -> tuple:
    rows: list[list[list[Numeral]]] = []
    body = False
    offset = start
    for line in page.masked[start:end].split("\n"):
        if body:
            edges = [m.start() for m in re.finditer(r"(?<!\\)\|", line)]
            edges = edges if line.strip(" \t>").startswith("|") else [-1, *edges]
            cells: list[list[Numeral]] = [[] for _ in edges]
            for numeral in found:
                if offset <= numeral.start < offset + len(line):
                    cells[sum(edge < numeral.start - offset for edge in edges) - 1].append(numeral)
            rows.append(cells)
        body = body or bool(_DELIMITER.fullmatch(line) and "-" in line)
        offset += len(line) + 1
    if not rows:
        raise BindingError("the block above this comment is no table with rows")
    width = max(len(row) for row in rows)
    columns = [tuple(tuple(row[k]) if k < len(row) else () for row in rows) for k in range(width)]
    return tuple(column for column in columns if any(column))


@lru_cache(maxsize=8192)
def parse(body: str) -> tuple[tuple[str, Any, frozenset[str]], ...]:
    """Split a comment's text into its expressions: (source, code object, names it uses)."""
    if "\n" in body:
        body = " ".join(body.split())
    if "<!--" in body:
        raise BindingError("this comment is never closed before the next one begins: end it with -->")
    try:  # as what a call is given: a bracket too many then makes it another thing than a call
        tree = ast.parse(f"values({body})", mode="eval").body
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
            raise SyntaxError("unmatched ')'")
        if tree.end_col_offset != len(f"values({body})".encode()):
            raise SyntaxError("unmatched ')'")
        if not tree.args and not tree.keywords:
            raise SyntaxError("it holds no expression")
        if refused := [text for kind, text in _REFUSED if any(isinstance(n, kind) for n in ast.walk(tree))]:
            raise SyntaxError(refused[0])
        if tree.keywords or any(isinstance(node, ast.Starred) for node in tree.args):
            raise SyntaxError("write values, without a star or a name before them")
        return tuple(
            (ast.unparse(node), compile(ast.Expression(node), "<binding>", "eval"), frozenset(_names(node)))
            for node in tree.args
        )
    except SyntaxError as error:
        raise BindingError(f"{body!r} is not a Python expression: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BindingError(f"{body[:60]!r} cannot be read as Python: {error}") from None


def _names(node: ast.expr) -> Iterator[str]:
    """The free names an expression uses; ``bank.weights`` gives both ``bank`` and ``bank.weights``."""
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in bound:
            yield part.id
        if (
            isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id not in bound
        ):
            yield f"{part.value.id}.{part.attr}"


class Scope:
    """What the expressions of a page can use: its names, its programs, ``np`` and the record of sources."""

    def __init__(self, page: Page, run: Run) -> None:
        self.names = {"np": np, "cite": page.record.cite, **run.modules, **run.names}
        self.modules = run.modules
        self.computed = run.computed
        self.absent = run.absent
        self.used: set[str] = set()

    def evaluate(self, source: str, code: Any, names: frozenset[str]) -> Any:
        """Evaluate one expression; it has to use something that the page computes or a source says."""
        known = names & self.computed.keys()
        if packages := sorted({self.absent[name] for name in names & self.absent.keys()}):
            raise NotHere(f"{source}, which is computed where {', '.join(packages)} is installed")
        if missing := self._missing(names):
            raise NameMissing(f"{source}: {missing}")
        if not known and "cite" not in names:
            raise BindingError(f"{source} uses no name that the page computes, so it proves nothing")
        self.used |= known
        try:
            with np.errstate(all="ignore"):
                return eval(code, self.names)
        except NotRecorded as error:
            raise BindingError(f"{source}: {error}") from None
        except (Exception, SystemExit) as error:  # exit() ends a program, not this one
            raise BindingError(f"{source} raised {type(error).__name__}: {error}") from None

    def _missing(self, names: frozenset[str]) -> str | None:
        """What is said of a name that neither the page nor Python has, or that a program or the record lacks."""
        for name in sorted(names):
            first, dot, rest = name.partition(".")
            if not dot and first not in self.names and not hasattr(builtins, first):
                near = difflib.get_close_matches(first, self.names, n=1)
                return f"name {first!r} is not defined" + (f": did you mean {near[0]}?" if near else "")
            if first in self.modules and dot and not hasattr(self.modules[first], rest):
                computed = [key.partition(".")[2] for key in self.computed if key.startswith(f"{first}.")]
                return f"{first} has no {rest}: it computes {', '.join(computed)}"
        return None

    def values(self, body: str) -> list[Value]:
        """All values of a comment, flattened, each with its label."""
        return [value for part in parse(body) for value in _label(self.evaluate(*part), part[0])]


def _flat(value: Any, source: str) -> list[Any]:
    """The single values of a value; none is longer than any page could print."""
    flat = list(flatten(value))
    for item in flat:
        large = isinstance(item, numbers.Integral) and abs(int(item)) >= _LARGEST
        if large or (isinstance(item, Decimal) and item.is_finite() and abs(item.adjusted()) > _DIGITS):
            raise BindingError(f"{source} gives a number of more than {_DIGITS} digits, which no page prints")
    return flat


def _label(value: Any, source: str) -> list[Value]:
    flat = _flat(value, source)
    if len(flat) == 1:
        return [Value(flat[0], source, source)]
    simple = getattr(value, "ndim", None) == 1 or isinstance(value, list | tuple)
    if simple and len(value) == len(flat):
        return [Value(item, _part(source, k), source) for k, item in enumerate(flat)]
    count = len(flat)
    return [Value(item, f"{source} (value {k + 1} of {count})", source) for k, item in enumerate(flat)]


def _part(source: str, *places: int) -> str:
    """How Python names a part of an expression: ``keys[2][0]``, ``(keys @ query)[2]``."""
    whole = source if _is_primary(source) else f"({source})"
    return whole + "".join(f"[{place}]" for place in places)


@lru_cache(maxsize=4096)
def _is_primary(source: str) -> bool:
    return isinstance(ast.parse(source, mode="eval").body, _PRIMARY)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def table_values(scope: Scope, binding: Binding) -> list[Value]:
    """The values of the table form, in the order of the binding's numerals (column by column)."""
    parts = parse(binding.comment.body.removeprefix("table:").strip())
    if len(parts) != len(binding.columns):
        given = ", ".join(source for source, _, _ in parts)
        raise BindingError(
            f"the table has {_count(len(binding.columns), 'column')} with numerals to bind, "
            f"the comment gives {_count(len(parts), 'expression')}: {given}"
        )
    values = []
    for k, (part, column) in enumerate(zip(parts, binding.columns, strict=True)):
        value = scope.evaluate(*part)
        try:
            rows = list(value)
        except TypeError:
            needed = f"a column needs one entry for each of its {len(column)} rows"
            raise BindingError(f"{part[0]} gives no rows: {needed}") from None
        if len(rows) != len(column):
            has = f"{part[0]} has {_count(len(rows), 'entry', 'entries')}"
            raise BindingError(f"{has}, the table has {_count(len(column), 'row')}")
        for r, (row, cell) in enumerate(zip(rows, column, strict=True)):
            flat = [item for item in _flat(row, part[0]) if item is not None and (cell or item != "")]
            if len(flat) != len(cell):
                shown = ", ".join(n.text for n in cell) or "none"
                raise BindingError(
                    f"row {r + 1} of column {k + 1} of {part[0]}: {_count(len(flat), 'value')} for the numerals {shown}"
                )
            deeper = len(flat) > 1
            labels = [_part(part[0], r, k) if deeper else _part(part[0], r) for k in range(len(flat))]
            values += [Value(item, label, part[0]) for item, label in zip(flat, labels, strict=True)]
    return values
