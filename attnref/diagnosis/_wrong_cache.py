"""What goes wrong with a cache of keys and values: not used, replaced, out of order, counted twice, not filled."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._pipeline import Array, Hook, Variant, Work
from attnref.diagnosis._steps import top


def _see(law: Callable[[Work, Array, Array], Array]) -> dict[str, Hook]:
    """From the numbers of query and key to what is seen."""

    def step(w: Work) -> None:
        n = len(w.calls)
        w.causal_seen = law(w, np.arange(n)[:, None], np.arange(n))

    return {"see_causal": step}


def _same_call(w: Work) -> Array:
    return np.asarray(w.calls[:, None] == w.calls)


def _twice(w: Work) -> None:
    """A key that counts twice has twice the weight."""
    w.open = w.logits = w.logits + np.log(2) * _same_call(w)


def _ends(w: Work) -> Array:
    """How many tokens there are after each token's call."""
    return np.asarray(np.cumsum(np.bincount(w.calls))[w.calls])


def _places(w: Work) -> Array:
    """Where each key stands in the call of each query, if new keys are put in front."""
    return np.asarray(_ends(w)[:, None] - _ends(w) + np.arange(len(w.calls)) - w.first)


def _in_front(w: Work, i: Array, j: Array) -> Array:
    """New keys are put in front of the old ones, and the causal rule counts places."""
    return np.asarray((j < _ends(w)[:, None]) & (_places(w) <= i))


def _mask_in_front(w: Work) -> None:
    """The mask is laid over the places, and hits other keys."""
    w.mask_seen = None if w.mask is None else w.mask[:, :, 0][..., np.maximum(_places(w), 0)]


def _mask_of_all(w: Work) -> None:
    """The mask has more columns than there are keys."""
    w.mask_seen = w.mask
    if w.mask is not None and len(set(w.calls)) > 1:
        raise ValueError("the axes do not fit")


def _copied(w: Work) -> None:
    """New keys stand in the cache and behind it once more; the causal rule hides some of the second copy."""
    own = _same_call(w) & np.tri(len(w.calls), dtype=bool)
    w.open = w.logits = w.logits + np.log1p(own)


def _size(w: Work) -> Array:
    """How many tokens came in the call of each query."""
    return np.asarray(np.bincount(w.calls)[w.calls][:, None])


def _overwritten(w: Work, i: Array, j: Array) -> Array:
    """Each call writes one place further than the last one did, over what stands there."""
    n = len(w.calls)
    seen, kept = np.zeros((n, n), bool), np.full(n, -1)
    for call in range(w.calls[-1] + 1):
        new = np.flatnonzero(w.calls == call)
        kept[call : call + len(new)] = new
        for row, query in enumerate(new):
            seen[query, kept[: call + row + 1]] = True
    return seen


def _unfilled(size: int) -> dict[str, Hook]:
    """A cache of fixed size is attended to as a whole; what is not filled yet is zero."""

    def step(w: Work) -> None:
        more = np.maximum(size - _ends(w)[:, None], 0)
        shift = np.maximum(top(w.logits), np.where(more > 0, 0, -np.inf))
        powers = np.exp(w.logits - shift)
        w.weights = powers / (powers.sum(axis=-1, keepdims=True) + more * np.exp(-shift))

    return {"normalise": step}


STEPPED = frozenset({"steps"})

VARIANTS: list[Variant] = [
    Variant("cache_ignored", _see(lambda w, i, j: (j <= i) & _same_call(w)),
        STEPPED, "the cache is not used: new tokens see one another alone"),
    Variant("cache_replaced", _see(lambda w, i, j: (j <= i) & (w.calls >= w.calls[:, None] - 1)), STEPPED,
        "each call replaces the cache: only the tokens of the last call are kept"),
    Variant("cache_replaced", _see(lambda w, i, j: (j <= i) & (_same_call(w) | (w.calls == 0))), STEPPED,
        "the cache stays as the first call left it"),
    Variant("cache_late", _see(lambda w, i, j: (j < w.first[:, None]) | ((w.first[:, None] == 0) & (j <= i))), STEPPED,
        "new tokens do not see themselves: their keys enter the cache too late"),
    Variant("cache_twice", {"open": _twice}, STEPPED, "the keys of new tokens count twice"),
    Variant("cache_twice", {"open": _copied} | _see(lambda w, i, j: j < _ends(w)[:, None]),
        says="the keys of new tokens stand there twice, and those after a token are seen"),
    Variant("cache_ignored", _see(lambda w, i, j: (j <= i) & _same_call(w)) | {"see_mask": _mask_of_all}, STEPPED,
        "the cache is not used: new tokens see one another alone", False),
    Variant("cache_replaced",
        _see(lambda w, i, j: (j <= i) & (w.calls >= w.calls[:, None] - 1)) | {"see_mask": _mask_of_all}, STEPPED,
        "each call replaces the cache: only the tokens of the last call are kept", False),
    Variant("cache_replaced",
        _see(lambda w, i, j: (j <= i) & (_same_call(w) | (w.calls == 0))) | {"see_mask": _mask_of_all}, STEPPED,
        "the cache stays as the first call left it", False),
    Variant("cache_order", _see(_in_front) | {"see_mask": _mask_in_front}, STEPPED,
        "new keys are put in front of the old ones", False),
    Variant("cache_order", _see(_in_front), STEPPED, "new keys are put in front of the old ones", False),
    Variant("kv_first_key_only", _see(lambda w, i, j: j <= i - w.first[:, None]), STEPPED,
        "the causal rule counts new queries from 0: the newest token sees the first keys alone"),
    Variant("causal_alignment", _see(lambda w, i, j: (j <= i) & ((j <= i - w.first[:, None]) | (_size(w) == 1))),
        STEPPED,
        "of several new tokens the first lines up with the first key", False),
    Variant("cache_place", _see(_overwritten), STEPPED,
        "the place in the cache advances by one in each call, however many tokens came", False),
    Variant("causal_dropped", _see(lambda w, i, j: w.calls <= w.calls[:, None]),
        says="new tokens see those that come in the same call after them"),
    Variant("causal_off_by_one", _see(lambda w, i, j: (j < i) | ((j == i) & (i == 0))),
        says="no token but the first sees itself"),
    Variant("causal_off_by_one", _see(lambda w, i, j: j < i), says="no token sees itself"),
    Variant("causal_dropped",
        _see(lambda w, i, j: (j <= i) | ((w.first[:, None] > 0) & (j < _ends(w)[:, None]))), STEPPED,
        "once there is a cache, new tokens see those that come in the same call after them", False),
    *(Variant("cache_unfilled", _unfilled(size),
        says=f"a cache of {size} places is attended to as a whole, filled or not", common=False)
      for size in (8, 10, 12, 16, 20, 24, 32, 48, 50, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096)),
]  # fmt: skip
