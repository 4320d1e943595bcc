"""The labs as they are served: slim pages in the site's own dress, each with its notebook beside it."""

import json
import re
from pathlib import Path

import pytest

from sitekit import percent

ROOT = Path(__file__).parents[2]
LABS = sorted((ROOT / "docs" / "labs").glob("*.py"))
WHOLE, ARTICLE = 96_000, 70_000  # bytes, without drawings; a page as mkdocs-jupyter makes it has 644,000
DRAWING = re.compile(r"<figure\b.*?</figure>", re.DOTALL)


@pytest.fixture(params=LABS, ids=[path.stem for path in LABS])
def lab(request, site) -> tuple[Path, Path]:
    """A lab's source and the folder of its page."""
    return request.param, site / "labs" / request.param.stem


def article(folder: Path) -> str:
    content = (folder / "index.html").read_text(encoding="utf-8")
    return content[content.index("<article") : content.index("</article>")]


def test_a_lab_page_is_slim(lab):
    content = DRAWING.sub("", (lab[1] / "index.html").read_text(encoding="utf-8"))
    assert len(content.encode()) < WHOLE
    assert len(DRAWING.sub("", article(lab[1])).encode()) < ARTICLE
    assert "jp-" not in content
    assert "<style" not in content.partition("<article")[2]


def test_a_lab_page_shows_every_cell_and_its_output(lab):
    blocks = re.findall(r'<div class="language-(python|text)[^"]* highlight"', article(lab[1]))
    cells = [cell for cell in percent.cells(lab[0].read_text(encoding="utf-8")) if cell.kind == "code"]
    assert blocks.count("python") >= len(cells)
    assert blocks.count("text") >= sum(cell.output is not None for cell in cells)
    assert "<p><div" not in article(lab[1])


def test_a_lab_has_its_title_its_notebook_and_its_file(lab, tags):
    source, folder = lab
    content = (folder / "index.html").read_text(encoding="utf-8")
    title = re.search(r"^# title: (.*)$", source.read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert f"<title>{title} - " in content
    elements = tags(content)
    assert any(attributes.get("name") == "description" for _, attributes in elements)
    links = [attributes["href"] for tag, attributes in elements if tag == "a" and "download" in attributes]
    assert sorted(links) == [f"{source.stem}.ipynb", source.name]
    notebook = json.loads((folder / f"{source.stem}.ipynb").read_text(encoding="utf-8"))
    assert notebook["cells"][0]["source"][0] == f"# {title}\n"
    assert (folder / source.name).read_bytes() == source.read_bytes()


def test_headings_of_a_lab_stand_in_its_table_of_contents(lab, tags):
    elements = tags((lab[1] / "index.html").read_text(encoding="utf-8"))
    headings = [attributes["id"] for tag, attributes in elements if tag == "h2" and "id" in attributes]
    linked = {
        attributes["href"]
        for tag, attributes in elements
        if attributes.get("class") == "md-nav__link" and tag == "a"
    }
    assert len(headings) == len(re.findall(r"^# ## ", lab[0].read_text(encoding="utf-8"), re.MULTILINE))
    assert [name for name in headings if f"#{name}" not in linked] == []
