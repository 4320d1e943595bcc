"""The ways to hide a score: by which number, for which rule, in which order, with or without a guard."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._pipeline import Array, Hook, Variant, Work, nothing
from attnref.diagnosis._say import minus
from attnref.diagnosis._steps import fill_empty, hide_mask, seen

LEAKS = "a hidden score becomes {fill}, which real scores can fall below"
MASK = frozenset({"mask"})
CAUSAL = frozenset({"causal", "window"})
EITHER = MASK | CAUSAL

Way = Callable[[Array, Array], Array]
"""From logits and what may be seen to logits."""

SCOPES: tuple[tuple[str, frozenset[str], tuple[str, ...]], ...] = (
    ("", EITHER, ("causal", "mask")),
    ("for the mask, ", MASK, ("mask",)),
    ("for the causal rule, ", CAUSAL, ("causal",)),
)


def _parts(w: Work, scope: str) -> list[Array]:
    parts = [w.mask_seen] if scope == "mask" else [w.causal_seen, w.window_seen]
    return [part for part in parts if part is not None]


def _one(scope: str, way: Way) -> Hook:
    """A step that hides what one rule forbids, in its own way."""

    def step(w: Work) -> None:
        for part in _parts(w, scope):
            w.logits = way(w.logits, part)

    return step


def _mask_first(way: Way) -> dict[str, Hook]:
    """The mask comes first, in its own way; what the causal rule hides becomes minus infinity afterwards."""

    def step(w: Work) -> None:
        hidden = np.isneginf(w.logits)
        for part in _parts(w, "mask"):
            w.logits = np.where(hidden, -np.inf, way(np.where(hidden, 0, w.logits), part))

    return {"hide_mask": step}


def _causal_last(way: Way) -> dict[str, Hook]:
    """The mask hides as it should; the causal rule comes after it, in its own way."""

    def step(w: Work) -> None:
        hide_mask(w)
        for part in _parts(w, "causal"):
            w.logits = way(w.logits, part)

    return {"hide_causal": nothing, "hide_mask": step}


def _overwritten(way: Way) -> dict[str, Hook]:
    """What the mask hides is hidden by the mask alone, whatever the causal rule says."""

    def step(w: Work) -> None:
        for part in _parts(w, "mask"):
            w.logits = np.where(part, w.logits, way(w.open, part))

    return {"hide_mask": step}


def _joint(way: Way) -> dict[str, Hook]:
    """All rules are joined to one mask first."""

    def step(w: Work) -> None:
        parts = [*_parts(w, "causal"), *_parts(w, "mask")]
        if parts:
            w.logits = way(w.logits, np.logical_and.reduce(np.broadcast_arrays(*parts)))

    return {"hide_causal": nothing, "hide_mask": step}


def replaced(fill: float) -> Way:
    """Hidden scores become a number."""
    return lambda x, ok: np.where(ok, x, fill)


def added(fill: float) -> Way:
    """A number is added to hidden scores."""
    return lambda x, ok: x + np.where(ok, 0, fill)


def times(x: Array, ok: Array) -> Array:
    return np.asarray(x * ok)


def plus(x: Array, ok: Array) -> Array:
    return np.asarray(x + ok)


def hiding(name: str, says: str, way: Way, *, guarded: bool = True, common: bool = False) -> list[Variant]:
    """Every scope of a way to hide, with an empty row mended and not."""
    found = []
    ends: list[dict[str, Hook]] = [{}, {"empty": nothing}]
    if guarded:
        ends.append({"empty": guard_all})
    for words, needs, scopes in SCOPES:
        for end in ends:
            hooks = {f"hide_{scope}": _one(scope, way) for scope in scopes}
            where = EITHER if end else needs  # without the guard every empty row shows it
            found.append(Variant(name, hooks | end, where, words + says, common and end == ends[0]))
    more = (
        (_joint(way), EITHER, ""),
        (_mask_first(way), MASK, "for the mask, "),
        *(() if way is plus else ((_overwritten(way), MASK, "for the mask, "),)),  # that would add nothing
        (_causal_last(way), CAUSAL, "for the causal rule, "),
    )
    return found + [
        Variant(name, hooks | end, EITHER if end else needs, words + says, False)
        for hooks, needs, words in more
        for end in ends
    ]


def leaking(fill: float) -> list[Variant]:
    """A fill that was measured."""
    if abs(fill) < 1e-6 or fill < -600:
        return []
    name = "mask_constant_leak" if fill < 0 else "mask_overflow"
    return [
        *hiding(name, LEAKS.format(fill=minus(fill)), replaced(fill)),
        *hiding(name, f"{minus(fill)} is added to hidden scores, too little to hide them", added(fill)),
    ]


def _weights_hidden(fill: float) -> Callable[[str], Hook]:
    def of(scope: str) -> Hook:
        def step(w: Work) -> None:
            for part in _parts(w, scope):
                w.weights = np.where(part, w.weights if fill else np.nan_to_num(w.weights), fill)

        return step

    return of


def hidden_after(fill: float, says: str) -> list[Variant]:
    """Hidden weights are replaced after the softmax, for one rule or both."""
    hide = _weights_hidden(fill)

    def both(w: Work) -> None:
        hide("causal")(w)
        hide("mask")(w)

    unhidden: dict[str, Hook] = {"hide_causal": nothing, "hide_mask": nothing}
    name = "mask_after_softmax"
    return [
        Variant(name, {**unhidden, "empty": nothing, "reweigh": both}, EITHER, says),
        Variant(name, {"hide_mask": nothing, "reweigh": hide("mask")}, MASK, "for the mask, " + says),
        Variant(name, {"hide_mask": nothing, "empty": nothing, "reweigh": hide("mask")}, EITHER,
            "for the mask, " + says, False),
        Variant(name, {"hide_causal": nothing, "reweigh": hide("causal")}, CAUSAL, "for the causal rule, " + says),
    ]  # fmt: skip


def guard_all(w: Work) -> None:
    """Rows that may see nothing get what was agreed, whatever has become of their scores."""
    fill_empty(w, ~seen(w).any(axis=-1, keepdims=True))
