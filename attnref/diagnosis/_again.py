"""What was seen of a function, and what comes of calling it again: the same, or not; and in another order of memory."""

from dataclasses import dataclass, field, replace

import numpy as np

from attnref.diagnosis._arrays import back, narrowed, parts
from attnref.diagnosis._attention import identity_probe
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._pipeline import Array, Probe, run
from attnref.diagnosis._seen import Seen

REORDERED = 0.02
"""How much of the greatest number half precision loses, at most."""


@dataclass
class Observed:
    """What the function made of all probes."""

    seen: list[Seen] = field(default_factory=list)
    now: Probe | None = None
    """The probe that is being computed, for the case that it never ends."""

    skipped: list[str] = field(default_factory=list)
    refused: dict[str, list[str]] = field(default_factory=dict)
    """What it raised or returned where it need not be able to do anything, and in which probes."""

    unlike: bool = False
    """Whether the order of memory makes a difference."""

    fickle: str = ""
    """`not_deterministic` or `keeps_state`, if calling again gives another result."""

    again: tuple[Array, Array] | None = None
    growing: bool = False
    """Whether each call adds the same to what the one before has left."""

    reused: bool = False
    dropped: tuple[Array, Array] | None = None
    """Where chance has a part: the weights once, and what they should be."""

    first: Probe | None = None
    equal_widths: bool = False


def repeat(caller: Caller, into: Observed) -> None:
    """Call again: is it the same, and does the earlier result stay as it was?"""
    good = [seen for seen in into.seen if not seen.problem]
    if not good:
        return
    first = into.first = good[0].probe
    for seen in (good[0], good[-1]):
        once, twice = caller(seen.probe), caller(seen.probe)
        if not _alike(seen.output, once.output):
            into.fickle = "keeps_state" if _alike(once.output, twice.output) else "not_deterministic"
            into.growing = growing(once.output, twice.output, caller(seen.probe).output)
            into.again = (
                (seen.output, once.output) if seen.output is not None and once.output is not None else None
            )
            into.first = seen.probe
            into.dropped = chance(caller)
            return
    value, _, _ = caller.raw(first)
    now = back(parts(value)[0])
    kept = None if now is None else now.copy()
    arrays = {
        name: x + 1 if getattr(getattr(x, "dtype", None), "kind", "") != "b" else x
        for name, x in first.arrays.items()
    }
    other = replace(first, arrays=arrays)
    caller(other)
    now = back(parts(value)[0])
    into.reused = not _alike(kept, now)
    apart(caller, good[0], into)


def apart(caller: Caller, seen: Seen, into: Observed) -> None:
    """Call with the same numbers in another order of memory."""
    caller.strided = True
    other = caller(seen.probe)
    caller.strided = False
    if other.problem:
        into.skipped.append(
            f"arrays that are no contiguous memory, as after a transpose: the function {other.deed}"
        )
    into.unlike = not other.problem and not _nearly(seen.output, other.output)


def _nearly(a: Array | None, b: Array | None) -> bool:
    """Whether they differ by no more than another order of additions makes, in whatever precision."""
    if a is None or b is None or a.shape != b.shape:
        return False
    return _alike(a, b) or bool(np.abs(a - b).max() < REORDERED * np.abs(a).max())


def growing(a: Array | None, b: Array | None, c: Array | None) -> bool:
    """Whether three results go up by equal steps."""
    if a is None or b is None or c is None or not a.shape == b.shape == c.shape:
        return False
    return _alike(b - a, c - b)


def _alike(a: Array | None, b: Array | None) -> bool:
    if a is None or b is None or a.shape != b.shape:
        return a is b
    with np.errstate(invalid="ignore"):
        return bool(
            np.all((np.abs(a - b) <= 1e-6 * (1 + np.abs(a))) | (a == b) | (np.isnan(a) & np.isnan(b)))
        )


def chance(caller: Caller) -> tuple[Array, Array] | None:
    """The weights of one call, read off with the identity as values, beside the right ones."""
    if caller.form.name != "attention":
        return None
    probe = narrowed(identity_probe(), caller.rules.layout)
    weights, work = caller(probe).output, run(caller.form, probe, caller.rules)
    return (
        None
        if weights is None or work is None or weights.shape != work.weights.shape
        else (weights, work.weights)
    )
