"""A whole program that a page shows can be downloaded and run: as a script it prints what the page shows."""

import subprocess
import sys
from pathlib import Path

import pytest

from sitekit import check, pages, programs, sources

ROOT = Path(__file__).parents[2]
RECORD = sources.read(ROOT / "docs")


def shown() -> dict[str, tuple[Path, int]]:
    """Each whole program with a page that shows it and the number of its block there."""
    found = {}
    for path in check.page_files():
        for unit in programs.units(pages.read(path, ROOT, RECORD)):
            if unit.module != programs.PAGE and unit.fence is not None:
                found.setdefault(unit.path, (path, unit.fence))
    return found


PROGRAMS = shown()


def run(program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "SYSTEMROOT": "C:\\Windows"},
    )  # fmt: skip


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_program_prints_as_a_script_what_its_page_shows(name):
    path, fence = PROGRAMS[name]
    page = pages.read(path, ROOT, RECORD)
    printed = programs.run_once(programs.units(page), page).printed[fence]
    done = run(ROOT / name)
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed


def test_a_file_beside_a_program_can_hide_a_module_of_python(tmp_path):
    # Why the numbers of a page do not stand in numbers.py, which NumPy would then import.
    (tmp_path / "program.py").write_text("import numpy\nprint(numpy.arange(3))\n", encoding="utf-8")
    assert run(tmp_path / "program.py").returncode == 0
    (tmp_path / "numbers.py").write_text("x = 1\n", encoding="utf-8")
    assert run(tmp_path / "program.py").returncode != 0
