"""The lint over rendered pages: whatever the source looked like, each numeral a reader meets has an owner.

It knows nothing of Markdown. It walks the HTML and reports digits outside the elements that carry a proof,
blocks that no program owns, and marks that were never turned back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

_SPOKEN = {
    "alt",
    "title",
    "aria-label",
    "aria-valuetext",
    "placeholder",
    "label",
    "content",
    "aria-description",
}
_SPOKEN_META = {"description", "author", "keywords"}
_HEADING = re.compile(r"h[1-6]")
_SHOWN_BY = {tag: {"value"} for tag in ("input", "li", "button", "meter", "progress")} | {"ol": {"start"}}
_VOID = {"img", "br", "hr", "input", "meta", "link", "source", "wbr", "col", "area", "embed", "track"}
_UNSEEN_TAGS = {"script", "style", "template", "annotation"}
# Elements whose numerals a program counts (footnotes, lines) or takes from the library's code.
_COUNTED = {"ledger-count", "linenos", "linenodiv", "footnote-backref", "footnote-ref", "headerlink"}
_OWN_CLASSES = {"formula", "doc-signature", "mkdocstrings-source"} | _COUNTED
_MARKS = re.compile("[\ue000-\ue00f]")


def _has_numeral(text: str) -> bool:
    return any(character.isnumeric() for character in text)


class _Walker(HTMLParser):
    def __init__(
        self, attributes: set[str], blocks: set[str], texts: set[str], figures: set[tuple[str, ...]]
    ) -> None:
        super().__init__(convert_charrefs=True)
        self.attributes, self.blocks, self.texts, self.figures = attributes, blocks, texts, figures
        self.heading: list[str] | None = None
        self.headings: set[str] = set()
        self.stack: list[tuple[str, bool]] = []  # tag, does it own its numerals
        self.pre: list[str] | None = None
        self.svg: list[str] | None = None
        self.broken: list[str] | None = None
        self.found: list[str] = []
        self.numbers = 0

    @property
    def owned(self) -> bool:
        return any(own for _, own in self.stack)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        classes = set(values.get("class", "").split())
        number = tag == "data" and "n" in classes
        own = number or bool(classes & _OWN_CLASSES) or tag in _UNSEEN_TAGS
        self.numbers += number
        if not own and not self.owned:
            unspoken = {"content"} if values.get("name") not in _SPOKEN_META else set()
            shown = _SPOKEN | _SHOWN_BY.get(tag, set())
            for name in (shown & values.keys()) - unspoken:
                if _has_numeral(values[name]) and values[name] not in self.attributes:
                    self.found.append(
                        f"the attribute {name}={values[name]!r} holds a numeral without an owner"
                    )
        if "math-error" in classes:
            self.stack.append((tag, True))
            self.broken = []
            return
        if tag == "pre" and not self.owned:
            self.pre = []
        if _HEADING.fullmatch(tag):
            self.heading = []
        if tag == "svg" and self.svg is None:
            self.svg = []
        if tag not in _VOID:
            self.stack.append((tag, own))

    def handle_endtag(self, tag: str) -> None:
        if self.broken is not None:
            tex, _, error = "".join(self.broken).partition(" — ")
            self.found.append(f"the page shows an error for the formula {f'${tex}'!r}: {error}")
            self.broken = None
        if tag == "pre" and self.pre is not None:
            text, self.pre = "".join(self.pre).strip(), None
            if text not in self.blocks:
                self.found.append(f"no test owns the block that begins {text.splitlines()[:1]!r}")
        if _HEADING.fullmatch(tag) and self.heading is not None:
            self.headings.add(" ".join("".join(self.heading).split()))
            self.heading = None
        if tag == "svg" and self.svg is not None:
            texts, self.svg = tuple(self.svg), None
            if any(map(_has_numeral, texts)) and texts not in self.figures and not self.owned:
                self.found.append(f"no program drew the figure whose texts begin {' '.join(texts)[:60]!r}")
        while any(open_tag == tag for open_tag, _ in self.stack):
            if self.stack.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if _MARKS.search(data):
            self.found.append(f"a mark of the ledger was left in {data.strip()[:60]!r}")
        if self.broken is not None:
            self.broken.append(data)
        if self.heading is not None and not any(tag == "a" for tag, _ in self.stack[-1:]):
            self.heading.append(data)
        if self.svg is not None:
            self.svg += filter(None, [" ".join(data.split())])
        elif self.pre is not None:
            if not self.owned:
                self.pre.append(data)
        elif _has_numeral(data) and not self.owned and " ".join(data.split()) not in self.texts:
            self.found.append(f"a numeral without an owner in {' '.join(data.split())[:80]!r}")


def headings(content: str) -> set[str]:
    """The texts of a page's headings, whose numerals the walk has found owned where they stand."""
    walker = _Walker(set(), set(), set(), set())
    walker.feed(content)
    return walker.headings


class _Ordinals(HTMLParser):
    """The numbers that a browser puts before the items of numbered lists; footnotes are numbered by a program."""

    def __init__(self) -> None:
        super().__init__()
        self.lists: list[int | None] = []
        self.shown: list[int] = []
        self.notes = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "div" and (self.notes or "footnote" in values.get("class", "").split()):
            self.notes += 1
        if tag == "ol" and not self.notes:
            self.lists.append(int(values.get("start", "1")) - 1)
        elif tag in ("ul", "ol"):
            self.lists.append(None)
        elif tag == "li" and self.lists and self.lists[-1] is not None:
            self.lists[-1] = int(values.get("value", self.lists[-1] + 1))
            self.shown.append(self.lists[-1])

    def handle_endtag(self, tag: str) -> None:
        if tag == "div" and self.notes:
            self.notes -= 1
        if tag in ("ul", "ol") and self.lists:
            self.lists.pop()


def ordinals(content: str) -> list[int]:
    """The number of each item of the numbered lists, in the order of reading."""
    reader = _Ordinals()
    reader.feed(content)
    return reader.shown


def walk(
    content: str,
    attributes: Iterable[str] = (),
    blocks: Iterable[str] = (),
    texts: Iterable[str] = (),
    figures: Iterable[tuple[str, ...]] = (),
) -> tuple[list[str], int]:
    """Return what is wrong with rendered HTML, and how many proven numbers it shows.

    ``attributes`` are the texts of attributes whose numerals are owned, ``blocks`` those of the blocks that run,
    ``texts`` the headings that navigation repeats, ``figures`` the texts of each figure that was compared with what
    its function draws.
    """
    walker = _Walker(set(attributes), {block.strip() for block in blocks}, set(texts), set(figures))
    walker.feed(content)
    walker.close()
    return walker.found, walker.numbers
