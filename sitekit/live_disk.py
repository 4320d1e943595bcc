"""Running Python in a site that is read from disk, where a browser takes neither modules nor files for a worker.

`files` gives two classic scripts: live.js with all of its modules in one, which a page names without `type="module"`,
and disk.js with the worker and its files as base64, which live.js loads on the first run.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

from sitekit import browser_files

SCRIPTS = "assets/javascripts/live"
# In this order: a module stands behind those it imports. On disk, disk.js takes the place of place.js.
MODULES = {
    "place.js": "disk.js",
    "runner.js": "runner.js",
    "output.js": "output.js",
    "blocks.js": "blocks.js",
    "exercise.js": "exercise.js",
}
_ALL = re.compile(r'^import \* as (\w+) from "\./([\w.]+)"', re.MULTILINE)
_SOME = re.compile(r'^import \{ ([^}]+) \} from "\./([\w.]+)"', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_LATE = re.compile(r"await import\(")


def files(root: Path) -> dict[str, bytes]:
    """The files by their places below the site's root."""
    scripts = root / "docs" / SCRIPTS
    sources = {name: (scripts / file).read_text(encoding="utf-8") for name, file in MODULES.items()}
    entry = (scripts / "live.js").read_text(encoding="utf-8")
    worker = (scripts / "worker.js").read_text(encoding="utf-8")
    disk = json.dumps({"source": worker, "files": _encoded(root)})
    return {
        f"{SCRIPTS}/live.js": bundle(sources, entry).encode(),
        f"{browser_files.FOLDER}/disk.js": f"self.attnrefDisk = {disk}\n".encode(),
    }


def bundle(modules: dict[str, str], entry: str) -> str:
    """Modules and the script that begins, as one classic script."""
    parts = ["(() => {", '"use strict"', "const modules = {}"]
    for name, source in modules.items():
        exports = ", ".join(_EXPORT.findall(source))
        parts.append(f'modules["{name}"] = (() => {{\n{_plain(source)}\nreturn {{ {exports} }}\n}})()')
    return "\n".join([*parts, _plain(entry), "})()", ""])


def _plain(source: str) -> str:
    """A module's text without the words that only a module may hold."""
    source = _ALL.sub(r'const \1 = modules["\2"]', source)
    source = _SOME.sub(lambda m: f'const {{ {m[1].replace(" as ", ": ")} }} = modules["{m[2]}"]', source)
    return _LATE.sub("((path) => modules[path.slice(2)])(", _EXPORT.sub("", source))


def _encoded(root: Path) -> dict[str, str]:
    """Every file that the worker asks for, by name, as base64."""
    made = {place.rpartition("/")[2]: data for place, data in browser_files.files(root).items()}
    vendored = (root / "docs" / browser_files.VENDOR).iterdir()
    # The list that is made here replaces the vendored one of the same name.
    held = {path.name: path.read_bytes() for path in sorted(vendored)} | made
    return {name: base64.b64encode(data).decode() for name, data in held.items()}
