"""The study pages as a learner uses them: on paper, with the keyboard, with and without a script."""

import re

import pytest

from tests.browser.test_axe import violations
from tests.browser.test_pages import STICKING_OUT


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


# ---- the cards ----


@pytest.fixture
def cards(open_page):
    def opened(**options):
        page = open_page("study/cards/", **options)
        page.locator("attn-cards .attn-live").wait_for()
        return page

    return opened


def status(page) -> str:
    return page.locator("attn-cards .attn-status").inner_text()


def test_a_card_is_turned_and_judged_with_keys_alone(cards):
    page = cards()
    card = page.locator(".attn-card")
    card.focus()
    first = page.locator(".attn-front").inner_text()
    assert page.locator(".attn-back").is_hidden()
    page.keyboard.press("Space")
    assert "10" in page.locator(".attn-back").inner_text()
    page.keyboard.press("k")
    assert page.locator(".attn-front").inner_text() != first
    page.keyboard.press("Space")
    page.keyboard.press("a")
    assert re.search(r"Card 3 of \d+\. Known 1, again 1", status(page))
    assert card.evaluate("element => element === document.activeElement")


def test_a_key_of_the_card_is_none_of_the_search(cards):
    page = cards()
    page.locator(".attn-card").focus()
    before = page.locator(".attn-front").inner_text()
    page.evaluate("Math.random = () => 0")
    page.keyboard.press("s")
    assert page.locator(".attn-front").inner_text() != before
    page.wait_for_timeout(300)
    assert not page.locator("#__search").is_checked()
    assert page.locator(".attn-card").evaluate("element => element === document.activeElement")


def test_a_card_is_not_judged_before_it_was_turned(cards):
    page = cards()
    page.locator(".attn-card").focus()
    page.keyboard.press("k")
    assert "Known 0" in status(page)
    assert page.get_by_role("button", name="Known").is_disabled()


def test_keys_do_nothing_outside_the_card(cards):
    page = cards()
    page.get_by_role("button", name="Shuffle").focus()
    page.keyboard.press("k")
    assert "Known 0" in status(page)


def test_what_is_known_is_kept_and_left_out_when_asked(cards):
    page = cards()
    first = page.locator(".attn-front").inner_text()
    page.get_by_role("button", name="Show the answer").click()
    page.get_by_role("button", name="Known").click()
    page.reload()
    page.locator("attn-cards .attn-live").wait_for()
    assert "Known 1" in status(page)
    page.get_by_label("not yet known").check()
    assert page.locator(".attn-front").inner_text() != first
    page.get_by_role("button", name="Forget all").click()
    assert "Known 0" in status(page)
    assert page.locator(".attn-front").inner_text() == first


def test_a_pile_can_be_chosen_and_shuffled(cards):
    page = cards()
    page.get_by_label("Pile").select_option("Masks")
    assert "Card 1 of 6" in status(page)
    assert "mask" in page.locator(".attn-front").inner_text()
    page.get_by_label("Pile").select_option("all cards")
    before = page.locator(".attn-front").inner_text()
    page.evaluate("Math.random = () => 0")
    page.get_by_role("button", name="Shuffle").click()
    assert page.locator(".attn-front").inner_text() != before


# ---- the questions ----


@pytest.fixture
def quiz(open_page):
    def opened(**options):
        page = open_page("study/quiz/", **options)
        page.locator("attn-quiz form").first.wait_for()
        return page

    return opened


def asked(page, title: str):
    return page.locator("form", has=page.locator("legend", has_text=title))


def test_a_choice_gets_its_reason_and_the_first_try_counts(quiz):
    page = quiz()
    form = asked(page, "Six tokens")
    form.get_by_label("15").check()
    form.get_by_role("button", name="Check").click()
    assert "pairs without order" in form.get_by_role("status").inner_text()
    form.get_by_label("36").check()
    form.get_by_role("button", name="Check").click()
    assert form.get_by_role("status").inner_text().startswith("Right.")
    assert "1 of 21 answered, 0 right" in page.locator(".attn-score").inner_text()


def test_a_question_has_no_folds_besides_its_choices(quiz):
    page = quiz()
    page.locator("attn-quiz form").first.wait_for()
    assert page.locator("attn-quiz details:visible").count() == 0
    assert page.locator("attn-quiz form").count() == page.locator("attn-quiz h3").count()


def test_an_empty_form_counts_as_no_answer(quiz):
    page = quiz()
    form = asked(page, "Six tokens")
    form.get_by_role("button", name="Check").click()
    assert "Choose one first" in form.get_by_role("status").inner_text()
    assert "0 of 21 answered" in page.locator(".attn-score").inner_text()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("2.12", "Right."),
        ("2,12", "Right."),
        ("212/100", "Right."),
        ("2.1", "too small"),
        ("3", "too large"),
        ("two", "Type a number first"),
    ],
)
def test_a_number_is_judged_by_the_tolerance_that_the_question_states(quiz, given, said):
    page = quiz()
    field = page.get_by_label("Your answer: A score by hand")
    field.press_sequentially(given)
    field.press("Enter")
    assert said in page.locator("form", has=field).get_by_role("status").inner_text()


def test_questions_are_answered_with_keys_alone(quiz):
    page = quiz()
    form = asked(page, "All scores raised")
    form.get_by_label("all of them grow").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert form.get_by_role("status").inner_text().startswith("Right.")


@pytest.mark.parametrize("path", ["study/cards/", "study/quiz/"])
def test_without_script_every_answer_is_a_fold(open_page, path):
    page = open_page(path, java_script_enabled=False)
    fold = page.locator("details:is(.card, .choice)").first
    assert fold.locator("p").first.is_hidden()
    fold.locator("summary").click()
    assert fold.locator("p").first.is_visible()


@pytest.mark.parametrize("path", ["study/cards/", "study/quiz/", "study/recap/", "study/glossary/"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_study_page_is_at_peace(open_page, path, width, scheme):
    page = open_page(path, width=width, scheme=scheme)
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    assert page.evaluate(STICKING_OUT) == []
    assert page.elsewhere == []
    assert page.complaints == []
