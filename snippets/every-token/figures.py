"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sitekit.drawing import ONE, RULE, SOFT, TWO, attention_map, figure, label, panel, quiet, sheet, vector


@figure
def plain_map(plain_weights, words) -> Figure:
    """Who listens to whom, not scaled."""
    return attention_map(plain_weights, words, words)


@figure
def scaled_map(weights, words) -> Figure:
    """Who listens to whom, scaled."""
    return attention_map(weights, words, words)


@figure
def two_ask(two, words) -> Figure:
    """The two last words ask all three."""
    return attention_map(two[1], words[1:], words)


@figure
def shuffled_map(shuffled, shuffled_words) -> Figure:
    """Who listens to whom in another order."""
    return attention_map(shuffled[1], shuffled_words, shuffled_words)


@figure
def one_row(words, Q, K, V, weights, output) -> Figure:
    """The cells that the row of one word is computed from, and those that it fills."""
    on = sheet(264)
    axes = panel(on, 0, 0, 340, 264)
    axes.set_xlim(0, 340)
    axes.set_ylim(264, 0)
    axes.axis("off")
    cell, chosen = 24, words.index("sat")
    for name, array, left, top, marked, color in (
        ("queries", Q, 42, 30, [chosen], TWO),
        ("keys", K, 142, 30, range(len(words)), ONE),
        ("weights", weights, 238, 30, [chosen], TWO),
        ("values", V, 142, 164, range(len(words)), ONE),
        ("output", output, 250, 164, [chosen], TWO),
    ):
        rows, columns = array.shape
        quiet(axes, name, (left + cell * columns / 2, top - 14), across="center")
        for row in range(rows):
            for column in range(columns):
                shade = (color, 0.45) if row in marked else "none"
                corner = (left + cell * column, top + cell * row)
                axes.add_patch(Rectangle(corner, cell, cell, facecolor=shade, edgecolor=RULE, linewidth=0.8))
            if name != "weights" and name != "output":
                style = "bold" if row == chosen else "normal"
                middle = (left - 8, top + cell * (row + 0.5))
                label(axes, words[row], middle, across="right", weight=style)
    vector(axes, (230, 66), tail=(198, 66), color=SOFT, width=1.5)
    vector(axes, (242, 200), tail=(198, 200), color=SOFT, width=1.5)
    vector(axes, (274, 138), tail=(274, 108), color=SOFT, width=1.5)
    return on
