"""The figures of the lesson. Each parameter is a name that the lesson's page computes."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from sitekit.drawing import INK, ONE, RULE, SOFT, TWO, figure, label, panel, quiet, sheet


def doubling(axes: Axes, tokens, heights) -> None:
    """Make both scales such that equal steps are equal factors, with marks at the numbers given."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(list(tokens)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(FixedLocator(list(heights)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([f"{n}" for n in tokens])
    axes.set_yticklabels([f"{height:,}" for height in heights])
    axes.tick_params(length=0, pad=4)
    axes.spines[:].set_visible(False)
    axes.grid(color=RULE, linewidth=0.4)


@figure
def meeting(d, meeting) -> Figure:
    """Multiplications of the two parts over the number of tokens, and where they meet."""
    on = sheet(290)
    axes = panel(on, 56, 24, 274, 216)
    tokens = meeting * 4.0 ** np.arange(-2, 3)
    at_once, in_pairs = 4 * tokens * d * d / 1e6, 2 * tokens * tokens * d / 1e6
    axes.plot(tokens, at_once, color=TWO, linewidth=2, linestyle=(0, (4, 2)))
    axes.plot(tokens, in_pairs, color=ONE, linewidth=2)
    at = 4 * meeting * d * d / 1e6
    axes.plot(meeting, at, "D", color=TWO, markeredgecolor=INK, markersize=9, zorder=3)
    doubling(axes, [int(n) for n in tokens], [round(at * 4.0**k) for k in range(-4, 5, 2)])
    label(axes, f"{meeting} tokens", (meeting, at), dx=-10, dy=14, across="right", weight="bold")
    label(axes, "pairs", (tokens[-1], in_pairs[-1]), dx=-42, dy=-6, across="right")
    label(axes, "projections", (tokens[-1], at_once[-1]), dx=0, dy=-34, across="right")
    axes.set_xlabel("tokens", labelpad=3)
    quiet(axes, "multiplications, in millions", (tokens[0], axes.get_ylim()[1]), dx=-44, dy=12)
    return on


@figure
def measured(lengths, milliseconds, megabytes) -> Figure:
    """Time and memory of the three parts, as recorded."""
    on = sheet(482)
    names = {"projections": "projections", "all_at_once": "all at once", "in_tiles": "in tiles"}
    marks = {"projections": (SOFT, "s", ":"), "all_at_once": (ONE, "o", "-"), "in_tiles": (TWO, "D", "--")}
    for top, title, found, shifts in (
        (24, "time, in milliseconds", milliseconds, {"all_at_once": -9, "in_tiles": 9}),
        (264, "memory, in megabytes", megabytes, {"projections": -9, "in_tiles": 8}),
    ):
        axes = panel(on, 50, top, 214, 176)
        every = [amount for amounts in found.values() for amount in amounts]
        first = 4.0 ** np.floor(np.log(min(every)) / np.log(4))
        heights = [int(first * 4**k) for k in range(8) if first * 4 ** (k - 1) < max(every)]
        for name, amounts in found.items():
            color, mark, line = marks[name]
            axes.plot(lengths, amounts, mark, color=color, linestyle=line, linewidth=1.8, markersize=6)
            label(axes, names[name], (lengths[-1], amounts[-1]), dx=9, dy=shifts.get(name, 0))
        doubling(axes, lengths, heights)
        axes.set_ylim(heights[0] * 0.8, 1.1 * heights[-1])
        quiet(axes, title, (lengths[0], heights[-1]), dx=-40, dy=12)
        axes.set_xlabel("tokens", labelpad=3)
    return on


@figure
def longer(long_tokens, milliseconds_of, mebibytes) -> Figure:
    """Time and memory of one head up to long texts, as recorded."""
    on = sheet(482)
    marks = {"textbook": (ONE, "o", "-", "all at once"), "blockwise": (TWO, "D", "--", "in tiles")}
    for top, title, found in (
        (24, "time, in milliseconds", milliseconds_of),
        (264, "memory, in MiB", mebibytes),
    ):
        axes = panel(on, 50, top, 224, 176)
        every = np.log10([amount for amounts in found.values() for amount in amounts])
        heights = [int(10**power) for power in np.arange(np.floor(every.min()), np.ceil(every.max()) + 1)]
        for name, amounts in found.items():
            color, mark, line, words = marks[name]
            at = long_tokens[: len(amounts)]
            axes.plot(at, amounts, mark, color=color, linestyle=line, linewidth=1.8, markersize=6)
            ends = at[-1] == long_tokens[-1]
            label(
                axes, words, (at[-1], amounts[-1]), dx=9 if ends else -9, across="left" if ends else "right"
            )
        doubling(axes, long_tokens[::2], heights)
        axes.set_ylim(heights[0] * 0.8, 1.1 * heights[-1])
        quiet(axes, title, (long_tokens[0], heights[-1]), dx=-40, dy=12)
        axes.set_xlabel("tokens", labelpad=3)
    return on


@figure
def patterns(patterns, seen) -> Figure:
    """Which pairs each pattern keeps, and how many."""
    on = sheet(376)
    for place, ((name, mask), amount) in enumerate(zip(patterns.items(), seen, strict=True)):
        axes = panel(on, 14 + 166 * (place % 2), 34 + 186 * (place // 2), 146, 146)
        size = len(mask)
        for row, allowed in enumerate(mask):
            edges = np.flatnonzero(np.diff(np.concatenate([[False], allowed, [False]]).astype(int)))
            runs = [(start, end - start) for start, end in zip(edges[::2], edges[1::2], strict=True)]
            axes.broken_barh(runs, (row + 0.06, 0.88), color=ONE)
        axes.set_xlim(0, size)
        axes.set_ylim(size, 0)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(True)
        axes.spines[:].set_color(RULE)
        label(axes, name, (0, 0), dy=12)
        quiet(axes, f"{amount}", (size, 0), dy=12, across="right")
    return on
