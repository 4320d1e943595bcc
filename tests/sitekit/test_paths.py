"""The paths of figures in fewer letters: an independent reader finds the same points in them."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from sitekit import paths

ROOT = Path(__file__).parents[2]
FIGURES = sorted((ROOT / "docs/assets/figures").glob("*/*.svg"))


def points(path: str) -> list[tuple[Decimal, Decimal]]:
    """Every point that a path names, control points and ends, each where it lies; a closing returns to its start."""
    found, here, start = [], (Decimal(0), Decimal(0)), (Decimal(0), Decimal(0))
    for letter, rest in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", path):
        numbers = [Decimal(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]
        near = letter.islower() and letter != "z"
        x, y = here if near else (Decimal(0), Decimal(0))
        if letter in "zZ":
            found.append(start)
        elif letter in "hH":
            found.append((x + numbers[0], here[1]))
        elif letter in "vV":
            found.append((here[0], y + numbers[0]))
        else:
            assert len(numbers) == {"m": 2, "l": 2, "q": 4, "c": 6}[letter.lower()]
            found += [(x + a, y + b) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
        here = found[-1]
        start = here if letter in "mM" else start
    return found


@pytest.mark.parametrize("figure", FIGURES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_shorter_paths_have_the_same_points(figure):
    for path in re.findall(r' d="([^"]*)"', figure.read_text(encoding="utf-8")):
        assert points(paths.shorter(path)) == points(path)


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("M 10 20 L 30 20 L 30 40.5 L 10 40.5 z", "M10 20H30V40.5H10z"),
        ("M 100 200 L 101 202", "M100 200l1 2"),
        ("M 100 200 L 99.5 199.25", "M100 200l-.5-.75"),
        ("M 5 5 L 6 7 z M 100.25 5 L 5 5", "M5 5L6 7zm95.25 0H5"),
        ("M 0 0 Q 0.5 -0.5 1 0 C 1 2 3 4 5 6", "M0 0Q.5-.5 1 0C1 2 3 4 5 6"),
        ("M 7 7 L 7 7", "M7 7L7 7"),
    ],
)
def test_path_in_fewer_letters(path, short):
    assert paths.shorter(path) == short


@pytest.mark.parametrize("path", ["M 1 2 L 3", "A 1 1 0 0 1 2 2", "M 1 2 3 4"])
def test_path_that_figures_do_not_have_is_refused(path):
    with pytest.raises(ValueError, match="a path has the command"):
        paths.shorter(path)
