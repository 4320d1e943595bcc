"""The prices with a line on the map, and the NumPy needed."""

import tomllib
from pathlib import Path

import numpy as np

import attnref

price_levels = np.linspace(3.25, 4.75, 7)
root = Path(attnref.__file__).parents[1]
with (root / "pyproject.toml").open("rb") as file:
    project = tomllib.load(file)["project"]
oldest_numpy = project["dependencies"][0].removeprefix("numpy>=")
