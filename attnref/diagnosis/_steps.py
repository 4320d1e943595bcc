"""The steps of attention, done right. Faults replace them one by one.

The pipeline is slower and longer than the definition, because every place where something goes wrong in
public code has a step of its own. A test holds it against the definition.
"""

from typing import Any

import numpy as np

from attnref._masks import causal_mask, window_mask
from attnref.diagnosis._pipeline import Array, Hook, Probe, Rules, Work, nothing


def begin(probe: Probe, rules: Rules) -> Work:
    """Lay out what a call was given. Masks are boolean here, whatever the function takes."""
    work = Work(mask=None, bias=None, causal=False, window=None, scale=None, softcap=None, lengths=None)
    work.causal_seen = work.window_seen = work.mask_seen = work.lengths_seen = None
    work.rules, work.features = rules, probe.features
    for name, value in {**probe.arrays, **rules.always, **probe.options}.items():
        wide = isinstance(value, np.ndarray) and value.dtype.kind in "fiu"
        setattr(work, name, value.astype(np.float64) if wide else value)
    return work


def inputs(w: Work) -> None:
    """Queries, keys and values as given."""


def default_factor(w: Work) -> None:
    """The scale where none is given."""
    w.default = w.Q.shape[-1] ** -0.5


def factor(w: Work) -> None:
    """An explicit scale replaces the default."""
    w.factor = w.default if w.scale is None else w.scale


def share(w: Work) -> None:
    """Where keys and values have fewer heads, each serves neighbouring query heads."""
    heads, shared = (x.shape[-3] if x.ndim > 2 else 1 for x in (w.Q, w.K))
    if heads > shared > 1 and heads % shared == 0:
        w.K, w.V = (np.repeat(array, heads // shared, axis=-3) for array in (w.K, w.V))


def compare(w: Work) -> None:
    """Dot products of all queries with all keys."""
    w.dots = w.Q @ w.K.swapaxes(-1, -2)  # (..., L_q, L_k)


def rescale(w: Work) -> None:
    """Dot products times scale."""
    w.scores = w.logits = w.dots * w.factor


def cap(w: Work) -> None:
    """Bend the scores below a bound."""
    if w.softcap is not None:
        w.logits = w.softcap * np.tanh(w.logits / w.softcap)


def add_bias(w: Work) -> None:
    """Add what is to be added, unscaled."""
    if w.bias is not None:
        w.logits = w.logits + w.bias


def keep_open(w: Work) -> None:
    """The scores with nothing hidden: where a function overwrites what it has hidden, they matter again."""
    w.open = w.logits


def lengths(w: Work) -> tuple[int, int]:
    """L_q and L_k, as the scores have them."""
    return w.logits.shape[-2], w.logits.shape[-1]


def see_causal(w: Work) -> None:
    """Which keys are not in the query's future; None: all."""
    w.causal_seen = causal_mask(*lengths(w), align=w.rules.causal_align) if w.causal else None


def see_window(w: Work) -> None:
    """Which keys are near enough; None: all."""
    w.window_seen = None
    if w.window is not None:
        w.window_seen = window_mask(*lengths(w), *w.window, align=w.rules.causal_align)


def see_lengths(w: Work) -> None:
    """Which keys are a text's own, and not padding; None: all."""
    w.lengths_seen = None
    if w.lengths is not None:
        w.lengths_seen = np.arange(lengths(w)[1]) < np.asarray(w.lengths)[:, None, None, None]


def see_mask(w: Work) -> None:
    """Which keys the mask lets through; None: all."""
    w.mask_seen = w.mask


def seen(w: Work) -> Array:
    """Which keys each query may attend to, by all rules together."""
    allowed = np.ones(w.logits.shape, dtype=bool)
    given = (w.causal_seen, w.window_seen, w.lengths_seen, w.mask_seen)
    for part in (*given, None if w.bias is None else w.bias != -np.inf):
        if part is not None:
            allowed = allowed & part
    return allowed


def hide_lengths(w: Work) -> None:
    """Minus infinity for padding."""
    if w.lengths_seen is not None:
        w.logits = np.where(w.lengths_seen, w.logits, -np.inf)


def hide_causal(w: Work) -> None:
    """Minus infinity where the causal rule or the window hides a key."""
    for part in (w.causal_seen, w.window_seen):
        if part is not None:
            w.logits = np.where(part, w.logits, -np.inf)


def hide_mask(w: Work) -> None:
    """Minus infinity where the mask hides a key."""
    if w.mask_seen is not None:
        w.logits = np.where(w.mask_seen, w.logits, -np.inf)


def top(x: Array) -> Array:
    """The greatest number of each row."""
    return np.asarray(np.max(x, axis=-1, keepdims=True, initial=-np.inf))


def normalise(w: Work) -> None:
    """Softmax over the keys, as most people write it: an empty row becomes NaN, which the next step mends."""
    powers = np.exp(w.logits - top(w.logits))
    w.weights = powers / powers.sum(axis=-1, keepdims=True)


def empty(w: Work) -> None:
    """A row with nothing but minus infinity gets what was agreed."""
    fill_empty(w, np.isneginf(top(w.logits)))


def fill_empty(w: Work, rows: Any) -> None:
    """Give rows what was agreed for empty ones."""
    if w.weights.shape == w.logits.shape and rows.any():
        value = {"zero": 0.0, "mean": 1 / w.weights.shape[-1], "nan": np.nan}[w.rules.empty_row]
        w.weights = np.where(rows, value, w.weights)


def blend(w: Work) -> None:
    """Values by weights; what has no weight is left out, whatever it holds."""
    if "garbage" in w.features:
        terms = np.where(w.weights[..., None] == 0, 0, w.weights[..., None] * w.V[..., None, :, :])
        w.output = terms.sum(axis=-2)  # (..., L_q, d_v)
    else:
        w.output = w.weights @ w.V  # (..., L_q, d_v)


STEPS: dict[str, Hook] = {
    "inputs": inputs,
    "share": share,
    "default_factor": default_factor,
    "factor": factor,
    "compare": compare,
    "rescale": rescale,
    "cap": cap,
    "bias": add_bias,
    "open": keep_open,
    "see_causal": see_causal,
    "see_window": see_window,
    "see_lengths": see_lengths,
    "see_mask": see_mask,
    "hide_lengths": hide_lengths,
    "hide_causal": hide_causal,
    "hide_mask": hide_mask,
    "recap": nothing,
    "normalise": normalise,
    "empty": empty,
    "reweigh": nothing,
    "blend": blend,
    "write": nothing,
}
