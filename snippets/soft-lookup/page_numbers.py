"""The prices with a line on the map, two more scenes to play with, and the NumPy needed."""

import tomllib
from pathlib import Path

import numpy as np

import attnref

price_levels = np.linspace(3.25, 4.75, 7)

# What "it" asks four words of its sentence, and "bank" its whole sentence.
it_query = np.array([2, 1])
it_keys = np.array([[2, 1], [0, 1], [1, -1], [1, 1]])
it_values = np.array([[4, 0], [2, 2], [0, 4], [1, 1]])
it_weights = attnref.attention(it_query[np.newaxis], it_keys, it_values, scale=1).weights[0]

far = [-0.8, -0.8]
bank_query = np.array([1, 1])
bank_keys = np.array([[-1.6, 0], [-0.3, 1], far, far, [0.5, -0.5], far, far, [1, 0.8]])
bank_values = np.array([[0, 0], [0.5, 0], [0, 0], [0, 0], [0.5, 0.5], [0, 0], [0, 0], [1, 0]])
bank_weights = attnref.attention(bank_query[np.newaxis], bank_keys, bank_values, scale=1).weights[0]

root = Path(attnref.__file__).parents[1]
with (root / "pyproject.toml").open("rb") as file:
    project = tomllib.load(file)["project"]
oldest_numpy = project["dependencies"][0].removeprefix("numpy>=")
