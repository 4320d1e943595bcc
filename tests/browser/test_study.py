"""The study pages as a learner uses them: on paper, with the keyboard, with and without a script."""

import re

import pytest


def test_the_recap_prints_on_one_sheet(open_page):
    page = open_page("study/recap/")
    pdf = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)) == 1
    width, height = map(float, re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", pdf).groups())
    assert abs(width - 595) < 2
    assert abs(height - 842) < 2


def test_a_longer_page_prints_on_more_than_one_sheet(open_page):
    pdf = open_page("study/glossary/").pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)) > 1


@pytest.mark.parametrize("script", [True, False])
def test_a_term_shows_its_definition_on_focus(open_page, script):
    page = open_page("lessons/several-heads/", java_script_enabled=script)
    term = page.locator("a.term").first
    definition = term.get_attribute("title")
    term.focus()
    if script:
        page.wait_for_selector(".md-tooltip2__inner", state="visible")
        assert definition in page.locator(".md-tooltip2__inner").first.inner_text()
    else:
        shown = term.evaluate("element => getComputedStyle(element, '::after').content")
        assert definition in shown


def test_a_term_leads_to_its_entry(open_page):
    page = open_page("lessons/several-heads/")
    term = page.locator("a.term", has_text="head").first
    term.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/study/glossary/#head")
    page.wait_for_selector("#head", state="visible")
