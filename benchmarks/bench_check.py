"""How long one check takes: a right function, one fault, two faults, and one that has no name.

    python -m benchmarks.bench_check [--record]

Prints medians in seconds; with ``--record`` it writes them to benchmarks/records/check.json with machine, date and
command. The bar: half a second for a NumPy function.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from attnref import attention, check

RECORD = Path(__file__).parent / "records" / "check.json"


def right(Q: Any, K: Any, V: Any, mask: Any = None, causal: bool = False, scale: float | None = None) -> Any:
    return attention(Q, K, V, mask=mask, causal=causal, scale=scale).output


def one_fault(
    Q: Any, K: Any, V: Any, mask: Any = None, causal: bool = False, scale: float | None = None
) -> Any:
    return attention(Q, K, V, mask=mask, causal=causal, scale=1.0 if scale is None else scale).output


def two_faults(
    Q: Any, K: Any, V: Any, mask: Any = None, causal: bool = False, scale: float | None = None
) -> Any:
    mask = None if mask is None else ~mask
    return attention(Q, K, V, mask=mask, causal=causal, scale=1.0 if scale is None else scale).output


def no_name(
    Q: Any, K: Any, V: Any, mask: Any = None, causal: bool = False, scale: float | None = None
) -> Any:
    return attention(np.abs(Q), K, V, mask=mask, causal=causal, scale=scale).output


def seconds(fn: Callable[..., Any], runs: int = 7) -> list[float]:
    """Times of single checks, after one that is not counted."""
    found = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        check(fn)
        found.append(time.perf_counter() - start)
    return found[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the medians to benchmarks/records/")
    arguments = parser.parse_args()
    functions = (right, one_fault, two_faults, no_name)
    figures = {f"{fn.__name__}_seconds": round(statistics.median(seconds(fn)), 3) for fn in functions}
    print(json.dumps(figures, indent=2))
    if arguments.record:
        machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        record = {
            "command": "python -m benchmarks.bench_check",
            "date": datetime.date.today().isoformat(),
            "machine": machine,
            **figures,
        }
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
