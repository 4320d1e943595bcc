"""What has no name: the first row that is wrong, and the stage at which it goes wrong."""

from dataclasses import replace

import numpy as np

from attnref._masks import Align
from attnref.diagnosis._attention import identity_probe
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._pipeline import Array, Probe, Work, run, same
from attnref.diagnosis._report import Unexplained
from attnref.diagnosis._say import differing, keys, number, row, where
from attnref.diagnosis._seen import Seen

SLIGHT = 0.01
"""Weights that are off by less than this are rounded rather than wrong."""

SOME = "some sizes alone, for with others it is right: look at what depends on d_k, d_v, lengths, heads or samples"

OPTIONS = ("scale", "bias", "softcap", "window", "causal", "mask", "lengths")


def unexplained(caller: Caller, seen: Seen, tolerance: float, stage: str) -> Unexplained:
    """One probe without a name. `stage` is where calls without options go wrong; empty: they are right."""
    work = run(caller.form, seen.probe, caller.rules)
    output = seen.output
    assert work is not None
    assert output is not None
    if output.shape != work.output.shape:
        words = f"the output should have shape {work.output.shape}; yours has {output.shape}."
        return Unexplained(seen.probe.name, words, "the output's shape")
    at = differing(work.output, output, tolerance) or ()
    should, does = row(work.output[at]), row(output[at])
    words = f"{where(at, output.shape)} should give {should}; yours gives {does}."
    if not stage:
        given = [name for name in OPTIONS if name in seen.probe.options or name in seen.probe.features]
        if "empty" in seen.probe.features and _only_empty(work, output, tolerance):
            return Unexplained(seen.probe.name, words, "a query that may see nothing")
        stage = f"calls with {' and '.join(given)}" if given else _numeric(seen.probe)
        return Unexplained(seen.probe.name, words, stage)
    return Unexplained(seen.probe.name, words, stage)


def _numeric(probe: Probe) -> str:
    if probe.features & {"large", "low"}:
        return "the softmax of very large or very low scores"
    if "long" in probe.features:
        return (
            "a size that is larger than a block: look at what happens behind the first block, and in the last"
        )
    return "the arithmetic of this size of arrays"


def _only_empty(work: Work, output: Array, tolerance: float) -> bool:
    """Whether nothing but rows of weight zero differs."""
    rows = work.weights.sum(axis=-1) > 0
    return same(work.output[rows], output[rows], tolerance)


def stage_of(caller: Caller) -> str:
    """Where plain attention goes wrong, by what stays true of it."""
    if caller.form.name != "attention":
        return "the computation without options"
    probe = identity_probe()
    weights = caller(probe).output
    work = run(caller.form, probe, caller.rules)
    if weights is None or work is None or weights.shape != work.weights.shape:
        return "the blend of the values"
    off = float(np.abs(weights - work.weights).max())
    if 1e-6 < off < SLIGHT:
        return f"the precision: weights are off by {number(off)} at most, so something is rounded or approximated"
    V = np.random.default_rng(4).normal(size=(2, 3, 7, 6))
    blended = caller(Probe("blend", {**probe.arrays, "V": V})).output
    if blended is not None and not same(blended, weights @ V, 1e-5):
        return "the blend: it is not the weights times the values"
    if same(weights, work.weights, 1e-5):
        return SOME
    causal = Probe("causal", probe.arrays, {"causal": True}, frozenset({"causal"}))
    corners: tuple[tuple[Align, str], ...] = (("bottom_right", "bottom right"), ("top_left", "top left"))
    for align, corner in corners:
        other = run(caller.form, causal, replace(caller.rules, causal_align=align))
        if other is not None and same(weights, other.weights, 1e-5):
            return f"the mask: it is causal without being asked, aligned to the {corner}"
    if (words := hiding(work.weights, weights)) is not None:
        return words
    sums = weights.sum(axis=-1)
    if not same(sums, np.ones(sums.shape), 1e-5):
        at = tuple(int(n) for n in np.argwhere(~(np.abs(sums - 1) < 1e-5))[0])
        return f"the softmax: the weights of {where(at, (*sums.shape, 1))} sum to {number(float(sums[at]))}, not to 1"
    return "the scores: the weights sum to 1 and are others" + _independence(caller, probe, weights)


def hiding(right: Array, weights: Array) -> str | None:
    """Whether keys get no weight that nothing hides, while the others share it as they should."""
    hidden = (np.abs(weights) < 1e-12) & (right > 1e-9)
    rest = np.where(hidden, 0.0, right)
    total = rest.sum(axis=-1, keepdims=True)
    if not hidden.any() or not total.all() or not same(weights, rest / total, 1e-6):
        return None
    at = tuple(int(n) for n in np.argwhere(hidden.any(axis=-1))[0])
    seen = keys([int(n) for n in np.flatnonzero(~hidden[at])])
    return f"the mask: keys are hidden without being asked, and {where(at, (*right.shape[:-1], 1))} sees {seen} alone"


def _independence(caller: Caller, probe: Probe, weights: Array) -> str:
    """Whether samples, heads or queries depend on each other."""
    found = []
    for axis, name in ((0, "samples"), (1, "heads"), (2, "queries")):
        Q = probe.arrays["Q"].copy()
        Q[(slice(None),) * axis + (-1,)] += 1.0
        other = caller(Probe("changed", {**probe.arrays, "Q": Q})).output
        first = (slice(None),) * axis + (slice(0, -1),)
        if (
            other is not None
            and other.shape == weights.shape
            and not same(other[first], weights[first], 1e-6)
        ):
            found.append(name)
    order = np.random.default_rng(5).permutation(7)
    arrays = {**probe.arrays, "K": probe.arrays["K"][:, :, order], "V": probe.arrays["V"][:, :, order]}
    turned = caller(Probe("permuted", arrays)).output
    words = f"; {' and '.join(found)} depend on each other" if found else ""
    if turned is not None and not same(turned, weights, 1e-6):
        words += "; the order of the keys matters"
    return words
