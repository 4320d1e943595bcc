"""Measure which conventions a function follows, without a judgement."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attnref.diagnosis._attention import ATTENTION
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._demos import call, mask, still
from attnref.diagnosis._observe import Observed, settle
from attnref.diagnosis._pipeline import Array, Probe, Rules
from attnref.diagnosis._say import number, row
from attnref.diagnosis._watch import watch


@dataclass(frozen=True)
class Conventions:
    """What was measured, a word or number for each question."""

    name: str
    found: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        wide = max(map(len, self.found), default=0)
        return "\n".join([self.name, *(f"  {key:<{wide}}  {value}" for key, value in self.found.items())])

    def __getitem__(self, key: str) -> str:
        return self.found[key]


def conventions(
    fn: Callable[..., Any], *, adapter: Callable[..., Any] | None = None, timeout: float = 10
) -> Conventions:
    """Measure the conventions of a function that computes attention.

    Parameters
    ----------
    fn
        Called as in `check`, with arrays of batch, heads, length and width.
    adapter
        As in `check`.
    timeout
        As in `check`.

    Returns
    -------
    Conventions
        Scale, layout, meaning of a mask, causal alignment, empty row, grouping, inner dtype and the rest, as
        far as the function takes the option; print it.

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
    caller, found = Caller(fn, ATTENTION, Rules(), adapter, None), dict[str, str]()
    watch(lambda: measure(caller, found), timeout=timeout, home=caller.home)
    return Conventions(getattr(fn, "__name__", type(fn).__name__), found)


def measure(caller: Caller, found: dict[str, str]) -> None:
    """Ask one question after the other."""
    settle(caller, ATTENTION.probes(0), Observed())
    found["framework"] = caller.framework
    found["scale"] = scale(caller)
    found["layout"] = layout(caller)
    if "mask" in caller.takes:
        found["mask"] = masks(caller)
        found["empty row"] = empty(caller)
        found["NaN behind a mask"] = garbage(caller)
    if "causal" in caller.takes:
        found["causal"] = causal(caller)
        found["causal, one query"] = weights(caller, still(1, 4, "decode", causal=True))
    if "window" in caller.takes:
        found["window (1, 0)"] = weights(caller, still(4, 4, "window", window=(1, 0)), -1)
    if "softcap" in caller.takes:
        found["softcap and mask"] = cap(caller)
    found["grouped heads"] = grouped(caller)
    found["inside, float16"] = inner(caller)


def values(caller: Caller, probe: Probe) -> Array | None:
    """The output, if there is one."""
    return caller(probe).output


def weights(caller: Caller, probe: Probe, query: int = 0) -> str:
    """The output of one query in words."""
    seen = caller(probe)
    return (
        row(seen.output[0, 0, query])
        if seen.output is not None and seen.output.ndim == 4
        else f"raises {seen.problem}"
    )


def scale(caller: Caller) -> str:
    """From one query and two keys, of which one is zero."""
    x = values(caller, call("scale", "", [np.ones(4)], [np.ones(4), np.zeros(4)], [[1], [0]]))
    if x is None or x.size != 1:
        return "not measured"
    known = {0.9820: "none", 0.8808: "1/sqrt(d_k)", 0.7311: "1/d_k", 0.5: "zero"}
    first = float(x.flat[0])
    return next((word for w, word in known.items() if abs(w - first) < 5e-5), f"first weight {number(first)}")


def layout(caller: Caller) -> str:
    """Queries of zero: the output is the mean over the axis that is attended over."""
    V = np.arange(24.0).reshape(2, 3, 4, 1)
    x = values(caller, Probe("layout", {"Q": np.zeros((2, 3, 4, 1)), "K": np.ones((2, 3, 4, 1)), "V": V}))
    if x is None or x.shape != V.shape:
        return "not measured"
    for axis, word in (
        (2, "batch, heads, length, width"),
        (1, "batch, length, heads, width"),
        (0, "length, heads, batch, width"),
    ):
        if np.abs(x - V.mean(axis=axis, keepdims=True)).max() < 1e-5:
            return word
    return "another"


def masks(caller: Caller) -> str:
    """[True, False, False, False] over equal scores."""
    x = values(caller, still(1, 4, "mask", mask=mask("1000")))
    if x is None or x.shape != (1, 1, 1, 4):
        return "not measured"
    for want, word in (
        ([1, 0, 0, 0], "True attends"),
        ([0, 1 / 3, 1 / 3, 1 / 3], "True hides"),
        ([0.4754, 0.1749, 0.1749, 0.1749], "booleans are added"),
        ([0.25] * 4, "ignored"),
    ):
        if np.abs(x[0, 0, 0] - want).max() < 1e-4:
            return word
    return row(x[0, 0, 0])


def empty(caller: Caller) -> str:
    """A query that may see nothing, over values one and two."""
    x = values(caller, call("empty", "", [[0]], [[1], [1]], [[1], [2]], mask=mask("00")))
    if x is None:
        return "raises"
    first = float(x.flat[0])
    return {0.0: "zero", 1.5: "mean of the values"}.get(
        round(first, 6), "NaN" if np.isnan(first) else number(first)
    )


def garbage(caller: Caller) -> str:
    """NaN in a hidden value."""
    x = values(caller, call("garbage", "", [[0]], [[1], [1]], [[1], [np.nan]], mask=mask("10")))
    return "raises" if x is None else ("leaks" if np.isnan(x).any() else "does not leak")


def causal(caller: Caller) -> str:
    """Two queries, four keys."""
    x = values(caller, still(2, 4, "causal", causal=True))
    if x is None or x.shape != (1, 1, 2, 4):
        return "not measured"
    for want, word in (
        ([1, 0, 0, 0], "first query at first key"),
        ([1 / 3, 1 / 3, 1 / 3, 0], "last query at last key"),
        ([0.25] * 4, "ignored"),
    ):
        if np.abs(x[0, 0, 0] - want).max() < 1e-5:
            return word
    return row(x[0, 0, 0])


def cap(caller: Caller) -> str:
    """Does a hidden key keep a share of the weights?"""
    x = values(caller, call("cap", "", [[0]], [[1], [1]], [[0], [1]], softcap=1.0, mask=mask("10")))
    return (
        "raises" if x is None else ("cap before mask" if abs(float(x.flat[0])) < 1e-6 else "mask before cap")
    )


def grouped(caller: Caller) -> str:
    """Four query heads, two key heads whose values are their numbers."""
    V = np.array([0.0, 1.0]).reshape(1, 2, 1, 1)
    x = values(caller, Probe("grouped", {"Q": np.zeros((1, 4, 1, 1)), "K": np.ones((1, 2, 1, 1)), "V": V}))
    return "not supported" if x is None or x.shape != (1, 4, 1, 1) else row(x.ravel())


def inner(caller: Caller) -> str:
    """Arrays in half precision whose dot product it cannot hold."""
    dtype, caller.dtype = caller.dtype, np.dtype(np.float16)
    x = values(caller, call("half", "", [[400]], [[400], [0]], [[1], [0]]))
    caller.dtype = dtype
    return "raises" if x is None else ("overflows" if np.isnan(x).any() else "does not overflow")
