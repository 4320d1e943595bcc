"""axe finds no violation of WCAG A and AA on any kind of page, in either scheme, wide or narrow."""

from pathlib import Path

import pytest

from tests.browser.conftest import missing
from tests.browser.test_pages import KINDS

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page, within: str = "html") -> list[str]:
    if not AXE.exists():
        missing("axe-core (npm install --prefix tests/browser)")
    page.add_script_tag(path=str(AXE))
    run = "([within, tags]) => axe.run(within, {runOnly: tags})"
    found = page.evaluate(run, [within, RULES])["violations"]
    return [f"{item['id']}: {item['help']}: {node['html'][:120]}" for item in found for node in item["nodes"]]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_axe_finds_no_violation(open_page, kind, scheme, width):
    page = open_page(KINDS[kind], width=width, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
    # As if the reader had been everywhere: what isn't laid out yet has no place that axe could compare.
    page.add_style_tag(content="* { content-visibility: visible !important }")
    assert violations(page) == []


def test_axe_finds_a_planted_violation(open_page):
    page = open_page(KINDS["home"])
    page.evaluate("document.querySelector('article').insertAdjacentHTML('beforeend', '<img src=x.png>')")
    assert any(found.startswith("image-alt") for found in violations(page))
