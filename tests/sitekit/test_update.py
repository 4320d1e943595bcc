"""An update rewrites what the page's programs decide, in the way the page is written, and nothing else."""

import pytest

from sitekit import proofs, update
from tests.sitekit.site import FRONT, Site

CODE = '```python\nx = -1.5\nprint(f"{x:.2f}")\n```\n'


@pytest.fixture
def updated(tmp_path):
    site = Site(tmp_path)

    def after(text: str) -> str:
        page = site.page(FRONT + text)
        changed, _ = update.updated(page)
        assert proofs.check(site.page(changed)).problems == []
        return changed.removeprefix(FRONT)

    return after


@pytest.fixture
def left_alone(tmp_path, monkeypatch, capsys):
    """What an update says of a page that it leaves as it is, with exit code 1."""
    site = Site(tmp_path)
    monkeypatch.chdir(tmp_path)

    def told(text: str) -> str:
        path = site.write("docs/page.md", FRONT + text)
        assert update.main(["docs/page.md"]) == 1
        assert path.read_text(encoding="utf-8") == FRONT + text
        return capsys.readouterr().out

    return told


def test_a_literal_keeps_its_digits_and_gets_the_sign_of_prose(updated):
    page = CODE + "\n```text\n-1.50\n```\n\nIt is NUM.\n<!--= x -->\n"
    assert updated(page.replace("NUM", "2.25")) == page.replace("NUM", "−1.50")


def test_a_literal_of_code_and_of_tex_gets_the_sign_of_ascii(updated):
    page = CODE + "\n```text\n-1.50\n```\n\nIt is `NUM` and $NUM$.\n<!--= x, x -->\n"
    assert updated(page.replace("NUM", "2.5")) == page.replace("NUM", "-1.5")


def test_an_output_that_is_missing_is_added_and_one_that_is_stale_rewritten(updated):
    right = CODE + "\n```text\n-1.50\n```\n\nEnd.\n"
    assert updated(CODE + "\nEnd.\n") == right
    assert updated(CODE + "\n```text\n7\n8\n```\n\nEnd.\n") == right


def test_an_output_inside_a_fold_keeps_its_indentation(updated):
    fold = '??? note "More"\n\n    ```python\n    print(1)\n    print()\n    print(2)\n    ```\n'
    assert updated(fold) == fold.rstrip("\n") + "\n\n    ```text\n    1\n\n    2\n    ```\n"


def test_a_page_that_holds_stays_as_it_is(updated):
    page = CODE + "\n```text\n-1.50\n```\n\nIt is −1.5.\n<!--= x -->\n"
    assert updated(page) == page


def test_a_text_below_a_block_that_prints_nothing_is_left_and_said(left_alone):
    told = left_alone("```python\nx = 1\n```\n\n```text\nwritten by hand\n```\n")
    assert told.startswith("docs/page.md:9: an output block stands here, but the block above prints nothing")


@pytest.mark.parametrize("between", ["It prints this.", "<!-- a remark -->"])
def test_an_output_that_stands_apart_is_not_written_a_second_time(left_alone, between):
    told = left_alone(f"{CODE}\n{between}\n\n```text\n-1.50\n```\n")
    assert "the one in line 12 stands apart: move it directly below" in told


@pytest.mark.parametrize(
    ("printed", "ticks"), [("```", "````"), ("a\\n  ````b\\nc", "`````"), ("a ``` b", "```")]
)
def test_an_output_that_holds_the_marks_of_a_block_gets_longer_ones(updated, printed, ticks):
    code = f'```python\nprint("{printed}")\n```\n'
    shown = printed.replace("\\n", "\n")
    right = f"{code}\n{ticks}text\n{shown}\n{ticks}\n\nEnd.\n"
    assert updated(code + "\nEnd.\n") == right
    assert updated(code + "\n```text\nstale\n```\n\nEnd.\n") == right
    assert updated(right) == right


@pytest.mark.parametrize("printing", ["print()", "print(end='\\n\\n')"])
def test_a_block_that_prints_a_blank_line_alone_needs_no_output(updated, printing):
    page = f"```python\n{printing}\n```\n\nEnd.\n"
    assert updated(page) == page


def test_an_output_inside_a_quote_stays_in_the_quote(updated):
    quote = "> ```python\n> print(1)\n> ```\n\nEnd.\n"
    right = "> ```python\n> print(1)\n> ```\n>\n> ```text\n> 1\n> ```\n\nEnd.\n"
    assert updated(quote) == right
    assert updated(right.replace("> 1\n> ```\n\n", "> 7\n> ```\n\n")) == right


@pytest.mark.parametrize(
    ("printed", "source"),
    [
        ("5", "'animal' + str(n)"),  # a word would stand where a number stood
        ("0.735", "str(n)"),  # decimals would be lost
        ("(.73)", "n / 7"),  # the point is no part of what is read here
    ],
)
def test_a_literal_is_never_rewritten_into_something_else(left_alone, printed, source):
    text = f"It is {printed}<!--= {source} -->.\n\n```python\nn = 2\n```\n"
    assert "docs/page.md:5: " in left_alone(text)


def test_a_number_that_lost_its_digits_by_a_change_is_rewritten(updated):
    page = "It is NUM<!--= n -->.\n\n```python\nn = 2\n```\n"
    assert updated(page.replace("NUM", "17")) == page.replace("NUM", "2")
