"""Blocks are marked by what they can do in a browser, and the scripts find their code, whole, in the page."""

import html
import re
from pathlib import Path

import pytest

from sitekit import check, live, pages, programs, render, sources
from tests.sitekit.site import Site

ROOT = Path(__file__).parents[2]
RECORD = sources.read(ROOT / "docs")
BLOCK = re.compile(r'<div class="(language-py[^"]*)"([^>]*)>.*?<code[^>]*>(.*?)</code>', re.DOTALL)


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def marked(page, root) -> list[tuple[set[str], str, str]]:
    """Of each block of Python: its marks, why it does not run in a browser, and its code as a script reads it."""
    content, _ = render.page_html(page.text, root)
    found = []
    for classes, rest, code in BLOCK.findall(content):
        why = re.search(r'data-why="([^"]*)"', rest)
        text = html.unescape(re.sub(r"<[^>]*>", "", code)).rstrip("\n")
        names = set(classes.split()) & {"live", "own", "first", "fails", "native"}
        found.append((names, html.unescape(why[1]) if why else "", text))
    return found


def marks(site, body: str, front: str = "") -> list[tuple[set[str], str]]:
    page = site.page(f"---\ntitle: A\n{front}---\n\n# A\n\n{body}")
    return [(names, why) for names, why, _ in marked(page, site.root)]


@pytest.mark.parametrize("path", [p.relative_to(ROOT).as_posix() for p in check.page_files()])
def test_the_code_that_a_page_shows_is_the_code_that_runs(path):
    page = pages.read(ROOT / path, ROOT, RECORD)
    shown = [(names, why, code) for names, why, code in marked(page, ROOT) if names - {"fails"}]
    runs = [(set(b.classes.split()), b.why, b.unit) for b in live.blocks(page)]
    runs.sort(
        key=lambda run: run[2].fence is None
    )  # page_numbers.py runs first, and stands at the page's end
    assert [(names - {"fails"}, why) for names, why, _ in shown] == [(n, w) for n, w, _ in runs]
    for (_, _, code), (_, _, unit) in zip(shown, runs, strict=True):
        assert code == unit.code.rstrip("\n").expandtabs(4)


@pytest.mark.parametrize(
    "info", ["python", "py", 'python title="x"', "{ .python }", '{ .python title="x" }', "python  "]
)
def test_every_form_of_a_block_is_marked(site, info):
    assert marks(site, f"```{info}\nx = 1\n```\n") == [({"live"}, "")]


def test_a_block_that_is_meant_to_fail_runs_too(site):
    body = "```{ .python .fails }\n1 / 0\n```\n\n```text\nZeroDivisionError: division by zero\n```\n"
    assert marks(site, body) == [({"live", "fails"}, "")]


def test_a_block_in_a_fold_is_marked(site):
    assert marks(site, '??? note "More"\n\n    ```python\n    x = 1\n    ```\n') == [({"live"}, "")]


def test_a_package_that_no_browser_has_is_the_reason_and_what_builds_on_it_waits_too(site):
    body = "```python\nimport torch\n```\n\n```python\ny = torch.ones\n```\n\n```python\nz = 1\n```\n"
    needs = ({"native"}, "it needs torch")
    assert marks(site, body) == [needs, needs, ({"live"}, "")]


def test_the_page_gives_a_reason_in_its_front_matter(site):
    front = 'native:\n  - code: "open("\n    reason: "it reads a file"\n'
    body = "```python\nopen('page.md').close()\n```\n"
    assert marks(site, body, front) == [({"native"}, "it reads a file")]


def test_what_builds_on_a_block_that_does_not_run_does_not_run_either(site):
    front = 'native:\n  - code: "open("\n    reason: "it reads a file"\n'
    body = "".join(
        f"```python\n{code}\n```\n\n"
        for code in ("file = open('page.md')", "file.close()", "file = 1", "file")
    )
    on_it = ({"native"}, "it builds on a block that does not run there")
    assert marks(site, body, front) == [
        ({"native"}, "it reads a file"),
        on_it,
        ({"live"}, ""),
        ({"live"}, ""),
    ]


def test_a_whole_program_has_names_of_its_own_and_a_region_of_it_does_not_run(site):
    folder = site.root / "snippets" / "page"
    folder.mkdir(parents=True)
    program = "# --8<-- [start:part]\nx = 1\n# --8<-- [end:part]\n"
    (folder / "whole.py").write_text("y = 2\n", encoding="utf-8")
    (folder / "parts.py").write_text(program, encoding="utf-8")
    body = '```python\n--8<-- "page/whole.py"\n```\n\n```python\n--8<-- "page/parts.py:part"\n```\n'
    assert marks(site, body) == [({"live", "own"}, ""), (set(), "")]


def test_what_no_block_computes_runs_first(site):
    (site.root / "snippets" / "page").mkdir(parents=True)
    (site.root / "snippets" / "page" / "page_numbers.py").write_text("x = 1\n", encoding="utf-8")
    assert marks(site, "```python\ny = x\n```\n") == [({"live"}, ""), ({"live", "first"}, "")]


def test_blocks_of_a_docstring_stay_as_they_are(site):
    content, _ = render.page_html("A text that is no page.\n\n```python\nx = 1\n```\n", site.root)
    assert "live" not in content


def test_no_code_is_written_twice(site):
    body = "```python\nlonely = 1\n```\n"
    content, _ = render.page_html(site.page(f"---\ntitle: A\n---\n\n# A\n\n{body}").text, site.root)
    assert content.count("lonely") == 1


def test_units_keep_what_they_are():
    unit = programs.Unit("docs/x.md", 1, "x = 1", fence=0)
    assert live.info("python", live.Block(unit, "")) == "{ .python .live }"
    assert live.info("python", live.Block(unit, 'a "b"')) == '{ .python .native data-why="a &quot;b&quot;" }'
