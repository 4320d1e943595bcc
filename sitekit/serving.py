"""What makes `mkdocs serve` answer fast: changes are seen at once, templates are read once, pages are minified once.

MkDocs looks for changes twice a second, and then waits for more of them. For each build it deletes all folders and
reads the theme's templates anew. What depends on nothing but a text is computed once for each text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from functools import lru_cache
from typing import Any

import minify_html
from mkdocs import utils
from watchdog.observers.polling import PollingObserverVFS

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
            self.env.loader.list_templates = lambda: (
                names
            )  # ten thousand icons less, which MkDocs leaves out itself
        theme.get_env = lambda: self.env


@lru_cache(maxsize=256)
def minified(page: str) -> str:
    """A seventh of a page is white space of the theme's templates. Closing tags stay: MkDocs looks for </body>."""
    return minify_html.minify(page, keep_closing_tags=True, keep_html_and_head_opening_tags=True)
