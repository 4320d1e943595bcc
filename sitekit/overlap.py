"""Whether a page holds a sentence of someone else's: ``python -m sitekit.overlap TEXT…`` compares all pages with texts.

Eight words in a row that stand in a page and in one of the texts are reported, with their line. Left out are titles
of recorded sources, what a page sets off as an example (*in emphasis*), code and formulas. The texts are given anew
each time; none is kept in the repository. The exit code is 1 where something was found, 2 where a text is missing.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitekit import pages, sources, texts
from sitekit.check import ROOT

LENGTH = 8
_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")  # numbers are no sentence
_EMPHASIS = re.compile(r"(?<![*\w])(\*)(?!\s|\*)(?:[^*\n]|\n(?!\n))+?(?<!\s)\1(?!\*)")
Words = list[tuple[str, int]]  # each word in small letters, with its offset


@dataclass(frozen=True)
class Overlap:
    """A run of words that a file of ours shares with a text."""

    path: str
    line: int
    words: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: also in {self.text}: {self.words}"


def words(text: str) -> Words:
    return [(match.group().lower().replace("’", "'"), match.start()) for match in _WORD.finditer(text)]


def shingles(found: Words) -> set[tuple[str, ...]]:
    """Every run of eight words."""
    plain = [word for word, _ in found]
    return {tuple(plain[k : k + LENGTH]) for k in range(len(plain) - LENGTH + 1)}


def runs(found: Words, others: set[tuple[str, ...]]) -> Iterator[tuple[int, int]]:
    """The longest runs of words, from one index to another, whose every eight in a row are among ``others``."""
    plain = [word for word, _ in found]
    start = None
    for k in range(len(plain) - LENGTH + 2):
        shared = tuple(plain[k : k + LENGTH]) in others
        if shared and start is None:
            start = k
        elif not shared and start is not None:
            yield start, k + LENGTH - 1
            start = None


def prose(path: Path, root: Path, record: sources.Record) -> str:
    """What a reader reads as sentences, at its place in the file: all else is filled with an end of sentence."""
    if path.suffix == ".py" and path.parent.name != "labs":
        return "\0".join(docstrings(texts.read(path)[0]))
    page = pages.read(path, root, record)
    return _EMPHASIS.sub(lambda match: re.sub(r"[^\n]", "\0", match.group()), page.masked).replace("|", "\0")


def docstrings(code: str) -> Iterator[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    found = (ast.get_docstring(node) for node in ast.walk(ast.parse(code)) if isinstance(node, kinds))
    return (text for text in found if text)


def overlaps(
    paths: Iterable[Path], given: dict[str, str], root: Path, record: sources.Record
) -> Iterator[Overlap]:
    """What the files share with the texts, which are given by name."""
    titles = set().union(*(shingles(words(s["title"])) for s in record.sources.values()), set())
    known = {name: shingles(words(text)) - titles for name, text in given.items()}
    for path in paths:
        text = prose(path, root, record)
        for sentence, offset in parts(text):
            found = words(sentence)
            for name, others in known.items():
                for start, end in runs(found, others):
                    shared = " ".join(word for word, _ in found[start:end])
                    line = text.count("\n", 0, offset + found[start][1]) + 1
                    yield Overlap(path.relative_to(root).as_posix(), line, shared, name)


def parts(text: str) -> Iterator[tuple[str, int]]:
    """The stretches between formulas, code and the like, each with its offset."""
    for match in re.finditer(r"[^\0]+", text):
        yield match.group(), match.start()


def main(arguments: Sequence[str]) -> int:
    missing = [name for name in arguments if not Path(name).is_file()]
    if missing or not arguments:
        print(f"give the texts to compare with, as files; missing: {', '.join(missing) or 'all'}")
        return 2
    given = {name: Path(name).read_text(encoding="utf-8", errors="replace") for name in arguments}
    files = [*pages.files(ROOT), *sorted((ROOT / "attnref").rglob("*.py"))]
    found = list(overlaps(files, given, ROOT, sources.read(ROOT / "docs")))
    print(*found, sep="\n" if found else "")
    print(f"{len(files)} files, {len(given)} texts, {len(found)} runs of {LENGTH} words or more")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
