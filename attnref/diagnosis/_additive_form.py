"""The form "additive": scores from a small network. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, grid, some_mask
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work
from attnref.diagnosis._steps import STEPS, begin

ABOUT = """Scores from a small network, wᵀ tanh(q W_Q + k W_K), without a scale: Q (batch, L_q, d_q), \
K (batch, L_k, d_k), V (batch, L_k, d_v), `W_Q` (d_q, d_hidden), `W_K` (d_k, d_hidden), `w` (d_hidden,)."""


def project(w: Work) -> None:
    """Queries and keys through their matrices."""
    w.a, w.b = w.Q @ w.W_Q, w.K @ w.W_K  # (batch, L, d_hidden)


def hidden(w: Work) -> None:
    """Each query with each key."""
    w.hidden = np.tanh(w.a[..., :, None, :] + w.b[..., None, :, :])  # (batch, L_q, L_k, d_hidden)


def score(w: Work) -> None:
    """The vector turns hidden numbers into a score."""
    w.scores = w.logits = w.hidden @ w.w  # (batch, L_q, L_k)


BEHIND = ("open", "see_mask", "hide_mask", "recap", "normalise", "empty", "reweigh")
LATE = {name: STEPS[name] for name in BEHIND}
ADDITIVE_STEPS: dict[str, Hook] = {
    "project": project,
    "hidden": hidden,
    "score": score,
    **LATE,
    "blend": STEPS["blend"],
}


def probes(seed: int) -> list[Probe]:
    """Widths that all differ, and some that are equal, where a matrix can be forgotten."""
    rng = np.random.default_rng(seed)

    def given(B: int, L_q: int, L_k: int, d_q: int, d_k: int, d_v: int, h: int) -> dict[str, Array]:
        shapes = {
            "Q": (B, L_q, d_q),
            "K": (B, L_k, d_k),
            "V": (B, L_k, d_v),
            "W_Q": (d_q, h),
            "W_K": (d_k, h),
        }
        return {name: grid(rng, *shape) for name, shape in {**shapes, "w": (h,)}.items()}

    cross, equal = given(2, 5, 7, 3, 4, 6, 11), given(3, 4, 5, 6, 6, 7, 6)
    return with_masks(rng, cross, equal, {"one query": given(3, 1, 5, 2, 7, 4, 3)})


def with_masks(
    rng: np.random.Generator,
    cross: dict[str, Array],
    equal: dict[str, Array],
    more: dict[str, dict[str, Array]],
) -> list[Probe]:
    """The usual probes of a form whose arrays have no heads."""
    mask = some_mask(rng, 2, 5, 7)
    holes = mask.copy()
    holes[0, 2] = holes[1, 4] = False
    calls: list[tuple[str, dict[str, Array], dict[str, Any], str]] = [
        ("all sizes different", cross, {}, ""),
        *((name, x, {}, "") for name, x in more.items()),
        ("equal widths", equal, {}, ""),
        ("mask", cross, {"mask": mask}, "mask"),
        ("mask, equal widths", equal, {"mask": some_mask(rng, 3, 4, 5)}, "mask"),
        ("padding mask", cross, {"mask": np.arange(7) < np.array([4, 6])[:, None, None]}, "mask"),
        ("mask with empty rows", cross, {"mask": holes}, "mask empty"),
    ]
    return [Probe(name, x, options, frozenset(words.split())) for name, x, options, words in calls]


def demos() -> tuple[Probe, ...]:
    """One hidden number, two keys."""
    arrays = {
        "Q": [[[1.0]]],
        "K": [[[1.0], [0.0]]],
        "V": [[[1.0], [0.0]]],
        "W_Q": [[1.0]],
        "W_K": [[1.0]],
        "w": [2.0],
    }
    return (Probe("q = 1, keys 1 and 0, w = 2", {name: np.array(x) for name, x in arrays.items()}),)


def _hidden(law: Callable[[Array, Array], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.hidden = law(w.a[..., :, None, :], w.b[..., None, :, :])

    return {"hidden": step}


def score_by(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.scores = w.logits = law(w)

    return {"score": step}


def _project(law: Callable[[Work], tuple[Array, Array]]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.a, w.b = law(w)

    return {"project": step}


def _wide(a: Array, b: Array) -> tuple[Array, Array]:
    shape = np.broadcast_shapes(a.shape, b.shape)
    return np.broadcast_to(a, shape), np.broadcast_to(b, shape)


WRONG: list[Variant] = [
    Variant("additive_score", score_by(lambda w: w.hidden.sum(axis=-1)),
        says="the vector w is missing: hidden numbers are added up"),
    Variant("additive_score", score_by(lambda w: w.hidden.mean(axis=-1)),
        says="the vector w is missing: hidden numbers are averaged"),
    Variant("additive_score", _project(lambda w: (w.Q, w.K)), says="both projections are missing"),
    Variant("additive_score", _project(lambda w: (w.Q, w.K @ w.W_K)), says="the projection of the queries is missing"),
    Variant("additive_score", _project(lambda w: (w.Q @ w.W_Q, w.K)), says="the projection of the keys is missing"),
    Variant("additive_tanh", _hidden(lambda a, b: np.tanh(a) + np.tanh(b)),
        says="tanh is taken of each part, before the sum"),
    Variant("additive_score", _hidden(lambda a, b: np.tanh(_wide(a, b)[1])),
        says="the queries have no part in the score"),
    Variant("additive_score", _hidden(lambda a, b: np.tanh(_wide(a, b)[0])),
        says="the keys have no part in the score", common=False),
    Variant("additive_score", _project(lambda w: (w.Q @ w.W_K, w.K @ w.W_Q)),
        says="the matrices of queries and keys are exchanged"),
    Variant("additive_score", _project(lambda w: (w.Q @ w.W_Q.T, w.K @ w.W_K.T)),
        says="the matrices are used transposed"),
    Variant("additive_tanh", _hidden(lambda a, b: a + b), says="there is no tanh"),
    Variant("additive_tanh", _hidden(lambda a, b: np.maximum(a + b, 0)), says="a rectifier stands in for tanh"),
    Variant("additive_tanh", _hidden(lambda a, b: 1 / (1 + np.exp(-a - b))), says="a sigmoid stands in for tanh"),
    Variant("additive_tanh", score_by(lambda w: np.tanh(w.hidden @ w.w)), says="tanh is taken of the score once more"),
    Variant("additive_tanh", score_by(lambda w: np.tanh((w.a[..., :, None, :] + w.b[..., None, :, :]) @ w.w)),
        says="tanh is taken of the score, behind w, not of the hidden numbers"),
    Variant("additive_product", _hidden(lambda a, b: np.tanh(a * b)), says="the two parts are multiplied, not added"),
    Variant("additive_product", _hidden(lambda a, b: np.tanh(a - b)), says="the keys' part is subtracted, not added"),
    Variant("scale_unasked", score_by(lambda w: w.hidden @ w.w / np.sqrt(w.w.shape[-1])),
        says="the scores are divided by sqrt(d_hidden)"),
    Variant("scale_unasked", score_by(lambda w: w.hidden @ w.w / np.sqrt(w.K.shape[-1])),
        says="the scores are divided by sqrt(d_k)"),
    Variant("scale_unasked", score_by(lambda w: w.hidden @ w.w / np.sqrt(w.Q.shape[-1])),
        says="the scores are divided by sqrt(d_q)"),
]  # fmt: skip

MASK = {"mask": OPTIONS["mask"]}
ADDITIVE = Form("additive", ADDITIVE_STEPS, begin, probes, ("Q", "K", "V", "W_Q", "W_K", "w"), MASK,
                demos=demos, about=ABOUT, layouts=False)  # fmt: skip
