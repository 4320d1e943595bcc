"""The Markdown extension that leads from a term to the glossary: its first use on a page shows the definition.

The glossary page is the only source. There a heading is a term, the paragraph below it the definition, and a line
``*Also: …*`` lists other names. In a lesson, a lab or an exercise the first use of each, outside headings, links, code,
tables, folds and words that are set off, becomes a link whose title is the definition: shown on hover and on focus.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as etree

import markdown
from markdown.extensions import Extension
from markdown.extensions.toc import slugify
from markdown.treeprocessors import Treeprocessor

from sitekit import texts

GLOSSARY = "docs/study/glossary.md"
SHOWN_IN = ("docs/lessons/", "docs/labs/", "docs/exercises/")
_SECTION = re.compile(
    r"^## (?P<name>[^\n{]+?)[ ]*(?:\{ #(?P<anchor>[\w-]+) \})?\n+(?P<body>.*?)(?=^## |\Z)", re.M | re.S
)
_ALSO = re.compile(r"^\*Also: (?P<names>[^*]+?)\.?\*$", re.M)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
# No term is looked for in these: they are links, names, or not running text.
_SKIPPED = {"a", "abbr", "button", "code", "data", "details", "em", "math", "pre", "summary", "svg", "table"}
_SKIPPED |= {f"h{level}" for level in range(1, 7)}


@dataclass(frozen=True)
class Term:
    """An entry of the glossary."""

    name: str
    anchor: str
    names: tuple[str, ...]  # the term and its other names
    definition: str

    @property
    def forms(self) -> list[str]:
        """Each name in the singular and in the plural."""
        return [form for name in self.names for form in (name, plural(name))]


def plural(name: str) -> str:
    for ending, many in (("ix", "ices"), ("x", "xes"), ("ry", "ries")):
        if name.endswith(ending):
            return name.removesuffix(ending) + many
    return name + "s"


def read(root: Path) -> tuple[Term, ...]:
    """The terms of the glossary page; none where there is no such page."""
    path = root / GLOSSARY
    return _read(path, path.stat().st_mtime_ns) if path.exists() else ()


@lru_cache(maxsize=8)
def _read(path: Path, stamp: int) -> tuple[Term, ...]:
    text, _ = texts.read(path)
    return tuple(_term(match) for match in _SECTION.finditer(_COMMENT.sub("", text)))


def _term(match: re.Match[str]) -> Term:
    name, body = match["name"], match["body"]
    also = _ALSO.search(body)
    names = (name, *(other.strip() for other in also["names"].split(","))) if also else (name,)
    definition = " ".join(re.sub(r"[*`]", "", body.split("\n\n")[0]).split())
    return Term(name, match["anchor"] or slugify(name, "-"), names, definition)


@lru_cache(maxsize=64)
def pattern(terms: tuple[Term, ...]) -> tuple[re.Pattern[str], dict[str, Term]]:
    """One pattern for all forms, the longest first, and the term of each form."""
    by_form = {form.lower(): term for term in terms for form in term.forms}
    longest = sorted(by_form, key=len, reverse=True)
    words = "|".join(r"\s+".join(map(re.escape, form.split())) for form in longest)
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE), by_form


class _Terms(Treeprocessor):
    def __init__(self, md: markdown.Markdown, root: Path) -> None:
        super().__init__(md)
        self.root = root

    def run(self, root: etree.Element) -> None:
        ledger = getattr(getattr(self.md, "ledger_shown", None), "ledger", None)
        path = ledger.page.path if ledger else ""
        left_out = {str(name).lower() for name in ledger.page.meta.get("no_terms", [])} if ledger else set()
        terms = tuple(term for term in read(self.root) if term.name.lower() not in left_out)
        if path.startswith(SHOWN_IN) and terms:
            href = Path(os.path.relpath(GLOSSARY, Path(path).parent)).as_posix()
            _Page(terms, href).walk(root)


class _Page:
    """The walk over one page, which remembers what was marked."""

    def __init__(self, terms: tuple[Term, ...], href: str) -> None:
        self.pattern, self.by_form = pattern(terms)
        self.href, self.marked = href, set[str]()

    def walk(self, element: etree.Element) -> None:
        if element.tag in _SKIPPED or "admonition-title" in element.get("class", ""):
            return
        children: list[etree.Element] = []
        element.text, new = self.split(element.text)
        children += new
        for child in list(element):
            self.walk(child)
            child.tail, new = self.split(child.tail)
            children += [child, *new]
        element[:] = children

    def split(self, text: str | None) -> tuple[str | None, list[etree.Element]]:
        """The text up to the first term that is new here, and that term and what follows as links."""
        if not text or isinstance(text, markdown.util.AtomicString):
            return text, []
        links: list[etree.Element] = []
        before, reached = text, 0
        for match in self.pattern.finditer(text):
            term = self.by_form[" ".join(match.group().lower().split())]
            if term.anchor in self.marked:
                continue
            self.marked.add(term.anchor)
            title = {"class": "term", "href": f"{self.href}#{term.anchor}", "title": term.definition}
            link = etree.Element("a", title)
            link.text = match.group()
            if links:
                links[-1].tail = text[reached : match.start()]
            else:
                before = text[: match.start()]
            links.append(link)
            reached = match.end()
        if links:
            links[-1].tail = text[reached:]
        return before, links


class TermsExtension(Extension):
    """``sitekit.terms`` in mkdocs.yml; ``root`` is the folder that holds docs/."""

    def __init__(self, **kwargs: Any) -> None:
        self.config = {"root": [".", "the folder that holds docs/"]}
        super().__init__(**kwargs)

    def extendMarkdown(self, md: markdown.Markdown) -> None:
        root = Path(self.getConfig("root")).resolve()
        md.treeprocessors.register(_Terms(md, root), "terms", 12)  # after the ledger (15), before links (0)


def makeExtension(**kwargs: Any) -> TermsExtension:
    return TermsExtension(**kwargs)
