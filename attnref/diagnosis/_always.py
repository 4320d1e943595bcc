"""Functions that always do something: what is built into them holds in each call, and is not passed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attnref._errors import AttnRefError
from attnref._validate import refuse
from attnref.diagnosis._pipeline import Form, Probe

HIDING = {"causal", "window", "mask"}
"""Options that may leave a query with nothing to attend to, together with another or with sizes."""


def built_in(always: Mapping[str, Any], form: Form) -> Mapping[str, Any]:
    """Refuse what is no option of the form."""
    for name in always:
        if name not in form.options:
            refuse(
                AttnRefError,
                f"always names {name!r}",
                f"form {form.name!r} has no such option",
                f"Name one of {', '.join(form.options) or 'none: it has no options'}",
            )
    return always


def holding(probe: Probe, always: Mapping[str, Any]) -> Probe | None:
    """The probe with the features of what always holds; None where it asks for something else."""
    if any(name in probe.options and probe.options[name] != value for name, value in always.items()):
        return None
    on = {name for name, value in always.items() if value is not None and value is not False}
    pairs = {f"{a}+{b}" for a in on for b in probe.options} | {f"{a}+{b}" for b in on for a in probe.options}
    features = probe.features | on | pairs
    return replace(probe, features=features | {"empty"} if on and features & HIDING else features)
