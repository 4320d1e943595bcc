"""A site of one page for the tests of the ledger, and a way to write a page and its planted fault at once.

In a text, `⟦right⇒wrong⟧` stands for `right` on the page that holds and for `wrong` on its faulty twin. The
fault is expected at the line where that mark stands, unless `⟦!⟧` stands elsewhere.
"""

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from sitekit import check
from sitekit.owners import Ledger
from sitekit.pages import Page, Problem
from sitekit.sources import read

PLANT = re.compile(r"⟦(?P<right>[^⟦⟧]*?)⇒(?P<wrong>[^⟦⟧]*?)⟧")
HERE = "⟦!⟧"
PAGE = "docs/page.md"

FRONT = "---\ntitle: A page\ndescription: What it is about.\n---\n"
CODE = """
```python
import numpy as np

weights = np.array([0.7346, 0.0434, 0.0434, 0.1786])
keys = np.array([[2, 1], [0, 1], [1, -1], [1, 1]])
d_k = keys.shape[-1]
root = np.sqrt(d_k)
large = 20_000
ties = np.array([0.125])
```
"""
BIBLIOGRAPHY = """
[vaswani2017]
label = "Vaswani et al. 2017"
authors = "Ashish Vaswani, Noam Shazeer"
title = "Attention Is All You Need"
year = 2017
arxiv = "1706.03762"
adds = "The transformer."
places = ["Section 3.2.1", "footnote 4"]

[vaswani2017.figures]
heads = { value = 8, of = "heads in the base model", place = "Section 3.2.2" }
d_k = { value = 64, of = "numbers in a key", place = "Section 3.2.2" }
"""
EXEMPT = '"GPT-2" = "the name of a model"\n'


@functools.cache
def settings() -> str:
    """A mkdocs.yml with the extensions that the site is built with."""
    config = yaml.safe_load((check.ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return yaml.safe_dump({"markdown_extensions": config["markdown_extensions"]})


@dataclass(frozen=True)
class Site:
    """A project in a folder of its own."""

    root: Path
    files: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kept = {
            "mkdocs.yml": settings(),
            "docs/bibliography.toml": BIBLIOGRAPHY,
            "docs/exempt.toml": EXEMPT,
            "snippets/.keep": "",
        }
        for name, text in (kept | self.files).items():
            self.write(name, text)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def page(self, text: str, name: str = PAGE) -> Page:
        """Write a page and read it as the ledger does."""
        return check.pages.read(self.write(name, text), self.root, read(self.root / "docs"))

    def check(self, text: str, name: str = PAGE) -> tuple[Ledger, list[Problem]]:
        """Write a page and check it, the rendered page included."""
        return check.check_page(self.write(name, text), self.root)


def whole(body: str) -> str:
    """A body with front matter before it and a block behind it that computes weights, keys, d_k and root."""
    return (body if body.removeprefix(HERE).startswith("---\n") else FRONT + body) + CODE


def right(text: str) -> str:
    return PLANT.sub(lambda match: match["right"], text).replace(HERE, "")


def wrong(text: str) -> str:
    return PLANT.sub(lambda match: match["wrong"], text).replace(HERE, "")


def marked_lines(text: str) -> set[int]:
    """The lines of the faulty text that bear `⟦!⟧`."""
    return {wrong(text[: match.start()]).count("\n") + 1 for match in re.finditer(re.escape(HERE), text)}


def planted_line(text: str) -> set[int]:
    """The line of the faulty text where the first fault is planted."""
    match = PLANT.search(text)
    return {wrong(text[: match.start()]).count("\n") + 1} if match else set()
