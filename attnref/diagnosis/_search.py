"""Find the faults whose numbers are those of the function: one, else two, then more as options come in.

Probes are taken in order, those with the fewest options first. As long as a set of faults gives the numbers of
every probe so far, it is kept; at the first probe where none does, each is extended by one fault more, or by
two. A set is accepted only if it reproduces all probes, those that are right included.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnref.diagnosis._pipeline import (
    Array,
    Form,
    Probe,
    Rules,
    Variant,
    Work,
    compatible,
    run,
    same,
    shows_on,
)
from attnref.diagnosis._resume import resume, states

Faults = tuple[Variant, ...]
WIDEST = 40
"""How many sets of faults are carried on at most: they differ only in what no probe has shown yet."""
LOOSEST = 0.02
"""However great the scores: a fault of rounding does not account for more."""

ALIKE = 12
"""How many of them may bear the same names."""

MANY, FEW = 12, 4
"""How many of them are extended by one fault, and by two."""


def greatest(form: Form, rules: Rules, probe: Probe) -> float:
    """How many times greater than a small one the greatest score is, which is what rounding grows by."""
    work = run(form, probe, rules)
    return (
        1.0 if work is None or not hasattr(work, "scores") else max(1.0, float(np.abs(work.scores).max()) / 8)
    )


def varied(sets: list[Faults]) -> list[Faults]:
    """The first sets, with not too many of the same names."""
    count: dict[tuple[str, ...], int] = {}
    kept = []
    for faults in sets:
        names = tuple(v.fault for v in faults)
        count[names] = count.get(names, 0) + 1
        if count[names] <= ALIKE:
            kept.append(faults)
    return kept[:WIDEST]


@dataclass
class Observation:
    """The numbers of one probe, and how far rounding may take them."""

    probe: Probe
    output: Array | None
    tolerance: float
    arithmetic: bool = False
    """It divided by zero or overflowed, and said so instead of going on with NaN."""


@dataclass
class Found:
    """Sets of faults that reproduce every probe but those that are left unexplained."""

    sets: list[Faults]
    unexplained: list[int] = field(default_factory=list)


class Search:
    """One function's observations against the pipeline."""

    def __init__(
        self, form: Form, rules: Rules, seen: Sequence[Observation], variants: Sequence[Variant]
    ) -> None:
        self.form, self.rules, self.seen, self.variants = form, rules, seen, variants
        self.known: dict[tuple[int, tuple[int, ...]], bool] = {}
        self.size = [greatest(form, rules, item.probe) for item in seen]
        self.before: dict[int, list[dict[str, Any]] | None] = {}
        self.large = ["long" in item.probe.features for item in seen]
        self.paired: set[frozenset[str]] = set()
        self.pairings = 3
        """How often two faults at once are still looked for, which takes long."""

    def matches(self, faults: Faults, n: int) -> bool:
        """Whether these faults give the numbers of probe n."""
        item = self.seen[n]
        active = tuple(v for v in faults if shows_on(v, item.probe))
        key = (n, tuple(map(id, active)))
        if key not in self.known:
            work = self.worked(active, n)
            slack = (
                0.0
                if item.probe.tight
                else max((min(v.loose * self.size[n], LOOSEST) for v in active), default=0.0)
            )
            output = None if work is None else work.output
            if item.arithmetic and output is not None:
                self.known[key] = not np.isfinite(output).all() or self.differs(output, n)
            else:
                self.known[key] = same(output, item.output, max(item.tolerance, slack))
        return self.known[key]

    def worked(self, active: Faults, n: int) -> Work | None:
        """What the pipeline makes of probe n with these faults."""
        if n not in self.before:
            self.before[n] = states(self.form, self.seen[n].probe, self.rules)
        before = self.before[n]
        if before is None:
            return run(self.form, self.seen[n].probe, self.rules, active)
        return resume(self.form, self.seen[n].probe, before, active)

    def differs(self, output: Array, n: int) -> bool:
        """Whether this is not what attention gives."""
        right = run(self.form, self.seen[n].probe, self.rules)
        return right is not None and not same(output, right.output, self.seen[n].tolerance)

    def all(self, faults: Faults, upto: int, but: Sequence[int] = ()) -> bool:
        """Whether they give the numbers of all probes up to n; the latest is looked at first, large ones last."""
        order = sorted(range(upto, -1, -1), key=self.large.__getitem__)
        return all(self.matches(faults, n) for n in order if n not in but)

    def extended(self, sets: list[Faults], n: int, but: Sequence[int]) -> list[Faults]:
        """The sets, each with one fault more, or with two, that give the numbers of all probes up to n."""
        probe = self.seen[n].probe
        active = [v for v in self.variants if shows_on(v, probe)]
        found = [
            (*faults, v) for faults in sets[:MANY] for v in active
            if compatible((*faults, v)) and self.all((*faults, v), n, but)
        ]  # fmt: skip
        if found or self.pairings == 0 or probe.features in self.paired or "long" in probe.features:
            return found
        self.pairings -= 1
        self.paired.add(probe.features)
        sets = sets[:FEW]
        common = [v for v in active if v.common]
        return [
            (*faults, *pair) for faults in sets for pair in itertools.combinations(common, 2)
            if compatible((*faults, *pair)) and self.all((*faults, *pair), n, but)
        ]  # fmt: skip

    def find(self) -> Found:
        """Go through the probes."""
        sets: list[Faults] = [()]
        unexplained: list[int] = []
        for n in range(len(self.seen)):
            kept = [faults for faults in sets if self.matches(faults, n)]
            # Where the same is unexplained with fewer options, more faults on top of it explain nothing.
            open_ = any(self.seen[m].probe.features <= self.seen[n].probe.features for m in unexplained)
            if not kept and not open_:
                kept = self.extended(sets, n, unexplained) or self.restart(n, unexplained)
            if kept:
                sets = varied(sorted(kept, key=len))
            else:
                unexplained.append(n)
        least = min(map(len, sets))
        return Found([faults for faults in sets if len(faults) == least], unexplained)

    def restart(self, n: int, but: Sequence[int]) -> list[Faults]:
        """Single faults that show on several kinds of probes at once, which the way so far has passed by."""
        return [(v,) for v in self.variants if self.all((v,), n, but)]

    def pruned(self, faults: Faults, but: Sequence[int]) -> Faults:
        """Without those that the others can do without."""
        for v in faults:
            rest = tuple(other for other in faults if other is not v)
            if rest and self.all(rest, len(self.seen) - 1, but):
                return self.pruned(rest, but)
        return faults

    def alike(self, faults: Faults, v: Variant, but: Sequence[int]) -> list[str]:
        """The names of other faults that give the same numbers in place of this one."""
        rest = tuple(other for other in faults if other is not v)
        taken = {other.fault for other in faults}
        # First where this one is missed: what others give there is known from the search.
        order = sorted(
            (n for n in range(len(self.seen)) if n not in but),
            key=lambda n: (self.matches(rest, n), self.large[n]),
        )
        found: list[str] = []
        for other in self.variants:
            swapped = (*rest, other)
            if (
                other.loose > v.loose
                or other.fault in taken
                or other.fault in found
                or not compatible(swapped)
            ):
                continue
            if all(self.matches(swapped, n) for n in order):
                found.append(other.fault)
        return found
