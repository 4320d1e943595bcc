"""Which numerals a comment of the ledger speaks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sitekit.expressions import BindingError
from sitekit.numerals import Numeral
from sitekit.pages import Comment, Page, Span
from sitekit.values import DIGITS

_CLOSERS = re.compile(r"[*_)\]~^\0]*(?:\s?%)?\Z")
_WRAPPED = re.compile(r"(?<=\S\n)[ \t>]*(\d+\.)(?=[ \t])")
_DELIMITER = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")


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
            if any(len(numeral.text) > DIGITS for numeral in binding.numerals):
                raise BindingError(f"a numeral of more than {DIGITS} digits stands here: show fewer")
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
