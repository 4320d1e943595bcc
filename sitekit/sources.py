"""The record of sourced figures (docs/bibliography.toml) and the names that hold digits (docs/exempt.toml)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from sitekit import texts
from sitekit.numerals import find

ARXIV = "https://arxiv.org/abs/"


@dataclass(frozen=True)
class Phrase:
    """A text whose numerals are owned wherever it stands: a source's label with its place, or a name."""

    text: str
    kind: str  # "cited" or "exempt"
    proof: str


class NotRecorded(AttributeError):
    """Something is cited that the record does not hold."""


class Entries:
    """Entries of the record as attributes; one that is missing says what there is."""

    def __init__(self, path: str, entries: dict[str, Any]) -> None:
        self.__dict__.update(entries)
        self._path = path

    def __getattr__(self, name: str) -> Any:
        there = ", ".join(key for key in self.__dict__ if key != "_path")
        raise NotRecorded(f"docs/bibliography.toml has no {self._path}{name}: it has {there}")


@dataclass(frozen=True)
class Record:
    """All sources by key, and the phrases that own numerals."""

    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    phrases: tuple[Phrase, ...] = ()
    faults: tuple[tuple[str, int, str], ...] = ()  # what of the files cannot be used: path, line, message

    @property
    def cite(self) -> Entries:
        """The record as a binding sees it: ``cite.vaswani2017.year``, ``cite.vaswani2017.heads``."""
        sources = {
            key: Entries(
                f"{key}.",
                {name: source[name] for name in ("year", "arxiv", "label", "title") if name in source}
                | {name: figure["value"] for name, figure in source.get("figures", {}).items()},
            )
            for key, source in self.sources.items()
        }
        return Entries("", sources)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """One pattern for all phrases, the longest first, as whole words."""
        if not self.phrases:
            return None
        texts = sorted({phrase.text for phrase in self.phrases}, key=len, reverse=True)
        first = "".join({re.escape(text[0]) for text in texts})  # decides fast that nothing starts here
        return re.compile(rf"(?=[{first}])(?<![\w.])(?:" + "|".join(map(_loose, texts)) + r")(?!\w|\.\d|,\d)")

    def phrase(self, text: str) -> Phrase:
        """The phrase that stands behind a matched text (which may hold a line break)."""
        words = " ".join(text.split())
        return next(phrase for phrase in self.phrases if phrase.text == words)

    def near(self, before: str, numeral: str) -> str:
        """What the record has that begins as the text before a numeral ends; empty where nothing does."""
        if re.search(r"https?://\S*$", before):
            return "an address shows its digits: write [words](address), or record the source in docs/bibliography.toml"
        before = " ".join(before.split()) + " " * before[-1:].isspace()
        found = {
            f"docs/{'bibliography' if phrase.kind == 'cited' else 'exempt'}.toml has {phrase.text}": n.text
            for phrase in self.phrases
            for n in find(phrase.text)
            if n.start > 2 and before.endswith(phrase.text[: n.start])
        }
        return "; ".join(
            sorted(found, key=lambda text: -SequenceMatcher(None, found[text], numeral).ratio())[:3]
        )


def _loose(text: str) -> str:
    """The phrase, with a line break allowed where it has a blank."""
    return r"\s+".join(re.escape(word) for word in text.split())


def _labels(key: str, source: dict[str, Any]) -> list[Phrase]:
    label, title = source["label"], source["title"]
    phrases = [Phrase(label, "cited", f"{label}: {title}")]
    places = {*source.get("places", []), *(fig["place"] for fig in source.get("figures", {}).values())}
    phrases += [Phrase(f"{label}, {place}", "cited", f"{title}, {place}") for place in sorted(places)]
    if "arxiv" in source:
        phrases.append(Phrase(f"arXiv {source['arxiv']}", "cited", f"{label}: {title}"))
        phrases.append(Phrase(ARXIV + source["arxiv"], "cited", f"{label}: {title}"))
    if any(find(source.get("url", ""))):
        phrases.append(Phrase(source["url"], "cited", f"{label}: {title}"))
    return phrases


def read(docs: Path) -> Record:
    """Read both files below ``docs``; a missing one is an empty record."""
    files = (docs / "bibliography.toml", docs / "exempt.toml")
    return _read(docs, tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files))


@lru_cache(maxsize=64)
def _read(docs: Path, stamps: tuple[int, ...]) -> Record:
    """The work of ``read``, done again only when a file's time stamp changes: each docstring asks."""
    sources, faults = _load(docs / "bibliography.toml", _source_fault)
    names, more = _load(docs / "exempt.toml", _name_fault)
    phrases = [phrase for key, source in sources.items() for phrase in _labels(key, source)]
    phrases += [Phrase(" ".join(name.split()), "exempt", reason) for name, reason in names.items()]
    return Record(sources, tuple(phrases), (*faults, *more))


Fault = tuple[str, int, str]


def _load(path: Path, fault_of: Callable[[str, Any], str]) -> tuple[dict[str, Any], list[Fault]]:
    """The entries of a file that can be used, and what is wrong with the others."""
    if not path.exists():
        return {}, []
    file = f"{path.parent.name}/{path.name}"
    text, unread = texts.read(path)
    if unread:
        return {}, [(file, line, fault) for line, fault in unread]
    try:
        entries = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        return {}, [(file, line, f"this is no TOML: {re.sub(r' *[(]at .*[)]', '', str(error))}")]
    faults = {key: fault for key, value in entries.items() if (fault := fault_of(key, value))}
    kept = {key: value for key, value in entries.items() if key not in faults}
    return kept, [(file, _line_of(key, text), fault) for key, fault in faults.items()]


def _line_of(key: str, text: str) -> int:
    """The line where an entry begins."""
    match = re.search(rf"""^[ \t]*\[?[ \t]*["']?{re.escape(key)}["']?[ \t]*[\]=.]""", text, re.MULTILINE)
    return text.count("\n", 0, match.start()) + 1 if match else 1


def _name_fault(name: str, reason: Any) -> str:
    if not name.strip():
        return "an exempt name is empty: write the phrase that holds the digits"
    if not isinstance(reason, str) or not reason.strip():
        return f'{name!r} needs its reason as a text: "{name}" = "why it is no number"'
    return ""


def _source_fault(key: str, source: Any) -> str:
    """What an entry of the record lacks, or what has another form than it must."""
    if not isinstance(source, dict):
        return f"{key} is no entry: begin one with [{key}]"
    missing = [name for name in ("label", "authors", "title", "year", "adds") if name not in source]
    if missing:
        return f"[{key}] lacks {', '.join(missing)}"
    for name in ("label", "authors", "title", "adds", "arxiv", "url"):
        if not isinstance(source.get(name, "text"), str) or not source.get(name, "text").strip():
            return f"[{key}] gives {name} as {source[name]!r}: write a text in quotes"
    if type(source["year"]) is not int:
        return f"[{key}] gives year as {source['year']!r}: write a whole number"
    places = source.get("places", [])
    if not isinstance(places, list) or not all(isinstance(place, str) and place for place in places):
        return f"[{key}] gives places as {places!r}: write a list of texts"
    figures = source.get("figures", {})
    whole = isinstance(figures, dict) and all(
        isinstance(figure, dict)
        and "value" in figure
        and all(isinstance(figure.get(name), str) and figure[name] for name in ("of", "place"))
        for figure in figures.values()
    )
    return "" if whole else f'each of [{key}.figures] is written {{ value = …, of = "…", place = "…" }}'


def as_markdown(record: Record) -> str:
    """The bibliography page's list, every figure in it from the record."""
    lines = []
    for key, source in sorted(record.sources.items(), key=lambda item: (item[1]["year"], item[0])):
        where = ""
        if "arxiv" in source:
            where = f" [arXiv {source['arxiv']}]({ARXIV}{source['arxiv']})"
        elif "url" in source:
            where = f" [online]({source['url']})"
        lines += [f"## {source['label']} {{ #{key} }}", ""]
        lines += [f"{source['authors']}: *{source['title']}*.{where}", "", source["adds"], ""]
        for figure in source.get("figures", {}).values():
            lines.append(f"- {figure['of']}: {figure['value']} ({figure['place']})")
        lines.append("")
    return "\n".join(lines)
