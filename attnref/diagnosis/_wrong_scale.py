"""What goes wrong with the scale: the wrong width, the wrong power, the wrong place, the argument unread."""

import math
from collections.abc import Callable
from functools import partial

from attnref.diagnosis._pipeline import Variant, Work
from attnref.diagnosis._steps import default_factor, hide_causal

Law = Callable[[Work], float]


def _d_k(w: Work) -> int:
    return int(w.Q.shape[-1])


def _heads(w: Work) -> int:
    return int(w.Q.shape[-3]) if w.Q.ndim > 2 else 1


def _d_model(w: Work) -> int:
    """The width of a token: that of all heads together, where the form has no tokens."""
    return int(w.X.shape[-1]) if hasattr(w, "X") else _heads(w) * _d_k(w)


def _default(law: Law) -> dict[str, Callable[[Work], None]]:
    def step(w: Work) -> None:
        w.default = law(w)

    return {"default_factor": step}


def _when(feature: str, law: Law) -> dict[str, Callable[[Work], None]]:
    def step(w: Work) -> None:
        if feature in w.features:
            w.default = law(w)
        else:
            default_factor(w)

    return {"default_factor": step}


def _argument(law: Law) -> dict[str, Callable[[Work], None]]:
    def step(w: Work) -> None:
        w.factor = w.default if w.scale is None else law(w)

    return {"factor": step}


def _padded(n: int, w: Work) -> float:
    return float((-(-_d_k(w) // n) * n) ** -0.5)


LAWS: list[tuple[str, str, Law, bool]] = [
    ("scale_missing", "your dot products are not divided at all", lambda w: 1.0, True),
    ("scale_model_dim", "your dot products are divided by sqrt(d_model) = sqrt({d_model})",
        lambda w: _d_model(w) ** -0.5, True),
    ("scale_inverse", "your dot products are multiplied by sqrt(d_k) = sqrt({d_k})", lambda w: _d_k(w) ** 0.5, True),
    ("scale_no_root", "your dot products are divided by d_k = {d_k} itself, or by sqrt(d_k) twice",
        lambda w: 1 / _d_k(w), True),
    ("scale_no_root", "your dot products are divided by 2 d_k: in Python d_k ** 1/2 is d_k/2, and so is 1/d_k ** 1/2",
        lambda w: 0.5 / _d_k(w), False),
    ("scale_no_root", "your dot products are divided by d_k/2: in Python d_k ** 1/2 is d_k/2",
        lambda w: 2 / _d_k(w), False),
    ("scale_no_root", "your dot products are divided by d_model = {d_model} itself",
        lambda w: 1 / _d_model(w), False),
    ("scale_default_zero", "your dot products are multiplied by 0", lambda w: 0.0, True),
    ("scale_negative", "your dot products are divided by −sqrt(d_k)", lambda w: -(_d_k(w) ** -0.5), False),
    ("scale_negative", "the sign of your dot products is turned, without a scale", lambda w: -1.0, False),
    ("scale_wrong_dim", "your dot products are divided by sqrt(d_v) = sqrt({d_v})",
        lambda w: w.V.shape[-1] ** -0.5, True),
    ("scale_wrong_dim", "your dot products are divided by sqrt(L_k) = sqrt({L_k})",
        lambda w: w.K.shape[-2] ** -0.5, True),
    ("scale_wrong_dim", "your dot products are divided by sqrt(L_q) = sqrt({L_q})",
        lambda w: w.Q.shape[-2] ** -0.5, True),
    ("scale_wrong_dim", "your dot products are divided by sqrt(n_heads) = sqrt({n_heads})",
        lambda w: _heads(w) ** -0.5, True),
    ("scale_wrong_dim", "your dot products are divided by sqrt(batch)", lambda w: w.Q.shape[0] ** -0.5, False),
    ("scale_wrong_dim", "your dot products are divided by sqrt(d_k/n_heads)",
        lambda w: (_heads(w) / _d_k(w)) ** 0.5, False),
    ("scale_wrong_dim", "your dot products are divided by sqrt(2 d_k)", lambda w: (2 * _d_k(w)) ** -0.5, False),
    ("scale_wrong_dim", "your dot products are divided by sqrt(d_k + d_v)",
        lambda w: (_d_k(w) + w.V.shape[-1]) ** -0.5, False),
    ("scale_wrong_dim", "your dot products are divided by sqrt(n_heads · d_v)",
        lambda w: (_heads(w) * w.V.shape[-1]) ** -0.5, False),
    ("scale_wrong_dim", "your dot products are divided by the whole part of sqrt(d_k)",
        lambda w: 1 / int(_d_k(w) ** 0.5), False),
    ("scale_wrong_dim", "your dot products are divided by the root of d_k rounded up to a power of two",
        lambda w: (1 << (_d_k(w) - 1).bit_length()) ** -0.5, False),
    *(("scale_wrong_dim", f"your dot products are divided by the root of d_k rounded up to a multiple of {n}",
        partial(_padded, n), False) for n in (8, 16, 32, 64)),
    ("scale_wrong_dim", "your dot products are divided by L_k itself", lambda w: 1 / w.K.shape[-2], False),
    ("scale_wrong_dim", "your dot products are divided by n_heads itself", lambda w: 1 / _heads(w), False),
    ("scale_one_side", "only one of your Q and K is scaled, by d_k^(−1/4)", lambda w: _d_k(w) ** -0.25, True),
    ("scale_square", "your dot products are multiplied by d_k, or divided by 1/d_k", lambda w: float(_d_k(w)), False),
    ("scale_square", "your dot products are divided by d_k²", lambda w: _d_k(w) ** -2.0, False),
]  # fmt: skip

ARGUMENT: list[tuple[str, str, Law, bool]] = [
    ("scale_arg_ignored", "your function ignores scale={scale}", lambda w: w.default, True),
    ("scale_arg_on_top", "your function multiplies scale={scale} by 1/sqrt(d_k) instead of replacing it",
        lambda w: w.scale * w.default, True),
    ("scale_arg_on_top", "your function applies scale={scale} twice", lambda w: w.scale**2, False),
    ("scale_arg_inverse", "your dot products are divided by scale={scale}", lambda w: 1 / w.scale, True),
    ("scale_arg_inverse", "your dot products are divided by sqrt({scale})", lambda w: w.scale**-0.5, False),
]  # fmt: skip


def constant(value: float) -> Variant:
    """A scale that is the same whatever the width: measured, not guessed."""
    width = round(value**-2) if value > 0 else 0
    says = f"your dot products are multiplied by {value:.4g} whatever the width"
    if width and abs(width**-0.5 - value) < 1e-9:
        says = f"your dot products are divided by sqrt({width}) whatever the width"
    return Variant("scale_wrong_dim", _default(lambda w: value), says=says)


def _twice(w: Work) -> None:
    w.factor = (w.default if w.scale is None else w.scale) ** 2


def _negative(w: Work) -> None:
    w.factor = -(w.default if w.scale is None else w.scale)


def _bias_scaled(w: Work) -> None:
    if w.bias is not None:
        w.logits = w.logits + w.bias * w.factor


def _bias_narrow(w: Work) -> None:
    if w.bias is not None:
        w.logits = w.logits + w.bias * math.log(2)


def _bias_ignored(w: Work) -> None:
    w.bias = None


def _after_softmax(law: Law) -> dict[str, Callable[[Work], None]]:
    """The scores go unscaled into the softmax, and the weights are multiplied instead."""

    def rescale(w: Work) -> None:
        w.scores = w.logits = w.dots

    def reweigh(w: Work) -> None:
        w.weights = w.weights * law(w)

    return {"rescale": rescale, "reweigh": reweigh}


def _scaled_weights(w: Work) -> None:
    w.weights = w.weights * w.factor


def _late(w: Work) -> None:
    w.logits = w.logits * w.factor
    hide_causal(w)


def _before(w: Work) -> None:
    w.scores = w.logits = w.dots


VARIANTS: list[Variant] = [
    *(Variant(name, _default(law), says=says, common=common) for name, says, law, common in LAWS),
    *(
        Variant(name, _when("causal", law), frozenset({"causal"}), says + ", when causal=True", False)
        for name, says, law, _ in LAWS[:1]
    ),
    *(
        Variant(name, _when("mask", law), frozenset({"mask"}), says + ", when a mask is given", False)
        for name, says, law, _ in LAWS[:1]
    ),
    *(
        Variant(name, _argument(law), frozenset({"scale"}), says, common)
        for name, says, law, common in ARGUMENT
    ),
    Variant("scale_no_root", {"factor": _twice}, says="the scale is applied twice, given or not", common=False),
    Variant("scale_after_softmax", _after_softmax(lambda w: w.factor), says="the weights are scaled instead"),
    Variant("scale_after_softmax", {"reweigh": _scaled_weights}, says="the weights are scaled once more"),
    Variant("scale_negative", {"factor": _negative}, says="the sign of your dot products is turned"),
    Variant("bias_scaled", {"bias": _bias_scaled}, frozenset({"bias"}), "the bias is multiplied by the scale too"),
    Variant("bias_scaled", {"rescale": _before, "hide_causal": _late}, frozenset({"bias", "softcap"}),
        "scale comes after bias"),
    Variant("bias_scaled", {"bias": _bias_narrow}, frozenset({"bias"}),
        "the bias lacks the factor log₂e that the scores have for powers of 2", False),
    Variant("bias_ignored", {"bias": _bias_ignored}, frozenset({"bias"}), "the bias is not added"),
]  # fmt: skip

__all__ = ["VARIANTS", "constant"]
