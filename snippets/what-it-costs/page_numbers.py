"""Numbers to keep in layers of three kinds, and two records of
benchmarks: bench_growth.py and bench_blockwise.py.
"""

import json
from pathlib import Path

import attnref

root = Path(attnref.__file__).parents[1]
record_file = root / "benchmarks" / "records" / "growth.json"
record = json.loads(record_file.read_text(encoding="utf-8"))
lengths = record["lengths"]
milliseconds = record["milliseconds"]
megabytes = record["megabytes"]
long_file = root / "benchmarks" / "records" / "blockwise.json"
long_record = json.loads(long_file.read_text(encoding="utf-8"))
growth = long_record["growth"]
live_kinds = ["self-attention", "recurrent", "restricted"]


def live_kept(n, d, r):
    """Millions of weights of all pairs, of states, of windows."""
    return [n * n / 1e6, n * d / 1e6, n * r / 1e6]


def last_doubling(figures):
    """What the longest text takes, over one half as long."""
    return figures[-1] / figures[-2]
