"""The record that benchmarks/bench_growth.py has written."""

import json
from pathlib import Path

import attnref

root = Path(attnref.__file__).parents[1]
record_file = root / "benchmarks" / "records" / "growth.json"
record = json.loads(record_file.read_text(encoding="utf-8"))
lengths = record["lengths"]
milliseconds = record["milliseconds"]
megabytes = record["megabytes"]


def last_doubling(figures):
    """What the longest text takes, over one half as long."""
    return figures[-1] / figures[-2]
