"""What goes wrong on the way back through attention."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._backward import grouped, through_blend, through_products
from attnref.diagnosis._pipeline import Array, Hook, Variant, Work


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
