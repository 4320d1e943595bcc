"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

import numpy as np
from matplotlib.figure import Figure

from sitekit.drawing import INK, ONE, RULE, TWO, attention_map, figure, label, panel, quiet, sheet


@figure
def alignment(weights, target, source) -> Figure:
    """The map of weights: who is about to be written asks, who was read is asked."""
    return attention_map(weights, target, source)


@figure
def bend(from_queries, from_keys, hidden, target, source) -> Figure:
    """The first hidden number of each key on the curve of tanh, under the first and the third question."""
    on = sheet(362)
    reach = 7
    line = np.linspace(-reach, reach, 141)
    for row, asks in enumerate((0, 2)):
        axes = panel(on, 30, 26 + 172 * row, 302, 124)
        axes.axhline(0, color=RULE, linewidth=0.8)
        axes.axvline(0, color=RULE, linewidth=0.8)
        axes.plot(line, np.tanh(line), color=ONE, linewidth=2)
        places = from_queries[asks, 0] + from_keys[:, 0]
        for j, (place, word) in enumerate(zip(places, source, strict=True)):
            height = hidden[asks, j, 0]
            axes.plot(place, height, "D", color=TWO, markeredgecolor=INK, markersize=8, zorder=3)
            middle = j == 1
            across = "left" if place >= 0 else "center"
            label(axes, word, (place, height), 0 if place < 0 else 9, -17 if middle else 15, across)
        axes.set_xlim(-reach, reach)
        axes.set_ylim(-1.6, 1.6)
        axes.set_yticks([-1, 0, 1])
        axes.set_xticks(np.arange(-6, 7, 2))
        axes.tick_params(length=0, pad=3)
        axes.spines[:].set_visible(False)
        quiet(axes, f"{target[asks]} asks", (-reach, 1.6), dy=12)
    axes.set_xlabel("sum before the bend", labelpad=3)
    return on
