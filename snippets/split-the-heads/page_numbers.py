"""What the page says of its programs: asked once for each, and
tried."""

from functools import cache

import numpy as np

import attnref

check = cache(attnref.check)
one_text = np.eye(5, 6)
