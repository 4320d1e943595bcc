"""The site is built once for all tests that look at it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run_mkdocs(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mkdocs", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> tuple[Path, str]:
    """The folder of the built site, and what a strict build says of it: nothing where it passes."""
    folder = tmp_path_factory.mktemp("site")
    done = run_mkdocs("build", "--strict", "--site-dir", str(folder), cwd=ROOT)
    warnings = [line for line in done.stderr.splitlines() if not line.startswith("INFO")]
    return folder, "\n".join(warnings) if done.returncode else ""


@pytest.fixture(scope="session")
def site(built) -> Path:
    """The built site. Where the build fails one test says so, and those that look at the site are skipped."""
    folder, complaints = built
    if complaints:
        pytest.skip("the site does not build: see test_site_passes_a_strict_build")
    return folder


@pytest.fixture(scope="session")
def mkdocs():
    """The function that runs MkDocs as a process, in the folder it is given."""
    return run_mkdocs
