"""How long one waits for the site: a build from nothing, a build again, a changed lesson while serving; and kernels.

    python -m benchmarks.bench_site [--runs N] [--record]

Works on a copy of the sources, so that nothing here is changed. A changed lesson is timed from the write to the moment
at which the served page holds the new word. Beside it stands what notebook kernels take for the same cells. Prints
medians; with ``--record`` it writes them to benchmarks/records/site.json with machine, date and command.
The bars: cold 60 s, warm 5 s, nothing to a served page 20 s, a changed lesson 1 s.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from benchmarks import kernels, record

ROOT = Path(__file__).parents[1]
TAKEN = (
    "docs",
    "snippets",
    "sitekit",
    "attnref",
    "benchmarks",
    "tests",
    "mkdocs.yml",
    "pyproject.toml",
    "Makefile",
)
LESSON = "lessons/query-key-value"
ADDRESS = "127.0.0.1:8765"
PATIENCE = 600  # seconds after which something is broken


def copied(folder: Path) -> Path:
    for name in TAKEN:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("node_modules", "__pycache__")
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    return folder


def mkdocs(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name != "ATTNREF_NO_CACHE"}
    environment |= {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "mkdocs", *arguments]
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def build_seconds(folder: Path) -> float:
    start = time.perf_counter()
    if mkdocs(folder, "build", "--strict").wait(PATIENCE):
        raise SystemExit("the site does not build")
    return time.perf_counter() - start


def wait_for(word: str, server: subprocess.Popen[bytes]) -> None:
    end = time.perf_counter() + PATIENCE
    while time.perf_counter() < end and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://{ADDRESS}/{LESSON}/") as answer:
            if word in answer.read().decode():
                return
        time.sleep(0.01)
    raise SystemExit(f"the served page does not hold {word!r}")


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    server = mkdocs(folder, "serve", "--dev-addr", ADDRESS)
    try:
        yield server
    finally:
        server.terminate()
        server.wait()


def first_page_seconds(folder: Path) -> float:
    """From the command to the first page, with nothing kept of any build."""
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    start = time.perf_counter()
    with serving(folder) as server:
        wait_for("</html>", server)
        return time.perf_counter() - start


def reload_seconds(folder: Path, runs: int) -> list[float]:
    """Each run adds a paragraph to the lesson; the first one is not counted."""
    lesson, seconds = folder / "docs" / f"{LESSON}.md", []
    with serving(folder) as server:
        wait_for("</html>", server)
        for run in range(runs + 1):
            time.sleep(1)  # the watcher gathers changes that come close together
            word = "new" + "abcdefghijklmnopqrstuvwxyz"[run]
            start = time.perf_counter()
            lesson.write_text(lesson.read_text(encoding="utf-8") + f"\nA {word} word.\n", encoding="utf-8")
            wait_for(f"A {word} word.", server)
            seconds.append(time.perf_counter() - start)
    return seconds[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="write the medians to benchmarks/records/")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = copied(Path(name))
        cold = build_seconds(folder)
        warm = [build_seconds(folder) for _ in range(3)]
        changed = reload_seconds(folder, arguments.runs)
        first = first_page_seconds(folder)
    cells = kernels.measured(ROOT)
    figures = {
        "cold_build_seconds": round(cold, 2),
        "warm_build_seconds": round(statistics.median(warm), 2),
        "changed_lesson_seconds": round(statistics.median(changed), 2),
        "first_page_seconds": round(first, 2),
        **cells,
    }
    print(json.dumps(figures, indent=2))
    if arguments.record:
        record.write("site", figures)


if __name__ == "__main__":
    main()
