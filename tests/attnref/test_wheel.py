"""The wheel: it builds, holds the library alone, and runs beside the oldest NumPy promised and the newest.

Takes a minute and downloads packages, so it runs in CI, or here where ATTNREF_WHEEL=1 asks for it.
"""

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OLDEST = "numpy==2.0.2"
PROGRAM = """
import doctest, importlib, pathlib, pkgutil, sys
import numpy as np, attnref
assert pathlib.Path(attnref.__file__).is_relative_to(sys.prefix), attnref.__file__
names = {"np": np, "blockwise_attention": attnref.blockwise_attention}
tried = 0
for module in pkgutil.iter_modules(attnref.__path__):
    if module.name not in ("__main__", "pytest_plugin"):
        found = doctest.testmod(importlib.import_module(f"attnref.{module.name}"), extraglobs=names)
        assert found.failed == 0, module.name
        tried += found.attempted
X = np.random.default_rng(0).normal(size=(2, 1031, 7)).astype(np.float32)
off = attnref.blockwise_attention(X, X, X, causal=True).output - attnref.attention(X, X, X, causal=True).output
assert abs(off).max() < 1e-5
print(np.__version__, tried)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if os.environ.get("CI") != "true" and os.environ.get("ATTNREF_WHEEL") != "1":
        pytest.skip("builds in a clean environment; set ATTNREF_WHEEL=1 to do it here")
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        python(folder / "build"),
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True)
    [built] = folder.glob("*.whl")
    return built


def python(folder: Path) -> str:
    """The interpreter of a new environment."""
    venv.create(folder, with_pip=True)
    return str(folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


def test_the_wheel_holds_the_library_alone(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert {name.split("/")[0] for name in names} == {"attnref", f"attnref-{version}.dist-info"}
    held = {name.removeprefix("attnref/") for name in names if name.startswith("attnref/")}
    files = [path for path in (ROOT / "attnref").rglob("*") if path.is_file()]
    here = {path.relative_to(ROOT / "attnref").as_posix() for path in files if path.suffix != ".pyc"}
    assert held == here


@pytest.mark.parametrize("numpy", [OLDEST, "numpy"])
def test_the_wheel_runs_beside_the_oldest_numpy_and_the_newest(wheel, tmp_path, numpy):
    interpreter = python(tmp_path / "env")
    command = [interpreter, "-m", "pip", "install", "-q", "--disable-pip-version-check", numpy, str(wheel)]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [interpreter, "-I", "-W", "error", "-c", PROGRAM],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    version, tried = done.stdout.split()
    assert version == numpy.partition("==")[2] or numpy == "numpy"
    assert int(tried) > 50
