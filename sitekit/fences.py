"""The fenced blocks of a page: which there are, what each is, what it holds once its includes are expanded.

Sybil's lexer finds the fences (in lists, quotes, admonitions and tabs too); the info line is read here in every
form that Material's users write: ``python``, ``py title="…"``, ``{ .python .annotate }``, trailing blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import markdown
from pymdownx.snippets import SnippetExtension, SnippetMissingError, SnippetPreprocessor
from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from sitekit import texts

LEXER = RawFencedCodeBlockLexer(re.compile(r"(?P<info>[^\n]*)(?:\n|\Z)"))
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE_SPAN = re.compile(r"(`+)(?!`)[^\n]+?(?<!`)\1(?!`)")
INCLUDE = re.compile(r"^\s*--8<--\s+(?P<quote>[\"'])(?P<target>[^\"']+)(?P=quote)\s*$")
_PYTHON = {"python", "py", "python3", "py3"}
_OUTPUT = {"", "text", "output", "txt", "console-output"}
ATTRIBUTE = re.compile(r"""([\w-]+)=("[^"]*"|'[^']*'|[^\s}]+)""")


@dataclass(frozen=True)
class Fence:
    """A fenced block: ``start`` and ``end`` are offsets in the page, ``line`` is that of its opening fence."""

    start: int
    end: int
    line: int
    prefix: str
    info: str
    code: str
    code_start: int
    kind: str  # "python", "pycon", "shell", "tree", "output" or "unowned"
    title: str = ""
    fails: bool = False
    program: str = ""  # the file below snippets/ that this block shows
    region: str = ""
    problem: str = ""

    @property
    def code_line(self) -> int:
        """The line of the page on which the block's first line of code stands."""
        return self.line + 1


def _kind(info: str) -> tuple[str, str, bool]:
    """Return the kind, the title and whether the block is meant to fail."""
    body = info.strip()
    options = dict(ATTRIBUTE.findall(body))
    title = options.get("title", "").strip("\"'")
    bare = ATTRIBUTE.sub(" ", body).strip("{} ")
    words = bare.split()
    classes = [word.lstrip(".") for word in words]
    language = classes[0].lower() if classes else ""
    if language in _PYTHON:
        return "python", title, "fails" in classes
    if language in ("pycon", "python-console", "pytb"):
        return "pycon", title, False
    if language in ("sh", "bash", "shell", "console"):
        return "shell", title, False
    if language == "tree":
        return "tree", title, False
    if language in _OUTPUT:
        return "output", title, False
    return "unowned", title, False


def _expand(code: str, snippets: Path) -> str:
    """Expand the ``--8<--`` lines of a block with the preprocessor that the site is built with."""
    targets = [match["target"].partition(":")[0] for match in map(INCLUDE.match, code.splitlines()) if match]
    files = [snippets / target for target in targets]
    return _expanded(code, snippets, tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files))


@lru_cache(maxsize=512)
def _expanded(code: str, snippets: Path, stamps: tuple[int, ...]) -> str:
    """The work of ``_expand``, done again only when a file's time stamp changes."""
    extension = SnippetExtension(base_path=[str(snippets)], check_paths=True, dedent_subsections=True)
    return "\n".join(SnippetPreprocessor(extension.getConfigs(), markdown.Markdown()).run(code.split("\n")))


def find(text: str, path: str, snippets: Path) -> Iterator[Fence]:
    """Yield the page's fences in order; one inside another (a fence that is shown) is not its own."""
    reached = -1
    for region in sorted(LEXER(Document(text, path)), key=lambda region: (region.start, -region.end)):
        if region.start < reached:
            continue
        comment = _COMMENT.search(
            _CODE_SPAN.sub(_blank, text[max(reached, 0) : region.start]) + text[region.start :]
        )
        if comment and comment.start() < region.start - max(reached, 0) < comment.end():
            continue  # commented out: no reader sees it, and nothing may be proved by it
        reached = region.end
        source = region.lexemes["source"]
        kind, title, fails = _kind(region.lexemes["info"])
        opening = text[region.start : text.find("\n", region.start) + 1 or len(text)]
        fence = Fence(
            start=region.start,
            end=region.end,
            line=text.count("\n", 0, region.start) + 1,
            prefix=re.match(r"[ \t>]*", opening).group(),
            info=region.lexemes["info"].strip(),
            code=source.text,
            code_start=region.start + source.offset,
            kind=kind,
            title=title,
            fails=fails,
            problem=_never_closed(text[region.start : region.end].rstrip("\n"), text, region.start),
        )
        if kind == "output" and not fence.problem:
            fence = replace(fence, code=_as_written(fence, text))
        yield _with_includes(fence, snippets) if not fence.problem else fence


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _as_written(fence: Fence, text: str) -> str:
    """The lines of a block to the letter; the lexer takes away the blanks that all of them begin with."""
    lines = text[fence.code_start : text.rindex("\n", 0, fence.end)].split("\n")
    return "".join(line[len(fence.prefix) :] + "\n" for line in lines)


def _never_closed(block: str, text: str, start: int) -> str:
    """What is wrong with a block that runs on to the next one or to the end of the page."""
    opening, *lines = block.split("\n")
    mark = re.search(r"`{3,}|~{3,}", opening).group()
    for number, line in enumerate(lines, text.count("\n", 0, start) + 2):
        if re.match(rf"[ \t>]*{mark}+[^\s`~]", line):
            return f"this block is never closed: another begins in line {number}"
    if not lines or not re.fullmatch(rf"[ \t>]*{mark}+[ \t]*", lines[-1]):
        return f"this block is never closed: end it with {mark} on a line of its own"
    return ""


def _unreadable(name: str, region: str, snippets: Path) -> str:
    """Why a file that is there, or a region of it, cannot be included."""
    file = snippets / name
    if not file.resolve().is_relative_to(snippets.resolve()):
        return f"the include {name} lies elsewhere: name a file below {snippets.name}/"
    if file.is_dir():
        return f"the include {name} is a folder: name a file below {snippets.name}/"
    if not file.exists():
        return ""
    text, faults = texts.read(file)
    marks = re.findall(rf"--8<--\s*\[\s*(start|end)\s*:\s*{re.escape(region)}\s*\]", text) if region else []
    if "start" in marks and "end" not in marks:
        return f"the region {region} of {name} is never closed: end it with # --8<-- [end:{region}]"
    return "".join(f"{snippets.name}/{name}:{line}: {fault}" for line, fault in faults)


def _with_includes(fence: Fence, snippets: Path) -> Fence:
    lines = [line for line in fence.code.splitlines() if line.strip()]
    targets = [INCLUDE.match(line) for line in lines]
    if not any("--8<--" in line for line in lines):
        return fence
    for target in filter(None, targets):
        name, _, region = target["target"].partition(":")
        if problem := _unreadable(name, region, snippets):
            return replace(fence, problem=problem)
    try:
        expanded = _expand(fence.code, snippets)
    except SnippetMissingError as error:
        return replace(fence, problem=f"{error} (looked below {snippets.name}/)")
    if len(lines) == 1 and targets[0]:
        program, _, region = targets[0]["target"].partition(":")
        if re.fullmatch(r"[\d:,-]+", region):
            problem = "an include names a region, never lines, which drift: mark one by # --8<-- [start:name]"
            return replace(fence, problem=problem)
        return replace(fence, code=expanded, program=program, region=region)
    return replace(fence, code=expanded)
