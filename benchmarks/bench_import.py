"""What `import attnref` costs beyond NumPy.

    python -m benchmarks.bench_import [--record]

Each run is a process of its own that has imported NumPy already. Printed are medians of the time on the clock and
of the time that the processor spent, which what else runs does not lengthen. With ``--record`` they are written to
benchmarks/records/import.json. The bar: 30 milliseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

from benchmarks import record

PROGRAM = """
import time
import numpy
wall, own = time.perf_counter(), time.process_time()
import attnref
print(time.perf_counter() - wall, time.process_time() - own)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--record", action="store_true", help="write the figures to benchmarks/records/")
    arguments = parser.parse_args()
    runs = []
    for _ in range(arguments.runs + 1):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
        runs.append([1000 * float(word) for word in done.stdout.split()])
    wall, own = zip(*runs[1:], strict=True)  # the first may compile
    figures = {
        "runs": arguments.runs,
        "clock_milliseconds": round(statistics.median(wall), 1),
        "fastest_clock_milliseconds": round(min(wall), 1),
        "processor_milliseconds": round(statistics.median(own), 1),
    }
    print(json.dumps(figures, indent=2))
    if arguments.record:
        record.write("import", figures)


if __name__ == "__main__":
    main()
