"""After an intended change: ``python -m sitekit.update [PAGE …]`` rewrites literals, output blocks and figures.

The diff then shows what moved. It rewrites only what a program decides; what cannot be decided (a missing
owner, a false claim, an error) is printed and left alone, and the exit code is 1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from sitekit import check, figures, outputs, pages, percent, proofs, sources, texts
from sitekit.numerals import MINUS
from sitekit.owners import Ledger
from sitekit.pages import Page

Edit = tuple[int, int, str]
_NUMERAL = re.compile(r"[+−-]?\d[\d.,{}]*(?:[eE][+−-]?\d+)?")


def updated(page: Page) -> tuple[str, list[str]]:
    """Return the page's text as it should be, and a line for each thing that was changed."""
    ledger = proofs.check(page)
    edits = sorted([*_literals(ledger), *_outputs(ledger)])
    text, told = page.text, []
    for start, end, new in reversed(edits):
        old = text[start:end]
        text = text[:start] + new + text[end:]
        line = page.line(start)
        told.append(f"{page.path}:{line}: {_short(old)} → {_short(new)}")
    return text, told[::-1]


def _short(text: str) -> str:
    lines = text.strip("\n").splitlines() or ["(nothing)"]
    return lines[0] if len(lines) == 1 else f"{len(lines)} lines"


def _literals(ledger: Ledger) -> list[Edit]:
    in_code = {numeral for span in ledger.page.spans for numeral in span.numerals}  # TeX and Python write -
    found = []
    for numeral, owned in ledger.owned.items():
        right = owned.right if numeral in in_code else owned.right.replace("-", MINUS)
        before = ledger.page.text[max(numeral.start - 1, 0) : numeral.start]
        if owned.wrong and right != numeral.text and before != "." and _is_alike(right, numeral.text):
            found.append((numeral.start, numeral.end, right))
    return found


def _is_alike(right: str, printed: str) -> bool:
    """Whether a text is a numeral with no fewer decimals than the one that it would replace: a word is none."""
    decimals = [len(text.lower().partition("e")[0].partition(".")[2]) for text in (right, printed)]
    return bool(_NUMERAL.fullmatch(right)) and decimals[0] >= decimals[1]


def _outputs(ledger: Ledger) -> list[Edit]:
    """Rewrite output blocks; one is added where a block prints and none stands below. None is ever taken out."""
    page, edits = ledger.page, []
    for unit in ledger.run.units:
        if unit.fence is None or unit.fence not in ledger.run.printed:
            continue
        printed = ledger.run.printed[unit.fence].rstrip("\n")
        shown = outputs.shown_for(page, page.fences[unit.fence])
        if len(shown) > 1 or not printed:
            continue
        fence = page.fences[unit.fence]
        if page.path.endswith(".py") and re.search(r"^\s*(?:```|~~~)", printed, re.MULTILINE):
            continue  # a lab's blocks have marks of one length: its check says so
        if not shown and outputs.apart(page, fence) is None:
            gap = f"\n{fence.prefix.rstrip()}\n"  # in a quote the line between is the quote's, too
            edits.append((fence.end, fence.end, gap + _block(printed, fence.prefix, "text")))
        elif shown and shown[0].code.rstrip("\n") != printed:
            output = shown[0]
            edits.append((output.start, output.end, _block(printed, output.prefix, output.info)))
    return edits


def _block(printed: str, prefix: str, info: str) -> str:
    """An output block whose marks are longer than any that it holds."""
    longest = max((len(ticks) for ticks in re.findall(r"^[ \t>]*(`+)", printed, re.MULTILINE)), default=0)
    ticks = "`" * max(3, longest + 1)
    lines = [f"{ticks}{info}", *printed.split("\n"), ticks]
    return "\n".join(f"{prefix}{line}" if line else prefix.rstrip() for line in lines)


def main(arguments: Sequence[str]) -> int:
    root, paths, code = check.named_pages(arguments)
    record = sources.read(root / "docs")
    for path in paths:
        page = pages.read(path, root, record)
        text, told = updated(page) if not texts.read(path)[1] else (page.text, [])
        if told:
            texts.write(path, percent.as_percent(text) if path.suffix == ".py" else text)
            print(*told, sep="\n")
        ledger = proofs.check(replace(page, text=text))
        for line in figures.update(ledger.page, ledger.run):
            print(line)
        for problem in [*ledger.problems, *figures.problems(ledger.page, ledger.run)]:
            print(f"{problem} (not decided by a program: mend it by hand)")
            code = code or 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
