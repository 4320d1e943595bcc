"""What is left of a style sheet: every rule that a page or a script can need, in its order."""

import pytest

from sitekit.stylesheet import Names, linked, purged, unite, without_unread

PAGE = '<body class="a b"><p id=here data-kind="wide thing" dir=ltr><a class=tabbed-set href="#x">x</a></p>'
SCRIPT = "element.classList.add('made'); x.className = `row-${number}`; y.dataset.state = 'open'"
NAMES = Names([PAGE], [SCRIPT])


@pytest.mark.parametrize(
    "selector",
    [
        ".a",
        "p",
        "p#here",
        ".a>.b:not(.absent)",
        ".made",  # a script names it
        ".row-7",  # a script begins it
        "[data-kind=wide]",
        '[data-kind="wide thing"]',
        "[data-state=open]",
        "[data-kind^=w]",
        ":is(.a,.absent)",
        ".a:has(>.b)",
        r".a\:b,.a",
        "[dir=ltr] .a",
        ".tabbed-set::before",
    ],
)
def test_a_rule_that_can_match_is_kept(selector):
    assert purged(f"{selector}{{color:red}}", NAMES).endswith("{color:red}")


@pytest.mark.parametrize(
    "selector",
    [
        ".absent",
        "p#absent",
        ".a .absent>.b",
        ".a:not(.b) .absent",
        r".a\:b",  # one name, with a colon in it
        ":is(.absent,#absent)",
        ".a:has(>.absent)",
        "[data-kind=absent]",
        "[data-absent]",
        "[dir=rtl] .a",
    ],
)
def test_a_rule_that_cannot_match_is_dropped(selector):
    assert purged(f"{selector}{{color:red}}", NAMES) == ""


def test_of_a_list_only_the_selectors_that_can_match_stay():
    assert purged(".a,.absent,.b{color:red}", NAMES) == ".a,.b{color:red}"


def test_rules_within_media_and_supports_are_looked_at_too():
    sheet = (
        "@media print{.a{color:red}.absent{color:red}} @supports (gap:1px){@media screen{.absent{gap:1px}}}"
    )
    assert purged(sheet, NAMES) == "@media print{.a{color:red}}"


def test_what_is_no_rule_for_elements_is_kept():
    sheet = "@font-face{font-family:x;src:url(x.woff2)}@keyframes k{0%{top:0}100%{top:1px}}@page s{size:A4}"
    assert purged(sheet, NAMES) == sheet


def test_strings_and_addresses_are_kept_to_the_letter():
    sheet = '.a{content:"two  blanks /* no comment */";--icon:url("data:image/svg+xml,<svg  a=\'b\'/>")}'
    assert purged(sheet, NAMES) == sheet


def test_comments_and_layout_go_and_important_stays():
    sheet = "/* why */\n.a {\n  color: red !important; /* why */\n  margin: 0\n    1px;\n}\n"
    assert purged(sheet, NAMES) == ".a{color:red!important;margin:0 1px}"


def test_a_mistake_in_a_sheet_is_an_error_with_its_line():
    with pytest.raises(ValueError, match="line 2 of a style sheet"):
        purged(".a{color:red}\n.b color:red}", NAMES)


def test_custom_properties_that_nothing_reads_go_with_those_only_they_read():
    sheet = ":root{--read:1px;--unread:var(--inner);--inner:2px;--elsewhere:3px}.a{top:var(--read)}"
    assert without_unread(sheet, {"--elsewhere"}) == ":root{--read:1px;--elsewhere:3px}.a{top:var(--read)}"


def test_what_the_theme_makes_of_unused_families_goes():
    names = Names(["<p class=a>"], ["e.className = 'tabbed-control'"])
    assert purged(".tabbed-control{color:red}", names) == ""
    assert purged(".tabbed-control{color:red}", Names([PAGE], ["'tabbed-control'"])) != ""


def test_every_page_of_the_site_links_one_sheet(site):
    places = set()
    for path in site.rglob("*.html"):
        ((_, href),) = linked(path.read_text(encoding="utf-8"))
        places.add(href[href.index("assets/") :])
    (place,) = places
    assert sorted(p.name for p in (site / place).parent.iterdir()) == [(site / place).name, "widgets.css"]


def test_the_same_site_gives_the_same_name_and_another_another(tmp_path):
    def named(rule: str) -> str:
        folder = tmp_path / rule[1:2]
        (folder / "assets/stylesheets").mkdir(parents=True)
        (folder / "assets/stylesheets/own.css").write_text(rule, encoding="utf-8")
        (folder / "assets/stylesheets/widgets.css").write_text("", encoding="utf-8")
        text = '<link href="assets/stylesheets/own.css" rel="stylesheet"><p class="a b">'
        (folder / "index.html").write_text(text, encoding="utf-8")
        unite(folder)
        return linked((folder / "index.html").read_text(encoding="utf-8"))[0][1]

    assert named(".a{top:0}") != named(".b{top:0}")
