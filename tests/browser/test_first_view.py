"""What a page does while it is shown for the first time: nothing twice, and nothing that nobody asked for."""

import pytest

from tests.browser.test_pages import KINDS

SHEET = "document.querySelector('link[rel=stylesheet]')"


@pytest.mark.parametrize("kind", ["lesson", "reference"])
def test_sheet_and_fonts_are_read_once_and_kept_by_the_next_page(open_page, kind):
    page = open_page(KINDS[kind])
    page.wait_for_load_state("networkidle")
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


def test_copy_button_is_there_when_a_reader_comes_to_a_block(open_page):
    page = open_page(KINDS["lesson"])
    block = page.locator(".highlight").nth(3)
    block.scroll_into_view_if_needed()
    block.hover()
    block.locator(".md-code__button").first.wait_for(state="visible")
