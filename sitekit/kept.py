"""How MkDocs builds a page from what was kept: in the place of `Page.render`, and of reading it for the search.

Kept is what Markdown made of a page, and all that it left elsewhere meanwhile: the table of contents, anchors, links
whose targets are checked once all pages are there, the places of documented names. A page of which anything was said,
a warning above all, is never kept: it is rendered anew until it is silent.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents

from sitekit import inputs
from sitekit.store import Store

OFF = "ATTNREF_NO_CACHE"
FOLDER = ".cache/attnref-site"
_LOG = logging.getLogger("mkdocs")
# Settings that do not reach what Markdown makes of a page. The site's address reaches other parts, which are not kept.
_APART = {"config_file_path", "dev_addr", "open_in_browser", "site_dir", "site_url", "strict", "watch"}


@cache
def of(root: Path) -> Kept:
    return Kept(root)


class Kept:
    """What one project keeps; a process has one, which lasts from build to build while serving."""

    def __init__(self, root: Path) -> None:
        self.root, self.store = root, Store(root / FOLDER)
        self.loaded = inputs.loaded(root)
        self.shared = self.settings = ""
        self.pages: dict[
            str, tuple[str, str]
        ] = {}  # name of an entry -> the page's place, the text as MkDocs read it

    def begin(self, config: Any) -> None:
        """Before a build: take the digest of what all pages share. Without one, nothing is kept or taken."""
        self.store.begin()
        here = Path(config.docs_dir) == self.root / "docs" and "offline" not in config.plugins
        audible = logging.DEBUG < _LOG.getEffectiveLevel() <= logging.WARNING
        self.settings = _settings(config)
        self.shared = self.now() if here and audible and not os.environ.get(OFF) else ""

    def now(self) -> str:
        """The digest of what all pages share; none where code of this package has changed since it was loaded."""
        return inputs.shared(self.root) if inputs.loaded(self.root) == self.loaded else ""

    def finish(self) -> None:
        """After a build: keep what it made, if nothing that it was made from has changed meanwhile."""
        if self.shared and self.now() == self.shared:
            self.store.finish(self.holds)

    def theme(self, config: Any) -> object:
        """What the theme's templates are made from; None where nothing is to be kept."""
        return (self.shared, self.settings, *config.theme.dirs) if self.shared else None

    def key(self, name: str) -> str:
        """The digest of all that a page is made from; the ledger reads its file again, after MkDocs."""
        place, text = self.pages[name]
        return inputs.digest(self.loaded, self.shared, self.settings, text, inputs.own(self.root, place))

    def holds(self, name: str, key: str) -> bool:
        return name not in self.pages or self.key(name) == key

    def render(self, page: Page, config: Any, files: Any) -> None:
        """Give the page what its text becomes: what is kept of it, or what Markdown makes of it now."""
        if not self.shared:
            return Page.render(page, config, files)
        name = f"{page.file.src_uri.replace('/', '+')}.page"
        self.pages[name] = page.file.src_uri, f"{page.meta}\n{page.markdown}"
        key = self.key(name)
        entry = self.store.get(name, key)
        if entry is None or not _restore(page, entry, config, files):
            with _listening() as said, _registered(config) as registered:
                Page.render(page, config, files)
            if not said and page.links_to_anchors is not None:
                self.store.put(name, key, _entry(page, registered))
        return None

    def reads_for_search(self, index: Any) -> None:
        """Let the search's index take what it found on a page that it has read before."""
        read = index.add_entry_from_context

        def read_once(page: Page) -> None:
            seen = [page.url, str(page.content), str(page.title), repr(page.meta), repr(contents(page.toc))]
            key = inputs.digest(self.loaded, *seen)
            name = f"{page.file.src_uri.replace('/', '+')}.search"
            entries = self.store.get(name, key)
            if entries is None:
                before = len(index.entries)
                read(page)
                self.store.put(name, key, index.entries[before:])
            else:
                index.entries += entries

        if self.shared:
            index.add_entry_from_context = read_once


def _settings(config: Any) -> str:
    """What the settings come to, whether they stand in mkdocs.yml or were given otherwise."""
    found = {name: value for name, value in config.items() if name not in _APART}
    found["hooks"] = sorted(config.hooks)
    found["markdown_extensions"] = [item for item in config.markdown_extensions if isinstance(item, str)]
    found["plugins"] = {name: dict(getattr(plugin, "config", {})) for name, plugin in config.plugins.items()}
    found["theme"] = [
        config.theme.name,
        config.theme.dirs,
        {name: config.theme[name] for name in config.theme},
    ]
    return repr(sorted(found.items()))


def _entry(page: Page, registered: list[list[Any]]) -> dict[str, Any]:
    return {
        "content": page.content,
        "title": page._title_from_render,
        "toc": contents(page.toc),
        "anchors": sorted(page.present_anchor_ids or ()),
        "links": {file.src_uri: links for file, links in (page.links_to_anchors or {}).items()},
        "registered": registered,
    }


def _restore(page: Page, entry: dict[str, Any], config: Any, files: Any) -> bool:
    """Put everything where rendering would have put it. False where a linked file is gone."""
    links = {files.get_file_from_path(place): found for place, found in entry["links"].items()}
    if None in links:
        return False
    page.content, page._title_from_render = entry["content"], entry["title"]
    page.toc = TableOfContents(_anchors(entry["toc"]))
    page.present_anchor_ids, page.links_to_anchors = set(entry["anchors"]), links
    if entry["registered"]:
        # Its style sheet is one of the site's files.
        config.plugins["mkdocstrings"].handlers.get_handler("python")
    for identifier, anchor, title, primary in entry["registered"]:
        config.plugins["autorefs"].register_anchor(page, identifier, anchor, title=title, primary=primary)
    return True


def contents(toc: Any) -> list[list[Any]]:
    """A table of contents as lists, without what only MkDocs needs."""
    return [[item.title, item.id, item.level, contents(item.children)] for item in toc]


def _anchors(toc: list[list[Any]]) -> list[AnchorLink]:
    made = []
    for title, anchor, level, children in toc:
        item = AnchorLink(title, anchor, level)
        item.children = _anchors(children)
        made.append(item)
    return made


@contextmanager
def _listening() -> Iterator[list[str]]:
    """What MkDocs and its extensions say meanwhile, from information upward."""
    said: list[str] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    _LOG.addHandler(handler)
    try:
        yield said
    finally:
        _LOG.removeHandler(handler)


@contextmanager
def _registered(config: Any) -> Iterator[list[list[Any]]]:
    """The documented names that a page registers meanwhile: identifier, anchor, title, is it the first place."""
    plugin, calls = config.plugins.get("autorefs"), list[list[Any]]()
    register = plugin.register_anchor

    def noted(
        page: Any, identifier: str, anchor: Any = None, *, title: Any = None, primary: bool = True
    ) -> None:
        calls.append([identifier, anchor, title, primary])
        register(page, identifier, anchor, title=title, primary=primary)

    plugin.register_anchor = noted
    try:
        yield calls
    finally:
        del plugin.register_anchor
