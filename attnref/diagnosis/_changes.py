"""Whether a call changed its inputs or returned their memory; and a mask that hides nothing."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnref.diagnosis._arrays import back
from attnref.diagnosis._pipeline import Array, Form, Probe


def aliased(output: Array | None, given: Mapping[str, Any]) -> str:
    """The array in whose memory the output lies, if it lies in any."""
    arrays = {
        name: x for name, x in ((n, back(value)) for n, value in given.items()) if x is not None and x.ndim
    }
    found = (name for name, x in arrays.items() if output is not None and np.may_share_memory(x, output))
    return next(found, "")


def everything(form: Form, probe: Probe) -> Array | None:
    """A mask that hides nothing; None where its shape changes from call to call."""
    arrays = list(probe.arrays.values())
    if form.drive is not None or len(arrays) < 2:
        return None
    if "X" in probe.arrays:
        batch, length, _ = arrays[0].shape
        return np.ones((batch, 1, length, length), dtype=bool)
    return np.ones((*arrays[0].shape[:-1], arrays[1].shape[-2]), dtype=bool)


def equal(a: Array, b: Array | None) -> bool:
    """Whether an array still holds the same, NaN included."""
    return b is not None and a.shape == b.shape and bool(np.all((a == b) | ((a != a) & (b != b))))
