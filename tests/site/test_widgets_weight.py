"""What a page loads for its widgets is small, and every widget is complete: module, style sheet, entry, a page."""

import gzip
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "docs" / "assets" / "javascripts"
SHARED = ["entry.js", "widgets/parts.js", "../stylesheets/widgets.css"]
ARITHMETIC = SCRIPTS / "widgets" / "arithmetic.js"  # loaded for those that import it
TAGS = sorted(path.name for path in (SCRIPTS / "widgets").glob("attn-*"))
LIMIT, DATA = 12_000, 13 * 1024
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "docs" / "labs").glob("*.py"))]


def tags_of(page: Path) -> set[str]:
    return set(re.findall(r"^(?:# )?<(attn-[a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE))


def weight(tags: set[str]) -> int:
    files = [SCRIPTS / name for name in SHARED]
    files += [path for tag in tags for path in sorted((SCRIPTS / "widgets" / tag).iterdir())]
    if any('from "../arithmetic.js"' in path.read_text(encoding="utf-8") for path in files):
        files.append(ARITHMETIC)
    return sum(zipped(path) for path in files if path.suffix in (".js", ".css"))


def zipped(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))


@pytest.mark.parametrize("page", [page for page in PAGES if tags_of(page)], ids=lambda page: page.stem)
def test_widgets_of_a_page_weigh_less_than_twelve_kilobytes(page):
    assert weight(tags_of(page)) <= LIMIT


@pytest.mark.parametrize("path", sorted((SCRIPTS / "widgets").rglob("*.json")), ids=lambda path: path.stem)
def test_what_a_widget_knows_weighs_little_more_than_what_it_does(path):
    assert zipped(path) <= DATA


@pytest.mark.parametrize("tag", TAGS)
def test_widget_is_complete_and_stands_in_a_page(tag):
    folder = SCRIPTS / "widgets" / tag
    assert "export function build(element)" in (folder / f"{tag}.js").read_text(encoding="utf-8")
    assert (folder / f"{tag}.css").exists()
    assert any(tag in tags_of(page) for page in PAGES)


def test_entry_names_every_widget_and_none_that_is_not_there():
    entry = (SCRIPTS / "entry.js").read_text(encoding="utf-8")
    assert sorted(re.findall(r'^  "(attn-[a-z]+)"', entry, re.MULTILINE)) == TAGS


@pytest.mark.parametrize("path", sorted((SCRIPTS / "widgets").rglob("*.css")), ids=lambda path: path.stem)
def test_style_sheets_of_widgets_use_the_themes_colours_only(path):
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl)a?\(", path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", sorted((ROOT / "docs/assets").rglob("*.css")), ids=lambda path: path.stem)
def test_every_block_of_a_style_sheet_is_closed(path):
    sheet = path.read_text(encoding="utf-8")
    assert sheet.count("{") == sheet.count("}")
