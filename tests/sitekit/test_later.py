"""What lies below the window is laid out later: a box between two headings, which tells about how high it is."""

import re

import markdown
import pytest

PAGE = """# Title

At once.

## One

Words.

```python
print(1)
```

### Two

- a
- b

## Three

<div class="doc" markdown>

## Inside

Text.

</div>
"""


def rendered(text: str) -> str:
    return markdown.markdown(text, extensions=["md_in_html", "pymdownx.superfences", "sitekit.later"])


def test_what_stands_between_two_headings_becomes_a_box_and_headings_stay_outside():
    html = rendered(PAGE)
    first, second, *rest = re.findall(
        r'<div class="later" style="--lines:\d+">(.*?)</div>\n?(?=<h|$)', html, re.DOTALL
    )
    assert "Words." in first
    assert "print" in first
    assert "<li>a</li>" in second
    assert rest == []
    assert "<h" not in first + second


def test_what_is_in_view_at_once_and_what_holds_headings_is_left_as_it_is():
    html = rendered(PAGE)
    assert html.count('class="later"') == 2
    assert "<p>At once.</p>" in html.partition('class="later"')[0]
    assert "Inside" in html.rpartition('class="later"')[2]


def lines(block: str) -> int:
    return int(re.search(r"--lines:(\d+)", rendered(f"# A\n\n## B\n\n{block}\n\n## C\n"))[1])


@pytest.mark.parametrize(
    ("block", "least", "most"),
    [
        ("A word.", 1, 2),
        ("word " * 160, 10, 12),
        ("```python\n" + "print(1)\n" * 20 + "```", 20, 24),
        ("<details markdown><summary>More</summary>\n\n" + "word " * 500 + "\n\n</details>", 2, 2),
        ("<svg viewBox='0 0 1 1'></svg>", 12, 20),
    ],
)
def test_height_is_told_in_lines(block, least, most):
    assert least <= lines(block) <= most


@pytest.mark.parametrize(("letters", "takes"), [(30, False), (31, True)])
def test_code_with_a_long_line_takes_the_focus_from_the_start(letters, takes):
    html = rendered(f"```python\nx = 1\n{'<' * letters}\n```")
    assert ('<code tabindex="0">' in html) is takes
    assert "&lt;" in html
