"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sitekit.drawing import (
    INK,
    ONE,
    PAPER,
    RULE,
    SOFT,
    TWO,
    figure,
    label,
    panel,
    plane,
    sheet,
    vector,
)


@figure
def waves(wide) -> Figure:
    """The sines of the first pairs of columns, one below the other."""
    on = sheet(304)
    names = ("first pair", "second", "third", "fourth")
    for pair, name in enumerate(names):
        axes = panel(on, 74, 8 + 64 * pair, 258, 56)
        sine = wide[:, 2 * pair]
        axes.axhline(0, color=RULE, linewidth=0.8)
        axes.plot(sine, "-o", color=ONE, linewidth=1.4, markersize=4)
        axes.set_ylim(-1.25, 1.25)
        axes.set_xlim(-1, len(wide))
        axes.set_yticks([])
        last = pair == len(names) - 1
        axes.set_xticks(np.arange(0, len(wide), 5) if last else [])
        axes.tick_params(length=0, pad=4)
        axes.spines[:].set_visible(False)
        label(axes, name, (-1, 0), dx=-6, across="right")
    axes.set_xlabel("place", labelpad=3)
    return on


@figure
def turning(key, turned) -> Figure:
    """One key at the first places of a text."""
    on = sheet(254)
    axes = panel(on, 36, 8, 300, 212)
    plane(axes, (-2.6, 2.9), (-0.6, 2.7), "first number", "second number")
    reach = np.hypot(*key)
    around = np.linspace(0, np.pi, 61)
    axes.plot(
        reach * np.cos(around),
        reach * np.sin(around),
        color=SOFT,
        linewidth=1,
        linestyle=(0, (1, 3)),
        zorder=1,
    )
    for place, tip in enumerate(turned):
        first = place == 0
        vector(axes, tip, color=TWO if first else ONE, width=3.5 if first else 2)
        side = "left" if tip[0] > 0 else "right"
        label(axes, f"place {place}", tip, dx=6 if tip[0] > 0 else 10, dy=12, across=side)
    return on


def box(axes: Axes, text: str, bottom: float, color: str) -> None:
    """A part of the block, at a height."""
    axes.add_patch(Rectangle((70, bottom), 190, 34, facecolor=PAPER, edgecolor=color, linewidth=2, zorder=2))
    label(axes, text, (165, bottom + 17), across="center", zorder=3)


def rise(axes: Axes, start: float, end: float) -> None:
    """An arrow from one part up to the next."""
    vector(axes, (165, end), (165, start), color=INK, width=1.4)


@figure
def block(n_heads) -> Figure:
    """The parts of a block from below upwards, with the ways around."""
    on = sheet(452)
    axes = panel(on, 0, 0, 340, 452)
    axes.set_xlim(0, 340)
    axes.set_ylim(0, 452)
    axes.axis("off")
    label(axes, "tokens", (165, 12), across="center")
    for bottom, name, color in (
        (26, f"{n_heads} heads, side by side", ONE),
        (226, "network for each token", TWO),
    ):
        rise(axes, bottom - 4 if bottom == 26 else 198, bottom + 34)
        box(axes, name, bottom + 34, color)
        rise(axes, bottom + 68, bottom + 98)
        label(axes, "+", (165, bottom + 108), across="center", fontsize=20)
        axes.plot(
            [165, 40, 40, 150],
            [bottom + 14, bottom + 14, bottom + 108, bottom + 108],
            color=SOFT,
            linewidth=1.6,
        )
        vector(axes, (152, bottom + 108), (130, bottom + 108), color=SOFT, width=1.6)
        rise(axes, bottom + 118, bottom + 138)
        box(axes, "norm", bottom + 138, SOFT)
    rise(axes, 398, 428)
    label(axes, "tokens, changed", (165, 438), across="center")
    label(axes, "way around", (40, 122), dx=6, dy=2)
    return on
