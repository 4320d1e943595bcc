"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sitekit.drawing import (
    INK,
    ONE,
    RULE,
    SOFT,
    STRONGEST,
    TWO,
    figure,
    label,
    panel,
    quiet,
    sheet,
    vector,
)  # fmt: skip

STATION = 68
WORDS = ["animal", "street"]


def in_row(numbers, digits) -> str:
    return ", ".join(f"{number:.{digits}f}" for number in numbers).replace("-", "−")


@figure
def chain(guess, it, keys, root, output, loss, d_output, d_scores, d_query, d_W_Q) -> Figure:
    """The stations from the grid to the loss: numbers on the way down, slopes on the way up."""
    height = STATION * 4 + 66
    on = sheet(height)
    axes = panel(on, 0, 0, 340, height)
    axes.set_xlim(0, 340)
    axes.set_ylim(height, 0)
    axes.axis("off")
    query = it @ guess
    down = ["\n".join(in_row(row, 0) for row in guess), in_row(query, 0), in_row(keys @ query / root, 2)]
    down += [f"{output:.3f}", f"{loss:.3f}"]
    up = ["\n".join(in_row(row, 3) for row in d_W_Q), in_row(d_query, 3), in_row(d_scores, 3)]
    up += [in_row([d_output], 3), ""]
    ways = ["“it” through it", "dot product / root", "softmax, blend", "error, squared"]
    back = ["× “it”", "× keys / root", "× weight × rest", "twice the error"]
    quiet(axes, "forward", (128, 12), across="center")
    quiet(axes, "slope of the loss", (256, 12), across="center")
    for number, (name, value, slope) in enumerate(
        zip(["the grid", "query", "scores", "output", "loss"], down, up, strict=True)
    ):
        middle = 46 + STATION * number
        label(axes, name, (10, middle), weight="bold")
        label(axes, value, (128, middle), across="center")
        label(axes, slope, (256, middle), across="center")
        if number < 4:
            vector(axes, (128, middle + STATION - 18), tail=(128, middle + 20), width=1.5)
            vector(axes, (232, middle + 20), tail=(232, middle + STATION - 18), color=TWO, width=1.5)
            quiet(axes, ways[number], (118, middle + STATION / 2), across="right")
            quiet(axes, back[number], (242, middle + STATION / 2))
    return on


def small_map(axes: Axes, weights, title: str) -> None:
    for i, j in np.ndindex(2, 2):
        shade = (ONE, STRONGEST * weights[i, j])
        axes.add_patch(Rectangle((j, i), 1, 1, facecolor=shade, edgecolor=RULE, linewidth=0.8))
        label(axes, f"{weights[i, j]:.2f}", (j + 0.5, i + 0.5), across="center")
    for j, word in enumerate(WORDS):
        quiet(axes, word, (j + 0.5, 0), dy=11, across="center")
    label(axes, title, (1, 0), dy=32, across="center", weight="bold")
    axes.set_xlim(0, 2)
    axes.set_ylim(2, 0)
    axes.axis("off")


@figure
def before_after(map_before, map_after) -> Figure:
    """What each "it" hears, by the guess and by what training found."""
    on = sheet(140)
    before = panel(on, 62, 46, 120, 84)
    small_map(before, map_before, "before")
    small_map(panel(on, 212, 46, 120, 84), map_after, "after")
    for i, text in enumerate(["… tired", "… wide"]):
        label(before, text, (0, i + 0.5), dx=-8, across="right")
    return on


@figure
def losses(rates, curves) -> Figure:
    """The loss, step after step, for each learning rate."""
    on = sheet(250)
    axes = panel(on, 44, 12, 216, 194)
    steps = np.arange(curves.shape[1])
    styles = [(ONE, "--", 2), (ONE, "-", 2.5), (TWO, "-", 2), (SOFT, ":", 2.5)]
    for rate, curve, (color, dash, width), dy in zip(rates, curves, styles, (0, 7, -7, 0), strict=True):
        axes.plot(steps, curve, color=color, linestyle=dash, linewidth=width)
        label(axes, f"rate {rate}", (steps[-1], curve[-1]), dx=8, dy=dy, color=INK)
    axes.set_xlim(0, steps[-1])
    axes.set_ylim(0, 0.55)
    axes.set_xticks(np.arange(0, steps[-1] + 1, 10))
    axes.set_yticks(np.arange(0, 0.6, 0.1))
    axes.set_xlabel("step", labelpad=3)
    axes.set_ylabel("loss", labelpad=3)
    axes.axhline(0, color=RULE, linewidth=0.8)
    axes.tick_params(length=0, pad=4)
    axes.spines[:].set_visible(False)
    return on
