"""The viewer of trained heads' maps: what it shows, by mouse, by keys alone and by touch, and without its files."""

import json
from pathlib import Path

import numpy as np
import pytest

MAPS = Path(__file__).parents[2] / "docs" / "assets" / "maps"
PAGE = "lessons/trained-heads/"
CELLS = "attn-map .attn-map-one tbody td"
SMALL = "attn-map canvas"
SIDES = {"minilm-en": (6, 12), "e5-en": (12, 12), "e5-es": (12, 12)}


def kept(name: str, sentence: int) -> tuple[list[str], np.ndarray]:
    """The words and all maps of a sentence: `(layers, heads, n, n)`, in thousandths."""
    file = json.loads((MAPS / f"{name}.json").read_text("utf-8"))
    words = file["sentences"][sentence]["words"]
    maps = np.array(file["sentences"][sentence]["thousandths"])
    return words, maps.reshape(file["layers"], file["heads"], len(words), len(words))


@pytest.fixture
def viewer(open_page):
    """Open the page and wait until a map is there."""

    def opened(**options):
        page = open_page(PAGE, **options)
        page.set_default_timeout(8000)
        page.locator(CELLS).first.wait_for()
        page.locator("attn-map").scroll_into_view_if_needed()
        return page

    return opened


def shown(page) -> np.ndarray:
    """The large map, in percent."""
    texts = page.locator(CELLS).all_inner_texts()
    n = page.locator("attn-map .attn-map-one tbody tr").count()
    return np.array(texts, dtype=int).reshape(n, n)


def reading(page) -> str:
    return page.locator("attn-map .attn-reading").inner_text()


def list_of(page, label: str):
    return page.locator("attn-map .attn-choice", has_text=label).locator("select")


def pick(page, label: str, **option) -> None:
    list_of(page, label).select_option(**option)


def percent(maps: np.ndarray) -> np.ndarray:
    return np.floor(maps / 10 + 0.5).astype(int)


def test_viewer_starts_with_the_head_of_its_table(viewer):
    page = viewer()
    words, maps = kept("minilm-en", 0)
    assert shown(page).tolist() == percent(maps[1, 8]).tolist()
    assert page.locator("attn-map .attn-map-one tbody th").all_inner_texts() == words
    table = page.locator("attn-map .attn-origin table data[data-proof]")
    proven = np.array([float(x.get_attribute("value")) for x in table.all()]).reshape(maps[1, 8].shape)
    assert abs(1000 * proven - maps[1, 8]).max() <= 0.51  # the file is rounded


def test_rows_and_columns_say_who_asks_and_who_is_asked(viewer):
    head = viewer().locator("attn-map .attn-map-one thead").inner_text()
    assert "who asks" in head
    assert "who is asked" in head


@pytest.mark.parametrize("name", list(SIDES))
@pytest.mark.parametrize("sentence", [0, 1])
def test_every_network_and_sentence_shows_its_numbers(viewer, name, sentence):
    page = viewer()
    pick(page, "Network", index=list(SIDES).index(name))
    page.wait_for_function(
        "(n) => document.querySelectorAll('attn-map canvas').length === n", arg=np.prod(SIDES[name]).item()
    )
    pick(page, "Sentence", index=sentence)
    pick(page, "Layer", index=4)
    pick(page, "Head", index=6)
    words, maps = kept(name, sentence)
    assert page.locator("attn-map .attn-map-one tbody th").all_inner_texts() == words
    assert shown(page).tolist() == percent(maps[4, 6]).tolist()
    assert page.complaints == []


def test_a_cell_that_is_pointed_at_says_its_weight(viewer):
    page = viewer()
    words, maps = kept("minilm-en", 0)
    page.locator(CELLS).nth(5 * len(words) + 6).hover()
    assert reading(page) == f"“bank” asks “of”: {maps[1, 8, 5, 6] / 1000:.3f}"
    page.locator("attn-map .attn-name").first.hover()
    assert reading(page).startswith("“i” asks")  # where the keys stand


def test_a_weight_below_a_thousandth_is_not_called_zero(viewer):
    page = viewer()
    words, maps = kept("minilm-en", 0)
    i, j = (int(x[0]) for x in np.nonzero(maps[1, 8] == 0))
    page.locator(CELLS).nth(i * len(words) + j).hover()
    assert reading(page).endswith("less than 0.001")


def test_cells_are_read_with_keys_alone(viewer):
    page = viewer()
    words, maps = kept("minilm-en", 0)
    list_of(page, "Head").focus()
    page.keyboard.press("Tab")
    for key in ["ArrowDown"] * 4 + ["ArrowRight"] * 6:
        page.keyboard.press(key)
    assert reading(page) == f"“bank” asks “of”: {maps[1, 8, 5, 6] / 1000:.3f}"
    assert page.evaluate("document.activeElement.textContent") == str(percent(maps[1, 8])[5, 6])
    for _ in range(len(words)):
        page.keyboard.press("ArrowDown")
    assert reading(page).startswith("“[SEP]” asks “of”")  # the last row, and no further


def test_heads_are_chosen_among_the_small_maps_with_keys_alone(viewer):
    page = viewer()
    list_of(page, "Head").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.ariaLabel") == "layer 2, head 9"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.ariaLabel") == "layer 3, head 10"
    assert page.locator(f"{SMALL}[aria-checked=true]").count() == 1
    assert shown(page).tolist() == percent(kept("minilm-en", 0)[1][2, 9]).tolist()
    assert list_of(page, "Layer").input_value() == "layer 3"
    page.locator("attn-map .attn-status", has_text="Layer 3, head 10 looks most at").wait_for()


def test_a_small_map_is_chosen_by_a_finger(viewer):
    page = viewer(width=390, has_touch=True)
    small = page.get_by_role("radio", name="layer 1, head 3", exact=True)
    box = small.bounding_box()
    assert min(box["width"], box["height"]) >= 24
    small.tap()
    assert shown(page).tolist() == percent(kept("minilm-en", 0)[1][0, 2]).tolist()


def test_the_small_maps_are_coloured_by_their_weights(viewer):
    page = viewer()
    small = page.get_by_role("radio", name="layer 1, head 3", exact=True)
    drawn = small.evaluate(
        "(canvas) => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data]"
    )
    maps = kept("minilm-en", 0)[1]
    alpha = np.array(drawn).reshape(-1, 4)[:, 3]
    assert abs(alpha - 0.255 * maps[0, 2].ravel()).max() <= 1


def test_the_small_maps_follow_the_colours_of_the_page(viewer):
    page = viewer()

    def colour() -> list[int]:
        small = page.get_by_role("radio", name="layer 1, head 3", exact=True)
        return small.evaluate("(canvas) => [...canvas.getContext('2d').getImageData(0, 1, 1, 1).data]")

    light = colour()
    page.evaluate("document.body.dataset.mdColorScheme = 'slate'")
    page.wait_for_timeout(100)
    assert colour()[:3] != light[:3]
    assert colour()[3] == light[3]


def test_a_smaller_network_takes_the_nearest_head(viewer):
    page = viewer()
    pick(page, "Network", index=1)
    page.get_by_role("radio", name="layer 12, head 7", exact=True).click()
    pick(page, "Network", index=0)
    page.wait_for_function("document.querySelectorAll('attn-map canvas').length === 72")
    assert shown(page).tolist() == percent(kept("minilm-en", 0)[1][5, 6]).tolist()


def test_the_focus_stays_where_it_was_when_another_network_is_chosen(viewer):
    page = viewer()
    list_of(page, "Network").focus()
    pick(page, "Network", index=2)
    page.wait_for_function("document.querySelectorAll('attn-map canvas').length === 144")
    assert page.evaluate("document.activeElement.parentElement.textContent").startswith("Network")


def test_maps_that_cannot_be_loaded_are_said_and_the_table_is_there(open_page):
    page = open_page("")
    page.context.route("**/maps/*.json", lambda route: route.abort())
    page.goto(page.url + PAGE)
    page.locator("attn-map .attn-status", has_text="could not be loaded").wait_for()
    page.locator("attn-map .attn-origin summary").click()
    assert page.locator("attn-map .attn-origin table").is_visible()


def test_only_the_chosen_networks_file_is_loaded(viewer):
    page = viewer()
    entries = "performance.getEntriesByType('resource').map((entry) => entry.name.split('/').pop())"
    loaded = [name for name in page.evaluate(entries) if name.endswith(".json")]
    assert loaded.count("minilm-en.json") == 1
    assert not [name for name in loaded if name.startswith("e5-")]
