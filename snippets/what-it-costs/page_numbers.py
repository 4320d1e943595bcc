"""The records that benchmarks/bench_growth.py and benchmarks/bench_blockwise.py have written."""

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


def last_doubling(figures):
    """What the longest text takes, over one half as long."""
    return figures[-1] / figures[-2]
