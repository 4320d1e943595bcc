"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sitekit.drawing import ONE, RULE, SOFT, TWO, figure, label, panel, plane, quiet, sheet, vector

CELL = 46


@figure
def columns(it, W_Q, query) -> Figure:
    """A row, turned upright, beside the grid; below each column of the grid what it makes of the row."""
    on = sheet(220)
    axes = panel(on, 0, 0, 340, 220)
    axes.set_xlim(0, 340)
    axes.set_ylim(220, 0)
    axes.axis("off")
    left, top = 150, 34
    for row, number in enumerate(it):
        middle = top + CELL * (row + 0.5)
        axes.add_patch(
            Rectangle(
                (56, middle - CELL / 2), CELL, CELL, facecolor=(TWO, 0.25), edgecolor=RULE, linewidth=0.8
            )
        )
        label(axes, f"{number:.1f}", (56 + CELL / 2, middle), across="center")
        label(axes, "times", (126, middle), across="center", color=SOFT)
    for column in range(2):
        middle = left + CELL * column * 1.5 + CELL / 2
        for row in range(2):
            corner = (middle - CELL / 2, top + CELL * row)
            axes.add_patch(
                Rectangle(corner, CELL, CELL, facecolor=(ONE, 0.25), edgecolor=RULE, linewidth=0.8)
            )
            label(axes, f"{W_Q[row, column]}", (middle, top + CELL * (row + 0.5)), across="center")
        bottom = top + 2 * CELL
        vector(axes, (middle, bottom + 34), tail=(middle, bottom + 4), width=1.5)
        label(axes, f"{query[column]:.1f}", (middle, bottom + 48), across="center", weight="bold")
    quiet(axes, "the row of “it”", (56 + CELL / 2, 16), across="center")
    quiet(axes, "the grid", (left + CELL * 1.25, 16), across="center")
    label(axes, "added up", (left - 12, top + 2 * CELL + 18), across="right", color=SOFT)
    quiet(axes, "the query", (left - 12, top + 2 * CELL + 48), across="right")
    return on


@figure
def three_views(it, W_Q, W_K, W_V) -> Figure:
    """The query, the key and the value that three grids make of one vector."""
    on = sheet(250)
    axes = panel(on, 38, 8, 296, 206)
    plane(axes, (-0.15, 2.15), (-0.1, 1.45), "first number", "second number")
    for name, grid, color in (("query", W_Q, TWO), ("key", W_K, ONE), ("value", W_V, ONE)):
        tip = it @ grid
        vector(axes, tip, color=color, width=3 if color == TWO else 2)
        text = f"({tip[0]:.1f}, {tip[1]:.1f})"
        if name == "value":
            label(axes, f"{name} {text}", tip, dx=4, dy=14, across="center")
        else:
            label(axes, name, tip, dx=6, dy=4, weight="bold" if color == TWO else "normal")
            label(axes, text, tip, dx=6, dy=-11)
    return on
