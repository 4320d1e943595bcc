"""Searching finds words of the lessons, from the site's own files, by keys alone."""

from tests.browser.test_pages import KINDS


def test_search_by_keys_leads_to_a_page(open_page):
    page = open_page(KINDS["home"])
    page.wait_for_load_state("networkidle")  # the index has arrived
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
