"""The form "linear_gradients": the way back through linear attention. Steps, probes, and what goes wrong."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays, grid
from attnref.diagnosis._backward import NAMES, finish
from attnref.diagnosis._linear_form import LINEAR_STEPS, phi
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work
from attnref.diagnosis._steps import begin

ABOUT = """The gradients d_Q, d_K and d_V of linear attention (see "linear"), given d_output, the gradient of its \
output: Q, K, V as for "attention", `d_output` (batch, n_heads, L_q, d_v)."""


def through_blend(w: Work) -> None:
    """output = weights @ V."""
    w.d_V = w.weights.swapaxes(-1, -2) @ w.d_output
    w.d_weights = w.d_output @ w.V.swapaxes(-1, -2)


def through_total(w: Work) -> None:
    """weights = shares / total: a share counts above the line and below it."""
    below = (w.weights * w.d_weights).sum(axis=-1, keepdims=True)
    w.d_shares = w.d_shares_K = (w.d_weights - below) / w.total


def through_hidden(w: Work) -> None:
    """No gradient for what the query may not see."""
    if w.causal_seen is not None:
        w.d_shares, w.d_shares_K = (np.where(w.causal_seen, x, 0.0) for x in (w.d_shares, w.d_shares_K))


def through_products(w: Work) -> None:
    """shares = φ(Q) φ(K)ᵀ."""
    w.d_phi_Q = w.d_shares @ w.phi_K
    w.d_phi_K = w.d_shares_K.swapaxes(-1, -2) @ w.phi_Q


def slope(x: Array) -> Array:
    """The derivative of the features."""
    return np.where(x > 0, 1.0, phi(x))


def through_features(w: Work) -> None:
    """φ(Q) and φ(K)."""
    w.d_Q, w.d_K = w.d_phi_Q * slope(w.Q), w.d_phi_K * slope(w.K)


STEPS: dict[str, Hook] = {
    **{name: step for name, step in LINEAR_STEPS.items() if name not in ("inputs", "write")},
    "through_blend": through_blend,
    "through_total": through_total,
    "through_hidden": through_hidden,
    "through_products": through_products,
    "through_features": through_features,
    "finish": finish,
}


def probes(seed: int) -> list[Probe]:
    """As for linear attention, with the gradient of the output besides."""
    rng = np.random.default_rng(seed)

    def given(*sizes: int) -> dict[str, Array]:
        return arrays(rng, *sizes) | {"d_output": grid(rng, sizes[0], sizes[1], sizes[2], sizes[5])}

    self_, causal = given(2, 3, 5, 5, 4, 7), frozenset({"causal"})
    return [
        Probe("all sizes different", given(2, 3, 5, 7, 4, 6)),
        Probe("as many queries as keys", self_),
        Probe("one head", given(3, 1, 4, 6, 5, 2)),
        Probe("causal", self_, {"causal": True}, causal),
        Probe("causal, seven tokens", given(3, 2, 7, 7, 4, 5), {"causal": True}, causal),
    ]


def _without(which: str) -> dict[str, Hook]:
    """The normaliser is taken for a constant."""

    def step(w: Work) -> None:
        through_total(w)
        plain = w.d_weights / w.total
        w.d_shares = plain if "Q" in which else w.d_shares
        w.d_shares_K = plain if "K" in which else w.d_shares_K

    return {"through_total": step}


def _features(law: Callable[[Array], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.d_Q, w.d_K = w.d_phi_Q * law(w.Q), w.d_phi_K * law(w.K)

    return {"through_features": step}


def _values(w: Work) -> None:
    through_blend(w)
    w.d_V = w.shares.swapaxes(-1, -2) @ w.d_output


def _forwards(w: Work) -> None:
    w.d_phi_Q = w.d_shares @ w.phi_K
    w.d_phi_K = (w.d_shares_K if w.causal else w.d_shares_K.swapaxes(-1, -2)) @ w.phi_Q


def _unhidden(w: Work) -> None:
    """The way back looks into the future."""


CAUSAL = frozenset({"causal"})

WRONG: list[Variant] = [
    Variant("grad_normaliser", _without("QK"), says="the normaliser is taken for a constant on the way back"),
    Variant("grad_normaliser", _without("K"), says="the gradient of the keys does not pass through the normaliser"),
    Variant("grad_normaliser", _without("Q"), says="the gradient of the queries does not pass through the normaliser"),
    Variant("grad_feature", _features(lambda x: np.ones(1)), says="the derivative of the features is missing"),
    Variant("grad_feature", _features(phi), says="the features stand in for their derivative"),
    Variant("grad_values", {"through_blend": _values}, says="the gradient of the values lacks the normaliser"),
    Variant("grad_causal", {"through_products": _forwards}, CAUSAL,
        "with causal, the gradient of a key is summed over earlier queries, not over later ones"),
    Variant("grad_causal", {"through_hidden": _unhidden}, CAUSAL, "the way back ignores causal=True"),
]  # fmt: skip

LINEAR_GRADIENTS = Form("linear_gradients", STEPS, begin, probes, ("Q", "K", "V", "d_output"),
                        {"causal": OPTIONS["causal"]}, NAMES, about=ABOUT)  # fmt: skip
