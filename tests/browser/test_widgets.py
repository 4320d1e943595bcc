"""The widgets: by mouse, by keys alone and by touch; without script; after instant navigation; on a phone."""

import pytest

from tests.browser.test_axe import violations
from tests.browser.test_pages import STICKING_OUT

PAGES = {"attn-lookup": "lessons/soft-lookup/"}


@pytest.fixture
def open_widget(open_page):
    """Open the page of a widget, and wait until it is alive."""

    def opened(tag: str, **options):
        page = open_page(PAGES[tag], **options)
        page.locator(f"{tag} .attn-live").wait_for()
        page.locator(tag).scroll_into_view_if_needed()
        return page

    return opened


def numbers(page, selector: str) -> list[float]:
    texts = page.locator(selector).all_inner_texts()
    return [float(text.replace("−", "-").replace(",", "")) for text in texts]


def settle(page) -> None:
    """Wait until what was changed is painted."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


# ---- what holds for all of them ----


@pytest.mark.parametrize("tag", list(PAGES))
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_widget_is_at_peace_in_both_schemes_and_widths(open_widget, tag, scheme, width):
    page = open_widget(tag, width=width, scheme=scheme)
    page.locator(f"{tag} .attn-origin summary").click()
    assert violations(page, tag) == []
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.elsewhere == []
    assert page.complaints == []


@pytest.mark.parametrize("tag", list(PAGES))
def test_without_script_the_page_shows_the_table(open_page, tag):
    page = open_page(PAGES[tag], java_script_enabled=False)
    assert page.locator(f"{tag} table").first.is_visible()
    assert page.locator(f"{tag} table data[data-proof]").count() > 5
    assert page.locator(f"{tag} .attn-live").count() == 0


@pytest.mark.parametrize("tag", list(PAGES))
def test_the_table_stays_within_reach_of_those_with_script(open_widget, tag):
    page = open_widget(tag)
    table = page.locator(f"{tag} .attn-origin table").first
    assert table.is_hidden()
    page.locator(f"{tag} .attn-origin summary").click()
    assert table.is_visible()
    number = table.locator("data[data-proof]").first
    number.hover()
    assert page.locator("#proof").is_visible()


@pytest.mark.parametrize("tag", list(PAGES))
def test_widget_comes_alive_after_instant_navigation_and_again_after_going_back(open_page, tag):
    page = open_page("lessons/why-context/")
    page.wait_for_load_state("networkidle")
    page.evaluate("window.stayed = true")
    for _ in range(2):
        page.evaluate(
            "(to) => document.querySelector(`a[href$='${to}']`).click()", PAGES[tag].split("/")[1] + "/"
        )
        page.locator(f"{tag} .attn-live").wait_for()
        assert page.locator(f"{tag} .attn-live").count() == 1
        page.go_back()
        page.locator("h1", has_text="context").wait_for()
    assert page.evaluate("window.stayed === true"), "the page was loaded anew, so this tests nothing"
    assert page.complaints == []


def test_page_without_widgets_loads_nothing_of_them(open_page):
    page = open_page("lessons/why-context/")
    page.wait_for_load_state("networkidle")
    loaded = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert any("entry.js" in name for name in loaded)
    assert not [name for name in loaded if "widgets" in name]


def test_widget_whose_files_cannot_be_had_leaves_the_page_as_it_was(open_page):
    page = open_page("")
    page.context.route("**/widgets.css", lambda route: route.abort())
    page.goto(page.url + PAGES["attn-lookup"])
    page.wait_for_load_state("networkidle")
    assert page.locator("attn-lookup table").first.is_visible()
    assert page.locator("attn-lookup .attn-live").count() == 0


# ---- the soft lookup ----

WEIGHTS = "attn-lookup .attn-weight > span:first-child"


def query_handle(page):
    return page.get_by_role("slider", name="query")


def drag(page, handle, by: tuple[float, float]) -> None:
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by[0] / 2, y + by[1] / 2)
    page.mouse.move(x + by[0], y + by[1])
    page.mouse.up()
    settle(page)


def test_lookup_starts_with_the_numbers_of_its_table(open_widget):
    page = open_widget("attn-lookup")
    assert numbers(page, WEIGHTS) == [0.594, 0.080, 0.326]
    assert numbers(page, "attn-lookup output") == [3.487]


def test_lookup_follows_a_dragged_query(open_widget):
    page = open_widget("attn-lookup")
    unit = page.locator(".attn-plane").bounding_box()["width"] / 5.2
    drag(page, query_handle(page), (-2 * unit, -2 * unit))
    assert query_handle(page).get_attribute("aria-valuetext") == "(0.0, 2.0)"
    assert numbers(page, WEIGHTS) == [0.080, 0.594, 0.326]
    assert numbers(page, "attn-lookup output") == [4.513]
    assert page.get_by_label("query, first number").input_value() == "0"


def test_lookup_follows_a_dragged_key(open_widget):
    page = open_widget("attn-lookup")
    unit = page.locator(".attn-plane").bounding_box()["width"] / 5.2
    drag(page, page.get_by_role("slider", name="pear"), (unit, -unit))  # from (0, 1) to (1, 2)
    assert page.get_by_role("slider", name="pear").get_attribute("aria-valuetext") == "(1.0, 2.0)"
    assert numbers(page, WEIGHTS)[0] == numbers(page, WEIGHTS)[1]


def test_lookup_is_used_with_keys_alone(open_widget):
    page = open_widget("attn-lookup")
    query_handle(page).focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Shift+ArrowUp")
    settle(page)
    assert numbers(page, "attn-lookup output") == [4.513]
    page.get_by_label("query, second number").focus()
    page.keyboard.press("ArrowDown")
    settle(page)
    assert query_handle(page).get_attribute("aria-valuetext") == "(0.0, 1.9)"
    page.get_by_text("Reset").focus()
    page.keyboard.press("Enter")
    settle(page)
    assert numbers(page, "attn-lookup output") == [3.487]


def test_lookup_follows_a_finger_that_drags_the_query(open_widget):
    page = open_widget("attn-lookup", width=390, has_touch=True)
    box = query_handle(page).bounding_box()
    unit = page.locator(".attn-plane").bounding_box()["width"] / 5.2
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers = page.context.new_cdp_session(page)
    points = [(x, y), (x - unit, y - unit), (x - 2 * unit, y - 2 * unit)]
    before = page.evaluate("scrollY")
    for kind, at in zip(["touchStart", "touchMove", "touchMove"], points, strict=True):
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}]})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    settle(page)
    assert numbers(page, "attn-lookup output") == [4.513]
    assert page.evaluate("scrollY") == before


def test_lookup_takes_typed_numbers_and_leaves_alone_what_is_none(open_widget):
    page = open_widget("attn-lookup")
    field = page.get_by_label("query, first number")
    field.fill("0")
    settle(page)
    assert numbers(page, "attn-lookup output") == [4.000]
    field.fill("")
    settle(page)
    assert field.get_attribute("aria-invalid") == "true"
    assert numbers(page, "attn-lookup output") == [4.000]


def test_lookup_scales_when_it_is_told_to(open_widget):
    page = open_widget("attn-lookup")
    page.get_by_label("Scene").select_option(index=1)
    page.get_by_label("divide by").check()
    settle(page)
    assert numbers(page, WEIGHTS) == [0.735, 0.043, 0.043, 0.179]
    assert page.locator("attn-lookup output").inner_text() == "(3.20, 0.44)"


def test_lookup_shows_the_bank_by_the_river(open_widget):
    page = open_widget("attn-lookup")
    page.get_by_label("Scene").select_option(index=2)
    settle(page)
    assert page.locator("attn-lookup output").inner_text() == "(0.75, 0.05)"
    assert page.locator(".attn-plane .label", has_text="on, the, of, the").count() == 1


def test_lookup_tells_a_screen_reader_once_it_rests(open_widget):
    page = open_widget("attn-lookup")
    page.get_by_label("query, first number").fill("0")
    page.wait_for_timeout(700)
    assert "Answer (4.00)" in page.locator("attn-lookup [role=status]").inner_text()
