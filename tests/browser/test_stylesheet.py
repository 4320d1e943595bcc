"""The one sheet that pages link makes every element look as the sheets it stands for do."""

from pathlib import Path

import material
import mkdocstrings
import pytest

from tests.browser.conftest import lay_out
from tests.browser.test_pages import KINDS

ROOT = Path(__file__).parents[2]
THEME = Path(material.__file__).parent / "templates" / "assets" / "stylesheets"

# Every property of elements and of what stands before and behind them, a text for each. Of elements that agree in tag
# and classes with all that they stand in, the first three and the last: a page has thousands of spans in its code.
# Custom properties are left out: those that something reads show in what it shows.
LOOKS = """() => {
  const kin = new Map()
  const named = (e) => (e ? named(e.parentElement) + ">" + e.tagName + "." + e.getAttribute("class") : "")
  for (const element of document.querySelectorAll("html, body, body *")) {
    const like = named(element)
    kin.set(like, [...(kin.get(like) ?? []), element])
  }
  const few = [...kin.values()].flatMap((all) => (all.length < 5 ? all : [...all.slice(0, 3), all.at(-1)]))
  return few.flatMap((element) => [null, "::before", "::after", "::marker"].map((part) => {
    const style = getComputedStyle(element, part)
    if (part && part !== "::marker" && style.content === "none") return ""
    let text = element.tagName + "." + element.getAttribute("class") + (part ?? "") + ": "
    for (const name of style) if (!name.startsWith("--")) text += name + "=" + style.getPropertyValue(name) + ";"
    return text
  }))
}"""
# Puts the original sheets in the place of the one, and waits until they are there.
ORIGINALS = """async (texts) => {
  const link = document.querySelector("link[rel=stylesheet][href*='/site.'], link[rel=stylesheet][href^='assets/']")
  for (const text of texts) {
    const style = document.createElement("style")
    style.textContent = text
    link.before(style)
  }
  link.remove()
  await document.fonts.ready
}"""
# Chromium tells a margin of 0 for a box with `auto` that it has moved without laying it out again.
AFRESH = """() => {
  const { style } = document.documentElement
  style.display = "none"
  void document.documentElement.offsetHeight
  style.display = ""
}"""


def originals() -> list[str]:
    """The sheets in their order, with the addresses of fonts as they hold from any page."""
    docstrings = next(
        Path(mkdocstrings.__file__)
        .parents[1]
        .glob("mkdocstrings_handlers/python/templates/material/style.css")
    )
    own = (ROOT / "docs/assets/stylesheets/attnref.css").read_text(encoding="utf-8")
    theme = [next(THEME.glob(f"{name}.*.css")).read_text(encoding="utf-8") for name in ("main", "palette")]
    return [*theme, docstrings.read_text(encoding="utf-8"), own.replace("../vendor/", "/assets/vendor/")]


def looks(page) -> list[str]:
    # The sheet's own address stands in those of fonts alone, which are no element's property.
    page.wait_for_timeout(300)  # the theme fades in what it has changed
    page.evaluate(AFRESH)
    return page.evaluate(LOOKS)


@pytest.mark.parametrize(
    ("kind", "width", "scheme", "medium"),
    [
        *((kind, 1280, "light", "screen") for kind in KINDS),
        ("lesson", 390, "dark", "screen"),
        ("reference", 390, "dark", "screen"),
        ("lesson", 800, "light", "print"),
    ],
)
def test_every_element_looks_as_with_the_whole_sheets(open_page, kind, width, scheme, medium):
    page = open_page(KINDS[kind], width=width, scheme=scheme)
    page.wait_for_load_state("networkidle")
    page.wait_for_function(
        "!document.querySelector(':not(:defined)')"
    )  # widgets come alive once a page rests
    lay_out(page)
    page.emulate_media(media=medium)
    page.add_style_tag(
        content="*, ::before, ::after { transition: none !important; animation: none !important }"
    )
    found = looks(page)
    page.evaluate(ORIGINALS, originals())
    other = looks(page)
    assert len(found) == len(other) > 400
    different = [(one, two) for one, two in zip(found, other, strict=True) if one != two]
    assert different[:1] == []
