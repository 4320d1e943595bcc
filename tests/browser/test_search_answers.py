"""What a reader types is understood: small words, signs, slips of the hand; and who finds nothing is told what next."""

from tests.browser.test_pages import KINDS

HIT = ".md-search-result__link"


def ask(page, text: str) -> None:
    page.wait_for_load_state("networkidle")
    page.locator(".md-search__input").fill("")
    page.locator(".md-search__input").press_sequentially(text, delay=20)


def test_a_question_in_words_leads_to_the_term(open_page):
    page = open_page(KINDS["home"])
    ask(page, "what is a query?")
    page.locator(HIT, has_text="What a token looks for").wait_for()
    first = page.locator(HIT, has=page.locator("mark")).first
    assert first.get_attribute("href").endswith("study/glossary/#query")
    assert page.locator(".md-search-result__terms").count() == 0
    assert page.complaints == []


def test_signs_and_slips_are_no_dead_ends(open_page):
    page = open_page(KINDS["home"])
    for text, hit in [("e^x", "softmax"), ("sofmax", "A soft lookup"), ("atention", "Attention")]:
        ask(page, text)
        page.locator(HIT, has_text=hit).first.wait_for()
    assert page.complaints == []


def test_who_finds_nothing_is_told_where_to_look(open_page):
    page = open_page(KINDS["home"])
    ask(page, "hallucination")
    page.locator(".md-search-result__meta", has_text="Glossary under Study").wait_for()
    assert page.locator(HIT).count() == 0
