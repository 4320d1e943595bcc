"""What is kept between builds: one file a page, text that says by digests what it was made from and that it is whole.

An entry that is not whole, or was made from something else, is as good as none. What a build makes is kept only at its
end, once it is sure that nothing changed meanwhile. Each file is written under another name first and then moved, so
that builds at the same time read old or new entries, never half of one.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sitekit.inputs import digest

_FORM = "attnref-kept-1"  # another number when what an entry holds means something else
ABANDONED = 3600  # seconds after which no build can still be writing a file


class Store:
    """Entries by name, each with the digest of what it was made from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, tuple[str, str]] = {}  # name -> key and text, as they stand on the disk
        self.new: dict[str, tuple[str, str]] = {}  # made by the build at hand
        self.used: set[str] = set()  # by the build at hand

    def begin(self) -> None:
        """Nothing of an earlier build, which may have failed, is waiting any more."""
        self.new.clear()
        self.used.clear()

    def get(self, name: str, key: str) -> Any:
        """The entry of that name, if it was made from what ``key`` is the digest of; otherwise None."""
        self.used.add(name)
        if self.known.get(name, ("", ""))[0] != key:
            found = self._read(name)
            if found is None or found[0] != key:
                return None
            self.known[name] = found
        return json.loads(self.known[name][1])

    def put(self, name: str, key: str, entry: Any) -> None:
        """Have an entry kept, once the build is done."""
        self.new[name] = key, json.dumps(entry, ensure_ascii=False)

    def finish(self, holds: Callable[[str, str], bool]) -> None:
        """Keep what was made, where ``holds`` says of a name and its key that this is still what it is made from."""
        for name, (key, text) in self.new.items():
            if holds(name, key):
                self.known[name] = key, text
                self._write(name, key, text)
        for name in self.known.keys() - self.used:
            del self.known[name]
        self._tidy()
        self.begin()

    def _tidy(self) -> None:
        """Delete what this build did not use, and what one that was ended left half written."""
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                half = path.name.startswith(".")
                if path.stat().st_mtime < time.time() - ABANDONED if half else path.name not in self.used:
                    path.unlink(missing_ok=True)

    def _read(self, name: str) -> tuple[str, str] | None:
        try:
            head, text = (self.folder / name).read_bytes().decode("utf-8").split("\n", 1)
            form, key, seal = head.split(" ")
        except (OSError, ValueError):
            return None
        whole = form == _FORM and seal == digest(name, key, text)
        return (key, text) if whole else None

    def _write(self, name: str, key: str, text: str) -> None:
        """A disk that is full or may not be written to costs time, nothing else."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, other = tempfile.mkstemp(dir=self.folder, prefix=".")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(f"{_FORM} {key} {digest(name, key, text)}\n{text}".encode())
                os.replace(other, self.folder / name)
            except BaseException:
                os.unlink(other)
                raise
