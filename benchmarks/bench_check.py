"""How long one check takes: a right function, one fault, two faults, and one that has no name; then every other form.

    python -m benchmarks.bench_check [--record]

Prints medians in seconds; with ``--record`` it writes them to benchmarks/records/check.json with machine, date and
command. The bar: half a second for a NumPy function.
"""

from __future__ import annotations

import argparse
import inspect
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from attnref import attention, check
from attnref.diagnosis import FORMS
from attnref.diagnosis._faulty import composed
from benchmarks import record


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


def nameless(form: str) -> Callable[..., Any]:
    """The pipeline of a form with a fault that has no name, which takes longest: its results are bent."""
    plain = composed(FORMS[form][0], [], form)

    def fn(*arrays: Any, **options: Any) -> Any:
        result = plain(*arrays, **options)
        if FORMS[form][0].drive is not None:
            return np.abs(result[0]) + 0.1 * result[0], result[1]
        parts = result if isinstance(result, tuple) else (result,)
        bent = tuple((np.abs(x) + 0.1 * x + 0.3).astype(x.dtype) for x in parts)
        return bent if len(bent) > 1 else bent[0]

    fn.__signature__ = inspect.signature(plain)  # type: ignore[attr-defined]
    return fn


def seconds(fn: Callable[..., Any], form: str = "attention", runs: int = 7) -> list[float]:
    """Times of single checks, after one that is not counted."""
    found = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        report = check(fn, form=form)
        found.append(time.perf_counter() - start)
    assert report.ok is (fn is right), str(report)
    return found[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the medians to benchmarks/records/")
    arguments = parser.parse_args()
    functions = (right, one_fault, two_faults, no_name)
    figures = {f"{fn.__name__}_seconds": round(statistics.median(seconds(fn)), 3) for fn in functions}
    for form in FORMS:
        figures[f"{form}_no_name_seconds"] = round(statistics.median(seconds(nameless(form), form)), 3)
    print(json.dumps(figures, indent=2))
    if arguments.record:
        record.write("check", figures)


if __name__ == "__main__":
    main()
