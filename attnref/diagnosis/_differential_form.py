"""The form "differential": one map of weights less a share of another. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays, some_mask
from attnref.diagnosis._norm_form import root_mean_square
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work, within
from attnref.diagnosis._steps import STEPS, begin

ABOUT = """Two maps of weights, the second times `share` (λ, one number for each head) taken from the first, \
blended, each head normed by its root mean square and multiplied by 1 − `init`. Q and K hold both halves side by \
side, shape (batch, n_heads, L, 2 · d_k)."""


def halves(w: Work) -> None:
    """Both maps at once: an axis of two in front."""
    w.Q, w.K = (np.stack(np.split(x, 2, axis=-1)) for x in (w.Q, w.K))  # (2, batch, n_heads, L, d_k)


def share_of(w: Work) -> Array:
    """λ for each head."""
    return np.asarray(w.share)[:, None, None]


def subtract(w: Work) -> None:
    """The first map less a share of the second."""
    w.weights = w.weights[0] - share_of(w) * w.weights[1]  # (batch, n_heads, L_q, L_k)


def settle(w: Work) -> None:
    """Each head normed, and less of it where more was taken away."""
    w.output = w.output / root_mean_square(w.output) * (1 - w.init)


HALVED = within(
    {name: step for name, step in STEPS.items() if name != "share"}, before="default_factor", halves=halves
)
DIFF_STEPS = {**within(HALVED, before="blend", subtract=subtract), "settle": settle}


def probes(seed: int) -> list[Probe]:
    """Values so large that no epsilon matters."""
    rng = np.random.default_rng(seed)

    def given(*sizes: int) -> dict[str, Any]:
        found = arrays(rng, *sizes)
        share = np.array([0.75, 0.25, 0.5, 0.375, 0.125])[: sizes[1]]
        return found | {"V": 64 * found["V"], "share": share, "init": 0.2}

    cross, self_ = given(2, 3, 5, 7, 8, 6), given(2, 3, 5, 5, 4, 7)
    calls: list[tuple[str, dict[str, Array], dict[str, Any], str]] = [
        ("all sizes different", cross, {}, ""),
        ("as many queries as keys", self_, {}, ""),
        ("one query", given(3, 2, 1, 5, 6, 4), {}, ""),
        ("init=0.75", self_ | {"init": 0.75}, {}, ""),
        ("scale=0.25", cross, {"scale": 0.25}, "scale"),
        ("causal", self_, {"causal": True}, "causal"),
        ("causal, more keys than queries", cross, {"causal": True}, "causal"),
        ("mask", cross, {"mask": some_mask(rng, 2, 3, 5, 7)}, "mask"),
    ]
    return [Probe(name, x, options, frozenset(words.split())) for name, x, options, words in calls]


def _subtract(law: Callable[[Array, Array, Array, Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.weights = law(w.weights[0], w.weights[1], share_of(w), w)

    return {"subtract": step}


def _settle(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.output = law(w)

    return {"settle": step}


def _normed(x: Array, axes: int | tuple[int, ...] = -1) -> Array:
    return np.asarray(x / root_mean_square(x, axes))


def _centred(x: Array) -> Array:
    x = x - x.mean(axis=-1, keepdims=True)
    return _normed(x)


def _alternate(w: Work) -> None:
    w.Q, w.K = (np.stack([x[..., 0::2], x[..., 1::2]]) for x in (w.Q, w.K))


def _exchanged(w: Work) -> None:
    halves(w)
    w.Q, w.K = w.Q[::-1], w.K[::-1]


def _crossed(w: Work) -> None:
    halves(w)
    w.K = w.K[::-1]


def _of_scores(w: Work) -> None:
    """One softmax, of the difference of the scores."""
    w.scores = w.logits = w.dots * w.factor
    w.logits = np.broadcast_to(w.logits[0] - share_of(w) * w.logits[1], w.logits.shape)


def _first_map(w: Work) -> None:
    w.weights = w.weights[0]


WRONG: list[Variant] = [
    Variant("diff_attn", _subtract(lambda a, b, s, w: a), says="the second map is not taken away"),
    Variant("diff_attn", _settle(lambda w: w.output * (1 - w.init)), says="the norm of each head is missing"),
    Variant("diff_attn", _settle(lambda w: _normed(w.output)), says="the factor 1 − λ_init at the end is missing"),
    Variant("diff_attn", _settle(lambda w: w.output), says="norm and factor at the end are missing"),
    Variant("diff_attn", _settle(lambda w: _normed(w.output) * w.init),
        says="the end multiplies by λ_init, not by 1 − λ_init"),
    Variant("diff_attn", _settle(lambda w: _normed(w.output) / (1 - w.init)), says="the end divides by 1 − λ_init"),
    Variant("diff_attn", _settle(lambda w: _normed(w.output) * (1 - share_of(w))),
        says="the end multiplies by 1 − λ, not by 1 − λ_init"),
    Variant("diff_factor", _subtract(lambda a, b, s, w: a - b), says="the second map is taken away whole, without λ"),
    Variant("diff_factor", _subtract(lambda a, b, s, w: a + s * b), says="the second map is added"),
    Variant("diff_factor", _subtract(lambda a, b, s, w: a - w.init * b), says="λ_init stands in for λ"),
    Variant("diff_factor", _subtract(lambda a, b, s, w: a - (s + w.init) * b), says="λ_init is added to λ once more"),
    Variant("diff_factor", _subtract(lambda a, b, s, w: a - s[:1] * b), says="all heads have the λ of the first"),
    Variant("diff_factor", _subtract(lambda a, b, s, w: s * a - b), says="λ multiplies the first map, not the second"),
    Variant("diff_factor", _subtract(lambda a, b, s, w: (1 - s) * a - s * b),
        says="the first map is multiplied by 1 − λ"),
    Variant("diff_factor", _subtract(lambda a, b, s, w: np.maximum(a - s * b, 0)),
        says="negative weights are set to 0"),
    Variant("diff_halves", {"halves": _alternate}, says="even and odd columns are the two halves, not front and back"),
    Variant("diff_halves", {"halves": _exchanged},
        says="the halves are exchanged: the first map is taken from the second"),
    Variant("diff_halves", {"halves": _crossed}, says="the queries of one half meet the keys of the other"),
    Variant("diff_scores", {"rescale": _of_scores, "subtract": _first_map},
        says="scores, not weights, are subtracted, before one softmax"),
    Variant("diff_norm", _settle(lambda w: _normed(w.output, (-1, -3)) * (1 - w.init)),
        says="the norm runs over all heads together"),
    Variant("diff_norm", _settle(lambda w: _normed(w.output, (-1, -2)) * (1 - w.init)),
        says="the norm runs over tokens and width together"),
    Variant("diff_norm", _settle(lambda w: _centred(w.output) * (1 - w.init)),
        says="the norm takes the mean away first, as a layer norm does"),
]  # fmt: skip

DIFFERENTIAL = Form("differential", DIFF_STEPS, begin, probes, ("Q", "K", "V", "share", "init"),
                    {name: OPTIONS[name] for name in ("mask", "causal", "scale")}, about=ABOUT,
                    layouts=False)  # fmt: skip
