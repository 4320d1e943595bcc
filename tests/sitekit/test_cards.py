"""The deck for Anki holds the cards of the page, with the page's numbers, and is the same whenever it is made."""

import io
import re
import sqlite3
import zipfile

import pytest

from sitekit import cards, render
from sitekit.check import ROOT

SITE = "https://example.org/study/cards/"


@pytest.fixture(scope="module")
def content() -> str:
    return render.page_html((ROOT / "docs" / cards.PAGE).read_text(encoding="utf-8"), ROOT)[0]


def notes(deck: bytes) -> list[tuple[int, str, str]]:
    with zipfile.ZipFile(io.BytesIO(deck)) as archive:
        database = sqlite3.connect(":memory:")
        database.deserialize(archive.read("collection.anki2"))
    return database.execute("select id, guid, flds from notes order by id").fetchall()


def test_every_card_of_the_page_is_found_with_its_section(content):
    found = cards.cards(content, SITE)
    assert len(found) == content.count('<details class="card">') > 40
    assert all(card.front and card.back and card.tag for card in found)
    assert len({card.front for card in found}) == len(found)


def test_a_card_holds_the_numbers_and_none_of_their_proofs(content):
    found = cards.cards(content, SITE)
    first = found[0]
    assert first.front == "What is the dot product of (2, 1) and (4, 2)?"
    assert "<math" in first.back
    assert not re.search(
        r"data-|<data|tabindex|headerlink", "".join(card.front + card.back for card in found)
    )


def test_links_of_a_card_lead_to_the_site():
    page = '<h2 id="a">A</h2><details class="card"><summary>Q</summary><p><a href="../../b/#c">b</a></p></details>'
    assert 'href="https://example.org/b/#c"' in cards.cards(page, SITE)[0].back


def test_the_deck_is_the_same_whenever_it_is_made(content):
    found = cards.cards(content, SITE)
    first = cards.deck(found, 1_000_000)
    assert cards.deck(found, 1_000_000) == first
    assert [fields.split("\x1f") for _, _, fields in notes(first)] == [[c.front, c.back] for c in found]


def test_a_card_whose_answer_changed_keeps_its_place_in_the_schedule():
    before, after, other = (cards.Card(q, a, "t") for q, a in (("Q", "A"), ("Q", "B"), ("R", "A")))
    guids = [notes(cards.deck([card], 1))[0][1] for card in (before, after, other)]
    assert guids[0] == guids[1] != guids[2]
