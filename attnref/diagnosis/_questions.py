"""The questions that `conventions` asks, each a tiny call whose answer can be checked by head."""

from collections.abc import Callable, Mapping

import numpy as np

from attnref.diagnosis import _questions_masks as masks
from attnref.diagnosis._asking import NONE, Asker, close, first
from attnref.diagnosis._pipeline import Array
from attnref.diagnosis._questions_masks import ALIGNED
from attnref.diagnosis._say import keys, number, row


def scale(asker: Asker) -> str:
    """From one query and two keys, of which one is zero."""
    if asker.takes.get("scale") in asker.must:
        return "must be given"
    x = asker.ask([np.ones(4)], [np.ones(4), np.zeros(4)], np.eye(2, 4))
    known = ((0.9820, "none"), (0.8808, "1/sqrt(d_k)"), (0.7311, "1/d_k"), (0.5, "zero"))
    return first(
        None if x is None else x[..., 0], known, "" if x is None else f"first weight {number(x.flat[0])}"
    )


def widths(asker: Asker) -> str:
    """Values narrower than the keys."""
    x = asker.ask(np.zeros((1, 4)), np.ones((3, 4)), np.ones((3, 2)))
    return "may be another" if x is not None and x.shape == (1, 1, 1, 2) else "must be that of the keys"


def grouped(asker: Asker) -> str:
    """Four query heads, two key heads whose values are their numbers."""
    if "H" not in asker.rules.layout:
        return NONE
    V = np.broadcast_to(np.array([0.0, 1]).reshape(1, 2, 1, 1), (1, 2, 3, 2))
    x = asker.ask(np.zeros((1, 4, 5, 2)), np.ones((1, 2, 3, 2)), V)
    if x is None or x.shape != (1, 4, 5, 2):
        return "refused"
    known = (
        ([0, 0, 1, 1], "neighbours share a key head"),
        ([0, 1, 0, 1], "every second one shares a key head"),
    )
    return first(x[0, :, 0, 0], known, row(x[0, :, 0, 0]))


def window(asker: Asker) -> str:
    """Which keys the fourth of five queries sees; with a pair if it takes one, else with a number."""
    if "window" not in asker.takes:
        return NONE
    for given in ((2, 0), 2):
        w = asker.weigh(5, 5, window=given)
        if w is not None:
            return f"{given}: query 3 sees {keys([int(n) for n in np.flatnonzero(w[3] > 0.01)])}"
    return "refused"


def window_long(asker: Asker) -> str:
    """Where the window of the second of two queries lies over five keys: at the second, or at the last."""
    if "window" not in asker.takes:
        return NONE
    w = asker.weigh(2, 5, window=(1, 0))
    w = asker.weigh(2, 5, window=1) if w is None else w
    if w is None:
        return "refused"
    seen = {int(n) for n in np.flatnonzero(w[1] > 0.01)}
    if seen <= {0, 1, 2} or seen <= {3, 4}:
        return ALIGNED[4 in seen][1]
    return f"query 1 sees {keys(sorted(seen))}"


def softcap(asker: Asker) -> str:
    """Does it cap; and if so, does a hidden key keep a share of the weights?"""
    if "softcap" not in asker.takes:
        return NONE
    Q, K = [[8.0, 0, 0, 0]], [[1.0, 0, 0, 0], [0] * 4]
    x = asker.ask(Q, K, np.eye(2, 4), softcap=1.0)
    if x is None or x[0, 0, 0, 0] > 0.9:
        return "refused" if x is None else "ignored"
    hidden = asker.hiding(False, True)
    options = asker.adding(0, -np.inf) if hidden is None else {"mask": hidden}
    w = asker.weigh(1, 2, softcap=1.0, **options) if options else None
    return "caps" if w is None else ("before the mask" if close(w, [[1, 0]]) else "after the mask")


def half_large(asker: Asker) -> str:
    """Dot products that are more than half precision can hold."""
    x = in_half(asker, [400, 0, 0, 0], [400, 0, 0, 0], 1.0)
    return x if isinstance(x, str) else ("overflow" if not close(x, [1, 0], 0.01) else "no matter")


def half_scores(asker: Asker) -> str:
    """Two scores that half precision cannot tell apart."""
    x = in_half(asker, [32, 0.5, 0, 0], [32, 0.5, 0, 0], 1.0, [32, 0, 0, 0])
    return x if isinstance(x, str) else ("rounded" if close(x, [0.5, 0.5], 0.005) else "kept wider")


def half_weights(asker: Asker) -> str:
    """Two weights that half precision takes for equal, on values that cancel."""
    x = in_half(asker, [1, 0, 0, 0], [0.0008, 0, 0, 0], 2048.0)
    return x if isinstance(x, str) else ("kept wider" if close(x[0] - x[1], 0.4096, 0.02) else "rounded")


def in_half(asker: Asker, q: object, k: object, size: float, other: object = (0, 0, 0, 0)) -> Array | str:
    """The first two numbers of an output in `float16`, of values that are `size` and its opposite."""
    dtype, asker.dtype = asker.dtype, np.dtype(np.float16)
    V = np.zeros((2, 4))
    V[0, 0], V[1, 1] = size, size
    if size != 1.0:
        V[1, :2] = -size, 0
    try:
        x = asker.ask([q], [k, other], V)
    finally:
        asker.dtype = dtype
    return "refused" if x is None else x[0, 0, 0, :2]


QUESTIONS: Mapping[str, Callable[[Asker], str]] = {
    "scale": scale,
    "mask, True or False": masks.mask,
    "mask, numbers": masks.numbers,
    "numbers and scale": masks.bias,
    "causal": masks.causal,
    "causal, more queries": masks.causal_long,
    "causal, one query": masks.causal_one,
    "empty row, mask": masks.empty,
    "empty row, −∞": masks.empty_infinite,
    "empty row, lowest number": masks.empty_lowest,
    "NaN in a hidden key": lambda asker: masks.garbage(asker, "key"),
    "NaN in a hidden value": lambda asker: masks.garbage(asker, "value"),
    "width of the values": widths,
    "fewer key heads": grouped,
    "window": window,
    "window, more keys": window_long,
    "softcap": softcap,
    "float16, large scores": half_large,
    "float16, scores": half_scores,
    "float16, weights": half_weights,
}
