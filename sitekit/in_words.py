"""Numbers in words that say how much: ``python -m sitekit.in_words [PAGE …]`` lists those without a claim beside them.

Digits have owners; "twice", "a third", "forty percent" have none. A word that counts what is there to be seen ("two
vectors") is plain language, and so is an ordinal. One that says how much (a part, a multiple, a share) is mostly a
claim about what a page computes, and then its block should hold one: ``<!--? weights[0] > 0.5 -->``. Which it is a
program cannot tell, so this is a list to read, not a check that fails.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitekit import check, pages, sources
from sitekit.pages import Page

_TENS = "twenty|thirty|forty|fifty|sixty|a hundred|a thousand"
_COUNT = rf"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|{_TENS})"
_PART = r"(?:half|third|quarter|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand|million)th)"
# "A third of it" is a part, "a third key" an ordinal.
_SHARED = rf"(?:one|a|an)[ -]{_PART}(?=\s+(?:of|as|each|more|less|to|or|at)\b|[.,;:)?*]|\Z)"
_HALF = r"(?<!other )(?<!second )(?<!first )half(?!\s+precision|-)"
_CHANGED = r"(?:doubl|tripl|quadrupl|halv)(?:e|es|ed|ing)"
_KINDS = {
    "part": rf"{_COUNT}[ -]{_PART}s\b|{_SHARED}|{_HALF}\b",
    "multiple": rf"(?:twice|thrice|{_CHANGED}|{_COUNT}\s+times|(?:two|three|four|ten)fold)\b",
    "share": rf"(?:{_COUNT}|hundred)\s+per\s?cent\b",
}
_WORDS = re.compile(
    r"\b(?:" + "|".join(f"(?P<{kind}>{words})" for kind, words in _KINDS.items()) + ")", re.IGNORECASE
)


@dataclass(frozen=True)
class Stated:
    """One number in words, and whether a claim stands in its block."""

    text: str
    kind: str
    start: int
    claimed: bool


def find(page: Page) -> Iterator[Stated]:
    """The numbers in words of a page's prose."""
    claims = [comment.start for comment in page.comments if comment.mark in ("?", "tex")]
    for match in _WORDS.finditer(page.masked):
        start, end = block(page, match.start())
        claimed = any(start <= claim < end for claim in claims)
        yield Stated(" ".join(match.group().split()), str(match.lastgroup), match.start(), claimed)


def block(page: Page, offset: int) -> tuple[int, int]:
    """The lines around an offset, as far as the next blank ones."""
    start, end = page.text.rfind("\n\n", 0, offset), page.text.find("\n\n", offset)
    return max(start, page.body_start), len(page.text) if end < 0 else end


def main(arguments: Sequence[str]) -> int:
    root, paths, code = check.named_pages(arguments)
    record = sources.read(root / "docs")
    count = claimed = 0
    for path in paths:
        page = pages.read(path, root, record)
        for stated in find(page):
            count, claimed = count + 1, claimed + stated.claimed
            if not stated.claimed:
                around = " ".join(page.text[max(stated.start - 40, 0) : stated.start + 50].split())
                print(f"{page.path}:{page.line(stated.start)}: {stated.text!r} in: {around}")
    print(f"{count} numbers in words that say how much, {claimed} of them beside a claim")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
