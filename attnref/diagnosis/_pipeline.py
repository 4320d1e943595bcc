"""One pipeline, whose steps a fault replaces: so any faults compose that replace different steps.

Map: a `Form` says which steps there are; a `Probe` is what they are fed; a `Variant` is one way to get a step
wrong, and several variants may be the same `Fault`. `run` goes through the steps.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from attnref._masks import Align

Array = npt.NDArray[Any]
NOTHING: Mapping[str, Any] = {}


class Work(SimpleNamespace):
    """What the steps hand on to each other: any attribute, set by one step and read by later ones."""


Hook = Callable[[Work], None]


@dataclass(frozen=True)
class Rules:
    """What the function under test has agreed to, where the frameworks differ."""

    layout: str = "BHLD"
    mask: str = "attend"
    causal_align: Align = "bottom_right"
    empty_row: str = "zero"
    dtype: str = "float64"
    """What the arrays are given in."""

    always: Mapping[str, Any] = field(default_factory=dict)
    """Options that are built into the function: they hold in each call."""


@dataclass(frozen=True, eq=False)
class Probe:
    """One call: arrays by position, options by keyword, and which features it brings into play."""

    name: str
    arrays: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    features: frozenset[str] = frozenset()
    optional: bool = False
    """Whether a function may refuse it without being wrong."""

    tight: bool = False
    """Whether it is about rounding, so that hardly any is allowed."""

    dtype: str = ""
    """What its arrays are given in, whatever the others are; empty: the same."""

    tolerance: float = 0.0
    """How far rounding may take it; zero: as the dtype has it."""

    chunks: tuple[int, ...] = ()
    """How many tokens go into each call, where there are several."""


@dataclass(frozen=True, eq=False)
class Variant:
    """One way to get a fault: which steps it replaces, where that can show, and what to say."""

    fault: str
    hooks: Mapping[str, Hook]
    needs: frozenset[str] = frozenset()
    """It can show only on probes with one of these features; empty: on any."""

    says: str = ""
    """What is done instead, in words; `{...}` is filled in from the pipeline."""

    common: bool = True
    """Whether it is tried in pairs that both show in one probe."""

    option: str = ""
    """The option without which the fault has no meaning; empty: there is none."""

    loose: float = 0.0
    """How far rounding may take it from the pipeline; zero where the numbers must be the same."""


@dataclass(frozen=True, eq=False)
class Form:
    """A kind of function that can be checked."""

    name: str
    steps: Mapping[str, Hook]
    begin: Callable[[Probe, Rules], Work]
    probes: Callable[[int], Sequence[Probe]]
    arguments: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]
    """Option -> the names by which functions take it, ours first."""

    results: tuple[str, ...] = ("output",)
    """What the function returns; more than one are compared side by side."""

    comparable: "Callable[[Array, Probe], Array] | None" = None
    """Takes out of a result what makes no difference."""

    demos: Callable[[], Sequence[Probe]] = tuple
    """Calls small enough to be printed, in the order in which they are tried."""

    drive: "Callable[[Callable[..., Any], list[Any], dict[str, Any], Probe, Rules], Any] | None" = None
    """Calls the function, where one call is not all; None: once."""

    about: str = ""
    """What the function computes, and the shapes of its arguments."""

    dtype: str = "float64"
    """What the arrays are given in, unless the check is told otherwise."""

    layouts: bool = True
    """Whether batch and heads may be left out of the layout."""

    beside: str = "weights"
    """What is returned beside the output, if anything."""

    @property
    def call(self) -> str:
        """How the function is called."""
        options = [f"{name}=…" for name in self.options]
        return f"fn({', '.join([*self.arguments, *options])})"


def run(form: Form, probe: Probe, rules: Rules, variants: Iterable[Variant] = ()) -> Work | None:
    """Go through the steps with these faults; None where the arrays do not fit each other."""
    hooks = {name: hook for variant in variants for name, hook in variant.hooks.items()}
    work = form.begin(probe, rules)
    try:
        for name, step in form.steps.items():
            hooks.get(name, step)(work)
        if form.comparable is not None:
            work.output = form.comparable(work.output, probe)
    except (ValueError, IndexError, TypeError):
        return None
    return work


def compatible(variants: Iterable[Variant]) -> bool:
    """Whether no two of them replace the same step."""
    names = [name for variant in variants for name in variant.hooks]
    return len(names) == len(set(names))


def shows_on(variant: Variant, probe: Probe) -> bool:
    """Whether the fault can make a difference there."""
    return not variant.needs or bool(variant.needs & probe.features)


def within(steps: Mapping[str, Hook], *, before: str, **new: Hook) -> dict[str, Hook]:
    """The steps, with new ones in front of one of them."""
    found: dict[str, Hook] = {}
    for name, step in steps.items():
        found |= new if name == before else {}
        found[name] = step
    return found


def among(variants: Iterable[Variant], steps: Iterable[str]) -> list[Variant]:
    """The variants that replace no other steps than these."""
    known = set(steps)
    return [v for v in variants if set(v.hooks) <= known]


def nothing(work: Work) -> None:
    """A step that is left out."""


def same(a: Array | None, b: Array | None, tolerance: float) -> bool:
    """Whether two results are the same numbers: shape, NaN and infinity included. None: it raised."""
    if a is None or b is None:
        return a is None and b is None
    if a.shape != b.shape:
        return False
    with np.errstate(invalid="ignore"):
        off = np.abs(a - b)
    return bool(np.all((off <= tolerance) | (a == b) | (np.isnan(a) & np.isnan(b))))
