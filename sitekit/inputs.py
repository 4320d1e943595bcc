"""What a rendered page was made from, as one digest: where it is the same, the page would come out the same.

A page is made from its own text, the glossary, the pages whose figures it shows, and what all pages share: the
library, the snippets, this package, the records, the settings, and the packages that are installed. Of everything
else it can only see whether it is there. `tests/sitekit/test_inputs.py` listens to what is opened while the real
pages are rendered, and fails for a file that is missing here.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SHARED = (
    "attnref/**/*",
    "snippets/**/*",
    "benchmarks/records/*.json",
    "docs/*.toml",
    "docs/assets/**/*.json",
    "docs/assets/**/*.svg",
    "mkdocs.yml",
    "pyproject.toml",
    "requirements.lock",
    "Makefile",
)
LOADED = ("sitekit/**/*",)  # what Python reads once and keeps
GLOSSARY = "docs/study/glossary.md"
_UNSEEN = {"__pycache__", "node_modules", "site", "build", "dist"}
_FIGURE = re.compile(r"assets/figures/([\w-]+)/")


def loaded(root: Path) -> str:
    """The digest of what does not change any more in a process that has begun, even if its files do."""
    return digest(*contents(root, LOADED), *machine())


def shared(root: Path) -> str:
    """The digest of what else all pages share, and of the names of all files."""
    return digest(*contents(root, SHARED), *sorted(names(root)))


def contents(root: Path, patterns: tuple[str, ...]) -> Iterator[str | bytes]:
    """The place of each file that a pattern names, and what it holds."""
    for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
        if path.is_file() and is_seen(path, root):
            yield from (path.relative_to(root).as_posix(), path.read_bytes())


def is_seen(path: Path, root: Path) -> bool:
    return not any(part in _UNSEEN or part.startswith(".") for part in path.relative_to(root).parts)


def names(root: Path) -> Iterator[str]:
    """The place of each file: pages draw trees of folders, link to files and name programs."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _UNSEEN and not name.startswith(".")]
        place = Path(folder).relative_to(root).as_posix()
        yield from (f"{place}/{name}" for name in files if not name.startswith("."))


def machine() -> Iterator[str]:
    """Python and each package with its version, as the names of their folders say."""
    yield from (sys.version, platform.machine(), sys.platform)
    for folder in sys.path:
        if os.path.isdir(folder):
            yield from sorted(
                name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info"))
            )


def own(root: Path, page: str) -> str:
    """The digest of the pages that a page is made from; ``page`` is its place below docs/."""
    text = _bytes(root / "docs" / page)
    slugs = sorted(set(_FIGURE.findall(text.decode("utf-8", "replace"))))
    others = [path for slug in slugs for path in sorted((root / "docs").rglob(f"{slug}.md"))]
    return digest(page, text, *map(_bytes, [root / GLOSSARY, *others]))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def digest(*parts: str | bytes) -> str:
    """One digest of many parts, whose borders count."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(f"{len(data)}:".encode())
        whole.update(data)
    return whole.hexdigest()
