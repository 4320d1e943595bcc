"""Gradients by central differences: change one number, see what the loss does. Knows nothing of attnref."""

from collections.abc import Callable

import numpy as np

STEP = 1e-5
TOL = 1e-8  # the error of a central difference in float64: the square of the step, and rounding over the step


def gradient(loss: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    """How fast the loss changes with each entry of x, one entry at a time."""
    slopes = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        moved = x.copy()
        moved[place] = x[place] + STEP
        above = loss(moved)
        moved[place] = x[place] - STEP
        slopes[place] = (above - loss(moved)) / (2 * STEP)
    return slopes
