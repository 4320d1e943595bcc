"""What the figures of the lessons are drawn with: one style, and a helper for each thing that is drawn often.

A lesson's `snippets/<slug>/figures.py` holds plain functions that return a matplotlib Figure. Those marked by
`@figure` are drawn; each parameter is a name that the lesson's page computes, or one of its programs.

A figure is drawn for the narrow screen, where it is shown in its own size, and grows on a wider one. Distances
are in pixels of that size. Text is always in INK or SOFT; the two colours differ in lightness, too, and what they
tell apart also differs in form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

INK, SOFT, RULE = "#1f262b", "#4f5960", "#a9aca6"  # text and marks, secondary text, thin lines
ONE, TWO = "#0b6661", "#c47a12"  # the two colours
PAPER = "#fbfaf6"  # the ground, for what has to stand out from a line below it

WIDTH = 340  # what a phone of 390 pixels leaves for the text
TEXT, SMALL = 13, 12
STRONGEST = 0.45  # of a cell's colour: the ink upon it stays readable in both schemes

STYLE: Any = {
    "font.size": TEXT,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.labelsize": SMALL,
    "axes.edgecolor": RULE,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "axes.autolimit_mode": "data",
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": SOFT,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "lines.solid_capstyle": "round",
    "patch.linewidth": 0,
    "figure.facecolor": "none",
    "svg.fonttype": "none",  # text stays text: it takes the page's font and can be read in a diff
    "svg.hashsalt": "attnref",
}


def figure(function: Callable[..., Figure]) -> Callable[..., Figure]:
    """Mark a function of a `figures.py` as one that draws a figure; nothing else about it changes."""
    return function


def sheet(height: float, width: float = WIDTH) -> Figure:
    """An empty figure of so many pixels."""
    return Figure(figsize=(width / 72, height / 72))


def panel(on: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes on a sheet, placed in pixels from its upper left corner."""
    whole_width, whole_height = on.get_size_inches() * 72
    box = (
        left / whole_width,
        1 - (top + height) / whole_height,
        width / whole_width,
        height / whole_height,
    )
    return on.add_axes(box)


def plane(axes: Axes, x: tuple[float, float], y: tuple[float, float], x_name: str, y_name: str) -> None:
    """Make axes a plane with equal units, whole numbers at its edges and lines through the origin."""
    axes.set_xlabel(x_name, labelpad=3)
    axes.set_ylabel(y_name, labelpad=3)
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    axes.set_aspect("equal", adjustable="box", anchor="NW")
    axes.set_xticks(np.arange(np.ceil(x[0]), np.floor(x[1]) + 1))
    axes.set_yticks(np.arange(np.ceil(y[0]), np.floor(y[1]) + 1))
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.axvline(0, color=RULE, linewidth=0.8, zorder=0)
    axes.tick_params(length=0, pad=4)
    axes.spines[:].set_visible(False)


def vector(axes: Axes, tip: ArrayLike, tail: ArrayLike = (0, 0), color: str = ONE, width: float = 2) -> None:
    """An arrow between two points of a plane."""
    head = 4 + 1.2 * width
    axes.annotate(
        "",
        tuple(np.asarray(tip, float)),
        tuple(np.asarray(tail, float)),
        arrowprops={
            "arrowstyle": f"-|>,head_length={0.1 * head},head_width={0.045 * head}",
            "mutation_scale": 10,
            "linewidth": width,
            "color": color,
            "shrinkA": 0,
            "shrinkB": 0,
            "joinstyle": "miter",
            "capstyle": "butt",
        },
    )


def label(
    axes: Axes, text: str, at: ArrayLike, dx: float = 0, dy: float = 0, across: str = "left", **style: Any
) -> None:
    """A text so many pixels right of and above a point; `across` says which of its ends stands there."""
    axes.annotate(
        text,
        tuple(np.asarray(at, float)),
        (dx, dy),
        textcoords="offset points",
        ha=across,
        va="center",
        **style,
    )


def quiet(axes: Axes, text: str, at: ArrayLike, dx: float = 0, dy: float = 0, across: str = "left") -> None:
    """A label that stands back, such as what a column means."""
    label(axes, text, at, dx, dy, across, color=SOFT, fontsize=SMALL)


def weight_bars(
    axes: Axes, weights: ArrayLike, words: Sequence[str], digits: int = 3, color: str = ONE
) -> None:
    """A bar for each word, as long as its weight, with the weight behind it. A whole axis is a weight of one."""
    weights = np.asarray(weights, float)
    rows = np.arange(len(words))
    axes.barh(rows, weights, height=0.62, color=color)
    for row, (word, weight) in enumerate(zip(words, weights, strict=True)):
        label(axes, word, (0, row), dx=-6, across="right")
        label(axes, f"{weight:.{digits}f}", (weight, row), dx=5)
    axes.set_xlim(0, 1)
    axes.set_ylim(len(words) - 0.5, -0.5)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.axvline(0, color=INK, linewidth=1)


def attention_map(weights: ArrayLike, asking: Sequence[str], asked: Sequence[str], digits: int = 2) -> Figure:
    """A cell for each pair: who asks on the left, who is asked above, the sum of each row on the right.

    The stronger the colour, the larger the weight; the number in the cell says it to so many digits.
    """
    weights = np.asarray(weights, float)  # (L_q, L_k)
    rows, columns = weights.shape
    if (len(asking), len(asked)) != (rows, columns):
        raise ValueError(
            f"weights has {rows} rows and {columns} columns, asking has {len(asking)} names and asked {len(asked)}: "
            "give one name for each row and one for each column"
        )
    letters = max(map(len, [*asked, "0." + "0" * digits]))
    cell, margin = 14 + 7.5 * letters, 22 + 7.5 * max(map(len, [*asking, "who asks"]))
    on = sheet(72 + 34 * rows, max(WIDTH, margin + cell * columns + 64))
    axes = panel(on, margin, 64, cell * columns, 34 * rows)
    for i, j in np.ndindex(rows, columns):
        shade = STRONGEST * weights[i, j]
        axes.add_patch(Rectangle((j, i), 1, 1, facecolor=(ONE, shade), edgecolor=RULE, linewidth=0.8))
        label(axes, f"{weights[i, j]:.{digits}f}", (j + 0.5, i + 0.5), across="center")
    for i, word in enumerate(asking):
        label(axes, word, (0, i + 0.5), dx=-10, across="right")
        total = f"{weights[i].sum():.{digits}f}"
        label(axes, total, (columns, i + 0.5), dx=34, across="center", color=SOFT)
    for j, word in enumerate(asked):
        label(axes, word, (j + 0.5, 0), dy=13, across="center")
    quiet(axes, "who asks", (0, 0), dx=-10, dy=13, across="right")
    quiet(axes, "who is asked", (columns / 2, 0), dy=38, across="center")
    quiet(axes, "row sum", (columns, 0), dx=34, dy=13, across="center")
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    axes.axis("off")
    return on
