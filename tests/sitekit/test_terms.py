"""The first use of a term in a lesson leads to the glossary, and shows the definition."""

import re

import pytest

from sitekit import render, terms
from sitekit.check import ROOT
from tests.sitekit.site import FRONT, Site

GLOSSARY = """---
title: Glossary
description: Terms.
---
# Glossary

## Head

One *attention* of
several.

## Matrix

A table.

*Also: grid.*

## Multi-head attention { #several }

Several heads.
"""


@pytest.fixture
def lesson(tmp_path):
    site = Site(tmp_path, {"docs/study/glossary.md": GLOSSARY})

    def html(body: str, name: str = "docs/lessons/a.md", front: str = FRONT) -> str:
        site.write(name, front + body)
        return render.page_html(front + body, site.root)[0]

    return html


def marked(content: str) -> list[str]:
    return re.findall(r'<a class="term"[^>]*>([^<]*)</a>', content)


def test_the_first_use_of_a_term_is_a_link_with_its_definition(lesson):
    content = lesson("A head, another head, and a **matrix**.\n")
    assert marked(content) == ["head", "matrix"]
    assert (
        '<a class="term" href="../study/glossary.md#head" title="One attention of several.">head</a>'
        in content
    )
    assert "another head, and a <strong>" in content


def test_plurals_other_names_and_the_longest_name_are_found(lesson):
    assert marked(lesson("Grids, Matrices.\n")) == ["Grids"]
    content = lesson("Multi-head\nattention has heads.\n")
    assert marked(content) == ["Multi-head\nattention", "heads"]
    assert "#several" in content


@pytest.mark.parametrize(
    "text",
    [
        "## A head\n",
        "`head`\n",
        "[a head](b.md)\n",
        "The word *head* here.\n",
        "| head |\n|---|\n| head |\n",
        "??? note\n\n    A head.\n",
        "$\\text{head}$\n",
        "masthead, head-on\n",
    ],
)
def test_no_term_is_marked_where_text_is_set_off(lesson, text):
    assert marked(lesson(text)) == []


def test_a_page_can_leave_out_a_term_that_means_something_else_there(lesson):
    front = FRONT.replace("---\n", "---\nno_terms: [head]\n", 1)
    assert marked(lesson("Heads or tails, in a matrix.\n", front=front)) == ["matrix"]


@pytest.mark.parametrize("name", ["docs/lessons/a.md", "docs/labs/a.md", "docs/exercises/a.md"])
def test_terms_are_marked_where_one_learns(lesson, name):
    assert marked(lesson("A head.\n", name)) == ["head"]


def test_terms_are_not_marked_in_the_reference(lesson):
    assert marked(lesson("A head.\n", "docs/reference/a.md")) == []


def test_a_site_without_a_glossary_has_no_terms(tmp_path):
    assert terms.read(Site(tmp_path).root) == ()


def test_definitions_hold_no_numeral_and_no_mark_up():
    found = terms.read(ROOT)
    assert len(found) > 50
    assert [term.name for term in found if re.search(r"\d|[\[\]<>$_]", term.definition)] == []


def test_no_two_terms_share_a_name():
    names = [form.lower() for term in terms.read(ROOT) for form in term.forms]
    assert sorted(set(names)) == sorted(names)
