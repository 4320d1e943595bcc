"""The last step of every form: add up the values by their weights."""

import numpy as np

from attnref._results import BoolArray, FloatArray


def blend(weights: FloatArray, V: FloatArray, allowed: BoolArray) -> FloatArray:
    """Add up the values by their weights, and touch no value that is not allowed."""
    if np.isfinite(V).all():
        return np.asarray(weights @ V)  # (..., L_q, d_v)
    # Zero times NaN is NaN: what is masked must be left out, not multiplied. Query by query, to spare memory.
    allowed = np.broadcast_to(allowed, weights.shape)
    output = np.empty(weights.shape[:-1] + V.shape[-1:], dtype=weights.dtype)  # (..., L_q, d_v)
    with np.errstate(all="ignore"):
        for i in range(weights.shape[-2]):
            terms = np.where(allowed[..., i, :, None], weights[..., i, :, None] * V, 0)  # (..., L_k, d_v)
            output[..., i, :] = terms.sum(axis=-2)
    return output
