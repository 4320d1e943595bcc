"""Whatever a page is made from changes its digest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sitekit import inputs

FILES = {
    "attnref/_softmax.py": "library",
    "attnref/diagnosis/catalogue.toml": "library",
    "snippets/masks/page_numbers.py": "snippets",
    "snippets/frameworks/record.json": "snippets",
    "benchmarks/records/growth.json": "records",
    "docs/bibliography.toml": "sources",
    "docs/assets/figures/masks/crossed.svg": "figures",
    "docs/assets/maps/minilm-en.json": "maps",
    "docs/assets/javascripts/widgets/attn-induction/parameters.json": "parameters",
    "mkdocs.yml": "settings",
    "pyproject.toml": "versions",
    "requirements.lock": "packages",
    "Makefile": "targets",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    pages = ("docs/lessons/masks.md", "docs/lessons/roots.md", "docs/study/glossary.md", "docs/index.md")
    for name in (*FILES, *pages, "sitekit/theme/main.html", ".git/HEAD", "site/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("old")
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_a_changed_byte_of_a_shared_file_changes_what_all_pages_share(root: Path, name: str) -> None:
    before = inputs.shared(root)
    (root / name).write_text("new")
    assert inputs.shared(root) != before


def test_a_changed_byte_of_the_tooling_changes_what_was_loaded(root: Path) -> None:
    before = inputs.loaded(root)
    (root / "sitekit/theme/main.html").write_text("new")
    assert inputs.loaded(root) != before


@pytest.mark.parametrize(
    "name", ["docs/lessons/new.md", "tests/new.py", "new/new.txt", "docs/assets/new.png"]
)
def test_a_new_file_anywhere_changes_what_all_pages_share(root: Path, name: str) -> None:
    before = inputs.shared(root)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("")
    assert inputs.shared(root) != before


@pytest.mark.parametrize("name", [".git/new", "site/new.html", ".cache/new", "attnref/__pycache__/new.pyc"])
def test_what_builds_leave_behind_changes_nothing(root: Path, name: str) -> None:
    before = inputs.shared(root), inputs.loaded(root)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("")
    assert (inputs.shared(root), inputs.loaded(root)) == before


def test_a_renamed_file_changes_what_all_pages_share(root: Path) -> None:
    before = inputs.shared(root)
    (root / "attnref/_softmax.py").rename(root / "attnref/_other.py")
    assert inputs.shared(root) != before


@pytest.mark.parametrize("name", ["lessons/masks.md", "study/glossary.md"])
def test_a_page_is_made_from_its_own_text_and_the_glossary(root: Path, name: str) -> None:
    before = inputs.own(root, "lessons/masks.md")
    (root / "docs" / name).write_text("new")
    assert inputs.own(root, "lessons/masks.md") != before


def test_a_page_is_made_from_no_other_page(root: Path) -> None:
    before = inputs.own(root, "lessons/masks.md"), inputs.shared(root)
    (root / "docs/lessons/roots.md").write_text("new")
    assert (inputs.own(root, "lessons/masks.md"), inputs.shared(root)) == before


def test_a_page_that_shows_the_figure_of_another_page_is_made_from_that_page_too(root: Path) -> None:
    (root / "docs/lessons/masks.md").write_text("![Widening](../assets/figures/roots/widening.svg)")
    before = inputs.own(root, "lessons/masks.md")
    (root / "docs/lessons/roots.md").write_text("new")
    assert inputs.own(root, "lessons/masks.md") != before


def test_pages_of_the_same_text_differ_by_their_place(root: Path) -> None:
    assert inputs.own(root, "lessons/masks.md") != inputs.own(root, "lessons/roots.md")


def test_another_version_of_a_package_changes_what_was_loaded(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path_factory.mktemp("packages")
    (packages / "numpy-2.0.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(packages)])
    before = inputs.loaded(root)
    (packages / "numpy-2.0.0.dist-info").rename(packages / "numpy-2.0.1.dist-info")
    assert inputs.loaded(root) != before


def test_another_python_changes_what_was_loaded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = inputs.loaded(root)
    monkeypatch.setattr(sys, "version", "another")
    assert inputs.loaded(root) != before


def test_the_borders_of_parts_count() -> None:
    assert inputs.digest("ab", "c") != inputs.digest("a", "bc") != inputs.digest("abc")
