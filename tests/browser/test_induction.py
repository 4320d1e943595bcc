"""The trained induction head in its lab: by typing, by keys alone and by touch (the rest is in test_widgets)."""

import pytest

TAG, PAGE = "attn-induction", "labs/induction-head/"


@pytest.fixture
def open_head(open_page):
    """Open the lab, and wait until its widget is alive."""

    def opened(**options):
        page = open_page(PAGE, **options)
        page.locator(TAG).scroll_into_view_if_needed()
        page.locator(f"{TAG} .attn-live").wait_for()
        page.locator(TAG).scroll_into_view_if_needed()
        return page

    return opened


def settle(page) -> None:
    """Wait until what was changed is painted."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def cells(page, table: int) -> list[list[str]]:
    """The cells of a live table, row by row: 0 is what the heads look at, 1 what is said next."""
    rows = page.locator(f"{TAG} .attn-tables table").nth(table).locator("tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def said(page) -> str:
    return cells(page, 1)[0][0]


def type_in(page, text: str) -> None:
    page.get_by_label("Sequence").fill(text)
    settle(page)


def test_head_says_in_each_row_what_the_table_says(open_head):
    page = open_head()
    slider = page.get_by_role("slider", name="Who asks")
    table = page.locator(f"{TAG} .attn-origin tbody tr").all()
    assert len(table) == 11
    for place, row in enumerate(table):
        slider.fill(str(place))
        settle(page)
        expected = [text.strip() for text in row.locator("td").all_text_contents()]
        (_, first, first_weight), (_, second, second_weight) = cells(page, 0)
        shown = [
            first.replace(", place", " at"),
            first_weight,
            second.replace(", place", " at"),
            second_weight,
        ]
        assert shown == expected[2:6]
        assert [part.strip() for part in cells(page, 1)[0]] == expected[6:]


def test_head_goes_on_with_what_is_typed(open_head):
    page = open_head()
    for text, expected in [("quiz!fromquiz!fr", "o"), ("fabcdefabc", "d"), ("XYLOPHNxylo", "p")]:
        type_in(page, text)
        assert said(page) == expected


def test_head_reads_what_it_knows_and_leaves_the_rest_out(open_head):
    page = open_head()
    type_in(page, "pl4n€t pl")
    assert page.get_by_role("slider", name="Who asks").get_attribute("aria-valuetext") == "l, place 5"
    assert said(page) == "n"
    type_in(page, "")
    assert said(page) == "–"
    assert page.get_by_role("slider", name="Who asks").is_disabled()
    page.locator(f"{TAG} .attn-status", has_text="type some letters").wait_for()
    type_in(page, "a" * 40)
    assert page.get_by_role("slider", name="Who asks").get_attribute("max") == "30"
    assert page.complaints == []


def test_head_without_the_first_loses_the_thread_and_finds_it_again(open_head):
    page = open_head()
    page.get_by_label("Leave out").select_option(index=1)
    settle(page)
    assert said(page) != "t"
    assert page.locator(".attn-note").first.inner_text().startswith("left out")
    page.get_by_text("Reset").click()
    settle(page)
    assert said(page) == "t"


def test_head_is_used_with_keys_alone_and_says_what_it_does(open_head):
    page = open_head()
    page.get_by_label("Sequence").focus()
    page.keyboard.press("End")
    page.keyboard.type("tp")
    settle(page)
    assert said(page) == "l"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert page.get_by_role("slider", name="Who asks").get_attribute("aria-valuetext") == "t, place 11"
    status = page.locator(f"{TAG} [role=status]")
    status.filter(has_text="Place 11, t: first head looks at e, place 10").wait_for()


def test_a_click_on_a_map_picks_its_row(open_head):
    page = open_head(width=390, has_touch=True)
    drawing = page.locator(f"{TAG} svg").nth(1)
    box = drawing.bounding_box()
    drawing.tap(position={"x": box["width"] * 0.7, "y": box["height"] * (22 + 278 * 7.5 / 11) / 300})
    settle(page)
    assert page.get_by_role("slider", name="Who asks").get_attribute("aria-valuetext") == "l, place 7"
    assert cells(page, 0)[1][1] == "a, place 2"


def test_head_whose_parameters_cannot_be_had_leaves_the_table(open_page):
    page = open_page("")
    page.context.route("**/parameters.json", lambda route: route.abort())
    page.goto(page.url + PAGE)
    page.wait_for_load_state("networkidle")
    assert page.locator(f"{TAG} table").is_visible()
    assert page.locator(f"{TAG} .attn-live").count() == 0
