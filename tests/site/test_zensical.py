"""The lessons show the same numbers and formulas when Zensical builds the same mkdocs.yml (labs excepted).

Zensical ignores hooks and the plugins it does not know; what the lessons need are Markdown extensions.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LESSONS = sorted(path.stem for path in (ROOT / "docs" / "lessons").glob("*.md"))
TAKEN = ("docs", "snippets", "sitekit", "attnref", "benchmarks", "mkdocs.yml", "pyproject.toml", "Makefile")


@pytest.fixture(scope="session")
def other_site(tmp_path_factory) -> Path:
    if importlib.util.find_spec("zensical") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("zensical is missing, and CI has to have it")
        pytest.skip("zensical is not installed")
    folder = tmp_path_factory.mktemp("zensical")
    for name in TAKEN:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def article(page: Path) -> str:
    content = page.read_text(encoding="utf-8")
    return content[content.index("<article") : content.index("</article>")]


class _Read(HTMLParser):
    """The proven numbers with their proofs, and the formulas element by element, in order.

    The mark that keeps formulas out of the search is gone where a builder has acted on it.
    """

    def __init__(self, content: str) -> None:
        super().__init__()
        self.numbers: list[list[str | None]] = []
        self.formulas: list[list[object]] = []
        self.inside = ""
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "data" and "n" in (attributes.get("class") or "").split():
            self.numbers.append([attributes.get("data-proof"), ""])
            self.inside = "data"
        if tag == "math":
            self.formulas.append([])
            self.inside = "math"
        if self.inside == "math":
            attributes.pop("data-search-exclude", None)
            self.formulas[-1].append((tag, sorted(attributes.items())))

    def handle_data(self, data: str) -> None:
        if self.inside == "data":
            self.numbers[-1][1] += data
        if self.inside == "math" and data.strip():
            self.formulas[-1].append(data.strip())

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""


@pytest.mark.parametrize("lesson", LESSONS)
def test_lesson_shows_the_same_numbers_and_formulas(site, other_site, lesson):
    ours = _Read(article(site / "lessons" / lesson / "index.html"))
    theirs = _Read(article(other_site / "lessons" / lesson / "index.html"))
    assert len(ours.numbers) > 20
    assert theirs.numbers == ours.numbers
    assert theirs.formulas == ours.formulas
