"""Numbers in words: which say how much, which only count; and what an update asks to be read again."""

import pytest

from sitekit import in_words, update
from tests.sitekit.site import Site, whole


def stated(tmp_path, text: str) -> list[tuple[str, bool]]:
    return [(found.text, found.claimed) for found in in_words.find(Site(tmp_path).page(whole(text)))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It gets twice as much.", "twice"),
        ("More than half of it.", "half"),
        ("It keeps a third of it.", "a third"),
        ("It takes two thirds.", "two thirds"),
        ("It is a quarter each.", "a quarter"),
        ("Nine tenths of it.", "Nine tenths"),
        ("An eighth of the numbers.", "An eighth"),
        ("It is sixteen times as large.", "sixteen times"),
        ("The time doubles.", "doubles"),
        ("It grew tenfold.", "tenfold"),
        ("It gets forty percent.", "forty percent"),
        ("It gets a hundred per cent.", "a hundred per cent"),
    ],
)
def test_a_number_in_words_that_says_how_much_is_listed(tmp_path, text, found):
    assert stated(tmp_path, text) == [(found, False)]


@pytest.mark.parametrize(
    "text",
    [
        "It has two heads and one query.",
        "A third hint: look.",
        "Add a fourth entry.",
        "In half precision.",
        "The other half of the text.",
        "It asks several times.",
        "See `twice`, or $\\text{half}$.",
    ],
)
def test_what_counts_or_names_is_plain_language(tmp_path, text):
    assert stated(tmp_path, text) == []


def test_a_claim_in_the_block_stands_beside_all_its_words(tmp_path):
    text = "It gets most,\nmore than half<!--? weights[0] > 0.5 -->, twice.\n\nThe other gets half."
    assert stated(tmp_path, text) == [("half", True), ("twice", True), ("half", False)]


def told(tmp_path, text: str) -> list[str]:
    return [line for line in update.updated(Site(tmp_path).page(whole(text)))[1] if "read it again" in line]


def test_an_update_says_where_two_numbers_changed_places(tmp_path):
    text = "The first gets 0.1, the second 0.2.\n<!--= weights[0], weights[3] -->\n"
    assert told(tmp_path, text) == [
        "docs/page.md:5: numbers of this block changed places in size: read it again"
    ]
    assert told(tmp_path, text.replace("0.1,", "0.3,")) == []


def test_an_update_says_where_equal_numbers_became_unlike(tmp_path):
    [line] = told(tmp_path, "Both get 0.2 and 0.2.\n<!--= weights[0], weights[3] -->\n")
    assert "changed places" in line


@pytest.mark.parametrize("word", ["twice", "most", "nearly", "half"])
def test_an_update_says_where_words_compare_and_no_claim_does(tmp_path, word):
    text = f"It gets {word} 0.7.\n<!--= weights[3] -->\n"
    assert told(tmp_path, text) == [
        f"docs/page.md:5: no claim stands beside {word!r}, and its numbers changed: read it again"
    ]
    assert told(tmp_path, text + "<!--? weights[3] < 1 -->\n") == []
    assert told(tmp_path, text.replace(word, "of it")) == []
    assert told(tmp_path, text.replace("weights[3]", "weights[0]")) == []
