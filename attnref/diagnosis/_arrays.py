"""Arrays into the form that a function takes, and what it returns back into NumPy."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from attnref._errors import DtypeError
from attnref._validate import refuse
from attnref.diagnosis._pipeline import Array, Probe, Rules

AXES = {"B": 0, "H": 1, "L": 2, "D": 3}


def narrowed(probe: Probe, layout: str) -> Probe:
    """The probe with one sample, or one head, where the layout has no axis for more."""
    gone = [AXES[letter] for letter in "BH" if letter not in layout]
    if not gone or next(iter(probe.arrays.values())).ndim != 4:
        return probe

    def cut(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            for axis in gone:
                if x.ndim >= 4 - axis:
                    x = np.take(x, [0], axis=axis - 4)
        return x

    arrays = {name: cut(x) for name, x in probe.arrays.items()}
    options = {name: cut(x) for name, x in probe.options.items()}
    return replace(probe, arrays=arrays, options=options)


def equal_widths(probe: Probe) -> Probe:
    """The probe with values as wide as the keys, for functions that can do nothing else."""
    arrays = dict(probe.arrays)
    if {"K", "V"} <= set(arrays):
        d_k = arrays["K"].shape[-1]
        arrays["V"] = np.resize(arrays["V"], (*arrays["V"].shape[:-1], d_k))
    return replace(probe, arrays=arrays)


def _without(x: Array, layout: str) -> Array:
    """Without the axes that the layout has not."""
    for letter in "BH":
        axis = AXES[letter] - 4
        if letter not in layout and x.ndim >= -axis:
            x = x.squeeze(axis)
    return x


def laid_out(x: Array, layout: str) -> Array:
    """From (batch, heads, length, width) to the layout."""
    if x.ndim != 4:
        return x
    kept = [letter for letter in "BHLD" if letter in layout]
    return np.ascontiguousarray(_without(x, layout).transpose([kept.index(letter) for letter in layout]))


def stepping(x: Array) -> Array:
    """The same numbers as a view whose memory is in another order, as after a transpose."""
    a, b = (0, 1) if x.ndim < 4 else (1, 2)
    return np.ascontiguousarray(x.swapaxes(a, b)).swapaxes(a, b) if x.ndim > 1 else x


def laid_back(x: Array, layout: str) -> Array:
    """From the layout to (batch, heads, length, width); left alone where the number of axes is another."""
    if x.ndim != len(layout):
        return x
    kept = [letter for letter in "BHLD" if letter in layout]
    x = x.transpose([layout.index(letter) for letter in kept])
    for letter in "BH":
        if letter not in layout:
            x = np.expand_dims(x, AXES[letter])
    return x


def as_mask_given(mask: Array, rules: Rules, dtype: Any) -> Array:
    """A mask as the function takes it."""
    mask = _without(mask, rules.layout)
    if rules.mask == "hide":
        return np.asarray(~mask)
    if rules.mask == "additive":
        return np.where(mask, 0, -np.inf).astype(dtype)
    return np.array(mask)


def float_type(name: Any) -> np.dtype[Any]:
    """A dtype by its name; brain floats are known to NumPy where the package ml_dtypes is installed."""
    if str(name) == "bfloat16":
        try:
            name = import_module("ml_dtypes").bfloat16
        except ImportError:
            refuse(DtypeError, "dtype is 'bfloat16'", "NumPy has no such type", "Install ml_dtypes")
    found: np.dtype[Any] = np.dtype(name)
    return found


def step_of(name: str) -> float:
    """How far apart the numbers next to one are in a dtype; zero where it is none of ours."""
    return {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}.get(name, 0.0)


def into(x: Any, framework: str) -> Any:
    """A NumPy array as an array of the framework."""
    if not isinstance(x, np.ndarray) or framework == "numpy":
        return x
    if framework == "torch":
        torch = sys.modules["torch"]
        if x.dtype.name == "bfloat16":
            return torch.from_numpy(x.astype(np.float32)).to(torch.bfloat16)
        return torch.from_numpy(np.array(x))
    return sys.modules["jax"].numpy.asarray(x)


def back(x: Any) -> Array | None:
    """Whatever holds numbers, as a NumPy array; None if nothing of that kind."""
    for step in ("detach", "cpu", "resolve_conj"):
        if hasattr(x, step):
            x = getattr(x, step)()
    if "bfloat16" in str(getattr(x, "dtype", "")):
        x = x.float() if hasattr(x, "float") else x.astype("float32")
    if isinstance(x, (str, bytes, dict, set)) or x is None:
        return None
    if isinstance(x, (list, tuple)):
        x = [back(item) if not isinstance(item, (int, float, list, tuple)) else item for item in x]
    try:
        array = (
            np.asarray(x) if hasattr(x, "__array__") or not hasattr(x, "__dlpack__") else np.from_dlpack(x)
        )
    except Exception:
        return None
    return array if array.dtype.kind in "fiub" else None


def parts(value: Any) -> list[Any]:
    """What a function returned, taken apart: a tuple, a named tuple, a list of arrays, a dict, or a single array."""
    if isinstance(value, Mapping):
        named = [value[name] for name in ("output", "out", "context") if name in value]
        return named or list(value.values())
    if hasattr(value, "output") and not isinstance(value, tuple):
        return [value.output]
    if isinstance(value, list) and value and all(hasattr(part, "ndim") for part in value):
        return value
    return list(value) if isinstance(value, tuple) else [value]
