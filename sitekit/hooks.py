"""What MkDocs is told beyond its settings: labs become pages, cards a deck; what a browser runs; what is read again.

`mkdocs-jupyter` finds the labs and publishes their files. Its own rendering is passed over: it knows nothing of our
Markdown (formulas, proofs, links), runs a kernel for each lab, brings half a megabyte of styles to each page, and
keeps outputs when attnref has changed. A lab is rendered as every page is; the ledger runs its cells meanwhile.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import minify_html
from mkdocs.structure.files import File
from mkdocs.utils import meta
from mkdocstrings_handlers.python import PythonHandler

from sitekit import again, browser_files, cards, labs, percent, theme_script

ROOT = Path(__file__).parent.parent
RUN_BY_PAGES = ("attnref", "snippets")
_stamps: dict[Path, int] = {}


def on_startup(command: str, dirty: bool) -> None:
    if command == "serve":
        again.remember(PythonHandler, ROOT)


def on_pre_build(config: Any) -> None:
    """Before each build of `mkdocs serve`, forget modules whose files have changed: pages must not show old outputs."""
    forget_changed(ROOT)


def forget_changed(root: Path) -> None:
    """Let go of every module of the packages that pages import, once any of their files has changed."""
    now = {p: p.stat().st_mtime_ns for name in RUN_BY_PAGES for p in (root / name).rglob("*.py")}
    if _stamps and now != _stamps:
        for name in [name for name in sys.modules if name.partition(".")[0] in RUN_BY_PAGES]:
            del sys.modules[name]
    _stamps.clear()
    _stamps.update(now)


def on_files(files: Any, config: Any) -> Any:
    """Add what the site's Python needs in a browser, made from the sources as they are now."""
    for place, content in browser_files.files(ROOT).items():
        files.append(File.generated(config, place, content=content))
    theme_script.change(files)
    return files


def is_lab(page: Any) -> bool:
    return str(page.file.src_uri).startswith("labs/") and str(page.file.src_uri).endswith(".py")


def is_deck(page: Any) -> bool:
    return str(page.file.src_uri) == cards.PAGE


def page_folder(page: Any) -> Path:
    return Path(page.file.abs_dest_path).parent


def on_pre_page(page: Any, config: Any, files: Any) -> Any:
    if is_lab(page):
        vars(page).pop("render", None)  # what mkdocs-jupyter put before the class's own
    return page


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    if not is_lab(page):
        return markdown
    text, page.meta = meta.get_data(percent.as_markdown(page.file.content_string))
    return text


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    address = urljoin(config.site_url or "", page.url)
    if is_deck(page):
        page_folder(page).mkdir(parents=True, exist_ok=True)
        stamp = cards.changed(Path(page.file.abs_src_path))
        (page_folder(page) / cards.FILE).write_bytes(cards.deck(cards.cards(html, address), stamp))
        return html.replace("</h1>", "</h1>" + cards.download(), 1)
    if not is_lab(page):
        return html
    html = html.replace(percent.MARKDOWN, "")
    return html.replace("</h1>", "</h1>" + labs.download(Path(page.file.src_uri).stem, address), 1)


def on_post_page(output: str, page: Any, config: Any) -> str:
    if is_lab(page):
        folder = page_folder(page)
        folder.mkdir(parents=True, exist_ok=True)
        text = labs.notebook(page.file.content_string, page.file.src_uri, config.site_url or "")
        (folder / f"{Path(page.file.src_uri).stem}.ipynb").write_text(text, encoding="utf-8", newline="\n")
    # A seventh of a page is white space of the theme's templates. Closing tags stay: MkDocs looks for </body>.
    return minify_html.minify(output, keep_closing_tags=True, keep_html_and_head_opening_tags=True)
