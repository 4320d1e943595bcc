"""Where a reader would see another number than the ledger reads, or none: each is a problem at its line.

The ledger reads Markdown; what a browser makes of it can differ. Rather than follow every such way, the page is told
to write the number so that both see the same.
"""

from __future__ import annotations

import html
import itertools
import math
import re
import unicodedata
from collections.abc import Iterator

from sitekit.numerals import Numeral, find, plain
from sitekit.pages import Page, Problem, Span, meta_problem

_DASH = r"(?:[-−–‐‑‒—]|\\-|&(?:minus|ndash|mdash|hyphen|#8722|#x2212);)"
_DASH_BEFORE = re.compile(rf"(?:^|[^\w)\]}}.&;\\]){_DASH}(?:[*_~`$]*|\\\$|[€£])$")
_MINUS_WORD = re.compile(
    r"(?:^|[^\w\s]\s*|\b(?:is|are|was|of|by|to|from|at|a|the|and|than|only|gets?|gives?)\s+)"
    r"(?:minus|negative)\s+[*_`$]*$",
    re.IGNORECASE,
)
_POINT_BEFORE = re.compile(r"(?:^|[^\w.)\]])[+−-]?\.$")
_COMMA = re.compile(r"[+−-]?0\d*(?:,|\{,\})\d")
_TAG_LIKE = re.compile(r"<(?=[A-Za-z/!?])(?!/?\w[\w+.-]*:|[\w.+-]+@)")
_HIDDEN = re.compile(r"\s(?:hidden\b|style\s*=)")
_RASTER = re.compile(r"\.(?:png|jpe?g|gif|webp|avif|bmp)\b", re.IGNORECASE)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_COUNTS = re.compile(
    r"KEYCAP|DIE FACE|DOMINO TILE|PLAYING CARD|MAHJONG TILE|CLOCK FACE|INPUT SYMBOL FOR NUMBERS"
)
_ROMAN = re.compile(r"(?<![\w.-])(?=[IVX]{2,}(?![\w-]))X{0,3}(?:IX|IV|V?I{0,3})(?![\w-])")
_OTHER_PAGES = re.compile(
    r"<(?:iframe|object|embed|video|audio|canvas|picture|script|style|frame)\b|\ssrcdoc=", re.I
)
_TOC_LABEL = re.compile(r"data-toc-label\s*=")
# What stands between two numerals that a reader takes for one: markup, and characters without any width.
_INLINE = "a|abbr|b|big|bdi|code|data|del|em|i|ins|kbd|mark|s|samp|small|span|strong|u|var|wbr"
_UNSEEN = re.compile(
    rf"<!--.*?-->|</?(?:{_INLINE})\b[^>]*>|\]\([^)]*\)|\]\[[^\]]*\]"
    r"|[*_~`$\[\]\\'’]|[\u00ad\u200b-\u200f\u2060\ufeff]",
    re.DOTALL,
)
_POINTS = {",", ".", "·", "٫", "⸱", "\u2024"}  # between two digits each reads as a decimal point
_TURNED = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|<bdo\b|\sdir\s*=\s*[\"']?rtl")
_LIKE_DIGITS = re.compile(
    r"(?<![^\W\d_])(?:\d[\d.,]*[OolI|]|[OlI]\d)(?![^\W\d_])|\d[\u0370-\u03bb\u03bd-\u052f]"
)
_THOUSANDS = re.compile(r"[ \u00a0\u2007\u2009\u202f]|&(?:nbsp|thinsp);")
_TEX_UNSEEN = re.compile(r"\\[,;:! ]|[{}\s~]|\\(?:thin|med|thick|neg\w*)space|\\(?:text|math)\w*")


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
    yield from _elsewhere(page)
    yield from _run_together(page, in_spans)
    for start, target in page.targets:
        if target.removeprefix("](").lstrip(" <").startswith("data:"):
            yield page.problem(start, "what an address of data: shows cannot be checked: put it into a file")
        if page.text[:start].rpartition("[")[0].endswith("!") and _RASTER.search(target):
            yield page.problem(
                start, "the numbers of a raster image cannot be compared: draw it in figures.py"
            )
    for span in page.spans:
        for match in _NOT_ASCII.finditer(span.text):
            if match.group().isnumeric() or _counts(match.group()):
                yield page.problem(
                    span.inner + match.start(),
                    f"{match.group()!r} cannot be bound: write digits, and ^ for powers",
                )


def _counts(character: str) -> bool:
    """Whether a character shows a number, though it is none to Unicode: a die, a clock, a key."""
    return bool(_COUNTS.match(unicodedata.name(character, "")))


def _elsewhere(page: Page) -> Iterator[Problem]:
    """Numbers in other writings, and places that the ledger does not look into."""
    for match in _NOT_ASCII.finditer(page.masked):
        if _counts(match.group()):
            yield page.problem(
                match.start(), f"{match.group()!r} is a number that cannot be bound: write digits"
            )
    for match in _ROMAN.finditer(page.masked):
        if match.group():
            yield page.problem(
                match.start(), f"{match.group()} reads as a Roman numeral: write digits or words"
            )
    for match in _TURNED.finditer(page.text, page.body_start):
        yield page.problem(
            match.start(), "this turns the direction of writing, and with it numbers: leave it out"
        )
    for match in _LIKE_DIGITS.finditer(page.masked):
        if any(start <= match.start() < end for start, end, _ in page.phrases):
            continue  # a name
        yield page.problem(
            match.start(), f"{match.group()} holds a letter that looks like a digit: part the two"
        )
    for start, text in page.html:
        if _OTHER_PAGES.search(text):
            yield page.problem(
                start, f"what {text.split()[0].rstrip('>')}> shows cannot be checked: leave it out"
            )
    for match in _TOC_LABEL.finditer(page.text, page.body_start):
        if not any(fence.start <= match.start() < fence.end for fence in page.fences):
            yield page.problem(
                match.start(), "data-toc-label shows other words than the heading: leave it out"
            )
    for key in ("title", "description"):
        if page.faults or meta_problem(page.text[: page.body_start]):
            break
        shown = [numeral.text for numeral in find(html.unescape(str(page.meta.get(key, ""))))]
        if shown != page.meta_texts(key):
            yield page.problem(
                0, f"the {key} shows {', '.join(shown)}: write it as {key}: … on a line of its own"
            )


def _run_together(page: Page, in_spans: dict[Numeral, Span]) -> Iterator[Problem]:
    """Two numerals that a reader takes for one."""
    for first, second in itertools.pairwise(page.numerals):
        between = page.text[first.end : second.start]
        if len(between) > 200 or second.text[0] in "+-−":
            continue
        spans = in_spans.get(first), in_spans.get(second)
        if spans[0] is not None and spans[0] is spans[1]:
            joined = (
                spans[0].kind != "code"
                and between
                and not _TEX_UNSEEN.sub("", between)
                and "}{" not in between
            )
        else:
            joined = not _UNSEEN.sub("", html.unescape(between)) or html.unescape(between) in _POINTS
            groups = len(first.text.lstrip("+-−")) <= 3 and re.fullmatch(r"\d{3}(?:\.\d+)?", second.text)
            joined = joined or bool(groups and _THOUSANDS.fullmatch(between))
        if between == "–" and _float(first.text) >= _float(second.text):
            yield page.problem(first.start, f"the range {first.text}–{second.text} runs backwards")
        if joined:
            told = (
                f"{first.text} and {second.text} run together into one number: write it as one, or part them"
            )
            yield page.problem(second.start, told)


def _float(text: str) -> float:
    return float(plain(text)) if plain(text).count(".") < 2 else math.inf


def _numeral(page: Page, numeral: Numeral, span: Span | None) -> Iterator[Problem]:
    line = page.text.rfind("\n", 0, numeral.start) + 1
    before = page.text[line : numeral.start]
    at_start = span is not None and span.inner == numeral.start
    signed = numeral.text[0] in "+-−"
    if not signed and (span is None or at_start) and _DASH_BEFORE.search(before):
        sign = "-" if span else "−"
        advice = f"write {sign}{numeral.text} with nothing between"
        yield page.problem(numeral.start, f"the dash before {numeral.text} is not read as its sign: {advice}")
    if not signed and _MINUS_WORD.search(before):
        yield page.problem(
            numeral.start, f"the word before {numeral.text} is its sign: write −{numeral.text}"
        )
    if _POINT_BEFORE.search(before):
        yield page.problem(numeral.start, f"a point stands before {numeral.text}: write 0.{numeral.text}")
    if _COMMA.match(numeral.text):
        message = f"{numeral.text} reads as a whole number with thousands commas: write a point"
        yield page.problem(numeral.start, message)
