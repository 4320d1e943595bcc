"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

import numpy as np
from matplotlib.figure import Figure

from sitekit.drawing import (
    INK,
    ONE,
    SOFT,
    TWO,
    figure,
    label,
    panel,
    plane,
    quiet,
    sheet,
    vector,
    weight_bars,
)


@figure
def dot_products(words, query, keys, dot_products) -> Figure:
    """The query and the keys as arrows. All vectors that end on one dotted line have the same dot product."""
    on = sheet(330)
    x, y = (-0.6, 2.75), (-1.3, 1.6)
    axes = panel(on, 38, 36, 298, 258)
    plane(axes, x, y, "first number", "second number")
    for number in np.unique(dot_products):
        ends = (number - query[1] * np.array(y)) / query[0]  # where query · (x, y) is the number
        axes.plot(ends, y, color=SOFT, linewidth=1.2, linestyle=(0, (1, 3)), zorder=1)
        label(axes, f"{number}", (ends[1], y[1]), dy=9, across="center")
    quiet(axes, "dot product with the query", (x[0], y[1]), dy=26)
    vector(axes, query, color=TWO, width=7)
    label(axes, "query", 0.8 * query, dx=6, dy=-20, across="center", weight="bold")
    for word, key in zip(words, keys, strict=True):
        vector(axes, key)
        label(axes, word, key, dx=6, dy=8)
    return on


@figure
def blend(words, weights, values, output) -> Figure:
    """The output among the values. The larger a weight, the broader the line to its value."""
    on = sheet(320)
    axes = panel(on, 38, 8, 298, 276)
    plane(axes, (-0.4, 4.9), (-0.4, 4.6), "first number", "second number")
    for word, weight, value in zip(words, weights, values, strict=True):
        axes.plot(*np.transpose([value, output]), color=ONE, linewidth=14 * weight, solid_capstyle="butt")
        axes.plot(*value, "o", color=ONE, markersize=8, zorder=3)
        label(axes, word, value, dx=5, dy=27)
        label(axes, f"{weight:.3f}", value, dx=5, dy=12)
    axes.plot(*output, "D", color=TWO, markeredgecolor=INK, markersize=10, zorder=4)
    label(axes, "output", output, dx=0, dy=38, weight="bold")
    label(axes, f"[{output[0]:.2f}, {output[1]:.2f}]", output, dx=0, dy=22)
    return on


@figure
def scaling(bank) -> Figure:
    """The weights in the sentence with the river, one column without the scaling and one with it."""
    on = sheet(240)
    for left, name, result in ((48, "not scaled", bank.plain), (200, "scaled", bank.scaled)):
        axes = panel(on, left, 34, 150, 200)
        weight_bars(axes, result.weights[0], bank.words if left == 48 else [""] * len(bank.words), digits=2)
        quiet(axes, name, (0, -0.5), dy=12)
    return on
