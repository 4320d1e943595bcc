"""Faults with a number in them that only the function itself knows."""

from collections.abc import Sequence

import numpy as np

from attnref.diagnosis._arrays import narrowed
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._hiding import leaking
from attnref.diagnosis._pipeline import Array, Variant
from attnref.diagnosis._search import Observation
from attnref.diagnosis._wrong_numbers import measured_epsilons
from attnref.diagnosis._wrong_scale import constant


def measured(caller: Caller, items: Sequence[Observation]) -> list[Variant]:
    """Faults with a number in them that only the function itself knows: a constant scale, a fill."""
    if caller.form.name != "attention":
        return []
    found = []
    first = measure(caller, "one query, two keys")
    if first is not None and 0 < first[0] < 1 and first[0] != 0.5:
        found.append(constant(float(np.log(first[0] / (1 - first[0])) / 4)))
        found += measured_epsilons(float(first[0]))
    for name in ("mask [T, F]", "causal, two queries"):
        weights = measure(caller, name)
        if weights is not None and len(weights) >= 2 and weights[0] > 0 and weights[1] > 0:
            fill = float(np.log(weights[1] / weights[0]))
            found += leaking(fill) if abs(fill + 1) > 1e-6 else []  # that is a mask added as ones
    return found


def measure(caller: Caller, name: str) -> Array | None:
    """The output of a demonstration, as a row of numbers."""
    probe = narrowed(next(probe for probe in caller.form.demos() if probe.name == name), caller.rules.layout)
    seen = caller(probe) if caller.can(probe) else None
    return None if seen is None or seen.output is None or not seen.output.size else seen.output.ravel()
