"""What a state keeps, a factor with growth, a later answer."""

import numpy as np

import attnref

kept, grown = 0.9, 1.1

# The weights of "it" in the lesson on the four steps.
later = attnref.softmax(np.array([5, 1, 1, 3]) / np.sqrt(2))
