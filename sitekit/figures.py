"""The figures of a page: which it shows, whether each still shows the page's numbers, and how they enter the page.

A figure is a function of `snippets/<slug>/figures.py`, marked by `@figure`. Its parameters are names that the page
`<slug>` computes, so it cannot disagree with the text. What it draws is kept in `docs/assets/figures/<slug>/`, with
a digest of all that it was drawn from. While that digest holds, nothing is drawn and matplotlib is not imported;
otherwise the figure is drawn again and the two drawings are compared.

As an extension of Markdown (after `sitekit.ledger`) this module puts each figure into its page, as an element whose
colours follow the page's; a paragraph behind it that is *emphasised as a whole* becomes its caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as etree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from sitekit import numerals, pages, programs, sketches, svg, texts
from sitekit.pages import Page, Problem
from sitekit.programs import Run
from sitekit.sketches import FigureError

_TARGET = r"(?:[\w./-]*/)?assets/figures/(?P<slug>[\w-]+)/(?P<name>[\w-]+)\.svg"
_IMAGE = re.compile(rf"\]\(\s*<?{_TARGET}>?(?:\s+[\"'][^)]*)?\)")
_SOURCE = re.compile(rf"{_TARGET}\Z")
_ANY_SVG = re.compile(r"<(?:img|image|object|embed|iframe|source)\b[^>]*?=\"([^\"]*\.svg)[^\"]*\"")


def uses(page: Page) -> list[tuple[int, str, str]]:
    """The figures that a page shows: (offset, slug, name)."""
    found = [(match.start(), match["slug"], match["name"]) for match in _IMAGE.finditer(page.text)]
    return [use for use in found if not any(fence.start <= use[0] < fence.end for fence in page.fences)]


def problems(page: Page, run: Run) -> list[Problem]:
    """What is wrong with the figures of a page that was run. A page that did not run has other problems."""
    if run.problems:
        return []
    root, found = page.snippets.parent, []
    path = sketches.source_of(root, page.slug)
    if path.exists() and (broken := _unreadable(path, root)):
        return [broken]
    for offset, slug, name in uses(page):
        try:
            verified(page, run, slug, name)
        except FigureError as error:
            found.append(page.problem(offset, f"the figure {slug}/{name} {error}"))
    if path.exists():
        code, file = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
        message = "the text {!r} holds a number: let it come from a value, as in f'{{weight:.2f}}'"
        found += [Problem(file, line, message.format(text)) for line, text in sketches.written_numerals(code)]
        kept = {file.stem for file in sketches.file_of(root, page.slug, "x").parent.glob("*.svg")}
        for name in sorted(kept - sketches.find(code).keys()):
            message = f"no function of {file} draws the file {name}.svg below docs/assets/figures: delete it"
            found.append(page.problem(0, message))
    return found


def _unreadable(path: Path, root: Path) -> Problem | None:
    """Why a figures.py cannot be read, as text or as Python."""
    code, faults = texts.read(path)
    file = path.relative_to(root).as_posix()
    for line, fault in faults:
        return Problem(file, line, fault)
    try:
        sketches.find(code)
    except SyntaxError as error:
        return Problem(file, error.lineno or 1, f"this is not Python: {error.msg}")
    return None


def verified(page: Page, run: Run, slug: str, name: str) -> str:
    """The file of a figure, or a FigureError that says why it does not hold."""
    root = page.snippets.parent
    sketch, values, now = sketches.drawn_from(root, slug, name, _run_of(page, run, slug))
    file = sketches.file_of(root, slug, name)
    if not file.exists():
        raise FigureError("has not been drawn yet: run make update")
    text, _ = texts.read(file)
    if not svg.is_sealed(text):
        raise FigureError("was changed by hand: change its function instead, and run make update")
    if svg.stamp(text, "inputs") == now:
        return text
    new = sketches.draw(sketches.source_of(root, slug), sketch, values, now)
    if svg.stamp(new, "drawn") != svg.stamp(text, "drawn"):
        raise FigureError(f"is not what its function draws now ({_difference(text, new)}): run make update")
    return text


def _run_of(page: Page, run: Run, slug: str) -> Run:
    """The run of the page that a figure belongs to."""
    if slug == page.slug:
        return run
    root = page.snippets.parent
    for path in (path for path in pages.files(root) if path.name == f"{slug}.md"):
        owner = pages.read(path, root, page.record)
        return programs.run_once(programs.units(owner), owner)
    raise FigureError(f"belongs to no page: there is no {slug}.md below docs/")


def _difference(old: str, new: str) -> str:
    was, now = svg.texts(old), svg.texts(new)
    for before, after in zip(was, now, strict=False):
        if before != after:
            return f"it shows {before!r}, which is now {after!r}"
    return "its labels agree, its data or looks do not" if len(was) == len(now) else "it has other labels"


def update(page: Page, run: Run) -> list[str]:
    """Draw the figures of a page anew where something they are drawn from has changed; say which."""
    root, told = page.snippets.parent, []
    path = sketches.source_of(root, page.slug)
    if run.problems or not path.exists() or _unreadable(path, root):
        return []
    for name in sketches.find(path.read_text(encoding="utf-8")):
        file = sketches.file_of(root, page.slug, name)
        try:
            sketch, values, now = sketches.drawn_from(root, page.slug, name, run)
            text = texts.read(file)[0] if file.exists() else ""
            if svg.is_sealed(text) and svg.stamp(text, "inputs") == now:
                continue
            new = sketches.draw(path, sketch, values, now)
        except FigureError as error:
            told.append(f"{path.relative_to(root).as_posix()}: the figure {name} {error}")
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(new, encoding="utf-8", newline="\n")
        told.append(f"{file.relative_to(root).as_posix()}: drawn anew")
    return told


def foreign(content: str, page: Page) -> Iterator[str]:
    """Drawings in a rendered page that show numerals and were not put there as figures."""
    for match in _ANY_SVG.finditer(content):
        file = (page.snippets.parent / page.path).parent / match[1]
        if _SOURCE.search(match[1]):
            yield f"the figure {match[1]!r} stands in a sentence: give it a paragraph of its own"
        elif file.exists():
            text, faults = texts.read(file)
            try:
                shown = svg.texts(text) if not faults else ()
            except etree.ParseError as error:
                shown, faults = (), ((1, str(error)),)
            for _, fault in faults:
                yield f"the drawing {match[1]!r} cannot be read: {fault}"
            if any(any(numerals.find(line)) for line in shown):
                yield f"the drawing {match[1]!r} shows numerals that no program drew: draw it in figures.py"


# ---- how they enter the page ----


class _Inline(Treeprocessor):
    """Put the drawing in the place of its image, with its caption."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.md = md

    def run(self, root: etree.Element) -> None:
        shown = getattr(self.md, "ledger_shown", None)
        if shown is None or shown.ledger is None:
            return
        count = 0
        for parent in list(root.iter()):
            for child in list(parent):
                image = _alone(child, "img")
                match = _SOURCE.search(image.get("src", "")) if image is not None else None
                if match:
                    count += 1
                    self._put(parent, child, match, shown, f"figure-{count}")

    def _put(
        self, parent: etree.Element, child: etree.Element, match: re.Match[str], shown: Any, prefix: str
    ) -> None:
        image, at = child[0], list(parent).index(child)
        figure = etree.Element("figure", {"class": "figure"})
        figure.tail = child.tail
        try:
            text = verified(shown.ledger.page, shown.ledger.run, match["slug"], match["name"])
        except FigureError:  # the page's problems say why; the reader sees the image, marked
            figure.set("class", "figure wrong")
            figure.append(image)
        else:
            shown.figures.append(svg.texts(text))
            box = etree.SubElement(figure, "div", {"class": "figure-box"})
            box.set("style", f"--width: {svg.width(text):g}px")
            box.set(
                "data-search-exclude", ""
            )  # who searches the site looks for words, not for a drawing's labels
            box.text = self.md.htmlStash.store(svg.inlined(text, image.get("alt", ""), prefix))
        parent[at] = figure
        caption = _alone(parent[at + 1], "em") if at + 1 < len(parent) else None
        if caption is not None:
            ticks = parent[at + 1][1:]
            parent.remove(parent[at + 1])
            caption.tag, caption.tail = "figcaption", None
            caption.extend(ticks)
            figure.append(caption)


def _alone(paragraph: etree.Element, tag: str) -> etree.Element | None:
    """The element that a paragraph consists of, where it has that tag; the ticks of claims behind it don't count."""
    if paragraph.tag != "p" or not len(paragraph) or (paragraph.text or "").strip():
        return None
    only, *ticks = paragraph
    if any("claim" not in tick.get("class", "").split() for tick in ticks):
        return None
    alone = not any((part.tail or "").strip() for part in paragraph)
    return only if only.tag == tag and alone else None


class FiguresExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(
            _Inline(md), "figures", 12
        )  # after the ledger's (15), whose marks alts hold


def makeExtension(**kwargs: Any) -> FiguresExtension:
    return FiguresExtension(**kwargs)
