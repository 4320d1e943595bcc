"""Every kind of page in Chromium: nothing from elsewhere, nothing complains, nothing sticks out."""

import pytest

KINDS = {
    "home": "",
    "lesson": "lessons/step-by-step/",
    "lab": "labs/lists-and-loops/",
    "exercise": "exercises/read-the-fault/",
    "reference": "reference/attention/",
    "notation": "notation/",
    "bibliography": "bibliography/",
    "not-found": "404.html",
}
# Elements that reach beyond the window although no box of their own lets them scroll.
STICKING_OUT = """() => {
  const width = document.documentElement.clientWidth
  const scrolls = (e) => e && (e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX !== "visible"
    || scrolls(e.parentElement))
  return [...document.querySelectorAll("article *")]
    .filter((e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement))
    .filter((e) => getComputedStyle(e).position !== "fixed" && e.getClientRects().length)
    .map((e) => e.outerHTML.slice(0, 80))
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_page_is_at_peace(open_page, kind, scheme, width):
    page = open_page(KINDS[kind], width=width, scheme=scheme)
    assert page.elsewhere == []
    assert page.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.evaluate(STICKING_OUT) == []


@pytest.mark.parametrize("kind", ["home", "lesson", "lab", "notation"])
def test_page_without_script_shows_its_numbers_and_folds_open(open_page, kind):
    page = open_page(KINDS[kind], java_script_enabled=False)
    assert page.elsewhere == []
    assert page.locator("data[data-proof]").count() > 3
    assert page.locator("h1").first.is_visible()
    for fold in page.locator("details").all()[:2]:
        fold.locator("summary").click()
        assert fold.get_attribute("open") is not None
