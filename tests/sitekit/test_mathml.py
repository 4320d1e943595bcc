"""Formulas: what is shown is what was written, wherever on a page it stands."""

import logging
import re
from xml.etree import ElementTree as etree

import pytest
from markdown import Markdown

from sitekit import mathml
from sitekit.mathml import BadTeX, to_mathml

EXTENSIONS = [
    "sitekit.mathml",
    "abbr",
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.details",
    "pymdownx.superfences",
    "pymdownx.tabbed",
]


def convert(text: str) -> str:
    return Markdown(
        extensions=EXTENSIONS, extension_configs={"pymdownx.tabbed": {"alternate_style": True}}
    ).convert(text)


def formulas(text: str) -> list[str]:
    return re.findall(r'<math alttext="([^"]*)"', convert(text))


def inner(tex: str, display: bool = False) -> str:
    """The MathML within `<math>`."""
    return re.sub(r"^<math[^>]*>|</math>$", "", to_mathml(tex, display))


# ---- the conversion alone


@pytest.mark.parametrize(
    ("tex", "mathml"),
    [
        (
            r"\frac{a}{\sqrt{d_k}}",
            "<mfrac><mi>a</mi><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac>",
        ),
        (r"K^\top", "<msup><mi>K</mi><mi>⊤</mi></msup>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"x_{12}^{34}", "<msubsup><mi>x</mi><mn>12</mn><mn>34</mn></msubsup>"),
        (r"0.735", "<mn>0.735</mn>"),
        (r"-1.5", "<mo>−</mo><mn>1.5</mn>"),
        (r"\text{4 keys}", "<mtext>4\u00a0keys</mtext>"),
        (r"a\,b", '<mi>a</mi><mspace width="0.16666667em"/><mi>b</mi>'),
        (r"a \times b", "<mi>a</mi><mo>×</mo><mi>b</mi>"),
        (r"\left[ 1 \right]", "<mrow><mo>[</mo><mn>1</mn><mo>]</mo></mrow>"),
    ],
)
def test_formula_becomes_the_mathml_it_means(tex, mathml):
    assert re.sub(r' [lr]space="[^"]*"', "", inner(tex)) == mathml


@pytest.mark.parametrize(
    ("tex", "elements"),
    [
        (r"\begin{pmatrix} 1 & -2 \\ 3 & 0.25 \end{pmatrix}", ["1", "−2", "3", "0.25"]),
        (r"\begin{bmatrix} 5 & 7 \end{bmatrix}", ["5", "7"]),
        (r"\begin{aligned} a &= 1 \\ b &= 2 \end{aligned}", ["a", "=1", "b", "=2"]),
        (
            r"\begin{cases} 0 & j \le i \\ -\infty & \text{otherwise} \end{cases}",
            ["0", "j≤i", "−∞", "otherwise"],
        ),
    ],
)
def test_each_cell_of_a_matrix_is_a_cell_of_a_table(tex, elements):
    table = etree.fromstring(to_mathml(tex, True)).iter("mtd")
    assert ["".join(cell.itertext()) for cell in table] == elements


def test_operator_name_is_upright_and_applied():
    text = inner(r"\operatorname{softmax}(x)")
    assert "<mi>softmax</mi>" in text
    assert "&ApplyFunction;" not in text, "a named entity is unknown to an XML parser"
    assert "\u2061" in text


@pytest.mark.parametrize("number", ["20{,}000", "1{,}048{,}576", "20{,}000.5"])
def test_number_with_thousands_commas_is_one_element(number):
    assert inner(number) == f"<mn>{number.replace('{,}', ',')}</mn>"


def test_number_with_thousands_commas_is_whole_within_words_too():
    assert "<mn>20,000</mn>" in inner(r"\text{for 20{,}000 keys}")
    assert "<mi>20,000</mi>" in inner(r"\operatorname{20{,}000}")


def test_dots_are_one_character():
    assert re.sub("<[^>]*>", "", inner(r"1, \dots, 9 \ldots 11")) == "1,…,9…11"


def test_alttext_is_the_tex_in_one_line():
    root = etree.fromstring(to_mathml('a < b\n  & \\text{"c"}'.replace("&", ""), False))
    assert root.get("alttext") == 'a < b \\text{"c"}'


def test_every_formula_is_well_formed_xml():
    for tex in (r"\exp x", r"a < b > c", r"\text{d\_k \& e}", r"\max_j \log 2", r"\lvert x \rvert \mid y"):
        etree.fromstring(to_mathml(tex, False))


@pytest.mark.parametrize(
    ("tex", "says"),
    [
        (r"\frac{1}", r"Expected argument.*after “\\frac\{1\}”"),
        (r"\softmax x", r"Unknown command.*at its start"),
        (r"x < 20{,}000 + \foo", r"after “x < 20\{,\}000 \+”"),
        (r"a & b", "table-like"),
        (r"\begin{aligned} a \\[4pt] b \end{aligned}", "show the length"),
        (r"a \\ b", "use .begin{aligned}"),
        ("  ", "empty"),
        (r"\begin{align} a &= 7 \\ b &= 7 \end{align}", "added “12”"),
    ],
)
def test_bad_tex_is_refused_with_the_reason_and_the_place(tex, says):
    with pytest.raises(BadTeX, match=says):
        to_mathml(tex, True)


@pytest.mark.parametrize(
    "tex",
    [
        r"\hspace{2em} x_3",
        r"\begin{aligned} a \\ [4, 0] \end{aligned}",
        "3 % 12 monkeys",
        r"\sqrt[3]{8}",
        r"\underset{(4, 2)}{Q}",
        r"\mathbf{0.735}",
        r"50\%",
    ],
)
def test_lengths_and_comments_are_not_taken_for_numbers_that_got_lost(tex):
    assert to_mathml(tex, True)


# ---- the extension, in every place of a page


@pytest.mark.parametrize(
    "text",
    [
        "Let $x_1$ be.",
        "**$x_1$**",
        "*a $x_1$ b*",
        "## Why $x_1$",
        "- a $x_1$",
        "1. a $x_1$",
        "> a $x_1$",
        "[$x_1$](a.md)",
        "| a |\n|---|\n| $x_1$ |",
        '!!! note "Title $x_1$"\n    text',
        "!!! note\n    a $x_1$",
        '??? success "Answer"\n    a $x_1$',
        '=== "A"\n    a $x_1$',
        "word[^a]\n\n[^a]: note $x_1$",
        "Term\n:   is $x_1$",
        "<div markdown>\na $x_1$\n</div>",
        "the ($x_1$)-axis",
        "a line that\nbreaks $x_1$\nhere",
        "$$ x_1 $$",
        "$$\nx_1\n$$",
        "text\n$$ x_1 $$\ntext",
        "- item\n\n    $$ x_1 $$",
        "- item:\n    $$\n    x_1\n    $$",
        "> $$ x_1 $$",
        "!!! note\n    $$ x_1 $$",
        '=== "A"\n    $$\n    x_1\n    $$',
        "word[^a]\n\n[^a]: note\n\n    $$ x_1 $$",
        "Term\n:   is\n\n    $$ x_1 $$",
        "<div markdown>\n$$ x_1 $$\n</div>",
    ],
)
def test_formula_works_in_every_place(text):
    assert formulas(text) == ["x_1"]
    assert "$" not in convert(text)


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $6.",
        "It costs $5, or $6.",
        "It costs $5,$6 or $7.",
        "`$x$` is code",
        "`` $x$ ``",
        "```\n$x$ and $$ y $$\n```",
        "```python\nprint('$x$')\n```",
        "    $$ indented code $$",
        r"escaped \$x\$",
        "a lone $ and another $ sign",
        "a | b $ c",
    ],
)
def test_what_is_no_formula_stays_as_it_is(text, caplog):
    assert formulas(text) == []
    assert not caplog.records


def test_escaped_dollar_is_a_dollar():
    assert convert(r"\$x\$") == "<p>$x$</p>"


@pytest.mark.parametrize("tex", ["a_1 * b_2 * c", r"\{a\}", "a<b>c", "d_k", "[a](b)", r"\text{*a* and *b*}"])
def test_markdown_within_a_formula_is_none(tex):
    assert convert(f"${tex}$ and *more* `code`").count("<em>") == 1
    assert formulas(f"${tex}$ and *more* `code`") == [tex.replace("<", "&lt;").replace(">", "&gt;")]


@pytest.mark.parametrize("row", ["- c &= 1 \\\\", "+ d &= e \\\\", "> 0 \\\\", "=", "1. x"])
def test_rows_that_look_like_markdown_stay_in_the_formula(row):
    for text in (f"$$\n{row}\n$$", f"$$\na\n{row}\nb\n$$"):
        env = text.replace("$$\n", "$$\n\\begin{aligned}\n", 1).replace("\n$$", "\n\\end{aligned}\n$$")
        for formula in (env, text.replace("\\\\", "").replace("&", "")):
            assert len(formulas(formula)) == 1
            assert "<li>" not in convert(formula)


def test_no_white_space_is_put_around_a_formula():
    assert re.search(r"z <math.*</math><sup", convert("z $x$[^a]\n\n[^a]: b"))


def test_formula_is_kept_out_of_the_search_index():
    for text in ("a $x$", "$$ x $$"):
        assert "data-search-exclude" in re.search("<math[^>]*>", convert(text))[0]


def test_display_formula_stands_in_a_named_box_that_takes_the_focus():
    box = re.search('<div[^>]*class="math-display"[^>]*>', convert("$$ x $$"))[0]
    assert 'tabindex="0"' in box
    assert 'role="group"' in box
    assert 'aria-label="Formula"' in box
    assert 'display="block"' in convert("$$ x $$")


@pytest.mark.parametrize(
    ("tex", "parts"),
    [
        (r"a, \qquad b \qquad c", ["a, ", " b ", " c"]),
        (r"x_{a \qquad b} \qquad c", [r"x_{a \qquad b} ", " c"]),
        (r"\left( a \qquad b \right) \leftarrow c", [r"\left( a \qquad b \right) \leftarrow c"]),
        (r"\begin{aligned} a \qquad b \end{aligned}", [r"\begin{aligned} a \qquad b \end{aligned}"]),
        (r"\{ a \qquad b \}", [r"\{ a ", r" b \}"]),
    ],
)
def test_display_formula_is_cut_at_wide_spaces_that_nothing_holds_together(tex, parts):
    assert mathml.parts(tex) == parts
    assert convert(f"$$ {tex} $$").count("<math") == len(parts)


def test_formula_in_a_line_is_not_cut():
    assert convert(r"a $b, \qquad c$").count("<math") == 1


# ---- the mark by which the ledger finds a formula again


def test_mark_of_an_inline_formula_is_on_the_formula():
    text = convert("a $\ue0025\ue003x_1$ b")
    assert re.search('<math[^>]*data-ledger="5"', text)
    assert formulas("a $\ue0025\ue003x_1$ b") == ["x_1"]
    assert not re.search("[\ue000-\uf8ff]", text)


@pytest.mark.parametrize("text", ["$$\n\ue00213\ue003x_1\n$$", "$$ \ue00213\ue003 x_1 $$"])
def test_mark_of_a_display_formula_is_on_its_box(text):
    assert re.search('<div[^>]*class="math-display"[^>]*data-ledger="13"', convert(text)) or re.search(
        '<div[^>]*data-ledger="13"[^>]*class="math-display"', convert(text)
    )
    assert len(re.findall("data-ledger", convert(text))) == 1


# ---- what is wrong is seen


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (r"a $\frac{1}$ b", "Expected argument"),
        (r"$$ \frac{1} $$", "Expected argument"),
        ("$$ x\n\ny $$", "not closed"),
        ("a $$ x $$ b", "lines of its own"),
        (r"![two $\sqrt{2}$](a.png)", "alt text"),
    ],
)
def test_bad_formula_is_shown_and_logged_on_a_logger_that_strict_counts(text, says, caplog):
    with caplog.at_level(logging.WARNING, logger="mkdocs"):
        page = convert(text)
    (record,) = caplog.records
    assert record.name == "mkdocs.sitekit.mathml"
    assert record.levelname == "WARNING"
    assert says in record.getMessage()
    assert says in page


def test_warning_names_the_page_where_mkdocs_tells_it(caplog):
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import _RelativePathTreeprocessor

    md = Markdown(extensions=["sitekit.mathml"])
    file = File("lessons/scaling.md", "docs", "site", True)
    _RelativePathTreeprocessor(file, Files([file]), {})._register(md)
    md.convert(r"$\frac$")
    assert caplog.records[0].getMessage().startswith("lessons/scaling.md: ")
