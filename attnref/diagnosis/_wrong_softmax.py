"""What goes wrong in the softmax: the axis, the maximum, the precision, the sum over blocks."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from attnref.diagnosis._pipeline import Array, Hook, Variant, Work, nothing
from attnref.diagnosis._say import minus
from attnref.diagnosis._steps import seen, top

CONSTANTS = (5, 10, 20, 30, 50, 64, 88, 100, 128, 200, 256, 300, 500, 700, -10, -50, -100)
FLOORS = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-15, 1e-16, 1e-20, 1e-30, 1e-38, 1e-300)
NO_MAXIMUM = "no maximum is subtracted, and exp overflows above 709"
LARGE = frozenset({"large", "low", "first_block"})


def _over(axes: tuple[int, ...]) -> Hook:
    """Softmax over these axes instead of the last."""

    def step(w: Work) -> None:
        if any(-axis > w.logits.ndim for axis in axes):
            raise ValueError("no such axis")
        powers = np.exp(w.logits - np.max(w.logits, axis=axes, keepdims=True))
        w.weights = powers / powers.sum(axis=axes, keepdims=True)

    return step


def _bare(axes: tuple[int, ...]) -> Hook:
    """Softmax over these axes, and no maximum is subtracted."""

    def step(w: Work) -> None:
        if any(-axis > w.logits.ndim for axis in axes):
            raise ValueError("no such axis")
        w.weights = np.exp(w.logits) / np.exp(w.logits).sum(axis=axes, keepdims=True)

    return step


def _guarded(w: Work) -> None:
    w.weights = np.nan_to_num(w.weights, nan=0, posinf=np.inf, neginf=-np.inf)


def _held(powers: Array, dtype: str) -> Array:
    """Infinite and zero where they are so in this dtype; that it rounds the others is of no account."""
    small = powers.astype(dtype)
    return np.where(np.isinf(small) | (small == 0), small, powers)


def _shifted(shift: Callable[[Array], ArrayLike], repaired: bool = False, dtype: str = "float64") -> Hook:
    """Softmax with another number than the row's maximum subtracted; repaired: where that leaves nothing, zero."""

    def step(w: Work) -> None:
        powers = _held(np.exp(w.logits - np.asarray(shift(w.logits))), dtype)
        total = powers.sum(axis=-1, keepdims=True)
        w.weights = powers / np.where((total == 0) & repaired, 1, total)

    return step


def _floored(floor: float, added: bool) -> Hook:
    """Exponentials of bare scores over a denominator that a small number keeps from zero."""

    def step(w: Work) -> None:
        powers = np.exp(w.logits)
        total = powers.sum(axis=-1, keepdims=True)
        w.weights = powers / (total + floor if added else np.maximum(total, floor))

    return step


def _from(law: Callable[[Array], Array]) -> Hook:
    """Weights straight from the logits, by another law."""

    def step(w: Work) -> None:
        w.weights = law(w.logits)

    return step


def _softmax(x: Array) -> Array:
    powers = np.exp(x - top(x))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _base_two(x: Array) -> Array:
    powers = np.exp2(x - top(x))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _again(x: Array) -> Array:
    """Twice, with an empty row of zeros in between."""
    return _softmax(np.nan_to_num(_softmax(x)))


def _no_keepdims(x: Array) -> Array:
    powers = np.exp(x - top(x))
    return np.asarray(powers / powers.sum(axis=-1))


def _never_keepdims(x: Array) -> Array:
    powers = np.exp(x - np.max(x, axis=-1))
    return np.asarray(powers / powers.sum(axis=-1))


def _plus_one(x: Array, shifted: bool) -> Array:
    powers = np.exp(x - top(x))
    one = np.exp(-top(x)) if shifted else 1.0
    return np.asarray(powers / (one + powers.sum(axis=-1, keepdims=True)))


def of_everything(x: Array) -> Array:
    """One maximum for all rows."""
    return np.asarray(np.max(x, axis=tuple(range(x.ndim)), keepdims=True))


def _law(name: str, step: Hook, says: str) -> list[Variant]:
    """Another law, with an empty row mended and not."""
    return [
        Variant(name, {"normalise": step}, says=says),
        Variant(name, {"normalise": step, "empty": nothing}, says=says, common=name == "softmax_twice"),
    ]


def _axis(name: str, says: str, *axes: int) -> list[Variant]:
    step = _over(axes)
    return [
        Variant(name, {"normalise": step}, says=says),
        Variant(name, {"normalise": step, "empty": nothing}, says=says, common=False),
        Variant(name, {"normalise": step, "empty": _guarded}, says=says, common=False),
        *(
            Variant(
                name,
                {"normalise": _bare(axes)} | more,
                says=says + ", and no maximum is subtracted",
                common=False,
            )
            for more in ({}, {"empty": nothing})
        ),
    ]


def shifts(
    name: str, says: str, shift: Callable[[Array], ArrayLike], common: bool = False, dtype: str = "float64"
) -> list[Variant]:  # fmt: skip
    """Another number than the row's maximum, with an empty row mended in each way; exp is that of the dtype."""
    return [
        Variant(name, {"normalise": _shifted(shift, dtype=dtype)}, LARGE, says, common),
        Variant(name, {"normalise": _shifted(shift, True, dtype)}, LARGE, says, common),
        Variant(name, {"normalise": _shifted(shift, dtype=dtype), "empty": _guarded}, LARGE, says, common),
    ]


def _constant(c: float) -> Callable[[Array], ArrayLike]:
    return lambda x: c


def _at_least(c: float) -> Callable[[Array], ArrayLike]:
    return lambda x: np.maximum(top(x), c)


def _sum_all(w: Work) -> None:
    powers = np.where(seen(w), np.exp(w.logits - top(w.logits)), 0)
    w.weights = powers / powers.sum(axis=(-1, -2), keepdims=True)


VARIANTS: list[Variant] = [
    *_axis("softmax_axis", "your softmax runs over the queries, so columns sum to 1, not rows", -2),
    *_axis("softmax_axis_batch", "your softmax runs over the batch", -4),
    *_axis("softmax_axis_heads", "your softmax runs over the heads", -3),
    *_axis("softmax_axis_all", "your softmax runs over all queries and keys at once", -1, -2),
    *_axis("softmax_axis_all", "your softmax runs over everything at once", -1, -2, -3, -4),
    Variant("softmax_axis_all", {"normalise": _sum_all}, says="the sum runs over all queries and keys"),
    *_law("softmax_missing", _from(lambda x: x), "there is no softmax: scores are weights"),
    *_law("softmax_unnormalised", _from(lambda x: np.exp(x)), "exponentials are not divided by their sum"),
    *_law("softmax_unnormalised", _from(lambda x: np.exp(x - top(x))), "exponentials are not divided by their sum"),
    *_law("softmax_twice", _from(lambda x: _softmax(_softmax(x))), "your softmax is taken twice"),
    *_law("softmax_twice", _from(_again), "the softmax is taken twice"),
    *_law("softmax_base", _from(_base_two), "powers of 2 are taken without the factor log₂e"),
    Variant("softmax_keepdims", {"normalise": _from(_no_keepdims)},
        says="each column is divided by the sum of another row (keepdims)", common=False),
    Variant("softmax_keepdims", {"normalise": _from(_never_keepdims)},
        says="maximum and sum are taken from other rows (keepdims)", common=False),
    *_law("off_by_one_shift", _from(lambda x: _plus_one(x, False)),
        "1 is added to the denominator, not shifted with the maximum"),
    *_law("softmax_plus_one", _from(lambda x: _plus_one(x, True)),
        "the denominator has a term for attending to nothing"),
    *shifts("softmax_overflow", NO_MAXIMUM, lambda x: 0.0, True),
    *(Variant("softmax_overflow", {"normalise": _floored(floor, added)}, says=NO_MAXIMUM, common=False)
      for floor in FLOORS for added in (True, False)),
    *shifts("softmax_global_max", "one maximum is subtracted for all rows, so that low rows vanish", of_everything,
        True),
    *shifts("softmax_global_max", "one maximum is subtracted for all queries of a head", lambda x: np.max(x,
        axis=(-1, -2), keepdims=True)),
    *shifts("softmax_global_max", "one maximum is subtracted for all heads",
        lambda x: np.max(x, axis=(-1, -2, -3), keepdims=True)),
    *(v for c in CONSTANTS for v in shifts("softmax_const_max", f"a fixed {minus(c)} is subtracted", _constant(c))),
    *(v for c in (-5e4, -1e4, -3e4, -1e3, -500, -100, 0)
      for v in shifts("online_sentinel", f"the running maximum starts at {minus(c)} and not at −∞", _at_least(c))),
]  # fmt: skip
