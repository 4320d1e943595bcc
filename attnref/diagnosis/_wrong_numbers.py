"""What goes wrong with small numbers that are added, scores that are cut off, and rows that see nothing."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._pipeline import Hook, Variant, Work
from attnref.diagnosis._steps import empty, seen, top
from attnref.diagnosis._wrong_masks import EMPTY

LEAST = 1e-7
"""What is smaller makes no difference that counts."""

GREATEST = 0.9
"""What is greater is no small number; a one that is added means something."""

EPSILONS = (1e-2, 1e-3, 1e-4)
BOUNDS = (5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 64.0, 80.0, 88.0, 100.0, 500.0, 700.0)
ANY: frozenset[str] = frozenset()


def _thinned(epsilon: float, shifted: bool) -> Hook:
    def step(w: Work) -> None:
        powers = np.exp(w.logits - (np.maximum(top(w.logits), -1e300) if shifted else 0))
        w.weights = powers / (powers.sum(axis=-1, keepdims=True) + epsilon)

    return step


def _thin_mean(epsilon: float) -> Hook:
    """Where the mean is agreed, it is a little less."""

    def step(w: Work) -> None:
        empty(w)
        if w.rules.empty_row == "mean":
            rows = ~seen(w).any(axis=-1, keepdims=True)
            w.weights = np.where(rows, 1 / (w.weights.shape[-1] + epsilon), w.weights)

    return step


def _raised(epsilon: float) -> Hook:
    def step(w: Work) -> None:
        powers = np.exp(w.logits - np.maximum(top(w.logits), -1e300)) + epsilon
        w.weights = powers / powers.sum(axis=-1, keepdims=True)

    return step


def _added(epsilon: float, after: bool) -> Hook:
    def step(w: Work) -> None:
        powers = np.exp(w.logits - top(w.logits))
        w.weights = powers / powers.sum(axis=-1, keepdims=True) + epsilon

    return step


def thinned(epsilon: float) -> list[Variant]:
    """A small number in the denominator: rows sum to less than one."""
    says = f"{epsilon:.3g} is added to the denominator, so that weights sum to less than 1"
    shifted = Variant("softmax_epsilon", {"normalise": _thinned(epsilon, True), "empty": _thin_mean(epsilon)},
        says=says, common=False)  # fmt: skip
    bare = Variant("softmax_epsilon", {"normalise": _thinned(epsilon, False)},
        says=says + ", and no maximum is subtracted", common=False)  # fmt: skip
    return [shifted, bare]


def raised(epsilon: float) -> list[Variant]:
    """A small number on each power: hidden keys and far ones get a share."""
    says = f"{epsilon:.3g} is added to each exponential, so that every key has a share, hidden ones too"
    return [Variant("softmax_epsilon", {"normalise": _raised(epsilon)}, says=says, common=False)]


def measured_epsilons(share: float) -> list[Variant]:
    """What may have been added, from the weight of the first of two keys, whose score alone is not zero."""
    total = 1 + np.exp(-2.0)
    epsilon = 1 / share - total if share > 0 else 0.0
    if not LEAST < epsilon < GREATEST:
        return []
    bare = thinned(short(epsilon * np.exp(2.0)))[1]
    return [thinned(short(epsilon))[0], bare, *raised(short((1 - share * total) / (2 * share - 1)))]


def short(x: float) -> float:
    """To six digits: people write short numbers."""
    return float(f"{x:.6g}")


def _cut(low: float, high: float, masked: bool) -> Hook:
    def step(w: Work) -> None:
        x = np.clip(w.logits, low, high)
        x = x if masked else np.where(np.isneginf(w.logits), -np.inf, x)
        powers = np.exp(x - top(x))
        w.weights = powers / powers.sum(axis=-1, keepdims=True)

    return step


def _one_key(key: int) -> Hook:
    """A row that may see nothing sees one key all the same."""

    def step(w: Work) -> None:
        rows = ~seen(w).any(axis=-1, keepdims=True)
        alone = np.zeros(w.weights.shape[-1])
        alone[key] = 1
        w.weights = np.where(rows, alone, w.weights)

    return step


Law = Callable[[float], tuple[float, float]]
SIDES: tuple[tuple[str, Law], ...] = (
    ("scores are cut off at −{0:g} and {0:g}", lambda c: (-c, c)),
    ("scores are cut off above {0:g}", lambda c: (-np.inf, c)),
    ("scores are cut off below −{0:g}", lambda c: (-c, np.inf)),
)

VARIANTS: list[Variant] = [
    *(v for epsilon in EPSILONS for v in thinned(epsilon)),
    *(v for epsilon in EPSILONS for v in raised(epsilon)),
    *(
        Variant("scores_clipped", {"normalise": _cut(*law(c), masked)}, ANY,
            says.format(c) + (", those of hidden keys too" if masked else ""), False)
        for c in BOUNDS
        for says, law in SIDES
        for masked in (False, True)
        if not (masked and "above" in says)
    ),
    *(
        Variant("masked_row_key", {"empty": _one_key(key)}, EMPTY,
            f"a row that may attend to nothing attends to the {name} key", False)
        for key, name in ((0, "first"), (-1, "last"))
    ),
]  # fmt: skip
