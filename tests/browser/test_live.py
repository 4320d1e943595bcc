"""Blocks of Python in the page: run, edited, stopped, put back; by mouse and by keys; what fails says so."""

import re

import pytest

from tests.browser.conftest import lay_out
from tests.browser.test_axe import violations

LESSON = "lessons/step-by-step/"
PATIENT = 60_000  # milliseconds; Python takes a few seconds to start, on a busy machine more


def block(page, number: int):
    return page.locator(".live").nth(number)


def press(block, name: str) -> None:
    block.locator(f".live-bar [name={name}]").click()


def status(page):
    return page.locator(".live-status")


def says(page, words: str) -> None:
    """Wait until the run says this."""
    page.locator(".live-status", has_text=words).wait_for(timeout=PATIENT)


def printed(page) -> str:
    return page.locator(".live-printed").inner_text()


def edit(page, number: int, code: str) -> None:
    press(block(page, number), "edit")
    page.locator(".live-editor").wait_for()
    page.locator(".live-editor").fill(code)


def gone(page, selector: str) -> None:
    page.wait_for_function("(selector) => !document.querySelector(selector)", arg=selector)


@pytest.fixture(scope="module")
def warm(open_lasting_page):
    """A lesson with Python started, for all tests that neither end it nor leave the page."""
    return open_lasting_page(LESSON)


@pytest.fixture
def ready(warm):
    """That lesson, its second block run, and nothing else done to it."""
    warm.evaluate("document.querySelectorAll('.live-bar [name=reset]').forEach((reset) => reset.click())")
    gone(warm, ".live-editor")
    warm.evaluate("document.querySelectorAll('.live-output').forEach((output) => output.remove())")
    press(block(warm, 1), "run")
    says(warm, "printed the same")
    return warm


@pytest.fixture
def ready_anew(open_page):
    """A page of its own, for tests that leave it."""
    page = open_page(LESSON)
    press(block(page, 1), "run")
    says(page, "printed the same")
    return page


def test_a_block_runs_with_what_the_blocks_above_it_define(ready):
    assert printed(ready).strip() == "[5 1 1 3]"
    assert ready.elsewhere == []
    assert ready.complaints == []


def test_what_the_reader_prints_stands_below_what_is_proved_and_is_marked(ready):
    proved, own = ready.locator(".live:nth-of-type(n) + .language-text").first, ready.locator(".live-output")
    assert own.evaluate("(own) => own.previousElementSibling.matches('.language-text')")
    assert own.inner_text().startswith("Yours")
    assert proved.inner_text().strip() == "[5 1 1 3]"


def test_an_edited_block_runs_by_control_and_enter_and_is_put_back(ready):
    edit(ready, 1, "print(keys @ query * 2)")
    ready.keyboard.press("Control+Enter")
    ready.locator(".live-printed", has_text="[10  2  2  6]").wait_for()
    says(ready, "Yours printed")
    assert "the same" not in status(ready).inner_text()
    press(block(ready, 1), "reset")
    gone(ready, ".live-output, .live-editor")
    assert "dot_products = keys @ query" in block(ready, 1).locator("pre").inner_text()
    press(block(ready, 1), "run")
    says(ready, "printed the same")


def test_a_later_block_follows_the_change_of_an_earlier_one(ready):
    edit(ready, 0, block(ready, 0).locator("code").inner_text().replace("[2, 1])  ", "[0, 1])  "))
    press(block(ready, 1), "run")
    ready.locator(".live-printed", has_text="[ 1  1 -1  1]").wait_for()


def test_an_error_shows_its_line(ready):
    edit(ready, 1, "x = 1\nprint(x)\nx / 0")
    press(block(ready, 1), "run")
    says(ready, "raised an error")
    assert re.search(r'File "block 2", line 3.*\n +x / 0', printed(ready))
    assert printed(ready).startswith("1\n")
    assert "ZeroDivisionError" in printed(ready)


def test_an_error_in_an_earlier_block_is_said_where_the_later_one_runs(ready):
    edit(ready, 0, "1 / 0")
    press(block(ready, 1), "run")
    says(ready, "block 1, which runs before it")
    assert "ZeroDivisionError" in printed(ready)


def test_an_endless_loop_shows_what_it_prints_is_stopped_and_the_next_run_works(ready):
    edit(ready, 1, "print('begun')\nwhile True:\n    pass")
    press(block(ready, 1), "run")
    ready.locator(".live-printed", has_text="begun").wait_for()
    press(block(ready, 1), "stop")
    says(ready, "was stopped")
    press(block(ready, 1), "reset")
    press(block(ready, 2), "run")
    says(ready, "printed the same")


def test_a_flood_is_cut_and_can_be_stopped(ready):
    edit(ready, 1, "while True:\n    print('x' * 80)")
    press(block(ready, 1), "run")
    ready.locator(".live-printed", has_text="cut here").wait_for()
    assert len(printed(ready)) < 66_000
    press(block(ready, 1), "stop")
    says(ready, "was stopped")


@pytest.mark.parametrize(
    "blocked", ["pyodide.asm.wasm", "pyodide.js", "pyodide.asm.js", "python_stdlib.zip", "live_driver.py",
                "numpy-*.whl", "pyodide-lock.json"]
)  # fmt: skip
def test_a_file_that_is_blocked_is_named_and_the_page_stays_as_it_was(open_page, blocked):
    page = open_page(LESSON)
    page.locator("attn-steps .attn-live").wait_for()  # the page's widget is there, and changes it no more
    lay_out(page)
    before = page.locator("article").inner_text()
    page.context.route(f"**/{blocked}", lambda route: route.abort())
    press(block(page, 1), "run")
    says(page, "did not run")
    assert "press Run to try again" in status(page).inner_text()
    page.locator(".live-output").evaluate("(output) => output.remove()")
    assert page.locator("article").inner_text() == before


def test_after_a_failed_download_run_tries_again(open_page):
    page = open_page(LESSON)
    page.context.route("**/pyodide.asm.wasm", lambda route: route.abort())
    press(block(page, 1), "run")
    says(page, "did not run")
    page.context.unroute_all()
    press(block(page, 1), "run")
    says(page, "printed the same")


def test_a_file_that_is_missing_is_named(open_page):
    page = open_page(LESSON)
    page.context.route("**/pyodide.asm.wasm", lambda route: route.fulfill(status=404, body=""))
    press(block(page, 1), "run")
    says(page, "pyodide.asm.wasm could not be fetched (the server answered 404)")


def test_nothing_of_python_is_fetched_where_nothing_runs(open_page):
    page = open_page(LESSON)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    press(block(page, 1), "edit")
    page.locator(".live-editor").wait_for()
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if "pyodide" in url or "assets/live/" in url] == []


def test_blocks_run_on_the_next_page_after_instant_navigation(ready_anew):
    ready = ready_anew
    ready.wait_for_load_state("networkidle")
    ready.evaluate("window.stayed = true")
    ready.locator(".md-footer__link--next").click()
    ready.locator("h1", has_text="Every token at once").wait_for()
    assert ready.evaluate("window.stayed === true"), "the page was loaded anew, so this tests nothing"
    number = ready.locator(".live:has(+ .language-text)").first
    press(number, "run")
    says(ready, "printed the same")
    assert ready.elsewhere == []
    assert ready.complaints == []


def test_leaving_a_page_ends_what_runs_there(ready_anew):
    ready = ready_anew
    ready.wait_for_load_state("networkidle")
    edit(ready, 1, "while True:\n    pass")
    press(block(ready, 1), "run")
    says(ready, "is running")
    ready.locator(".md-footer__link--next").click()
    ready.locator("h1", has_text="Every token at once").wait_for()
    press(ready.locator(".live:has(+ .language-text)").first, "run")
    says(ready, "printed the same")


def test_keys_alone_edit_run_and_leave_a_block(open_page):
    page = open_page(LESSON)
    block(page, 1).locator("[name=run]").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(".live-editor:focus").wait_for()
    page.keyboard.press("Control+a")
    page.keyboard.type("for k in range(2):\nprint(k)")  # the second line is indented by the editor
    page.keyboard.press("Control+Enter")
    says(page, "Yours printed")
    assert printed(page) == "0\n1\n"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "run", "Tab is not caught by the editor"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    gone(page, ".live-editor")
    assert page.evaluate("document.activeElement.name") == "edit"


def test_a_key_that_is_pressed_twice_opens_one_editor(open_page):
    page = open_page(LESSON)
    block(page, 1).locator("[name=edit]").evaluate("(button) => { button.click(); button.click() }")
    page.locator(".live-editor").first.wait_for()
    assert page.locator(".live-editor").count() == 1


def test_a_double_click_is_one_click(ready):
    edit(ready, 1, "import time\ntime.sleep(1)\nprint('whole')")
    block(ready, 1).locator("[name=run]").dblclick(delay=100)
    ready.locator(".live-printed", has_text="whole").wait_for(timeout=PATIENT)
    assert "stopped" not in status(ready).inner_text()
    block(ready, 2).locator("[name=edit]").dblclick(delay=100)
    block(ready, 2).locator("[name=reset]").wait_for()
    assert block(ready, 2).locator(".live-editor").count() == 1


def test_a_third_click_stops(ready):
    edit(ready, 1, "while True:\n    pass")
    block(ready, 1).locator("[name=run]").click(click_count=3, delay=100)
    says(ready, "was stopped")


def test_enter_that_is_held_on_run_starts_once(ready):
    edit(ready, 1, "import time\ntime.sleep(1)\nprint('whole')")
    block(ready, 1).locator("[name=run]").focus()
    for _ in range(4):  # a second keydown without a keyup is a repetition
        ready.keyboard.down("Enter")
        ready.wait_for_timeout(100)
    ready.keyboard.up("Enter")
    ready.locator(".live-printed", has_text="whole").wait_for(timeout=PATIENT)


def test_a_block_can_be_edited_while_it_runs_and_reset_ends_it(ready):
    edit(ready, 2, "while True:\n    pass")
    press(block(ready, 2), "run")
    says(ready, "is running")
    press(block(ready, 1), "edit")
    press(block(ready, 2), "reset")
    block(ready, 2).locator("[name=run]").wait_for()
    gone(ready, ".live:nth-of-type(n) [name=stop]")
    press(block(ready, 1), "run")
    says(ready, "printed the same")
    press(block(ready, 1), "run")
    press(block(ready, 1), "reset")
    gone(ready, ".live-editor")
    assert ready.complaints == []


def test_a_block_that_waits_for_python_can_be_edited(open_page):
    page = open_page(LESSON)
    press(block(page, 1), "run")
    page.locator(".live-status").wait_for()
    press(block(page, 1), "edit")
    page.locator(".live-editor").wait_for()


def test_the_editor_keeps_tabs_and_leaves_enter_to_those_who_compose(open_page):
    page = open_page(LESSON)
    edit(page, 1, "if x:\n\ty = 1")
    editor = page.locator(".live-editor")
    editor.press("Enter")
    page.keyboard.type("z")
    assert editor.input_value() == "if x:\n\ty = 1\n\tz"
    taken = editor.evaluate(
        "(e) => !e.dispatchEvent(new KeyboardEvent('keydown',"
        " { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))"
    )
    assert not taken
    assert editor.input_value() == "if x:\n\ty = 1\n\tz"


@pytest.mark.parametrize(
    "code", ["import os\nos._exit(1)", "x = []\nfor _ in range(10**5):\n    x = [x]\nrepr(x)"]
)
def test_a_program_that_ends_python_is_told_so_and_the_next_one_runs(ready, code):
    edit(ready, 1, code)
    press(block(ready, 1), "run")
    says(ready, "ended Python itself")
    press(block(ready, 1), "reset")
    press(block(ready, 1), "run")
    says(ready, "printed the same")
    ready.complaints.clear()  # Pyodide says on the console that it has ended


def test_a_block_that_cannot_run_here_says_why(open_page):
    page = open_page("labs/against-pytorch/")
    assert page.locator(".native").first.inner_text().strip().endswith("Not in the browser: it needs torch.")
    assert page.locator(".native button[name=run]").count() == 0


def test_a_block_that_is_meant_to_fail_fails(open_page):
    page = open_page("lessons/masks/")
    failing = page.locator(".live.fails").first
    press(failing, "run")
    says(page, "raised an error")
    proved = failing.locator("xpath=following-sibling::*[1]").inner_text().strip()
    assert printed(page).strip().endswith(proved)


def test_without_script_a_block_has_no_buttons(open_page):
    page = open_page(LESSON, java_script_enabled=False)
    assert page.locator(".live").count() > 5
    assert page.locator(".live-bar").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_an_edited_block_that_has_run(ready, scheme, width):
    ready.emulate_media(color_scheme=scheme)
    ready.set_viewport_size({"width": width, "height": 900})
    edit(ready, 1, "print('x' * 200)\n1 / 0")
    press(block(ready, 1), "run")
    says(ready, "raised an error")
    assert violations(ready) == []
    assert ready.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert ready.complaints == []
