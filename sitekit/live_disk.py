"""Running Python in a site that is read from disk, where a browser fetches no file for a worker.

`script` gives disk.js: the worker and its files as base64, which the page loads on the first run.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

from sitekit import browser_files

PLACE = f"{browser_files.FOLDER}/disk.js"
WORKER = "assets/javascripts/live/worker.js"


def script(root: Path) -> bytes:
    """The text of disk.js."""
    worker = (root / "docs" / WORKER).read_text(encoding="utf-8")
    disk = json.dumps({"source": worker, "files": _encoded(root)})
    return f"self.attnrefDisk = {disk}\n".encode()


def _encoded(root: Path) -> dict[str, str]:
    """Every file that the worker asks for, by name, as base64."""
    made = {place.rpartition("/")[2]: data for place, data in browser_files.files(root).items()}
    vendored = (root / "docs" / browser_files.VENDOR).iterdir()
    # The list that is made here replaces the vendored one of the same name.
    held = {path.name: path.read_bytes() for path in sorted(vendored)} | made
    return {name: base64.b64encode(data).decode() for name, data in held.items()}
