"""What a rebuild while serving takes from the build before, and what it never may."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sitekit import again


class Handler:
    """As much of a handler of mkdocstrings as `again` touches; it counts its work."""

    read, rendered = 0, 0

    def __init__(self) -> None:
        self._modules_collection: dict[str, str] = {}
        self._lines_collection: dict[str, str] = {}
        self._headings: list[list[str]] = []

    def get_headings(self) -> list[list[str]]:
        taken = list(self._headings)
        self._headings.clear()
        return taken

    def collect(self, identifier: str, options: object) -> object:
        if identifier not in self._modules_collection:
            type(self).read += 1
            self._modules_collection[identifier] = identifier
        return type("Data", (), {"path": identifier})()

    def render(self, data: object, options: object, locale: str | None = None) -> str:
        type(self).rendered += 1
        self._headings.append([data.path])
        return f"<h2>{data.path}, {options}</h2>"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for file in ("attnref/_softmax.py", "sitekit/slim.py", "docs/bibliography.toml", "mkdocs.yml"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("")
    return tmp_path


@pytest.fixture
def handler(root: Path) -> type[Handler]:
    fresh = type("Fresh", (Handler,), {"collect": Handler.collect, "render": Handler.render})
    again.remember(fresh, root)
    return fresh


def build(handler: type[Handler], options: object = "level 2") -> tuple[str, list[list[str]]]:
    one = handler()  # each build makes its own
    html = one.render(one.collect("attnref.softmax", options), options)
    return html, one.get_headings()


def test_a_second_build_reads_and_renders_nothing_and_gives_the_same(handler: type[Handler]) -> None:
    assert build(handler) == build(handler) == ("<h2>attnref.softmax, level 2</h2>", [["attnref.softmax"]])
    assert (handler.read, handler.rendered) == (1, 1)


def test_headings_of_one_build_may_be_changed_without_harm_to_the_next(handler: type[Handler]) -> None:
    build(handler)[1][0].append("moved into a tree")
    assert build(handler)[1] == [["attnref.softmax"]]


def test_headings_found_before_stay_in_front(handler: type[Handler]) -> None:
    one = handler()
    one._headings.append(["of the page"])
    one.render(one.collect("attnref.softmax", ""), "")
    assert one.get_headings() == [["of the page"], ["attnref.softmax"]]


def test_other_options_are_rendered_on_their_own(handler: type[Handler]) -> None:
    assert build(handler, "level 2")[0] != build(handler, "level 3")[0]


@pytest.mark.parametrize(
    "file", ["attnref/_softmax.py", "sitekit/slim.py", "docs/bibliography.toml", "mkdocs.yml"]
)
def test_a_changed_source_is_read_and_rendered_anew(handler: type[Handler], root: Path, file: str) -> None:
    build(handler)
    os.utime(root / file, ns=(1, 1))
    build(handler)
    assert (handler.read, handler.rendered) == (2, 2)


def test_a_new_file_is_a_change(handler: type[Handler], root: Path) -> None:
    build(handler)
    (root / "attnref/_masks.py").write_text("")
    build(handler)
    assert handler.read == 2
