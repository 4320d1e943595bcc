"""All modules of the site in one classic script, for a site that is read from disk: there a browser takes no modules.

Only the words that modules alone may hold are changed, and only in the forms that the site's own scripts use; whatever
else says `import` or `export` is refused with its line. What modules fetch from beside them comes along as text.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath

HEAD = """(() => {
"use strict"
const $root = new URL(".", document.currentScript.src)
const $modules = {}, $begun = {}
const $Worker = window.$Worker ?? window.Worker // the browser's own, where something took its name
const $load = (path) => ($begun[path] ??= $modules[path](new URL(path, $root).href))
const $bring = (here) => (address) => $load(new URL(address, here).href.slice($root.href.length))
const $fetch = (address) => {
  const text = $files[new URL(address, $root).href.slice(new URL("../", $root).href.length)]
  return text === undefined ? fetch(address) : Promise.resolve(new Response(text))
}
"""

_NAME = r"[\w$]+"
_ALL = re.compile(rf'^import \* as ({_NAME})\s+from "([^"]+)";?$', re.MULTILINE)
_SOME = re.compile(r'^import \{([^}]+)\}\s+from "([^"]+)";?$', re.MULTILINE)
_EXPORT = re.compile(rf"^export ((?:async )?function\*?|class|const) ({_NAME})", re.MULTILINE)
_FETCH = re.compile(r"(?<![\w.])fetch\(")
_LATE = re.compile(r"(?<![\w.])import\(")
_LEFT = re.compile(r"^\s*(?:import|export)\b|\bimport\.meta\b(?!\.url)", re.MULTILINE)


class NotTaken(ValueError):
    """A module says something that is not turned into a classic script."""


def bundle(folder: Path, entries: list[str], instead: dict[str, str] | None = None) -> str:
    """One script that does what the modules ``entries``, paths below ``folder``, do.

    ``instead`` names modules for which another file stands in. JSON files below ``folder`` and beside it (in
    ``maps/``) come along for what modules fetch.
    """
    stand_ins = instead or {}
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.js"))
    parts = [HEAD, f"const $files = {_files(folder.parent)}\n"]
    for name in names:
        text = (folder / stand_ins.get(name, name)).read_text(encoding="utf-8")
        if name not in stand_ins.values() and (name in entries or _EXPORT.search(text)):
            parts.append(f'$modules["{name}"] = async ($here) => {{\n{_plain(name, text)}}}\n')
    parts += [f'$load("{entry}")\n' for entry in entries]
    return "".join([*parts, "})()\n"])


def _plain(name: str, text: str) -> str:
    """A module's text as the body of a function, which gives what the module exports."""
    folder = PurePosixPath(name).parent

    def below(address: str) -> str:
        parts: list[str] = []
        for part in (folder / address).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        return "/".join(parts)

    exported = [match[2] for match in _EXPORT.finditer(text)]
    text = _ALL.sub(lambda m: f'const {m[1]} = await $load("{below(m[2])}")', text)
    text = _SOME.sub(lambda m: f'const {{{m[1].replace(" as ", ": ")}}} = await $load("{below(m[2])}")', text)
    text = _EXPORT.sub(r"\1 \2", text)
    for address in ("import.meta.url", "document.currentScript.src"):
        text = text.replace(address, "$here")
    text = text.replace("new Worker(", "new $Worker(")
    text = _LATE.sub("$bring($here)(", _FETCH.sub("$fetch(", text))
    if left := _LEFT.search(text):
        line = text.count("\n", 0, left.end()) + 1
        rule = "a module imports by name or as a whole, and exports where it defines"
        raise NotTaken(f"{name}:{line}: {left[0].strip()!r} is not turned into a classic script: {rule}")
    return text.rstrip() + f"\nreturn {{ {', '.join(exported)} }}\n"


def _files(assets: Path) -> str:
    """The texts of the JSON files that modules may fetch, by their places below ``assets``."""
    found = sorted([*assets.glob("javascripts/**/*.json"), *assets.glob("maps/*.json")])
    texts = {path.relative_to(assets).as_posix(): path.read_text(encoding="utf-8") for path in found}
    return json.dumps(texts, ensure_ascii=False)
