"""Highlighted code keeps its text and its colours, and loses the marks that have none."""

import re

import markdown

CODE = "```python\nweights = softmax(scores, axis=-1)  # by rows\nprint('<b>', f\"{weights[0]:.3f}\")\n```\n"


def rendered(*extensions: str) -> str:
    return markdown.markdown(CODE, extensions=["pymdownx.superfences", *extensions])


def text(html: str) -> str:
    return re.sub(r"<[^>]*>", "", html)


def test_code_keeps_its_text():
    assert text(rendered("sitekit.slim")) == text(rendered())


def test_names_and_brackets_lose_their_marks_and_comments_keep_theirs():
    slim = rendered("sitekit.slim")
    assert 'class="n"' in rendered()
    assert 'class="n"' not in slim
    assert 'class="p"' not in slim
    assert 'class="c1"' in slim
    assert len(slim) < 0.7 * len(rendered())
