"""Run as a program in a folder with a site: builds it again and again, and prints what each build rendered.

    python kept_builds.py CHANGE…
    python kept_builds.py once

A change is a JSON list: what it is called, a file, a text to be replaced, the text to put there. Before each but the
first build one change is made; after it, it is taken back, and the site is built once more.
The variable SETTINGS holds settings beyond those of mkdocs.yml.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
from pathlib import Path

import mkdocs.structure.pages
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

sys.path.insert(0, ".")

rendered: list[str] = []
said: list[str] = []
_render = mkdocs.structure.pages.Page.render


def _noted(self, config, files):
    rendered.append(self.file.src_uri)
    return _render(self, config, files)


def built() -> dict[str, list[str]]:
    rendered.clear()
    said.clear()
    try:
        others = json.loads(os.environ.get("SETTINGS", "{}"))
        build(load_config("mkdocs.yml", site_dir="site", strict=True, **others))
    except Abort as error:
        said.append(str(error))
    return {"rendered": sorted(rendered), "said": list(said)}


def site() -> dict[str, str]:
    files = [path for path in Path("site").rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def unlike_new() -> list[str]:
    """The files of the built site that a build differs in which takes nothing from any other."""
    is_here = site()
    os.environ["ATTNREF_NO_CACHE"] = "1"
    sys.modules["sitekit.serving"].minified.cache_clear()
    built()
    del os.environ["ATTNREF_NO_CACHE"]
    new = site()
    return sorted(path for path in is_here | new if is_here.get(path) != new.get(path))


def main(changes: list[str]) -> None:
    mkdocs.structure.pages.Page.render = _noted
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("mkdocs").addHandler(handler)
    load_config("mkdocs.yml").plugins.on_startup(command="serve", dirty=False)
    told = {"first": built()}
    if changes == ["once"]:
        changes = []
    else:
        told["again"] = built()
    for change in changes:
        name, file, old, new = json.loads(change)
        path = Path(file)
        was = path.read_text(encoding="utf-8") if path.exists() else None
        path.write_text((was or "").replace(old, new, 1) if was is not None else new, encoding="utf-8")
        told[name] = built()
        told[name]["unlike new"] = unlike_new()
        told[f"{name}, again"] = built()
        if was is None:
            path.unlink()
        else:
            path.write_text(was, encoding="utf-8")
        told[f"{name}, back"] = built()
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1:])
