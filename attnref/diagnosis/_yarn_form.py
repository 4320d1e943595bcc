"""The form "yarn": a scale that makes up for longer texts. Steps, probes, and what goes wrong."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays
from attnref.diagnosis._demos import call
from attnref.diagnosis._pipeline import Form, Hook, Probe, Variant, Work
from attnref.diagnosis._steps import STEPS, begin

ABOUT = """Attention with the scale of DeepSeek's models: 1/sqrt(d_k) times the square of 0.1 · `mscale_all_dim` · \
ln(`factor`) + 1, or of 1 where `factor` is at most 1. Q, K, V as for "attention"; `mscale` belongs to the rotation \
and has no part in the scale."""


def correction(w: Work) -> float:
    """DeepSeek's mscale."""
    return 1.0 if w.factor_of <= 1 else 0.1 * float(w.mscale_all_dim) * math.log(w.factor_of) + 1.0


def default(w: Work) -> None:
    """The usual scale times its square."""
    w.factor_of = float(w.stretch)
    w.default = correction(w) ** 2 * w.Q.shape[-1] ** -0.5


YARN_STEPS = {**STEPS, "default_factor": default}


def probes(seed: int) -> list[Probe]:
    """Texts that are longer than those of the training, equally long and shorter."""
    rng = np.random.default_rng(seed)
    cross, self_ = arrays(rng, 2, 3, 5, 7, 4, 6), arrays(rng, 2, 3, 5, 5, 6, 7)

    def given(x: dict[str, Any], stretch: float, mscale: float, all_dim: float) -> dict[str, Any]:
        return {**x, "stretch": stretch, "mscale": mscale, "mscale_all_dim": all_dim}

    return [
        Probe("factor 40, mscale_all_dim 0.707", given(cross, 40.0, 1.25, 0.707)),
        Probe("factor 8, mscale_all_dim 2", given(self_, 8.0, 0.5, 2.0)),
        Probe("factor 1", given(cross, 1.0, 0.5, 0.707)),
        Probe("factor 0.5", given(self_, 0.5, 1.25, 1.0), features=frozenset({"short"})),
        Probe(
            "factor 8, causal, more keys than queries",
            given(cross, 8.0, 1.25, 0.707),
            {"causal": True},
            frozenset({"causal"}),
        ),
        Probe("factor 40, causal", given(self_, 40.0, 1.25, 0.707), {"causal": True}, frozenset({"causal"})),
    ]


def demos() -> tuple[Probe, ...]:
    """Scores of two without the correction."""
    one = call(
        "factor 40, mscale_all_dim 0.707, one query, two keys",
        "",
        [np.ones(4)],
        [np.ones(4), np.zeros(4)],
        [[1], [0]],
    )
    return (Probe(one.name, {**one.arrays, "stretch": 40.0, "mscale": 1.0, "mscale_all_dim": 0.707}),)


def _default(law: Callable[[Work], float]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.factor_of = float(w.stretch)
        w.default = law(w) * w.Q.shape[-1] ** -0.5

    return {"default_factor": step}


def _of(
    share: Callable[[Work], float],
    log: Callable[[float], float] = math.log,
    one: float = 1.0,
    tenth: float = 0.1,
) -> Callable[[Work], float]:
    """The square of another correction."""
    return lambda w: 1.0 if w.factor_of <= 1 else (tenth * share(w) * log(w.factor_of) + one) ** 2


SHORT = frozenset({"short"})

WRONG: list[Variant] = [
    Variant("scale_yarn", _default(lambda w: 1.0), says="the scale is not corrected"),
    Variant("scale_yarn", _default(correction), says="the correction is not squared"),
    Variant("scale_yarn", _default(lambda w: correction(w) ** 4), says="the square is squared again"),
    Variant("scale_yarn", _default(lambda w: correction(w) ** -2), says="the scale is divided by the correction"),
    Variant("scale_yarn", _default(_of(lambda w: w.mscale)),
        says="the correction is taken from mscale, not from mscale_all_dim"),
    Variant("scale_yarn", _default(_of(lambda w: 1.0)), says="the correction ignores mscale_all_dim"),
    Variant("scale_yarn", _default(lambda w: float(_of(lambda w: w.mscale)(w) / _of(lambda w: w.mscale_all_dim)(w))),
        says="the correction is a quotient, that of mscale over that of mscale_all_dim, which the rotation has",
        common=False),
    Variant("scale_yarn", _default(lambda w: (_of(lambda w: w.mscale)(w) / _of(lambda w: w.mscale_all_dim)(w)) ** 0.5),
        says="the correction is the quotient that the rotation has, not squared", common=False),
    Variant("scale_yarn", _default(_of(lambda w: w.mscale_all_dim, math.log2)), says="the logarithm has base 2"),
    Variant("scale_yarn", _default(_of(lambda w: w.mscale_all_dim, math.log10)), says="the logarithm has base 10"),
    Variant("scale_yarn", _default(_of(lambda w: w.mscale_all_dim, one=0.0)),
        says="the 1 of the correction is missing"),
    Variant("scale_yarn", _default(_of(lambda w: w.mscale_all_dim, tenth=1.0)),
        says="the 0.1 of the correction is missing"),
    Variant("scale_yarn", _default(lambda w: (0.1 * float(w.mscale_all_dim) * math.log(w.factor_of) + 1) ** 2), SHORT,
        "a factor below 1 is corrected too"),
]  # fmt: skip

YARN = Form("yarn", YARN_STEPS, begin, probes, ("Q", "K", "V", "factor", "mscale", "mscale_all_dim"),
            {"causal": OPTIONS["causal"]}, demos=demos, about=ABOUT)  # fmt: skip
