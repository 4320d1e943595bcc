"""A page's HTML without building the site: the Markdown extensions of mkdocs.yml, in memory."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import markdown
import yaml

from sitekit.pages import FRONT_MATTER

# What mkdocstrings replaces by a docstring when the site is built; the tests walk that there.
_AUTODOC = re.compile(r"<p>::: .*?</p>", re.DOTALL)


@lru_cache(maxsize=4)
def extensions(root: Path) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The extensions of mkdocs.yml with their settings, paths made absolute."""
    config = yaml.safe_load((root / "mkdocs.yml").read_text(encoding="utf-8"))
    names, settings = [], {}
    for entry in config["markdown_extensions"]:
        name, options = next(iter(entry.items())) if isinstance(entry, dict) else (entry, None)
        names.append(name)
        settings[name] = dict(options or {})
    if "pymdownx.snippets" in settings:
        settings["pymdownx.snippets"]["base_path"] = [str(root / "snippets")]
    for name in {"sitekit.ledger", "sitekit.terms"} & settings.keys():
        settings[name]["root"] = str(root)
    return names, settings


def page_html(text: str, root: Path) -> tuple[str, Any]:
    """Render a page's text (front matter allowed); also return what the ledger's marks stood for."""
    names, settings = extensions(root)
    converter = markdown.Markdown(extensions=names, extension_configs=settings)
    content = converter.convert(FRONT_MATTER.sub("", text))
    return _AUTODOC.sub("", content), converter.ledger_shown
