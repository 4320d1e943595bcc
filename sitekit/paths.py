"""The `d` of an SVG path in fewer letters: the same points, exact to the last printed digit."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise

_TOKEN = re.compile(r"[A-Za-z]|-?\d*\.?\d+(?:e-?\d+)?")
_NUMBERS = {"M": 2, "L": 2, "Q": 4, "C": 6, "z": 0}  # the commands that a figure's file has, all absolute


def shorter(path: str) -> str:
    """Each command absolute or relative, whichever is shorter, and a line along an axis by one number."""
    here = start = (Decimal(0), Decimal(0))
    text = ""
    for command, numbers in commands(path):
        if command == "z":
            text, here = f"{text}z", start
            continue
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        x, y = points[-1]
        if command == "L" and (x == here[0]) != (y == here[1]):
            axis = 0 if y == here[1] else 1
            far, near = (
                "HV"[axis] + _said(points[-1][axis]),
                "hv"[axis] + _said(points[-1][axis] - here[axis]),
            )
        else:
            far = command + _joined([number for point in points for number in point])
            near = command.lower() + _joined(
                [number - origin for point in points for number, origin in zip(point, here, strict=True)]
            )
        text += min(far, near, key=len)
        here = (x, y)
        start = here if command == "M" else start
    return text


def commands(path: str) -> list[tuple[str, list[Decimal]]]:
    """The commands of a path that is written with one letter for each, absolute."""
    found: list[tuple[str, list[Decimal]]] = []
    for token in _TOKEN.findall(path):
        if token.isalpha():
            found.append((token, []))
        else:
            found[-1][1].append(Decimal(token))
    for command, numbers in found:
        if _NUMBERS.get(command) != len(numbers):
            raise ValueError(f"a path has the command {command!r} with {len(numbers)} numbers: {path[:60]!r}")
    return found


def _said(number: Decimal) -> str:
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return re.sub(r"^(-?)0\.", r"\1.", text) if text not in ("-0", "") else "0"


def _joined(numbers: list[Decimal]) -> str:
    """Numbers in a row; a sign parts two of them as well as a blank."""
    said = [_said(number) for number in numbers]
    return said[0] + "".join(b if b.startswith("-") else f" {b}" for _, b in pairwise(said))
