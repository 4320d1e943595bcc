"""The site as one zip that works from disk, search, widgets and Python in the page included: `make offline`.

    python -m sitekit.offline [--to FOLDER]

Builds the site of mkdocs.yml with addresses that end in a file's name, puts its modules into one classic script, and
zips it. Whoever unpacks it opens index.html; nothing is fetched from anywhere.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import sys
import zipfile
from pathlib import Path

import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config

from sitekit import browser_files, classic, live_disk

ROOT = Path(__file__).parent.parent
NAME = "attnref-offline"
SHIM = (
    "assets/vendor/iframe-worker/shim.js"  # takes the name Worker, so that the theme's search works from disk
)
KEEP = "assets/javascripts/keep.js"  # keeps the browser's own Worker before that, for Python in the page
SCRIPT = "assets/javascripts/classic.js"
_MODULE = re.compile(r"<script\b[^>]*\btype=\"?module\"?[^>]*></script>")
_PRELOAD = re.compile(r"<link\b[^>]*\brel=\"?preload\"?[^>]*>")
_SOURCE = re.compile(r'\bsrc="?([^" >]+)')


class _Settings(io.StringIO):
    """The settings as a file that stands where mkdocs.yml does, so that its paths hold."""

    name = str(ROOT / "mkdocs.yml")


def settings() -> _Settings:
    """Those of mkdocs.yml, changed for a site without a server."""
    values = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    values["plugins"].append("offline")  # file names as addresses, the search's index as a script
    # Told to exchange pages, which it can't do from disk, the theme's script never says that a page is there.
    values["theme"]["features"].remove("navigation.instant")
    values["extra"]["polyfills"] = [KEEP, SHIM]  # a file of our own: the plugin would name another host's
    return _Settings(yaml.safe_dump(values, sort_keys=False, allow_unicode=True))


def site(folder: Path) -> None:
    """Build the site into ``folder``; a warning is an error."""
    config = load_config(settings(), site_dir=str(folder), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()
    scripts = [item if isinstance(item, str) else item.path for item in config.extra_javascript]
    modules = [
        path.removeprefix("assets/javascripts/")
        for path, item in zip(scripts, config.extra_javascript, strict=True)
        if getattr(item, "type", "") == "module"
    ]
    text = classic.bundle(folder / "assets/javascripts", modules, {"live/place.js": "live/disk.js"})
    (folder / SCRIPT).write_text(text, encoding="utf-8", newline="\n")
    (folder / "404.html").unlink()  # what a server answers with; its addresses begin at the server's root
    # What the worker needs comes along once, as text: from disk it cannot fetch the files themselves.
    shutil.rmtree(folder / "assets/vendor/pyodide")
    shutil.rmtree(folder / browser_files.FOLDER)
    (folder / KEEP).write_text("window.$Worker = window.Worker\n", encoding="utf-8", newline="\n")
    (folder / live_disk.PLACE).parent.mkdir()
    (folder / live_disk.PLACE).write_bytes(live_disk.script(ROOT))
    for page in sorted(folder.rglob("*.html")):
        page.write_text(classical(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


def classical(page: str) -> str:
    """A page with one classic script in the place of its modules; a font is not fetched ahead, which needs a server."""
    page = _PRELOAD.sub("", page)
    tags = list(_MODULE.finditer(page))
    for tag in reversed(tags):
        first = tag is tags[0]
        source = _SOURCE.search(tag[0])
        assert source is not None, tag[0]
        base = source[1].partition("assets/")[0]
        page = (
            page[: tag.start()]
            + (f'<script src="{base}{SCRIPT}"></script>' if first else "")
            + page[tag.end() :]
        )
    return page


def pack(folder: Path, to: Path) -> Path:
    """All files of ``folder`` in one zip, below a folder of one name, the same bytes each time."""
    file = to / f"{NAME}.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{NAME}/{path.relative_to(folder).as_posix()}", (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return file


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--to", type=Path, default=ROOT / "build", help="where the folder and the zip are put"
    )
    arguments = parser.parse_args()
    folder = arguments.to / NAME
    folder.mkdir(parents=True, exist_ok=True)
    site(folder)
    file = pack(folder, arguments.to)
    print(f"{file}: {file.stat().st_size / 1e6:.1f} MB; unpack it and open {NAME}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
