"""The search reads words: formulas in a line, no programs, no counts; and knows a page by all its names."""

from types import SimpleNamespace

import pytest

from sitekit import searched
from sitekit.mathml import to_mathml

CODE = '<div class="language-{} highlight"><pre><span></span><code>{}</code></pre></div>'


@pytest.mark.parametrize(
    ("tex", "line"),
    [
        (r"\sqrt{d_k}", "√d_k"),
        (r"QK^{\top}", "QKᵀ"),
        (r"e^{x_i}", "e^x_i"),
        (r"\frac{n(n-1)}{2}", "(n(n − 1))/2"),
        (r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right) V", "softmax(QKᵀ/√d_k)V"),
        (r"a_i \quad b = 1", "a_i b = 1"),
        (r"\begin{aligned} a &= b \\ c &< d\end{aligned}", "a = b; c < d;"),
    ],
)
def test_formula_is_said_in_a_line(tex, line):
    assert searched.formula(to_mathml(tex, False)) == line


def test_a_formula_in_a_title_is_found_as_its_signs():
    root = to_mathml(r"\sqrt{x} < y", False)
    html = f'<h1 id="why">Why divide by {root}?</h1>'
    assert searched.searched(html) == '<h1 id="why">Why divide by √x &lt; y?</h1>'
    assert searched.searched(root + root) == "√x &lt; y √x &lt; y"


def test_programs_and_bare_numbers_are_left_out_and_messages_stay():
    message = "ValueError: operands could not be broadcast together"
    html = CODE.format("python", "import numpy as np") + CODE.format("text", "[0.74 0.18]")
    assert searched.searched(html).strip() == ""
    assert message in searched.searched(html + CODE.format("text", message))


def test_what_the_ledger_adds_to_a_page_is_left_out():
    html = (
        '<p>No look ahead<data class="n claim" value="true">✓</data>.</p><details class="abstract"><summary>'
        'What no block above computes</summary><p>x</p></details>\n<aside class="ledger-count" aria-label="a">'
        "<p>Checked on this page: 2 code blocks run.</p></aside>"
    )
    assert searched.searched(html).split() == ["<p>No", "look", "ahead", ".</p>"]


def test_page_is_known_by_its_kind_other_names_and_description():
    html = '<div class="hero">\n<h1 id="a">A soft lookup<a class="headerlink" href="#a">#</a></h1><p>Shares.</p></div>'
    read = searched.searched(html, "lesson, softmax", "From scores to shares & back.")
    assert read.startswith('<h1 id="a">A soft lookup (lesson, softmax)<a class="headerlink"')
    assert "</h1><p>From scores to shares &amp; back.</p><p>Shares.</p>" in read


def test_a_term_is_known_by_its_other_names_and_its_neighbours_are_not():
    html = (
        '<h2 id="head">Head<a class="headerlink" href="#head">#</a></h2>\n<p>One attention.</p>\n'
        '<h2 id="cache">Cache<a class="headerlink" href="#cache">#</a></h2>\n<p>Keys.</p>\n'
        "<p><em>Also: KV cache, store.</em></p>\n<p>Taught in <a href='x'>a lesson</a>.</p>\n"
    )
    read = searched.searched(html)
    assert '<h2 id="cache">Cache (KV cache, store)<a' in read
    assert '<h2 id="head">Head<a' in read
    assert "Also" not in read
    assert "Taught" not in read


def test_pages_that_explain_count_for_more_than_pages_that_list():
    factors = [searched.kind(url)[0] for url in ("study/glossary/", "lessons/masks/", "reference/attention/")]
    assert factors == sorted(factors, reverse=True)
    assert len(set(factors)) == len(factors)
    assert searched.kind("reference/gradients/")[0] < searched.kind("reference/attention/")[0]


@pytest.mark.parametrize(
    ("url", "home", "boost"), [("", True, 0.5), ("index.html", True, 0.5), ("notation/", False, 1)]
)
def test_the_page_is_put_back_and_its_own_boost_holds(url, home, boost):
    page = SimpleNamespace(url=url, is_homepage=home, meta={"description": "d"}, content="<h1>A</h1>")
    searched.before(page)
    assert page.content == "<h1>A</h1><p>d</p>"
    assert page.meta["search"] == {"boost": boost}
    searched.after(page)
    assert page.content == "<h1>A</h1>"
    page.meta["search"]["boost"] = 7
    searched.before(page)
    assert page.meta["search"] == {"boost": 7}


def test_answers_are_not_given_away_and_questions_are_found():
    html = (
        '<details class="card"><summary>Which root?</summary>\n<p>That of 64.</p></details>'
        '<details class="choice"><summary>64</summary><p>Right.</p></details>'
        '<details class="success"><summary>Answer</summary><p>Eight.</p></details>'
        '<details class="question"><summary>Why?</summary><p>A reason.</p></details>'
    )
    read = searched.searched(html)
    assert "<p>Which root?</p><p>64</p>" in read
    assert "That of 64" not in read
    assert "Right" not in read
    assert "Eight" not in read
    assert "A reason" in read


def test_a_table_of_words_is_told_apart_and_a_table_of_numbers_is_left_out():
    def table(rows):
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>\n" for cell in row) + "</tr>\n" for row in rows)
        return (
            f"<table>\n<thead>\n<tr><th>who</th>\n<th>whom</th></tr></thead>\n<tbody>{body}</tbody></table>"
        )

    words = table([("cat", "<code>sat</code>"), ("it", "1.0")])
    assert (
        " ".join(searched.searched(words).split())
        == "<p> who · whom ; cat · <code>sat</code> ; it · 1.0 ; </p>"
    )
    assert searched.searched(table([("cat", "0.5"), ("it", "1.0")])).strip() == ""
