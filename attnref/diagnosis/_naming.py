"""From numbers to names: which faults give them, and how much of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from attnref.diagnosis._again import Observed
from attnref.diagnosis._arrays import step_of
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._measured import measured
from attnref.diagnosis._narrow import stage_of, unexplained
from attnref.diagnosis._pipeline import Variant, run, same, shows_on
from attnref.diagnosis._report import Diagnosis, Unexplained
from attnref.diagnosis._search import Faults, Found, Observation, Search
from attnref.diagnosis._seen import Seen
from attnref.diagnosis._wording import diagnosed

ENOUGH = 3
"""How many probes a fault must reproduce where it does not explain all of them."""


@dataclass
class Named:
    """What the numbers say."""

    diagnoses: list[Diagnosis] = field(default_factory=list)
    unexplained: list[Unexplained] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    explains_errors: bool = False
    right: bool = True
    narrow: str = ""
    """The narrow dtype in which it returns what it was given in a wider one."""

    weights: str = ""
    """What is wrong with the weights that are returned beside a right output."""


WIDE = frozenset({"large", "low", "first_block"})
"""Probes with numbers that half precision cannot hold."""


def narrowed_to(caller: Caller, good: Sequence[Seen]) -> str:
    """The dtype of half precision in which results come back, where arrays of a wider one were given."""
    if caller.form.name == "half":
        return ""
    found = {
        item.dtype
        for item in good
        if step_of(item.dtype) > 1e-4 > step_of(item.probe.dtype or caller.dtype.name)
    }
    return min(found, default="")


def tolerance_for(caller: Caller, seen: Seen) -> float:
    """How far rounding may take a result of this dtype."""
    if seen.probe.tight:
        return 1e-10
    if seen.probe.tolerance:
        return seen.probe.tolerance
    work = run(caller.form, seen.probe, caller.rules)
    if work is None:
        return 5e-6
    size = max(1.0, float(np.nanmax(np.abs(work.output), initial=0.0)))
    given = seen.probe.dtype or caller.dtype.name
    eps = max(step_of(seen.dtype), step_of(given))
    top = float(np.nanmax(np.abs(work.scores), initial=1.0)) if hasattr(work, "scores") else 1.0
    return size * max(5e-6, 16 * eps * max(1.0, top))


def name_faults(caller: Caller, seen: Observed, variants: Sequence[Variant], timeout: float) -> Named:
    """Search for the faults, and say them."""
    named = Named()
    good = [item for item in seen.seen if not item.problem]
    named.narrow = narrowed_to(caller, good)
    if named.narrow:
        good = [item for item in good if not item.probe.features & WIDE and not item.probe.tight]
    items = [Observation(item.probe, item.output, tolerance_for(caller, item)) for item in good]
    right = [reproduces(caller, item, ()) for item in items]
    named.passed = [item.probe.name for item, fine in zip(items, right, strict=True) if fine]
    named.right = all(right)
    named.weights = weights_of(caller, good) if all(right) else ""
    if all(right) or seen.fickle == "not_deterministic":
        return named
    built_in = {"causal_unasked"} if caller.rules.always.get("causal") else set()
    variants = [v for v in variants if (not v.option or v.option in caller.knows) and v.fault not in built_in]
    guesses = measured(caller, items)
    last = [v for v in guesses if v.fault == "scale_wrong_dim"]
    leaks = [v for v in guesses if v not in last]
    variants = [*leaks, *variants, *last]
    errors = [
        Observation(item.probe, None, 0.0, item.arithmetic) for item in seen.seen if item.kind == "raises"
    ]
    order = {id(item.probe): n for n, item in enumerate(seen.seen)}
    everything = sorted([*items, *errors], key=lambda item: order[id(item.probe)])
    search = Search(caller.form, caller.rules, everything, variants)
    found = search.find()
    named.explains_errors = bool(errors) and not found.unexplained
    if errors and found.unexplained:
        everything = items
        search = Search(caller.form, caller.rules, items, variants)
        found = search.find()
    found.sets = [s for s in found.sets if not set(last) & set(s)] or found.sets
    keep_plausible(caller, found, everything)
    certain = "likely" if found.unexplained else "exact"
    sets = [s for s in found.sets if s] if certain == "exact" else trusted(caller, found, everything)
    faults: Faults = ()
    if sets:
        plainly = [v for v in variants if v not in last]
        search.variants = plainly
        faults = search.pruned(sets[0], found.unexplained)
        others = {v.fault: tuple(search.alike(faults, v, found.unexplained)) for v in faults}
        named.diagnoses = diagnosed(caller, faults, others, everything, certain, timeout)
    plain = [
        fine
        for item, fine in zip(items, right, strict=True)
        if not item.probe.options and not item.probe.features
    ]
    plain_right = bool(plain) and all(plain)
    by_probe = {id(item.probe): item for item in good}
    stage = ""
    for n, item in enumerate(everything):
        # What is named accounts for a probe, or the probe is right, or else it is without a name.
        if (
            item.output is not None
            and not (faults and search.matches(faults, n))
            and not reproduces(caller, item, ())
        ):
            stage = stage or ("" if plain_right else stage_of(caller))
            named.unexplained.append(unexplained(caller, by_probe[id(item.probe)], item.tolerance, stage))
    return named


def weights_of(caller: Caller, good: Sequence[Seen]) -> str:
    """Whether the second result, if it looks like weights, is the weights: else which fault it has."""
    for item in good:
        if len(item.results) < 2 or item.probe.features:
            continue
        work, given = run(caller.form, item.probe, caller.rules), item.results[1]
        right = getattr(work, caller.form.beside, None)
        if work is None or right is None or right.ndim != 4 or not (given >= 0).all():
            continue
        mean = right.mean(axis=-3)
        if given.shape in (mean.shape, mean[:, None].shape) and same(given.reshape(mean.shape), mean, 1e-5):
            return "weights_averaged" if right.shape[-3] > 1 else ""
        if given.shape == right.shape and not same(given, right, 1e-5):
            dropped = right is not work.weights and same(given, work.weights, 1e-5)
            return "weights_after_dropout" if dropped else "weights_wrong"
    return ""


def reproduces(caller: Caller, item: Observation, faults: Faults) -> bool:
    """Whether the pipeline with these faults gives the numbers."""
    work = run(caller.form, item.probe, caller.rules, faults)
    return same(None if work is None else work.output, item.output, item.tolerance)


def keep_plausible(caller: Caller, found: Found, items: Sequence[Observation]) -> None:
    """Drop sets that give the numbers in a way nobody writes; where none is left, nothing is explained."""
    kept = [
        s for s in found.sets
        if len(s) < 2 or (len({v.fault for v in s}) == len(s) and not any(wipes(caller, v, items) for v in s))
    ]  # fmt: skip
    if found.sets and not kept:
        found.unexplained = [n for n, item in enumerate(items) if not reproduces(caller, item, ())]
        kept = [()]
    found.sets = kept


def wipes(caller: Caller, v: Variant, items: Sequence[Observation]) -> bool:
    """Whether a fault alone leaves nothing but zeros: beside it any other number is what else was added."""
    works = [run(caller.form, item.probe, caller.rules, [v]) for item in items if item.output is not None]
    return bool(works) and all(work is not None and not work.output.any() for work in works)


def trusted(caller: Caller, found: Found, items: Sequence[Observation]) -> list[Faults]:
    """Where not everything is explained: the faults that leave nothing open where no other option is in play.

    A fault that shows everywhere must explain all probes without options; one that shows with a mask all that
    have a mask alone; and each at least a few.
    """
    options = set(caller.form.options) - {"scale"}
    kept = []
    for faults in found.sets:
        fair = []
        for v in faults:
            active = [n for n, item in enumerate(items) if shows_on(v, item.probe)]
            wrong = [n for n in active if n not in found.unexplained and not reproduces(caller, items[n], ())]
            open_ = [n for n in active if n in found.unexplained]
            if (
                not v.loose
                and len(wrong) >= ENOUGH
                and all(items[n].probe.features & options - v.needs for n in open_)
            ):
                fair.append(v)
        if fair and all(v in fair for v in faults if not v.needs):
            kept.append(tuple(fair))
    return kept
