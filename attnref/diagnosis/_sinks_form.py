"""The form "sinks": a score without a value competes in the softmax. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays, grid, some_mask
from attnref.diagnosis._demos import still
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work, nothing, within
from attnref.diagnosis._steps import STEPS, begin, top

ABOUT = """Attention with a score for each head that has no value: Q, K, V as for "attention", `sink` of shape \
(n_heads,), not scaled, capped or masked."""


def column(w: Work) -> Array:
    """The sink as a score of each row."""
    return np.asarray(np.broadcast_to(np.asarray(w.sink)[:, None, None], (*w.logits.shape[:-1], 1)))


def append(w: Work) -> None:
    """The sink stands behind the last key."""
    w.keys_only = w.logits
    w.logits = np.concatenate([w.logits, column(w)], axis=-1)  # (..., L_q, L_k + 1)


def leave(w: Work) -> None:
    """Its share goes to no value."""
    w.weights, w.logits = w.weights[..., :-1], w.keys_only  # (..., L_q, L_k)


SINK_STEPS = within(within(STEPS, before="normalise", append=append), before="empty", leave=leave)


def probes(seed: int) -> list[Probe]:
    """As for attention, and with sinks that are far above or below the scores."""
    rng = np.random.default_rng(seed)

    def given(*sizes: int) -> dict[str, Array]:
        return arrays(rng, *sizes) | {"sink": grid(rng, sizes[1])}

    cross, self_ = given(2, 3, 5, 7, 4, 6), given(2, 3, 5, 5, 4, 7)
    mask = some_mask(rng, 2, 3, 5, 7)
    holes = mask.copy()
    holes[0, 1, 2] = holes[1, 0, 4] = False
    calls: list[tuple[str, dict[str, Array], dict[str, Any], str]] = [
        ("all sizes different", cross, {}, ""),
        ("as many queries as keys", self_, {}, ""),
        ("one query", given(3, 2, 1, 5, 7, 4), {}, ""),
        ("sinks of 30, −30 and 0", cross | {"sink": np.array([30.0, -30.0, 0.0])}, {}, ""),
        ("a sink of 900", cross | {"sink": np.array([900.0, 1.0, 0.0])}, {}, "large"),
        ("a sink of minus infinity", cross | {"sink": np.array([-np.inf, 1.0, 0.0])}, {}, "none"),
        ("scale=0.25", cross, {"scale": 0.25}, "scale"),
        ("causal", self_, {"causal": True}, "causal"),
        ("causal, more keys than queries", cross, {"causal": True}, "causal"),
        ("mask", cross, {"mask": mask}, "mask"),
        ("softcap=1.5", cross, {"softcap": 1.5}, "softcap"),
        ("window (1, 0)", self_, {"window": (1, 0)}, "window"),
        ("mask with empty rows", cross, {"mask": holes}, "mask empty"),
    ]
    return [Probe(name, x, options, frozenset(words.split())) for name, x, options, words in calls]


def demos() -> tuple[Probe, ...]:
    """Four equal keys and a sink."""
    one = still(1, 4, "four equal keys, sink 0")
    two = still(1, 2, "two equal keys, sink 1")
    return (
        Probe(one.name, {**one.arrays, "V": np.ones((1, 1, 4, 1)), "sink": np.zeros(1)}),
        Probe(two.name, {**two.arrays, "V": np.ones((1, 1, 2, 1)), "sink": np.ones(1)}),
    )


def _column(law: Callable[[Work, Array], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.keys_only = w.logits
        w.logits = np.concatenate([w.logits, law(w, column(w))], axis=-1)

    return {"append": step}


def _term(law: Callable[[Array, Array], Array]) -> dict[str, Hook]:
    """A term of the denominator, made from the sink and the row's maximum."""

    def normalise(w: Work) -> None:
        powers = np.exp(w.logits - top(w.logits))
        w.weights = powers / (powers.sum(axis=-1, keepdims=True) + law(column(w), top(w.logits)))

    return {"append": nothing, "normalise": normalise, "leave": nothing}


def _of_head(law: Callable[[Array], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.sink = np.broadcast_to(law(np.asarray(w.sink)), np.shape(w.sink))
        append(w)

    return {"append": step}


def _renormalised(w: Work) -> None:
    w.output = w.weights @ w.V + (1 - w.weights.sum(axis=-1, keepdims=True)) * w.V[..., :1, :]


def _everywhere(w: Work) -> None:
    """The sink is a bias of all keys, which a softmax does not see."""
    w.logits = w.logits + column(w)


def _again(w: Work) -> None:
    """What is left is made to sum to one: the sink has no part any more."""
    leave(w)
    w.weights = w.weights / w.weights.sum(axis=-1, keepdims=True)


AGAIN = "without the sink's column the weights are made to sum to 1 again, so the sink changes nothing"
SOFTCAP = frozenset({"softcap"})

WRONG: list[Variant] = [
    Variant("sink_wrong", _column(lambda w, c: np.full(c.shape, -np.inf)), says="the sink changes nothing"),
    Variant("sink_wrong", _column(lambda w, c: c + np.log(2)), says="the sink is counted twice"),
    Variant("sink_wrong", _column(lambda w, c: c * w.factor), says="the sink is multiplied by the scale"),
    Variant("sink_wrong", _column(lambda w, c: c / w.factor), says="the sink is divided by the scale", common=False),
    Variant("sink_wrong", _column(lambda w, c: -c), says="the sign of the sink is turned"),
    Variant("sink_wrong", _column(lambda w, c: np.zeros(c.shape)), says="a sink of 0 stands in for the one given"),
    Variant("sink_wrong", _column(lambda w, c: c if w.softcap is None else w.softcap * np.tanh(c / w.softcap)),
        SOFTCAP, "the sink is bent by the softcap too", option="softcap"),
    *(Variant("sink_wrong", _column(lambda w, c, n=n: c + np.log(-(-w.logits.shape[-1] // n))),  # type: ignore[misc]
        says=f"the sink is counted once for each block of {n} keys", common=False) for n in (2, 3, 4, 8, 16, 32, 64)),
    Variant("sink_wrong", _term(lambda c, m: c),
        says="the sink is added to the denominator as it is, not its exponential"),
    Variant("sink_wrong", {"append": _everywhere, "leave": nothing},
        says="the sink is added to the score of each key, which changes nothing"),
    Variant("sink_wrong", {"append": _everywhere, "leave": nothing, "empty": nothing},
        says="the sink is added to the score of each key, which changes nothing", common=False),
    Variant("sink_wrong", {"leave": _again}, says=AGAIN, common=False),
    Variant("sink_wrong", {"leave": _again, "empty": nothing}, says=AGAIN, common=False),
    Variant("sink_shift", _term(lambda c, m: np.exp(c)),
        says="the sink's exponential is not shifted with the row's maximum"),
    Variant("sink_head", _of_head(lambda x: x[:1]), says="all heads have the sink of the first"),
    Variant("sink_head", _of_head(lambda x: x[::-1]), says="the sinks of the heads are in reverse order"),
    Variant("sink_head", _of_head(lambda x: x.mean(keepdims=True)), says="all heads have the mean of the sinks"),
    Variant("sink_value", {"blend": _renormalised}, says="the sink's share goes to the first value"),
]  # fmt: skip

SINKS = Form("sinks", SINK_STEPS, begin, probes, ("Q", "K", "V", "sink"),
             {name: OPTIONS[name] for name in ("mask", "causal", "scale", "window", "softcap")},
             demos=demos, about=ABOUT, layouts=False)  # fmt: skip
