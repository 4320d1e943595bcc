"""What goes wrong with the causal rule and with windows: dropped, shifted, aligned or turned otherwise."""

from collections.abc import Callable

import numpy as np

from attnref._masks import Align, causal_mask, window_mask
from attnref.diagnosis._pipeline import Array, Hook, Variant, Work, nothing
from attnref.diagnosis._steps import lengths, seen

CAUSAL = frozenset({"causal"})
WINDOW = frozenset({"window"})
OTHER: dict[Align, Align] = {"bottom_right": "top_left", "top_left": "bottom_right"}


def _distance(w: Work, align: Align | None = None) -> Array:
    """How far each key is ahead of each query."""
    L_q, L_k = lengths(w)
    offset = L_k - L_q if (align or w.rules.causal_align) == "bottom_right" else 0
    return np.arange(L_k) - np.arange(L_q)[:, None] - offset


def _causal(law: Callable[[Work], Array | None]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.causal_seen = law(w) if w.causal else None

    return {"see_causal": step}


def _other(w: Work) -> Array:
    return causal_mask(*lengths(w), align=OTHER[w.rules.causal_align])


def _right(w: Work) -> Array:
    return causal_mask(*lengths(w), align=w.rules.causal_align)


def _decode_only(w: Work) -> Array:
    return _other(w) if lengths(w)[0] == 1 else _right(w)


def _long_only(w: Work) -> Array:
    L_q, L_k = lengths(w)
    return _other(w) if L_q > L_k else _right(w)


def _square_corner(w: Work) -> Array:
    """The rule of a square, cut to L_q rows and L_k columns from its lower right: no row is empty."""
    L_q, L_k = lengths(w)
    return np.asarray((_distance(w) <= 0) | (np.arange(L_q)[:, None] < L_q - L_k))


def _reversed(w: Work) -> Array:
    return np.asarray(_right(w)[::-1])


def _unasked(law: Callable[[Work], Array]) -> Hook:
    def step(w: Work) -> None:
        w.causal_seen = law(w)

    return step


def _spread(w: Work) -> None:
    """A row that may see nothing gives the mean."""
    rows = ~seen(w).any(axis=-1, keepdims=True)
    w.weights = np.where(rows, 1 / w.weights.shape[-1], w.weights)


ENDS: tuple[dict[str, Hook], ...] = ({}, {"empty": nothing}, {"empty": _spread})
UNASKED = (
    (_unasked(_right), "your function is causal without being asked: it always hides the future"),
    (_unasked(_other), "your function is causal without being asked, and its mask is aligned to the {other}"),
)


def _window(law: Callable[[Work, Array, int | None, int | None], Array | None]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.window_seen = None
        if w.window is not None:
            w.window_seen = law(w, _distance(w), *w.window)

    return {"see_window": step}


def _between(d: Array, left: int | None, right: int | None) -> Array:
    seen = np.ones(d.shape, bool)
    if left is not None:
        seen &= d >= -left
    if right is not None:
        seen &= d <= right
    return seen


def _less(side: int | None, by: int) -> int | None:
    return None if side is None else side + by


def _lengths(law: Callable[[Array, Array, int], Array | None]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        L_k = lengths(w)[1]
        given = None if w.lengths is None else np.asarray(w.lengths)[:, None, None, None]
        w.lengths_seen = None if given is None else law(np.arange(L_k), given, L_k)

    return {"see_lengths": step}


def _short(even: bool) -> Hook:
    """Lengths are taken for those of the queries. even: their rows spread over all keys."""

    def step(w: Work) -> None:
        if w.lengths is not None:
            L_q, L_k = lengths(w)
            real = np.arange(L_q)[:, None] < np.asarray(w.lengths)[:, None, None, None]
            w.weights = np.where(real, w.weights, 1 / L_k if even else 0)

    return step


LENGTHS = frozenset({"lengths"})
MANY = 100

VARIANTS: list[Variant] = [
    Variant("lengths_ignored", _lengths(lambda j, n, L: None), LENGTHS, "the lengths of the texts change nothing"),
    Variant("lengths_off_by_one", _lengths(lambda j, n, L: j <= n), LENGTHS,
        "each query sees one key behind the end of its text"),
    Variant("lengths_off_by_one", _lengths(lambda j, n, L: j < n - 1), LENGTHS,
        "the last key of each text is not seen"),
    Variant("lengths_shared", _lengths(lambda j, n, L: j < n.max()), LENGTHS,
        "the greatest of the lengths is used for all texts"),
    Variant("lengths_shared", _lengths(lambda j, n, L: j < n[:1]), LENGTHS,
        "the length of the first text is used for all"),
    Variant("lengths_left", _lengths(lambda j, n, L: j >= L - n), LENGTHS,
        "padding is taken to stand in front of a text, not behind it"),
    Variant("lengths_left", _lengths(lambda j, n, L: j >= n), LENGTHS,
        "what lies behind the end of a text is seen, and the text is not"),
    Variant("mask_on_queries", {"see_lengths": nothing, "reweigh": _short(False)}, LENGTHS,
        "the lengths silence queries behind the end of a text, and hide no key", False),
    Variant("mask_on_queries", {"see_lengths": nothing, "reweigh": _short(True)}, LENGTHS,
        "the lengths hide all keys from queries behind the end of a text, and none from the others", False),
    Variant("causal_alignment", _causal(_other), CAUSAL, "your causal mask is aligned to the {other}"),
    Variant("causal_dropped", _causal(lambda w: None), CAUSAL, "your function ignores causal=True"),
    Variant("causal_off_by_one", _causal(lambda w: _distance(w) <= 1), CAUSAL,
        "each query sees one key of its future"),
    Variant("causal_off_by_one", _causal(lambda w: _distance(w) <= -1), CAUSAL, "no query sees its own position"),
    Variant("causal_off_by_one", _causal(lambda w: _distance(w, OTHER[w.rules.causal_align]) <= 1), CAUSAL,
        "each query sees one key too many, and the other corner is aligned", False),
    Variant("causal_off_by_one", _causal(lambda w: _distance(w, OTHER[w.rules.causal_align]) <= -1), CAUSAL,
        "no query sees its own position, and the other corner is aligned", False),
    Variant("causal_future", _causal(lambda w: _distance(w) >= 0), CAUSAL,
        "each query sees itself and its future, not its past"),
    Variant("causal_future", _causal(lambda w: _distance(w, OTHER[w.rules.causal_align]) >= 0), CAUSAL,
        "each query sees itself and its future, not its past; the other corner is aligned", False),
    Variant("causal_inverted", _causal(lambda w: ~_right(w)), CAUSAL,
        "each query sees its future alone: what should be hidden is shown"),
    Variant("causal_inverted", _causal(lambda w: ~_other(w)), CAUSAL,
        "each query sees its future alone, and the other corner is aligned", False),
    Variant("causal_reversed", _causal(_reversed), CAUSAL, "the rows of the causal mask are in reverse order", False),
    Variant("kv_first_key_only", _causal(_decode_only), CAUSAL,
        "a single query, the newest token, sees the first key alone", False),
    Variant("causal_alignment_long_q", _causal(_long_only), CAUSAL,
        "with more queries than keys the first query lines up with the first key", False),
    Variant("causal_alignment_long_q", _causal(_square_corner), CAUSAL,
        "queries before the first key see all keys", False),
    Variant("causal_dropped", _causal(lambda w: _right(w) if w.mask is None else None),
        frozenset({"mask+causal"}), "with a mask given, causal=True changes nothing"),
    Variant("causal_dropped", _causal(lambda w: None if lengths(w)[0] != lengths(w)[1] else _right(w)),
        CAUSAL, "where L_q ≠ L_k, causal=True changes nothing", False),
    Variant("causal_dropped", _causal(lambda w: _right(w) if max(lengths(w)) > MANY else None), CAUSAL,
        f"where there are fewer than {MANY} tokens, causal=True changes nothing", False),
    Variant("causal_dropped", _causal(lambda w: None if max(lengths(w)) > MANY else _right(w)), CAUSAL,
        f"where there are more than {MANY} tokens, causal=True changes nothing", False),
    Variant("causal_dropped", _causal(lambda w: _right(w) if w.scale is None else None),
        frozenset({"causal+scale"}), "with a scale given, causal=True changes nothing", False),
    *(
        Variant("causal_unasked", {"see_causal": law, **end}, says=says)
        for law, says in UNASKED
        for end in ENDS
    ),
    Variant("window_ignored", {"see_window": lambda w: setattr(w, "window_seen", None)}, WINDOW,
        "the window changes nothing"),
    Variant("window_off_by_one", _window(lambda w, d, left, right: _between(d, _less(left, -1), right)),
        WINDOW, "the left side counts the query's own position"),
    Variant("window_off_by_one", _window(lambda w, d, left, right: _between(d, _less(left, 1), right)),
        WINDOW, "the left side is one key too long"),
    Variant("window_off_by_one", _window(lambda w, d, left, right: _between(d, _less(left, -1), _less(right,
        -1))), WINDOW, "both sides are one key too short"),
    Variant("window_off_by_one", _window(lambda w, d, left, right: _between(d, left, _less(right, 1))),
        WINDOW, "the right side is one key too long"),
    Variant("window_future", _window(lambda w, d, left, right: _between(d, left, None)), WINDOW,
        "the right side has no bound"),
    Variant("window_future", _window(lambda w, d, left, right: _between(d, left, left)), WINDOW,
        "the right side is as long as the left"),
    Variant("window_past", _window(lambda w, d, left, right: _between(d, None, right)), WINDOW,
        "the left side has no bound"),
    Variant("window_alignment", _window(lambda w, d, left, right: window_mask(*lengths(w), left, right,
        align=OTHER[w.rules.causal_align])), WINDOW, "the window is lined up at the other corner"),

]  # fmt: skip
