"""What lies far below is laid out when a reader comes near, and nothing of the page is out of reach because of that."""

import pytest

from tests.browser.conftest import lay_out
from tests.browser.test_pages import KINDS

LAID_OUT = "box => box.firstElementChild.checkVisibility({contentVisibilityAuto: true})"
LAST = "[...document.querySelectorAll('.later')].at(-1)"
TOP = "id => document.getElementById(id).getBoundingClientRect().top"


@pytest.mark.parametrize("kind", ["lesson", "lab"])
def test_far_boxes_are_left_out_until_a_reader_comes_near(open_page, kind):
    page = open_page(KINDS[kind])
    boxes = page.locator(".later")
    assert boxes.count() > 3
    assert not boxes.last.evaluate(LAID_OUT)
    boxes.last.scroll_into_view_if_needed()
    page.wait_for_function(f"({LAID_OUT})({LAST})")


@pytest.mark.parametrize("kind", ["lesson", "reference"])
def test_all_is_laid_out_once_the_page_is_at_rest(open_page, kind):
    page = open_page(KINDS[kind])
    assert page.locator("html.early").count() == 1
    page.locator("html:not(.early)").wait_for(state="attached")
    assert page.evaluate(f"[...document.querySelectorAll('.later, .doc-contents')].every({LAID_OUT})")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("kind", list(KINDS))
def test_what_is_in_a_box_does_not_reach_over_what_comes_after_it(open_page, kind, width):
    page = open_page(KINDS[kind], width=width)
    boxes = "[...document.querySelectorAll('.later, .doc-function > .doc-contents')]"
    heights = f"() => {boxes}.map((box) => box.getBoundingClientRect().height)"
    guessed = page.evaluate(heights)
    assert page.evaluate(f"{boxes}.every((box) => !box.querySelector('h1, h2, h3'))")
    lay_out(page)
    too_high = [true > guess + 2 for guess, true in zip(guessed, page.evaluate(heights), strict=True)]
    assert sum(too_high) <= 0.1 * len(too_high)
    assert not too_high or not too_high[-1]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("kind", ["lesson", "reference"])
def test_each_link_of_the_contents_leads_to_its_heading(open_page, kind, width):
    page = open_page(KINDS[kind], width=width)
    names = page.evaluate("[...document.querySelectorAll('article :is(h2, h3)[id]')].map((h) => h.id)")
    header = page.locator(".md-header").bounding_box()["height"]
    for name in reversed(names[:: max(1, len(names) // 6)]):
        page.evaluate("name => document.querySelector(`.md-nav a[href$='#${name}']`).click()", name)
        page.wait_for_timeout(400)
        bottom = page.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
        assert bottom or 0 <= page.evaluate(TOP, name) <= header + 60, name


def test_an_address_with_a_heading_opens_there_and_the_way_back_leads_to_where_one_was(open_page):
    page = open_page(KINDS["lesson"] + "#exercises")
    page.wait_for_timeout(600)
    assert page.locator("html.early").count() == 0
    assert 0 <= page.evaluate(TOP, "exercises") <= 150
    page.locator(".md-footer__link--next").evaluate("link => link.click()")
    page.wait_for_function("location.pathname.includes('every-token')")
    page.go_back()
    page.wait_for_function("location.pathname.includes('step-by-step')")
    page.locator("#exercises").wait_for()
    page.wait_for_timeout(600)
    assert 0 <= page.evaluate(TOP, "exercises") <= 150


def test_tab_reaches_what_is_not_laid_out_yet(open_page):
    page = open_page(KINDS["lesson"])
    page.evaluate(
        "[...document.querySelectorAll('.later')].at(-2).previousElementSibling.querySelector('a').focus()"
    )
    page.keyboard.press("Tab")
    inside = "[...document.querySelectorAll('.later')].slice(-2).some((box) => box.contains(document.activeElement))"
    assert page.evaluate(inside)
    at = page.evaluate("document.activeElement.getBoundingClientRect().top")
    assert 0 <= at <= 900


def test_all_of_a_page_is_printed(open_page):
    page = open_page(KINDS["lesson"])
    later = len(page.pdf())
    page.add_style_tag(content=".later { content-visibility: visible !important }")
    assert later > 0.95 * len(page.pdf())


def test_a_tooltip_is_made_when_the_pointer_or_the_focus_comes(open_page):
    page = open_page(KINDS["lesson"])
    term = page.locator("article a.term").nth(2)
    says = term.get_attribute("title")
    assert page.locator(".md-tooltip2").count() == 0
    term.hover()
    page.locator(".md-tooltip2--active", has_text=says).wait_for()
    page.locator("h1").hover()
    page.locator(".md-tooltip2--active").wait_for(state="detached")
    page.wait_for_function(
        "says => [...document.querySelectorAll('a.term')].some((a) => a.title === says)", arg=says
    )
    term.focus()
    page.locator(".md-tooltip2--active", has_text=says).wait_for()
    page.locator(".highlight").first.hover()
    copy = page.locator(".md-code__button[data-md-type=copy]").first
    copy.hover()
    page.locator(".md-tooltip2--active", has_text="Copy").wait_for()
    page.locator(".md-header label[title]:visible").first.hover()
    page.locator(".md-tooltip--active").wait_for()
