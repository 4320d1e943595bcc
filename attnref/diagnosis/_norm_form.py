"""The form "qk_norm": queries and keys of each head are normed first. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays, grid, some_mask
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work, nothing, within
from attnref.diagnosis._steps import STEPS, begin

ABOUT = """Attention whose queries and keys are divided by their root mean square and multiplied by a gain, \
each head for itself: Q, K, V as for "attention", `gain_Q` and `gain_K` of shape (d_k,)."""


def root_mean_square(x: Array, axes: int | tuple[int, ...] = -1) -> Array:
    """Its size, over some axes; so little is added that it matters to zeros alone."""
    return np.asarray(np.sqrt(np.mean(x * x, axis=axes, keepdims=True) + 1e-9))


def normed(name: str, size: Callable[[Array], Array]) -> Hook:
    """Queries or keys divided by a size, times their gain."""

    def step(w: Work) -> None:
        x = getattr(w, name)
        setattr(w, name, x / size(x) * getattr(w, f"gain_{name}"))

    return step


NORM_STEPS = within(
    STEPS,
    before="share",
    gains=nothing,
    centre=nothing,
    norm_Q=normed("Q", root_mean_square),
    norm_K=normed("K", root_mean_square),
    norm_V=nothing,
)


def probes(seed: int) -> list[Probe]:
    """Queries and keys are so large that no epsilon matters."""
    rng = np.random.default_rng(seed)

    def given(*sizes: int) -> dict[str, Array]:
        found = arrays(rng, *sizes)
        gains = {name: 1.5 + np.abs(grid(rng, sizes[4])) / 2 for name in ("gain_Q", "gain_K")}
        return found | {"Q": 64 * found["Q"] + 3, "K": 64 * found["K"] - 5} | gains

    cross, self_ = given(2, 3, 5, 7, 4, 6), given(2, 3, 5, 5, 4, 7)
    calls: list[tuple[str, dict[str, Array], dict[str, Any], str]] = [
        ("all sizes different", cross, {}, ""),
        ("as many queries as keys", self_, {}, ""),
        ("one query", given(3, 2, 1, 5, 7, 4), {}, ""),
        ("five heads of width 2", given(2, 5, 3, 4, 2, 3), {}, ""),
        ("scale=0.25", cross, {"scale": 0.25}, "scale"),
        ("causal", self_, {"causal": True}, "causal"),
        ("causal, more keys than queries", cross, {"causal": True}, "causal"),
        ("mask", cross, {"mask": some_mask(rng, 2, 3, 5, 7)}, "mask"),
    ]
    return [Probe(name, x, options, frozenset(words.split())) for name, x, options, words in calls]


def demos() -> tuple[Probe, ...]:
    """Two heads of width one: each number is all its head has."""
    Q = np.array([[[[3.0]], [[4.0]]]])
    K = np.array([[[[1.0], [-1.0]], [[1.0], [-1.0]]]])
    V = np.broadcast_to(np.array([[1.0], [0.0]]), (1, 2, 2, 1)).copy()
    return (
        Probe(
            "two heads of width 1, q = 3 and 4",
            {"Q": Q, "K": K, "V": V, "gain_Q": np.ones(1), "gain_K": np.ones(1)},
        ),
    )


def _norm(size: Callable[[Array], Array], which: str = "QK") -> dict[str, Hook]:
    """Queries or keys divided by another size."""
    return {f"norm_{name}": normed(name, size) for name in which}


def _gains(law: Callable[[Work], tuple[Array, Array]]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.gain_Q, w.gain_K = law(w)

    return {"gains": step}


def _centred(w: Work) -> None:
    w.Q, w.K = (x - x.mean(axis=-1, keepdims=True) for x in (w.Q, w.K))


def _values_too(w: Work) -> None:
    w.V = w.V / root_mean_square(w.V)


def _length(x: Array) -> Array:
    return np.asarray(np.linalg.norm(x, axis=-1, keepdims=True))


def _one(x: Array) -> Array:
    return np.ones(1)


WRONG: list[Variant] = [
    Variant("qknorm_axis", _norm(lambda x: root_mean_square(x, (-1, -3))),
        says="queries and keys are normed over all heads together"),
    Variant("qknorm_axis", _norm(lambda x: root_mean_square(x, -2)),
        says="queries and keys are normed over the tokens"),
    Variant("qknorm_axis", _norm(lambda x: root_mean_square(x, (-1, -2))),
        says="queries and keys are normed over tokens and width together"),
    Variant("qknorm_axis", _norm(lambda x: root_mean_square(x, -3)), says="queries and keys are normed over the heads",
        common=False),
    Variant("qknorm_missing", _norm(_one, "Q"), says="the queries are not normed"),
    Variant("qknorm_missing", _norm(_one, "K"), says="the keys are not normed"),
    Variant("qknorm_missing", _norm(_one), says="neither queries nor keys are normed"),
    Variant("qknorm_missing", {"norm_Q": nothing, "norm_K": nothing}, says="there is neither norm nor gain"),
    Variant("qknorm_mean", {"centre": _centred}, says="the mean is taken away first, as in a layer norm"),
    Variant("qknorm_length", _norm(_length), says="queries and keys are divided by their length, the root of the sum"),
    Variant("qknorm_length", _norm(_length, "Q"), says="queries are divided by their length, the root of the sum"),
    Variant("qknorm_length", _norm(_length, "K"), says="keys are divided by their length, the root of the sum"),
    Variant("qknorm_length", _norm(lambda x: root_mean_square(x) ** 2), says="the root of the mean square is missing"),
    Variant("qknorm_length", _norm(lambda x: np.abs(x).mean(axis=-1, keepdims=True)),
        says="the mean of the absolute numbers stands in for the root mean square", common=False),
    Variant("qknorm_gain", _gains(lambda w: (np.ones(1), np.ones(1))), says="the gains change nothing"),
    Variant("qknorm_gain", _gains(lambda w: (1 + w.gain_Q, 1 + w.gain_K)), says="1 is added to the gains"),
    Variant("qknorm_gain", _gains(lambda w: (w.gain_Q, w.gain_Q)), says="the keys have the gain of the queries"),
    Variant("qknorm_values", {"norm_V": _values_too}, says="the values are normed too"),
]  # fmt: skip

NORMED = Form("qk_norm", NORM_STEPS, begin, probes, ("Q", "K", "V", "gain_Q", "gain_K"),
              {name: OPTIONS[name] for name in ("mask", "causal", "scale")}, demos=demos, about=ABOUT,
              layouts=False)  # fmt: skip
