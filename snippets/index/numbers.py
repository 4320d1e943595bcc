"""The oldest Python that attnref runs on, as pyproject.toml has it."""

import tomllib
from pathlib import Path

import attnref

root = Path(attnref.__file__).parents[1]
with (root / "pyproject.toml").open("rb") as file:
    project = tomllib.load(file)["project"]
oldest_python = project["requires-python"].removeprefix(">=")
