"""The figures of the lab. Each parameter is a name that the lab's page computes."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from sitekit.drawing import INK, ONE, RULE, SOFT, TWO, figure, label, panel, quiet, sheet

SHADES = 20
SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])


@figure
def turn(steps, curves) -> Figure:
    """The loss, and below it accuracy and what both heads do, over the steps of the recorded run."""
    on = sheet(464)
    loss = panel(on, 36, 30, 196, 130)
    loss.plot(steps, curves["loss"], color=INK, linewidth=1.8)
    highest = int(np.ceil(max(curves["loss"])))
    loss.set_ylim(0, highest)
    loss.set_yticks(range(highest + 1))
    quiet(loss, "loss", (0, highest), dx=-20, dy=14)

    heads = panel(on, 36, 224, 196, 190)
    for name, text, color, line, dy in (
        ("accuracy", "accuracy", SOFT, ":", 12),
        ("induction", "second head", TWO, "-", -3),
        ("previous", "first head", ONE, (0, (4, 2)), -8),
    ):
        heads.plot(steps, curves[name], color=color, linestyle=line, linewidth=2)
        label(heads, text, (steps[-1], curves[name][-1]), dx=8, dy=dy, color=INK)
    heads.set_ylim(0, 1)
    heads.set_yticks([0, 0.5, 1])
    quiet(heads, "accuracy and weights", (0, 1), dx=-20, dy=22)
    for axes in (loss, heads):
        axes.set_xlim(0, steps[-1])
        axes.set_xticks(range(0, steps[-1] + 1, steps[-1] // 3))
        axes.tick_params(length=0, pad=4)
        axes.grid(color=RULE, linewidth=0.4)
        axes.spines[:].set_visible(False)
    heads.set_xlabel("training steps", labelpad=3)
    return on


@figure
def maps(read, maps_before, maps_after) -> Figure:
    """Both heads' weights, before the training and after it."""
    on = sheet(448)
    size = len(read)
    for row, (when, both) in enumerate((("before", maps_before), ("after", maps_after))):
        for column, (head, color) in enumerate((("first head", ONE), ("second head", TWO))):
            axes = panel(on, 26 + 164 * column, 66 + 212 * row, 143, 143)
            axes.set_xlim(0, size)
            axes.set_ylim(size, 0)
            axes.axis("off")
            axes.add_patch(Rectangle((0, 0), size, size, fill=False, edgecolor=RULE, linewidth=0.8))
            shades = np.round(SHADES * both[column]).astype(int)
            for shade in range(1, SHADES + 1):  # cells of one shade are one shape, which keeps the file small
                cells = [Path(SQUARE + (j, i), closed=True) for i, j in np.argwhere(shades == shade)]
                if cells:
                    whole = Path.make_compound_path(*cells)
                    axes.add_patch(PathPatch(whole, facecolor=(color, shade / SHADES)))
            for place, sign in enumerate(read):
                quiet(axes, sign, (0, place + 0.5), dx=-7, across="center")
                quiet(axes, sign, (place + 0.5, 0), dy=8, across="center")
            label(axes, f"{head}, {when}", (0, 0), dy=28)
            quiet(axes, "row: who asks", (size, 1), dx=-4, across="right")
            quiet(axes, "column: who", (size, 2.3), dx=-4, across="right")
            quiet(axes, "is asked", (size, 3.4), dx=-4, across="right")
    return on
