"""Exercises in the page: each is solved there, wrong answers are told what is wrong, a draft outlives the page."""

import pytest

from tests.browser.test_axe import violations
from tests.browser.test_live import PATIENT, says
from tests.docs.exercises import EXERCISES, program, wrong_program

FIRST = "exercises/write-attention/"


def editor(page):
    return page.locator(".exercise .live-editor")


def press(page, name: str) -> None:
    page.locator(f".exercise > .live-bar [name={name}]").click()


def check(page, code: str) -> str:
    """Check a program, and return the report."""
    editor(page).fill(code)
    page.evaluate(
        "document.querySelector('.live-output')?.remove()"
    )  # else the last report is taken for the new one
    press(page, "check")
    page.locator(".live-report").wait_for(timeout=PATIENT)
    return page.locator(".live-report").inner_text()


@pytest.fixture(scope="module")
def warm(open_lasting_page):
    """Go to an exercise without ending Python, as instant navigation does."""
    page = open_lasting_page(FIRST)
    page.wait_for_load_state("networkidle")

    def go(slug: str):
        page.evaluate("localStorage.clear()")
        page.evaluate(
            "(slug) => { const a = document.createElement('a'); a.href = new URL(`../${slug}/`, location);"
            " document.querySelector('article').append(a); a.click(); a.remove() }",
            slug,
        )
        page.wait_for_function(
            "(slug) => location.pathname.endsWith(`/${slug}/`)"
            " && document.querySelector('.exercise .live-editor')",
            arg=slug,
        )
        return page

    return go


@pytest.mark.parametrize("slug", EXERCISES)
def test_an_exercise_is_solved_in_the_page(warm, slug):
    page = warm(slug)
    found = check(page, program(slug, "exercise"))
    assert all(fault in found for fault in EXERCISES[slug].start)
    says(page, "Yours is not right yet")
    links = page.locator(".live-report a").evaluate_all("(all) => all.map((link) => link.href)")
    here = page.url.partition("/exercises/")[0]
    assert links
    assert all(link.startswith(f"{here}/reference/faults-") for link in links)
    found = check(page, program(slug, "solution"))
    says(page, "Yours is right")
    assert "right" in found
    assert page.elsewhere == []
    assert page.complaints == []


@pytest.mark.parametrize("slug", EXERCISES)
def test_wrong_answers_get_the_right_diagnosis_in_the_page(warm, slug):
    page = warm(slug)
    for fault in EXERCISES[slug].wrong:
        assert fault in check(page, wrong_program(slug, fault))


def test_a_program_that_does_not_run_shows_its_line(warm):
    page = warm("write-attention")
    editor(page).fill("def attention(Q, K, V)\n    return V\n")
    press(page, "check")
    says(page, "raised an error")
    assert 'File "your program", line 1' in page.locator(".live-printed").inner_text()


def test_an_endless_answer_is_stopped(warm):
    page = warm("write-attention")
    editor(page).fill("def attention(Q, K, V):\n    while True:\n        pass\n")
    press(page, "check")
    says(page, "is running")
    press(page, "stop")
    says(page, "was stopped")
    check(page, program("write-attention", "solution"))
    says(page, "Yours is right")


@pytest.mark.parametrize("code", ["", "def attend(Q, K, V):\n    return V\n"])
def test_a_program_without_the_function_is_told_its_name(warm, code):
    page = warm("write-attention")
    editor(page).fill(code)
    press(page, "check")
    says(page, "Yours defines no function attention: the check looks for this name.")
    assert page.locator(".live-printed").is_hidden()


def test_what_the_function_prints_while_it_is_checked_is_shown(warm):
    page = warm("write-attention")
    found = check(page, "def attention(Q, K, V):\n    print('called with', Q.shape)\n    return V\n")
    assert "wrong" in found
    assert "called with (2, 3, 5, 4)" in page.locator(".live-printed").inner_text()


def drafts(page) -> list[str]:
    return page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('attnref: draft'))")


def test_a_draft_outlives_the_page_and_reset_can_be_undone(open_page):
    page = open_page(FIRST)
    editor(page).fill("mine = 1\n")
    page.reload()
    editor(page).wait_for()
    assert editor(page).input_value() == "mine = 1\n"
    page.locator(".exercise > .live-bar [name=reset]").dblclick()
    page.wait_for_function("document.querySelector('.live-editor').value.includes('Write attention')")
    assert drafts(page) == [], "what one begins with is no draft"
    page.keyboard.press("Control+z")
    assert editor(page).input_value() == "mine = 1\n"
    assert len(drafts(page)) == 1


def test_an_exercise_is_done_by_keys_alone(open_page):
    page = open_page(FIRST)
    editor(page).focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(program("write-attention", "solution"))
    page.keyboard.press("Control+Enter")
    says(page, "Yours is right")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "check"


def test_hints_and_solution_are_folded_one_by_one(open_page):
    page = open_page(FIRST)
    folds = page.locator("article details.tip, article details.success")
    assert folds.count() >= 3
    assert page.locator("article details[open]").count() == 0
    folds.last.locator("summary").click()
    assert "np.sqrt" in folds.last.inner_text()


def test_without_script_the_page_says_how_to_check_elsewhere(open_page):
    page = open_page(FIRST, java_script_enabled=False)
    assert "python -m attnref check mine.py:attention" in page.locator("article").inner_text()
    assert "def attention(Q, K, V):" in page.locator(".exercise").inner_text()
    page.locator("details.success summary").click()
    assert page.locator("details.success code").first.is_visible()


def test_without_storage_the_exercise_works(open_page):
    page = open_page("")
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('off') } })"
    )
    page.goto(page.url + FIRST)
    editor(page).wait_for()
    editor(page).fill("x = 1")
    assert page.locator(".exercise > .live-bar [name=check]").is_visible()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_a_report(warm, scheme, width):
    page = warm("read-the-fault")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    check(page, program("read-the-fault", "exercise"))
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
