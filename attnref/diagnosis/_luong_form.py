"""The form "luong": scores through a matrix, and a layer behind the context. Steps, probes, and what goes wrong."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._additive_form import LATE, MASK, score_by, with_masks
from attnref.diagnosis._attention import grid
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work
from attnref.diagnosis._steps import begin

ABOUT = """Luong's layer: scores q W kᵀ without a scale, the context c from the keys themselves, output \
tanh([c; q] W_C): Q (batch, L_q, d_q), K (batch, L_k, d_k), `W` (d_q, d_k), `W_C` (d_k + d_q, d_out)."""


def general(w: Work) -> None:
    """Queries meet keys through a matrix."""
    w.scores = w.logits = w.Q @ w.W @ w.K.swapaxes(-1, -2)


def context(w: Work) -> None:
    """Keys by weights."""
    w.output = w.weights @ w.K


def layer(w: Work) -> None:
    """Context and query through one more matrix."""
    w.output = np.tanh(np.concatenate([w.output, w.Q], axis=-1) @ w.W_C)


STEPS: dict[str, Hook] = {"score": general, **LATE, "blend": context, "layer": layer}


def probes(seed: int) -> list[Probe]:
    """Widths that all differ, and some that are equal."""
    rng = np.random.default_rng(seed)

    def given(B: int, L_q: int, L_k: int, d_q: int, d_k: int, d_out: int) -> dict[str, Array]:
        shapes = {"Q": (B, L_q, d_q), "K": (B, L_k, d_k), "W": (d_q, d_k), "W_C": (d_k + d_q, d_out)}
        return {name: grid(rng, *shape) / 2 for name, shape in shapes.items()}

    cross, equal = given(2, 5, 7, 3, 4, 11), given(3, 4, 5, 6, 6, 7)
    return with_masks(rng, cross, equal, {"one query": given(3, 1, 5, 2, 7, 4)})


def demos() -> tuple[Probe, ...]:
    """One key, so that the context is the key."""
    arrays = {"Q": [[[1.0]]], "K": [[[1.0]]], "W": [[1.0]], "W_C": [[1.0], [1.0]]}
    return (Probe("q = 1, one key 1, W_C = [1, 1]", {name: np.array(x) for name, x in arrays.items()}),)


def _layer(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.output = law(w)

    return {"layer": step}


def _both(w: Work, *order: str) -> Array:
    return np.asarray(np.concatenate([getattr(w, name) for name in order], axis=-1) @ w.W_C)


WRONG: list[Variant] = [
    Variant("additive_output_tanh", _layer(lambda w: _both(w, "output", "Q")), says="the layer lacks its tanh"),
    Variant("additive_output_tanh", _layer(lambda w: np.maximum(_both(w, "output", "Q"), 0)),
        says="a rectifier stands in for tanh"),
    Variant("luong_order", _layer(lambda w: np.tanh(_both(w, "Q", "output"))),
        says="the query stands before the context, [q; c]"),
    Variant("luong_order", _layer(lambda w: _both(w, "Q", "output")),
        says="the query stands before the context, [q; c], and tanh is missing", common=False),
    Variant("luong_order", _layer(lambda w: np.tanh((w.output + w.Q) @ w.W_C[: w.Q.shape[-1]])),
        says="context and query are added up, not put side by side", common=False),
    Variant("luong_score", score_by(lambda w: w.Q @ w.K.swapaxes(-1, -2)),
        says="the matrix W is missing in the score"),
    Variant("luong_score", score_by(lambda w: w.Q @ w.W.T @ w.K.swapaxes(-1, -2)),
        says="the matrix W is used transposed"),
    Variant("scale_unasked", score_by(lambda w: w.Q @ w.W @ w.K.swapaxes(-1, -2) / np.sqrt(w.K.shape[-1])),
        says="the scores are divided by sqrt(d_k)"),
    Variant("scale_unasked", score_by(lambda w: w.Q @ w.W @ w.K.swapaxes(-1, -2) / np.sqrt(w.Q.shape[-1])),
        says="the scores are divided by sqrt(d_q)"),
]  # fmt: skip


LUONG = Form("luong", STEPS, begin, probes, ("Q", "K", "W", "W_C"), MASK,
             demos=demos, about=ABOUT, layouts=False)  # fmt: skip
