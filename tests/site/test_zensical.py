"""The lessons show the same numbers and formulas when Zensical builds the same mkdocs.yml (labs excepted).

Zensical ignores hooks and the plugins it does not know; what the lessons need are Markdown extensions.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
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


def numbers(content: str) -> list[tuple[str, str]]:
    """The proven numbers with their proofs, in order."""
    found = []
    for attributes, text in re.findall(r'<data ([^>]*class="?n\b[^>]*)>([^<]*)</data>', content):
        proof = re.search(r'data-proof="([^"]*)"', attributes)
        found.append((text, proof[1] if proof else ""))
    return found


def formulas(content: str) -> list[str]:
    """The formulas; the mark that keeps them out of the search is gone where a builder has acted on it."""
    found = re.findall(r"<math.*?</math>", content, re.DOTALL)
    return [re.sub(r"\s+", " ", formula.replace(' data-search-exclude=""', "")) for formula in found]


@pytest.mark.parametrize("lesson", LESSONS)
def test_lesson_shows_the_same_numbers_and_formulas(site, other_site, lesson):
    ours = article(site / "lessons" / lesson / "index.html")
    theirs = article(other_site / "lessons" / lesson / "index.html")
    assert len(numbers(ours)) > 20
    assert numbers(theirs) == numbers(ours)
    assert formulas(theirs) == formulas(ours)
