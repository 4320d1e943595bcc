"""Which numerals a comment speaks for, and what its expressions give."""

import pytest

from sitekit import bindings, programs
from sitekit.expressions import BindingError, NameMissing, parse
from sitekit.values import Scope
from tests.sitekit.site import CODE, FRONT, Site


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def bound(site: Site, body: str) -> list[list[str]]:
    """The numerals of each comment of a page, in the comments' order."""
    found, misplaced = bindings.pair(site.page(FRONT + body))
    assert misplaced == []
    return [[numeral.text for numeral in binding.numerals] for binding in found]


def scope(site: Site, code: str = CODE) -> Scope:
    page = site.page(FRONT + code)
    return Scope(page, programs.run(programs.units(page)))


def value(site: Site, source: str) -> object:
    [item] = scope(site).values(source)
    return item.value


@pytest.mark.parametrize(
    ("body", "numerals"),
    [
        ("It is 3, then 5<!--= x -->.", [["5"]]),
        ("It is **5**<!--= x -->.", [["5"]]),
        ("It is (5)<!--= x -->.", [["5"]]),
        ("It is 5 %<!--= x -->, 7%<!--= y -->.", [["5"], ["7"]]),
        ("It is $3 + 5$<!--= x -->.", [["3", "5"]]),
        ("It is **$3 + 5$**<!--= x -->.", [["3", "5"]]),
        ("It is `a[3, 5]`<!--= x -->.", [["3", "5"]]),
        ("It is [the 5](a.md)<!--= x -->.", [["5"]]),
        ("It is ![the 5](a.svg)<!--= x -->.", [["5"]]),
        ("So it is<!--? x -->.", [[]]),
    ],
)
def test_an_inline_comment_speaks_for_what_it_stands_behind(site, body, numerals):
    assert bound(site, body) == numerals


@pytest.mark.parametrize(
    ("body", "numerals"),
    [
        ("3 and 5\nand 7.\n<!--= x -->", [["3", "5", "7"]]),
        ("3\n\n5\n<!--= x -->", [["5"]]),
        ("3<!--= x --> and 5\n<!--= y -->", [["3"], ["5"]]),
        ("# Head 3\n5\n<!--= x -->", [["5"]]),
        ("# Head 3 { #three }\n<!--= x -->\n5\n<!--= y -->", [["3"], ["5"]]),
        ("3\n<!--= x -->\nand 5\n<!--= y -->", [["3"], ["5"]]),
        ("- 3\n- 5\n<!--= x -->", [["3", "5"]]),
        ("- 3\n- 5\n  <!--= x -->\n- 7", [["5"]]),
        ("- 3\n\n    5\n    <!--= x -->", [["5"]]),
        ("1. 3\n2. 5\n<!--= x -->", [["3", "5"]]),
        ("> 3\n> <!--= x -->", [["3"]]),
        ('!!! note "3"\n    <!--= x -->\n\n    5\n    <!--= y -->', [["3"], ["5"]]),
        ('=== "3"\n\n    5\n    <!--= x -->', [["5"]]),
        ('??? note "3"\n    5\n    <!--= x -->', [["3", "5"]]),
        ("word\n:   3\n    <!--= x -->", [["3"]]),
        ("word[^a]\n\n[^a]: 3\n    <!--= x -->", [["3"]]),
        ("$$\n3 + 5\n$$\n<!--= x -->", [["3", "5"]]),
        ("Vaswani et al. 2017 has 8.\n<!--= x -->", [["8"]]),
        ("GPT-2 has 8.\n<!--= x -->", [["8"]]),
        ("3\n<!--? x -->\n<!--= y -->", [[], ["3"]]),
        ("3\n<!--= x,\n      y -->", [["3"]]),
    ],
)
def test_a_comment_on_its_own_line_speaks_for_the_block_above(site, body, numerals):
    assert bound(site, body) == numerals


def test_the_table_form_reads_column_by_column_what_is_left_to_bind(site):
    body = "| 3 | word |\n|---|---|\n| 5 | a |\n| 7 | 11, 13 |\n| 17<!--= x --> | |\n<!--= table: y, z -->"
    found, _ = bindings.pair(site.page(FRONT + body))
    columns = [[[n.text for n in cell] for cell in column] for column in found[1].columns]
    assert columns == [[["5"], ["7"], []], [[], ["11", "13"], []]]


@pytest.mark.parametrize(
    "body",
    [
        "| a | b |\n|:--|--:|\n| 3 | 5 |\n<!--= table: x, y -->",
        "a | b\n--- | ---\n3 | 5\n<!--= table: x, y -->",
        '=== "Tab"\n\n    | a | b |\n    |---|---|\n    | 3 | 5 |\n    <!--= table: x, y -->',
        "> | a | b |\n> |---|---|\n> | 3 | 5 |\n> <!--= table: x, y -->",
        "| a \\| 2 | b |\n|---|---|\n| x \\| 3 | $5$ |\n<!--= table: x, y -->",
    ],
)
def test_a_table_is_read_however_it_is_drawn(site, body):
    found, misplaced = bindings.pair(site.page(FRONT + body))
    assert misplaced == []
    columns = [[[n.text for n in cell] for cell in column] for column in found[0].columns]
    assert columns == [[["3"]], [["5"]]]


@pytest.mark.parametrize(
    ("source", "given"),
    [
        ("weights[0]", 0.7346),
        ("sum(keys[0])", 3),
        ("np.sqrt(d_k**4)", 4.0),
        ("len([key for key in keys if key[0] == 1])", 2),
        ("max(keys.tolist(), key=lambda row: row[1])[0]", 2),
        ("f'{weights[0]:.2f}'", "0.73"),
        ("cite.vaswani2017.heads", 8),
        ("cite.vaswani2017.year", 2017),
        ("np.sqrt(cite.vaswani2017.d_k)", 8.0),
    ],
)
def test_an_expression_sees_the_page_numpy_python_and_the_record(site, source, given):
    assert value(site, source) == given


@pytest.mark.parametrize(
    "source", ["4", "np.sqrt(2)", "[d_k for d_k in [2]]", "(lambda d_k: d_k)(2)", "len('ab')"]
)
def test_an_expression_that_uses_nothing_of_the_page_is_refused(site, source):
    with pytest.raises(BindingError, match="uses no name that the page computes, so it proves nothing"):
        value(site, source)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("wieghts[0]", r"wieghts\[0\]: name 'wieghts' is not defined: did you mean weights\?"),
        ("weights[0] + zzz", "name 'zzz' is not defined$"),
    ],
)
def test_a_name_that_nothing_computes_is_named(site, source, words):
    with pytest.raises(NameMissing, match=words):
        value(site, source)


def test_a_source_that_is_not_recorded_is_named_with_those_that_are(site):
    with pytest.raises(BindingError, match=r"bibliography\.toml has no vaswani2018: it has vaswani2017"):
        value(site, "cite.vaswani2018.heads")


def test_what_an_expression_raises_is_told_with_the_expression(site):
    with pytest.raises(BindingError, match=r"weights\[17\] raised IndexError: index 17 is out of bounds"):
        value(site, "weights[17]")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("weights[0", r"'weights\[0' is not a Python expression"),
        ("x = 1", "'x = 1' is not a Python expression"),
        ("", "'' is not a Python expression"),
        ("weights[0] <!--= weights[1]", "this comment is never closed before the next one begins"),
    ],
)
def test_a_comment_that_is_no_expression_says_so(source, words):
    with pytest.raises(BindingError, match=words):
        parse(source)


def test_a_comment_may_run_over_several_lines():
    assert [source for source, _, _ in parse("a,\n      b[\n  0]")] == ["a", "b[0]"]


@pytest.mark.parametrize(
    ("source", "labels"),
    [
        ("weights[0]", ["weights[0]"]),
        ("keys[0]", ["keys[0][0]", "keys[0][1]"]),
        ("keys[:1]", ["keys[:1] (value 1 of 2)", "keys[:1] (value 2 of 2)"]),
        ("zip(keys[0], keys[1])", [f"zip(keys[0], keys[1]) (value {k} of 4)" for k in (1, 2, 3, 4)]),
    ],
)
def test_each_value_is_labelled_with_the_place_it_comes_from(site, source, labels):
    assert [item.label for item in scope(site).values(source)] == labels


def test_the_expression_of_a_label_gives_its_value(site):
    here = scope(site)
    for source in ("weights", "keys[2]", "[d_k, root]"):
        for item in here.values(source):
            assert eval(item.label, dict(here.names)) == item.value


def test_a_program_is_seen_under_its_name(site):
    site.write("snippets/page/the-part.py", "x = 17\n")
    code = '```python\n--8<-- "page/the-part.py"\n```\n'
    assert [item.value for item in scope(site, code).values("the_part.x")] == [17]
    with pytest.raises(BindingError, match="the_part has no y: it computes x"):
        scope(site, code).values("the_part.y")


def test_a_numeral_that_nobody_could_read_is_told(site):
    page = site.page(f"{FRONT}It is {'7' * 3000}<!--= d_k -->.{CODE}")
    [(_, told)] = bindings.pair(page)[1]
    assert told == "a numeral of more than 1900 digits stands here: show fewer"
