"""What makes `mkdocs serve` answer fast: changes are seen at once, templates are read once, pages are minified once.

MkDocs looks for changes twice a second, and then waits for more of them. For each build it deletes all folders and
reads the theme's templates anew. What depends on nothing but a text is computed once for each text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import lru_cache
from typing import Any

import minify_html
from mkdocs import utils
from watchdog.observers.polling import PollingObserverVFS

from sitekit import kept
from sitekit.inputs import digest

PAGE = "main.html"  # the template of a page
POLL_SECONDS = 0.1
QUIET_SECONDS = 0.02  # so long no other file may change before a build begins


def watch(server: Any, *places: str) -> None:
    """Let the server look for changes more often, and not at what Python writes beside its modules.

    Asking again and again works wherever files can be read; being told does not, on disks that others share.
    """
    for place in places:
        server.unwatch(place)
    server.observer = PollingObserverVFS(os.stat, entries, polling_interval=POLL_SECONDS)
    server.build_delay = QUIET_SECONDS
    utils.clean_directory = emptied  # it knows no other way to be told
    for place in places:
        server.watch(place)


def emptied(directory: str) -> None:
    """Delete the files of a folder, and let its folders stand: to delete a hundred of them may take half a second."""
    for folder, _, files in os.walk(directory):
        for name in files:
            os.unlink(os.path.join(folder, name))


def entries(folder: str | None) -> Iterator[os.DirEntry[str]]:
    with closing(os.scandir(folder)) as found:
        yield from (entry for entry in found if entry.name != "__pycache__")


class Templates:
    """The theme's templates as the build before read them, while nothing that they are made from has changed."""

    def __init__(self) -> None:
        self.made_from: object = None
        self.env: Any = None

    def keep(self, theme: Any, made_from: object) -> None:
        """Have the theme give out the environment of Jinja that it gave before. None stands for what is not known."""
        if made_from is None:
            return
        if made_from != self.made_from:
            self.made_from, self.env = made_from, theme.get_env()
            names = [name for name in self.env.loader.list_templates() if not name.startswith(".")]
            # Ten thousand icons less, which MkDocs leaves out itself, one by one.
            self.env.loader.list_templates = lambda: names
            template = self.env.get_template(PAGE)
            template.render = Filled(template.render)
        theme.get_env = lambda: self.env


class Filled:
    """A template that is not filled in again for a page about which it would say the same."""

    def __init__(self, render: Callable[[Any], str]) -> None:
        self.render = render
        self.nav: Any = None
        self.around = ""  # the digest of what all pages show of each other
        self.known: dict[
            str, tuple[str, str]
        ] = {}  # address of a page -> digest of what it was filled with, and it

    def __call__(self, context: Any) -> str:
        page, nav = context["page"], context["nav"]
        if nav is not self.nav:
            self.nav, self.around = nav, repr([_shown(item) for item in nav.items])
        links = [str(item) for item in (*context["extra_css"], *context["extra_javascript"])]
        own = [page.url, page.canonical_url, page.edit_url, page.title, page.meta, kept.contents(page.toc)]
        key = digest(
            self.around, page.content, repr([context["base_url"], context["config"].site_url, links, own])
        )
        if self.known.get(page.url, ("", ""))[0] != key:
            self.known[page.url] = key, self.render(context)
        return self.known[page.url][1]


def _shown(item: Any) -> list[Any]:
    """What an entry of the navigation says, with the entries below it."""
    below = [_shown(child) for child in item.children or ()]
    return [item.title, getattr(item, "url", ""), getattr(item, "meta", {}), below]


@lru_cache(maxsize=256)
def minified(page: str) -> str:
    """A seventh of a page is white space of the theme's templates. Closing tags stay: MkDocs looks for </body>."""
    return minify_html.minify(page, keep_closing_tags=True, keep_html_and_head_opening_tags=True)
