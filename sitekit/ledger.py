"""The Markdown extension that shows the ledger: each owned numeral carries its proof, each page its count.

Before Markdown parses a page, its numerals are replaced by marks (private-use characters) and its comments
are taken out; afterwards the marks become ``<data>`` elements. So no Markdown syntax meets a numeral's markup,
and a page that is read without this extension shows plain numbers and hides the comments.
"""

from __future__ import annotations

import html
import itertools
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as etree

import markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from sitekit import bound, figures, live, numerals, pages, percent, programs, proofs, sources
from sitekit.expressions import parse
from sitekit.numerals import Numeral
from sitekit.owners import Ledger, Owned
from sitekit.pages import Page

log = logging.getLogger("mkdocs.sitekit.ledger")

_MARK = re.compile("\ue000(\\d+)\ue001")
_TAG = re.compile(r"<[^>]*>")
_BLOCKS = {"p", "li", "td", "th", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "figcaption", "summary"}
_NO_STOP = {"a", "summary", "label", "button"}  # focusable already, or read as one name
BIBLIOGRAPHY = "<!--bibliography-->"


class Shown:
    """What the marks of one conversion stand for."""

    def __init__(self) -> None:
        self.ledger: Ledger | None = None
        self.owned: list[Owned] = []
        self.formulas: list[tuple[str, bool]] = []  # proof, is it right
        self.attributes: set[str] = set()  # attribute texts whose numerals were owned
        self.figures: list[tuple[str, ...]] = []  # the texts of each figure that holds

    def mark(self, owned: Owned) -> str:
        self.owned.append(owned)
        return f"\ue000{len(self.owned) - 1}\ue001"

    def formula(self, proof: str, right: bool) -> str:
        self.formulas.append((proof, right))
        return f"\ue002{len(self.formulas) - 1}\ue003"

    def plain(self, text: str) -> str:
        """The text with each mark turned back into its numeral."""
        return _MARK.sub(lambda match: self.owned[int(match[1])].numeral.text, text)


def marked(ledger: Ledger, start: int, shown: Shown) -> str:
    """The page's text from ``start``, its comments taken out and its numerals replaced by marks."""
    page = ledger.page
    edits: list[tuple[int, int, str]] = live.marks(page) if ledger.run.units else []
    for comment in page.comments:
        edits.append((*_extent(page, comment), ""))
        if comment.mark == "?" and (place := _end_of_words(page, comment)) is not None:
            edits.append((place, place, shown.mark(_claim(ledger, comment))))
    in_formula = set()
    for span in page.spans:
        if span.kind == "code":
            continue
        in_formula.update(span.numerals)
        owners = [ledger.owned[n] for n in span.numerals if n in ledger.owned]
        proof = ledger.formula_proofs.get(span.start) or "\n".join(_formula_lines(owners))
        if owners or span.start in ledger.formula_proofs:
            right = not any(owner.wrong for owner in owners)
            edits.append((span.inner, span.inner, shown.formula(proof, right)))
    for numeral, owned in ledger.owned.items():
        if numeral not in in_formula and numeral.start >= page.body_start:
            edits.append((numeral.start, numeral.end, shown.mark(owned)))
    parts, reached = [], start
    for left, right_end, text in sorted(edits):
        if left >= reached:
            parts += [page.text[reached:left], text]
            reached = right_end
    return "".join([*parts, page.text[reached:]])


def _end_of_words(page: Page, comment: pages.Comment) -> int | None:
    """Where the tick of a claim stands: behind its words. A table, a heading, a formula or an image gets none."""
    if not comment.own_line:
        return comment.start
    end = page.text.rfind("\n", 0, comment.start)
    line = page.text[page.text.rfind("\n", 0, end) + 1 : end].strip(" \t>")
    return (
        None if line.startswith(("|", "#", "!", "$$", "<!--")) or line.endswith(("$$", "-->", ")")) else end
    )


def _claim(ledger: Ledger, comment: pages.Comment) -> Owned:
    lines = ",".join(bound.lines_of(ledger, comment.body))
    tested = not (
        ledger.run.absent and any(names & ledger.run.absent.keys() for *_, names in parse(comment.body))
    )
    value = "True" if tested else ""
    return Owned(
        Numeral("✓", comment.start, comment.start), "claim", " ".join(comment.body.split()), value, lines
    )


def _formula_lines(owners: list[Owned]) -> Iterator[str]:
    """A formula's proof: a line for each expression with its values in order, or what is wrong."""
    yield from dict.fromkeys(owner.wrong for owner in owners if owner.wrong)
    for source, group in itertools.groupby(owners, lambda owner: owner.source or owner.proof):
        shown = [owner.value for owner in group if owner.value]
        short = len(shown) > 3  # many values would cover the page
        values = ", ".join(f"{float(value):.6g}" if short and "." in value else value for value in shown)
        yield f"{source} = {values}" if values else source


def _extent(page: Page, comment: pages.Comment) -> tuple[int, int]:
    """A comment on lines of its own goes with its lines, so that no blank line is left to split a block."""
    if not comment.own_line:
        return comment.start, comment.end
    end = page.text.find("\n", comment.end)
    return page.text.rfind("\n", 0, comment.start) + 1, len(page.text) if end < 0 else end + 1


class _Mark(Preprocessor):
    """Find the page that is being converted, check it, put the marks in."""

    def __init__(self, md: markdown.Markdown, root: Path, shown: Shown) -> None:
        super().__init__(md)
        self.root, self.shown = root, shown

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        self.shown.__init__()
        record = sources.read(self.root / "docs")
        # What mkdocstrings converts for its templates is never a whole page: no need to compare it with each of them.
        inner = "mkdocstrings_headings" in self.md.treeprocessors
        page = None if inner else find_page(text, self.root, record)
        if page is None:
            return self._docstring(text, record)
        ledger = proofs.check(page)
        ledger.problems += figures.problems(page, ledger.run)
        self.shown.ledger = ledger
        for problem in ledger.problems:
            log.warning("%s", problem)
        start = page.text.index(text.strip()[:200], page.body_start)
        body = percent.spaced(marked(ledger, start, self.shown)) + _numbers_fold(page)
        return self._bibliography(body, record).split("\n")

    def _docstring(self, text: str, record: sources.Record) -> list[str]:
        """A text that is no page of ours (a docstring): only what a source or a name owns is marked."""
        page = Page("docstring", text, self.root / "snippets", record)
        if page.comments:
            log.warning("a text that is no page holds a comment of the ledger: %r", page.comments[0].body)
        ledger = Ledger(page, programs.Run([]))
        proofs.own_without_running(ledger)
        return marked(ledger, 0, self.shown).split("\n")

    def _bibliography(self, text: str, record: sources.Record) -> str:
        if BIBLIOGRAPHY not in text:
            return text
        entries = Page("docs/bibliography.toml", sources.as_markdown(record), self.root / "snippets", record)
        ledger = Ledger(entries, programs.Run([]))
        ledger.owned = {n: Owned(n, "cited", "the record of sources") for n in entries.numerals}
        return text.replace(BIBLIOGRAPHY, marked(ledger, 0, self.shown))


def find_page(text: str, root: Path, record: sources.Record) -> Page | None:
    """The page whose text this is. Whoever renders it (MkDocs, Zensical, a test) need not say."""
    wanted = text.strip()
    for path in pages.files(root) if wanted else ():
        if pages.source(path).rstrip().endswith(wanted):
            page = pages.read(path, root, record)
            if page.text[page.body_start :].strip() == wanted:
                return page
    return None


def _numbers_fold(page: Page) -> str:
    file = f"{page.slug}/page_numbers.py"
    if not (page.snippets / file).exists():
        return ""
    block = next(block for block in live.blocks(page) if block.unit.fence is None)
    info = live.info(f'python title="snippets/{file}"', block)
    include = f'    ```{info}\n    --8<-- "{file}"\n    ```\n'
    return f'\n\n??? abstract "What no block above computes"\n\n{include}'


class _Show(Treeprocessor):
    """Turn the marks in the tree into ``<data>`` elements, and give formulas their proofs."""

    def __init__(self, md: markdown.Markdown, shown: Shown) -> None:
        super().__init__(md)
        self.shown = shown

    def run(self, root: etree.Element) -> None:
        self._walk(root, None, [])
        if self.shown.ledger is not None:  # at the page's end; the stash takes HTML that is not to be touched
            etree.SubElement(root, "p").text = self.md.htmlStash.store(count_box(self.shown.ledger).strip())

    def _walk(self, element: etree.Element, block: list[bool] | None, above: list[str]) -> None:
        """``block`` holds whether the block at hand has its Tab stop yet."""
        if element.tag == "table" or (element.tag in _BLOCKS and "table" not in above):
            block = [False]
        if element.tag in _NO_STOP:
            block = None
        for name, text in element.attrib.items():
            if _MARK.search(text):
                element.set(name, self.shown.plain(text))
                self.shown.attributes.add(element.get(name))
        above = [*above, element.tag]
        children: list[etree.Element] = []
        if element.text and _MARK.search(element.text):
            element.text, new = self._split(element.text, block)
            children += new
        for child in list(element):
            tail, child.tail = child.tail, None
            self._walk(child, block, above)
            child = self._formula(child, block)
            children.append(child)
            if tail and _MARK.search(tail):
                child.tail, new = self._split(tail, block)
                children += new
            else:
                child.tail = tail
        element[:] = children

    def _split(self, text: str, block: list[bool] | None) -> tuple[str, list[etree.Element]]:
        first, *rest = _MARK.split(text)
        kind = type(text)  # an AtomicString stays one
        new = []
        for index, after in zip(rest[::2], rest[1::2], strict=True):
            owned = self.shown.owned[int(index)]
            data = etree.Element("data", dict(_attributes(owned)))
            data.text = markdown.util.AtomicString(owned.numeral.text)
            data.tail = kind(after)
            _stop(data, block)
            new.append(data)
        return kind(first), new

    def _formula(self, element: etree.Element, block: list[bool] | None) -> etree.Element:
        index = element.get("data-ledger")
        if index is None:
            return element
        proof, right = self.shown.formulas[int(index)]
        if element.tag == "math":
            element = _wrapped(element)
        classes = [element.get("class", ""), "n", "formula", "" if right else "wrong"]
        element.set("class", " ".join(filter(None, classes)))
        element.set("data-proof", proof)
        if element.tag == "span":
            _stop(element, block)
        return element


def _wrapped(element: etree.Element) -> etree.Element:
    span = etree.Element("span", {"data-ledger": element.attrib.pop("data-ledger")})
    span.append(element)
    return span


def _stop(element: etree.Element, block: list[bool] | None) -> None:
    """One Tab stop a block; the other numbers of the block are reached from it by arrow keys, tap or hover."""
    if block is None:
        return
    element.set("tabindex", "-1" if block[0] else "0")
    block[0] = True


def _attributes(owned: Owned) -> Iterator[tuple[str, str]]:
    yield "class", "n wrong" if owned.wrong else "n claim" if owned.kind == "claim" else "n"
    yield "value", owned.value or numerals.plain(owned.numeral.text)
    if owned.line:
        yield "data-line", owned.line
    if owned.kind not in ("quoted", "named"):
        yield "data-proof", owned.wrong or owned.proof


class _Finish(Postprocessor):
    """Marks that stood inside raw HTML."""

    def __init__(self, md: markdown.Markdown, shown: Shown) -> None:
        super().__init__(md)
        self.shown = shown

    def run(self, text: str) -> str:
        text = _TAG.sub(self._in_tag, text)
        return _MARK.sub(lambda match: _html(self.shown.owned[int(match[1])]), text)

    def _in_tag(self, match: re.Match[str]) -> str:
        if not _MARK.search(match.group()):
            return match.group()
        plain = self.shown.plain(match.group())
        self.shown.attributes.update(html.unescape(value) for value in re.findall(r'"([^"]*)"', plain))
        return plain


def _html(owned: Owned) -> str:
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in _attributes(owned))
    return f"<data{attributes}>{owned.numeral.text}</data>"


def _lines(ledger: Ledger) -> str:
    """The code of the lines that proofs name, once each, for the script that shows them.

    An attribute, not a script element: those lose their id when a page is exchanged without a reload.
    """
    text = json.dumps(ledger.lines, ensure_ascii=False) if ledger.lines else ""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&#39;")
    return f" data-lines='{escaped}'" if text else ""


def count_box(ledger: Ledger) -> str:
    """The box at the page's end: what was checked, or what is wrong."""
    parts = [
        (ledger.blocks - ledger.waiting_blocks, "code block run", "code blocks run"),
        (ledger.outputs - ledger.waiting_outputs, "output compared", "outputs compared"),
        (ledger.count("bound"), "number computed", "numbers computed"),
        (ledger.count("cited"), "number cited", "numbers cited"),
        (
            ledger.count("read"),
            "number in formulas read as arithmetic",
            "numbers in formulas read as arithmetic",
        ),
        (ledger.claims, "claim tested", "claims tested"),
        (len(figures.uses(ledger.page)), "figure compared", "figures compared"),
        (ledger.count("quoted") + ledger.count("named"), "number in code", "numbers in code"),
        (ledger.count("exempt"), "number exempt", "numbers exempt"),
        (
            ledger.waiting_blocks,
            "block left to machines with more packages",
            "blocks left to machines with more packages",
        ),
    ]
    counts = " · ".join(f"<span>{n} {one if n == 1 else many}</span>" for n, one, many in parts if n)
    if ledger.problems:
        items = "".join(f"<li>{html.escape(str(problem))}</li>" for problem in ledger.problems)
        return f'\n<aside class="ledger-count wrong"><p>This page does not hold:</p><ul>{items}</ul></aside>'
    if not counts:
        return ""
    box = f'<aside class="ledger-count" aria-label="What was checked"{_lines(ledger)}>'
    return f"\n{box}\n<p>Checked on this page: {counts}.</p></aside>"


class LedgerExtension(Extension):
    """``sitekit.ledger`` in mkdocs.yml; ``root`` is the folder that holds docs/ and snippets/."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {"root": [".", "the folder that holds docs/ and snippets/"]}
        super().__init__(**kwargs)

    def extendMarkdown(self, md: markdown.Markdown) -> None:
        shown = Shown()
        md.ledger_shown = shown  # for the lint, which walks what was rendered
        root = Path(self.getConfig("root")).resolve()
        md.preprocessors.register(_Mark(md, root, shown), "ledger", 40)  # before snippets are expanded (32)
        md.treeprocessors.register(_Show(md, shown), "ledger", 15)  # after inline markup (20), before toc (5)
        md.postprocessors.register(_Finish(md, shown), "ledger", 8)  # after raw HTML is back (30)


def makeExtension(**kwargs: Any) -> LedgerExtension:
    return LedgerExtension(**kwargs)
