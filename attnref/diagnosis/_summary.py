"""What stands in a report besides the faults: conventions, what was left out, what was printed."""

from typing import Any

from attnref.diagnosis._again import Observed
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._pipeline import Form, Rules
from attnref.diagnosis._watch import Watched


def stated(rules: Rules, caller: Caller) -> dict[str, str]:
    """The conventions that the function was held to."""
    found = {"layout": rules.layout, "framework": caller.framework, "dtype": str(caller.dtype)}
    if "mask" in caller.takes:
        found |= {"mask": rules.mask, "empty_row": rules.empty_row}
    if "causal" in caller.knows:
        found["causal_align"] = rules.causal_align
    found |= {f"always {name}": str(value) for name, value in rules.always.items()}
    return found


def untested(caller: Caller, form: Form, wanted: set[str] | None, seen: Observed) -> list[str]:
    """What the function does not take, or refuses."""
    missing = [name for name in form.options if name not in caller.knows]
    found = []
    if missing:
        found.append(f"{', '.join(missing)}: the function takes no such argument.")
    if wanted is not None:
        left = sorted(set(form.options) - wanted - set(missing))
        found += [f"{', '.join(left)}: not among the features asked for."] if left else []
    told = {item.deed for item in seen.seen if item.problem}
    found += [
        f"“{'”, “'.join(probes)}”: the function {deed}"
        for deed, probes in seen.refused.items()
        if deed not in told
    ]
    return found + seen.skipped


def notes(watched: Watched) -> list[str]:
    """What it printed and warned of."""
    found = []
    if watched.printed:
        lines = watched.printed.splitlines()
        found.append(
            f"it printed {len(lines)} lines, the first: {lines[0]!r}"
            if len(lines) > 1
            else f"it printed {lines[0]!r}"
        )
    if watched.warned:
        found.append(
            f"it warned: {watched.warned[0]}"
            + (f" (and {len(watched.warned) - 1} more)" if len(watched.warned) > 1 else "")
        )
    return found


def title(fn: Any) -> str:
    """What to call the function."""
    name = getattr(fn, "__name__", None) or type(fn).__name__
    return "the function" if name == "<lambda>" else str(name)
