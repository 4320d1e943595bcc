"""Check pages: ``python -m sitekit.check docs/lessons/x.md``. The exit code is 1 when one falls short."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from sitekit import figures, lint, pages, proofs, render, sources
from sitekit.pages import Page, Problem
from sitekit.proofs import Ledger
from sitekit.sources import Record

ROOT = Path(__file__).resolve().parent.parent


def page_files(root: Path = ROOT) -> list[Path]:
    """All pages of the site, in the order of their paths."""
    return sorted((root / "docs").rglob("*.md"))


def check_page(path: Path, root: Path = ROOT, record: Record | None = None) -> tuple[Ledger, list[Problem]]:
    """Prove a page and walk what is rendered from it."""
    record = sources.read(root / "docs") if record is None else record
    ledger = proofs.check(pages.read(path, root, record))
    problems = list(ledger.problems)
    if problems:
        problems += figures.problems(ledger.page, ledger.run)
    else:  # what the source's check found would be said a second time, without its line
        problems += rendered_problems(ledger, root)
    return ledger, problems


def rendered_problems(ledger: Ledger, root: Path) -> list[Problem]:
    """What the lint finds in the page's HTML. It has no line, so the words have to lead there."""
    page = ledger.page
    logging.getLogger("mkdocs").addHandler(logging.NullHandler())
    content, shown = render.page_html(page.text, root)
    found, _ = lint.walk(content, shown.attributes, owned_blocks(page, ledger), figures=shown.figures)
    broken = figures.problems(page, ledger.run)
    found += [] if broken else figures.foreign(content, page)
    return broken + [Problem(page.path, _line_of(page, message), message) for message in found]


def owned_blocks(page: Page, ledger: Ledger) -> list[str]:
    """The texts of the blocks that the page's check owns."""
    return [fence.code for fence in page.fences] + [unit.code for unit in ledger.run.units]


def _line_of(page: Page, message: str) -> int:
    """The line in which the words of a message stand, as far as they can be found."""
    words = message.partition("'")[2].rpartition("'")[0]
    for length in (60, 30, 15):
        at = page.text.find(words[:length], page.body_start)
        if words and at >= 0:
            return page.line(at)
    return 1


def main(arguments: Sequence[str]) -> int:
    root = Path.cwd() if (Path.cwd() / "docs").is_dir() else ROOT
    paths = [Path(argument) for argument in arguments] or page_files(root)
    failed = False
    for path in paths:
        if not path.is_file():
            print(
                f"{path}: there is no such page; name one below docs/, such as docs/lessons/step-by-step.md"
            )
            failed = True
            continue
        ledger, problems = check_page(path.resolve(), root)
        for problem in problems:
            print(problem)
        failed |= bool(problems)
        print(f"{ledger.page.path}: {summary(ledger)}, {len(problems)} problems")
    return int(failed)


def summary(ledger: Ledger) -> str:
    return (
        f"{ledger.blocks} blocks, {ledger.outputs} outputs, {len(ledger.owned)} numerals "
        f"({ledger.count('exempt')} exempt), {ledger.claims} claims; {ledger.examples} examples"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
