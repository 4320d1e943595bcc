"""The form "half": attention in half precision. Steps, probes, and what goes wrong there alone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from attnref.diagnosis._arrays import float_type
from attnref.diagnosis._attention import OPTIONS, arrays, some_mask
from attnref.diagnosis._demos import call, mask
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Rules, Variant, Work, nothing
from attnref.diagnosis._steps import STEPS, begin, rescale

ABOUT = """Attention of arrays in half precision, as for "attention": computed in float32 and rounded once. `dtype` is \
"float16" unless it is told otherwise; "bfloat16" needs the package ml_dtypes. Each call is made in float32 as well."""

NARROW = ("float16", "bfloat16")


def start(probe: Probe, rules: Rules) -> Work:
    """Which numbers there are in the dtype of this call."""
    w = begin(probe, rules)
    given = probe.dtype or rules.dtype
    w.half = given in NARROW
    w.narrow = float_type(given)
    w.least = (
        -65504.0 if given == "float16" else -3.3895313892515355e38 if w.half else float(np.finfo(given).min)
    )
    return w


def rounded(w: Work, x: Any) -> Array:
    """As the dtype of the call holds it."""
    return np.asarray(np.asarray(x, dtype=np.float64).astype(w.narrow).astype(np.float64))


def probes(seed: int) -> list[Probe]:
    """Each call in half precision, and the same in single precision."""
    rng = np.random.default_rng(seed)
    cross, self_, tall = (
        arrays(rng, 2, 3, 5, 7, 4, 6),
        arrays(rng, 2, 3, 5, 5, 4, 7),
        arrays(rng, 2, 3, 7, 4, 3, 5),
    )
    full, low = some_mask(rng, 2, 3, 5, 7), arrays(rng, 1, 2, 3, 5, 4, 7)
    low["Q"][..., 0], low["K"][..., 0] = 16.0, -16.0  # scores below −100
    holes, both = full.copy(), some_mask(rng, 2, 3, 7, 4)
    holes[0, 1, 2] = holes[1, 0, 4] = holes[1, 2, 0] = False
    both[:, 0, 1] = both[:, 2, 0] = both[:, 1, 5] = False
    lowest = np.ones((1, 2, 3, 5), bool)
    lowest[0, 0, 1] = lowest[0, 1, 2] = False
    calls: list[tuple[str, dict[str, Array], dict[str, Any], str]] = [
        ("all sizes different", cross, {}, ""),
        ("as many queries as keys", self_, {}, ""),
        ("causal", self_, {"causal": True}, "causal"),
        ("mask", cross, {"mask": full}, "mask"),
        ("mask with empty rows", cross, {"mask": holes}, "mask empty"),
        ("mask with empty rows, scores below −100", low, {"mask": lowest}, "mask empty"),
        (
            "mask and causal, more queries than keys",
            tall,
            {"mask": both, "causal": True},
            "mask causal mask+causal empty",
        ),
    ]
    found = []
    for name, given, options, words in calls:
        one = Probe(name, given, options, frozenset(words.split()))
        found += [replace(one, name=f"{name}, in float32", dtype="float32"), one]
    return [*found, *large()]


def large() -> list[Probe]:
    """Scores that are near each other and large, and a dot product that half precision does not hold."""
    near = call(
        "scores of 1024.25 and 1024.75",
        "near",
        [[32, 1, 0, 0]],
        [[64, 0.5, 0, 0], [64, 1.5, 0, 0]],
        np.eye(2),
    )
    great = call(
        "a dot product of 100000", "near", [[250, 0, 0, 0]], [[400, 0, 0, 0], [384, 0, 0, 0]], np.eye(2)
    )
    return [replace(probe, tolerance=0.02) for probe in (near, great)]


def demos() -> tuple[Probe, ...]:
    """What is printed is computed in half precision."""
    zero, ones = [[0]], [[1], [1]]
    nothing_seen = call("mask [F, F]", "mask empty", zero, ones, [[1], [2]], mask=mask("00"))
    two = call("mask and causal, two queries, one key", "mask causal mask+causal empty", [[0], [0]], [[1]], [[1]],
        mask=mask("0", "0"), causal=True)  # fmt: skip
    near = call(
        "scores of 1024.25 and 1024.75",
        "near",
        [[32, 1, 0, 0]],
        [[64, 0.5, 0, 0], [64, 1.5, 0, 0]],
        np.eye(2),
    )
    return tuple(replace(probe, tolerance=0.02) for probe in (nothing_seen, two, near))


def _dots(w: Work) -> None:
    """Dot products and scores are kept in the dtype of the arrays."""
    w.dots = rounded(w, w.dots)
    w.scores = w.logits = rounded(w, w.dots * w.factor)


def _scores(w: Work) -> None:
    rescale(w)
    w.scores = w.logits = rounded(w, w.scores)


def _parts(w: Work, scopes: str) -> list[Array]:
    given = ([w.causal_seen] if "causal" in scopes else []) + ([w.mask_seen] if "mask" in scopes else [])
    return [part for part in given if part is not None]


Way = Callable[[Work, Array, Array], Array]


def _hidden(scope: str, way: Way) -> Hook:
    def step(w: Work) -> None:
        for part in _parts(w, scope):
            w.logits = way(w, w.logits, part)

    return step


def _ways(name: str, says: str, way: Way) -> list[Variant]:
    """For both rules, and for one of them."""
    both = {"hide_causal": _hidden("causal", way), "hide_mask": _hidden("mask", way), "empty": nothing}
    return [
        Variant(name, both, EITHER, says),
        *(
            Variant(name, {f"hide_{scope}": _hidden(scope, way), "empty": nothing}, EITHER, says, False)
            for scope in ("mask", "causal")
        ),
    ]


def _replaced(fill: float) -> Way:
    return lambda w, x, ok: np.where(ok, x, rounded(w, fill))


def _added(fill: float) -> Way:
    return lambda w, x, ok: rounded(w, x + np.where(ok, 0, rounded(w, fill)))


def _refused(w: Work, x: Array, ok: Array) -> Array:
    """A library that refuses the number; it is right or the mean in single precision."""
    return np.full(x.shape, np.nan) if np.isinf(rounded(w, -1e9)) else np.where(ok, x, -1e9)


def _least(w: Work, x: Array, ok: Array) -> Array:
    return rounded(w, x + np.where(ok, 0, w.least))


def _summed(w: Work) -> None:
    """The masks are added to each other first, then to the scores."""
    parts = _parts(w, "causal mask")
    if parts:
        bias = rounded(w, sum(np.where(part, 0, w.least) for part in parts))
        w.logits = rounded(w, w.logits + bias)


def _summed_wide(w: Work) -> None:
    """The masks are added to each other in the dtype of the arrays, and to the scores in a wider one."""
    parts = _parts(w, "causal mask")
    if parts:
        w.logits = w.logits + rounded(w, sum(np.where(part, 0, w.least) for part in parts))


EITHER = frozenset({"mask", "causal"})
FITS = "a fill like −1e9 is −∞ in {dtype}, so a row that may attend to nothing gives NaN there"
SUM = "the least number of {dtype} is added for each mask, and the sum overflows to −∞"

WRONG: list[Variant] = [
    *_ways("fp16_mask_overflow", FITS, _replaced(-1e9)),
    *_ways("fp16_mask_overflow", FITS, _added(-1e9)),
    *_ways("fp16_mask_overflow", FITS, _replaced(-1e5)),
    *_ways("fp16_mask_overflow", FITS, _added(-1e5)),
    *_ways("fp16_mask_overflow", "a fill like −1e9 does not fit {dtype}, and is refused", _refused),
    *_ways("finfo_min_sum", SUM, _least),
    Variant("finfo_min_sum", {"hide_causal": nothing, "hide_mask": _summed, "empty": nothing}, EITHER, SUM),
    Variant("finfo_min_sum", {"hide_causal": nothing, "hide_mask": _summed_wide, "empty": nothing}, EITHER, SUM),
    Variant("fp16_dots", {"rescale": _dots},
        says="your dot products are kept in {dtype}, where large ones are rounded, and overflow above 65504"),
    Variant("softmax_low_precision", {"rescale": _scores}, says="your scores are kept in {dtype}"),
]  # fmt: skip

HALF = Form("half", STEPS, start, probes, ("Q", "K", "V"),
            {name: OPTIONS[name] for name in ("mask", "causal", "scale")}, demos=demos, about=ABOUT,
            dtype="float16")  # fmt: skip
