"""The cells of all pages run twice: by this process, as the site does, and by a notebook kernel for each page.

A kernel for each page is what books of notebooks do, and mkdocs-jupyter where it is told to execute. Both ways run the
same code in the same order, page by page in turn; neither compares nor renders anything. A kernel's seconds hold its
start, since it is there for one page only.
"""

from __future__ import annotations

import os
import statistics
import time
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from sitekit import absent, pages, programs, sources
from sitekit.programs import PAGE, Unit


def units_of_pages(root: Path) -> dict[str, list[Unit]]:
    """What each page runs, pages without code left out; sessions are cells without their prompts."""
    record = sources.read(root / "docs")
    read = [pages.read(path, root, record) for path in pages.files(root)]
    marked = {page.path: absent.mark(programs.units(page), absent.missing(page)) for page in read}
    found = {path: [unit for unit in units if not unit.absent] for path, units in marked.items()}
    return {path: units for path, units in found.items() if units}


def in_process_seconds(units: list[Unit]) -> float:
    start = time.perf_counter()
    run = programs.run(units)
    seconds = time.perf_counter() - start
    if run.problems:
        raise SystemExit(f"a page does not run: {run.problems[0]}")
    return seconds


def kernel_seconds(units: list[Unit], root: Path) -> float:
    notebook = nbformat.v4.new_notebook(cells=[_cell(unit) for unit in units])
    settings = {"kernel_name": "python3", "timeout": 300, "extra_arguments": ["--log-level=ERROR"]}
    client = NotebookClient(notebook, resources={"metadata": {"path": root}}, **settings)
    start = time.perf_counter()
    client.execute()
    return time.perf_counter() - start


def _cell(unit: Unit) -> nbformat.NotebookNode:
    tags = {"metadata": {"tags": ["raises-exception"]}} if unit.fails else {}
    whole = f"exec(compile({unit.python!r}, {unit.module!r}, 'exec'), {{'__name__': {unit.module!r}}})"
    return nbformat.v4.new_code_cell(unit.python if unit.module == PAGE else whole, **tags)


def measured(root: Path) -> dict[str, float | int]:
    """Sums over all pages, the median of what a page takes, and how many times longer the kernels take."""
    os.environ["PYTHONPATH"] = str(root)
    units = units_of_pages(root)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = [(in_process_seconds(page), kernel_seconds(page, root)) for page in units.values()]
    here, kernels = zip(*pairs, strict=True)
    return {
        "pages_with_cells": len(units),
        "cells": sum(map(len, units.values())),
        "cells_here_seconds": round(sum(here), 2),
        "cells_in_kernels_seconds": round(sum(kernels), 2),
        "page_here_seconds": round(statistics.median(here), 3),
        "page_in_kernel_seconds": round(statistics.median(kernels), 3),
        "kernels_take_times_as_long": round(sum(kernels) / sum(here), 1),
    }
