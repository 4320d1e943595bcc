"""What a page shows that nothing owns, and markup that no reader would see as meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from sitekit.mathml import BadTeX, to_mathml
from sitekit.numerals import find
from sitekit.owners import Ledger
from sitekit.pages import Page, Problem

_HEADING = re.compile(r"^[ \t>]*#{1,6}[ \t][^\n]*$", re.MULTILINE)
_UNDERLINE = re.compile(r"\n[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_HEADING_ID = re.compile(r"\{:?[^}\n]*#[\w-]+[^}\n]*\}[ \t]*$", re.MULTILINE)
_SHOWN_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def numerals(ledger: Ledger) -> Iterator[Problem]:
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


def markup(page: Page) -> Iterator[Problem]:
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
