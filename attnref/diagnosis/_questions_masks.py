"""Questions about what a query may see: masks, biases, causal order, empty rows, and NaN behind a mask."""

import numpy as np

from attnref._masks import Align, causal_mask
from attnref.diagnosis._asking import NONE, Asker, close, first
from attnref.diagnosis._pipeline import Array
from attnref.diagnosis._say import number, row

ALIGNED: tuple[tuple[Align, str], ...] = (
    ("top_left", "first query at first key"),
    ("bottom_right", "last query at last key"),
)


def mask(asker: Asker) -> str:
    """True, False, False, False over equal scores."""
    if "mask" not in asker.takes:
        return NONE
    x = asker.weigh(1, 4, mask=np.array([[[[True, False, False, False]]]]))
    known = (
        ([[1, 0, 0, 0]], "True attends"),
        ([[0, 1 / 3, 1 / 3, 1 / 3]], "True hides"),
        ([[0.4754, 0.1749, 0.1749, 0.1749]], "added as one"),
        ([[0.3547, 0.2151, 0.2151, 0.2151]], "added as one"),  # and multiplied by the scale
        ([[0.25] * 4], "ignored"),
    )
    return first(x, known, "" if x is None else row(x[0]))


def numbers(asker: Asker) -> str:
    """One, zero, zero, zero over equal scores."""
    if "mask" not in asker.takes:
        return NONE
    x = asker.weigh(1, 4, mask=np.array([[[[1, 0, 0, 0]]]], asker.dtype))
    known = (
        ([[0.4754, 0.1749, 0.1749, 0.1749]], "added"),
        ([[0.3547, 0.2151, 0.2151, 0.2151]], "added"),
        ([[1, 0, 0, 0]], "zero hides"),
        ([[0, 1 / 3, 1 / 3, 1 / 3]], "one hides"),
        ([[0.25] * 4], "ignored"),
    )
    return first(x, known, "" if x is None else row(x[0]))


def bias(asker: Asker) -> str:
    """Two and zero on top of scores of zero, for keys of width four."""
    added = asker.adding(2, 0)
    if not added:
        return NONE
    x = asker.ask(np.zeros((1, 4)), np.ones((2, 4)), np.eye(2, 4), **added)
    known = ((0.8808, "added as it is"), (0.7311, "multiplied by the scale"), (0.5, "ignored"))
    return first(None if x is None else x[..., 0], known, "" if x is None else number(float(x.flat[0])))


def aligned(w: Array | None) -> str:
    """How a causal mask lies over weights that are shares of what is seen, and what the empty rows hold."""
    if w is None:
        return "refused"
    for align, words in ALIGNED:
        seen = causal_mask(*w.shape, align=align)
        empty = ~seen.any(axis=-1)
        if close(w[~empty], (seen / np.maximum(seen.sum(axis=-1, keepdims=True), 1))[~empty]):
            return words + (f"; empty rows: {filled(w[empty])}" if empty.any() else "")
    return "ignored" if close(w, 1 / w.shape[1]) else "; ".join(row(x) for x in w)


def filled(w: Array) -> str:
    """What stands in the weights of a query that sees nothing."""
    return first(w, ((0.0, "zero"), (1 / w.shape[-1], "mean of the values"), (np.nan, "NaN")), row(w[0]))


def causal(asker: Asker) -> str:
    """Two queries, four keys."""
    return aligned(asker.weigh(2, 4, causal=True)) if "causal" in asker.takes else NONE


def causal_long(asker: Asker) -> str:
    """Four queries, two keys."""
    return aligned(asker.weigh(4, 2, causal=True)) if "causal" in asker.takes else NONE


def causal_one(asker: Asker) -> str:
    """One query, four keys, as in decoding."""
    if "causal" not in asker.takes:
        return NONE
    x = asker.weigh(1, 4, causal=True)
    return first(x, (([[1, 0, 0, 0]], "sees the first key only"), (0.25, "sees all keys")), "otherwise")


def empty(asker: Asker) -> str:
    """A mask that hides both keys."""
    hidden = asker.hiding(True, True)
    return NONE if hidden is None else told(asker.weigh(1, 2, mask=hidden))


def told(w: Array | None) -> str:
    return "refused" if w is None else filled(w)


def empty_infinite(asker: Asker) -> str:
    """Minus infinity on both keys."""
    added = asker.adding(-np.inf, -np.inf)
    return told(asker.weigh(1, 2, **added)) if added else NONE


def empty_lowest(asker: Asker) -> str:
    """The lowest finite number on both keys."""
    added = asker.adding(*2 * [float(np.finfo(asker.dtype).min)])
    return told(asker.weigh(1, 2, **added)) if added else NONE


def garbage(asker: Asker, name: str) -> str:
    """NaN in a key or a value that is hidden."""
    hidden = asker.hiding(False, True)
    options = asker.adding(0, -np.inf) if hidden is None else {"mask": hidden}
    if not options:
        return NONE
    K, V = np.ones((2, 2)), np.eye(2)
    {"key": K, "value": V}[name][1] = np.nan
    x = asker.ask(np.zeros((1, 2)), K, V, **options)
    return "refused" if x is None else ("reaches the output" if np.isnan(x).any() else "stays hidden")
