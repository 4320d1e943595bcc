"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from sitekit.drawing import (
    INK,
    ONE,
    RULE,
    SMALL,
    SOFT,
    STRONGEST,
    WIDTH,
    figure,
    label,
    panel,
    quiet,
    sheet,
    weight_bars,
)

CELL, MARGIN, TOP = 24, 66, 74
SHADES = np.linspace(
    0.25, 1, 4
)  # a small map has no room for numbers: a weight is shown by the nearest of these


def upright(axes: Axes, text: str, at: tuple[float, float]) -> None:
    """A label that is read from below, for a narrow column."""
    axes.annotate(
        text, at, (0, 6), textcoords="offset points", ha="center", va="bottom", rotation=90, fontsize=SMALL
    )


def word_map(weights, words, least) -> Figure:
    """A map with narrow columns; what is not below so many percent is printed, in whole percent."""
    n = len(words)
    on = sheet(TOP + CELL * n + 4)
    axes = panel(on, MARGIN, TOP, CELL * n, CELL * n)
    for (i, j), weight in np.ndenumerate(np.asarray(weights)):
        shade = (ONE, STRONGEST * weight)
        axes.add_patch(Rectangle((j, i), 1, 1, facecolor=shade, edgecolor=RULE, linewidth=0.8))
        if 100 * weight >= least:
            label(axes, f"{100 * weight:.0f}", (j + 0.5, i + 0.5), across="center", fontsize=SMALL)
    for i, word in enumerate(words):
        label(axes, word, (0, i + 0.5), dx=-8, across="right", fontsize=SMALL)
        upright(axes, word, (i + 0.5, 0))
    quiet(axes, "who asks", (0, 0), dx=-8, dy=9, across="right")
    quiet(axes, "who is asked", (n / 2, 0), dy=62, across="center")
    axes.set_xlim(0, n)
    axes.set_ylim(n, 0)
    axes.axis("off")
    return on


@figure
def previous(river_words, previous_map, least_shown) -> Figure:
    """The head that looks one word back."""
    return word_map(previous_map, river_words, least_shown)


@figure
def marks(river_words, marks_map, least_shown) -> Figure:
    """The head that looks at the marks."""
    return word_map(marks_map, river_words, least_shown)


@figure
def promising(river_words, money_words, promising_rows) -> Figure:
    """The row of the word bank in one head, in both sentences."""
    on = sheet(292)
    for column, (words, row) in enumerate(zip((river_words, money_words), promising_rows, strict=True)):
        axes = panel(on, 56 + 176 * column, 34, 76, 22 * len(words))
        weight_bars(axes, row, words, digits=2)
        quiet(axes, "in the first sentence" if column == 0 else "in the second", (0, -0.5), dy=14)
    return on


def shaded(axes: Axes, maps) -> None:
    """Small maps in rows and columns, one path for each shade and one box for equal cells below each other."""
    rows, columns, n, _ = maps.shape
    steps = np.rint(maps * len(SHADES)).astype(int)
    boxes: dict[int, list[Path]] = {step: [] for step in range(len(SHADES) + 1)}
    for row, column, j in np.ndindex(rows, columns, n):
        x, top = column * (n + 3) + j, row * (n + 3)
        begins = np.flatnonzero(np.diff(steps[row, column, :, j], prepend=-1))
        for begin, end in zip(begins, [*begins[1:], n], strict=True):
            corners = [(x, top + begin), (x + 1, top + begin), (x + 1, top + end), (x, top + end), (0, 0)]
            boxes[steps[row, column, begin, j]].append(Path(corners, closed=True))
    for step, shade in enumerate(SHADES, start=1):
        path = Path.make_compound_path(*boxes[step])
        axes.add_patch(PathPatch(path, facecolor=(ONE, shade), linewidth=0))
    for row, column in np.ndindex(rows, columns):
        corner = (column * (n + 3) - 0.5, row * (n + 3) - 0.5)
        axes.add_patch(Rectangle(corner, n + 1, n + 1, facecolor="none", edgecolor=RULE, linewidth=0.6))


@figure
def all_heads(all_maps, best) -> Figure:
    """Every head of the first network as a small map, the chosen ones in a frame."""
    maps = np.asarray(all_maps)  # (layers, heads, n, n)
    layers, heads, n, _ = maps.shape
    cell = (WIDTH - 42) / heads
    on = sheet(26 + cell * layers + 20)
    axes = panel(on, 38, 26, cell * heads, cell * layers)
    shaded(axes, maps)
    for layer, head in best.values():
        corner = ((head - 1) * (n + 3) - 1, (layer - 1) * (n + 3) - 1)
        axes.add_patch(Rectangle(corner, n + 2, n + 2, facecolor="none", edgecolor=INK, linewidth=2))
    for head in range(heads):
        label(
            axes,
            f"{head + 1}",
            (head * (n + 3) + n / 2, 0),
            dy=12,
            across="center",
            color=SOFT,
            fontsize=SMALL,
        )
    for layer in range(layers):
        label(
            axes,
            f"{layer + 1}",
            (0, layer * (n + 3) + n / 2),
            dx=-8,
            across="right",
            color=SOFT,
            fontsize=SMALL,
        )
    below = layers * (n + 3) - 3
    label(axes, "head", (0, 0), dx=-4, dy=12, across="right", color=SOFT, fontsize=SMALL)
    label(axes, "layer", (0, below), dx=0, dy=-12, across="right", color=SOFT, fontsize=SMALL)
    axes.set_xlim(-1.5, heads * (n + 3) - 1.5)
    axes.set_ylim(layers * (n + 3) - 1.5, -1.5)
    axes.axis("off")
    return on
