"""What `mkdocs serve` need not do twice: docstrings of a library that has not changed are not rendered again.

A rebuild after one changed sentence spent most of its time on the reference pages. Their docstrings depend on the
library, on the pages that their words link to and on how they are set; while none of those files has changed, what
was rendered last is used again. `mkdocs build` renders everything once and takes no part in this.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import wraps
from pathlib import Path
from typing import Any

SOURCES = (("attnref", "*.py"), ("sitekit", "*.*"), (".", "mkdocs.yml"), ("docs", "*.toml"))


def stamp(root: Path) -> dict[Path, int]:
    """The state of all that a rendered docstring depends on."""
    files: Iterable[Path] = (f for folder, names in SOURCES for f in _below(root, folder, names))
    return {file: file.stat().st_mtime_ns for file in files if "__pycache__" not in file.parts}


def _below(root: Path, folder: str, names: str) -> Iterable[Path]:
    return [root / names] if folder == "." else (root / folder).rglob(names)


def remember(handler: type[Any], root: Path) -> None:
    """Let a handler of mkdocstrings keep what it collected and rendered, until one of the sources changes."""
    collect, render = handler.collect, handler.render
    seen: dict[Path, int] = {}
    loaded: list[tuple[Any, Any]] = []  # the library as the first handler read it
    rendered: dict[tuple[str, str], tuple[str, list[Any]]] = {}

    def still_true() -> None:
        now = stamp(root)
        if now != seen:
            seen.clear()
            seen.update(now)
            loaded.clear()
            rendered.clear()

    @wraps(collect)
    def collect_loaded(self: Any, identifier: str, options: Any) -> Any:
        still_true()
        if loaded:
            self._modules_collection, self._lines_collection = loaded[0]
        else:
            loaded.append((self._modules_collection, self._lines_collection))
        return collect(self, identifier, options)

    @wraps(render)
    def render_once(self: Any, data: Any, options: Any, locale: str | None = None) -> str:
        key = data.path, repr(options)
        if key not in rendered:
            before = self.get_headings()
            html = render(self, data, options, locale)
            rendered[key] = html, self.get_headings()
            self._headings.extend(before)
        html, headings = rendered[key]
        self._headings.extend(copy.deepcopy(headings))  # each conversion moves them into a tree of its own
        return html

    handler.collect, handler.render = collect_loaded, render_once
