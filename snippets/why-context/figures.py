"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

from matplotlib.figure import Figure

from sitekit.drawing import INK, ONE, SOFT, TWO, figure, label, panel, plane, quiet, sheet, vector

ROW = 26  # pixels from word to word


@figure
def two_ways(tired, it, left, shares) -> Figure:
    """What reaches one word: handed on from word to word, and heard from each word directly."""
    height = ROW * len(tired)
    on = sheet(height + 50)
    for start, name in ((0, "word after word"), (170, "everyone at once")):
        axes = panel(on, start, 40, 170, height)
        axes.set_xlim(0, 170)
        axes.set_ylim(height, 0)
        axes.axis("off")
        quiet(axes, name, (85, 0), dy=20, across="center")
        for row, word in enumerate(tired):
            weight = "bold" if row == it else "normal"
            label(axes, word, (66, ROW * (row + 0.5)), across="right", weight=weight)
        if start == 0:
            first = tired.index("animal")
            for row in range(first, it):
                wide = max(26 * left[row], 0.4)
                ends = [ROW * (row + 0.5), ROW * (row + 1.5)]
                axes.plot([84, 84], ends, color=ONE, linewidth=wide, solid_capstyle="butt")
            label(axes, "what is left", (104, ROW * (first + 1.5)), color=SOFT)
            label(axes, "of animal", (104, ROW * (first + 2.1)), color=SOFT)
        else:
            for row, share in enumerate(shares):
                ends = [ROW * (row + 0.5), ROW * (it + 0.5)]
                axes.plot([74, 140], ends, color=ONE, linewidth=26 * share, solid_capstyle="butt")
            axes.plot(140, ROW * (it + 0.5), "D", color=TWO, markeredgecolor=INK, markersize=9, zorder=4)
            label(axes, "it", (140, ROW * (it + 0.5)), dx=10, weight="bold")
    return on


@figure
def two_meanings(table, tired_it, wide_it) -> Figure:
    """The row of "it" in the table, and its new row in each sentence."""
    on = sheet(320)
    axes = panel(on, 38, 8, 296, 272)
    plane(axes, (-0.08, 1.12), (-0.08, 1.08), "living thing", "place")
    axes.plot([0, 1.05], [0, 1.05], color=SOFT, linewidth=1.2, linestyle=(0, (1, 3)), zorder=1)
    label(axes, "animal", table["animal"], dx=-8, dy=12, across="right")
    label(axes, "street", table["street"], dx=8, dy=12)
    for word in ("animal", "street"):
        vector(axes, table[word])
    start = table["it"]
    for name, tip, dx, dy in (("tired", tired_it, 46, -12), ("wide", wide_it, -16, 30)):
        vector(axes, tip, tail=start, color=TWO, width=3)
        label(axes, name, tip, dx=dx, dy=dy, across="center", weight="bold")
        label(axes, f"({tip[0]:.3f}, {tip[1]:.3f})", tip, dx=dx, dy=dy - 15, across="center")
    axes.plot(*start, "D", color=TWO, markeredgecolor=INK, markersize=9, zorder=4)
    label(axes, f"it ({start[0]:.1f}, {start[1]:.1f})", start, dx=12, dy=-2, weight="bold")
    return on
