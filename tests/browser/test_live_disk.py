"""A site that is read from disk runs its Python as well: blocks, Stop, and the check of an exercise."""

import pytest

from tests.browser.test_live import block, edit, press, printed, says


@pytest.fixture(scope="module")
def page(browser, disk):
    context = browser.new_context()
    page = context.new_page()
    page.goto((disk / "lessons" / "step-by-step.html").as_uri())
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


def test_an_exercise_is_checked_from_disk(browser, disk):
    context = browser.new_context()
    page = context.new_page()
    page.goto((disk / "exercises" / "write-attention.html").as_uri())
    page.locator(".exercise [name=check]").click()
    says(page, "Yours is not right yet")
    assert "scale_missing" in page.locator(".live-report").inner_text()
    context.close()
