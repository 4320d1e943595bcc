"""A Markdown extension for what lives in pages: an element `attn-…` may stand around Markdown.

`<attn-lookup markdown>` … `</attn-lookup>` then holds tables that are read like any other, by readers without script
and by the ledger. Markdown knows the elements of HTML only, and would take the others for words in a sentence.
"""

from __future__ import annotations

import re
from typing import Any

import markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

_OPENING = re.compile(r"^<(attn-[a-z]+)\b", re.MULTILINE)


class _Know(Preprocessor):
    """Name the elements of this text among those that stand by themselves."""

    def run(self, lines: list[str]) -> list[str]:
        for tag in _OPENING.findall("\n".join(lines)):
            if tag not in self.md.block_level_elements:
                self.md.block_level_elements.append(tag)
        return lines


class WidgetsExtension(Extension):
    """``sitekit.widgets`` in mkdocs.yml."""

    def extendMarkdown(self, md: markdown.Markdown) -> None:
        md.preprocessors.register(_Know(md), "widgets", 25)  # before the blocks of HTML are taken apart (20)


def makeExtension(**kwargs: Any) -> WidgetsExtension:
    return WidgetsExtension(**kwargs)
