"""Feed the function under test: all probes, then the same ones again, and keep what came back."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attnref.diagnosis._again import Observed, repeat
from attnref.diagnosis._arrays import equal_widths, narrowed
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._fitting import fitting, with_mask
from attnref.diagnosis._pipeline import Probe, run
from attnref.diagnosis._seen import Seen
from attnref.diagnosis._signature import frameworks

TRIAL = {"causal": False, "scale": 0.5, "softcap": 30.0, "window": (1, 1)}


def observe(caller: Caller, probes: Sequence[Probe], into: Observed) -> None:
    """Fill in what is seen, as it comes: what is there so far counts even if the function never ends."""
    probes = [narrowed(probe, caller.rules.layout) for probe in probes]
    settle(caller, probes, into)
    if "window" in caller.takes:
        windows(caller, [probe for probe in probes if not probe.options][:4], into)
    if into.equal_widths:
        probes = [equal_widths(probe) for probe in probes]
    if caller.full_mask and caller.takes.get("mask") in caller.must:
        probes = [with_mask(probe, caller.form) for probe in probes]
    if caller.form.name != "half":
        held = [fitting(probe, caller.dtype) for probe in probes]
        if any(a is not b for a, b in zip(held, probes, strict=True)):
            text = f'scores so great that {caller.dtype.name} cannot hold the dot products: see form="half".'
            into.skipped.append(text)
        probes = held
    for probe in probes:
        if not caller.can(probe):
            continue
        if probe.tight and caller.dtype.itemsize < 8:
            continue
        into.now = probe
        seen = caller(probe)
        if probe.tight and seen.dtype == "float32" and (seen.maker.startswith("jax") or _is_jax(caller)):
            continue
        if seen.problem and (probe.optional or len(probe.options) > 1):
            into.refused.setdefault(seen.deed, []).append(probe.name)
            continue
        into.seen.append(seen)
    repeat(caller, into)
    into.now = None


def _is_jax(caller: Caller) -> bool:
    """JAX computes in single precision unless it is told otherwise, whatever it is given."""
    return caller.framework == "jax" or "jax" in frameworks(caller.fn)[0]


def settle(caller: Caller, probes: Sequence[Probe], into: Observed) -> None:
    """Find out in which framework, and with which options, the function can be called at all."""
    if caller.unread:
        caller.takes = {}
    simple = [probe for probe in probes if not probe.options and not probe.tight][:4]
    tried = [p for p in probes if set(p.options) <= set(caller.takes) and p.name in ("causal", "mask")]
    best: tuple[int, str, bool] | None = None
    for framework, full in itertools.product(
        frameworks(caller.fn), (True, False) if caller.must else (False,)
    ):
        caller.framework, caller.full_mask = framework, full
        problems = sum(bool(_called(caller, probe, into).problem) for probe in [*simple, *tried])
        if best is None or problems < best[0]:
            best = (problems, framework, full)
        if not problems:
            break
    assert best is not None
    _, caller.framework, caller.full_mask = best
    narrow = [equal_widths(probe) for probe in simple]
    if best[0] and all(_called(caller, probe, into).problem for probe in simple if not probe.optional):
        refused = next(seen for probe in simple if (seen := caller(probe)).problem)
        into.equal_widths = not any(_called(caller, probe, into).problem for probe in narrow)
        if into.equal_widths:
            into.skipped.append(f"values wider or narrower than keys: the function {refused.deed}")
            simple = narrow
    order(caller, simple[0])
    if caller.unread and best[0] < len(simple):
        discover(caller, simple, into)


def windows(caller: Caller, simple: Sequence[Probe], into: Observed) -> None:
    """Whether the function takes a window as one number, where it refuses a pair."""
    usable = next((probe for probe in simple if not caller(probe).problem), None)
    if usable is None:
        return
    asked = replace(usable, options={"window": (1, 0)})
    if not _called(caller, asked, into).problem:
        return
    caller.one_sided = True
    caller.one_sided = not _called(caller, asked, into).problem
    if caller.one_sided:
        text = "windows with a right side: the function takes one number, and was given how many keys a query sees,"
        into.skipped.append(text + " its own included.")


def order(caller: Caller, probe: Probe) -> None:
    """Whether the function returns the weights first: their shapes differ where all sizes do."""
    seen, work = caller(probe), run(caller.form, probe, caller.rules)
    if len(seen.results) > 1 and work is not None and hasattr(work, "weights"):
        shapes = [x.shape for x in seen.results[:2]]
        caller.swapped = shapes == [work.weights.shape, work.output.shape] != shapes[::-1]


def _called(caller: Caller, probe: Probe, into: Observed) -> Seen:
    into.now = probe
    return caller(probe)


def trial(option: str, shape: tuple[int, ...]) -> Any:
    """Something to pass for an option, to see whether a function takes it."""
    if option == "lengths":
        return np.full(shape[0], shape[-1])
    return TRIAL.get(option, np.ones(shape, bool) if option == "mask" else np.zeros(shape))


def discover(caller: Caller, simple: Sequence[Probe], into: Observed) -> None:
    """Which options a function takes whose signature says nothing: by trying."""
    usable = next(probe for probe in simple if not caller(probe).problem)
    shape = run_shape(usable)
    for option, aliases in caller.form.options.items():
        value: Any = trial(option, shape)
        for alias in aliases:
            caller.takes[option] = alias
            tried = Probe(usable.name, usable.arrays, {option: value})
            if not _called(caller, tried, into).problem:
                break
            del caller.takes[option]


def run_shape(probe: Probe) -> tuple[int, ...]:
    """The shape of the scores."""
    arrays = list(probe.arrays.values())
    return (*arrays[0].shape[:-1], arrays[min(1, len(arrays) - 1)].shape[-2])
