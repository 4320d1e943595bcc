"""How surely an induction head forms, how fast, and what happens without one of its parts.

    python -m benchmarks.bench_induction [--seeds 10] [--record]

Trains the two layers of snippets/induction-head/train.py from several seeds, then measures each with the first or the
second head left out, and trains one layer alone from the same seeds. Time is that of one processor core. With
``--record`` it writes benchmarks/records/induction.json.
"""

from __future__ import annotations

import argparse
import os
import runpy
import statistics
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when NumPy is imported: one thread, whose time is measured

from benchmarks import record

PROGRAM = Path(__file__).parents[1] / "snippets" / "induction-head" / "train.py"
EVERY = 25
FORMED = 0.95  # the weight from which on an induction head counts as formed
TURNS = (0.2, 0.8)  # where the rise of that weight is taken to begin and to end


def rounded(found: dict[str, Any]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in found.items()}


def first_step(history: dict[int, dict[str, Any]], level: float) -> int | None:
    """The first step looked at where the induction weight is at least so large."""
    return next((step for step, found in history.items() if found["induction"] >= level), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds, from zero on")
    parser.add_argument("--record", action="store_true", help="write what was found to benchmarks/records/")
    arguments = parser.parse_args()
    lab = SimpleNamespace(**runpy.run_path(str(PROGRAM)))
    recipe, alone = lab.Recipe(), lab.Recipe(n_layers=1)
    tokens = lab.unseen(recipe)
    curves: dict[str, list[Any]] = {}
    runs: dict[str, list[Any]] = {}
    for seed in range(arguments.seeds):
        start = time.thread_time()
        p, history = lab.train(recipe, seed, EVERY)
        seconds = time.thread_time() - start
        kept = {
            "seconds": round(seconds, 1),
            "formed_at": first_step(history, FORMED),
            "rise": [first_step(history, level) for level in TURNS],
            "trained": rounded(history[recipe.steps]),
            "without_first": rounded(lab.measure(p, tokens, without=0)),
            "without_second": rounded(lab.measure(p, tokens, without=1)),
            "one_layer": rounded(lab.train(alone, seed, recipe.steps)[1][recipe.steps]),
        }
        for name, value in kept.items():
            runs.setdefault(name, []).append(value)
        print(seed, *(f"{name} {value}" for name, value in kept.items()), flush=True)
        if seed == 0:
            found = {step: rounded(values) for step, values in history.items()}
            curves = {"steps": list(found)}
            curves |= {name: [values[name] for values in found.values()] for name in found[0]}
    if arguments.record:
        columns = ("trained", "without_first", "without_second", "one_layer")
        split = {name: {k: [run[k] for run in runs[name]] for k in runs[name][0]} for name in columns}
        figures = {
            "recipe": vars(recipe),
            "parameters": sum(array.size for array in p.values()),
            "seeds": list(range(arguments.seeds)),
            "seconds": runs["seconds"],
            "median_seconds": statistics.median(runs["seconds"]),
            "formed": FORMED,
            "formed_at": runs["formed_at"],
            "turns": TURNS,
            "rise": runs["rise"],
            **split,
            "curves": curves,
        }
        record.write("induction", figures)


if __name__ == "__main__":
    main()
