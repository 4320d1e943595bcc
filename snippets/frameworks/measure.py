"""Measure the conventions of all frameworks, and write them into the record and into the tables of the page.

`python -m snippets.frameworks.measure` does all of it; with the name of one framework it prints what it found there.
"""

import importlib
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attnref import __version__, conventions
from snippets.frameworks.adapters import FRAMEWORKS
from snippets.frameworks.tables import PAGE, written

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_name("record.json")


def measured(name: str) -> dict[str, Any]:
    """Version and answers of one framework, in this process."""
    framework = FRAMEWORKS[name]
    os.environ.update(framework.environment)
    importlib.import_module(framework.package)
    found = dict(conventions(framework.make(), timeout=120).found)
    del found["framework"]
    return {"package": framework.package, "version": release(framework.package), "answers": found}


def release(package: str) -> str:
    """The version without the mark of a build, and of attnref where it is not installed, too."""
    return __version__ if package == "attnref" else version(package).partition("+")[0]


def measured_apart(name: str) -> dict[str, Any]:
    """The same in a process of its own: some settings are read once, and frameworks stay apart."""
    done = subprocess.run(
        [sys.executable, "-m", "snippets.frameworks.measure", name],
        cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{name} cannot be measured:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def main(names: list[str]) -> None:
    if names:
        print(json.dumps(measured(names[0]), ensure_ascii=False))
        return
    record = {name: measured_apart(name) for name in FRAMEWORKS}
    RECORD.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), record), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
