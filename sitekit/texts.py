"""Files as text: what a tool meets that is no UTF-8 becomes a sentence with its line, and line ends are kept."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from pathlib import Path

_END = re.compile(r"\r\n|\r|\n")
_BOM = "\ufeff"


def read(path: Path) -> tuple[str, tuple[tuple[int, str], ...]]:
    """The text of a file with ``\\n`` as its line end, and what is wrong with it: (line, message)."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        return "", ((1, f"this file cannot be read: {error.strerror}"),)
    try:
        return _plain(raw.decode("utf-8")), ()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        fault = f"the byte {raw[error.start]:#04x} is no UTF-8: save this file as UTF-8"
        return _plain(raw.decode("utf-8", "replace")), ((line, fault),)


def _plain(text: str) -> str:
    """The text as MkDocs reads it: without a byte order mark, each line ended alike."""
    return _END.sub("\n", text.removeprefix(_BOM))


def write(path: Path, text: str) -> None:
    """Write a changed text. Lines keep the ends that they had, new ones get those of the file's first line."""
    old = path.read_bytes().decode("utf-8") if path.exists() else ""
    mark = _BOM if old.startswith(_BOM) else ""
    old = old.removeprefix(_BOM)
    ends = [*_END.findall(old), ""]
    first = ends[0] or "\n"
    was, now = _END.sub("\n", old).split("\n"), text.split("\n")
    kept = [first] * len(now)
    for a, b, size in SequenceMatcher(None, was, now, autojunk=False).get_matching_blocks():
        for k in range(size):
            kept[b + k] = ends[a + k] or first
    kept[-1] = ""
    whole = mark + "".join(line + end for line, end in zip(now, kept, strict=True))
    path.write_bytes(whole.encode())
