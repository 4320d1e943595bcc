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
    TWO,
    attention_map,
    figure,
    label,
    panel,
    quiet,
    sheet,
    weight_bars,
)

FILLS = [(ONE, 0.4), (TWO, 0.4), (SOFT, 0.2)]  # of the first, the second and the third head
LETTERS = "bpt"  # before, partner, topic


def grid(axes: Axes, numbers, owners, left: float = 0, top: float = 0, digits: int = 0, letters=True) -> None:
    """A cell for each number, in the colour of its head and, if there is room, with the head's letter."""
    for (row, column), owner in np.ndenumerate(owners):
        x, y = left + column, top + row
        fill = FILLS[owner] if owner >= 0 else "none"
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=fill, edgecolor=RULE, linewidth=0.8))
        text = f"{numbers[row, column]:.{digits}f}".replace("-", "−")
        label(axes, text, (x + 0.5, y + 0.5), across="center")
        if letters:
            label(axes, LETTERS[owner], (x, y), dx=5, dy=-6, across="center", color=SOFT, fontsize=9)


def paper(axes: Axes, width: float, height: float) -> None:
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")


@figure
def one_word(words, names, maps) -> Figure:
    """The weights of the second word, in each head."""
    on = sheet(150)
    for column, (name, weights) in enumerate(zip(names, maps, strict=True)):
        axes = panel(on, 44 + 100 * column, 30, 64, 112)
        weight_bars(axes, weights[1], words if column == 0 else [""] * len(words), digits=2)
        quiet(axes, name, (0, -0.5), dy=12)
    return on


@figure
def partner_map(words, maps) -> Figure:
    """The map of the second head."""
    return attention_map(maps[1], words, words)


@figure
def cut(labelled, cut_right, cut_wrong) -> Figure:
    """Which head gets which number: cut token by token, and by a reshape alone."""
    on = sheet(330)
    for top, name, heads in ((0, "cut each token", cut_right), (166, "reshape alone", cut_wrong)):
        axes = panel(on, 60, top + 26, 264, 132)
        owners = np.empty(labelled.shape, dtype=int)
        for head, numbers in enumerate(heads):
            owners[np.isin(labelled, numbers)] = head
        grid(axes, labelled, owners)
        quiet(axes, name, (0, 0), dy=12)
        for row in range(len(labelled)):
            quiet(axes, "token", (0, row + 0.5), dx=-10, across="right")
        paper(axes, 6, 4)
    return on


@figure
def mixing(joined, W_O, parts, output, names) -> Figure:
    """The joined numbers of the second word beside the rows of the last matrix, and what each head adds."""
    on = sheet(400)
    axes = panel(on, 0, 0, 340, 400)
    paper(axes, 340 / 36, 400 / 30)
    left, top = 3.2, 1
    owners = np.repeat(np.arange(len(parts)), 2)[:, None]  # two rows for each head
    grid(axes, joined[1][:, None], owners, left=1.4, top=top, digits=2, letters=False)
    grid(axes, W_O, np.broadcast_to(owners, W_O.shape), left=left, top=top, letters=False)
    quiet(axes, "joined", (1.9, top), dy=12, across="center")
    quiet(axes, "times its row of the matrix", (left, top), dy=12)
    below = top + len(W_O) + 1
    for head, part in enumerate(parts):
        quiet(axes, names[head], (1.4, top + 2 * head + 1), dx=-6, across="right")
        heads = np.full((1, part.shape[1]), head)
        grid(axes, part[1][None], heads, left=left, top=below + head, digits=2, letters=False)
        quiet(axes, f"from {names[head]}", (left, below + head + 0.5), dx=-8, across="right")
    last = below + len(parts) + 0.4
    nobody = np.full((1, output.shape[1]), -1)
    grid(axes, output[1][None], nobody, left=left, top=last, digits=2, letters=False)
    label(axes, "output", (left, last + 0.5), dx=-8, across="right", color=INK)
    return on
