"""A second browser: what a reader does in a page works in Firefox as well, served and from disk."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser.conftest import missing
from tests.browser.test_widgets import PAGES
from tests.docs.exercises import EXERCISES, program, wrong_program

HERE = Path(__file__).parent
STUDY = {"attn-cards": "study/cards/", "attn-quiz": "study/quiz/"}
ACTS = [
    "a block runs and prints what the page shows",
    "an edited block prints what the reader wrote",
    "an error shows its line",
    "an endless loop is stopped, and the next run works",
    "a double click runs a block once",
    "the next page runs, too",
    "a number shows its proof",
    "the first letters of a search are kept",
    "every widget lives and answers to keys",
    "every exercise tells what is wrong, and is solved",
]


def played(address: str, ending: str) -> dict[str, str | None]:
    """What went wrong in each act, or None."""
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if firefox is None:
        missing("Firefox")
    if shutil.which("node") is None or not (HERE / "node_modules" / "puppeteer-core").exists():
        missing("node or puppeteer-core (npm install --prefix tests/browser)")
    exercises = {
        slug: {
            "solution": program(slug, "solution"),
            "wrong": {fault: wrong_program(slug, fault) for fault in exercise.wrong},
        }
        for slug, exercise in EXERCISES.items()
    }
    widgets = {tag: path.rstrip("/") for tag, path in {**PAGES, **STUDY}.items()}
    question = json.dumps({"exercises": exercises, "widgets": widgets})
    done = subprocess.run(
        ["node", "firefox.mjs", firefox, address, ending],
        cwd=HERE, input=question, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {act["name"]: act["fault"] for act in map(json.loads, done.stdout.splitlines())}


@pytest.fixture(scope="session")
def served(address) -> dict[str, str | None]:
    return played(address, "/")


@pytest.fixture(scope="session")
def from_disk(disk) -> dict[str, str | None]:
    return played(f"{disk.as_uri()}/", ".html")


@pytest.mark.parametrize("act", ACTS)
def test_in_firefox_served(served, act):
    assert served[act] is None


@pytest.mark.parametrize("act", ACTS)
def test_in_firefox_from_disk(from_disk, act):
    assert from_disk[act] is None
