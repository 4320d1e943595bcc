"""The record of sources and of names: what it lets a page say, and what it says of itself."""

import pytest

from sitekit import sources
from sitekit.sources import Phrase, Record
from tests.sitekit.site import BIBLIOGRAPHY, Site


@pytest.fixture
def record(tmp_path):
    return sources.read(Site(tmp_path).root / "docs")


def matched(record: Record, text: str) -> list[str]:
    return [match.group() for match in record.pattern.finditer(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Vaswani et al. 2017", ["Vaswani et al. 2017"]),
        ("(Vaswani et al. 2017).", ["Vaswani et al. 2017"]),
        ("Vaswani et al. 2017, footnote 4.", ["Vaswani et al. 2017, footnote 4"]),
        ("Vaswani et al. 2017, Section 3.2.1", ["Vaswani et al. 2017, Section 3.2.1"]),
        ("Vaswani et al. 2017, Section 3.2.2", ["Vaswani et al. 2017, Section 3.2.2"]),
        ("Vaswani\net al. 2017,\nfootnote 4", ["Vaswani\net al. 2017,\nfootnote 4"]),
        ("Vaswani et al. 2017, footnote 5", ["Vaswani et al. 2017"]),
        ("Vaswani et al. 2017, footnote 41", ["Vaswani et al. 2017"]),
        ("Vaswani et al. 2017, Section 3.2.1.4", ["Vaswani et al. 2017"]),
        ("Vaswani et al. 2018", []),
        ("Vaswani et al. 20170", []),
        ("arXiv 1706.03762", ["arXiv 1706.03762"]),
        ("arXiv 1706.03763", []),
        ("footnote 4", []),
        ("GPT-2", ["GPT-2"]),
        ("GPT-2's", ["GPT-2"]),
        ("GPT-2b, GPT-20, GPT-2.5, xGPT-2", []),
    ],
)
def test_a_phrase_is_owned_as_a_whole_and_the_longest_first(record, text, found):
    assert matched(record, text) == found


def test_each_phrase_says_where_it_comes_from(record):
    proofs = {phrase.text: (phrase.kind, phrase.proof) for phrase in record.phrases}
    assert proofs["Vaswani et al. 2017"] == ("cited", "Vaswani et al. 2017: Attention Is All You Need")
    assert proofs["Vaswani et al. 2017, footnote 4"] == ("cited", "Attention Is All You Need, footnote 4")
    assert proofs["arXiv 1706.03762"] == ("cited", "Vaswani et al. 2017: Attention Is All You Need")
    assert proofs["GPT-2"] == ("exempt", "the name of a model")


def test_the_place_of_a_figure_may_be_named_too(record):
    assert "Vaswani et al. 2017, Section 3.2.2" in {phrase.text for phrase in record.phrases}


def test_a_phrase_over_two_lines_is_the_phrase_of_the_record(record):
    assert record.phrase("Vaswani\n    et al. 2017").text == "Vaswani et al. 2017"


def test_a_figure_a_year_and_a_label_can_be_cited(record):
    entry = record.cite.vaswani2017
    assert (entry.heads, entry.d_k, entry.year, entry.arxiv) == (8, 64, 2017, "1706.03762")
    assert (entry.label, entry.title) == ("Vaswani et al. 2017", "Attention Is All You Need")


def test_what_is_not_recorded_is_named_with_what_is(record):
    with pytest.raises(
        sources.NotRecorded, match=r"^docs/bibliography\.toml has no lee2017: it has vaswani2017$"
    ):
        _ = record.cite.lee2017
    with pytest.raises(
        sources.NotRecorded, match=r"has no vaswani2017\.layers: it has year, arxiv, .*heads, d_k$"
    ):
        _ = record.cite.vaswani2017.layers


@pytest.mark.parametrize(
    ("before", "numeral", "near"),
    [
        ("as Vaswani et al. ", "2018", "docs/bibliography.toml has Vaswani et al. 2017"),
        ("as Vaswani\net al.\n", "2018", "docs/bibliography.toml has Vaswani et al. 2017"),
        ("the arXiv ", "1706.03763", "docs/bibliography.toml has arXiv 1706.03762"),
        ("Vaswani et al. 2017, footnote ", "5", "docs/bibliography.toml has Vaswani et al. 2017, footnote 4"),
        ("the GPT-", "3", "docs/exempt.toml has GPT-2"),
        ("the GPT", "3", ""),
        ("Table ", "3", ""),
        ("", "3", ""),
    ],
)
def test_what_the_record_has_instead_is_told(record, before, numeral, near):
    first = record.near(before, numeral).split("; ")[0]
    assert first.startswith(near) if near else first == ""


def test_the_nearest_of_several_places_comes_first(record):
    told = record.near("Vaswani et al. 2017, Section ", "3.2.3").split("; ")
    assert sorted(told) == [
        f"docs/bibliography.toml has Vaswani et al. 2017, Section 3.2.{k}" for k in (1, 2)
    ]
    assert record.near("Vaswani et al. 2017, Section ", "3.2.20").split("; ")[0].endswith("3.2.2")


@pytest.mark.parametrize("name", ["label", "authors", "title", "year", "adds"])
def test_an_entry_that_lacks_something_is_refused_by_name(tmp_path, name):
    lines = [line for line in BIBLIOGRAPHY.splitlines() if not line.startswith(f"{name} =")]
    site = Site(tmp_path, {"docs/bibliography.toml": "\n".join(lines)})
    [(path, line, told)] = sources.read(site.root / "docs").faults
    assert (path, told) == ("docs/bibliography.toml", f"[vaswani2017] lacks {name}")
    assert lines[line - 1] == "[vaswani2017]"


def test_a_site_without_records_owns_no_phrase(tmp_path):
    record = sources.read(tmp_path)
    assert (record, record.pattern, record.near("arXiv ", "1")) == (Record(), None, "")


def test_a_phrase_may_hold_what_a_pattern_would_read_otherwise():
    assert matched(Record({}, (Phrase("C++ (11)", "exempt", "a name"),)), "in C++ (11) and C11") == [
        "C++ (11)"
    ]


def test_the_list_holds_each_source_by_year_with_its_figures(tmp_path):
    older = (
        BIBLIOGRAPHY.replace("vaswani2017", "lee2015")
        .replace("2017", "2015")
        .replace('arxiv = "1706.03762"\n', "")
    )
    older = older.replace('adds = "', 'url = "https://example.org/lee"\nadds = "')
    site = Site(tmp_path, {"docs/bibliography.toml": BIBLIOGRAPHY + older})
    text = sources.as_markdown(sources.read(site.root / "docs"))
    assert text.index("{ #lee2015 }") < text.index("## Vaswani et al. 2017 { #vaswani2017 }")
    assert "[arXiv 1706.03762](https://arxiv.org/abs/1706.03762)" in text
    assert "[online](https://example.org/lee)" in text
    assert text.count("- heads in the base model: 8 (Section 3.2.2)") == 2


def test_the_bibliography_page_shows_the_record(tmp_path):
    page = "---\ntitle: Sources\ndescription: Words.\n---\n# Sources\n\n<!--bibliography-->\n"
    site = Site(tmp_path)
    ledger, problems = site.check(page, "docs/bibliography.md")
    assert problems == []
    assert ledger.examples == 0
