"""The built page holds the code of each runnable block to the letter: the scripts run what they read there."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from sitekit import browser_files, check, live, pages, sources

ROOT = Path(__file__).parents[2]
RECORD = sources.read(ROOT / "docs")


class Blocks(HTMLParser):
    """The text of the code in each block that is marked, as a browser's `textContent` gives it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.marked = self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag == "div" and "highlight" in classes:
            self.marked = "live" in classes
        if tag == "code" and self.marked:
            self.inside = True
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "code" and self.inside:
            self.inside = self.marked = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found[-1] += data


def built_page(site: Path, path: Path) -> Path:
    place = path.relative_to(ROOT / "docs").with_suffix("")
    return site / place.with_suffix(".html") if place.name == "index" else site / place / "index.html"


@pytest.mark.parametrize("path", check.page_files(), ids=lambda path: path.stem)
def test_the_built_page_holds_the_code_that_runs(site, path):
    blocks = [b.unit for b in live.blocks(pages.read(path, ROOT, RECORD)) if not b.why]
    blocks.sort(key=lambda unit: unit.fence is None)  # page_numbers.py stands at the page's end
    shown = Blocks(built_page(site, path).read_text(encoding="utf-8")).found
    assert [code.rstrip("\n") for code in shown] == [unit.code.rstrip("\n").expandtabs(4) for unit in blocks]


def test_the_site_serves_what_its_python_needs(site):
    for place, content in browser_files.files(ROOT).items():
        assert (site / place).read_bytes() == content
