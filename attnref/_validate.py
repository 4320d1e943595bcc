"""The one place where arguments are read, and the one place that raises.

Map: `refuse` raises. `widest_float` and `as_float` read arrays of numbers; `as_mask` and `as_bias` read what
is laid over the scores. Whether arrays fit each other: `_fit`. Options that are no arrays: `_options`.
"""

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from attnref._errors import AttnRefError, DtypeError, MaskError, ShapeError
from attnref._results import BoolArray, FloatArray

Shape = tuple[int, ...]


def refuse(error: type[AttnRefError], given: str, rule: str, step: str) -> NoReturn:
    """Say what was given, which rule it breaks, and what to do next."""
    raise error(f"{given}: {rule}. {step}.")


def read(name: str, x: npt.ArrayLike) -> npt.NDArray[Any]:
    """An array or a nested list, as an array of whatever dtype it has."""
    try:
        return np.asarray(x)
    except ValueError:
        rule = "its rows differ in length, but an array has rows of one length"
        refuse(ShapeError, f"{name} is a nested list", rule, "Pad the short rows and mask what was added")


def described(name: str, array: npt.NDArray[Any]) -> str:
    """How a message names an array whose dtype is at fault."""
    return f"{name} has dtype {array.dtype} and shape {array.shape}"


def widest_float(**arrays: npt.ArrayLike | None) -> np.dtype[np.floating[Any]]:
    """The widest float among the arrays, at least `float32`; arrays of integers count as `float64`."""
    dtypes: list[np.dtype[Any]] = [np.dtype(np.float32)]
    for name, x in arrays.items():
        if x is None or (isinstance(x, int | float) and not isinstance(x, bool | np.generic)):
            continue  # a bare number of Python's has no width of its own
        array = read(name, x)
        if array.dtype.kind not in "fiu" and not _is_narrow_float(array.dtype):
            step = "Convert it to a float dtype first, such as float32"
            if array.dtype.kind == "b":
                step = "If it says who may attend, pass it as mask; if not, convert it to float32"
            rule = "attnref computes with real numbers, floats or integers"
            refuse(DtypeError, described(name, array), rule, step)
        if array.dtype.kind != "V":  # what is narrower than float32 has no say
            dtypes.append(array.dtype if array.dtype.kind == "f" else np.dtype(np.float64))
    return np.result_type(*dtypes)


def _is_narrow_float(dtype: np.dtype[Any]) -> bool:
    """Whether this is one of the narrow floats of `ml_dtypes`, which NumPy itself does not know."""
    return dtype.kind == "V" and np.can_cast(dtype, np.float32)


def as_float(dtype: np.dtype[np.floating[Any]], **arrays: npt.ArrayLike) -> list[FloatArray]:
    """The arrays in one float dtype; not copied where they have it already."""
    return [read(name, x).astype(dtype, copy=False) for name, x in arrays.items()]


def as_float_if_given(
    dtype: np.dtype[np.floating[Any]], **arrays: npt.ArrayLike | None
) -> list[FloatArray | None]:
    """Like `as_float`; None stays None."""
    return [None if x is None else as_float(dtype, **{name: x})[0] for name, x in arrays.items()]


def broadcasts(shape: Shape, target: Shape) -> bool:
    """Whether an array of this shape broadcasts to the target without adding to it."""
    pairs = zip(shape[::-1], target[::-1], strict=False)
    return len(shape) <= len(target) and all(have in (1, want) for have, want in pairs)


def _lies_on_scores(error: type[AttnRefError], name: str, shape: Shape, scores: Shape) -> None:
    """Refuse a shape that does not broadcast to that of the scores, or that would add to it."""
    if not broadcasts(shape, scores):
        rule = f"it must broadcast to the scores, shape {scores}, without adding to their axes"
        step = "Its last axis is the keys', the one before it the queries'; insert axes of one for others"
        refuse(error, f"{name} has shape {shape}", rule, step)


def as_mask(mask: npt.ArrayLike, scores: Shape) -> BoolArray:
    """A boolean mask that lies on scores of this shape."""
    array = read("mask", mask)
    if array.dtype.kind != "b":
        step = "Where a number other than zero means that a query may attend, pass mask != 0"
        if array.dtype.kind == "f":
            step = "If its numbers are to be added to the scores, pass it as bias. " + step
        rule = "a mask is boolean, True where a query may attend to a key"
        refuse(MaskError, described("mask", array), rule, step)
    _lies_on_scores(MaskError, "mask", array.shape, scores)
    return array


def as_bias(bias: npt.ArrayLike, dtype: np.dtype[np.floating[Any]], scores: Shape) -> FloatArray:
    """An additive term that lies on scores of this shape."""
    array = as_float(dtype, bias=bias)[0]
    _lies_on_scores(ShapeError, "bias", array.shape, scores)
    return array
