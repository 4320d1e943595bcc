"""The widgets: by mouse, by keys alone and by touch; without script; after instant navigation; on a phone."""

import pytest

from tests.browser.test_axe import violations
from tests.browser.test_pages import STICKING_OUT

PAGES = {
    "attn-lookup": "lessons/soft-lookup/",
    "attn-map": "lessons/trained-heads/",
    "attn-matrix": "lessons/masks/",
    "attn-steps": "lessons/step-by-step/",
    "attn-saturation": "lessons/why-the-root/",
    "attn-cost": "lessons/what-it-costs/",
    "attn-induction": "labs/induction-head/",
}
KEPT = {"attn-steps"}  # their table belongs to the text and is not folded


@pytest.fixture
def open_widget(open_page):
    """Open the page of a widget, and wait until it is alive."""

    def opened(tag: str, **options):
        page = open_page(PAGES[tag], **options)
        page.widget = page.locator(tag)
        page.widget.scroll_into_view_if_needed()  # it comes at once when a reader comes near
        page.locator(f"{tag} .attn-live").wait_for()
        page.widget.scroll_into_view_if_needed()
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
    if tag not in KEPT:
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


@pytest.mark.parametrize("tag", sorted(PAGES.keys() - KEPT))
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
    # The navigation names the pages of one's own section only.
    page = open_page("labs/lists-and-loops/" if PAGES[tag].startswith("labs/") else "lessons/why-context/")
    title = page.locator("h1").inner_text().split("\n")[0]
    page.wait_for_load_state("networkidle")
    page.evaluate("window.stayed = true")
    for _ in range(2):
        page.evaluate(
            "(to) => document.querySelector(`a[href$='${to}']`).click()", PAGES[tag].split("/")[1] + "/"
        )
        page.locator(f"{tag} .attn-live").wait_for()
        assert page.locator(f"{tag} .attn-live").count() == 1
        page.go_back()
        page.locator("h1", has_text=title).wait_for()
    assert page.evaluate("window.stayed === true"), "the page was loaded anew, so this tests nothing"
    assert page.complaints == []


@pytest.mark.parametrize(("wish", "seconds"), [("reduce", "0s"), ("no-preference", "0.2s")])
def test_nothing_moves_by_itself_for_those_who_wish_so(browser, address, wish, seconds):
    page = browser.new_page(reduced_motion=wish)
    page.goto(address + PAGES["attn-steps"])
    item = page.locator("attn-steps .attn-chain li").first
    item.wait_for()
    assert item.evaluate("(item) => getComputedStyle(item).transitionDuration") == seconds
    page.close()


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


@pytest.mark.parametrize("tag", list(PAGES))
def test_page_enlarged_four_times_is_read_in_one_direction(open_widget, tag):
    page = open_widget(tag, width=320)
    page.locator(".attn-live select, .attn-live input").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("tag", ["attn-lookup", "attn-saturation"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_are_seen_where_colours_are_the_systems(open_widget, tag, scheme):
    page = open_widget(tag, scheme=scheme, forced_colors="active")
    seen = """(tag) => [...document.querySelectorAll(`${tag} .attn-live i:empty`)].map((bar) =>
      getComputedStyle(bar).backgroundColor !== getComputedStyle(document.body).backgroundColor)"""
    bars = page.evaluate(seen, tag)
    assert len(bars) > 5
    assert all(bars)


# ---- the soft lookup ----

WEIGHTS = "attn-lookup .attn-weight > span:first-child"


def query_handle(page):
    return page.widget.get_by_role("slider", name="query")


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
    assert page.widget.get_by_label("query, first number").input_value() == "0"


def test_lookup_follows_a_dragged_key(open_widget):
    page = open_widget("attn-lookup")
    unit = page.locator(".attn-plane").bounding_box()["width"] / 5.2
    drag(page, page.widget.get_by_role("slider", name="pear"), (unit, -unit))  # from (0, 1) to (1, 2)
    assert page.widget.get_by_role("slider", name="pear").get_attribute("aria-valuetext") == "(1.0, 2.0)"
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
    page.widget.get_by_label("query, second number").focus()
    page.keyboard.press("ArrowDown")
    settle(page)
    assert query_handle(page).get_attribute("aria-valuetext") == "(0.0, 1.9)"
    page.widget.get_by_text("Reset").focus()
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
    field = page.widget.get_by_label("query, first number")
    field.fill("0")
    settle(page)
    assert numbers(page, "attn-lookup output") == [4.000]
    field.fill("")
    settle(page)
    assert field.get_attribute("aria-invalid") == "true"
    assert numbers(page, "attn-lookup output") == [4.000]


def test_lookup_plane_grows_for_a_query_that_is_typed_beyond_it(open_widget):
    page = open_widget("attn-lookup")
    page.widget.get_by_label("query, first number").fill("6")
    settle(page)
    plane, tip = page.widget.locator(".attn-plane").bounding_box(), query_handle(page).bounding_box()
    assert tip["x"] + tip["width"] / 2 < plane["x"] + plane["width"]
    assert numbers(page, WEIGHTS) == [0.856, 0.002, 0.142]


def test_lookup_labels_hide_none_of_each_other(open_widget):
    page = open_widget("attn-lookup")
    for index in range(3):
        page.widget.get_by_label("Scene").select_option(index=index)
        settle(page)
        labels = [label.bounding_box() for label in page.widget.locator(".label").all() if label.inner_html()]
        for number, one in enumerate(labels):
            for other in labels[:number]:
                left, right = sorted([one, other], key=lambda box: box["x"])
                beside = right["x"] - left["x"] - left["width"]
                assert beside > -3 or abs(one["y"] - other["y"]) > 12, (index, one, other)


def test_lookup_scales_when_it_is_told_to(open_widget):
    page = open_widget("attn-lookup")
    page.widget.get_by_label("Scene").select_option(index=1)
    page.widget.get_by_label("divide by").check()
    settle(page)
    assert numbers(page, WEIGHTS) == [0.735, 0.043, 0.043, 0.179]
    assert page.locator("attn-lookup output").inner_text() == "(3.20, 0.44)"


def test_lookup_shows_the_bank_by_the_river(open_widget):
    page = open_widget("attn-lookup")
    page.widget.get_by_label("Scene").select_option(index=2)
    settle(page)
    assert page.locator("attn-lookup output").inner_text() == "(0.75, 0.05)"
    assert page.locator(".attn-plane .label", has_text="on, the, of, the").count() == 1


def test_lookup_tells_a_screen_reader_once_it_rests(open_widget):
    page = open_widget("attn-lookup")
    page.widget.get_by_label("query, first number").fill("0")
    page.wait_for_timeout(700)
    assert "Answer (4.00)" in page.locator("attn-lookup [role=status]").inner_text()


# ---- the attention matrix ----


def cells(page, tag: str, selector: str = "tbody tr td") -> list[str]:
    return page.locator(f"{tag} .attn-live table").first.locator(selector).all_inner_texts()


def matrix(page) -> list[list[str]]:
    rows = page.locator("attn-matrix .attn-live table").first.locator("tbody tr")
    return [row.locator("td").all_inner_texts() for row in rows.all()]


OPEN = [
    ["0.13", "0.54", "0.27", "0.06", "1.00"],
    ["0.04", "0.16", "0.65", "0.16", "1.00"],
    ["0.10", "0.80", "0.10", "0.01", "1.00"],
    ["0.13", "0.06", "0.27", "0.54", "1.00"],
]
CAUSAL = [
    ["1.00", "hidden", "hidden", "hidden", "1.00"],
    ["0.20", "0.80", "hidden", "hidden", "1.00"],
    ["0.10", "0.81", "0.10", "hidden", "1.00"],
    OPEN[3],
]


def test_matrix_starts_with_the_weights_of_its_table(open_widget):
    assert matrix(open_widget("attn-matrix")) == OPEN


def test_matrix_masks_the_future_and_each_row_still_adds_up_to_one(open_widget):
    page = open_widget("attn-matrix")
    page.widget.get_by_label("causal").check()
    settle(page)
    assert matrix(page) == CAUSAL


def test_matrix_shows_what_a_mask_after_the_softmax_loses(open_widget):
    page = open_widget("attn-matrix")
    page.widget.get_by_label("causal").check()
    page.widget.get_by_label("mask after the softmax").check()
    settle(page)
    assert [row[-1] for row in matrix(page)] == ["0.13", "0.20", "0.99", "1.00"]
    assert page.locator("attn-matrix .attn-short").count() == 3
    detail = page.locator("attn-matrix .attn-live table").nth(1)
    assert detail.locator("tbody th").all_inner_texts() == ["score", "weight", "cut"]
    assert detail.locator("tbody td").all_inner_texts()[5:9] == ["0.13", "0.54", "0.27", "0.06"]


def test_matrix_row_of_nobody_is_zero(open_widget):
    page = open_widget("attn-matrix")
    page.widget.get_by_label("Filler").fill("4")
    settle(page)
    assert {row[-1] for row in matrix(page)} == {"0.00"}
    assert page.locator("attn-matrix output").inner_text() == "(0.00, 0.00, 0.00)"


def test_matrix_is_used_with_keys_alone(open_widget):
    page = open_widget("attn-matrix")
    page.widget.get_by_role("radio", name="the", exact=True).focus()
    page.keyboard.press("ArrowDown")
    settle(page)
    assert page.widget.get_by_role("radio", name="cat").is_checked()
    assert page.locator("attn-matrix output").inner_text() == "(0.79, 0.35, 3.39)"
    page.widget.get_by_label("causal").focus()
    page.keyboard.press("Space")
    settle(page)
    assert matrix(page) == CAUSAL
    page.widget.get_by_label("Filler").focus()
    page.keyboard.press("ArrowUp")
    settle(page)
    assert matrix(page)[3] == ["0.28", "0.14", "0.58", "hidden", "1.00"]


def test_matrix_row_is_picked_by_tapping_any_of_its_cells(open_widget):
    page = open_widget("attn-matrix", width=390, has_touch=True)
    page.locator("attn-matrix tbody tr").nth(2).locator("td").nth(1).tap()
    settle(page)
    assert page.widget.get_by_role("radio", name="sat").is_checked()
    assert page.locator("attn-matrix caption").inner_text() == "The row of “sat”, step by step"


def test_matrix_of_a_translation_is_not_square(open_widget):
    page = open_widget("attn-matrix")
    page.widget.get_by_label("Scene").select_option(index=1)
    settle(page)
    assert matrix(page)[1] == ["0.04", "0.76", "0.18", "0.01", "1.00"]
    assert [len(row) for row in matrix(page)] == [5, 5, 5]


# ---- one number, step by step ----


def results(page) -> list[str]:
    return page.locator("attn-steps .attn-chain output").all_inner_texts()


def test_steps_lead_to_the_weight_and_the_output_of_the_table(open_widget):
    page = open_widget("attn-steps")
    assert results(page)[0] == "5"
    for _ in range(4):
        page.widget.get_by_text("Next step").click()
    settle(page)
    assert results(page) == ["5", "3.536", "3.536", "0.735", "[3.20, 0.44]"]
    assert page.widget.get_by_text("Next step").is_disabled()


def test_steps_are_taken_with_keys_alone(open_widget):
    page = open_widget("attn-steps")
    page.widget.get_by_role("slider", name="step").focus()
    page.keyboard.press("End")
    page.widget.get_by_label("Word").focus()
    page.keyboard.press("ArrowDown")
    settle(page)
    assert results(page) == ["1", "0.707", "0.707", "0.043", "[3.20, 0.44]"]
    page.widget.get_by_label("may be heard").focus()
    page.keyboard.press("Space")
    settle(page)
    assert results(page)[2:4] == ["−∞", "0.000"]
    page.widget.get_by_label("query, first number").focus()
    page.keyboard.press("ArrowUp")
    settle(page)
    assert page.widget.get_by_label("query, first number").input_value() == "2.5"
    page.wait_for_timeout(700)
    assert "cross, blend" in page.locator("attn-steps [role=status]").inner_text()


def test_steps_are_taken_by_touch(open_widget):
    page = open_widget("attn-steps", width=390, has_touch=True)
    for _ in range(3):
        page.widget.get_by_text("Next step").tap()
    settle(page)
    assert page.locator("attn-steps .attn-now output").inner_text() == "0.735"
    page.widget.get_by_text("Back").tap()
    settle(page)
    assert page.locator("attn-steps .attn-now output").inner_text() == "3.536"


def test_steps_of_a_sentence_in_which_nobody_may_be_heard_end_at_nothing(open_widget):
    page = open_widget("attn-steps")
    page.widget.get_by_role("slider", name="step").fill("5")
    for index in range(4):
        page.widget.get_by_label("Word").select_option(index=index)
        settle(page)  # the box shows the chosen word's state with the next frame
        page.widget.get_by_label("may be heard").uncheck()
    settle(page)
    assert results(page)[2:] == ["−∞", "0.000", "[0.00, 0.00]"]


# ---- saturation ----


def facts(page) -> list[float]:
    return numbers(page, "attn-saturation .attn-facts td:last-child output")


def test_saturation_comes_near_the_means_of_its_table_with_and_without_the_root(open_widget):
    page = open_widget("attn-saturation")
    spread, largest, slope = facts(page)
    assert abs(spread - 8.0) < 0.4
    assert abs(largest - 0.875) < 0.04
    assert abs(slope - 0.082) < 0.03
    page.widget.get_by_label("divide by").check()
    settle(page)
    spread, largest, slope = facts(page)
    assert spread == 1.0
    assert abs(largest - 0.360) < 0.03
    assert abs(slope - 0.217) < 0.01


def test_saturation_slider_follows_keys_and_its_field(open_widget):
    page = open_widget("attn-saturation")
    slider = page.widget.get_by_role("slider", name="numbers in a key")
    slider.focus()
    page.keyboard.press("Home")
    settle(page)
    assert slider.get_attribute("aria-valuetext") == "1 numbers in a key"
    assert abs(facts(page)[0] - 1) < 0.1
    page.widget.get_by_role("spinbutton", name="numbers in a key").fill("256")
    settle(page)
    assert slider.input_value() == "8"
    assert abs(facts(page)[0] - 16) < 1


@pytest.mark.parametrize("tag", ["attn-lookup", "attn-steps"])
def test_a_phones_keyboard_for_a_field_has_a_minus(open_widget, tag):
    page = open_widget(tag, width=390, has_touch=True)
    field = page.widget.get_by_role("spinbutton").first
    assert float(field.get_attribute("min")) < 0
    assert field.get_attribute("inputmode") is None, (
        "the keyboard of inputmode=decimal has none on some phones"
    )


def test_lookup_handles_say_values_between_their_least_and_their_largest(open_widget):
    page = open_widget("attn-lookup")
    handle = page.widget.get_by_role("slider").last
    for key in ["ArrowLeft", "ArrowRight"]:
        for _ in range(20):
            handle.press(f"Shift+{key}")
            settle(page)
        least, now, largest = (
            float(handle.get_attribute(f"aria-value{name}")) for name in ("min", "now", "max")
        )
        assert now == {"ArrowLeft": least, "ArrowRight": largest}[key]


def test_saturation_slider_leaves_the_shortest_key_by_keys_alone(open_widget):
    page = open_widget("attn-saturation")
    field = page.widget.get_by_role("spinbutton")
    page.widget.get_by_role("slider").focus()
    page.keyboard.press("Home")
    settle(page)
    assert field.input_value() == "1"
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        settle(page)
    assert field.input_value() == "4"


@pytest.mark.parametrize("tag", ["attn-saturation", "attn-matrix", "attn-cost"])
def test_half_of_what_is_counted_is_no_number(open_widget, tag):
    page = open_widget(tag)
    field = page.widget.get_by_role("spinbutton").first
    before = page.widget.locator("output, td").all_inner_texts()
    field.fill("40.5" if tag != "attn-matrix" else "1.5")
    settle(page)
    assert field.get_attribute("aria-invalid") == "true"
    assert page.widget.locator("output, td").all_inner_texts() == before


def test_a_field_that_is_filled_anew_is_wrong_no_more(open_widget):
    page = open_widget("attn-steps")
    field = page.widget.get_by_role("spinbutton").first
    field.fill("99")
    assert field.get_attribute("aria-invalid") == "true"
    page.widget.get_by_text("Reset").click()
    settle(page)
    assert field.input_value() == "2"
    assert field.get_attribute("aria-invalid") == "false"


def test_steps_show_powers_that_give_the_share_even_where_they_are_small(open_widget):
    page = open_widget("attn-steps", width=390)
    for field in page.widget.get_by_role("spinbutton").all():
        field.fill("-9")
    page.widget.get_by_role("combobox").select_option(index=1)
    page.widget.get_by_role("slider").press("End")
    settle(page)
    told = page.locator("attn-steps .attn-chain li").nth(3).inner_text()
    part, total = told.split("total =")[1].split("=")[0].split("/")
    share = float(part) / sum(float(term) for term in total.strip(" ()\n").split("+"))
    assert abs(share - float(told.split("=")[-1])) < 0.0005
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_saturation_draws_again(open_widget):
    page = open_widget("attn-saturation")
    before = cells(page, "attn-saturation", "output")
    page.widget.get_by_text("Draw again").click()
    settle(page)
    assert cells(page, "attn-saturation", "output") != before


def test_saturation_slider_follows_a_tap(open_widget):
    page = open_widget("attn-saturation", width=390, has_touch=True)
    slider = page.widget.get_by_role("slider", name="numbers in a key")
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + 5, box["y"] + box["height"] / 2)
    settle(page)
    assert page.widget.get_by_role("spinbutton", name="numbers in a key").input_value() == "1"


# ---- costs ----


def costs(page) -> list[list[str]]:
    rows = page.locator("attn-cost .attn-live table").first.locator("tbody tr")
    return [row.locator("td").all_inner_texts() for row in rows.all()]


START = [
    ["8.59 billion", "16.8 million", "1", "× 4"],
    ["1.07 billion", "2.10 million", "4,096", "× 2"],
    ["134 million", "262 thousand", "1", "× 2"],
]


def test_costs_start_with_the_numbers_of_their_table(open_widget):
    assert costs(open_widget("attn-cost")) == START


def test_costs_follow_sliders_keys_and_fields(open_widget):
    page = open_widget("attn-cost")
    tokens = page.widget.get_by_role("slider", name="tokens")
    tokens.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    settle(page)
    assert costs(page)[0][0] == costs(page)[1][0] == "134 million"  # 512 tokens of 512 numbers
    page.widget.get_by_role("spinbutton", name="width").fill("256")
    settle(page)
    assert costs(page)[0][0] == "67.1 million"
    page.wait_for_timeout(700)
    assert "2 times the multiplications" in page.locator("attn-cost [role=status]").inner_text()
    page.widget.get_by_text("Reset").click()
    settle(page)
    assert costs(page) == START


def test_costs_of_twice_the_text_are_a_tap_away(open_widget):
    page = open_widget("attn-cost", width=390, has_touch=True)
    page.widget.get_by_role("button", name="Twice the text").tap()
    settle(page)
    assert costs(page)[0][:2] == ["34.4 billion", "67.1 million"]
    assert page.widget.get_by_role("spinbutton", name="tokens").input_value() == "8192"


def test_costs_draw_memory_when_it_is_chosen(open_widget):
    page = open_widget("attn-cost")
    page.widget.get_by_label("Draw").select_option("numbers kept")
    settle(page)
    assert page.locator("attn-cost g.memory").get_attribute("visibility") == "visible"
    assert page.locator("attn-cost g.work").get_attribute("visibility") == "hidden"
