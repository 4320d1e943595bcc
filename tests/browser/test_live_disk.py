"""A site that is read from disk runs its Python as well: blocks, Stop, and the check of an exercise."""

import re
import shutil

import pytest

from sitekit import live_disk
from tests.browser.conftest import ROOT
from tests.browser.test_live import block, edit, press, printed, says


@pytest.fixture(scope="module")
def on_disk(site, tmp_path_factory):
    """The built site with the scripts for file:// in their places."""
    folder = shutil.copytree(site, tmp_path_factory.mktemp("disk") / "site")
    for place, data in live_disk.files(ROOT).items():
        (folder / place).write_bytes(data)
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        classic = re.sub(r'(<script [^>]*live/live\.js[^>]*?) type="?module"?', r"\1", text)
        path.write_text(classic, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def page(browser, on_disk):
    context = browser.new_context()
    page = context.new_page()
    page.goto((on_disk / "lessons" / "step-by-step" / "index.html").as_uri())
    yield page
    context.close()


def test_a_block_runs_from_disk(page):
    press(block(page, 1), "run")
    says(page, "printed the same")


def test_an_endless_loop_is_stopped_and_the_spare_worker_runs(page):
    edit(page, 1, "print('begun')\nwhile True:\n    pass")
    press(block(page, 1), "run")
    page.locator(".live-printed", has_text="begun").wait_for(timeout=60_000)
    press(block(page, 1), "stop")
    says(page, "was stopped")
    page.locator(".live-editor").fill("print(keys.shape)")
    press(block(page, 1), "run")
    says(page, "Yours printed")
    assert printed(page) == "(4, 2)\n"


def test_an_exercise_is_checked_from_disk(browser, on_disk):
    context = browser.new_context()
    page = context.new_page()
    page.goto((on_disk / "exercises" / "write-attention" / "index.html").as_uri())
    page.locator(".exercise [name=check]").click()
    says(page, "Yours is not right yet")
    assert "scale_missing" in page.locator(".live-report").inner_text()
    context.close()
