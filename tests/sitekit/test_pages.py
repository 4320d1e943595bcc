"""What the ledger sees of a page: its prose, spans, comments and fences, each at its place in the text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitekit import pages
from sitekit.pages import Page
from sitekit.sources import Phrase, Record

RECORD = Record({}, (Phrase("GPT-2", "exempt", "a name"), Phrase("Lee 2017, Table 3", "cited", "a table")))
PIECES = (
    *("word", " 7", "$x^2$", "`a[3]`", "<!--= x -->", "<!--? y -->", "**5**", "[l 3](a.md#4)", "\n", "\n\n"),
    *(
        "- ",
        "> ",
        "    ",
        "```python\nx = 1\n```\n",
        '!!! note "9"\n',
        "| 1 | 2 |\n",
        "\\$",
        "$",
        "`",
        "<",
        "{",
    ),
    *("&#49;", '<img alt="6" src="8.svg">', "# Head", "---\n", "½", "[^1]: "),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def read(text: str) -> Page:
    return Page("docs/page.md", text, Path("snippets"), RECORD)


def numerals(text: str) -> list[str]:
    return [numeral.text for numeral in read(text).numerals]


@given(TEXTS)
def test_everything_that_is_found_stands_at_its_offsets(text):
    page = read(text)
    assert all(text[n.start : n.end] == n.text for n in page.numerals)
    assert all(text[span.inner :].startswith(span.text) for span in page.spans)
    assert all(text[c.start : c.end].startswith(f"<!--{c.mark}") for c in page.comments)
    assert [n.start for n in page.numerals] == sorted({n.start for n in page.numerals})


@given(TEXTS)
def test_masking_keeps_every_line_and_every_offset(text):
    masked = read(text).masked
    assert len(masked) == len(text)
    assert [k for k, c in enumerate(masked) if c == "\n"] == [k for k, c in enumerate(text) if c == "\n"]
    assert all(a in (b, " ", "\0") for a, b in zip(masked, text, strict=True))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is 3.", ["3"]),
        ("`a[3]` and $x_5$ and $$ 7 $$", ["3", "5", "7"]),
        ("``a ` 3``", ["3"]),
        ("$\\text{\\$} 3$", ["3"]),
        ("5 $ and 7 $", ["5", "7"]),
        ("\\$3$", ["3"]),
        ("[the 3](a-5.md#x7)", ["3"]),
        ('[the 3](a.md "of 5")', ["3", "5"]),
        ("[the 3][a7]\n\n[a7]: b-9.md", ["3"]),
        ("![of 3](a5.svg)", ["3"]),
        ('<img alt="of 3" src="a5.svg" width="7">', ["3"]),
        ('<b title=\'of 3\' aria-label="of 5" class="n7">9</b>', ["3", "5", "9"]),
        ("a word[^n1].\n\n[^n1]: 3", ["3"]),
        ("1. one\n2. two", []),
        ("> 1. one", []),
        ("Chapter\n1. one", []),
        ("# Head { #x1 .n2 }", []),
        ("a {2} b", ["2"]),
        ("<!-- 3 --> 5", ["5"]),
        ("5<!--= x[3] -->", ["5"]),
        ("`5<!--= x[3] -->`", ["5", "3"]),
        ("&#49; &amp; 3", ["3"]),
        ("\\3 and \\\\5 and \\_7", ["3", "5", "7"]),
        ("a\n\n```python\nx = 3\n```\n\n5", ["5"]),
        ("---\ntitle: 3\n---\n5", ["5"]),
        ("a\n---\n5\n---\n", ["5"]),
    ],
)
def test_numerals_are_what_a_reader_sees_of_the_prose(text, found):
    assert numerals(text) == found


def test_the_numerals_of_the_front_matter_are_those_of_title_and_description():
    page = read("---\ntitle: A 3\n#= x[1]\ndescription: B 5\n  and 7\ntags: [9]\nexamples: 11\n---\n13")
    found = [(numeral.text, comment and comment["body"].strip()) for numeral, comment in page.meta_numerals]
    assert found == [("3", "x[1]"), ("5", None), ("7", None)]
    [(comment, above)] = page.meta_comments
    assert (comment.body, comment.line, [n.text for n in above]) == ("x[1]", 3, ["3"])


def test_a_title_outside_the_front_matter_is_prose():
    assert read("---\nexamples: 0\n---\n\ntitle: 3\n").meta_numerals == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3<!--= x -->", [("=", "x", 1, False)]),
        ("so<!--? x > 1 -->", [("?", "x > 1", 1, False)]),
        ("$n$<!--tex n=4: x -->", [("tex", "n=4: x", 1, False)]),
        ("3\n<!--= x -->", [("=", "x", 2, True)]),
        ("> 3\n> <!--= x -->\n", [("=", "x", 2, True)]),
        ("3\n<!--= x,\n      y -->\n5", [("=", "x,\n      y", 2, True)]),
        ("3\n<!--= x --> and", [("=", "x", 2, False)]),
        ("<!-- a remark -->", []),
        ("<!--bibliography-->", []),
        ("<!--texture-->", []),
        ("`3<!--= x -->`", []),
        ("```text\n3<!--= x -->\n```", []),
    ],
)
def test_comments_of_the_ledger_are_found_with_their_line(text, found):
    assert [(c.mark, c.body, c.line, c.own_line) for c in read(text).comments] == found


def test_phrases_of_the_record_are_found_as_whole_words_across_lines():
    text = "GPT-2, GPT-20, GPT-2.5, XGPT-2, (GPT-2). Lee\n2017, Table 3; Lee 2017, Table 3.1"
    found = [(text[a:b], phrase) for a, b, phrase in read(text).phrases]
    assert found == [("GPT-2", "GPT-2"), ("GPT-2", "GPT-2"), ("Lee\n2017, Table 3", "Lee\n2017, Table 3")]


def test_a_phrase_in_code_or_a_link_target_owns_nothing():
    assert read("`GPT-2` [a](GPT-2.md) <!-- GPT-2 -->").phrases == []


def test_numerals_that_are_no_digits_of_ours_are_found_in_order():
    page = read("---\ntitle: a ½\n---\nb ² &#49; Ⅷ `³` &amp; $⅓$ ٣ &frac14;")
    assert [text for _, text in page.unreadable] == ["½", "²", "&#49;", "Ⅷ", "٣", "&frac14;"]
    assert all(page.text[start:].startswith(text) for start, text in page.unreadable)


def test_a_problem_names_the_file_and_the_line(tmp_path):
    (tmp_path / "docs").mkdir()
    path = tmp_path / "docs" / "a.md"
    path.write_text("one\n\ntwo 3\n", encoding="utf-8")
    page = pages.read(path, tmp_path, RECORD)
    assert str(page.problem(page.numerals[0].start, "it is wrong")) == "docs/a.md:3: it is wrong"
    assert page.slug == "a"


def test_the_options_of_a_documented_name_are_not_shown():
    options = "::: attnref.softmax\n    options:\n      heading_level: 3\n"
    assert [n.text for n in read(f"{options}\nIt is 4.\n").numerals] == ["4"]


@pytest.mark.parametrize("end", ["---", "--- ", "---\t", "..."])
@pytest.mark.parametrize("start", ["---", "--- "])
def test_front_matter_ends_where_it_ends_for_mkdocs(start, end):
    page = read(f"{start}\ntitle: A page of 3\n{end}\nIt is 7.\n")
    assert [numeral.text for numeral in page.numerals] == ["7"]
    assert [numeral.text for numeral, _ in page.meta_numerals] == ["3"]
    assert list(page.markup_problems()) == []
