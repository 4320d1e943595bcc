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


def test_an_output_that_nothing_prints_any_more_is_taken_out(updated):
    silent = "```python\nx = 1\n```\n"
    assert updated(silent + "\n```text\n1\n```\n\nEnd.\n") == silent + "\nEnd.\n"


def test_an_output_inside_a_fold_keeps_its_indentation(updated):
    fold = '??? note "More"\n\n    ```python\n    print(1)\n    print()\n    print(2)\n    ```\n'
    assert updated(fold) == fold.rstrip("\n") + "\n\n    ```text\n    1\n\n    2\n    ```\n"


def test_a_page_that_holds_stays_as_it_is(updated):
    page = CODE + "\n```text\n-1.50\n```\n\nIt is −1.5.\n<!--= x -->\n"
    assert updated(page) == page
