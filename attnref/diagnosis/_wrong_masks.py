"""What goes wrong with masks: read wrongly, hidden with the wrong number, at the wrong place."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._hiding import (
    EITHER,
    LEAKS,
    MASK,
    added,
    hidden_after,
    hiding,
    plus,
    replaced,
    times,
)
from attnref.diagnosis._pipeline import Array, Hook, Variant, Work, nothing
from attnref.diagnosis._say import minus
from attnref.diagnosis._steps import fill_empty, seen

EMPTY = EITHER | {"empty"}


def _see(law: Callable[[Work], Array | None]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.mask_seen = None if w.mask is None else law(w)

    return {"see_mask": step}


def _read_as_binary(w: Work) -> Array:
    """Zero in an additive mask is taken to mean: drop."""
    return np.asarray(~w.mask if w.rules.mask == "additive" else w.mask)


def _tiled(w: Work) -> Array:
    """Row b * n_heads + h of the flattened heads reads the mask of sample (that row) % batch."""
    batch, heads = w.logits.shape[0], w.logits.shape[1]
    full = np.broadcast_to(w.mask, w.logits.shape)
    rows = np.arange(batch * heads)
    return np.asarray(full[rows % batch, 0].reshape(w.logits.shape))


def _rank(w: Work) -> Array:
    """A mask of three axes is taken to have one for the batch, not the heads, in front."""
    return np.asarray(w.mask[:, None] if w.mask.ndim == 3 else w.mask)


def _whole(w: Work) -> Array:
    return np.asarray(np.broadcast_to(w.mask, w.logits.shape))


def _any_row(w: Work) -> Array:
    return np.asarray(np.broadcast_to(w.mask, w.logits.shape)[..., :1, :])


def _transposed(w: Work) -> Array:
    return np.asarray(w.mask.swapaxes(-1, -2))


def _keep_row(w: Work) -> None:
    """The mask hides queries' outputs, not keys."""
    if w.mask_seen is not None:
        w.weights = w.weights * np.broadcast_to(w.mask_seen, w.logits.shape).any(axis=-1, keepdims=True)


def _even_rows(w: Work) -> None:
    """Rows that the mask hides as a whole spread over all keys; it hides no single key."""
    if w.mask_seen is not None:
        rows = np.broadcast_to(w.mask_seen, w.logits.shape).any(axis=-1, keepdims=True)
        w.weights = np.where(rows, w.weights, 1 / w.weights.shape[-1])


def _either(w: Work) -> None:
    """The mask and the causal rule are joined by "or": a key is seen that one of them shows."""
    w.mask_seen = w.mask
    if w.mask is not None and w.causal_seen is not None:
        w.mask_seen, w.causal_seen = w.mask | w.causal_seen, None


def _no_mean(w: Work) -> None:
    rows = ~seen(w).any(axis=-1, keepdims=True)
    w.weights = np.where(rows, 1 / w.weights.shape[-1], w.weights)


def _guard_mask_only(w: Work) -> None:
    allowed = np.ones(w.logits.shape, bool) if w.mask_seen is None else w.mask_seen
    fill_empty(w, ~np.broadcast_to(allowed, w.logits.shape).any(axis=-1, keepdims=True))


def _causal_mean(w: Work) -> None:
    """Rows emptied by the causal rule alone get the mean; others are right."""
    _guard_mask_only(w)
    w.weights = np.where(np.isnan(w.weights), 1 / w.weights.shape[-1], w.weights)


FILLS = (-1e4, -1e3, -9999.0, -32767.0, -5e4)
LOWER = (-1e3, -9999.0, -1e4, -65504.0, -99999.0, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e12, -1e20)
MEANS = "a hidden score becomes a number like −1e9, so a row that may attend to nothing spreads over all keys"
ADDED = (
    "a number like {fill} is added to hidden scores, so a row that may attend to nothing is a plain softmax"
)

VARIANTS: list[Variant] = [
    Variant("masked_row_uniform", {"empty": _no_mean}, EMPTY,
        "a row that may attend to nothing gives the mean of all values"),
    Variant("masked_row_nan", {"empty": nothing}, EMPTY, "a row that may attend to nothing gives NaN (0/0)"),
    Variant("mask_additive_vs_binary", _see(_read_as_binary), MASK,
        "an additive mask is read as one of zeros and ones", False),
    Variant("mask_inverted", _see(lambda w: ~w.mask), MASK, "True hides a key instead of showing it"),
    Variant("mask_ignored", _see(lambda w: None), MASK, "the mask changes nothing"),
    Variant("mask_ignored", _see(lambda w: None if w.causal else w.mask), frozenset({"mask+causal"}),
        "with causal=True the mask changes nothing"),
    Variant("mask_ignored", _see(lambda w: w.mask if w.scale is None else None), frozenset({"mask+scale"}),
        "with a scale given the mask changes nothing", False),
    *hiding("mask_multiplied", "scores are multiplied by the mask, so a hidden score becomes 0", times,
        guarded=True, common=True),
    *hiding("mask_bool_added", "the mask is added to the scores as 1 and 0", plus, common=True),
    *hidden_after(0.0, "weights are set to 0 after the softmax, and what is left does not sum to 1"),
    *hidden_after(-np.inf, "weights, not scores, are set to −∞"),
    *hidden_after(-1e9, "weights, not scores, are set to −1e9"),
    *(v for fill in FILLS for v in hiding("mask_constant_leak", LEAKS.format(fill=minus(fill)), replaced(fill))),
    *hiding("mask_overflow", "a hidden score becomes +∞ or a large positive number", replaced(1e9)),
    *hiding("masked_row_uniform", MEANS, replaced(-1e9), guarded=False),
    *(v for fill in LOWER
      for v in hiding("masked_row_uniform", ADDED.format(fill=minus(fill)), added(fill), guarded=False)),
    *hiding("mask_constant_leak", "a number like −100 is added to hidden scores, too little to hide them",
        added(-100.0)),
    Variant("causal_alignment_long_q", {"empty": _guard_mask_only}, EMPTY,
        "queries before the first key, L_q > L_k, give NaN", False),
    Variant("causal_alignment_long_q", {"empty": _causal_mean}, EMPTY,
        "queries before the first key, L_q > L_k, give the mean of all values", False),
    Variant("mask_head_order", _see(_tiled), MASK,
        "the mask is tiled over the heads, so heads read another sample's"),
    Variant("mask_rank", _see(_rank), frozenset({"mask rank 3"}),
        "a mask of three axes is read as (batch, L_q, L_k)", False),
    Variant("mask_transposed", _see(_transposed), MASK, "the mask is used with queries and keys exchanged", False),
    Variant("mask_first", _see(lambda w: w.mask[:1] if w.mask.ndim == 4 else w.mask), MASK,
        "the mask of the first sample is used for all", False),
    Variant("mask_first", _see(lambda w: w.mask[:, :1] if w.mask.ndim == 4 else w.mask), MASK,
        "the mask of the first head is used for all", False),
    Variant("mask_first", _see(lambda w: w.mask[:1, :1] if w.mask.ndim == 4 else w.mask), MASK,
        "the mask of the first sample and head is used for all", False),
    Variant("mask_first", _see(lambda w: _whole(w)[:, :1]), MASK, "the mask of the first head is used for all", False),
    Variant("mask_first", _see(lambda w: _whole(w)[:1]), MASK, "the mask of the first sample is used for all", False),
    Variant("mask_first", _see(_any_row), MASK, "the mask of the first query is used for all", False),
    Variant("mask_on_queries", {"hide_mask": nothing, "reweigh": _keep_row}, MASK,
        "the mask silences queries and hides no key", False),
    Variant("mask_on_queries", {"hide_mask": nothing, "reweigh": _even_rows}, MASK,
        "the mask hides whole rows, and no single key", False),
    Variant("mask_or", {"see_mask": _either}, frozenset({"mask+causal"}),
        "a key is seen that the mask or the causal rule shows; both should"),
]  # fmt: skip
