"""Run the pipeline from where a fault sets in: what comes before is the same as in a right run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attnref.diagnosis._pipeline import Form, Probe, Rules, Variant, Work


def states(form: Form, probe: Probe, rules: Rules) -> list[dict[str, Any]] | None:
    """What a right run has in hand before each step, and at its end; None where the arrays do not fit each other."""
    work = form.begin(probe, rules)
    found = [dict(vars(work))]
    try:
        for step in form.steps.values():
            step(work)
            found.append(dict(vars(work)))
    except (ValueError, IndexError, TypeError):
        return None
    return found


def resume(
    form: Form, probe: Probe, before: Sequence[Mapping[str, Any]], variants: Iterable[Variant]
) -> Work | None:
    """As `run`, from the first step that a fault replaces: what comes before it is the same as in a right run."""
    hooks = {name: hook for variant in variants for name, hook in variant.hooks.items()}
    names = list(form.steps)
    first = next((n for n, name in enumerate(names) if name in hooks), len(names))
    work = Work(**before[first])
    try:
        for name in names[first:]:
            hooks.get(name, form.steps[name])(work)
        if form.comparable is not None:
            work.output = form.comparable(work.output, probe)
    except (ValueError, IndexError, TypeError):
        return None
    return work
