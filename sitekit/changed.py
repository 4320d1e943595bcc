"""Changed copies of what a page computes, to see whether a binding notices.

``changed(value, kind)`` gives a value of the same make that differs as ``kind`` says. Nothing of the page is touched.
What cannot be copied (a module, an iterator) comes back as it is: then it shows nothing.
"""

from __future__ import annotations

import copy
import functools
import numbers
import types
import zlib
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

# In this order, from the change that nearly every binding notices to the rarest.
KINDS = ("up", "down", "turned", "longer", "alike", "first", "none", "retyped")
_NUMBERS = ("up", "down", "turned")  # the kinds that change a number: more, less, the other sign
_DEPTH = 6
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_NEXT = {
    kind: str.maketrans(_LETTERS, _LETTERS[step:] + _LETTERS[:step])
    for kind, step in (("up", 1), ("down", -1))
}


def changed(value: Any, kind: str, step: int = 0, depth: int = 0) -> Any:
    """A copy of a value, changed in all its parts. ``step`` keeps the parts of one whole from changing alike."""
    if depth > _DEPTH or isinstance(value, types.ModuleType | Iterator | type(None)):
        return value
    if isinstance(value, np.ndarray):
        return _array(value, kind)
    if isinstance(value, str):
        return _text(value, kind)
    if isinstance(value, bool | np.bool_ | numbers.Number | Decimal):
        return _number(value, kind, step)
    if isinstance(value, Mapping):
        return _mapping(value, kind, depth)
    if isinstance(value, list | tuple | set | frozenset | range):
        return _collection(value, kind, depth)
    return _function(value, kind, depth) if callable(value) else _object(value, kind, depth)


class Lazy:
    """The names of a program, or the record of sources: each is changed when it is asked for."""

    def __init__(self, whole: Any, kind: str) -> None:
        self._whole, self._kind = whole, kind
        self._kept: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self._kept:
            value = getattr(self._whole, name)
            inner = type(value) is type(self._whole)
            step = zlib.crc32(name.encode()) % 17
            self._kept[name] = Lazy(value, self._kind) if inner else changed(value, self._kind, step)
        return self._kept[name]


def _number(value: Any, kind: str, step: int) -> Any:
    if isinstance(value, bool | np.bool_):
        return type(value)(not value) if kind in ("up", "down") else value
    if kind not in _NUMBERS or isinstance(value, complex):
        return value
    if kind == "turned":
        return -value - 1
    if isinstance(value, numbers.Integral):
        far = 1 + abs(int(value)) // 2 + step
        return value + far if kind == "up" else value - far
    if isinstance(value, Fraction | Decimal):
        return value + 1 if kind == "up" else value - 1
    far = float(abs(value)) * 0.1 + 0.05 * (step + 1)
    return type(value)(value + far if kind == "up" else value - far)


def _text(value: str, kind: str) -> str:
    match kind:
        case "longer":
            return value + "x"
        case "turned":
            return value[::-1]
        case "first":
            return value[:1]
        case "none":
            return ""
    return value.translate(_NEXT[kind]) if kind in _NEXT else value


def _array(value: np.ndarray, kind: str) -> np.ndarray:
    """Where numbers become more or less, no two neighbours change alike: differences, orders and ties change, too."""
    if not value.size:
        return value
    match kind:
        case "turned":
            return np.flip(value) if value.ndim else -value
        case "longer":
            return np.pad(value, [(0, 1)] * value.ndim, mode="edge")
        case "alike":
            return np.full_like(value, value.flat[0])
        case "first" | "none":
            return value[(slice(0, kind == "first"),) * value.ndim]
        case "retyped":
            kinds = {"f": (np.float16, np.float64), "i": (np.int8, np.int64), "u": (np.uint8, np.uint64)}
            small, large = kinds.get(value.dtype.kind, (value.dtype, value.dtype))
            return value.astype(large if value.dtype == small else small)[np.newaxis]
    if value.dtype.kind == "b":
        return ~value
    if value.dtype.kind not in "iuf":
        return np.array([changed(item, kind) for item in value.flat], value.dtype).reshape(value.shape)
    # Not 1, 2, 3, …: one number that is twice another would stay so.
    steps = (np.arange(value.size) * (7 if kind == "up" else 5) % 17 + 1).reshape(value.shape)
    far = abs(value) * 0.1 + 0.05 * steps if value.dtype.kind == "f" else abs(value) // 2 + steps
    return (value + far if kind == "up" else value - far).astype(value.dtype)


def _mapping(value: Mapping, kind: str, depth: int) -> Any:
    items = [(key, changed(item, kind, k % 17, depth + 1)) for k, (key, item) in enumerate(value.items())]
    if kind == "longer" and items:
        items.append((_next_key(items[-1][0]), items[-1][1]))
    if kind == "alike":
        return {key: items[0][1] for key, _ in items}
    return dict(items[1:] + items[:1] if kind == "turned" else _placed(items, kind))


def _next_key(key: Any) -> Any:
    return f"{key}x" if isinstance(key, str) else key + 10_000 if isinstance(key, int) else object()


def _collection(value: Any, kind: str, depth: int) -> Any:
    inner = [
        item if isinstance(item, str) and kind not in _NEXT else changed(item, kind, k % 17, depth + 1)
        for k, item in enumerate(value)
    ]
    if hasattr(value, "_make"):  # a named tuple keeps its places
        return value._make(inner)
    return (list if isinstance(value, range) else type(value))(_placed(inner, kind))


def _placed(items: list, kind: str) -> list:
    """The items in other places, more of them or fewer."""
    match kind:
        case "turned":
            return items[::-1]
        case "longer":
            return items + items[-1:]
        case "alike":
            return items[:1] * len(items)
        case "first" | "none":
            return items[: kind == "first"]
    return items


def _function(value: Callable, kind: str, depth: int) -> Callable:
    @functools.wraps(value, updated=())
    def other(*args: Any, **kwargs: Any) -> Any:
        return changed(value(*args, **kwargs), kind, 0, depth + 1)

    return other


def _object(value: Any, kind: str, depth: int) -> Any:
    try:
        new = copy.copy(value)
        for k, (name, part) in enumerate(vars(value).items()):
            object.__setattr__(new, name, changed(part, kind, k % 17, depth + 1))
    except Exception:
        return value
    return new
