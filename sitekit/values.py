"""What the expressions of a comment give with what a page computed, flattened and labelled."""

from __future__ import annotations

import ast
import builtins
import difflib
import numbers
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sitekit.expressions import BindingError, NameMissing, NotHere, parse
from sitekit.numerals import flatten
from sitekit.pages import Page
from sitekit.programs import Run
from sitekit.sources import NotRecorded

if TYPE_CHECKING:
    from sitekit.bindings import Binding

_PRIMARY = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.List  # takes an index without brackets
DIGITS = 1900  # of a value or a numeral; numerals are compared to two thousand
_LARGEST = 10**DIGITS


@dataclass(frozen=True)
class Value:
    """One value with the text that a reader is shown as its origin."""

    value: Any
    label: str  # keys[2][0]
    source: str = ""  # the expression it is a part of: keys


class Scope:
    """What the expressions of a page can use: its names, its programs, ``np`` and the record of sources."""

    def __init__(self, page: Page, run: Run) -> None:
        self.names = {"np": np, "cite": page.record.cite, **run.modules, **run.names}
        self.modules = run.modules
        self.computed = run.computed
        self.absent = run.absent
        self.used: set[str] = set()

    def evaluate(self, source: str, code: Any, names: frozenset[str]) -> Any:
        """Evaluate one expression; it has to use something that the page computes or a source says."""
        known = names & self.computed.keys()
        if packages := sorted({self.absent[name] for name in names & self.absent.keys()}):
            raise NotHere(f"{source}, which is computed where {', '.join(packages)} is installed")
        if missing := self._missing(names):
            raise NameMissing(f"{source}: {missing}")
        if not known and "cite" not in names:
            raise BindingError(f"{source} uses no name that the page computes, so it proves nothing")
        self.used |= known
        try:
            with np.errstate(all="ignore"):
                return eval(code, self.names)
        except NotRecorded as error:
            raise BindingError(f"{source}: {error}") from None
        except (Exception, SystemExit) as error:  # exit() ends a program, not this one
            raise BindingError(f"{source} raised {type(error).__name__}: {error}") from None

    def _missing(self, names: frozenset[str]) -> str | None:
        """What is said of a name that neither the page nor Python has, or that a program or the record lacks."""
        for name in sorted(names):
            first, dot, rest = name.partition(".")
            if not dot and first not in self.names and not hasattr(builtins, first):
                near = difflib.get_close_matches(first, self.names, n=1)
                return f"name {first!r} is not defined" + (f": did you mean {near[0]}?" if near else "")
            if first in self.modules and dot and not hasattr(self.modules[first], rest):
                computed = [key.partition(".")[2] for key in self.computed if key.startswith(f"{first}.")]
                return f"{first} has no {rest}: it computes {', '.join(computed)}"
        return None

    def values(self, body: str) -> list[Value]:
        """All values of a comment, flattened, each with its label."""
        return [value for part in parse(body) for value in _label(self.evaluate(*part), part[0])]


def _flat(value: Any, source: str) -> list[Any]:
    """The single values of a value; none is longer than any page could print."""
    flat = list(flatten(value))
    for item in flat:
        large = isinstance(item, numbers.Integral) and abs(int(item)) >= _LARGEST
        if large or (isinstance(item, Decimal) and item.is_finite() and abs(item.adjusted()) > DIGITS):
            raise BindingError(f"{source} gives a number of more than {DIGITS} digits, which no page prints")
    return flat


def _label(value: Any, source: str) -> list[Value]:
    flat = _flat(value, source)
    if len(flat) == 1:
        return [Value(flat[0], source, source)]
    simple = getattr(value, "ndim", None) == 1 or isinstance(value, list | tuple)
    if simple and len(value) == len(flat):
        return [Value(item, _part(source, k), source) for k, item in enumerate(flat)]
    count = len(flat)
    return [Value(item, f"{source} (value {k + 1} of {count})", source) for k, item in enumerate(flat)]


def _part(source: str, *places: int) -> str:
    """How Python names a part of an expression: ``keys[2][0]``, ``(keys @ query)[2]``."""
    whole = source if _is_primary(source) else f"({source})"
    return whole + "".join(f"[{place}]" for place in places)


@lru_cache(maxsize=4096)
def _is_primary(source: str) -> bool:
    return isinstance(ast.parse(source, mode="eval").body, _PRIMARY)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def table_values(scope: Scope, binding: Binding) -> list[Value]:
    """The values of the table form, in the order of the binding's numerals (column by column)."""
    parts = parse(binding.comment.body.removeprefix("table:").strip())
    if len(parts) != len(binding.columns):
        given = ", ".join(source for source, _, _ in parts)
        raise BindingError(
            f"the table has {_count(len(binding.columns), 'column')} with numerals to bind, "
            f"the comment gives {_count(len(parts), 'expression')}: {given}"
        )
    values = []
    for k, (part, column) in enumerate(zip(parts, binding.columns, strict=True)):
        value = scope.evaluate(*part)
        try:
            rows = list(value)
        except TypeError:
            needed = f"a column needs one entry for each of its {len(column)} rows"
            raise BindingError(f"{part[0]} gives no rows: {needed}") from None
        if len(rows) != len(column):
            has = f"{part[0]} has {_count(len(rows), 'entry', 'entries')}"
            raise BindingError(f"{has}, the table has {_count(len(column), 'row')}")
        for r, (row, cell) in enumerate(zip(rows, column, strict=True)):
            flat = [item for item in _flat(row, part[0]) if item is not None and (cell or item != "")]
            if len(flat) != len(cell):
                shown = ", ".join(n.text for n in cell) or "none"
                raise BindingError(
                    f"row {r + 1} of column {k + 1} of {part[0]}: {_count(len(flat), 'value')} for the numerals {shown}"
                )
            deeper = len(flat) > 1
            labels = [_part(part[0], r, k) if deeper else _part(part[0], r) for k in range(len(flat))]
            values += [Value(item, label, part[0]) for item, label in zip(flat, labels, strict=True)]
    return values
