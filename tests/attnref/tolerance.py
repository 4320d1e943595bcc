"""The one way to say that two arrays are equal up to rounding."""

from typing import Any

import numpy as np
import numpy.typing as npt

# Roundings of a few hundred additions, counted in units of the last place of the greatest number.
STEPS = 256


def assert_close(actual: Any, expected: npt.ArrayLike, *, tol: float | None = None) -> None:
    """Same shape, NaN and infinity in the same places, the rest equal up to rounding of the coarser dtype.

    `tol` replaces the tolerance where the comparison is not one of rounding (a difference quotient, say); it
    is relative to the greatest finite number expected, or absolute where that is below one.
    """
    a, e = np.asarray(actual), np.asarray(expected)
    assert a.shape == e.shape, f"shape {a.shape}, expected {e.shape}"
    if a.size == 0:
        return
    if tol is None:
        coarser = max((np.finfo(x.dtype).eps for x in (a, e) if x.dtype.kind == "f"), default=0.0)
        tol = STEPS * float(coarser)
    finite = np.isfinite(e)
    same = (a == e) | (np.isnan(a) & np.isnan(e))
    assert same[~finite].all(), f"not finite in other places:\n{a}\nexpected\n{e}"
    assert np.isfinite(a[finite]).all(), f"finite numbers expected:\n{a}\nexpected\n{e}"
    bound = tol * max(1.0, float(np.abs(e[finite]).max(initial=0)))
    off = np.where(finite, np.abs(np.where(finite, a, 0) - np.where(finite, e, 0)), 0)
    worst = np.unravel_index(np.argmax(off), off.shape)
    assert off[worst] <= bound, (
        f"at {tuple(map(int, worst))}: {a[worst]}, expected {e[worst]}, off by {off[worst]}"
    )
