"""The marks at which the text counts draws, and a table."""

import numpy as np

import attnref

certain = 0.9  # of the weight: all but everything
little = 0.01  # of a slope
quarters = [0.25, 0.75]  # of the draws
batch = 100  # draws in a small experiment

live_draws = 2_000
live_table = []
for live_size in (1, 4, 16, 64, 256):
    live_rng = np.random.default_rng(0)
    drawn = live_rng.standard_normal((live_draws, 9, live_size))
    asked, queries = drawn[:, 1:], drawn[:, :1]
    dots = asked @ queries.swapaxes(1, 2)  # (2000, 8, 1)
    both = [dots, dots / np.sqrt(live_size)]
    shares = [attnref.softmax(found, axis=-2) for found in both]
    slopes = [found * (1 - found) for found in shares]
    live_table.append(
        [
            live_size,
            *(found.std() for found in both),
            *(found.max(axis=-2).mean() for found in shares),
            *(found.max(axis=-2).mean() for found in slopes),
        ]
    )
