"""Over the site as it is served: every numeral on every page has an owner, in the frame around the text too."""

import inspect
from pathlib import Path

import pytest
import yaml

import attnref
from sitekit import check, docstrings, lint, pages, proofs, render, sources

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def owned_blocks() -> list[str]:
    """What runs elsewhere in the tests: the blocks of the pages and the examples of docstrings."""
    record = sources.read(ROOT / "docs")
    found = []
    for path in check.page_files():
        page = pages.read(path, ROOT, record)
        found += check.owned_blocks(page, proofs.check(page))
    public = [getattr(attnref, name) for name in attnref.__all__]
    members = [part for item in public if inspect.isclass(item) for part in vars(item).values()]
    texts = [part.__doc__ for part in [*public, *members] if isinstance(part.__doc__, str)]
    return found + [example for text in texts for example in docstrings.examples(text)]


@pytest.fixture(scope="module")
def defaults() -> set[str]:
    """The defaults of the library's functions, which the reference repeats from the signatures."""
    functions = [getattr(attnref, name) for name in attnref.__all__]
    functions = [function for function in functions if inspect.isfunction(function)]
    parameters = [p for function in functions for p in inspect.signature(function).parameters.values()]
    return {repr(parameter.default) for parameter in parameters}


@pytest.fixture(scope="module")
def repeated() -> set[str]:
    """Titles and descriptions that hold, as the frame of other pages repeats them."""
    record, name = sources.read(ROOT / "docs"), yaml.safe_load(SETTINGS)["site_name"]
    read = [pages.read(path, ROOT, record) for path in check.page_files()]
    return {text for page in read for text in check.owned_texts(page, proofs.check(page), name)}


@pytest.fixture(scope="module")
def shown() -> dict[str, set]:
    """What the checks of the pages own besides: alt texts, and the figures that hold."""
    pages_shown = [render.page_html(pages.source(path), ROOT)[1] for path in check.page_files()]
    return {
        "attributes": {text for page in pages_shown for text in page.attributes},
        "figures": {texts for page in pages_shown for texts in page.figures},
    }


def test_every_numeral_of_the_built_site_has_an_owner(site, owned_blocks, defaults, shown, repeated):
    contents = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    headings = {text for content in contents.values() for text in lint.headings(content)}
    shown = {**shown, "attributes": shown["attributes"] | repeated}
    found = [
        f"{path.relative_to(site)}: {message}"
        for path, content in contents.items()
        for message in lint.walk(content, blocks=owned_blocks, texts=headings | defaults | repeated, **shown)[
            0
        ]
    ]
    assert len(contents) > 5
    assert not found, "\n".join(found)


def test_the_walk_over_a_built_page_finds_a_numeral_in_its_frame(site, owned_blocks):
    content = (site / "index.html").read_text(encoding="utf-8")
    changed = content.replace("</footer>", "<p>7 pages</p></footer>", 1)
    assert changed != content
    found, _ = lint.walk(changed, blocks=owned_blocks)
    assert any("7 pages" in message for message in found)


def test_every_numeral_of_a_docstring_has_an_owner():
    found = list(docstrings.problems(ROOT / "attnref", ROOT, sources.read(ROOT / "docs")))
    assert not found, "\n".join(map(str, found))


def test_a_numeral_in_a_docstring_is_found_at_its_line(tmp_path):
    package = tmp_path / "attnref"
    package.mkdir()
    text = '"""A module."""\n\n\ndef double(x):\n    """Twice.\n\n    It is {} times x, a `float32`.\n\n'
    text += '    >>> 2 * 3\n    6\n    """\n'
    (package / "_double.py").write_text(text.format("two"), encoding="utf-8")
    assert list(docstrings.problems(package, tmp_path, sources.Record())) == []
    (package / "_double.py").write_text(text.format("2"), encoding="utf-8")
    (problem,) = docstrings.problems(package, tmp_path, sources.Record())
    assert str(problem).startswith("attnref/_double.py:7: the numeral 2 in a docstring has no owner")
