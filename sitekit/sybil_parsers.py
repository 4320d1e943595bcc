"""Pages as Sybil documents: each block and each comment of the ledger is an example that pytest names by its line.

The page is run once, when its first example is evaluated; each example then reports what is wrong in its own
lines, and a last one whatever is left (numerals without an owner, bad TeX, markup).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sybil import Document, Example, Region, Sybil

from sitekit import check, pages, percent, proofs, sources
from sitekit.owners import Ledger


class PageParser:
    """A Sybil parser for the pages below ``root``; with ``fences_only`` (a README) prose is left alone."""

    def __init__(self, root: Path, fences_only: bool = False) -> None:
        self.root, self.fences_only = root, fences_only
        self.record = sources.read(root / "docs")
        self.ledgers: dict[Document, Ledger] = {}
        self.claimed: dict[Document, list[range]] = {}

    def __call__(self, document: Document) -> Iterable[Region]:
        page = pages.read(Path(document.path), self.root, self.record)
        spans = [(fence.start, fence.end, fence.line) for fence in page.fences]
        if not self.fences_only:
            for comment in page.comments:
                block = page.block_above(comment) if comment.own_line else None
                first = page.line(block[0]) if block else comment.line
                spans.append((comment.start, comment.end, first))
        claimed = []
        for start, end, first in sorted(spans):
            lines = range(first, page.line(end) + 1)
            claimed.append(lines)
            yield Region(start, end, lines, self._evaluate)
        self.claimed[document] = claimed
        if not self.fences_only:
            yield Region(document.end, document.end, range(0), self._evaluate_rest)

    def _ledger(self, document: Document) -> Ledger:
        if document not in self.ledgers:
            page = pages.read(Path(document.path), self.root, self.record)
            self.ledgers[document] = proofs.check(page)
        return self.ledgers[document]

    def _evaluate(self, example: Example) -> str | None:
        ledger = self._ledger(example.document)
        mine = [p for p in ledger.problems if p.path != ledger.page.path or p.line in example.parsed]
        return "\n".join(map(str, mine)) or None

    def _evaluate_rest(self, example: Example) -> str | None:
        ledger = self._ledger(example.document)
        claimed = self.claimed[example.document]
        rest = [p for p in ledger.problems if not any(p.line in lines for lines in claimed)]
        if not ledger.problems:
            rest = check.rendered_problems(ledger, self.root)
        return "\n".join(map(str, rest)) or None


class LabDocument(Document):
    """A lab's text as the page that its parser reads, so that both count alike."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(percent.as_markdown(text), path)


def collection(root: Path) -> list[Sybil]:
    """What pytest collects of the documentation: the pages with their prose, the READMEs with their blocks."""
    return [
        Sybil(
            parsers=[PageParser(root)],
            path=str(root / "docs"),
            patterns=["**/*.md", "labs/*.py"],
            excludes=["**/.*"],
            document_types={".py": LabDocument},
        ),
        Sybil(parsers=[PageParser(root, fences_only=True)], path=str(root), patterns=list(TOP_PAGES)),
    ]


TOP_PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
