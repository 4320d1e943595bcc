"""On a telephone formulas fit, and the Tab key stops at nothing that it need not."""

from pathlib import Path

import pytest

from tests.browser.conftest import lay_out

LESSONS = sorted(path.stem for path in (Path(__file__).parents[2] / "docs" / "lessons").glob("*.md"))
WIDER = """() => [...document.querySelectorAll(".math-display")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.querySelector("math").getAttribute("alttext"))"""


@pytest.mark.parametrize("slug", LESSONS)
def test_no_formula_of_a_lesson_is_scrolled_on_a_telephone(open_page, slug):
    page = open_page(f"lessons/{slug}/", width=390)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
    assert page.evaluate(WIDER) == []


def test_parts_of_a_formula_stand_in_one_line_where_there_is_room(open_page):
    tops = "() => [...document.querySelectorAll('.math-display:has(> math + math)')]"
    tops += ".map((box) => new Set([...box.children].map((part) => part.getBoundingClientRect().bottom > "
    tops += "box.getBoundingClientRect().top + box.clientHeight / 2)).size)"
    assert 1 in open_page("reference/additive/", width=1280).evaluate(tops)
    assert 2 in open_page("reference/additive/", width=390).evaluate(tops)


def test_only_what_scrolls_or_has_a_proof_takes_the_focus(open_page):
    page = open_page("reference/positions/", width=390)
    page.wait_for_function("document.querySelector('.math-display:not([tabindex])')")
    lay_out(page)
    boxes = page.evaluate("""() => [...document.querySelectorAll(".math-display, .md-typeset__scrollwrap")]
      .map((box) => [box.scrollWidth > box.clientWidth, box.tabIndex === 0])""")
    assert [True, True] in boxes  # one formula is wider than a telephone
    assert [False, True] not in boxes
    assert [True, False] not in boxes
    proved = open_page("lessons/step-by-step/")
    proved.wait_for_timeout(300)
    assert proved.locator(".math-display[data-proof][tabindex='0']").count() > 0


def test_a_box_that_has_to_be_scrolled_when_the_window_narrows_takes_the_focus(open_page):
    page = open_page("reference/positions/", width=1280)
    page.wait_for_function("document.querySelector('.math-display:not([tabindex])')")
    before = page.locator(".math-display[tabindex='0']").count()
    page.set_viewport_size({"width": 320, "height": 800})
    page.wait_for_function(f"document.querySelectorAll('.math-display[tabindex=\"0\"]').length > {before}")


def test_links_of_headings_are_no_stops_of_the_tab_key(open_page):
    page = open_page("study/quiz/")
    page.wait_for_load_state("networkidle")
    page.locator(".md-skip").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash === '#questions'")  # the theme goes there in its own time
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('data')")  # the numbers of the first question
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('input')")  # its choices
