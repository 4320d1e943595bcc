"""What goes wrong where several query heads share a key and value head."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._pipeline import Array, Hook, Variant, Work


def _values_apart(keys: Callable[[Array, Work], Array], values: Callable[[Array, Work], Array]) -> Hook:
    """Heads of keys and values are shared in different ways."""

    def step(w: Work) -> None:
        if "grouped" in w.features:
            w.K, w.V = keys(w.K, w), values(w.V, w)

    return step


def _runs(x: Array, w: Work) -> Array:
    return np.repeat(x, w.Q.shape[-3] // x.shape[-3], axis=-3)


def _turns(x: Array, w: Work) -> Array:
    return np.concatenate([x] * (w.Q.shape[-3] // x.shape[-3]), axis=-3)


def _by_count(x: Array, w: Work) -> Array:
    """The query head is divided by the number of key heads, not by the size of a group."""
    heads = np.minimum(np.arange(w.Q.shape[-3]) // x.shape[-3], x.shape[-3] - 1)
    return np.asarray(x[..., heads, :, :])


def _tile(w: Work) -> None:
    if w.K.shape[-3] != w.Q.shape[-3]:
        copies = w.Q.shape[-3] // w.K.shape[-3]
        w.K, w.V = (np.concatenate([array] * copies, axis=-3) for array in (w.K, w.V))


def _first_groups(w: Work) -> None:
    """Each query head reads the key head of its own number, from the front again and again at the end."""
    if w.K.shape[-3] != w.Q.shape[-3]:
        heads = np.minimum(np.arange(w.Q.shape[-3]), w.K.shape[-3] - 1)
        w.K, w.V = w.K[..., heads, :, :], w.V[..., heads, :, :]


GROUPED = frozenset({"grouped"})

VARIANTS: list[Variant] = [
    Variant(
        "gqa_tile", {"share": _tile}, GROUPED, "key heads are tiled 0, 1, 0, 1 and not repeated 0, 0, 1, 1"
    ),
    Variant(
        "gqa_tile",
        {"share": _values_apart(_runs, _turns)},
        GROUPED,
        "value heads are tiled 0, 1, 0, 1, while key heads are repeated 0, 0, 1, 1",
        False,
    ),
    Variant(
        "gqa_tile",
        {"share": _values_apart(_turns, _runs)},
        GROUPED,
        "key heads are tiled 0, 1, 0, 1, while value heads are repeated 0, 0, 1, 1",
        False,
    ),
    Variant(
        "gqa_ratio",
        {"share": _values_apart(_by_count, _by_count)},
        GROUPED,
        "query head h reads key head h // n_kv_heads, or the last, and not h // (n_heads / n_kv_heads)",
        False,
    ),
    Variant(
        "gqa_clamped", {"share": _first_groups}, GROUPED, "query head h reads key head h, or the last", False
    ),
]
