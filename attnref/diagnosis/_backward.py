"""The form "gradients": the way back through attention, written by hand. Steps, probes, and what goes wrong."""

from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays, grid, some_mask
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Work
from attnref.diagnosis._steps import STEPS, begin

NAMES = ("d_Q", "d_K", "d_V")


def keep(w: Work) -> None:
    """Keys and values as given, before heads are shared."""
    w.shared = w.K.shape[-3]


def through_blend(w: Work) -> None:
    """output = weights @ V."""
    w.d_weights = w.d_output @ w.V.swapaxes(-1, -2)  # (..., L_q, L_k)
    w.d_V = w.weights.swapaxes(-1, -2) @ w.d_output  # (..., L_k, d_v)


def through_softmax(w: Work) -> None:
    """The gradient of each score: its weight times how much better it does than the mean."""
    mean = (w.weights * w.d_weights).sum(axis=-1, keepdims=True)
    w.d_scores = w.weights * (w.d_weights - mean)


def through_scale(w: Work) -> None:
    """The gradient of the dot products."""
    w.d_dots = w.d_scores * w.factor


def through_products(w: Work) -> None:
    """dots = Q Kᵀ."""
    w.d_Q = w.d_dots @ w.K  # (..., L_q, d_k)
    w.d_K = w.d_dots.swapaxes(-1, -2) @ w.Q  # (..., L_k, d_k)


def through_sharing(w: Work) -> None:
    """A key head that serves several query heads collects their gradients."""
    w.d_K, w.d_V = (grouped(x, w.shared).sum(axis=-3) for x in (w.d_K, w.d_V))


def grouped(x: Array, shared: int) -> Array:
    """With an axis for the query heads of each key head."""
    return x.reshape(*x.shape[:-3], shared, -1, *x.shape[-2:])


def finish(w: Work) -> None:
    """All three, one after the other."""
    w.output = np.concatenate([getattr(w, name).ravel() for name in NAMES])


FORWARD = {name: step for name, step in STEPS.items() if name not in ("inputs", "reweigh", "blend", "write")}
BACKWARD: dict[str, Hook] = {
    "keep": keep,
    **FORWARD,
    "through_blend": through_blend,
    "through_softmax": through_softmax,
    "through_scale": through_scale,
    "through_products": through_products,
    "through_sharing": through_sharing,
    "finish": finish,
}


def probes(seed: int) -> list[Probe]:
    """As for attention, with the gradient of the output besides."""
    rng = np.random.default_rng(seed)

    def given(*sizes: int, heads: int | None = None) -> dict[str, Array]:
        found = arrays(rng, *sizes, heads=heads)
        return found | {"d_output": grid(rng, sizes[0], sizes[1], sizes[2], sizes[5])}

    cross, self_, shared = given(2, 3, 5, 7, 4, 6), given(2, 3, 5, 5, 4, 7), given(2, 6, 5, 7, 4, 3, heads=2)
    mask = some_mask(rng, 2, 3, 5, 7)
    holes = mask.copy()
    holes[0, 1, 2] = holes[1, 0, 4] = False
    calls: list[tuple[str, dict[str, Array], dict[str, Any], str]] = [
        ("all sizes different", cross, {}, ""),
        ("as many queries as keys", self_, {}, ""),
        ("one head", given(3, 1, 4, 6, 5, 2), {}, ""),
        ("all sizes coincide", given(3, 3, 3, 3, 3, 3), {}, "square"),
        ("scale=0.25", cross, {"scale": 0.25}, "scale"),
        ("causal", self_, {"causal": True}, "causal"),
        ("causal, more keys than queries", cross, {"causal": True}, "causal"),
        ("mask", cross, {"mask": mask}, "mask"),
        ("mask with empty rows", cross, {"mask": holes}, "mask empty"),
        ("six heads over two", shared, {}, "grouped"),
    ]
    return [
        Probe(
            name,
            x,
            options,
            frozenset(words.split()),
            optional=bool({"grouped", "square"} & set(words.split())),
        )
        for name, x, options, words in calls
    ]


ABOUT = """The gradients d_Q, d_K and d_V of attention, given d_output, the gradient of its output."""

GRADIENTS = Form("gradients", BACKWARD, begin, probes, ("Q", "K", "V", "d_output"),
                 {name: OPTIONS[name] for name in ("mask", "causal", "scale")}, NAMES, about=ABOUT)  # fmt: skip
