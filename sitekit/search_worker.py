"""The theme's search, which is asked by way of `question.js`, so that a reader finds what was meant.

The worker of the theme is written anew at each build: the functions of that module stand before it, and the one place
that searches calls them. Its name stays, so the theme finds it from a server and from disk alike.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sitekit.theme_script import Unknown, rewrite, without_map

MODULE = Path(__file__).with_name("question.js")
FILE = re.compile(r"assets/javascripts/workers/search\.\w+\.min\.js")
_SEARCHES = re.compile(r"data:(?P<index>[\w$]+)\.search\((?P<text>[\w$]+)\)")
_ASKS = r"data:$question.answer(\g<text>,$text=>\g<index>.search($text),$word=>lunr.stopWordFilter($word)===undefined)"


def functions(module: str) -> str:
    """A module that imports nothing, as a classic script that gives what it exports."""
    names = re.findall(r"^export function (\w+)", module, re.MULTILINE)
    text = re.sub(r"^export ", "", module, flags=re.MULTILINE)
    return f'const $question = (() => {{\n"use strict"\n{text}return {{ {", ".join(names)} }}\n}})()\n'


def changed(text: str) -> str:
    """The theme's worker with its search asked by way of `question.js`; its map, which no longer fits, is not named."""
    text, count = _SEARCHES.subn(_ASKS, text)
    if count != 1:
        rule = "it is to stand there once; see sitekit/search_worker.py for what it is to do"
        raise Unknown(f"the theme's search worker calls its search {count} times: {rule}")
    return functions(MODULE.read_text(encoding="utf-8")) + without_map(text) + "$question.keepApart(lunr)\n"


def change(files: Any) -> None:
    """Let the build write the changed worker in the place of the theme's own."""
    rewrite(files, FILE, changed)
