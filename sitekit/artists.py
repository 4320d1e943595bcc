"""What a figure draws, as text: its data, labels and looks, which another version of matplotlib draws alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib import collections, colors, image, lines, patches, spines, text
from matplotlib.figure import Figure


def drawn(figure: Figure) -> list[str]:
    """The figure's data, texts and looks, one artist a line; where matplotlib puts a label is left out."""
    figure.draw_without_rendering()  # the labels of the axes come to be only now
    lines = [f"sheet {_rounded(figure.get_size_inches())}"]
    for axes in figure.axes:
        limits = (*axes.get_xlim(), *axes.get_ylim())
        lines.append(f"axes {_rounded(axes.get_position(original=True).bounds)} {_rounded(limits)}")
        ticks = [tick for axis in (axes.xaxis, axes.yaxis) for tick in axis.get_ticklabels()]
        lines += [f"tick {tick.get_text()}" for tick in ticks if tick.get_visible() and axes.axison]
        lines += [
            f"title {text}" for text in (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) if text
        ]
        lines += [line for artist in axes.get_children() for line in _artist(artist, axes)]
    return lines


def _artist(artist: Any, axes: Any) -> Iterator[str]:
    def look(*paints: Any) -> str:
        shown = [colors.to_hex(paint, keep_alpha=True) if len(paint) else "" for paint in paints]
        return f"{' '.join(shown)} {artist.get_alpha()} {artist.get_visible()}"

    if artist is axes.patch or isinstance(artist, spines.Spine) or not artist.get_visible():
        return
    if isinstance(artist, lines.Line2D):
        form = (artist.get_linestyle(), artist.get_marker(), artist.get_markersize(), artist.get_linewidth())
        color = colors.to_rgba(artist.get_color())
        yield f"line {_rounded(artist.get_xydata())} {form} {look(color)}"
    elif isinstance(artist, text.Annotation):
        arrow = {key: str(value) for key, value in (artist.arrowprops or {}).items()}
        yield f"text {artist.get_text()!r} {_rounded(artist.xy)} {_rounded(artist.xyann)} {arrow} {_font(artist)}"
    elif isinstance(artist, text.Text):
        if artist.get_text() and artist not in (axes.title, axes._left_title, axes._right_title):
            yield f"text {artist.get_text()!r} {_rounded(artist.get_position())} {_font(artist)}"
    elif isinstance(artist, patches.Patch):
        path = artist.get_patch_transform().transform_path(artist.get_path())
        yield f"patch {_rounded(path.vertices)} {look(artist.get_facecolor(), artist.get_edgecolor())}"
    elif isinstance(artist, image.AxesImage):
        yield f"image {_rounded(artist.get_array())} {_rounded(artist.get_extent())}"
    elif isinstance(artist, collections.Collection):
        paths = [_rounded(path.vertices) for path in artist.get_paths()]
        values = artist.get_array()
        yield f"collection {paths} {_rounded(artist.get_offsets())} {'' if values is None else _rounded(values)}"
    elif artist not in (axes.xaxis, axes.yaxis):
        raise TypeError(f"a {type(artist).__name__} cannot be compared: draw it by lines, patches and texts")


def _font(artist: Any) -> str:
    return f"{artist.get_fontsize():.4g} {artist.get_fontweight()} {artist.get_color()} {artist.get_ha()}"


def _rounded(values: Any) -> str:
    """Numbers to six digits, so that the last bits of another machine's sums change nothing."""
    flat = np.ravel(np.asarray(values, float))
    return " ".join(f"{0.0 if abs(value) < 1e-9 else value:.6g}" for value in flat)
