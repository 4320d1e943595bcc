"""The one place where arguments are read, and the one place that raises.

Map: `refuse` raises. `widest_float` and `as_float` read arrays of numbers. `attention_shapes` fits Q, K, V.
`as_mask` and `as_bias` fit what is laid over the scores. Options that are no arrays: `_options`.
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
    """The widest float among the arrays, at least float32; integers count as float64."""
    dtypes: list[np.dtype[Any]] = [np.dtype(np.float32)]
    for name, x in arrays.items():
        if x is None:
            continue
        array = read(name, x)
        if array.dtype.kind not in "fiu":
            step = "Convert it to a float dtype first, such as float32"
            if array.dtype.kind == "b":
                step = "If it says who may attend, pass it as mask; if not, convert it to float32"
            rule = "attnref computes with real numbers, floats or integers"
            refuse(DtypeError, described(name, array), rule, step)
        dtypes.append(array.dtype if array.dtype.kind == "f" else np.dtype(np.float64))
    return np.result_type(*dtypes)


def as_float(dtype: np.dtype[np.floating[Any]], **arrays: npt.ArrayLike) -> list[FloatArray]:
    """The arrays in one float dtype; not copied where they have it already."""
    return [read(name, x).astype(dtype, copy=False) for name, x in arrays.items()]


def as_float_if_given(
    dtype: np.dtype[np.floating[Any]], **arrays: npt.ArrayLike | None
) -> list[FloatArray | None]:
    """Like `as_float`; None stays None."""
    return [None if x is None else as_float(dtype, **{name: x})[0] for name, x in arrays.items()]


def needs_axes(name: str, array: npt.NDArray[Any], *axes: str) -> None:
    """Refuse an array with fewer axes than are named, such as "L_q", "d_k"."""
    if array.ndim < len(axes):
        rule = f"it must have at least the axes (..., {', '.join(axes)})"
        step = f"For a length of one insert an axis, such as {name}[None]"
        refuse(ShapeError, f"{name} has shape {array.shape}", rule, step)


def attention_shapes(Q: FloatArray, K: FloatArray, V: FloatArray) -> Shape:
    """Check that Q, K and V fit together; return their leading axes, broadcast."""
    needs_axes("Q", Q, "L_q", "d_k")
    needs_axes("K", K, "L_k", "d_k")
    needs_axes("V", V, "L_k", "d_v")
    if K.shape[-1] != Q.shape[-1]:
        rule = f"its last axis must be as long as that of Q, shape {Q.shape}, "
        rule += "since each query is compared with each key number by number"
        step = "Project one of them to the width of the other, d_k"
        refuse(ShapeError, f"K has shape {K.shape}", rule, step)
    if V.shape[-2] != K.shape[-2]:
        rule = f"it must have one row for each key of K, shape {K.shape}, since each key stands for one value"
        step = "Give K and V the same L_k, the last axis but one"
        refuse(ShapeError, f"V has shape {V.shape}", rule, step)
    return leading_axes(Q=Q, K=K, V=V)


def leading_axes(**arrays: FloatArray) -> Shape:
    """The axes before the last two, broadcast together."""
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        given = " and ".join(f"{name} of shape {array.shape}" for name, array in arrays.items())
        rule = "the axes before the last two must be equal or of length one, counted from the right"
        refuse(ShapeError, given, rule, "Insert axes of one where they are missing, such as K[:, None]")


def _lies_on_scores(error: type[AttnRefError], name: str, shape: Shape, scores: Shape) -> None:
    """Refuse a shape that does not broadcast to that of the scores, or that would add to it."""
    pairs = zip(shape[::-1], scores[::-1], strict=False)
    if len(shape) > len(scores) or not all(have in (1, want) for have, want in pairs):
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


def projects(name: str, W: FloatArray, d_in: int, of: str, heads: int = 1) -> int:
    """Check that W takes d_in numbers and is made of that many heads; return the width of one."""
    if W.ndim != 2 or W.shape[0] != d_in:
        rule = f"it must be (d_in, d_out) with a d_in of {d_in}, {of}"
        refuse(
            ShapeError,
            f"{name} has shape {W.shape}",
            rule,
            f"If it is stored as (d_out, d_in), pass {name}.T",
        )
    return width_of_head(name, W, heads)


def width_of_head(name: str, array: FloatArray, heads: int) -> int:
    """How many numbers of the last axis go to each head."""
    if array.shape[-1] % heads:
        rule = f"its last axis must be a multiple of the number of heads, {heads}"
        refuse(ShapeError, f"{name} has shape {array.shape}", rule, "Give each head equally many numbers")
    return int(array.shape[-1]) // heads


def same_width(width: str, **widths: int) -> None:
    """Refuse two heads that should be equally wide and are not."""
    (first, one), (second, other) = widths.items()
    if one != other:
        given = f"{second} gives each head {other} numbers and {first} gives {one}"
        rule = f"both are the {width} of one head and must be equal"
        refuse(ShapeError, given, rule, "Check n_heads and n_kv_heads, or change the width of one matrix")


def is_vector(name: str, b: FloatArray | None, of: str, W: FloatArray) -> None:
    """Refuse a bias of a projection that is not one number for each column."""
    if b is not None and b.shape != W.shape[-1:]:
        rule = f"it must hold one number for each column of {of}, shape {W.shape}"
        refuse(ShapeError, f"{name} has shape {b.shape}", rule, f"Pass an array of shape {W.shape[-1:]}")
