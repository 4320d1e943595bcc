"""The error function for whole arrays, which NumPy lacks: known points, and Taylor's series between them."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from attnref._results import FloatArray

STEP = 1 / 64  # between known points
LAST = 6.0  # from here on the error function is one in double precision
TERMS = 9  # half a step to the ninth power is far below the last place of a double


def _taylor() -> FloatArray:
    """The coefficients of the series around each known point, highest power first.

    The function's slope is the bell curve, whose derivatives are Hermite polynomials times the curve itself.
    """
    points = np.arange(0, LAST + STEP, STEP)
    bell = 2 / math.sqrt(math.pi) * np.exp(-points * points)
    before, hermite = np.zeros_like(points), np.ones_like(points)
    rows = [np.array([math.erf(point) for point in points])]
    for n in range(1, TERMS):
        rows.append((-1) ** (n - 1) * hermite * bell / math.factorial(n))
        before, hermite = hermite, 2 * points * hermite - 2 * (n - 1) * before
    return np.array(rows[::-1])  # (TERMS, points)


_TABLE: list[FloatArray] = []  # made when it is first needed: importing stays quick


def erf(x: npt.NDArray[np.floating[Any]]) -> FloatArray:
    """The error function of each number, in double precision."""
    if not _TABLE:
        _TABLE.append(_taylor())
    size = np.minimum(np.abs(x, dtype=np.float64), LAST)  # NaN stays NaN
    with np.errstate(invalid="ignore"):
        nearest = np.nan_to_num(np.rint(size / STEP)).astype(np.intp)
    off = size - nearest * STEP
    first, *others = _TABLE[0]
    value = first[nearest]
    for row in others:
        value = value * off + row[nearest]
    return np.asarray(np.copysign(np.minimum(value, 1.0), x))
