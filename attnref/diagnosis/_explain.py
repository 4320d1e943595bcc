"""The catalogue for readers: list the faults, explain one with numbers, get a function that has it."""

import difflib
from dataclasses import dataclass, replace

import numpy as np

from attnref._errors import AttnRefError
from attnref._validate import refuse
from attnref.diagnosis._catalogue import FORMS, Fault, catalogue
from attnref.diagnosis._pipeline import Array, Form, Probe, Rules, Variant, run, same, shows_on
from attnref.diagnosis._report import wrapped
from attnref.diagnosis._say import evidence, row

NARROW = {"linear_feature_bf16"}
"""Faults that show in half precision alone."""

SMALL = 10
"""Outputs of more numbers than this are not printed whole."""


@dataclass(frozen=True)
class Explanation:
    """A fault with a call that shows it."""

    fault: Fault
    probe: Probe | None = None
    right: Array | None = None
    wrong: Array | None = None
    words: str = ""

    def __str__(self) -> str:
        lines = wrapped(f"{self.fault.id} ({self.fault.kind}): {self.fault.title}.")
        lines += wrapped(f"Why: {self.fault.why}") + wrapped(f"Change: {self.fault.mend}")
        if self.probe is not None and self.right is not None and self.wrong is not None:
            lines += wrapped(f"Seen in: {self.probe.name}")
            if max(self.right.size, self.wrong.size) <= SMALL:
                lines += wrapped(f"Right: {shortened(self.right)}") + wrapped(
                    f"Wrong: {shortened(self.wrong)}"
                )
            else:
                lines += wrapped(f"There {self.words}.")
        if not self.fault.forms:
            lines += wrapped(f"Not covered: {self.fault.uncovered or 'no form of the check shows it yet.'}")
        if self.fault.seen_in:
            lines += wrapped("Reported in: " + ", ".join(self.fault.seen_in))
        return "\n".join(lines)


def shortened(x: Array) -> str:
    """The first row, or the only number."""
    rows = x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1, 1)
    return row(rows[0]) if len(rows) == 1 else ", ".join(row(r) for r in rows[:4])


def faults() -> dict[str, Fault]:
    """List the faults that have a name.

    Returns
    -------
    dict
        Name to `Fault`, with its kind, title, reason, cure and the forms of `check` that find it. A fault
        without a form is known, but not found yet.

    Examples
    --------
    >>> from attnref import faults
    >>> faults()["scale_missing"].kind
    'scale'
    """
    return dict(catalogue())


def entry(fault: str) -> Fault:
    """A fault by its name."""
    if fault not in catalogue():
        near = difflib.get_close_matches(str(fault), catalogue(), n=1)
        step = f"Did you mean {near[0]!r}? " if near else ""
        refuse(
            AttnRefError,
            f"fault is {fault!r}",
            "it names an entry of the catalogue",
            step + "See attnref.faults()",
        )
    return catalogue()[fault]


def first_variant(fault: str) -> tuple[Form, Variant] | None:
    """The plainest way to get it, and the form it belongs to."""
    for form, variants in FORMS.values():
        for variant in variants:
            if variant.fault == fault:
                return form, variant
    return None


def small_probes(form: Form) -> list[Probe]:
    """Calls small enough to be printed, then the form's probes."""
    return [*form.demos(), *form.probes(0)]


def explain(fault: str) -> Explanation:
    """Explain a fault: what it is, why it matters, what to change, with the numbers of a tiny call.

    Parameters
    ----------
    fault
        Its name, as in `Diagnosis.fault` or `faults()`.

    Returns
    -------
    Explanation
        Print it. `right` and `wrong` are the outputs of a small call, computed here.

    Raises
    ------
    AttnRefError
        If there is no such fault.

    Examples
    --------
    >>> from attnref import explain
    >>> result = explain("scale_missing")
    >>> print(result.right.round(4), result.wrong.round(4))
    [[[[0.8808]]]] [[[[0.982]]]]
    """
    known = entry(fault)
    found = first_variant(fault)
    if found is None:
        return Explanation(known)
    form, variant = found
    rules = Rules(dtype="float16" if fault in NARROW else form.dtype)
    rules = replace(rules, mask="additive") if fault == "mask_additive_vs_binary" else rules
    for probe in small_probes(form):
        with np.errstate(all="ignore"):
            right, wrong = run(form, probe, rules), run(form, probe, rules, [variant])
        if right is None or wrong is None or not shows_on(variant, probe):
            continue
        if not same(right.output, wrong.output, 1e-9):
            return Explanation(known, probe, right.output, wrong.output, evidence(known.kind, right, wrong))
    return Explanation(known)
