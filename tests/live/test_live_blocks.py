"""Every block that is marked as running in a browser prints there, byte for byte, what it prints here.

All of them run under Pyodide in one Node process, from the files that the site serves. A block that is marked as not
running there is run as well, and has to fall short: no reason stands for long.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from sitekit import absent, browser_files, check, live, pages, programs, sources
from tests.browser.conftest import missing

ROOT = Path(__file__).parents[2]
RECORD = sources.read(ROOT / "docs")
PAGES = {path.relative_to(ROOT).as_posix(): pages.read(path, ROOT, RECORD) for path in check.page_files()}


@pytest.fixture(scope="module")
def in_browser(tmp_path_factory):
    """What each block of each page printed under Pyodide."""
    node = shutil.which("node")
    if node is None:
        missing("Node")
    assets = served(tmp_path_factory.mktemp("assets"))
    wanted = {path: asked(page) for path, page in PAGES.items()}
    question = json.dumps({"assets": str(assets), "pages": wanted})
    command = [node, str(Path(__file__).parent / "run_blocks.mjs")]
    done = subprocess.run(
        command, input=question, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def served(folder: Path) -> Path:
    """The files that the site serves for its Python, in a folder."""
    (folder / "vendor").mkdir()
    (folder / "vendor" / "pyodide").symlink_to(ROOT / "docs" / browser_files.VENDOR)
    (folder / "live").mkdir()
    for place, content in browser_files.files(ROOT).items():
        (folder / place.removeprefix("assets/")).write_bytes(content)
    return folder


def asked(page):
    return [
        {
            "name": f"block {number}",
            "code": block.unit.code,
            "own": block.unit.module != programs.PAGE,
            "fails": block.unit.fails,
            "live": not block.why,
        }
        for number, block in enumerate(live.blocks(page))
    ]


def printed(answer: dict, unit: programs.Unit) -> str:
    """What a block printed, in the form in which the page's own run keeps it, or its traceback."""
    last = answer["traceback"].strip().split("\n")[-1]
    if unit.fails and answer["traceback"]:
        return answer["out"] + last + "\n"
    return answer["out"] + answer["err"] + answer["traceback"]


def here(page) -> dict:
    """What each block prints here, by the number of its fence."""
    units = absent.mark(programs.units(page), absent.missing(page))
    return programs.run_once(units, page).printed


@pytest.mark.parametrize("path", sorted(PAGES))
def test_block_prints_in_the_browser_what_it_prints_here(in_browser, path):
    page = PAGES[path]
    expected = here(page)
    for block, answer in zip(live.blocks(page), in_browser[path], strict=True):
        unit = block.unit
        if block.why:
            assert printed(answer, unit) != expected.get(unit.fence, ""), (
                f"{unit.path}:{unit.line} is said not to run in a browser ({block.why}), and it does"
            )
        else:
            assert printed(answer, unit) == expected.get(unit.fence, ""), (
                f"{unit.path}:{unit.line} prints something else in a browser: mend it, or name the block and "
                "the reason under native: in the page's front matter"
            )


@pytest.mark.parametrize("path", sorted(PAGES))
def test_every_reason_speaks_of_a_block(path):
    codes = [block.unit.code for block in live.blocks(PAGES[path])]
    idle = [item["code"] for item in live.reasons(PAGES[path]) if not any(item["code"] in c for c in codes)]
    assert idle == [], "no block holds what these entries under native: speak of"


def test_most_blocks_run_in_the_browser():
    marked = [block for page in PAGES.values() for block in live.blocks(page)]
    # Two labs stand on what a browser lacks: PyTorch, and the weights of a network.
    assert sum(not block.why for block in marked) > 0.95 * len(marked)
