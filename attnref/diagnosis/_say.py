"""Numbers and evidence in words: what a query should see and what it sees, weights side by side."""

from collections.abc import Sequence

import numpy as np

from attnref.diagnosis._pipeline import Array, Probe, Work

SHOWN = 6


def number(x: float) -> str:
    """A number as short as it may be: four digits behind the point at most."""
    if np.isnan(x):
        return "NaN"
    if np.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x != 0 and (abs(x) < 1e-3 or abs(x) >= 1e5):
        return f"{x:.4g}".replace("-", "−")
    text = f"{x:.4f}".rstrip("0").rstrip(".")
    return (text if text != "-0" else "0").replace("-", "−")


def minus(x: float) -> str:
    """A number in words, with a minus sign that is one."""
    return f"{x:.6g}".replace("-", "−")


def row(x: Array, shown: int = SHOWN) -> str:
    """One row of numbers, cut where it is long."""
    cells = [number(float(value)) for value in x[:shown]]
    return "[" + ", ".join(cells) + (", …" if len(x) > shown else "") + "]"


def keys(indices: Sequence[int]) -> str:
    """Key numbers, runs of them joined."""
    if not indices:
        return "no key"
    runs: list[list[int]] = []
    for n in indices:
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    words = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs)
    return f"key {words}" if len(indices) == 1 else f"keys {words}"


def counted(n: int, word: str) -> str:
    """A number of things."""
    return f"{n} {word}" + ("" if n == 1 else "s")


def differing(a: Array, b: Array, tolerance: float = 5e-6) -> tuple[int, ...] | None:
    """Index of the first row (all axes but the last) in which two arrays differ; None if they are the same."""
    if a.shape != b.shape or a.ndim == 0:
        return None
    with np.errstate(invalid="ignore"):
        off = ~((np.abs(a - b) <= tolerance) | (a == b) | (np.isnan(a) & np.isnan(b)))
    rows = np.argwhere(off.any(axis=-1))
    return tuple(int(n) for n in rows[0]) if len(rows) else None


def where(index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """A row by its names: sample, head, query; axes of length one are left out."""
    names = {3: ("sample", "head", "query"), 2: ("sample", "query"), 1: ("query",)}.get(len(index), ())
    shown = [
        f"{name} {n}"
        for name, n, size in zip(names, index, shape, strict=False)
        if size > 1 or name == "query"
    ]
    return " of ".join(reversed(shown)) if shown else "the result"


def sees(right: Work, wrong: Work) -> str | None:
    """Which keys a query should see and which it does, for the first query where that differs."""
    a, b = right.weights, wrong.weights
    if a.shape != b.shape:
        return None
    seen_a, seen_b = np.nan_to_num(a) > 1e-12, np.nan_to_num(b) > 1e-12
    rows = np.argwhere((seen_a != seen_b).any(axis=-1) & ~np.isnan(b).any(axis=-1))
    if not len(rows):
        return None
    at = tuple(int(n) for n in rows[0])
    should, does = (keys([int(n) for n in np.flatnonzero(seen[at])]) for seen in (seen_a, seen_b))
    L_q, L_k = a.shape[-2:]
    return f"with L_q = {L_q} and L_k = {L_k} {where(at, a.shape)} should see {should}, yours sees {does}"


def weighed(right: Work, wrong: Work) -> str | None:
    """The weights of the first query where they differ."""
    at = differing(right.weights, wrong.weights)
    if at is None:
        return None
    a, b = right.weights[at], wrong.weights[at]
    total = f", which sum to {number(float(b.sum()))}" if abs(b.sum() - a.sum()) > 1e-6 else ""
    return f"the weights of {where(at, right.weights.shape)} should be {row(a)}; yours are {row(b)}{total}"


def blended(right: Work, wrong: Work) -> str | None:
    """The outputs of the first query where they differ, or their shapes."""
    a, b = right.output, wrong.output
    if a.shape != b.shape:
        return f"the output should have shape {a.shape}; yours has {b.shape}"
    at = differing(a, b, 0.0)
    return None if at is None else f"{where(at, a.shape)} should give {row(a[at])}; yours gives {row(b[at])}"


def descended(right: Work, wrong: Work) -> str | None:
    """Which gradient differs, at its first row that does."""
    for name in ("d_Q", "d_K", "d_V"):
        a, b = getattr(right, name), getattr(wrong, name)
        if a.shape != b.shape:
            return f"{name} should have shape {a.shape}; yours has {b.shape}"
        at = differing(a, b)
        if at is not None:
            return f"{name} of row {at[-1]} should be {row(a[at])}; yours is {row(b[at])}"
    return None


def factored(right: Work, wrong: Work) -> str | None:
    """What the dot products are multiplied by."""
    a, b = float(right.factor), float(wrong.factor)
    if abs(a - b) < 1e-12:
        return None
    d_k = right.Q.shape[-1]
    return f"with d_k = {d_k} they should be multiplied by {number(a)}, yours are multiplied by {number(b)}"


def evidence(kind: str, right: Work, wrong: Work | None) -> str:
    """What shows best for a kind of fault."""
    if wrong is None:
        return "the axes do not fit there, and it raises"
    order = {
        "scale": (factored, weighed, blended),
        "softmax": (weighed, blended),
        "mask": (sees, weighed, blended),
        "causal": (sees, weighed, blended),
        "window": (sees, weighed, blended),
        "cache": (sees, weighed, blended),
        "empty row": (weighed, blended),
        "softcap": (weighed, blended),
        "gradient": (descended, weighed, blended),
    }.get(kind, (blended,))
    for look in order:
        try:
            words = look(right, wrong)
        except (AttributeError, ValueError, IndexError, TypeError):
            continue
        if words:
            return words
    return ""


def inputs(probe: Probe) -> dict[str, object]:
    """The arrays and options of a probe as plain lists, NaN and infinity as words."""
    given = {**probe.arrays, **probe.options}
    return {name: plain(value) for name, value in given.items()}


def plain(value: object) -> object:
    """Something that JSON can hold."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return "NaN" if np.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, np.generic):
        return plain(value.item())
    return value
