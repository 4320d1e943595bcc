"""Labs as notebooks: what a reader downloads, made from the same cells that the page shows.

The outputs in the notebook are those that stand in the lab's file. The ledger compares them with what the cells
print whenever the page is built or tested, and the tests run the notebook in a kernel as well.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import quote, urljoin

from sitekit import percent
from sitekit.percent import Cell

_COMMENT = r"<!--(?:=|\?|tex\b)(?:(?!-->).)*-->"
_OWN_LINE = re.compile(rf"^[ \t]*{_COMMENT}[ \t]*\n?", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(_COMMENT, re.DOTALL)
_HEADING_ID = re.compile(r"^(#{1,6} .*?)[ \t]*\{:?[ \t]*#[\w-]+[ \t]*\}[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#|/)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?(?=[)\s])")
_BOX = re.compile(
    r'^(?P<mark>!!!|\?\?\?\+?)[ ]\w[\w ]*?(?:[ ]"(?P<title>[^"\n]*)")?[ \t]*\n(?P<body>(?:(?:[ ]{4}.*|[ \t]*)\n?)*)',
    re.MULTILINE,
)


def notebook(text: str, page: str, site: str) -> str:
    """The lab as a file for Jupyter, its outputs included.

    ``page`` is the lab's place below docs/, ``site`` the address where the site is published.
    """
    cells, count = [], 0
    for number, cell in enumerate(percent.cells(text), 1):
        made: dict[str, Any] = {"id": f"cell-{number}", "cell_type": cell.kind, "metadata": {}}
        if cell.kind == "code":
            count += 1
            outputs = [_stream(cell.output)] if cell.output is not None else []
            made |= {"execution_count": count, "outputs": outputs, "source": _lines("\n".join(cell.source))}
        else:
            made["source"] = _lines(for_jupyter(cell, page, site))
        cells.append(made)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _stream(output: list[str]) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": _lines("\n".join(output) + "\n")}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def for_jupyter(cell: Cell, page: str, site: str) -> str:
    """A Markdown cell as Jupyter can show it: no comments of the ledger, whole addresses, boxes as quotes or folds."""
    text = _INLINE.sub("", _OWN_LINE.sub("", "\n".join(cell.source)))
    text = _HEADING_ID.sub(r"\1", text)
    text = _LINK.sub(lambda match: _address(match["path"], page, site) + (match["anchor"] or ""), text)
    return _BOX.sub(_box, text).rstrip("\n")


def _address(target: str, page: str, site: str) -> str:
    """Where a link that is relative to the page's file leads once the site is published."""
    path = normpath(join(dirname(page), target))
    path = re.sub(r"(?:(?:^|(?<=/))index)?\.md$", "/", path) if path.endswith(".md") else path
    path = f"{path.removesuffix('.py')}/" if path.startswith("labs/") and path.endswith(".py") else path
    return urljoin(site, path.lstrip("/"))


def _box(match: re.Match[str]) -> str:
    title, body = match["title"] or "", re.sub(r"^[ ]{4}", "", match["body"], flags=re.MULTILINE).strip("\n")
    if match["mark"].startswith("?"):
        return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>\n\n"
    lines = [f"**{title}**", "", *body.split("\n")] if title else body.split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines) + "\n\n"


def download(slug: str, page: str) -> str:
    """The line below a lab's title that says how to take it along, or open it elsewhere.

    The files lie beside the page, whose address is ``page`` once the site is published: Colab fetches them from there.
    """
    colab = f"https://colab.research.google.com/#fileId={quote(urljoin(page, f'{slug}.ipynb'), safe='')}"
    return (
        f'\n<p class="lab-files">Run it yourself: <a href="{slug}.ipynb" download>notebook for Jupyter</a>, '
        f'<a href="{slug}.py" download>Python file</a>, or <a href="{colab}">open it in Colab</a> (another site, which '
        "asks for an account).</p>"
    )


def module_of(package: str) -> str:
    """The module that a package installs, by the usual rule."""
    return package.replace("-", "_")


def needed(text: str) -> set[str]:
    """The packages that the cells of a lab import or whose files they look for, those of Python itself left out."""
    found: set[str] = set()
    for cell in percent.cells(text):
        for node in ast.walk(ast.parse("\n".join(cell.source) if cell.kind == "code" else "")):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or ".").partition(".")[0])
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "metadata.files":
                found |= {module_of(name.value) for name in node.args if isinstance(name, ast.Constant)}
    return found - set(sys.stdlib_module_names)
