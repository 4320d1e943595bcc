"""The form "gradients": the way back through attention, written by hand. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays, grid, some_mask
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work
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


def _softmax(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.d_scores = law(w)

    return {"through_softmax": step}


def _scale(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.d_dots = law(w)

    return {"through_scale": step}


def _products(law: Callable[[Work], tuple[Array, Array]]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.d_Q, w.d_K = law(w)

    return {"through_products": step}


def _values(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        through_blend(w)
        w.d_V = law(w)

    return {"through_blend": step}


def _sharing(law: Callable[[Array, int], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.d_K, w.d_V = (law(x, w.shared) for x in (w.d_K, w.d_V))

    return {"through_sharing": step}


def _nan_rows(w: Work) -> None:
    """The weights of an empty row are NaN on the way back, whatever the output was repaired to."""
    through_blend(w)
    rows = np.isneginf(w.logits.max(axis=-1, keepdims=True))
    w.weights = np.where(rows, np.nan, w.weights)


def _last_block(size: int) -> dict[str, Hook]:
    """Each block of keys overwrites the gradient of the queries instead of adding to it."""

    def step(w: Work) -> None:
        through_products(w)
        start = (w.K.shape[-2] - 1) // size * size
        w.d_Q = w.d_dots[..., start:] @ w.K[..., start:, :]

    return {"through_products": step}


def _sum_of_block(size: int) -> dict[str, Hook]:
    """The row's sum runs over each block of keys alone."""

    def step(w: Work) -> None:
        terms = w.weights * w.d_weights
        sums = [terms[..., n : n + size].sum(axis=-1, keepdims=True) for n in range(0, terms.shape[-1], size)]
        w.d_scores = terms - w.weights * np.repeat(np.concatenate(sums, -1), size, -1)[..., : terms.shape[-1]]

    return {"through_softmax": step}


EMPTY, GROUPED = frozenset({"empty"}), frozenset({"grouped"})

WRONG: list[Variant] = [
    Variant("softmax_grad", _softmax(lambda w: w.weights * w.d_weights), says="the row sum is missing: dS = P · dP"),
    Variant("softmax_grad", _softmax(lambda w: w.weights * (1 - w.weights) * w.d_weights),
        says="the softmax is differentiated as if each weight stood alone: p (1 − p)"),
    Variant("softmax_grad", _softmax(lambda w: w.d_weights), says="the gradient does not pass through the softmax"),
    Variant("softmax_grad", _softmax(lambda w: w.weights * (w.d_weights - w.d_weights.sum(-1,
        keepdims=True))), says="the row sum has no weights in it"),
    Variant("softmax_grad", _softmax(lambda w: w.weights * (w.d_weights - w.d_weights.mean(-1,
        keepdims=True))), says="a plain mean stands in for the weighted one"),
    Variant("softmax_grad", _softmax(lambda w: w.weights * (w.d_weights - (w.weights * w.d_weights).sum(-2,
        keepdims=True))), says="the row sum runs over the queries"),
    Variant("softmax_grad", _softmax(lambda w: w.weights * (w.d_weights - (w.weights * w.d_weights).sum(-1,
        keepdims=True) / w.V.shape[-1])), says="the row sum is a mean over the width of the values", common=False),
    Variant("grad_scale", _scale(lambda w: w.d_scores), says="the scale is missing on the way back"),
    Variant("grad_scale", _scale(lambda w: w.d_scores / w.factor),
        says="the scale is turned upside down on the way back"),
    Variant("grad_scale", _scale(lambda w: w.d_scores * w.factor**2),
        says="the scale is applied twice on the way back"),
    Variant("grad_products", _products(lambda w: (w.d_dots @ w.K, w.d_dots @ w.Q)),
        says="the gradient of the keys lacks a transpose", common=False),
    Variant("grad_products", _products(lambda w: (w.d_dots.swapaxes(-1, -2) @ w.Q, w.d_dots @ w.K)),
        says="the gradients of queries and keys are exchanged"),
    Variant("grad_products", _products(lambda w: (w.d_dots @ w.K, w.d_dots.swapaxes(-1, -2) @ w.K)),
        says="the gradient of the keys is made from the keys", common=False),
    Variant("grad_products", _products(lambda w: (w.d_dots @ w.K, w.d_scores.swapaxes(-1, -2) @ w.Q)),
        says="the gradient of the keys lacks the scale"),
    Variant("grad_products", _products(lambda w: (w.d_scores @ w.K, w.d_dots.swapaxes(-1, -2) @ w.Q)),
        says="the gradient of the queries lacks the scale"),
    Variant("grad_values", _values(lambda w: w.weights @ w.d_output),
        says="the gradient of the values lacks a transpose", common=False),
    Variant("grad_values", _values(lambda w: w.scores.swapaxes(-1, -2) @ w.d_output),
        says="the gradient of the values is made with scores, not weights"),
    *(
        Variant("grad_block", law(n), says=says.format(n), common=False)
        for n in (1, 2, 3, 4, 5, 6)
        for law, says in (
            (_last_block, "the gradient of the queries is that of the last block of {} keys alone"),
            (_sum_of_block, "the row sum runs over each block of {} keys alone"),
        )
    ),
    Variant("nan_grad", {"through_blend": _nan_rows}, EMPTY, "an empty row gives NaN on the way back"),
    Variant("gqa_grad", _sharing(lambda x, n: grouped(x, n).mean(axis=-3)), GROUPED,
        "the gradients of shared heads are averaged"),
    Variant("gqa_grad", _sharing(lambda x, n: grouped(x, n)[..., 0, :, :]), GROUPED,
        "only the first query head of each group counts"),
    Variant("gqa_grad", _sharing(lambda x, n: grouped(x, n)[..., -1, :, :]), GROUPED,
        "only the last query head of each group counts"),
    Variant("gqa_grad", _sharing(lambda x, n: x), GROUPED, "the gradients of shared heads are not summed"),
    Variant("gqa_grad", _sharing(lambda x, n: grouped(x, x.shape[-3] // n).sum(axis=-4)), GROUPED,
        "the gradients are summed over the wrong heads"),
]  # fmt: skip

ABOUT = """The gradients d_Q, d_K and d_V of attention, given d_output, the gradient of its output."""

GRADIENTS = Form("gradients", BACKWARD, begin, probes, ("Q", "K", "V", "d_output"),
                 {name: OPTIONS[name] for name in ("mask", "causal", "scale")}, NAMES, about=ABOUT)  # fmt: skip
