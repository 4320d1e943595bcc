"""Searching finds words of the lessons, from the site's own files, by keys alone."""

import pytest

from tests.browser.test_pages import KINDS


def test_search_by_keys_leads_to_a_page(open_page):
    page = open_page(KINDS["home"])
    page.keyboard.press("s")
    page.keyboard.type("dot product", delay=20)
    page.locator(".md-search-result__link").first.wait_for()
    assert page.locator(".md-search-result__link").count() > 1
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/step-by-step/**")
    assert page.elsewhere == []
    assert page.complaints == []


def test_each_page_offers_edit_and_mistake_links(open_page):
    page = open_page(KINDS["lesson"])
    links = page.locator(".page-mistake a")
    assert links.all_inner_texts() == ["Spotted a mistake?", "Edit this page"]
    assert links.nth(1).get_attribute("href").endswith("/docs/lessons/step-by-step.md")
    assert "Scaled%20dot-product" in links.nth(0).get_attribute("href")


def asked_for(page) -> list[str]:
    """The files of the search that a page has asked for."""
    return page.evaluate(
        "performance.getEntriesByType('resource').map((e) => e.name).filter((name) => /search/.test(name))"
    )


def test_page_asks_for_nothing_of_the_search_before_a_reader_searches(open_page):
    page = open_page(KINDS["lesson"])
    page.wait_for_load_state("networkidle")
    assert asked_for(page) == []
    with page.expect_request("**/search_index.json"):
        page.locator(".md-search__input").focus()


@pytest.mark.parametrize("key", ["s", "/", "f"])
def test_what_is_typed_before_the_index_has_come_is_searched_for(open_page, key):
    page = open_page(KINDS["home"])
    page.wait_for_load_state("networkidle")
    page.route("**/search_index.json", lambda route: page.wait_for_timeout(400) or route.continue_())
    page.keyboard.press(key)
    page.keyboard.type("dot product")
    page.locator(".md-search-result__link", has_text="dot product").first.wait_for()
    assert page.locator(".md-search__input").input_value() == "dot product"
    assert page.complaints == []


def test_search_works_on_the_next_page_after_instant_navigation(open_page):
    page = open_page(KINDS["home"])
    page.wait_for_load_state("networkidle")
    page.evaluate("window.stayed = true")
    page.locator("article a[href*='step-by-step']").first.click()
    page.locator("h1", has_text="step by step").wait_for()
    assert asked_for(page) == []
    page.wait_for_timeout(300)  # the theme closes the search a moment after each change of page
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.locator(".md-search-result__link").first.wait_for()
    assert page.evaluate("window.stayed === true"), "the page was loaded anew, so this tests nothing"


def test_an_address_with_a_question_searches_at_once(open_page):
    page = open_page("?q=softmax")
    page.locator(".md-search-result__link").first.wait_for()
    assert page.complaints == []
