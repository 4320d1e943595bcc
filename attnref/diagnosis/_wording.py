"""Say what was found, with the smallest call that shows it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnref.diagnosis._always import holding
from attnref.diagnosis._arrays import narrowed
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._catalogue import catalogue
from attnref.diagnosis._pipeline import Probe, Variant, Work, run, same, shows_on
from attnref.diagnosis._report import Diagnosis
from attnref.diagnosis._say import evidence, inputs, plain
from attnref.diagnosis._search import Faults, Observation
from attnref.diagnosis._watch import watch

COARSE = (
    (1e-3, "bfloat16, to 8 bits"),
    (2e-5, "float16 or TF32, to 11 bits"),
    (0.0, "float32, to 24 bits"),
)
"""Relative error of the outputs, and what rounds by so much."""


VISIBLE = 1e-4
"""What differs by more differs in the digits that are shown."""


def diagnosed(
    caller: Caller, faults: Faults, others: dict[str, tuple[str, ...]], items: Sequence[Observation],
    certain: str, timeout: float,
) -> list[Diagnosis]:  # fmt: skip
    """One diagnosis for each fault; what else gives the same numbers stands beside it."""
    return [one(caller, v, faults, others[v.fault], items, certain, timeout) for v in faults]


def one(
    caller: Caller, v: Variant, faults: Faults, others: tuple[str, ...], items: Sequence[Observation],
    certain: str, timeout: float,
) -> Diagnosis:  # fmt: skip
    """A diagnosis with the smallest call that shows it."""
    entry = catalogue()[v.fault]
    probe, right, wrong = shown(caller, v, faults, items, timeout)
    says = fill(rounding(caller, items) if v.loose else v.says, right, caller)
    words = evidence(entry.kind, right, wrong)
    head = says if "=" in says.split(" ")[0] else says[:1].upper() + says[1:]
    sentence = head + (f": {words}." if words else ".")
    return Diagnosis(
        fault=v.fault, kind=entry.kind, sentence=sentence, certainty="likely" if v.loose else certain,
        mend=entry.mend, page=entry.page, others=others, probe=probe.name, inputs=inputs(probe),
        yours=None if wrong is None else plain(wrong.output), expected=plain(right.output),
    )  # fmt: skip


def shown(
    caller: Caller, v: Variant, faults: Faults, items: Sequence[Observation], timeout: float
) -> tuple[Probe, Work, Work | None]:
    """The first demonstration that shows the fault and that the function answers as predicted, else a probe."""
    held = (holding(probe, caller.rules.always) for probe in caller.form.demos())
    small = [narrowed(probe, caller.rules.layout) for probe in held if probe is not None]
    for probe in small:
        if not caller.can(probe) or not shows_on(v, probe):
            continue
        right, alone, wrong = (run(caller.form, probe, caller.rules, x) for x in ((), (v,), faults))
        if right is None or alone is None or wrong is None or same(right.output, alone.output, 5e-6):
            continue
        seen: list[Any] = []
        watch(lambda probe=probe, seen=seen: seen.append(caller(probe)), timeout=min(timeout, 2.0))  # type: ignore[misc]
        if v.loose and seen and same(right.output, seen[0].output, VISIBLE):
            continue
        if seen and same(wrong.output, seen[0].output, max(5e-6, v.loose, probe.tolerance)):
            wrong.output = seen[0].output if v.loose else wrong.output  # it is only as near as rounding is
            return probe, right, wrong
    for item in items:
        right, wrong = (
            run(caller.form, item.probe, caller.rules),
            run(caller.form, item.probe, caller.rules, faults),
        )
        alone = run(caller.form, item.probe, caller.rules, (v,))
        if (
            right is not None
            and shows_on(v, item.probe)
            and not same(right.output, None if alone is None else alone.output, item.tolerance)
        ):
            if v.loose and wrong is not None and item.output is not None:
                wrong.output = item.output
            return item.probe, right, wrong
    for item in items:  # it shows only beside the others
        right, wrong = (run(caller.form, item.probe, caller.rules, x) for x in ((), faults))
        if right is not None and not same(
            right.output, None if wrong is None else wrong.output, item.tolerance
        ):
            return item.probe, right, wrong
    raise AssertionError("a fault that shows nowhere was named")


def rounding(caller: Caller, items: Sequence[Observation]) -> str:
    """How coarsely it is rounded, from how far off the plain calls are."""
    off = [0.0]
    for item in items:
        probe, output = item.probe, item.output
        work = run(caller.form, probe, caller.rules)
        if not (probe.features or probe.options or probe.tight) and work is not None and output is not None:
            off.append(float(np.abs(work.output - output).max() / np.abs(work.output).max()))
    kind = next(words for least, words in COARSE if max(off) >= least)
    return f"numbers are rounded on the way, as in {kind}"


def fill(says: str, right: Work, caller: Caller) -> str:
    """The words with this call's sizes in them."""
    other = {"bottom_right": "top left", "top_left": "bottom right"}[caller.rules.causal_align]
    values: dict[str, Any] = {"other": other, "scale": getattr(right, "scale", None)}
    values["dtype"] = caller.dtype.name
    if hasattr(right, "Q") and hasattr(right, "V"):
        H = right.Q.shape[-3] if right.Q.ndim > 2 else 1
        d_model = right.X.shape[-1] if hasattr(right, "X") else H * right.Q.shape[-1]
        values |= {"d_k": right.Q.shape[-1], "d_v": right.V.shape[-1], "n_heads": H, "d_model": d_model}
        values |= {"L_q": right.Q.shape[-2], "L_k": right.K.shape[-2]}
    return says.format_map(values)
