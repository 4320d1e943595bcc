"""Measure which conventions a function follows, without a judgement."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from attnref.diagnosis._asking import NONE, Asker, layouts
from attnref.diagnosis._questions import QUESTIONS
from attnref.diagnosis._report import wrapped
from attnref.diagnosis._watch import watch

UNENDING = "does not end"


@dataclass(frozen=True)
class Conventions:
    """What was measured, an answer for each question."""

    name: str
    found: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """A line for each answer; what the function has no argument for stands together at the end."""
        told = {key: value for key, value in self.found.items() if value != NONE}
        wide = max(map(len, told), default=0)
        missing = "; ".join(key for key, value in self.found.items() if value == NONE)
        left = wrapped(f"no argument for: {missing}", indent=2, hang=4) if missing else []
        return "\n".join([self.name, *(f"  {key:<{wide}}  {value}" for key, value in told.items()), *left])

    def __getitem__(self, key: str) -> str:
        return self.found[key]

    def row(self) -> str:
        """All of it as one row of a Markdown table, the name first."""
        return "| " + " | ".join([self.name, *self.found.values()]) + " |"


def conventions(
    fn: Callable[..., Any], *, adapter: Callable[..., Any] | None = None, timeout: float = 10
) -> Conventions:
    """Measure the conventions of a function that computes attention.

    Parameters
    ----------
    fn
        Called as in `check`, in `float32`, with arrays of batch, heads, length and width. If it has another
        layout, that is found out.
    adapter
        As in `check`.
    timeout
        As in `check`.

    Returns
    -------
    Conventions
        An answer for each question: scale, layout, meaning of a mask, causal alignment, empty row, NaN behind
        a mask, grouped heads, window, softcap, precision inside. `print` it, or take its `row`.

    Notes
    -----
    Nothing is judged: a function that differs here may be right by its own convention, which `check` can be
    told.

    Examples
    --------
    >>> from attnref import attention, conventions
    >>> found = conventions(lambda Q, K, V, causal=False: attention(Q, K, V, causal=causal).output)
    >>> print(found["scale"], "|", found["causal"])
    1/sqrt(d_k) | last query at last key
    """
    asker = Asker(fn, adapter)
    watched = watch(lambda: measure(asker), timeout=timeout, home=asker.home, began=lambda: asker.began)
    if watched.error is not None:
        raise watched.error
    return Conventions(getattr(fn, "__name__", type(fn).__name__), asker.found)


def measure(asker: Asker) -> None:
    """Ask one question after the other; the one that is being asked is down as not ending until it does."""
    asker.found["layout"] = UNENDING
    asker.found["layout"] = layouts(asker)
    if asker.found["layout"].startswith("not found"):
        return
    asker.found = {"framework": asker.framework, **asker.found}
    for name, ask in QUESTIONS.items():
        asker.found[name] = UNENDING
        asker.found[name] = ask(asker)
