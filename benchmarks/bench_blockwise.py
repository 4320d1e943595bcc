"""How fast `blockwise_attention` is, and how much memory it takes, beside the textbook lines and PyTorch.

    env -u OPENBLAS_CORETYPE python -m benchmarks.bench_blockwise [--record]

Rivals take turns in one process, so that what else the machine does falls on all of them; a ratio is the median
over rounds of the two times of one round. PyTorch and threadpoolctl are used where they are installed. With
``--record`` the figures are written to benchmarks/records/blockwise.json with machine, date and command.
The bars: at least 2.5 times as fast as the textbook, at most 1.5 times PyTorch's time; 64 MiB at 65,536 tokens.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from attnref import blockwise_attention
from attnref._results import FloatArray
from benchmarks import record

SHAPE = (1, 8, 2048, 64)
LENGTHS = [1024, 2048, 4096, 8192, 16384, 32768, 65536]
LONGEST_SQUARE = 8192  # beyond, the textbook's three squares no longer fit beside what else runs
MEMORY = """
import re, sys, time, tracemalloc
from pathlib import Path
import attnref
from benchmarks.bench_blockwise import arrays, textbook
form, n = {"blockwise": attnref.blockwise_attention, "textbook": textbook}[sys.argv[1]], int(sys.argv[2])
warm, given = arrays((1, 2048, 64)), arrays((1, n, 64))
form(*warm)
def mib(name):
    return int(re.search(name + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024
Path("/proc/self/clear_refs").write_text("5")  # Linux: forget the peak so far
before, seconds = mib("VmRSS"), []
while len(seconds) < 5 and sum(seconds) < 5:
    start = time.perf_counter()
    form(*given)
    seconds.append(time.perf_counter() - start)
process = mib("VmHWM") - before
tracemalloc.start()
form(*given)
print(min(seconds), process, tracemalloc.get_traced_memory()[1] / 2**20)
"""


def arrays(shape: tuple[int, ...]) -> list[FloatArray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape).astype(np.float32) for _ in range(3)]


def textbook(Q: FloatArray, K: FloatArray, V: FloatArray) -> FloatArray:
    scores = Q @ K.mT / np.float32(np.sqrt(Q.shape[-1]))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True) @ V)


def two_products(Q: FloatArray, K: FloatArray, V: FloatArray) -> FloatArray:
    return np.asarray((Q @ K.mT) @ V)


def rivals() -> dict[str, Callable[[], Any]]:
    """Name -> a call, ready to be timed."""
    given = arrays(SHAPE)
    calls: dict[str, Callable[[], Any]] = {
        "blockwise": lambda: blockwise_attention(*given),
        "textbook": lambda: textbook(*given),
        "two_products": lambda: two_products(*given),
    }
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return calls
    tensors = [torch.from_numpy(array) for array in given]
    calls["torch"] = lambda: torch.nn.functional.scaled_dot_product_attention(*tensors)
    return calls


def rounds(calls: dict[str, Callable[[], Any]], number: int) -> dict[str, list[float]]:
    """Seconds of each call in each round, after one round that is not counted.

    Threads of a library wait busily for more work for a while after a call; each rival begins when they sleep.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for n in range(number + 1):
        for name, call in calls.items():
            time.sleep(0.3)
            start = time.perf_counter()
            call()
            if n:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def growth(form: str, n: int) -> dict[str, float]:
    """Seconds (the fastest of up to five runs) and MiB at n tokens of one head, in a process of its own.

    `process_mib` is how far the process grew beyond the inputs, result included, after a smaller call had loaded
    and warmed all there is; `arrays_mib` is the peak of what NumPy asked for, result included.
    """
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, form, str(n)], capture_output=True, text=True, check=True
    )
    seconds, process, asked = (float(word) for word in done.stdout.split())
    return {"seconds": round(seconds, 4), "process_mib": round(process, 1), "arrays_mib": round(asked, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--record", action="store_true", help="write the figures to benchmarks/records/")
    arguments = parser.parse_args()
    seconds = rounds(rivals(), arguments.rounds)
    ours = seconds["blockwise"]
    figures: dict[str, Any] = {
        "shape": list(SHAPE),
        "rounds": arguments.rounds,
        "milliseconds": {name: round(1000 * statistics.median(times), 1) for name, times in seconds.items()},
        "blockwise_over": {
            name: round(statistics.median(a / b for a, b in zip(ours, times, strict=True)), 3)
            for name, times in seconds.items()
            if name != "blockwise"
        },
        "growth": {
            "blockwise": {n: growth("blockwise", n) for n in LENGTHS},
            "textbook": {n: growth("textbook", n) for n in LENGTHS if n <= LONGEST_SQUARE},
        },
    }
    print(json.dumps(figures, indent=2))
    if arguments.record:
        record.write("blockwise", figures)


if __name__ == "__main__":
    main()
