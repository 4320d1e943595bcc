"""The expressions of a comment, as Python: read, refused where they are none, each with the names it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_REFUSED = (
    ((ast.Yield, ast.YieldFrom), "a comment is no generator: leave yield out"),
    (ast.Await, "a comment runs at once: leave await out"),
    (ast.NamedExpr, "a comment gives no name a value: assign it in a block"),
)


class BindingError(Exception):
    """A comment that cannot be paired or evaluated; the text says why and what to do."""


class NotHere(BindingError):
    """A comment that uses a name which is computed where a package is installed that is missing here."""


class NameMissing(BindingError):
    """A comment that uses a name which nothing computed."""


@lru_cache(maxsize=8192)
def parse(body: str) -> tuple[tuple[str, Any, frozenset[str]], ...]:
    """Split a comment's text into its expressions: (source, code object, names it uses)."""
    if "\n" in body:
        body = " ".join(body.split())
    if "<!--" in body:
        raise BindingError("this comment is never closed before the next one begins: end it with -->")
    try:  # as what a call is given: a bracket too many then makes it another thing than a call
        tree = ast.parse(f"values({body})", mode="eval").body
        if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
            raise SyntaxError("unmatched ')'")
        if tree.end_col_offset != len(f"values({body})".encode()):
            raise SyntaxError("unmatched ')'")
        if not tree.args and not tree.keywords:
            raise SyntaxError("it holds no expression")
        if refused := [text for kind, text in _REFUSED if any(isinstance(n, kind) for n in ast.walk(tree))]:
            raise SyntaxError(refused[0])
        if tree.keywords or any(isinstance(node, ast.Starred) for node in tree.args):
            raise SyntaxError("write values, without a star or a name before them")
        return tuple(
            (ast.unparse(node), compile(ast.Expression(node), "<binding>", "eval"), frozenset(_names(node)))
            for node in tree.args
        )
    except SyntaxError as error:
        raise BindingError(f"{body!r} is not a Python expression: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BindingError(f"{body[:60]!r} cannot be read as Python: {error}") from None


def _names(node: ast.expr) -> Iterator[str]:
    """The free names an expression uses; ``bank.weights`` gives both ``bank`` and ``bank.weights``."""
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in bound:
            yield part.id
        if (
            isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id not in bound
        ):
            yield f"{part.value.id}.{part.attr}"
