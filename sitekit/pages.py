"""A page as the ledger sees it: its fences, its comments, and each numeral that a reader can see.

Everything is kept by offsets into the page's own text, so that an error names its line and an update
can rewrite the literal in place.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import yaml

from sitekit import fences, numerals, percent, texts
from sitekit.fences import Fence
from sitekit.numerals import Numeral
from sitekit.sources import Record

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?\n)(?:---|\.\.\.)[ \t]*\n", re.DOTALL)  # as MkDocs
# What a browser takes for an element; any other <word is no tag, and would vanish from the page.
_TAGS = (
    "abbr address article aside audio a blockquote bdi bdo big br button b caption center cite code colgroup col data "
    "datalist dd del details dfn dialog div dl dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header "
    "hgroup hr iframe img input ins i kbd label legend link li main map mark math meta meter nav object ol optgroup "
    "option output picture progress pre p q rp rt ruby samp script section select small source span strong style sub "
    "summary sup svg g path circle rect line text tspan s "
    "table tbody td template textarea tfoot thead th time title track tr u ul var video wbr attn-[a-z]+"
)
_TOKEN = re.compile(
    r"""(?=[\\<`$\[\]&{]|^)(?:  # the first character decides fast that nothing starts here
    (?P<escape>\\[^\w\n])
  | (?P<comment><!--(?P<body>.*?)-->)
  | (?P<code>(?P<ticks>`+)(?!`)(?P<codetext>(?:[^\n]|\n(?![ \t]*\n))+?)(?<!`)(?P=ticks)(?!`))
  | (?P<display>\$\$(?P<displaytex>(?:[^\n]|\n(?![ \t]*\n))+?)\$\$)
  | (?P<math>\$(?![\s$])(?P<tex>(?:\\.|[^\\$\n]|\n(?![ \t]*\n))+?)(?<!\s)\$(?![\d$]))
  | (?P<footnote>\[\^[^\]\n]+\]:?)
  | (?P<link>\]\([ ]*(?:<[^>\n]*>|(?:[^()\s]|\([^()\s]*\))*)|\]\[[^\]\n]+\](?=[^(\[]|\Z))
  | (?P<reference>^[ ]{0,3}\[[^\]\n]+\]:[ \t]*\S+)
  | (?P<html></?(?:@TAGS@)\b(?:[^<>"'\n]|\n(?![ \t]*\n)|"(?:[^"\n]|\n(?![ \t]*\n))*"|'(?:[^'\n]|\n(?![ \t]*\n))*')*>)
  | (?P<entity>&\#?\w+;)
  | (?P<attrs>\{:?[ ]*(?:[\#.][\w-]+|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s}]+))(?:[ ]+[^}\n]*)?\})
  | (?P<autodoc>^:::[ ][^\n]*(?:\n[ ]{4}[^\n]*)*)  # what mkdocstrings renders, with its options
  | (?P<marker>^[ \t>]*\d+\.(?=[ \t]))
    )""".replace("@TAGS@", "|".join(_TAGS.split())),
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_NO_NEWLINE = re.compile(r"[^\n]")
_ATTRIBUTE = re.compile(r"""\b(?:alt|title|aria-label)=(?:"([^"]*)"|'([^']*)')""")
_OPENER = re.compile(r"[ \t>]*(?:[-*+:]|\d+\.|\[\^[^\]]+\]:)[ \t]|[ \t>]*(?:!!!|\?\?\?\+?|===!?\+?)[ \t]")
_HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]")
_VISIBLE_META = re.compile(
    r"^(?P<key>title|description)[ \t]*:(?P<value>.*(?:\n[ \t]+(?![ \t#]).*)*)$", re.MULTILINE
)
_META_COMMENT = re.compile(r"\A\n[ \t]*#=(?P<body>.*)$", re.MULTILINE)
_LEDGER = re.compile(r"(?P<mark>=|\?|tex\b)(?P<body>.*)\Z", re.DOTALL)
_ALMOST = re.compile(r"\s+(?:=|\?|tex\b)")
_PROBLEM_INCLUDE = re.compile(r"^[ \t]*-+8<-+.*$", re.MULTILINE)


@dataclass(frozen=True)
class Problem:
    """Something wrong, at a line of a file."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Span:
    """A code span or formula: ``start`` and ``end`` with its delimiters, ``inner`` where its text starts."""

    kind: str  # "code", "math" or "display"
    start: int
    end: int
    inner: int
    text: str
    numerals: tuple[Numeral, ...]


@dataclass(frozen=True)
class Comment:
    """One comment of the ledger. ``mark`` is ``=`` (values), ``?`` (a claim) or ``tex`` (a formula is read)."""

    mark: str
    body: str
    start: int
    end: int
    line: int
    own_line: bool


@dataclass(frozen=True)
class Page:
    """The text of a page and all that was found in it."""

    path: str
    text: str
    snippets: Path
    record: Record = field(default_factory=Record)
    faults: tuple[tuple[int, str], ...] = ()  # what keeps a lab from being read: line, message

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def problem(self, offset: int, message: str) -> Problem:
        return Problem(self.path, self.line(offset), message)

    @cached_property
    def slug(self) -> str:
        return Path(self.path).stem

    @cached_property
    def body_start(self) -> int:
        match = FRONT_MATTER.match(self.text)
        return match.end() if match else 0

    @cached_property
    def fences(self) -> list[Fence]:
        body = _NO_NEWLINE.sub(" ", self.text[: self.body_start]) + self.text[self.body_start :]
        return list(fences.find(body, self.path, self.snippets))

    @cached_property
    def _prose(self) -> str:
        """The text with front matter and fences blanked: same length, same lines."""
        parts, reached = [_NO_NEWLINE.sub(" ", self.text[: self.body_start])], self.body_start
        for fence in self.fences:
            parts += [
                self.text[reached : fence.start],
                _NO_NEWLINE.sub(" ", self.text[fence.start : fence.end]),
            ]
            reached = fence.end
        return "".join([*parts, self.text[reached:]])

    @cached_property
    def _tokens(self) -> list[re.Match[str]]:
        return list(_TOKEN.finditer(self._prose))

    @cached_property
    def spans(self) -> list[Span]:
        """Code spans and formulas, in order."""
        found = []
        for token in self._tokens:
            for kind, group in (("code", "codetext"), ("math", "tex"), ("display", "displaytex")):
                if token[kind] is not None:
                    inner, text = token.start(group), token[group]
                    reader = numerals.find(text) if kind == "code" else numerals.find_tex(text)
                    moved = tuple(Numeral(n.text, inner + n.start, inner + n.end) for n in reader)
                    found.append(Span(kind, token.start(), token.end(), inner, text, moved))
        return found

    @cached_property
    def comments(self) -> list[Comment]:
        """The ledger's comments, in order; one inside a code span is text, not a comment."""
        found = []
        for token in self._tokens:
            match = _LEDGER.match(token["body"]) if token["comment"] is not None else None
            if match:
                line_start = self.text.rfind("\n", 0, token.start()) + 1
                line_end = self.text.find("\n", token.end())
                before = self.text[line_start : token.start()]
                after = self.text[token.end() : len(self.text) if line_end < 0 else line_end]
                own = not before.strip(" \t>") and not after.strip()
                mark, body = match["mark"], match["body"].strip()
                found.append(Comment(mark, body, token.start(), token.end(), self.line(token.start()), own))
        return found

    @cached_property
    def masked(self) -> str:
        """What a reader sees as prose: everything else (code, formulas, targets, tags) is filled with NUL."""
        parts, reached = [], 0
        for token in self._tokens:
            parts += [self._prose[reached : token.start()], _NO_NEWLINE.sub("\0", token.group())]
            reached = token.end()
            if token["html"] is not None:
                for match in _ATTRIBUTE.finditer(token["html"]):
                    start, end = match.span(1 if match[1] is not None else 2)
                    hidden = parts[-1]
                    parts[-1] = hidden[:start] + token["html"][start:end] + hidden[end:]
        return "".join([*parts, self._prose[reached:]])

    @cached_property
    def html(self) -> list[tuple[int, str]]:
        """Tags and comments of HTML, each with its offset."""
        found = ((t.start(), t["html"] or t["comment"]) for t in self._tokens)
        return [(start, text) for start, text in found if text]

    @cached_property
    def markers(self) -> list[tuple[int, int]]:
        """What each item of a numbered list is numbered by in the source, with its offset."""
        found = (
            (t.end() - len(t["marker"].lstrip(" \t>")), t["marker"]) for t in self._tokens if t["marker"]
        )
        return [(start, int(text.strip(" \t>."))) for start, text in found]

    @cached_property
    def targets(self) -> list[tuple[int, str]]:
        """Where links and images lead, each with the offset of the bracket that closes its text."""
        return [(t.start(), t["link"]) for t in self._tokens if t["link"]]

    @cached_property
    def numerals(self) -> list[Numeral]:
        """Every numeral of the body outside the fences, in order of reading."""
        found = [*numerals.find(self.masked), *(n for span in self.spans for n in span.numerals)]
        return sorted(found, key=lambda numeral: numeral.start)

    @cached_property
    def meta(self) -> dict[str, Any]:
        """The front matter of a page that holds; what is wrong with one is among the problems of its markup."""
        match = FRONT_MATTER.match(self.text)
        return yaml.safe_load(match["yaml"]) if match else {}

    @cached_property
    def phrases(self) -> list[tuple[int, int, str]]:
        """Where phrases of the record (sources, names) stand in the prose: (start, end, text)."""
        pattern = self.record.pattern
        return [(*m.span(), m.group()) for m in pattern.finditer(self.masked)] if pattern else []

    @cached_property
    def unreadable(self) -> list[tuple[int, str]]:
        """Numerals that are no digits of ours (½, ², &#49;), in the prose and in what is seen of the front matter."""
        seen = [(0, self.masked), *((m.start("value"), m["value"]) for m in self._visible_meta)]
        found = [
            (start + match.start(), match.group())
            for start, text in seen
            for match in _NOT_ASCII.finditer(text)
            if match.group().isnumeric()
        ]
        entities = [token for token in self._tokens if token["entity"] is not None]
        found += [(t.start(), t.group()) for t in entities if html.unescape(t.group()).isnumeric()]
        return sorted(found)

    @cached_property
    def _visible_meta(self) -> list[re.Match[str]]:
        return list(_VISIBLE_META.finditer(self.text, 0, self.body_start))

    @cached_property
    def meta_numerals(self) -> list[tuple[Numeral, re.Match[str] | None]]:
        """The numerals of title and description, each with the comment that binds its line."""
        found = []
        for match in self._visible_meta:
            comment = _META_COMMENT.match(self.text[match.end() : self.body_start])
            found += [(n, comment) for n in numerals.find(self.text, *match.span("value"))]
        return found

    @cached_property
    def meta_comments(self) -> list[tuple[Comment, list[Numeral]]]:
        """The ``#=`` comments of the front matter with the numerals of the line above."""
        found = []
        for match in self._visible_meta:
            comment = _META_COMMENT.match(self.text[match.end() : self.body_start])
            if comment:
                start, end = match.end() + comment.start(), match.end() + comment.end()
                item = Comment("=", comment["body"].strip(), start + 1, end, self.line(start + 1), True)
                found.append((item, list(numerals.find(self.text, *match.span("value")))))
        return found

    def block_above(self, comment: Comment) -> tuple[int, int] | None:
        """The offsets of the block that an own-line comment stands below, or None below a blank line.

        It is the run of lines above that are not blank, up to another comment of the ledger or a heading. An
        indented comment belongs to the item, admonition, tab or footnote whose text is indented like it. A claim
        takes no numerals, so it may share its block with another comment, in either order.
        """
        first = self.text.rfind("\n", 0, comment.start) + 1
        indent = _indent(self.text[first : comment.start])
        start = end = first - 1
        claim = comment.mark == "?"
        stops = [other.end for other in self._own_comments if other.mark != "?" and not claim]
        for line_start in self._lines_upward(first):
            line_end = self.text.find("\n", line_start)
            line = self._prose[line_start:line_end]
            if not line.strip(" \t>") or any(line_start <= stop - 1 < line_end for stop in stops):
                break
            if _HEADING.match(line) and start != end:
                break
            if _indent(line) < indent:
                if _OPENER.match(line):
                    start = line_start
                break
            start = line_start
            if _HEADING.match(line):
                break
        return (start, end) if start < end else None

    @cached_property
    def _own_comments(self) -> list[Comment]:
        return [comment for comment in self.comments if comment.own_line]

    def follows_comment(self, comment: Comment) -> bool:
        """Whether the line above a comment on its own line ends another comment."""
        line_end = self.text.rfind("\n", 0, comment.start)
        line_start = self.text.rfind("\n", 0, line_end) + 1
        return any(line_start < other.end <= line_end for other in self._own_comments)

    def _lines_upward(self, offset: int) -> Iterator[int]:
        while offset > self.body_start:
            offset = self.text.rfind("\n", 0, offset - 1) + 1
            yield offset

    def markup_problems(self) -> Iterator[Problem]:
        """Markup that looks like the ledger's and isn't, and includes where no fence holds them."""
        yield from (Problem(*fault) for fault in self.record.faults)
        yield from (Problem(self.path, line, message) for line, message in self.faults)
        reason = _meta_problem(self.text[: self.body_start])
        if reason:
            yield Problem(self.path, 1, reason)
        for token in self._tokens:
            if token["comment"] is not None and _ALMOST.match(token["body"]):
                yield self.problem(
                    token.start(), "a comment of the ledger has no blank after <!--: write <!--= …"
                )
        for match in _PROBLEM_INCLUDE.finditer(self._prose):
            yield self.problem(
                match.start(), "an include stands outside a fenced block: its numerals would be unseen"
            )
        for match in re.finditer(r"<!--(?:=|\?|tex\b)(?:(?!-->).)*\Z", self._prose, re.DOTALL):
            yield self.problem(match.start(), "this comment is never closed: end it with -->")


@lru_cache(maxsize=1024)
def _meta_problem(text: str) -> str | None:
    """Front matter that is no YAML would be shown as text, without a word."""
    try:
        meta = yaml.safe_load(FRONT_MATTER.match(text)["yaml"]) if text else {}
    except ValueError as error:  # a date that is none
        return f"the front matter cannot be read: {error}"
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        where = f" (its line {place.line + 2})" if place else ""
        return f"the front matter is no valid YAML{where}: put texts that hold a colon into quotes"
    if not isinstance(meta, dict):
        return "the front matter is no list of `name: value` lines"
    listed = meta.get("survivors", [])
    whole = isinstance(listed, list) and all(
        isinstance(item, dict) and all(isinstance(item.get(name), str) for name in ("code", "reason"))
        for item in listed
    )
    return None if whole else "survivors in the front matter is a list of entries with code and reason"


def _indent(line: str) -> int:
    """The width of a line's indentation, quote marks included."""
    return len(re.match(r"[ \t>]*", line).group().expandtabs(4))


def read(path: Path, root: Path, record: Record) -> Page:
    """Read a page or a lab; its path is kept relative to the project's root, as errors name it."""
    text, faults = texts.read(path)
    faults += tuple(percent.faults(text)) if path.suffix == ".py" else ()
    return Page(path.relative_to(root).as_posix(), source(path), root / "snippets", record, faults)


def files(root: Path) -> list[Path]:
    """All pages of the site, labs among them, in the order of their paths; hidden files are none, as in MkDocs."""
    docs = root / "docs"
    found = sorted([*docs.rglob("*.md"), *(docs / "labs").glob("*.py")])
    return [path for path in found if path.is_file() and not is_hidden(path.relative_to(docs))]


def is_hidden(path: Path) -> bool:
    """Whether a path below docs/ is what an editor or a system left there (.#page.md, .ipynb_checkpoints)."""
    return any(part.startswith(".") for part in path.parts)


def source(path: Path) -> str:
    """The Markdown of a page; a lab's is made from its cells."""
    text, _ = texts.read(path)
    return percent.as_markdown(text) if path.suffix == ".py" else text
