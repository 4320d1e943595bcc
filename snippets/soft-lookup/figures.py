"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

import numpy as np
from matplotlib.figure import Figure

import attnref
from sitekit.drawing import INK, PAPER, SOFT, TWO, figure, label, panel, plane, sheet, vector


@figure
def arrows(arrow, others, dot_products) -> Figure:
    """One arrow and four others, each with its dot product with the first."""
    on = sheet(248)
    axes = panel(on, 38, 10, 298, 190)
    plane(axes, (-2.6, 4.9), (-1.7, 2.8), "first number", "second number")
    vector(axes, arrow, color=TWO, width=7)
    label(axes, "the first", arrow, dx=2, dy=-20, weight="bold")
    for other, product in zip(others, dot_products, strict=True):
        vector(axes, other)
        right = other[0] > 0
        label(
            axes,
            f"{product}".replace("-", "−"),
            other,
            dx=6 if right else -6,
            dy=4,
            across="left" if right else "right",
        )
    return on


@figure
def answers(keys, values, prices, queries, answers, price_levels) -> Figure:
    """The answer to each query of a plane, as lines of equal answer, with the keys and three queries."""
    on = sheet(336)
    axes = panel(on, 38, 8, 296, 296)
    edge = 3.2
    plane(axes, (-edge, edge), (-edge, edge), "how much of an apple is asked for", "how much of a pear")
    line = np.linspace(-edge, edge, 65)
    asked = np.stack(np.meshgrid(line, line), axis=-1)
    answer = attnref.softmax(asked @ keys.T) @ values
    axes.contour(line, line, answer, price_levels, colors=SOFT, linewidths=0.9, zorder=1)
    below = np.linspace(-2.7, 0.1, 57)  # the levels are named along a line below the keys
    along = np.stack([below, -2.6 - below], axis=-1)
    found_along = attnref.softmax(along @ keys.T) @ values
    for level in price_levels[~np.isin(price_levels, answers)]:  # a query upon a line names it
        at = np.interp(-level, -found_along, below)
        style = {"backgroundcolor": PAPER, "fontsize": 10.5, "color": SOFT, "zorder": 2}
        label(axes, f"{level:.2f}", (at, -2.6 - at), across="center", **style)
    for fruit, key in zip(prices, keys, strict=True):
        vector(axes, key)
        low = key[1] == 0  # upon the axis: its name goes below
        label(axes, fruit, key, dx=-6 if low else 6, dy=-14 if low else 6, across="center" if low else "left")
    for query, found in zip(queries, answers, strict=True):
        axes.plot(*query, "D", color=TWO, markeredgecolor=INK, markersize=9, zorder=4)
        side = 9 if query.any() else -9
        label(
            axes, f"{found:.2f}", query, dx=side, dy=12, across="left" if side > 0 else "right", weight="bold"
        )
    return on
