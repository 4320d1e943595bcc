"""How long the ledger takes: one page checked as a process, one mutant of it in memory.

    python -m benchmarks.bench_ledger [PAGE] [--record]

Prints medians; with ``--record`` it writes them to benchmarks/records/ledger.json with machine, date and command.
The bars: a page in one second, a mutant in ten milliseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import record
from sitekit import check, mutants, pages, programs, proofs, sources


def process_seconds(page: str, runs: int = 7) -> list[float]:
    """Wall time of ``python -m sitekit.check PAGE``, after one run that is not counted."""
    seconds = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "sitekit.check", page], check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return seconds[1:]


def mutant_seconds(page: str) -> tuple[list[float], list[float]]:
    """Seconds of each mutant: those of numerals (the run is reused), those of inputs (the programs run again)."""
    source = pages.read(Path(page).resolve(), check.ROOT, sources.read(check.ROOT / "docs"))
    run = proofs.check(source).run
    numerals, inputs = [], []
    for _, other in [*mutants.numeral_mutants(source), *mutants.output_mutants(source)]:
        start = time.perf_counter()
        proofs.check(other, run)
        numerals.append(time.perf_counter() - start)
    for _, units in mutants.input_mutants(run.units):
        start = time.perf_counter()
        proofs.check(source, programs.run(units))
        inputs.append(time.perf_counter() - start)
    return numerals, inputs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", nargs="?", default="docs/lessons/step-by-step.md")
    parser.add_argument("--record", action="store_true", help="write the medians to benchmarks/records/")
    arguments = parser.parse_args()
    numerals, inputs = mutant_seconds(arguments.page)
    figures = {
        "page_process_seconds": round(statistics.median(process_seconds(arguments.page)), 3),
        "numeral_mutant_milliseconds": round(1000 * statistics.median(numerals), 2),
        "input_mutant_milliseconds": round(1000 * statistics.median(inputs), 2),
        "mutants": len(numerals) + len(inputs),
    }
    print(json.dumps(figures, indent=2))
    if arguments.record:
        record.write("ledger", figures)


if __name__ == "__main__":
    main()
