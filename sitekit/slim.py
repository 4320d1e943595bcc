"""A Markdown extension that takes the tokens without a colour of their own out of highlighted code.

Pygments marks every name, bracket and blank; in a lesson that is a sixth of the page. Code reads the same without.
"""

from __future__ import annotations

import re
from typing import Any

import markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor

_PLAIN = re.compile(r'<span class="(?:n|nn|p|w|o)">([^<]*)</span>')


class _Slim(Postprocessor):
    def run(self, text: str) -> str:
        return _PLAIN.sub(r"\1", text)


class SlimExtension(Extension):
    """``sitekit.slim`` in mkdocs.yml."""

    def extendMarkdown(self, md: markdown.Markdown) -> None:
        md.postprocessors.register(_Slim(md), "slim", 7)  # after the stashed blocks are back (30)


def makeExtension(**kwargs: Any) -> SlimExtension:
    return SlimExtension(**kwargs)
