"""What the store gives back is whole and asked for, or it is nothing."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from sitekit import store
from sitekit.store import Store

ENTRY = {"content": "<p>0.735 ✓</p>\n", "anchors": ["a", "b"]}


def always(name: str, key: str) -> bool:
    return True


def stored(folder: Path, entry: object = ENTRY, key: str = "key", name: str = "masks.page") -> Path:
    """Keep one entry, as a build does."""
    one = Store(folder)
    one.begin()
    one.get(name, key)
    one.put(name, key, entry)
    one.finish(always)
    return folder / name


def test_what_was_kept_comes_back_in_another_process(tmp_path: Path) -> None:
    stored(tmp_path)
    assert Store(tmp_path).get("masks.page", "key") == ENTRY


def test_an_entry_made_from_something_else_is_none(tmp_path: Path) -> None:
    stored(tmp_path)
    assert Store(tmp_path).get("masks.page", "other") is None


@pytest.mark.parametrize("part", ["content", "attnref-kept", "key", "735", "✓"])
def test_an_entry_changed_by_hand_is_none(tmp_path: Path, part: str) -> None:
    file = stored(tmp_path)
    text = file.read_text(encoding="utf-8")
    assert part in text
    file.write_text(text.replace(part, part[::-1] + "1", 1), encoding="utf-8")
    assert Store(tmp_path).get("masks.page", "key") is None


def test_an_entry_cut_off_anywhere_is_none(tmp_path: Path) -> None:
    file = stored(tmp_path)
    whole = file.read_bytes()
    for size in range(len(whole)):
        file.write_bytes(whole[:size])
        assert Store(tmp_path).get("masks.page", "key") is None, size


def test_an_entry_under_the_name_of_another_is_none(tmp_path: Path) -> None:
    stored(tmp_path).rename(tmp_path / "roots.page")
    assert Store(tmp_path).get("roots.page", "key") is None


def test_an_entry_of_another_form_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path)
    monkeypatch.setattr(store, "_FORM", "attnref-kept-0")
    assert Store(tmp_path).get("masks.page", "key") is None


def test_what_no_longer_holds_at_the_end_is_not_kept(tmp_path: Path) -> None:
    one = Store(tmp_path)
    one.get("masks.page", "key")
    one.put("masks.page", "key", ENTRY)
    one.finish(lambda name, key: False)
    assert one.get("masks.page", "key") is Store(tmp_path).get("masks.page", "key") is None


def test_what_a_build_made_that_failed_is_not_kept_by_the_next(tmp_path: Path) -> None:
    one = Store(tmp_path)
    one.put("masks.page", "key", ENTRY)
    one.begin()
    one.get("masks.page", "key")
    one.finish(always)
    assert Store(tmp_path).get("masks.page", "key") is None


def test_a_newer_entry_takes_the_place_of_the_older(tmp_path: Path) -> None:
    stored(tmp_path)
    stored(tmp_path, "new", "newer")
    assert Store(tmp_path).get("masks.page", "newer") == "new"
    assert len(list(tmp_path.iterdir())) == 1


def test_entries_that_a_build_did_not_use_are_deleted(tmp_path: Path) -> None:
    stored(tmp_path, name="gone.page")
    stored(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["masks.page"]


def test_what_a_build_left_half_written_goes_once_no_build_can_be_writing_it(tmp_path: Path) -> None:
    for name, age in (("old", 2 * store.ABANDONED), ("young", 0)):
        file = tmp_path / f".{name}"
        file.write_text("half")
        os.utime(file, (time.time() - age,) * 2)
    stored(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {".young", "masks.page"}


def test_what_a_caller_does_to_an_entry_does_not_reach_the_next(tmp_path: Path) -> None:
    stored(tmp_path)
    one = Store(tmp_path)
    one.get("masks.page", "key")["content"] = "changed"
    assert one.get("masks.page", "key") == ENTRY


def test_a_folder_that_cannot_be_made_costs_no_build(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    stored(tmp_path / "file" / "folder")
    assert Store(tmp_path / "file" / "folder").get("masks.page", "key") is None


def test_an_entry_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(old: str, new: str) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(store.os, "replace", full)
    stored(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_builds_at_the_same_time_leave_a_whole_entry(tmp_path: Path) -> None:
    def build(letter: str) -> None:
        for _ in range(50):
            stored(tmp_path, letter * 10_000)

    builds = [threading.Thread(target=build, args=(letter,)) for letter in "abc"]
    for thread in builds:
        thread.start()
    found = [Store(tmp_path).get("masks.page", "key") for _ in range(200)]
    for thread in builds:
        thread.join()
    assert {text for text in found if text} <= {letter * 10_000 for letter in "abc"}
    assert Store(tmp_path).get("masks.page", "key")
    assert len(list(tmp_path.iterdir())) == 1
