"""Whether arrays fit each other: the axes that the equations tie together."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from attnref._errors import MaskError, ShapeError
from attnref._results import BoolArray, FloatArray
from attnref._validate import broadcasts, described, read, refuse

Shape = tuple[int, ...]


def needs_axes(name: str, array: npt.NDArray[Any], *axes: str) -> None:
    """Refuse an array with fewer axes than are named, such as "L_q", "d_k"."""
    if array.ndim < len(axes):
        rule = f"it must have at least the axes (..., {', '.join(axes)})"
        step = f"For a length of one insert an axis, such as {name}[None]"
        refuse(ShapeError, f"{name} has shape {array.shape}", rule, step)


def attention_shapes(Q: FloatArray, K: FloatArray, V: FloatArray) -> Shape:
    """Check that Q, K and V fit together; return their leading axes, broadcast."""
    leading = token_shapes(Q, K, V)
    if K.shape[-1] != Q.shape[-1]:
        rule = f"its last axis must be as long as that of Q, shape {Q.shape}, "
        rule += "since each query is compared with each key number by number"
        step = "Project one of them to the width of the other, d_k"
        refuse(ShapeError, f"K has shape {K.shape}", rule, step)
    return leading


def token_shapes(Q: FloatArray, K: FloatArray, V: FloatArray) -> Shape:
    """Like `attention_shapes`, where queries and keys may differ in width."""
    needs_axes("Q", Q, "L_q", "d_k")
    needs_axes("K", K, "L_k", "d_k")
    needs_axes("V", V, "L_k", "d_v")
    one_value_a_key(K, V)
    return leading_axes(Q=Q, K=K, V=V)


def one_value_a_key(K: FloatArray, V: FloatArray) -> None:
    """Refuse values that are not as many as the keys."""
    if V.shape[-2] != K.shape[-2]:
        rule = f"it must have one row for each key of K, shape {K.shape}, since each key stands for one value"
        step = "Give K and V the same L_k, the last axis but one"
        refuse(ShapeError, f"V has shape {V.shape}", rule, step)


def leading_axes(**arrays: FloatArray) -> Shape:
    """The axes before the last two, broadcast together."""
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        given = " and ".join(f"{name} of shape {array.shape}" for name, array in arrays.items())
        rule = "the axes before the last two must be equal or of length one, counted from the right"
        refuse(ShapeError, given, rule, "Insert axes of one where they are missing, such as K[:, None]")


def continues(name: str, array: FloatArray, cached: FloatArray) -> None:
    """Refuse new keys or values that do not go on where the cached ones end."""
    if array.shape[:-2] + array.shape[-1:] != cached.shape[:-2] + cached.shape[-1:]:
        rule = f"it must be like the cached one, shape {cached.shape}, in all axes but the last but one"
        refuse(ShapeError, f"{name} has shape {array.shape}", rule, "Begin a new cache by passing None")


def broadcasts_to(name: str, array: npt.NDArray[Any], shape: Shape, meaning: str) -> None:
    """Refuse an array that does not broadcast to a shape, or that would add to it."""
    if not broadcasts(array.shape, shape):
        rule = f"it must broadcast to {shape}, {meaning}"
        refuse(
            ShapeError, f"{name} has shape {array.shape}", rule, "Insert axes of one where they are missing"
        )


def has_blocks(blocks: npt.ArrayLike, rows: int, columns: int) -> BoolArray:
    """Read a boolean array with one entry for each pair of blocks."""
    array = read("blocks", blocks)
    if array.dtype.kind != "b":
        rule = "it is boolean, True where a block of queries may attend to a block of keys"
        refuse(MaskError, described("blocks", array), rule, "Pass blocks != 0 if it counts or weighs")
    if array.shape[-2:] != (rows, columns):
        rule = f"its last two axes must be ({rows}, {columns}): as many blocks as cover L_q and L_k"
        refuse(MaskError, f"blocks has shape {array.shape}", rule, "Check block_size and the two lengths")
    return array


def has_numbers(name: str, array: FloatArray) -> None:
    """Refuse tokens that hold no numbers at all."""
    if array.ndim == 0 or array.shape[-1] == 0:
        rule = "its last axis holds the numbers of a token, at least one"
        refuse(ShapeError, f"{name} has shape {array.shape}", rule, "Check which axis is the last")


def leads_back(name: str, W: npt.ArrayLike, X: FloatArray) -> None:
    """Refuse a matrix whose product cannot be added to the tokens."""
    shape = np.shape(W)
    if shape[-1:] != X.shape[-1:]:
        rule = f"its last axis must be as long as that of X, shape {X.shape}, to which its product is added"
        refuse(ShapeError, f"{name} has shape {shape}", rule, "Give it d_model columns")


def summed_to(shape: Shape, gradient: FloatArray) -> FloatArray:
    """The gradient of an array that was broadcast: the sum over the axes along which it was."""
    added = gradient.ndim - len(shape)
    stretched = [added + n for n, length in enumerate(shape) if length == 1 != gradient.shape[added + n]]
    return np.asarray(gradient.sum(axis=(*range(added), *stretched)).reshape(shape))


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


def has_shape(name: str, array: npt.NDArray[Any] | None, shape: Shape, meaning: str) -> None:
    """Refuse an array of parameters, if there is one, that has not exactly this shape."""
    if array is not None and array.shape != shape:
        turned = f"Pass {name}.T" if array.shape == shape[::-1] else "Check which arrays it belongs to"
        refuse(
            ShapeError, f"{name} has shape {array.shape}", f"it must have shape {shape}, {meaning}", turned
        )


def as_pairs(parts: Sequence[Sequence[npt.ArrayLike]]) -> dict[str, npt.ArrayLike]:
    """Partial results under the names that messages call them by, an output and a log-normalizer in turn."""
    if not parts:
        refuse(
            ShapeError, "no part is given", "merging takes one partial result or more", "Pass at least one"
        )
    for n, part in enumerate(parts):
        if len(part) != 2:
            rule = "a part is a pair of an output and a log-normalizer"
            refuse(
                ShapeError, f"part {n} holds {len(part)} arrays", rule, "Compute it with blockwise_attention"
            )
    return {f"part {n}[{k}]": part[k] for n, part in enumerate(parts) for k in range(2)}


def same_parts(outputs: list[FloatArray], log_normalizers: list[FloatArray]) -> None:
    """Refuse partial results that are not about the same queries and features."""
    for n, (output, log_normalizer) in enumerate(zip(outputs, log_normalizers, strict=True)):
        if output.shape[:-1] != log_normalizer.shape:
            given = f"part {n} holds an output of shape {output.shape} and with it {log_normalizer.shape}"
            refuse(ShapeError, given, "a log-normalizer has one number for each query", "Drop its last axis")
        if output.shape != outputs[0].shape:
            given = f"part {n} has an output of shape {output.shape} and part 0 one of {outputs[0].shape}"
            rule = "all parts answer the same queries"
            refuse(ShapeError, given, rule, "Pass all queries to each part and cut up keys and values only")
