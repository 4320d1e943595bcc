"""When what is kept of a page still holds."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from mkdocs.config import load_config

from sitekit.kept import OFF, Kept


def test_a_page_whose_file_changed_while_it_was_rendered_does_not_hold(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("old")
    kept = Kept(tmp_path)
    kept.pages["page.md.page"] = "page.md", "old"
    key = kept.key("page.md.page")
    assert kept.holds("page.md.page", key)
    page.write_text("new")
    assert not kept.holds("page.md.page", key)


def test_a_page_that_was_read_with_another_text_has_another_key(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    keys = set()
    for text in ("old", "new"):
        kept.pages["page.md.page"] = "page.md", text
        keys.add(kept.key("page.md.page"))
    assert len(keys) == 2


@pytest.mark.parametrize(("docs", "keeps"), [("docs", True), ("elsewhere", False)])
def test_the_pages_of_another_folder_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, docs: str, keeps: bool
) -> None:
    monkeypatch.delenv(OFF)
    (tmp_path / docs).mkdir()
    (tmp_path / "mkdocs.yml").write_text(f"site_name: tiny\ndocs_dir: {docs}\n")
    kept = Kept(tmp_path)
    kept.begin(load_config(str(tmp_path / "mkdocs.yml")))
    assert bool(kept.shared) == keeps


def test_a_build_that_says_no_warnings_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever asks for silence would not hear that a page has a fault, nor would the store."""
    monkeypatch.delenv(OFF)
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: tiny\n")
    kept = Kept(tmp_path)
    caplog.set_level(logging.ERROR, logger="mkdocs")
    kept.begin(load_config(str(tmp_path / "mkdocs.yml")))
    assert not kept.shared
