"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

import numpy as np
from matplotlib.figure import Figure

from sitekit.drawing import INK, ONE, RULE, SOFT, TWO, figure, label, panel, quiet, sheet, weight_bars

WORDS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]


@figure
def widening(sizes, tables) -> Figure:
    """For each size, how often each dot product occurs; the line below is one spread to either side."""
    on = sheet(66 * len(sizes) + 40)
    reach = max(sizes) + 0.6
    for row, (size, table) in enumerate(zip(sizes, tables, strict=True)):
        axes = panel(on, 76, 8 + 66 * row, 254, 58)
        products, counts = np.unique(table, return_counts=True)
        axes.bar(products, counts / table.size, width=0.5, color=ONE)
        axes.plot([-table.std(), table.std()], [-0.09, -0.09], color=TWO, linewidth=4, solid_capstyle="butt")
        axes.set_xlim(-reach, reach)
        axes.set_ylim(-0.18, 0.52)
        axes.set_yticks([])
        axes.spines[:].set_visible(False)
        axes.axhline(0, color=RULE, linewidth=0.8)
        axes.set_xticks(np.arange(-max(sizes), max(sizes) + 1) if row == len(sizes) - 1 else [])
        axes.tick_params(length=0)
        label(axes, f"size {size}", (-reach, 0), dx=-8, dy=18, across="right")
        quiet(axes, f"spread {table.std():.2f}", (-reach, 0), dx=-8, dy=2, across="right")
    axes.set_xlabel("dot product", labelpad=3)
    return on


@figure
def lucky_winner(plain_weights, scaled_weights) -> Figure:
    """The weights of eight random keys, one column without the root and one with it."""
    on = sheet(262)
    for left, name, weights in ((58, "not divided", plain_weights), (200, "by the root", scaled_weights)):
        axes = panel(on, left, 34, 100, 222)
        weight_bars(axes, weights, WORDS if left == 58 else [""] * len(WORDS), digits=2)
        quiet(axes, name, (0, -0.5), dy=12)
    return on


@figure
def slope(gaps, two_slopes, d_k) -> Figure:
    """The slope of a weight over the gap between two scores; the lines below are the spread of that gap."""
    on = sheet(250)
    axes = panel(on, 44, 10, 284, 196)
    wide = np.sqrt(2 * d_k)  # the variances of two dot products add up
    edge = 1.15 * wide
    gap = np.linspace(-edge, edge, 201)
    weight = 1 / (1 + np.exp(-gap))
    axes.plot(gap, weight * (1 - weight), color=ONE, linewidth=2)
    axes.plot(gaps, two_slopes, "D", color=TWO, markeredgecolor=INK, markersize=7, zorder=3)
    for number, (x, y) in enumerate(zip(gaps, two_slopes, strict=True)):
        label(axes, f"{y:.4f}", (x, y), dx=8 if number < 4 else 0, dy=(3, 3, 3, 20, 12)[number])
    for row, (name, spread) in enumerate((("with the root", wide / np.sqrt(d_k)), ("without", wide))):
        height = -0.022 - 0.028 * row
        axes.plot([-spread, spread], [height, height], color=SOFT, linewidth=4, solid_capstyle="butt")
        if row == 0:
            label(axes, name, (-spread, height), dx=-5, across="right", color=SOFT, fontsize=11)
        else:
            label(axes, name, (0, height), dy=-12, across="center", color=SOFT, fontsize=11)
    axes.set_xlim(-edge, edge)
    axes.set_ylim(-0.085, 0.28)
    axes.set_yticks(np.arange(0, 0.26, 0.05))
    axes.set_xlabel("gap between the two scores", labelpad=3)
    axes.set_ylabel("slope", labelpad=3)
    axes.axhline(0, color=RULE, linewidth=0.8)
    axes.tick_params(length=0, pad=4)
    axes.spines[:].set_visible(False)
    return on
