"""What an update cannot decide: sentences that may have become wrong when their numbers changed.

A program can write the new numbers. Whether "the largest" still is, it cannot know, unless a claim says so. So an
update names the blocks in which two numbers changed places in size, and those whose words compare and hold no claim.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from sitekit import in_words
from sitekit.numerals import Numeral, find, plain
from sitekit.pages import Page

_COMPARES = re.compile(
    r"\b(?:more|most|less|least|fewer|fewest|larg(?:er|est)|small(?:er|est)|high(?:er|est)|low(?:er|est)|strongest|weakest"
    r"|nearly|almost|exactly|same|equal|equally|above|below|over|under|grows?|shrinks?|rises?|falls?)\b",
    re.IGNORECASE,
)


def warnings(page: Page, edits: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """A line for each block that somebody has to read again; ``edits`` are the numerals that are rewritten."""
    new = {start: text for start, _, text in edits}
    blocks = sorted({in_words.block(page, start) for start in new})
    words = list(in_words.find(page))
    for start, end in blocks:
        inside = [numeral for numeral in page.numerals if start <= numeral.start < end]
        claimed = any(start <= comment.start < end for comment in page.comments if comment.mark == "?")
        if swapped := _swapped(inside, new):
            yield f"{page.path}:{page.line(swapped.start)}: numbers of this block changed places in size: read it again"
        elif not claimed:
            said = [stated.text for stated in words if start <= stated.start < end]
            said += _COMPARES.findall(page.masked[start:end])
            if said:
                line = page.line(min(numeral.start for numeral in inside if numeral.start in new))
                yield f"{page.path}:{line}: no claim stands beside {said[0]!r}, and its numbers changed: read it again"


def _swapped(inside: list[Numeral], new: dict[int, str]) -> Numeral | None:
    """The first number that was larger than another of its block and is smaller now, or the other way round."""
    for first, second in itertools.combinations(inside, 2):
        if first.start not in new and second.start not in new:
            continue
        before = _order(first.text, second.text)
        after = _order(new.get(first.start, first.text), new.get(second.start, second.text))
        if before != after:
            return first if first.start in new else second
    return None


def _order(first: str, second: str) -> int:
    """-1, 0 or 1, as the first is less than, equal to or more than the second."""
    values = [float(plain(text)) if _is_number(text) else 0.0 for text in (first, second)]
    return (values[0] > values[1]) - (values[0] < values[1])


def _is_number(text: str) -> bool:
    return any(True for _ in find(text)) and plain(text).count(".") < 2
