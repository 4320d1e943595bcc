"""What is made for the browser: attnref as a wheel that is the same for the same sources, listed with its hash."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sitekit import browser_files

ROOT = Path(__file__).parents[2]
PYODIDE = ROOT / "docs" / browser_files.VENDOR
WORKER = ROOT / "docs" / "assets" / "javascripts" / "live" / "worker.js"


def listed() -> dict:
    return json.loads(browser_files.files(ROOT)["assets/live/pyodide-lock.json"])["packages"]


def test_the_same_sources_give_the_same_bytes():
    assert browser_files.files(ROOT) == browser_files.files(ROOT)


def test_a_change_of_the_library_changes_the_name_of_the_wheel(tmp_path):
    package = shutil.copytree(ROOT / "attnref", tmp_path / "attnref")
    name, _ = browser_files.build_wheel(tmp_path)
    assert name == browser_files.build_wheel(tmp_path)[0]
    (package / "_softmax.py").write_text("changed = True\n", encoding="utf-8")
    assert browser_files.build_wheel(tmp_path)[0] != name


@pytest.mark.parametrize("pattern", browser_files.READ)
def test_what_pages_read_lies_in_the_wheel_where_it_lies_here(pattern):
    _, wheel = browser_files.build_wheel(ROOT)
    held = zipfile.ZipFile(io.BytesIO(wheel))
    found = sorted(ROOT.glob(pattern))
    assert found, pattern
    for path in found:
        assert held.read(path.relative_to(ROOT).as_posix()) == path.read_bytes()


@pytest.mark.parametrize("package", ["numpy", "attnref"])
def test_every_listed_file_is_there_with_its_hash(package):
    entry = listed()[package]
    place = (PYODIDE / entry["file_name"]).resolve().relative_to(ROOT / "docs").as_posix()
    made = browser_files.files(ROOT)
    data = made[place] if place in made else (ROOT / "docs" / place).read_bytes()
    assert hashlib.sha256(data).hexdigest() == entry["sha256"]


def test_the_vendored_list_names_numpy_alone():
    assert list(json.loads((PYODIDE / "pyodide-lock.json").read_text("utf-8"))["packages"]) == ["numpy"]


def test_the_wheel_holds_the_library_whole_and_its_checker_runs_from_it(tmp_path):
    name, wheel = browser_files.build_wheel(ROOT)
    (tmp_path / name).write_bytes(wheel)
    held = {entry for entry in zipfile.ZipFile(tmp_path / name).namelist() if entry.startswith("attnref/")}
    files = {p.relative_to(ROOT).as_posix() for p in (ROOT / "attnref").rglob("*") if p.is_file()}
    assert held == {file for file in files if "__pycache__" not in file}
    program = "import attnref; print(attnref.__file__); print(attnref.check(attnref.attention).ok)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(tmp_path / name)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[1:] == ["True"], done.stderr
    assert name in done.stdout


def test_the_progress_counts_up_to_what_is_fetched():
    said = re.search(r"MEGABYTES = \{ python: ([\d.]+), numpy: ([\d.]+) \}", WORKER.read_text("utf-8"))
    python = [PYODIDE / "pyodide.asm.wasm", PYODIDE / "python_stdlib.zip"]
    [wheel] = PYODIDE.glob("numpy-*.whl")
    assert float(said[1]) == round(sum(path.stat().st_size for path in python) / 1e6, 1)
    assert float(said[2]) == round(wheel.stat().st_size / 1e6, 1)
