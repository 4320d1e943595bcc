"""What goes wrong where numbers are kept too narrow."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from attnref.diagnosis._pipeline import Hook, Variant, Work
from attnref.diagnosis._steps import normalise, top
from attnref.diagnosis._wrong_softmax import of_everything, shifts


def _narrow(dtype: npt.DTypeLike, cast: str) -> dict[str, Hook]:
    def in_softmax(w: Work) -> None:
        w.logits = w.logits.astype(dtype)
        normalise(w)
        w.weights = w.weights.astype(np.float64)

    def after_shift(w: Work) -> None:
        powers = np.exp((w.logits - top(w.logits)).astype(dtype))
        w.weights = (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float64)

    def at_once(w: Work) -> None:
        w.Q, w.K, w.V = (array.astype(dtype) for array in (w.Q, w.K, w.V))

    return (
        {"inputs": at_once}
        if cast == "all"
        else {"normalise": in_softmax if cast == "softmax" else after_shift}
    )


def _sooner(bound: int, dtype: str) -> list[Variant]:
    """What is overlooked in double precision and breaks in a narrower dtype."""
    overflow = f"no maximum is subtracted, and exp of {dtype} overflows above {bound}"
    vanish = f"one maximum is subtracted for all rows, so that low rows vanish in {dtype}"
    found = [
        *shifts("softmax_overflow", overflow, lambda x: 0.0, dtype=dtype),
        *shifts("softmax_global_max", vanish, of_everything, dtype=dtype),
    ]
    return [replace(v, needs=frozenset()) for v in found]  # scores need not be large to be too large


VARIANTS: list[Variant] = [
    Variant("softmax_downcast", _narrow(np.float32, "softmax"), says="your softmax runs in float32",
        common=False, loose=5e-6),
    Variant("softmax_downcast", _narrow(np.float32, "all"), says="everything runs in float32", common=False,
        loose=5e-6),
    Variant("softmax_low_precision", _narrow(np.float16, "softmax"), says="your softmax runs in float16",
        common=False, loose=4e-3),
    Variant("softmax_low_precision", _narrow(np.float16, "shifted"), says="the softmax runs in float16",
        common=False, loose=4e-3),
    Variant("softmax_low_precision", _narrow(np.float16, "all"), says="everything runs in float16",
        common=False, loose=2e-2),
    *_sooner(88, "float32"),
    *_sooner(11, "float16"),
]  # fmt: skip
