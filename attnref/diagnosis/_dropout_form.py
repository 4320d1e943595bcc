"""The form "dropout": weights are dropped by a mask that is given. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays, some_mask
from attnref.diagnosis._demos import still
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work, nothing, within
from attnref.diagnosis._steps import STEPS, begin, top

ABOUT = """Attention with dropout whose chance is given: `keep` (batch, n_heads, L_q, L_k) is True where a weight is \
kept, and kept weights are divided by 1 − `p`. Weights that are returned beside the output are those before dropout."""


def drop(w: Work) -> None:
    """After the softmax."""
    w.whole = w.weights
    w.weights = w.weights * w.keep / (1 - w.p)


DROPOUT_STEPS = within(STEPS, before="blend", drop=drop)


def probes(seed: int) -> list[Probe]:
    """Shares that are no half: there dividing by what is dropped and by what is kept is the same."""
    rng = np.random.default_rng(seed)

    def given(p: float, *sizes: int) -> dict[str, Any]:
        keep = rng.random((*sizes[:2], sizes[2], sizes[3])) > p
        return arrays(rng, *sizes) | {"keep": keep, "p": p}

    cross, self_ = given(0.25, 2, 3, 5, 7, 4, 6), given(0.25, 2, 3, 5, 5, 4, 7)
    calls: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
        ("p=0.25", cross, {}, ""),
        ("p=0.625, as many queries as keys", given(0.625, 2, 3, 5, 5, 4, 7), {}, ""),
        ("p=0", cross | {"keep": np.ones_like(cross["keep"]), "p": 0.0}, {}, ""),
        ("p=0.25, one query", given(0.25, 3, 2, 1, 5, 7, 4), {}, ""),
        ("p=0.25, scale=0.25", cross, {"scale": 0.25}, "scale"),
        ("p=0.25, causal", self_, {"causal": True}, "causal"),
        ("p=0.25, mask", cross, {"mask": some_mask(rng, 2, 3, 5, 7)}, "mask"),
    ]
    return [Probe(name, x, options, frozenset(words.split())) for name, x, options, words in calls]


def demos() -> tuple[Probe, ...]:
    """Four equal keys, two of which are kept."""
    one = still(1, 4, "four equal keys, the first and the last kept, p = 0.5")
    keep = np.array([[[[True, False, False, True]]]])
    two = still(1, 4, "four equal keys, the first alone dropped, p = 0.25")
    return (
        Probe(one.name, {**one.arrays, "V": np.ones((1, 1, 4, 1)), "keep": keep, "p": 0.5}),
        Probe(
            two.name,
            {
                **two.arrays,
                "V": np.ones((1, 1, 4, 1)),
                "keep": np.arange(4).reshape(1, 1, 1, 4) > 0,
                "p": 0.25,
            },
        ),
    )


def _drop(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.whole, w.weights = w.weights, law(w)

    return {"drop": step}


def _before(law: Callable[[Work, Array], Array]) -> dict[str, Hook]:
    """Dropout within the softmax: from the exponentials to the weights."""

    def normalise(w: Work) -> None:
        w.weights = law(w, np.exp(w.logits - top(w.logits)))

    return {"normalise": normalise, "drop": nothing}


def _shares(powers: Array, total: Array) -> Array:
    total = total.sum(axis=-1, keepdims=True)
    return np.asarray(powers / np.where(total == 0, 1, total))


def _on_scores(fill: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.logits = fill(w)

    return {"recap": step, "drop": nothing}


WRONG: list[Variant] = [
    Variant("dropout_in_denominator", _before(lambda w, e: _shares(e * w.keep / (1 - w.p), e * w.keep)),
        says="the denominator holds kept weights alone, and these are divided by 1 − p besides"),
    Variant("dropout_in_denominator", _before(lambda w, e: _shares(e * w.keep, e * w.keep)),
        says="dropout comes before the denominator, so that kept weights sum to 1"),
    Variant("dropout_on_scores", _on_scores(lambda w: w.logits * w.keep),
        says="scores are set to 0, not weights", common=False),
    Variant("dropout_on_scores", _on_scores(lambda w: w.logits * w.keep / (1 - w.p)),
        says="dropout is applied to the scores, not to the weights"),
    Variant("dropout_scale", _drop(lambda w: w.weights * w.keep), says="kept weights are not divided by 1 − p"),
    Variant("dropout_scale", _drop(lambda w: w.weights * w.keep / (w.p or 1)),
        says="kept weights are divided by p, not by 1 − p"),
    Variant("dropout_scale", _drop(lambda w: w.weights * w.keep * (1 - w.p)),
        says="kept weights are multiplied by 1 − p"),
    Variant("dropout_scale", _drop(lambda w: w.weights * w.keep / (1 - w.p) ** 2),
        says="kept weights are divided by 1 − p twice"),
    Variant("dropout_scale", _drop(lambda w: w.weights * (1 - w.p)),
        says="all weights are multiplied by 1 − p, and none is dropped"),
    Variant("dropout_inverted", _drop(lambda w: w.weights * ~w.keep / (1 - w.p)),
        says="what should be kept is dropped, and the rest is kept"),
    Variant("dropout_ignored", _drop(lambda w: w.weights), says="nothing is dropped"),
    Variant("dropout_renormalised", _drop(lambda w: _shares(w.weights * w.keep, w.weights * w.keep)),
        says="kept weights are made to sum to 1 again", common=False),
]  # fmt: skip

DROPOUT = Form("dropout", DROPOUT_STEPS, begin, probes, ("Q", "K", "V", "keep", "p"),
               {name: OPTIONS[name] for name in ("mask", "causal", "scale")}, demos=demos, about=ABOUT,
               layouts=False, beside="whole")  # fmt: skip
