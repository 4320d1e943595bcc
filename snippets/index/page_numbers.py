"""The oldest Python and NumPy that attnref runs on."""

import tomllib
from pathlib import Path

import attnref

root = Path(attnref.__file__).parents[1]
with (root / "pyproject.toml").open("rb") as file:
    project = tomllib.load(file)["project"]
oldest_numpy = project["dependencies"][0].removeprefix("numpy>=")
oldest_python = project["requires-python"].removeprefix(">=")
