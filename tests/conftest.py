"""The site is built once for all tests that look at it."""

import os
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# What is checked is always built from nothing; tests/site/test_kept_builds.py looks at what is kept between builds.
os.environ["ATTNREF_NO_CACHE"] = "1"


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


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="session")
def tags() -> Callable[[str], list[tuple[str, dict[str, str | None]]]]:
    """The function that reads a page's elements, each with its attributes: built pages spare quotes where they may."""

    def read(page: str) -> list[tuple[str, dict[str, str | None]]]:
        parser = _Tags()
        parser.feed(page)
        return parser.found

    return read
