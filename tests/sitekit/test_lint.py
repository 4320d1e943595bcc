"""The lint knows no Markdown: whatever made the HTML, a numeral without a proof is found."""

import pytest

from sitekit import check
from sitekit.lint import walk
from tests.sitekit.site import Site, whole


def found(content: str, **owned) -> list[str]:
    return walk(content, **owned)[0]


@pytest.mark.parametrize(
    "content",
    [
        "<p>no numeral</p>",
        '<p><data class="n" value="0.7346">0.735</data> of it</p>',
        '<p><span class="n formula" data-ledger="0"><math><mn>2</mn></math></span></p>',
        '<aside class="ledger-count">7 blocks</aside>',
        '<a class="footnote-ref" href="#fn:1">1</a>',
        "<script>x = 1</script><style>a { top: 1px }</style><template>1</template>",
        '<p id="x1" class="y2" href="a3.html" data-x="4">words</p>',
        '<img alt="words" src="a1.svg" width="7">',
        '<meta name="viewport" content="width=1">',
        "<!-- 7 -->",
    ],
)
def test_what_has_an_owner_or_is_not_seen_passes(content):
    assert found(content) == []


@pytest.mark.parametrize(
    "content",
    [
        "<p>It gets 7 of it</p>",
        "It gets 7 of it",
        "<p>It gets &#55; of it</p>",
        "<p>It gets ½ of it</p>",
        "<p>It gets ٣ of it</p>",
        "<p><code>7</code></p>",
        "<p><data>7</data></p>",
        '<p><data value="7">words</data> and 7</p>',
        '<p class="n">7</p>',
        '<p><data class="n" value="3">3</data>7</p>',
        "<p><span>words</span>7</p>",
        "<table><tr><td>7</td></tr></table>",
        "<math><mn>7</mn></math>",
        "<p>words<br>7</p>",
        "<details><summary>7</summary></details>",
        '<p>words<img src="a.svg">7',
        '<aside class="ledger-count">3</aside><p>7</p>',
        "<script>x = 1</script>7",
    ],
)
def test_a_numeral_without_an_owner_is_found(content):
    [message] = found(content)
    assert message.startswith("a numeral without an owner in ")


@pytest.mark.parametrize(
    "name", ["alt", "title", "aria-label", "aria-valuetext", "placeholder", "label", "aria-description"]
)
def test_an_attribute_that_is_read_out_needs_an_owner(name):
    content = f'<img {name}="of 7 &amp; more">'
    assert found(content) == [f"the attribute {name}='of 7 & more' holds a numeral without an owner"]
    assert found(content, attributes=["of 7 & more"]) == []


@pytest.mark.parametrize(
    "content",
    [
        '<input value="7">',
        '<li value="7">words</li>',
        '<ol start="7"></ol>',
        '<progress max="7"></progress>',
        '<meter low="7"></meter>',
        '<button value="7">words</button>',
        '<meta name="description" content="of 7">',
    ],
)
def test_an_attribute_that_a_browser_shows_needs_an_owner(content):
    [message] = found(content)
    assert "'7'" in message or "'of 7'" in message


def test_an_attribute_that_no_browser_shows_needs_none():
    assert found('<option value="7">words</option><p start="7"></p>') == []


def test_a_block_that_no_program_owns_is_found_by_its_first_line():
    content = "<pre><code>first = x\nsecond = y\n</code></pre>"
    assert found(content) == ["no test owns the block that begins ['first = x']"]
    assert found(content, blocks=["first = x\nsecond = y\n"]) == []
    assert found(content, blocks=["first = x"]) != []


def test_numerals_of_an_owned_block_are_its_own_and_those_behind_it_are_not():
    content = "<pre><code>x = 1</code></pre>"
    assert found(content, blocks=["x = 1"]) == []
    assert len(found(content + "<p>1</p>", blocks=["x = 1"])) == 1


def test_a_drawing_with_numerals_is_owned_by_all_its_texts():
    content = "<svg><title>words</title><text>7</text></svg>"
    assert found(content) == ["no program drew the figure whose texts begin 'words 7'"]
    assert found(content, figures=[("words", "7")]) == []
    assert found(content, figures=[("words", "8")]) != []
    assert found("<svg><text>words</text></svg>") == []


def test_a_mark_that_was_left_is_found():
    assert found("<p>words \ue0003\ue001</p>")[0].startswith("a mark of the ledger was left in")


def test_the_proven_numbers_are_counted():
    assert walk('<p><data class="n" value="3">3</data> <data class="n wrong" value="5">5</data></p>')[1] == 2


def test_a_formula_that_is_shown_as_an_error_is_found():
    content = '<p>Then <span class="math-error">d_k — it must stand alone</span>, and 7.</p>'
    assert found(content) == [
        "the page shows an error for the formula '$d_k': it must stand alone",
        "a numeral without an owner in ', and 7.'",
    ]


TITLED = whole("---\ntitle: Breaker of 2\n#= d_k\ndescription: Words.\n---\nWords.\n")
FRAME = (
    "<head><title>Breaker of 2 - attnref</title></head>"
    '<a aria-label="Next: Breaker of 2"><a aria-label="Previous: Breaker of 2">Breaker of 2</a></a>'
)


def test_a_bound_title_is_owned_wherever_the_frame_repeats_it(tmp_path):
    ledger, problems = Site(tmp_path).check(TITLED)
    owned = check.owned_texts(ledger.page, ledger, "attnref")
    assert problems == []
    assert found(FRAME, texts=owned, attributes=owned) == []
    assert len(found(FRAME.replace("2", "3"), texts=owned, attributes=owned)) == 4


def test_a_title_that_does_not_hold_owns_nothing(tmp_path):
    ledger, _ = Site(tmp_path).check(TITLED.replace("of 2", "of 3"))
    assert check.owned_texts(ledger.page, ledger, "attnref") == set()
