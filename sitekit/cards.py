"""The flashcards as a deck for Anki, made from the page that shows them: its numbers are the page's."""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import re
import sqlite3
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import genanki

PAGE = "study/cards.md"
FILE = "attnref-cards.apkg"
_PIECE = re.compile(
    r'<h2 id="(?P<tag>[\w-]+)"|<details class="card">\s*<summary>(?P<front>.*?)</summary>(?P<back>.*?)</details>',
    re.DOTALL,
)
_PROOFS = re.compile(r"</?data\b[^>]*>|<a class=\"headerlink\".*?</a>", re.DOTALL)
_FORMULA = re.compile(r'<span class="n formula"[^>]*>(.*?</math>)</span>', re.DOTALL)
_NOTE = re.compile(r' (?:data-[\w-]+|alttext|tabindex)="[^"]*"')
_LINK = re.compile(r'(?<=href=")(?!\w+:)[^"]+')
FIRST_ID = 1_700_000_000_000  # Anki counts cards by the millisecond in which they were made
STYLE = ".card { max-width: 34em; margin: 1em auto; font: 1.2em/1.5 Georgia, serif; text-align: left; }"


@dataclass(frozen=True)
class Card:
    front: str
    back: str
    tag: str


def cards(content: str, address: str) -> list[Card]:
    """The cards of the rendered page. Links lead to the site, from its ``address`` on."""
    found, tag = [], ""
    for piece in _PIECE.finditer(content):
        if piece["tag"]:
            tag = piece["tag"]
        else:
            found.append(Card(plain(piece["front"], address), plain(piece["back"], address), tag))
    return found


def plain(content: str, address: str) -> str:
    """HTML without proofs, which need this site's script, and with whole addresses."""
    content = _NOTE.sub("", _PROOFS.sub("", _FORMULA.sub(r"\1", content)))
    return _LINK.sub(lambda match: urljoin(address, match.group()), content).strip()


def number(text: str) -> int:
    """The same number for the same text, whenever and wherever the deck is made."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def changed(path: Path) -> int:
    """When the page was written, in seconds: Anki takes the later of two cards with one question."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or path.stat().st_mtime)


def deck(found: list[Card], stamp: int) -> bytes:
    """The deck as a file for Anki. A card keeps its place in a learner's schedule while its question stays."""
    template = {"name": "Card", "qfmt": "{{Front}}", "afmt": "{{FrontSide}}<hr id=answer>{{Back}}"}
    fields: list[dict[str, Any]] = [{"name": "Front"}, {"name": "Back"}]
    model = genanki.Model(number("attnref model"), "attnref", fields=fields, templates=[template], css=STYLE)
    made = genanki.Deck(number("attnref deck"), "Attention (attnref)")
    for card in found:
        guid = genanki.guid_for("attnref", card.front)
        made.add_note(genanki.Note(model=model, fields=[card.front, card.back], tags=[card.tag], guid=guid))
    database = sqlite3.connect(":memory:")
    genanki.Package(made).write_to_db(database.cursor(), stamp, itertools.count(FIRST_ID))
    database.commit()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (("collection.anki2", database.serialize()), ("media", b"{}")):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    database.close()
    return file.getvalue()


def download() -> str:
    """The line below the page's title that says how to take the cards along."""
    return (
        f'\n<p class="lab-files">Take them along: <a href="{FILE}" download>deck for Anki</a>, the free program that '
        "asks again when you are about to forget.</p>"
    )
