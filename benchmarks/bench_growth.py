"""How attention grows with the number of tokens: the projections, all pairs at once, all pairs in tiles.

    python -m benchmarks.bench_growth [--record]

One layer of the base transformer's size, on random tokens. Time is that of one processor core, so that other
programs on the machine do not count; memory is the highest that is held at once, less what was given. Prints medians;
with ``--record`` it writes them to benchmarks/records/growth.json with machine, date and command.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import tracemalloc
from collections.abc import Callable

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when NumPy is imported: one thread, whose time is measured

import numpy as np

import attnref
from benchmarks import record

LENGTHS = [256, 512, 1024, 2048, 4096]
D_MODEL, N_HEADS, BLOCK_SIZE = 512, 8, 128
RUNS = 7

Part = Callable[[], object]


def parts(length: int) -> dict[str, Part]:
    """What is measured for so many tokens, each as a call without arguments."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((length, D_MODEL), dtype=np.float32)
    matrices = rng.standard_normal((4, D_MODEL, D_MODEL), dtype=np.float32) / np.float32(D_MODEL**0.5)
    Q, K, V = (attnref.split_heads(X @ matrix, N_HEADS) for matrix in matrices[:3])
    return {
        "projections": lambda: [X @ matrix for matrix in matrices],
        "all_at_once": lambda: attnref.attention(Q, K, V),
        "in_tiles": lambda: attnref.blockwise_attention(Q, K, V, block_size=BLOCK_SIZE),
    }


def seconds(part: Part) -> float:
    """Median time of one core, after one run that is not counted."""
    part()
    found = []
    for _ in range(RUNS):
        start = time.thread_time()
        part()
        found.append(time.thread_time() - start)
    return statistics.median(found)


def peak_bytes(part: Part) -> int:
    """The most memory that the arrays of one run hold at once."""
    tracemalloc.start()
    try:
        part()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the medians to benchmarks/records/")
    arguments = parser.parse_args()
    milliseconds: dict[str, list[float]] = {}
    megabytes: dict[str, list[float]] = {}
    for length in LENGTHS:
        for name, part in parts(length).items():
            milliseconds.setdefault(name, []).append(round(1000 * seconds(part), 1))
            megabytes.setdefault(name, []).append(round(peak_bytes(part) / 1e6, 1))
            print(
                f"{length:5} {name:12} {milliseconds[name][-1]:9} ms {megabytes[name][-1]:8} MB", flush=True
            )
    if arguments.record:
        figures = {
            "runs": RUNS,
            "d_model": D_MODEL,
            "n_heads": N_HEADS,
            "block_size": BLOCK_SIZE,
            "lengths": LENGTHS,
            "milliseconds": milliseconds,
            "megabytes": megabytes,
        }
        record.write("growth", figures)


if __name__ == "__main__":
    main()
