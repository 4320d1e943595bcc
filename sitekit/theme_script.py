"""The theme's script, changed in two places, so that a reader who does not search pays nothing for the search.

As it comes, it asks for the index of all pages, the largest file by far, and starts a worker on every page it shows.
From disk it waits until the search is opened; here it always does. What is typed meanwhile is kept by the theme.
"""

from __future__ import annotations

import re
from typing import Any

FILE = re.compile(r"assets/javascripts/bundle\.\w+\.min\.js")
_MAP = re.compile(r"\n//# sourceMappingURL=\S+\s*$")

# A worker that begins with the first message it is sent; its address holds from where it was asked for.
_LATE_WORKER = (
    "t={from:`${new URL(e,location)}`,heard:[],addEventListener(...r){this.heard.push(r)},removeEventListener(){},"
    "postMessage(r){if(!this.own){this.own=new Worker(this.from);"
    "for(let o of this.heard)this.own.addEventListener(...o)}this.own.postMessage(r)}}"
)
CHANGES = {
    'location.protocol!=="file:"': "!1",  # "unless read from disk, without waiting for the search to be opened"
    "t=new Worker(e)": _LATE_WORKER,
}


class Unknown(ValueError):
    """The theme's script is not the one that the changes were written for."""


def changed(text: str) -> str:
    """The script with all changes made; its map, which no longer fits, is not named."""
    for old, new in CHANGES.items():
        if (count := text.count(old)) != 1:
            rule = "it is to stand there once; see sitekit/theme_script.py for what it is to do"
            raise Unknown(f"the theme's script holds {old!r} {count} times: {rule}")
        text = text.replace(old, new)
    return _MAP.sub("\n", text)


def change(files: Any) -> None:
    """Let the build write the changed script in the place of the theme's own, and leave out its map."""
    for file in list(files):
        if FILE.fullmatch(file.src_uri):
            file.content_string = changed(file.content_string)
        elif FILE.fullmatch(file.src_uri.removesuffix(".map")):
            files.remove(file)
