"""When what is kept of a page still holds."""

from __future__ import annotations

from pathlib import Path

from sitekit.kept import Kept


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
