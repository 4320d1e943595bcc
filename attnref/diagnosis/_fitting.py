"""Probes as they suit a function: with a mask that it must be given, within what its dtype can hold."""

from dataclasses import replace
from typing import Any

import numpy as np

from attnref.diagnosis._changes import everything
from attnref.diagnosis._pipeline import Form, Probe


def with_mask(probe: Probe, form: Form) -> Probe:
    """With a mask that hides nothing, where there is none: a fault in reading masks may show there, too."""
    mask = None if "mask" in probe.options else everything(form, probe)
    if mask is None:
        return probe
    both = {f"mask+{name}" for name in probe.options}
    return replace(probe, options={**probe.options, "mask": mask}, features=probe.features | {"mask"} | both)


def fitting(probe: Probe, dtype: np.dtype[Any]) -> Probe:
    """Without the queries whose dot products overflow in this dtype, whatever computes them."""
    if dtype.name != "float16" or probe.dtype or not {"Q", "K"} <= set(probe.arrays):
        return probe
    Q, K = probe.arrays["Q"], probe.arrays["K"]
    if Q.shape[:-2] != K.shape[:-2] or Q.shape[-1] != K.shape[-1] or set(probe.options) - {"mask", "scale"}:
        return probe
    sizes = np.abs(Q) @ np.abs(K).mT  # (…, L_q, L_k): as great as any partial sum
    small = (sizes < float(np.finfo(dtype).max)).all(axis=(*range(sizes.ndim - 2), -1))  # (L_q,)
    if small.all() or not small.any():
        return probe
    options = dict(probe.options)
    if "mask" in options and options["mask"].shape[-2] == len(small):
        options["mask"] = options["mask"][..., small, :]
    return replace(probe, arrays={**probe.arrays, "Q": Q[..., small, :]}, options=options)
