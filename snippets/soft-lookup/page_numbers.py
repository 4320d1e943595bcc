"""Prices with a line, two more scenes, and NumPy's age."""

import tomllib
from pathlib import Path

import numpy as np

import attnref

price_levels = np.linspace(3.25, 4.75, 7)

# What "it" asks four words of its sentence, and "bank" all words.
it_query = np.array([2, 1])
it_keys = np.array([[2, 1], [0, 1], [1, -1], [1, 1]])
it_values = np.array([[4, 0], [2, 2], [0, 4], [1, 1]])
it_weights = attnref.softmax(it_keys @ it_query)
it_divided = attnref.softmax(it_keys @ it_query / np.sqrt(2))

far = [-0.8, -0.8]
bank_query = np.array([1, 1])
i_key, sat_key, bank_key = [-1.6, 0], [-0.3, 1], [0.5, -0.5]
bank_keys = np.array(
    [i_key, sat_key, far, far, bank_key, far, far, [1, 0.8]],
)
none, sat_value, bank_value = [0, 0], [0.5, 0], [0.5, 0.5]
bank_values = np.array(
    [none, sat_value, none, none, bank_value, none, none, [1, 0]],
)
bank_weights = attnref.softmax(bank_keys @ bank_query)

root = Path(attnref.__file__).parents[1]
with (root / "pyproject.toml").open("rb") as file:
    project = tomllib.load(file)["project"]
oldest_numpy = project["dependencies"][0].removeprefix("numpy>=")
