"""One style sheet in the place of the theme's, the docstrings' and our own, without the rules that no page can need.

A selector goes when it names a class, an id or an attribute's value that stands in no built page and in no script of
the site; a custom property goes when nothing reads it. Both err towards keeping: any word of any script counts, and a
name that a script begins (``md-tag--``) keeps every name that begins so. The order of what stays is the order it had.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import tinycss2  # type: ignore[import-untyped]

FOLDER = "assets/stylesheets"
_LINK = re.compile(r"<link\b[^>]*\brel=\"?stylesheet\b[^>]*>")
_HREF = re.compile(r"\bhref=(?:\"([^\"]*)\"|([^\s>]+))")
_INLINE = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)
_WORD = re.compile(r"[\w-]+")
_BEGUN = re.compile(r"([A-Za-z][\w-]*[-_])(?=\$\{|[\"'`])")
_READ = re.compile(r"var\(\s*(--[\w-]+)")
_NO_PAGE = re.compile(r"assets/(vendor|javascripts/(workers|lunr))/")  # scripts that reach no page
_ATTRIBUTE = re.compile(r"([a-z][\w-]*)=(\"[^\"]*\"|[^\s>\"]+)")
_ANY_OF = {"is", "where", "has", "matches", "any"}  # pseudo-classes that need one of their selectors to match
_BY_PAGES_ALONE = {"dir"}  # attributes that no script sets
# What the theme's script makes only where a page holds something of the same family.
_FAMILIES = (
    *("footnote", "mermaid", "md-mermaid", "tabbed"),
    *("md-annotation", "md-source", "md-status", "md-tag", "md-version"),
)
_NESTED = {"media", "supports", "layer", "container"}  # at-rules that hold rules


class Names:
    """The names that stand in pages and scripts."""

    def __init__(self, pages: Iterable[str], scripts: Iterable[str]) -> None:
        self.values: dict[str, set[str]] = {}  # of each attribute, its words and its whole values
        self.words: set[str] = set()  # of scripts
        self.begun: set[str] = set()
        for page in pages:
            for name, value in set(_ATTRIBUTE.findall(page)):
                value = value.strip('"')
                self.values.setdefault(name, set()).update((value, *value.split()))
            for script in _INLINE.findall(page):
                self._read(script)
        for script in scripts:
            self._read(script)

    def _read(self, script: str) -> None:
        self.words.update(_WORD.findall(script))
        self.begun.update(_BEGUN.findall(script))

    def in_script(self, name: str) -> bool:
        family = next((one for one in _FAMILIES if name.removeprefix("--").startswith(one)), None)
        if family and not any(held.startswith(family) for held in self.values.get("class", ())):
            return False
        return name in self.words or any(name.startswith(begun) for begun in self.begun)

    def hold(self, attribute: str, value: str) -> bool:
        if value in self.values.get(attribute, ()):
            return True
        return attribute not in _BY_PAGES_ALONE and self.in_script(value)


def possible(selector: list[Any], names: Names) -> bool:
    """Whether an element could match, going by the names alone."""
    for at, token in enumerate(selector):
        before = selector[at - 1] if at else None
        if token.type == "hash" and not names.hold("id", token.value):
            return False
        if token.type == "ident" and before == "." and not names.hold("class", token.value):
            return False
        if token.type == "[] block" and not _held(token.content, names):
            return False
        if token.type == "function" and token.lower_name.removeprefix("-webkit-") in _ANY_OF:
            inner = _split(token.arguments)
            if not any(possible(one, names) for one in inner):
                return False
    return True


def _held(content: list[Any], names: Names) -> bool:
    """Whether an attribute can be as a selector asks; asked for by a part of its value, whether it is there."""
    parts = [token for token in content if token.type != "whitespace"]
    value = next((token.value for token in parts[1:] if token.type in ("ident", "string")), None)
    if value is None or not any(token in ("=", "~=") for token in parts):
        return parts[0].value in names.values or names.in_script(parts[0].value)
    return names.hold(parts[0].value, value)


def _split(tokens: list[Any]) -> list[list[Any]]:
    """The selectors of a list."""
    found: list[list[Any]] = [[]]
    for token in tokens:
        if token == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def purged(sheet: str, names: Names) -> str:
    """The sheet without rules that cannot match, without comments and needless blanks."""
    return "".join(_rules(tinycss2.parse_stylesheet(sheet), lambda one: possible(one, names), lambda _: True))


def without_unread(sheet: str, elsewhere: set[str]) -> str:
    """The sheet without custom properties that neither it nor ``elsewhere`` reads, again until none is left."""
    while True:
        read = set(_READ.findall(sheet)) | elsewhere
        rules = tinycss2.parse_stylesheet(sheet)
        shorter = "".join(_rules(rules, lambda _: True, read.__contains__))
        if shorter == sheet:
            return sheet
        sheet = shorter


def _rules(
    rules: list[Any], can_match: Callable[[list[Any]], bool], is_read: Callable[[str], bool]
) -> Iterable[str]:
    for rule in rules:
        if rule.type == "error":
            raise ValueError(f"line {rule.source_line} of a style sheet: {rule.message}")
        if rule.type == "qualified-rule":
            kept = [_short(one) for one in _split(rule.prelude) if can_match(one)]
            if kept and (block := ";".join(_declarations(rule.content, is_read))):
                yield f"{','.join(kept)}{{{block}}}"
        elif rule.type == "at-rule":
            start = f"@{rule.at_keyword} {_short(rule.prelude)}".strip()
            if rule.content is None:
                yield "" if rule.lower_at_keyword == "charset" else f"{start};"
            elif rule.lower_at_keyword not in _NESTED:
                yield f"{start}{{{_short(rule.content)}}}"
            elif block := "".join(_rules(tinycss2.parse_rule_list(rule.content), can_match, is_read)):
                yield f"{start}{{{block}}}"


def _declarations(content: list[Any], is_read: Callable[[str], bool]) -> Iterable[str]:
    for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if item.type != "declaration":
            raise ValueError(f"line {item.source_line} of a style sheet: a rule within a rule is not taken")
        if not item.name.startswith("--") or is_read(item.name):
            yield f"{item.name}:{_short(item.value)}{'!important' if item.important else ''}"


def _short(tokens: list[Any]) -> str:
    return str(tinycss2.serialize(list(_plain(tokens)))).strip()


def _plain(tokens: list[Any]) -> Iterable[Any]:
    """The tokens without comments, each run of blanks as one."""
    for token in tokens:
        if token.type == "whitespace":
            token.value = " "
        for part in ("content", "arguments"):
            if isinstance(inner := getattr(token, part, None), list):
                inner[:] = _plain(inner)
        if token.type != "comment":
            yield token


def linked(page: str) -> list[tuple[str, str]]:
    """The links to style sheets of a page: the tag, and the address that it names."""
    found = []
    for tag in _LINK.findall(page):
        quoted, bare = _HREF.search(tag).groups()  # type: ignore[union-attr]
        found.append((tag, quoted or bare))
    return found


def unite(folder: Path) -> None:
    """Let all pages of the site built in ``folder`` link one sheet, and take away those that it stands for."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}
    places = [(tag, href[href.index("assets/") :]) for tag, href in linked(pages[folder / "index.html"])]
    scripts = [
        path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.js"))
        if not _NO_PAGE.search(path.relative_to(folder).as_posix())
    ]
    names = Names(pages.values(), scripts)
    sheets = [(folder / place).read_text(encoding="utf-8") for _, place in places]
    late = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("assets/**/widgets/**/*.css"))]
    late.append((folder / FOLDER / "widgets.css").read_text(encoding="utf-8"))
    others = (*late, *pages.values(), *scripts)
    read = {word for text in others for word in re.findall(r"--[a-z][\w-]+", text)}
    read = {word for word in read if names.in_script(word) or not word.startswith("--md-")}
    text = '@charset "UTF-8";' + without_unread("".join(purged(sheet, names) for sheet in sheets), read)
    place = f"{FOLDER}/site.{hashlib.sha256(text.encode()).hexdigest()[:8]}.css"
    (folder / place).write_text(text, encoding="utf-8", newline="\n")
    for path, page in pages.items():
        first = True
        for tag, href in linked(page):
            page = page.replace(
                tag, tag.replace(href, href.partition("assets/")[0] + place) if first else "", 1
            )
            first = False
        path.write_text(page, encoding="utf-8", newline="\n")
    for _, old in places:
        (folder / old).unlink()
        (folder / f"{old}.map").unlink(missing_ok=True)
