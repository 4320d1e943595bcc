"""The theme's script, changed in a few places, so that a page costs a phone less.

- As it comes, it asks for the index of all pages, the largest file by far, and starts a worker on every page it shows.
  From disk it waits until the search is opened; here it always does. What is typed meanwhile is kept by the theme.
- Before it exchanges pages it makes all addresses absolute, and a browser reads a sheet or a font whose address is
  written anew. Here those keep theirs, and are known by the file's name, which holds a digest.
- It measures each block of code after it gave the block its button, so that a page of forty blocks was laid out forty
  times. Here the browser tells the sizes when it has laid out the page.
- For each block of code it asks the browser whether it can copy, and for each answer the page is styled anew. Every
  browser that runs the script can.
- It prepares a tooltip for each title, some hundred on a page. Here one is made when the pointer or the focus first
  comes to it.
- It does all this, and what the search needs, in one piece. Here contents and search have a task of their own each,
  so that the page answers in between.
- It tells the page its colours once it runs, each time through something that makes the browser style all elements
  anew. Here it says nothing that the page knows already (sitekit/theme/main.html tells it first), and keeps colours
  from fading where nothing was shown yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

FILE = re.compile(r"assets/javascripts/bundle\.\w+\.min\.js")
_MAP = re.compile(r"\n//# sourceMappingURL=\S+\s*$")

# A worker that begins with the first message it is sent; its address holds from where it was asked for.
_LATE_WORKER = (
    "t={from:`${new URL(e,location)}`,heard:[],addEventListener(...r){this.heard.push(r)},removeEventListener(){},"
    "postMessage(r){if(!this.own){this.own=new Worker(this.from);"
    "for(let o of this.heard)this.own.addEventListener(...o)}this.own.postMessage(r)}}"
)
_FILE = 'r.matches("[rel=stylesheet],[rel=preload]")?r.href.split("/").pop():r.outerHTML'
_LATE_TOOLTIPS = (
    'H(()=>{let s=new WeakSet;return L(h(e,"mouseover"),h(e,"focusin")).pipe('
    'm(a=>a.target.closest("[title]:not([data-preview])")),g(a=>a&&e.contains(a)&&!s.has(a)&&s.add(a)),'
    "J(a=>Xe(a,{viewport$:r})))})"
)
CHANGES = {
    'location.protocol!=="file:"': "!1",  # "unless read from disk, without waiting for the search to be opened"
    "t=new Worker(e)": _LATE_WORKER,
    'for(let r of M(":scope > *",e.head))t.set(r.outerHTML,r)': f'for(let r of M(":scope > *",e.head))t.set({_FILE},r)',
    'function vi(e){for(let t of M("[href], [src]",e))': (
        'function vi(e){for(let t of M("[href]:not([rel=stylesheet],[rel=preload]), [src]",e))'
    ),
    "function es(e){return Le(e).pipe(": (
        "function es(e){return new F(t=>{"
        "let r=new ResizeObserver(()=>t.next(de(e)));return r.observe(e),()=>r.disconnect()}).pipe("
    ),
    "G.forEach(function(Yt){We=We&&!!document.queryCommandSupported(Yt)}),We": "G.forEach(function(Yt){}),We",
    '...M("[title]:not([data-preview])",e)'
    '.filter(()=>V("content.tooltips")).map(i=>Xe(i,{viewport$:r}))': _LATE_TOOLTIPS,
    'V("content.tooltips")&&l.push(Xe(d,{viewport$}))}if(s.length)': "0}if(s.length)",
    "J(s=>ii(s))": 'J(s=>L(h(s,"mouseenter"),h(s,"focusin")).pipe(Ee(1),b(()=>ii(s))))',
    "_i(e,{index$:zi,keyboard$:mo})": "He(0).pipe(b(()=>_i(e,{index$:zi,keyboard$:mo})))",
    "oi(e,{sitemap$:qi,viewport$:ke,target$:Ht,print$:Ni})": (
        "He(0).pipe(b(()=>oi(e,{sitemap$:qi,viewport$:ke,target$:Ht,print$:Ni})))"
    ),
    'let o=x("meta",{name:"color-scheme"});document.head.appendChild(o)': (
        'let o=document.querySelector("meta[name=color-scheme]");'
        'o||(o=x("meta",{name:"color-scheme"}),document.head.appendChild(o))'
    ),
    "o.content=a.colorScheme": "(o.content===a.colorScheme||(o.content=a.colorScheme))",
    'document.body.setAttribute("data-md-color-switching","")': (
        'document.readyState==="complete"&&document.body.setAttribute("data-md-color-switching","")'
    ),
}


class Unknown(ValueError):
    """A script of the theme's is not the one that the changes were written for."""


def changed(text: str) -> str:
    """The script with all changes made; its map, which no longer fits, is not named."""
    for old, new in CHANGES.items():
        if (count := text.count(old)) != 1:
            rule = "it is to stand there once; see sitekit/theme_script.py for what it is to do"
            raise Unknown(f"the theme's script holds {old!r} {count} times: {rule}")
        text = text.replace(old, new)
    return without_map(text)


def without_map(text: str) -> str:
    """A script that names no map."""
    return _MAP.sub("\n", text)


def change(files: Any) -> None:
    """Let the build write the changed script in the place of the theme's own."""
    rewrite(files, FILE, changed)


def rewrite(files: Any, name: re.Pattern[str], changed: Callable[[str], str]) -> None:
    """Let the build write a file of the theme's as ``changed`` gives it, under its own name, and leave out its map."""
    for file in list(files):
        if name.fullmatch(file.src_uri):
            file.content_string = changed(file.content_string)
        elif name.fullmatch(file.src_uri.removesuffix(".map")):
            files.remove(file)
