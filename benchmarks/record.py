"""What a benchmark found, with what one needs to find it again: machine, versions, date, command."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

RECORDS = Path(__file__).parent / "records"
MATTERS = ("numpy", "threadpoolctl", "torch", "transformers")


def processor() -> str:
    """What the processor calls itself, where the system says so."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def versions(*others: str) -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in (*MATTERS, *others):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def write(name: str, figures: dict[str, Any]) -> None:
    """Replace the record of that name."""
    module = getattr(sys.modules["__main__"].__spec__, "name", name)
    arguments = [word for word in sys.argv[1:] if word != "--record"]
    record = {
        "command": " ".join(["python -m", module, *arguments]),
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, {processor()}, {os.cpu_count()} cores",
        "versions": versions(),
        **figures,
    }
    (RECORDS / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
