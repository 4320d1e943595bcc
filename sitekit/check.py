"""Check pages: ``python -m sitekit.check docs/lessons/x.md``.

The exit code is 1 when a page falls short, 2 when an argument names none.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from sitekit import figures, lint, pages, proofs, render, sources
from sitekit.owners import Ledger
from sitekit.pages import Page, Problem
from sitekit.sources import Record

# What an extension warns of while a page is rendered is among the problems found; it is not printed besides.
logging.getLogger("mkdocs").addHandler(logging.NullHandler())
_DECIDED = ("but the value is", "prints something else")  # what an update can rewrite
ROOT = Path(__file__).resolve().parent.parent


def page_files(root: Path = ROOT) -> list[Path]:
    """All pages of the site, in the order of their paths."""
    return pages.files(root)


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
    content, shown = render.page_html(page.text, root)
    found, _ = lint.walk(content, shown.attributes, owned_blocks(page, ledger), figures=shown.figures)
    broken = figures.problems(page, ledger.run)
    found += [] if broken else figures.foreign(content, page)
    misnumbered = _markers(page, content) if page.markers else []
    return broken + misnumbered + [Problem(page.path, _line_of(page, message), message) for message in found]


def _markers(page: Page, content: str) -> list[Problem]:
    """Where the number of a list's item is another one than its marker says: Markdown counts, it does not read."""
    shown = lint.ordinals(content)
    for (start, marker), ordinal in zip(page.markers, shown, strict=False):
        if marker != ordinal:
            return [
                page.problem(start, f"the marker {marker}. is shown as {ordinal}.: number the items as shown")
            ]
    if len(shown) == len(page.markers):
        return []
    start, marker = page.markers[min(len(shown), len(page.markers) - 1)]
    counts = f"{len(page.markers)} markers of numbered lists stand here, {len(shown)} items are shown"
    return [page.problem(start, f"{counts}: part each list from what stands around it by a blank line")]


def owned_blocks(page: Page, ledger: Ledger) -> list[str]:
    """The texts of the blocks that the page's check owns."""
    codes = [fence.code for fence in page.fences] + [unit.code for unit in ledger.run.units]
    return codes + [code.expandtabs(4) for code in codes if "\t" in code]  # as Markdown shows them


def owned_texts(page: Page, ledger: Ledger, site: str) -> set[str]:
    """What of a page's front matter the frame of the site repeats: its title and description, once they hold."""
    if ledger.problems:
        return set()
    found = {" ".join(str(page.meta[key]).split()) for key in ("title", "description") if key in page.meta}
    frames = ("{}", f"{{}} - {site}", "Next: {}", "Previous: {}")
    return {frame.replace("{}", text) for text in found for frame in frames}


def _line_of(page: Page, message: str) -> int:
    """The line in which the words of a message stand, as far as they can be found."""
    words = message.partition("'")[2].rpartition("'")[0]
    for length in (60, 30, 15):
        at = page.text.find(words[:length], page.body_start)
        if words and at >= 0:
            return page.line(at)
    return 1


def named_pages(arguments: Sequence[str]) -> tuple[Path, list[Path], int]:
    """Return the project's root, the pages that a command line names (or all), and its exit code so far.

    The code is 2 where an argument names no page, which is said in one line.
    """
    root = Path.cwd() if (Path.cwd() / "docs").is_dir() else ROOT
    there = page_files(root)
    found, code = [], 0
    for argument in arguments:
        path = Path(argument).resolve()
        if path in there:
            found.append(path)
            continue
        example = there[0].relative_to(root).as_posix() if there else "docs/index.md"
        print(f"{argument}: there is no such page; name a .md file below docs/, such as {example}")
        code = 2
    return root, found if arguments else there, code


def main(arguments: Sequence[str]) -> int:
    root, paths, code = named_pages(arguments)
    for path in paths:
        ledger, problems = check_page(path, root)
        for problem in problems:
            print(problem)
        print(f"{ledger.page.path}: {summary(ledger)}, {len(problems)} problems")
        if any(marker in problem.message for problem in problems for marker in _DECIDED):
            print(
                f"If a change of the code was intended, make update PAGE={ledger.page.path} rewrites what follows."
            )
        code = code or int(bool(problems))
    return code


def summary(ledger: Ledger) -> str:
    return (
        f"{ledger.blocks} blocks, {ledger.outputs} outputs, {len(ledger.owned)} numerals "
        f"({ledger.count('exempt')} exempt), {ledger.claims} claims; {ledger.examples} examples"
    )


if __name__ == "__main__":
    gc.disable()  # what is read is kept to the end, which is near
    sys.exit(main(sys.argv[1:]))
