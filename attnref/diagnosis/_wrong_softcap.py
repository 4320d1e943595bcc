"""What goes wrong with the softcap: left out, cut off, at the wrong place."""

import numpy as np

from attnref.diagnosis._pipeline import Hook, Variant, Work, nothing
from attnref.diagnosis._steps import hide_causal


def _late_cap(w: Work) -> None:
    if w.softcap is not None:
        w.logits = w.softcap * np.tanh(w.logits / w.softcap)


def _cap_ignored(w: Work) -> None:
    w.softcap = None


def _clip(w: Work) -> None:
    if w.softcap is not None:
        w.logits = np.clip(w.logits, -w.softcap, w.softcap)


def _cap_undivided(w: Work) -> None:
    if w.softcap is not None:
        w.logits = w.softcap * np.tanh(w.logits)


def _cap_unscaled(w: Work) -> None:
    if w.softcap is not None:
        w.logits = np.tanh(w.logits / w.softcap)


def _cap_early(w: Work) -> None:
    w.scores = w.logits = w.dots if w.softcap is None else w.softcap * np.tanh(w.dots / w.softcap)
    w.logits = w.logits * w.factor


def _cap_to_the_base_two(w: Work) -> None:
    """The scores hold the factor log₂e, for powers of two, when they are capped."""
    if w.softcap is not None:
        w.logits = w.softcap * np.tanh(w.logits / np.log(2) / w.softcap) * np.log(2)


def _cap_then_hide(w: Work) -> None:
    _late_cap(w)
    hide_causal(w)


def _softcap(hooks: dict[str, Hook], name: str, says: str) -> Variant:
    unguarded = {"mask", "causal", "window"} if "empty" in hooks else set()
    return Variant(name, hooks, frozenset({"softcap", *unguarded}), says, option="softcap")


VARIANTS: list[Variant] = [
    _softcap({"cap": nothing, "recap": _late_cap}, "softcap_after_mask",
        "the cap comes after the mask, so a hidden score becomes −cap"),
    _softcap({"cap": nothing, "recap": _late_cap, "empty": nothing}, "softcap_after_mask",
        "the cap comes after the mask, so a hidden score becomes −cap"),
    _softcap({"cap": _cap_ignored}, "softcap_ignored", "the softcap changes nothing"),
    _softcap({"cap": _clip}, "softcap_clipped", "scores are cut off at the cap, not bent"),
    _softcap({"cap": _cap_unscaled}, "softcap_unscaled", "tanh(score / cap) is not multiplied by the cap"),
    _softcap({"cap": _cap_undivided}, "softcap_unscaled", "the score is not divided by the cap before tanh"),
    _softcap({"rescale": _cap_early, "cap": nothing}, "softcap_before_scale", "the cap comes before the scale"),
    _softcap({"cap": _cap_to_the_base_two}, "softcap_before_scale",
        "the cap comes after the factor log₂e, and not before it"),
    _softcap({"cap": nothing, "hide_causal": _cap_then_hide}, "softcap_after_bias", "the bias is capped too"),
]  # fmt: skip
