"""What the reader gets of a page: numbers with their proofs, plain text where no proof can stand, the count."""

import html
import json
import logging
import re
from xml.etree import ElementTree as etree

import markdown
import pytest

from sitekit import render
from sitekit.pages import FRONT_MATTER
from tests.sitekit.site import CODE, Site, whole

ROW = "| animal | 0.735 |\n| it | 0.179 |\n"


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def shown(site: Site, body: str) -> str:
    """The HTML of a page that holds."""
    page = site.page(whole(body))
    assert site.check(page.text)[1] == []
    return render.page_html(page.text, site.root)[0]


def elements(content: str, tag: str) -> list[etree.Element]:
    """The elements of that tag in the order of reading, outside blocks of code and the box at the end."""
    prose = re.sub(r"<pre.*?</pre>|<aside.*?</aside>", "", content, flags=re.DOTALL)
    found = re.findall(rf"<{tag}\b[^>]*>.*?</{tag}>", prose, flags=re.DOTALL)
    return [etree.fromstring(text) for text in found]


def numbers(content: str) -> list[dict[str, str]]:
    return [{"": element.text, **element.attrib} for element in elements(content, "data")]


def formulas(content: str) -> list[etree.Element]:
    return [element for element in elements(content, "span") if "formula" in element.get("class", "")]


def tab_stops(content: str) -> list[str | None]:
    prose = re.sub(r"<pre.*?</pre>", "", content, flags=re.DOTALL)
    return re.findall(r'<(?:data|span) [^>]*\btabindex="(-?\d)"', prose)


def test_a_bound_number_carries_its_value_its_expression_and_the_line_that_computed_it(site):
    [number] = numbers(shown(site, "It gets 0.735<!--= weights[0] -->."))
    assert number == {
        "": "0.735",
        "class": "n",
        "value": "0.7346",
        "data-proof": "weights[0]",
        "data-line": "9",
        "tabindex": "0",
    }


def test_a_number_of_a_program_names_the_program_and_its_line(site):
    site.write("snippets/page/part.py", "y = 3\nx = 17\n")
    content = shown(site, 'It is 17<!--= part.x -->.\n\n```python\n--8<-- "page/part.py"\n```\n')
    assert numbers(content)[0]["data-line"] == "part.py:2"


def test_a_cited_number_carries_its_source_and_place(site):
    [number] = numbers(shown(site, "It has 8<!--= cite.vaswani2017.heads --> heads."))
    assert number["data-proof"] == "Vaswani et al. 2017, Section 3.2.2"
    assert "data-line" not in number


def test_a_label_of_a_source_and_an_exempt_name_are_owned_where_they_stand(site):
    found = numbers(shown(site, "GPT-2 follows Vaswani et al. 2017, footnote 4."))
    assert [(number[""], number["data-proof"]) for number in found] == [
        ("2", "the name of a model"),
        ("2017", "Attention Is All You Need, footnote 4"),
        ("4", "Attention Is All You Need, footnote 4"),
    ]


def test_code_in_a_sentence_is_a_number_without_a_proof(site):
    [number] = numbers(shown(site, "`keys.shape[-1]` stands below."))
    assert "data-proof" not in number
    assert number["class"] == "n"


@pytest.mark.parametrize(
    ("body", "stops"),
    [
        ("0.735 and 0.179\n<!--= weights[0], weights[3] -->", ["0", "-1"]),
        ("0.735<!--= weights[0] -->\n\n0.179<!--= weights[3] -->", ["0", "0"]),
        (f"| a | b |\n|---|---|\n{ROW}<!--= table: weights[[0, 3]] -->", ["0", "-1"]),
        ("- 0.735\n- 0.179\n<!--= weights[0], weights[3] -->", ["0", "0"]),
        ("$2$<!--= d_k --> and $2$<!--= d_k -->", ["0", "-1"]),
        ("[2](page.md)<!--= d_k --> and 2<!--= d_k -->", ["0"]),
        ("## A weight of 0.735 { #a }\n<!--= weights[0] -->", ["0"]),
        ("`keys.shape[-1]` and 2<!--= d_k -->", ["0"]),
        ("> 2\n> <!--= d_k -->\n\n2<!--= d_k -->", ["0", "0"]),
    ],
)
def test_each_block_is_one_tab_stop(site, body, stops):
    assert tab_stops(shown(site, body)) == stops


def test_a_formula_has_one_proof_for_all_its_numerals(site):
    content = shown(site, r"It is $\sqrt{2} \approx 1.41$<!--= d_k, root -->.")
    [span] = formulas(content)
    assert span.get("class") == "n formula"
    assert 'data-proof="d_k = 2\nroot = 1.4142135623730951"' in content
    assert span.find("math") is not None
    assert numbers(content) == []


def test_a_display_formula_carries_its_proof_and_stays_the_tab_stop_that_it_is(site):
    content = shown(site, "$$ x = 2 $$\n<!--= d_k -->")
    [box] = re.findall(r'<div [^>]*class="[^"]*math-display[^"]*"[^>]*>', content)
    assert 'data-proof="d_k = 2"' in box
    assert box.count('tabindex="0"') == 1


def test_a_formula_that_is_read_says_at_which_values(site):
    [span] = formulas(shown(site, "It is $n(n-1)/2$<!--tex n=4: d_k + 4 -->."))
    assert span.get("data-proof") == "read as arithmetic: at n = 4 it gives 6, as d_k + 4 does"


def test_a_formula_without_numerals_and_without_a_comment_is_left_alone(site):
    assert "data-proof" not in shown(site, "It is $x_i$.")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("![a bar of 0.735](a.svg)\n<!--= weights[0] -->", 'alt="a bar of 0.735"'),
        ('<img alt="a bar of 0.735" src="a.svg">\n<!--= weights[0] -->', 'alt="a bar of 0.735"'),
        ('[here](a.md "of 0.735")\n<!--= weights[0] -->', 'title="of 0.735"'),
        ('<b title="of 0.735">here</b>\n<!--= weights[0] -->', 'title="of 0.735"'),
        ("The ABC<!--? d_k > 1 -->.\n\n*[ABC]: of 0.735<!--= weights[0] -->", 'title="of 0.735"'),
    ],
)
def test_an_attribute_holds_plain_text(site, body, text):
    assert text in shown(site, body)


@pytest.mark.parametrize(
    "body",
    [
        "It gets 0.735<!--= weights[0] -->, most<!--? weights[0] > 0.5 -->, $n$<!--tex n=2: d_k -->.",
        "It gets 0.735\n<!--= weights[0] -->\nof it.",
        "## Of 0.735 { #a }\n<!--= weights[0] -->\nWords.",
        '!!! note "Of 2"\n    <!--= d_k -->\n\n    Words.',
        f"| a | b |\n|---|---|\n{ROW}<!--= table: weights[[0, 3]] -->\n\nWords.",
    ],
)
def test_no_comment_and_no_mark_is_left(site, body):
    content = shown(site, body)
    assert "<!--" not in content
    assert not re.search("[\ue000-\ue00f]", content)


def test_a_comment_below_a_paragraph_does_not_split_it(site):
    content = shown(site, "It gets 0.735\n<!--= weights[0] -->\nof it.\n")
    assert re.search(r"<p>It gets <data[^>]*>0.735</data>\s+of it.</p>", content)


def test_a_table_with_a_comment_is_a_table(site):
    content = shown(site, f"| a | b |\n|---|---|\n{ROW}<!--= table: weights[[0, 3]] -->\n")
    assert content.count("<tr>") == 3
    assert [number[""] for number in numbers(content)] == ["0.735", "0.179"]


def test_a_comment_in_a_code_span_is_shown(site):
    content = shown(site, "We write `2<!--= d_k -->`<!--= d_k --> so.")
    assert html.escape("<!--= d_k -->") in content


def test_the_names_in_the_contents_are_plain(site):
    headings = "## A weight of 0.735 { #a-weight }\n<!--= weights[0] -->\n\n## Of $2$<!--= d_k --> { #b }\n"
    page = site.page(whole(headings))
    names, settings = render.extensions(site.root)
    converter = markdown.Markdown(extensions=names, extension_configs=settings)
    converter.convert(FRONT_MATTER.sub("", page.text))
    tokens = [(token["id"], token["name"]) for token in converter.toc_tokens]
    assert tokens[0] == ("a-weight", "A weight of 0.735")
    assert tokens[1][0] == "b"
    assert "data" not in tokens[1][1]


def test_the_box_at_the_end_counts_what_was_checked(site):
    body = (
        "It gets 0.735, 0.179, 8 and most<!--? weights[0] > 0.5 -->: $n/2$<!--tex n=4: d_k -->, GPT-2.\n"
        "<!--= weights[0], weights[3], cite.vaswani2017.heads -->\n\n"
        "```python\nprint('word')\n```\n\n```text\nword\n```\n"
    )
    [box] = re.findall(r"<aside class=\"ledger-count\".*?</aside>", shown(site, body), re.DOTALL)
    assert re.findall(r"<span>(.*?)</span>", box) == [
        "2 code blocks run",
        "1 output compared",
        "2 numbers computed",
        "1 number cited",
        "1 number in formulas read as arithmetic",
        "1 claim tested",
        "1 number exempt",
    ]


def test_the_box_holds_the_lines_that_proofs_name_once_each(site):
    content = shown(site, "It gets 0.735, 0.179 of 2.\n<!--= weights[0], weights[3], d_k -->")
    [lines] = re.findall(r"data-lines='([^']*)'", content)
    assert json.loads(html.unescape(lines)) == {
        "10": "weights = np.array([0.7346, 0.0434, 0.0434, 0.1786])",
        "12": "d_k = keys.shape[-1]",
    }


def test_a_page_without_numbers_has_no_box(site):
    page = site.page("---\ntitle: A page\ndescription: Words.\n---\nWords.\n")
    assert "ledger-count" not in render.page_html(page.text, site.root)[0]


def test_a_page_that_does_not_hold_says_so_to_the_reader_and_to_the_build(site, caplog):
    page = site.page(whole("It gets 0.736<!--= weights[0] -->."))
    with caplog.at_level(logging.WARNING, logger="mkdocs"):
        content, _ = render.page_html(page.text, site.root)
    assert [record.getMessage().partition(" (")[0] for record in caplog.records] == [
        "docs/page.md:5: printed 0.736, but the value is 0.7346, which gives 0.735"
    ]
    assert '<aside class="ledger-count wrong">' in content
    assert "docs/page.md:5: printed 0.736" in content
    [number] = numbers(content)
    assert number["class"] == "n wrong"
    assert number["data-proof"].startswith("printed 0.736")


def test_what_no_block_computes_is_shown_in_a_fold_at_the_end(site):
    site.write("snippets/page/page_numbers.py", "count = 10 + 7\n")
    content = shown(site, "It is 17<!--= count -->.")
    fold = content.rindex("<details")
    assert "snippets/page/page_numbers.py" in content[fold:]
    assert ">10</span>" in content[fold:]
    assert numbers(content)[0]["data-line"] == "page_numbers.py:1"


def test_a_text_that_is_no_page_is_left_to_its_sources_and_names(site, caplog):
    site.page(whole("Words."))
    content, seen = render.page_html("GPT-2 and Vaswani et al. 2017.\n", site.root)
    assert [number[""] for number in numbers(content)] == ["2", "2017"]
    assert seen.ledger is None
    assert "ledger-count" not in content
    with caplog.at_level(logging.WARNING, logger="mkdocs"):
        render.page_html("It is 3<!--= x -->.\n", site.root)
    assert "a text that is no page holds a comment of the ledger" in caplog.text


def test_without_the_extension_a_page_shows_plain_numbers_and_hides_the_comments(site):
    text = whole("It gets 0.735<!--= weights[0] -->, most<!--? weights[0] > 0.5 -->.\n<!--? d_k > 1 -->\n")
    content = markdown.markdown(FRONT_MATTER.sub("", text))
    visible = re.sub(r"<!--.*?-->|<[^>]*>", "", content, flags=re.DOTALL)
    assert visible.startswith("It gets 0.735, most.")
    assert "weights[0]" not in visible.partition(CODE.strip().splitlines()[1])[0]
