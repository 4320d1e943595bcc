"""What a page does while it is shown for the first time: nothing twice, and nothing that nobody asked for."""

from pathlib import Path

import pytest

from benchmarks.bench_weight import first_view, weight
from tests.browser.conftest import lay_out
from tests.browser.test_pages import KINDS

BUDGET = 120_000  # bytes of a lesson's first view

SHEET = "document.querySelector('link[rel=stylesheet]')"


@pytest.mark.parametrize("kind", ["lesson", "reference"])
def test_sheet_and_fonts_are_read_once_and_kept_by_the_next_page(open_page, kind):
    page = open_page(KINDS[kind])
    page.wait_for_load_state("networkidle")
    # Written anew, an address is read anew, from the browser's memory, and all elements are styled once more.
    assert page.evaluate(f"{SHEET}.getAttribute('href')").startswith("../")
    asked = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    files = [name for name in asked if name.endswith((".css", ".woff2"))]
    assert len(files) > 3
    assert len(files) == len(set(files))
    page.evaluate(f"{SHEET}.first = true")
    page.locator(".md-tabs__link", has_text="Lessons").click()
    page.wait_for_function("location.pathname.includes('why-context')")
    page.locator("h1", has_text="context").wait_for()
    assert page.evaluate(f"{SHEET}.first === true"), "the next page reads the sheet anew"
    assert page.evaluate("document.querySelectorAll('link[rel=stylesheet][href*=\"/site.\"]').length") == 1
    assert page.evaluate("getComputedStyle(document.querySelector('.md-header')).position") == "sticky"
    assert page.complaints == []


@pytest.mark.parametrize(("scheme", "shown"), [("light", "default"), ("dark", "slate")])
def test_colours_of_a_first_visit_do_not_wait_for_the_theme(browser, address, scheme, shown):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.route("**/bundle.*.js", lambda route: route.abort())
    page.goto(address + KINDS["lesson"])
    assert page.locator("body").get_attribute("data-md-color-scheme") == shown
    context.close()


def test_chosen_colours_are_told_to_the_browser_and_kept(open_page):
    page = open_page(KINDS["home"], scheme="dark")

    def told() -> tuple[str | None, str | None]:
        metas = page.locator("meta[name=color-scheme]")
        assert metas.count() == 1
        return page.locator("body").get_attribute("data-md-color-scheme"), metas.get_attribute("content")

    assert told() == ("slate", "dark")
    page.get_by_title("Switch to the light colours").click()
    assert told() == ("default", "light")
    page.reload()
    assert told() == ("default", "light")
    page.locator("article a[href*='step-by-step']").first.click()
    page.locator("h1", has_text="step by step").wait_for()
    assert told() == ("default", "light")


def test_blocks_of_code_have_their_button_and_wide_ones_take_the_focus(open_page):
    page = open_page(KINDS["lesson"], width=390)
    lay_out(page)
    page.wait_for_function("document.querySelector('.md-code__button')")
    blocks = page.evaluate(
        """() => [...document.querySelectorAll("pre > code")].filter((code) => code.checkVisibility())
             .map((code) => [code.scrollWidth > code.clientWidth, code.tabIndex === 0,
               !!code.parentElement.querySelector("button")])"""
    )
    assert {tuple(block) for block in blocks} == {(True, True, True), (False, False, True)}
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_function(  # what is folded away is measured when it is opened
        "![...document.querySelectorAll('pre > code[tabindex]')].some((code) => code.checkVisibility())"
    )


@pytest.mark.parametrize("kind", list(KINDS))
def test_page_is_shown_before_its_scripts_have_come(open_page, kind):
    """No script of the frame waits in the way of the first paint."""
    page = open_page(KINDS[kind])
    tags = page.evaluate(
        """() => [...document.querySelectorAll("script[src]")].map((script) =>
             [script.defer || script.type === "module", script.fetchPriority])"""
    )
    assert len(tags) > 3
    assert {tuple(tag) for tag in tags} == {(True, "low")}


WIDGET_FILES = (
    "performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/attn-')).length"
)


def test_widget_comes_when_a_reader_comes_near_it(open_page):
    page = open_page("lessons/why-the-root/", width=390)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(WIDGET_FILES) == 0
    page.locator("attn-saturation").scroll_into_view_if_needed()
    page.locator("attn-saturation .attn-live").wait_for(timeout=2000)
    assert page.evaluate(WIDGET_FILES) == 2


def test_widget_comes_by_itself_when_the_page_is_at_rest(open_page):
    page = open_page("lessons/why-the-root/", width=390)
    page.locator("attn-saturation .attn-live").wait_for()
    assert page.evaluate("scrollY") == 0


def test_first_view_of_a_lesson_keeps_its_budget(open_page, site):
    """Bytes as a static host sends them, besides the formula font; benchmarks/bench_weight.py weighs all lessons."""
    page = open_page(KINDS["lesson"], width=390)
    page.wait_for_load_state("networkidle")
    asked = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    files = weight(site, [page.url, *asked])
    assert {Path(place).suffix for place in files} >= {".html", ".css", ".js", ".woff2"}
    assert first_view(site, [page.url, *asked]) <= BUDGET, files
