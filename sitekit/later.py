"""A Markdown extension that lets a browser lay out what lies below the window when a reader comes near it.

What stands between two headings becomes one box of class `later`, whose style tells about how many lines it takes: the
browser leaves out its contents until then (`content-visibility`). Headings stay outside, so that the table of contents
knows where they are. It does so when a page is first shown, from its top, and only until it has nothing else to do:
with heights that are guessed, a link or the way back would miss its place (sitekit/theme/main.html begins, shell.js
ends it). Without script all is laid out at once.

As long as a block of code isn't laid out, no script can measure whether it has to be scrolled. One with long lines
takes the focus from the start, so that the keyboard can scroll it; the theme takes that back where all lines fit.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
LETTERS = 80  # of a line
FITS = 30  # letters of code, on a telephone and with the text enlarged
_CODE = re.compile(r"(<pre\b[^>]*>(?:<span></span>)?<code)>(.*?)</code>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_HEADING = re.compile(r"<h[1-6][ >]")


class _Later(Treeprocessor):
    def run(self, root: Element) -> None:
        for run in list(runs(root)):
            if any(self.holds_heading(block) for block in run):
                continue
            box = Element("div", {"class": "later", "style": f"--lines:{sum(map(self.lines, run))}"})
            root.insert(list(root).index(run[0]), box)
            for block in run:
                root.remove(block)
                box.append(block)

    def text(self, block: Element) -> str:
        """What a block says, with the HTML that is kept aside while Markdown works."""
        text = "".join(block.itertext())
        kept = self.md.htmlStash.rawHtmlBlocks
        return HTML_PLACEHOLDER_RE.sub(lambda found: str(kept[int(found[1])]), text)

    def holds_heading(self, block: Element) -> bool:
        if (block.tail or "").strip():  # what mkdocstrings leaves, with headings in it
            return True
        return any(part.tag in HEADINGS for part in block.iter()) or bool(_HEADING.search(self.text(block)))

    def lines(self, block: Element) -> int:
        """About how high a block is, in lines of text. What is folded away counts as two."""
        if block.tag == "details":
            return 2
        text = self.text(block)
        if "<svg" in text:
            return 15
        if "<pre" in text:
            return text.count("\n") + 2
        rows = [part for part in block.iter() if part.tag in ("tr", "li", "p", "dd", "dt")]
        if block.tag == "table":
            return 2 * len(rows)
        return math.ceil(len(_TAG.sub("", text)) / LETTERS) + max(1, len(rows))


class _Scrolled(Postprocessor):
    def run(self, text: str) -> str:
        return _CODE.sub(reached, text)


def reached(block: re.Match[str]) -> str:
    longest = max(len(html.unescape(line)) for line in _TAG.sub("", block[2]).split("\n"))
    return f'{block[1]} tabindex="0">{block[2]}</code>' if longest > FITS else block[0]


def runs(root: Element) -> Iterator[list[Element]]:
    """The blocks between one heading and the next; those before the second heading are in view at once."""
    run: list[Element] = []
    headings = 0
    for block in [*root, Element("h1")]:
        if block.tag not in HEADINGS:
            run.append(block)
            continue
        if run and headings > 1:
            yield run
        run, headings = [], headings + 1


class LaterExtension(Extension):
    """``sitekit.later`` in mkdocs.yml."""

    def extendMarkdown(self, md: markdown.Markdown) -> None:
        md.treeprocessors.register(_Later(md), "later", -10)  # after all that looks for blocks
        md.postprocessors.register(_Scrolled(md), "scrolled", 6)  # after the stashed blocks are back (30)


def makeExtension(**kwargs: Any) -> LaterExtension:
    return LaterExtension(**kwargs)
