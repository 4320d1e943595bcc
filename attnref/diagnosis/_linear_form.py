"""The form "linear": features instead of a softmax. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attnref.diagnosis._arrays import float_type
from attnref.diagnosis._attention import OPTIONS, arrays
from attnref.diagnosis._demos import call
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work, nothing
from attnref.diagnosis._steps import STEPS, begin, see_causal

ABOUT = """Linear attention: φ(Q) φ(K)ᵀ V over the sum of φ(Q) φ(K)ᵀ, with φ(x) = x + 1 where x is positive and \
exp(x) elsewhere. Q, K, V as for "attention", and as many queries as keys with `causal=True`."""


def phi(x: Array) -> Array:
    """One more than x, or the exponential."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def features(w: Work) -> None:
    """Queries and keys, made positive."""
    w.phi_Q, w.phi_K = phi(w.Q), phi(w.K)


def products(w: Work) -> None:
    """What stands in for the exponentials of the scores."""
    w.logits = w.phi_Q @ w.phi_K.swapaxes(-1, -2)  # (..., L_q, L_k)


def hide(w: Work) -> None:
    """Zero for keys in the future."""
    w.shares = w.logits if w.causal_seen is None else np.where(w.causal_seen, w.logits, 0.0)


def total(w: Work) -> None:
    """The normaliser."""
    w.total = w.shares.sum(axis=-1, keepdims=True)  # (..., L_q, 1)


def divide(w: Work) -> None:
    """Weights that sum to one, and the blend."""
    w.weights = w.shares / w.total
    w.output = w.weights @ w.V


LINEAR_STEPS: dict[str, Hook] = {
    "inputs": STEPS["inputs"],
    "features": features,
    "products": products,
    "see_causal": see_causal,
    "hide": hide,
    "total": total,
    "divide": divide,
    "write": nothing,
}


def probes(seed: int) -> list[Probe]:
    """As for attention, and keys whose features are small."""
    rng = np.random.default_rng(seed)
    cross, self_ = arrays(rng, 2, 3, 5, 7, 4, 6), arrays(rng, 2, 3, 5, 5, 4, 7)
    low = arrays(rng, 1, 2, 3, 3, 2, 5)
    low["Q"], low["K"] = (
        np.zeros(low["Q"].shape),
        np.array([-7.0, -8.0, -8.5])[:, None] * np.ones((1, 2, 1, 2)),
    )
    causal = frozenset({"causal"})
    return [
        Probe("all sizes different", cross),
        Probe("as many queries as keys", self_),
        Probe("one query", arrays(rng, 3, 2, 1, 5, 7, 4)),
        Probe("keys of −7, −8 and −8.5", low, features=frozenset({"low"}), tolerance=0.02),
        Probe("causal", self_, {"causal": True}, causal),
        Probe("causal, seven tokens", arrays(rng, 3, 2, 7, 7, 4, 5), {"causal": True}, causal),
    ]


def demos() -> tuple[Probe, ...]:
    """Features of one everywhere."""
    zeros = np.zeros((2, 1))
    return (
        call("features of 1, values 2 and 4", "", zeros, zeros, [[2], [4]]),
        call("features of 1, values 2 and 4, causal", "causal", zeros, zeros, [[2], [4]], causal=True),
        replace(call("keys −7 and −8", "low", [[0]], [[-7], [-8]], np.eye(2)), tolerance=0.02),
        call("one query 1, keys 1 and −1", "", [[1]], [[1], [-1]], [[1], [0]]),
    )


def _features(law: Callable[[Array], Array], which: str = "QK") -> dict[str, Hook]:
    def step(w: Work) -> None:
        features(w)
        for name in which:
            setattr(w, f"phi_{name}", law(getattr(w, name)))

    return {"features": step}


def _rounded(w: Work) -> None:
    """The exponential less one, rounded, and then one more."""
    dtype = float_type(w.rules.dtype)

    def law(x: Array) -> Array:
        less = (np.exp(np.minimum(x, 0)).astype(dtype) - dtype.type(1)).astype(dtype)
        return np.where(x > 0, x + 1, (less + dtype.type(1)).astype(dtype).astype(np.float64))

    w.phi_Q, w.phi_K = law(w.Q), law(w.K)


def _total(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.total = law(w)

    return {"total": step}


def _causal_total(law: Callable[[Work], Array]) -> dict[str, Hook]:
    """Wrong with the causal rule alone."""
    return _total(lambda w: law(w) if w.causal else w.shares.sum(axis=-1, keepdims=True))


def _without_own(w: Work) -> Array:
    return np.asarray(w.shares.sum(axis=-1) - np.diagonal(w.shares, axis1=-2, axis2=-1))[..., None]


def _divide(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.output = law(w)

    return {"divide": step}


def _over(axis: int) -> dict[str, Hook]:
    """With causal, sums grow along another axis than that of the tokens."""

    def step(w: Work) -> None:
        if not w.causal:
            return divide(w)
        S = np.cumsum(w.phi_K[..., :, None] * w.V[..., None, :], axis=axis)  # (..., L, d_phi, d_v)
        z = np.cumsum(w.phi_K, axis=axis)
        w.output = np.einsum("...c,...cd->...d", w.phi_Q, S) / (w.phi_Q * z).sum(axis=-1, keepdims=True)

    return {"divide": step}


def _positions(w: Work) -> Array:
    L_q, L_k = w.shares.shape[-2:]
    return np.arange(1, L_q + 1)[:, None] if w.causal else np.full((L_q, 1), L_k)


def _softmax(x: Array, axis: int = -1) -> Array:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


CAUSAL, LOW = frozenset({"causal"}), frozenset({"low"})
NORMALISER = "linear_normaliser"

WRONG: list[Variant] = [
    Variant(NORMALISER, _divide(lambda w: w.shares @ w.V),
        says="the sum of the values is not divided by the normaliser"),
    Variant(NORMALISER, _divide(lambda w: w.shares @ w.V / np.sqrt(w.Q.shape[-1])),
        says="the sum of the values is divided by sqrt(d_k), not by the normaliser"),
    Variant(NORMALISER, _divide(lambda w: w.shares @ w.V * w.total),
        says="the sum of the values is multiplied by the normaliser"),
    Variant(NORMALISER, _divide(lambda w: w.shares @ w.V / _positions(w)),
        says="the sum of the values is divided by the number of keys"),
    Variant(NORMALISER, _divide(lambda w: w.shares @ w.V / np.sqrt(w.total)),
        says="the root of the normaliser is taken", common=False),
    Variant(NORMALISER, _total(lambda w: w.logits.sum(axis=-1, keepdims=True)), CAUSAL,
        "the normaliser runs over all keys, the future's too"),
    Variant(NORMALISER, _causal_total(lambda w: w.phi_K.sum(axis=-1, keepdims=True)),
        CAUSAL, "the normaliser is the sum of the key's own features"),
    Variant(NORMALISER, _causal_total(lambda w: w.shares.sum(axis=-2)[..., None]),
        CAUSAL, "the normaliser runs over the queries"),
    Variant(NORMALISER, _causal_total(_without_own), CAUSAL,
        "the normaliser lacks the query's own key"),
    Variant(NORMALISER, _over(1), CAUSAL, "sums grow along the heads, not along the tokens"),
    Variant(NORMALISER, _over(0), CAUSAL, "sums grow along the batch, not along the tokens"),
    Variant("linear_feature", _features(lambda x: np.maximum(x, 0)),
        says="the features are max(x, 0), so many keys count nothing"),
    Variant("linear_feature", _features(lambda x: phi(x) - 1),
        says="the features are elu(x), without the 1, so weights may be negative"),
    Variant("linear_feature", _features(np.exp), says="the features are exp(x) everywhere"),
    Variant("linear_feature", _features(lambda x: x),
        says="queries and keys have no features: they are used as they are"),
    Variant("linear_feature", _features(lambda x: x, "Q"), says="the queries are used as they are, without features"),
    Variant("linear_feature", _features(lambda x: x, "K"), says="the keys are used as they are, without features"),
    Variant("linear_feature", _features(_softmax), says="the features are a softmax over the width"),
    Variant("linear_feature", _features(lambda x: phi(x) + 1), says="1 is added twice"),
    *(Variant("linear_feature", _features(lambda x: phi(x / x.shape[-1] ** 0.5), which),
        says="there is a scale before the features", common=False) for which in ("QK", "Q")),
    Variant("linear_feature_bf16", {"features": _rounded}, LOW,
        "exp(x) − 1 + 1 loses what is small in {dtype}", False),
]  # fmt: skip

LINEAR = Form("linear", LINEAR_STEPS, begin, probes, ("Q", "K", "V"), {"causal": OPTIONS["causal"]},
              demos=demos, about=ABOUT)  # fmt: skip
