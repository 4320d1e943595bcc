"""Bindings that prove nothing: the printed number, or the claim, stays whatever the page computes.

``2 + 0 * d_k`` uses a name and depends on none. So each expression is evaluated again with changed copies of what it
reads (see ``changed``). A number has to become another one under some change; a claim has to become false, and so has
each part that ``and`` joins. A change under which the expression fails shows nothing.
"""

from __future__ import annotations

import ast
import contextlib
import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from numbers import Number
from typing import Any

import numpy as np

from sitekit import limits
from sitekit.changed import KINDS, Lazy, changed
from sitekit.expressions import parse
from sitekit.numerals import flatten, mismatch
from sitekit.values import Scope, Value

SECONDS = 2.0  # a function of the page that is given changed copies may run on
_NOTHING, _GONE = object(), object()  # the expression failed; it failed since something is no longer there


class Trial:
    """Evaluates expressions of one page with changed copies of its names, each copy made once."""

    def __init__(self, scope: Scope, known: dict[tuple[str, ...], str | None]) -> None:
        self.scope = scope
        self.known = known  # what was found of this run before: a page is checked and then rendered
        self.copies: dict[tuple[str, str], Any] = {}

    def copy(self, name: str, kind: str) -> Any:
        if (name, kind) not in self.copies:
            value = self.scope.names[name]
            lazy = name in self.scope.modules or name == "cite"
            self.copies[name, kind] = Lazy(value, kind) if lazy else changed(value, kind)
        return self.copies[name, kind]

    def values(self, code: Any, names: frozenset[str]) -> Iterator[Any]:
        """What an expression gives under each change: of one name at a time, then of all that it reads at once."""
        known = [name for name in sorted(names) if name in self._changeable()]
        one_by_one = [(kind, [name]) for kind in KINDS for name in known if len(known) > 1]
        for kind, touched in [*one_by_one, *((kind, known) for kind in KINDS)]:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                value = self.value(code, {name: self.copy(name, kind) for name in touched})
            if value is not _NOTHING:
                yield value

    def _changeable(self) -> set[str]:
        computed = {name for name in self.scope.computed if "." not in name}
        return (computed | self.scope.modules.keys() | {"cite"}) & self.scope.names.keys()

    def value(self, code: Any, copies: Mapping[str, Any]) -> Any:
        """What an expression gives with these copies in the place of the page's names."""
        try:
            with contextlib.redirect_stdout(io.StringIO()), limits.at_most(SECONDS):
                value = eval(code, {**self.scope.names, **copies})
                return list(value) if isinstance(value, Iterator) else value
        except LookupError:
            return _GONE
        except (Exception, SystemExit):
            return _NOTHING


def numbers(trial: Trial, body: str, texts: Sequence[str], values: Sequence[Value]) -> str | None:
    """Say which number of a comment, of those that stand there, its expressions do not decide."""
    parts = parse(body.removeprefix("table:").strip())
    for part in dict.fromkeys(parts):
        all_texts = [text for text, value in zip(texts, values, strict=True) if value.source == part[0]]
        size = len(all_texts) // parts.count(part)  # an expression may stand there more than once
        for start in range(0, len(all_texts), size or 1):
            if reason := number(trial, *part, tuple(all_texts[start : start + size])):
                return reason
    return None


def number(trial: Trial, source: str, code: Any, names: frozenset[str], texts: tuple[str, ...]) -> str | None:
    """Say which printed number of an expression stays under all changes, or is a literal of it that comes and goes."""
    if (source, *texts) not in trial.known:
        trial.known[source, *texts] = _number(trial, source, code, names, texts)
    return trial.known[source, *texts]


def _number(trial: Trial, source: str, code: Any, names: frozenset[str], texts: Sequence[str]) -> str | None:
    switched = {k for k in range(len(texts)) if _is_literal(trial, source, texts, k)}
    left = list(range(len(texts)))
    seen: dict[int, set[str]] = {k: set() for k in left}
    for value in trial.values(code, names):
        if value is _GONE:
            continue
        flat = _flat(value)
        for k in list(left):  # where the places are no longer the same, the number may be any of them
            same = flat[k : k + 1] if len(flat) == len(texts) else flat
            if any(mismatch(texts[k], item) is None for item in same):
                continue
            seen[k].add(repr(same))
            if len(seen[k]) > (k in switched):
                left.remove(k)
        if not left:
            return None
    return (
        f"{source} gives {texts[left[0]]} whatever the page computes, so it proves nothing" if left else None
    )


def _flat(value: Any) -> list[Any]:
    return [item for item in flatten(value) if item is not None and item != ""]


def _is_literal(trial: Trial, source: str, texts: Sequence[str], k: int) -> bool:
    """Whether a printed number is written in its expression, and another one written there would come out."""
    for before, after in _other_literals(source):
        if mismatch(texts[k], before) is None:
            (_, code, _), *_ = parse(after)
            flat = _flat(trial.value(code, {}))
            if len(flat) == len(texts) and flat[k] == before + 1:
                return True
    return False


@lru_cache(maxsize=4096)
def _other_literals(source: str) -> tuple[tuple[Any, str], ...]:
    """Each number that an expression holds, with the expression that has one more in its place."""
    found = []
    tree = ast.parse(source, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            node.value += 1
            found.append((node.value - 1, ast.unparse(tree)))
            node.value -= 1
    return tuple(found)


def claim(trial: Trial, source: str) -> str | None:
    """Say which part of a claim no change of what it reads makes false."""
    if ("?", source) not in trial.known:
        firm = [part[0] for part in _conjuncts(source) if not _can_fail(trial, *part)]
        told = (
            f"the claim {firm[0]} is true whatever the page computes, so it proves nothing" if firm else None
        )
        trial.known["?", source] = told
    return trial.known["?", source]


def _can_fail(trial: Trial, source: str, code: Any, names: frozenset[str], form: str) -> bool:
    if form == "unequal":  # two values seldom become equal by chance: it is enough that they change
        sides = eval(code, trial.scope.names)
        before, texts = repr(sides), sum(isinstance(side, str) for side in sides)
        if any(side is None for side in sides) or (texts and any(isinstance(s, Number) for s in sides)):
            return False  # nothing and a text are unlike every number
        return any(value is not _GONE and repr(value) != before for value in trial.values(code, names))
    return any(
        (value is _GONE and form == "named") or (isinstance(value, bool | np.bool_) and not value)
        for value in trial.values(code, names)
    )


@lru_cache(maxsize=4096)
def _conjuncts(source: str) -> tuple[tuple[str, Any, frozenset[str], str], ...]:
    """The parts of a claim that ``and`` joins, each with its form.

    One that is "unequal" says that two sides differ: these are what is evaluated. One that is "named" says which
    constant a value is; where the value is not even there any more (an index out of bounds), it is false, too.
    """
    tree = ast.parse(source, mode="eval").body
    joined = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    found = []
    for node in joined:
        text = read = ast.unparse(node)
        form = "plain"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], ast.NotEq | ast.NotIn | ast.IsNot):
                form, read = "unequal", f"({ast.unparse(node.left)}, {ast.unparse(node.comparators[0])})"
            elif isinstance(node.ops[0], ast.Eq) and isinstance(node.comparators[0], ast.Constant):
                form = "named"
        (_, code, names), *_ = parse(read)
        found.append((text, code, names, form))
    return tuple(found)
