"""Where a reader would see another number than the ledger reads, or none: each is a problem at its line.

The ledger reads Markdown; what a browser makes of it can differ. Rather than follow every such way, the page is told
to write the number so that both see the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitekit.numerals import Numeral
from sitekit.pages import Page, Problem, Span

_DASH = r"(?:[-−–‐‑‒—]|\\-|&(?:minus|ndash|mdash|hyphen|#8722|#x2212);)"
_DASH_BEFORE = re.compile(rf"(?:^|[^\w)\]}}.&;\\]){_DASH}[*_~`$]*$")
_POINT_BEFORE = re.compile(r"(?:^|[^\w.)\]])[+−-]?\.$")
_COMMA = re.compile(r"[+−-]?0\d*(?:,|\{,\})\d")
_TAG_LIKE = re.compile(r"<(?=[A-Za-z/!?])(?!/?\w[\w+.-]*:|[\w.+-]+@)")
_HIDDEN = re.compile(r"\s(?:hidden\b|style\s*=)")
_RASTER = re.compile(r"\.(?:png|jpe?g|gif|webp|avif|bmp)\b", re.IGNORECASE)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_KEYCAP = "\u20e3\U0001f51f"  # signs that look like numbers


def problems(page: Page) -> Iterator[Problem]:
    """All that a reader would see otherwise."""
    in_spans = {numeral: span for span in page.spans for numeral in span.numerals}
    for numeral in page.numerals:
        yield from _numeral(page, numeral, in_spans.get(numeral))
    for match in _TAG_LIKE.finditer(page.masked):
        yield page.problem(match.start(), "a browser takes this < for a tag: write &lt; or put it into code")
    for start, text in page.html:
        if not text.startswith("<!") and _HIDDEN.search(text):
            yield page.problem(start, "HTML that hides or restyles its text cannot be checked: leave it out")
        if text.startswith(("<!-->", "<!--->")):
            yield page.problem(start, "a browser ends this comment at once: write <!-- and a blank")
    for start, target in page.targets:
        if page.text[:start].rpartition("[")[0].endswith("!") and _RASTER.search(target):
            yield page.problem(
                start, "the numbers of a raster image cannot be compared: draw it in figures.py"
            )
    for span in page.spans:
        for match in _NOT_ASCII.finditer(span.text):
            if match.group().isnumeric() or match.group() in _KEYCAP:
                yield page.problem(
                    span.inner + match.start(),
                    f"{match.group()!r} cannot be bound: write digits, and ^ for powers",
                )


def _numeral(page: Page, numeral: Numeral, span: Span | None) -> Iterator[Problem]:
    line = page.text.rfind("\n", 0, numeral.start) + 1
    before = page.text[line : numeral.start]
    at_start = span is not None and span.inner == numeral.start
    signed = numeral.text[0] in "+-−"
    if not signed and (span is None or at_start) and _DASH_BEFORE.search(before):
        sign = "-" if span else "−"
        advice = f"write {sign}{numeral.text} with nothing between"
        yield page.problem(numeral.start, f"the dash before {numeral.text} is not read as its sign: {advice}")
    if _POINT_BEFORE.search(before):
        yield page.problem(numeral.start, f"a point stands before {numeral.text}: write 0.{numeral.text}")
    if _COMMA.match(numeral.text):
        message = f"{numeral.text} reads as a whole number with thousands commas: write a point"
        yield page.problem(numeral.start, message)
