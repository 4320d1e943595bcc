"""Measure the promise: change every numeral and every input of a page, one at a time; each has to be noticed.

    python -m sitekit.mutate [PAGE …]

Everything happens in memory. A numeral's mutants are checked against the run of the unchanged programs; an
input's mutants run again. A survivor fails, unless the page's front matter lists it under ``survivors`` with
its reason.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from sitekit import check, limits, outputs, pages, programs, proofs, sources
from sitekit.mutants import Mutant, input_mutants, numeral_mutants, output_mutants
from sitekit.owners import Ledger
from sitekit.pages import Page
from sitekit.programs import Run, Unit

SECONDS = 5  # a mutated program that runs longer counts as noticed: the page would hang


@dataclass
class Tally:
    """What became of the mutants of one page. ``places`` counts what was changed, each in several ways."""

    killed: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    exempt: list[tuple[Mutant, str]] = field(default_factory=list)
    by_kind: dict[str, list[int]] = field(default_factory=dict)  # kind -> [killed, all]

    def add(self, mutant: Mutant, noticed: bool, reason: str) -> None:
        count = self.by_kind.setdefault(mutant.kind, [0, 0])
        count[1] += 1
        if noticed:
            count[0] += 1
            self.killed += 1
        elif reason:
            self.exempt.append((mutant, reason))
        else:
            self.survivors.append(mutant)


def reasons(page: Page) -> list[tuple[str, str, str]]:
    """The survivors that the page accepts: (line of code, what in it, reason)."""
    listed = page.meta.get("survivors", [])
    return [(item["code"], str(item.get("input", "")), item["reason"]) for item in listed]


class DoesNotHold(ValueError):
    """A page with problems has no mutants: what fails on it already shows nothing."""


def mutate(page: Page) -> Tally:
    """Try all mutants of a page that holds."""
    ledger = proofs.check(page)
    if ledger.problems:
        advice = f"run python -m sitekit.check {page.path}"
        raise DoesNotHold(f"{page.path} does not hold, so there is nothing to measure: {advice}")
    tally, accepted = Tally(), reasons(page)
    waiting = _waiting(ledger)
    for mutant, other in [*numeral_mutants(page), *output_mutants(page)]:
        if mutant.line in waiting:
            continue
        # A session's own text is what runs, so its mutants run again.
        run = None if any(unit.kind == "pycon" for unit in ledger.run.units) else ledger.run
        tally.add(mutant, _noticed(other, run), _another_place(ledger, other))
    for mutant, units in input_mutants(ledger.run.units):
        try:
            with limits.at_most(SECONDS):
                run = programs.run(units, ledger.run)
                noticed = bool(run.problems) or _noticed(page, run)
        except TimeoutError:
            noticed = True
        reason = ""
        if not noticed:
            code = next(
                unit.lines[mutant.line - unit.line] for unit in ledger.run.units if _holds(unit, mutant)
            )
            found = (
                why for line, what, why in accepted if line == code.strip() and what in ("", mutant.before)
            )
            reason = next(found, "")
        tally.add(mutant, noticed, reason)
    return tally


def _waiting(ledger: Ledger) -> set[int]:
    """The lines of numerals and outputs that are compared only where another package is installed."""
    page, lines = ledger.page, set()
    for unit in ledger.run.units:
        if unit.absent and unit.fence is not None:
            for output in outputs.shown_for(page, page.fences[unit.fence]):
                lines |= set(range(output.line, page.line(output.end) + 1))
    return lines | {page.line(n.start) for n, owned in ledger.owned.items() if owned.kind == "elsewhere"}


def _another_place(ledger: Ledger, other: Page) -> str:
    """The reason why a cited place that became another recorded one of the same source survives."""
    before = [text for _, _, text in ledger.page.phrases]
    after = [text for _, _, text in other.phrases]
    changed = [pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]]
    cited = len(before) == len(after) and len(changed) == 1
    return f"the record holds {changed[0][1]} as well" if cited else ""


def _noticed(page: Page, run: Run | None) -> bool:
    """Whether a page falls short. What the blocks print is compared first, which is the quicker half."""
    if run is not None:
        ledger = Ledger(page, run)
        outputs.compare(ledger)
        if ledger.problems:
            return True
    return bool(proofs.check(page, run).problems)


def _holds(unit: Unit, mutant: Mutant) -> bool:
    return unit.path == mutant.path and 0 <= mutant.line - unit.line < len(unit.lines)


def mutate_file(path: Path, root: Path) -> Tally | str:
    """Try all mutants of the page in a file; where it does not hold, the text says so."""
    try:
        return mutate(pages.read(path, root, sources.read(root / "docs")))
    except DoesNotHold as error:
        return str(error)


def mutate_files(paths: Sequence[Path], root: Path) -> list[Tally | str]:
    """The same for several files, on all processors: pages have nothing in common."""
    if len(paths) < 2:
        return [mutate_file(path, root) for path in paths]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(mutate_file, paths, [root] * len(paths)))


def main(arguments: Sequence[str]) -> int:
    root, paths, code = check.named_pages(arguments)
    killed = survived = 0
    for tally in mutate_files(paths, root):
        if isinstance(tally, str):
            print(tally)
            code = code or 1
            continue
        for survivor in tally.survivors:
            print(survivor)
        for mutant, reason in tally.exempt:
            print(f"{mutant} (exempt: {reason})")
        killed, survived = killed + tally.killed, survived + len(tally.survivors)
    if paths:
        print(f"{killed} killed, {survived} survived")
    return code or int(survived > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
