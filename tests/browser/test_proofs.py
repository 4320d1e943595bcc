"""The proof of a number is one movement away: by mouse, by touch, by keys, and without script."""

import pytest

LESSON = "lessons/step-by-step/"


def box(page):
    return page.locator("#proof")


def test_hovering_a_number_shows_expression_value_and_line(open_page):
    page = open_page(LESSON)
    page.locator("data[data-proof='weights[0]']").first.hover()
    text = box(page).inner_text()
    assert "weights[0] = 0.7345767021916113" in text
    assert "weights = powers / total" in text
    assert "line" in text


def test_leaving_a_number_hides_its_proof(open_page):
    page = open_page(LESSON)
    page.locator("data[data-proof]").first.hover()
    assert box(page).is_visible()
    page.locator("h1").first.hover()
    assert box(page).is_hidden()


def test_tapping_a_number_shows_its_proof_inside_the_window(open_page):
    page = open_page(LESSON, width=390, has_touch=True)
    for number in page.locator("table data[data-proof]").all()[:5]:
        number.tap()
        assert box(page).is_visible()
        at = box(page).bounding_box()
        assert at["x"] >= 0
        assert at["x"] + at["width"] <= 390


def test_a_formula_has_one_proof_for_the_whole(open_page):
    page = open_page(LESSON)
    formula = page.locator(".math-display[data-proof]").first
    formula.focus()
    page.wait_for_timeout(100)  # the window scrolls to what is focused
    assert box(page).is_visible()
    assert "dot_products" in box(page).inner_text()
    assert formula.locator("[data-proof]").count() == 0


def test_each_block_is_one_tab_stop_and_arrows_move_within(open_page):
    page = open_page(LESSON)
    table = page.locator("table:has(data[data-proof])").first
    assert table.locator("data[tabindex='0']").count() == 1
    table.locator("data[tabindex='0']").focus()
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.closest('table') !== null")
    assert table.locator("data[tabindex='0']").count() == 1
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == first
    page.keyboard.press("Tab")  # to the next block, be it one more table or a widget
    assert not table.evaluate("table => table.contains(document.activeElement)")


def test_escape_hides_the_proof_and_keeps_the_focus(open_page):
    page = open_page(LESSON)
    page.locator("data[tabindex='0']").first.focus()
    assert box(page).is_visible()
    page.keyboard.press("Escape")
    assert box(page).is_hidden()
    assert page.evaluate("document.activeElement.matches('data')")


FOCUSED = "document.activeElement.matches('.highlight') && document.activeElement.textContent"


def test_a_click_holds_the_proof_and_its_button_leads_to_the_block(open_page):
    page = open_page(LESSON)
    number = page.locator("p data[data-proof='weights[0]']").first
    number.click()
    page.locator("h1").hover()
    assert box(page).is_visible()
    box(page).locator("button").click()
    assert "weights = powers / total" in page.evaluate(FOCUSED)
    assert box(page).is_hidden()


def test_a_tap_leads_to_the_block_too(open_page):
    page = open_page(LESSON, width=390, has_touch=True)
    page.locator("p data[data-proof='weights[0]']").first.tap()
    box(page).locator("button").tap()
    assert "weights = powers / total" in page.evaluate(FOCUSED)


def test_enter_leads_to_the_block_and_escape_back_to_the_number(open_page):
    page = open_page(LESSON)
    number = page.locator("p data[data-proof='weights[0]'][tabindex]").first
    number.focus()
    assert "Enter" in box(page).inner_text()
    page.keyboard.press("Enter")
    assert "weights = powers / total" in page.evaluate(FOCUSED)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.proof") == "weights[0]"


def test_a_block_in_a_fold_is_opened(open_page):
    page = open_page("lessons/why-the-root/")
    found = page.evaluate(
        """() => {
          const kept = JSON.parse(document.querySelector('.ledger-count').dataset.lines)
          const fold = [...document.querySelectorAll('details .highlight code')].map((c) => c.textContent).join('')
          return [...document.querySelectorAll('data[data-line][tabindex]')].findIndex((number) =>
            number.dataset.line.split(',').every((place) => kept[place] && fold.includes(kept[place])))
        }"""
    )
    assert found >= 0
    number = page.locator("data[data-line][tabindex]").nth(found)
    number.evaluate(
        "(number) => { for (const d of document.querySelectorAll('details')) d.open = d.contains(number) }"
    )
    number.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(f"({FOCUSED}) && document.activeElement.closest('details').open")


def test_the_focused_number_is_described_by_its_proof(open_page):
    page = open_page(LESSON)
    number = page.locator("data[tabindex='0']").first
    number.focus()
    assert number.get_attribute("aria-describedby") == "proof"
    assert box(page).get_attribute("role") == "tooltip"


def test_proofs_work_on_the_next_page_after_instant_navigation(open_page):
    page = open_page("")
    page.wait_for_load_state("networkidle")  # the list of pages that may be exchanged has arrived
    page.evaluate("window.stayed = true")
    page.locator("article a[href*='step-by-step']").first.click()
    page.locator("h1", has_text="step by step").wait_for()
    assert page.evaluate("window.stayed === true"), "the page was loaded anew, so this tests nothing"
    page.locator("data[data-proof='weights[0]']").first.hover()
    assert "weights = powers / total" in box(page).inner_text()


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_without_script_the_style_sheet_shows_the_proof(open_page, how):
    page = open_page(LESSON, java_script_enabled=False)
    number = page.locator("data[data-proof='weights[0]'][tabindex]").first
    getattr(number, how)()
    # Without script nothing can ask the page for a computed style but the driver's own protocol.
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    node = session.send(
        "DOM.querySelector", {"nodeId": root, "selector": f"data[data-proof='weights[0]']:{how}"}
    )
    rules = session.send("CSS.getMatchedStylesForNode", {"nodeId": node["nodeId"]})
    after = [item for item in rules.get("pseudoElements", []) if item["pseudoType"] == "after"]
    declared = [
        p for item in after for match in item["matches"] for p in match["rule"]["style"]["cssProperties"]
    ]
    assert any(p["name"] == "content" and "data-proof" in p["value"] for p in declared)
