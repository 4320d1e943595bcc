"""What the course has to teach stands where coverage.toml says: one row a fact, program, question or term."""

import html
import re
import tomllib
from functools import lru_cache
from pathlib import Path

import markdown
import pytest

from sitekit import pages, render
from sitekit.check import ROOT
from sitekit.pages import FRONT_MATTER

TABLE = tomllib.loads((Path(__file__).parent / "coverage.toml").read_text(encoding="utf-8"))
ROWS = [(kind, *row) for kind, rows in TABLE.items() for row in rows]
_HEADING = re.compile(r'<h([1-6])\b[^>]*\bid="([^"]+)"')
_UNSEEN = re.compile(r"<!--.*?-->|<(annotation|script|style)\b.*?</\1>|<[^>]+>", re.DOTALL)


@lru_cache(maxsize=64)
def rendered(page: str) -> str:
    """The page as HTML. What stands where needs no proofs, and nothing is run for it."""
    names, settings = render.extensions(ROOT)
    names = [name for name in names if name not in ("sitekit.ledger", "sitekit.figures", "sitekit.terms")]
    kept = {name: settings[name] for name in names}
    text = FRONT_MATTER.sub("", pages.source(ROOT / "docs" / page))
    return markdown.Markdown(extensions=names, extension_configs=kept).convert(text)


def section(content: str, anchor: str) -> str | None:
    """The words below the heading with this id, up to the next of its rank; the whole page where none is named."""
    headings = list(_HEADING.finditer(content))
    start, end = 0, len(content)
    if anchor:
        found = next((heading for heading in headings if heading[2] == anchor), None)
        if found is None:
            return None
        start = found.start()
        end = next((h.start() for h in headings if h.start() > start and h[1] <= found[1]), end)
    return " ".join(html.unescape(_UNSEEN.sub(" ", content[start:end])).split())


def squeezed(text: str) -> str:
    """Without blanks: tags that are taken out leave some where a reader sees none."""
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize(("kind", "what", "place", "words"), ROWS, ids=[f"{k}: {w}" for k, w, *_ in ROWS])
def test_what_has_to_be_taught_stands_where_the_table_says(kind, what, place, words):
    page, _, anchor = place.partition("#")
    found = section(rendered(page), anchor)
    assert found is not None, f"{page} has no heading #{anchor}"
    assert squeezed(words) in squeezed(found)


def test_the_table_has_a_row_for_each_term_and_no_place_twice_for_one_thing():
    assert len(TABLE["terms"]) >= 17
    assert len(ROWS) > 200
    assert len({(kind, what) for kind, what, *_ in ROWS}) == len(ROWS)


def test_an_anchor_that_is_gone_and_words_that_moved_are_found():
    content = '<h2 id="a">A</h2><p>one</p><h3 id="b">B</h3><p>two</p><h2 id="c">C</h2><p>three</p>'
    assert section(content, "x") is None
    assert section(content, "a") == "A one B two"
    assert section(content, "b") == "B two"
    assert section(content, "").endswith("three")
