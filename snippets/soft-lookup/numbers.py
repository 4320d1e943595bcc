"""The prices at which the map of answers has a line."""

import numpy as np

price_levels = np.linspace(3.25, 4.75, 7)
