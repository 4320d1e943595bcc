"""Read the options that are no arrays of numbers: lengths, factors, words, windows."""

import math
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from attnref._errors import AttnRefError, DtypeError, MaskError, ShapeError
from attnref._results import FloatArray
from attnref._validate import described, read, refuse

Side = int | None


def _is_count(value: object) -> bool:
    """Whether this is an integer of zero or more."""
    try:
        return operator.index(value) >= 0  # type: ignore[arg-type]
    except TypeError:
        return False


def size(name: str, value: int) -> int:
    """A length: an integer that is not negative."""
    if not _is_count(value):
        step = "Pass the length of an axis, such as K.shape[-2]"
        refuse(ShapeError, f"{name} is {value!r}", "it is a length, an integer of zero or more", step)
    return operator.index(value)


def how_many_keys(name: str, value: int) -> int:
    """A number of keys that stay in sight: an integer that is not negative."""
    if not _is_count(value):
        rule = "it is a count of keys, an integer of zero or more"
        refuse(MaskError, f"{name} is {value!r}", rule, "For none of them write 0")
    return operator.index(value)


def count(name: str, value: int) -> int:
    """How many of something there are, at least one."""
    if not _is_count(value) or value < 1:
        rule = "it is a count, an integer of one or more"
        refuse(ShapeError, f"{name} is {value!r}", rule, "Pass a whole number, not a fraction or an array")
    return operator.index(value)


def whole(name: str, value: int) -> int:
    """A whole number, which may be negative."""
    try:
        return operator.index(value)
    except TypeError:
        refuse(
            ShapeError,
            f"{name} is {value!r}",
            "it is a whole number",
            "Positions of each token go into positions",
        )


def rotated_width(rotated: int | None, d: int) -> int:
    """How many numbers of a token are turned, in pairs."""
    width = d if rotated is None else size("rotated", rotated)
    if width % 2 or width > d:
        given = f"X has a last axis of length {d}" if rotated is None else f"rotated is {width} of {d}"
        rule = (
            "numbers are turned in pairs, so their number is even and not above the length of the last axis"
        )
        refuse(ShapeError, given, rule, "Pass as rotated an even number of them; the others stay as they are")
    return width


def head_counts(n_heads: int, n_kv_heads: int | None) -> tuple[int, int]:
    """How many heads ask, and how many hold keys and values: a divisor of the former."""
    n_heads = count("n_heads", n_heads)
    n_kv_heads = n_heads if n_kv_heads is None else count("n_kv_heads", n_kv_heads)
    if n_heads % n_kv_heads:
        given = f"n_heads is {n_heads} and n_kv_heads is {n_kv_heads}"
        rule = "each key and value head serves equally many query heads"
        refuse(ShapeError, given, rule, "Choose an n_kv_heads that divides n_heads")
    return n_heads, n_kv_heads


def scale_factor(scale: float | None, d_k: int) -> float:
    """What the dot products are multiplied by: the scale given, or one over the square root of d_k."""
    if scale is not None:
        return number("scale", scale)
    if d_k == 0:
        rule = "the scale is one over the square root of d_k, the length of their last axis"
        step = "Give each token at least one number, or pass scale"
        refuse(ShapeError, "Q and K have a last axis of length 0", rule, step)
    return float(d_k**-0.5)


def number(name: str, value: float, *, positive: bool = False) -> float:
    """A single finite number."""
    rule = "it must be one finite number" + (" greater than zero" if positive else "")
    array = read(name, value)
    if array.ndim or array.dtype.kind not in "fiu":
        on_scores = name in ("scale", "softcap")
        step = (
            "What differs from score to score goes into bias" if on_scores else "Pass a float or an integer"
        )
        refuse(DtypeError, described(name, array), rule, step)
    if not math.isfinite(array) or (positive and array <= 0):
        refuse(AttnRefError, f"{name} is {value}", rule, "For the default leave it out")
    return float(array)


def flag(name: str, value: bool) -> bool:
    """True or False, and nothing that is only read as one of them."""
    if not isinstance(value, bool | np.bool_):
        step = "If it says who may attend to what, pass it as mask"
        refuse(DtypeError, f"{name} is of type {type(value).__name__}", "it is either True or False", step)
    return bool(value)


def choice(name: str, value: str, among: tuple[str, ...]) -> str:
    """One of the words that an option knows."""
    if not (isinstance(value, str) and value in among):
        words = " or ".join(repr(word) for word in among)
        refuse(AttnRefError, f"{name} is {value!r}", "this option knows certain words only", f"Write {words}")
    return value


def span(window: tuple[Side, Side]) -> tuple[Side, Side]:
    """The two sides of a window, each a count of keys or None."""
    if not (isinstance(window, tuple | list) and len(window) == 2):
        step = "For as many keys on both sides write the number twice, for no bound on a side None"
        refuse(MaskError, f"window is {window!r}", "a window is a pair (left, right)", step)
    for side in window:
        if side is not None and not _is_count(side):
            given = f"window, the pair (left, right), is {tuple(window)!r}"
            rule = "each side counts keys beside the query's own position, zero or more"
            refuse(MaskError, given, rule, "For no bound on a side write None")
    left, right = (None if side is None else operator.index(side) for side in window)
    return left, right


def as_lengths(lengths: npt.ArrayLike, L_k: int, name: str = "lengths") -> npt.NDArray[np.integer[Any]]:
    """How many keys are real, or belong to a prefix, for each sequence."""
    array = read(name, lengths)
    if array.dtype.kind not in "iu":
        step = "If it marks tokens with True, it is a mask already"
        refuse(MaskError, described(name, array), "it counts tokens, so it holds integers", step)
    if array.size and not (array.min() >= 0 and array.max() <= L_k):
        given = f"{name} goes from {array.min()} to {array.max()}"
        rule = f"each must lie between zero and L_k, {L_k}"
        refuse(MaskError, given, rule, "Pass as L_k the length of the keys, padding included")
    return array


def as_labels(name: str, labels: npt.ArrayLike) -> npt.NDArray[np.integer[Any]]:
    """A label for each token."""
    array = read(name, labels)
    if array.dtype.kind not in "iu":
        rule = "tokens with the same integer belong together"
        refuse(MaskError, described(name, array), rule, "Number the texts, such as one, one, two")
    if array.ndim == 0:
        refuse(
            ShapeError, f"{name} has no axis", "there is one label for each token", "Pass a list of labels"
        )
    return array


def axis_of(name: str, array: FloatArray, axis: int) -> int:
    """An axis that the array has."""
    if not isinstance(axis, int | np.integer) or not -array.ndim <= axis < array.ndim:
        given = f"axis is {axis!r} and {name} has shape {array.shape}"
        rule = f"it must count one axis of {name}, from either end"
        refuse(ShapeError, given, rule, "For the last one leave it out")
    return operator.index(axis)
