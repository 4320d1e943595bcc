"""A sentence of someone else's is found on a page, wherever it is broken and however it is written."""

import pytest

from sitekit import overlap
from sitekit.sources import read
from tests.sitekit.site import FRONT, Site

THEIRS = "It was a bright cold day in April, and the clocks were striking thirteen. Nothing else."


@pytest.fixture
def found(tmp_path):
    site = Site(tmp_path)

    def compare(body: str, text: str = THEIRS, name: str = "docs/a.md") -> list[overlap.Overlap]:
        path = site.write(name, body if name.endswith(".py") else FRONT + body)
        return list(overlap.overlaps([path], {"theirs": text}, site.root, read(site.root / "docs")))

    return compare


@pytest.mark.parametrize(
    "body",
    [
        "Well: a bright cold day in April, and the clocks were right.\n",
        "a **Bright** cold\nday; in april AND the clocks\n",
        "> - a bright cold day in April and the clocks\n",
        "| a bright cold day in April and the clocks |\n|---|\n| x |\n",
    ],
)
def test_eight_words_in_a_row_are_found(found, body):
    shared = found(body)
    assert shared[0].words.startswith("a bright cold day in april and the clocks")


def test_a_long_run_is_reported_once_with_its_line(found):
    (shared,) = found(
        "One.\n\nTwo. It was a bright cold day in April, and the clocks were striking thirteen.\n"
    )
    assert shared.words == "it was a bright cold day in april and the clocks were striking thirteen"
    assert shared.line == 7
    assert "a.md:7: also in theirs" in str(shared)


@pytest.mark.parametrize(
    "body",
    [
        "a bright cold day in April and, well, the clocks\n",  # seven at most
        "*It was a bright cold day in April, and the clocks were striking thirteen.* An example.\n",
        "`a bright cold day in April and the clocks were`\n",
        "| a | bright | cold | day | in | April | and | the | clocks |\n|---|\n| x |\n",
        "a bright cold day $x$ in April and the clocks\n",
        "a bright cold day in May and the clocks were striking\n",
    ],
)
def test_fewer_words_examples_and_code_are_let_pass(found, body):
    assert found(body) == []


def test_a_recorded_title_is_let_pass(tmp_path):
    site = Site(tmp_path)
    title = "On the way that long titles have of running over eight words"
    bibliography = f'[a2017]\nlabel = "A 2017"\nauthors = "A"\ntitle = "{title}"\nyear = 2017\nadds = "It."\n'
    site.write("docs/bibliography.toml", bibliography)
    path = site.write("docs/a.md", FRONT + f"We read {title}, and liked it.\n")
    assert list(overlap.overlaps([path], {"theirs": title}, site.root, read(site.root / "docs"))) == []


def test_docstrings_are_compared_and_code_is_not(found):
    words = "a bright cold day in April and the clocks"
    assert found(f'def f():\n    """{words}."""\n', name="attnref/a.py")
    assert not found(f'x = "{words}"\n', name="attnref/a.py")


def test_the_command_says_what_is_missing(capsys):
    assert overlap.main(["nowhere.txt"]) == 2
    assert "nowhere.txt" in capsys.readouterr().out
