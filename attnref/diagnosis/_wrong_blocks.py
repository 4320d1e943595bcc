"""What goes wrong when the softmax runs over blocks of keys, with a running maximum and sum."""

import numpy as np

from attnref.diagnosis._pipeline import Array, Hook, Variant, Work, nothing
from attnref.diagnosis._steps import normalise, top

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 32, 64, 128)


def _running(x: Array, size: int) -> Array:
    """The running maximum that each key's block ends with."""
    L_k = x.shape[-1]
    ends = np.minimum(np.arange(L_k) // size * size + size - 1, L_k - 1)
    tops: Array = np.maximum.accumulate(x, axis=-1)[..., ends]
    return tops


def unrescaled(size: int, above: bool, below: bool) -> Hook:
    """Earlier blocks are not scaled down when the maximum grows: in the sum of values, the denominator, or both."""

    def step(w: Work) -> None:
        x = w.logits
        run, end = _running(x, size), top(x)
        late, early = np.exp(x - end), np.where(np.isneginf(run), 0, np.exp(x - run))
        total = (early if below else late).sum(axis=-1, keepdims=True)
        w.weights = (early if above else late) / total

    return step


def _padded(size: int) -> Hook:
    """The last block is filled up with keys and values of zero, and these are attended to."""

    def step(w: Work) -> None:
        shift = np.maximum(top(w.logits), 0)
        more = -w.logits.shape[-1] % size
        shift = np.where(more, shift, top(w.logits))
        powers = np.exp(w.logits - shift)
        w.weights = powers / (powers.sum(axis=-1, keepdims=True) + more * np.exp(-shift))

    return step


def _dropped(size: int) -> Hook:
    """The last block is left out where it is not full."""

    def step(w: Work) -> None:
        whole = w.logits.shape[-1] // size * size
        w.logits = np.where(np.arange(w.logits.shape[-1]) < whole, w.logits, -np.inf)
        normalise(w)
        w.weights = np.where(np.isnan(w.weights) & (whole == 0), 0, w.weights)

    return step


def _first_hidden(x: Array, size: int) -> Array:
    """The rows whose first block holds nothing to attend to."""
    return np.asarray(np.isneginf(top(x[..., :size])))


def _broken_first(size: int, value: float) -> Hook:
    """A first block that is masked as a whole leaves NaN behind."""

    def step(w: Work) -> None:
        normalise(w)
        w.weights = np.where(_first_hidden(w.logits, size), value, w.weights)

    return step


def _reset(size: int, value: float) -> Hook:
    """A first block that is masked as a whole leaves a maximum of zero behind."""

    def step(w: Work) -> None:
        shift = np.where(_first_hidden(w.logits, size), np.maximum(top(w.logits), 0), top(w.logits))
        powers = np.exp(w.logits - shift)
        total = powers.sum(axis=-1, keepdims=True)
        w.weights = np.where(total == 0, value, powers / np.where(total == 0, 1, total))

    return step


def _last_only(size: int) -> Hook:
    """The maximum and the sum of the last block alone are used for all keys."""

    def step(w: Work) -> None:
        L_k = w.logits.shape[-1]
        start = (L_k - 1) // size * size
        last = w.logits[..., start:]
        w.weights = np.exp(w.logits - top(w.logits)) / np.exp(last - top(w.logits)).sum(
            axis=-1, keepdims=True
        )

    return step


def _own_maximum(size: int) -> Hook:
    """Each block is shifted by its own maximum, and the sums are added up as they are."""

    def step(w: Work) -> None:
        starts = range(0, w.logits.shape[-1], size)
        blocks = [w.logits[..., n : n + size] for n in starts]
        powers = np.concatenate([np.exp(x - np.maximum(top(x), -1e300)) for x in blocks], axis=-1)
        w.weights = powers / powers.sum(axis=-1, keepdims=True)

    return step


ONLINE = [
    (True, True, "when a later block has a greater maximum, what was summed before is not scaled down"),
    (True, False, "when a later block has a greater maximum, the blend so far is not scaled down"),
    (False, True, "when a later block has a greater maximum, the denominator so far is not scaled down"),
]
FIRST = frozenset({"mask", "empty", "causal", "window", "bias"})

VARIANTS: list[Variant] = [
    *(
        Variant("online_rescale", {"normalise": unrescaled(size, above, below)},
            says=f"{says} (blocks of {size})", common=False)
        for size in SIZES
        for above, below, says in ONLINE
    ),
    *(
        Variant("online_rescale", {"normalise": _own_maximum(size)},
            says=f"each block of {size} is shifted by its own maximum, and nothing makes up for it", common=False)
        for size in SIZES
    ),
    *(
        Variant("block_bounds", {"normalise": _padded(size)},
            says=f"the last block of {size} reads past the last key", common=False)
        for size in SIZES[1:]
    ),
    *(
        Variant("block_dropped", {"normalise": _dropped(size)},
            says=f"the last block of {size} is left out unless it is full", common=False)
        for size in SIZES[1:]
    ),
    *(
        Variant("block_denominator", {"normalise": _last_only(size)},
            says=f"the denominator is that of the last block of {size} alone", common=False)
        for size in SIZES[1:]
    ),
    *(
        Variant("online_nan", hooks, FIRST,
            f"a first block of {size} that is masked as a whole gives NaN (−∞ minus −∞)", False)
        for size in SIZES
        for hooks in (
            {"normalise": _broken_first(size, np.nan)},
            {"normalise": _broken_first(size, np.nan), "empty": nothing},
        )
    ),
    *(
        Variant("online_rowmax_reset", {"normalise": _reset(size, value), "empty": nothing}, FIRST | {"first_block"},
                f"a first block of {size} that is masked as a whole sets the running maximum to 0", False)
        for size in SIZES
        for value in (0.0, np.nan)
    ),
]  # fmt: skip
