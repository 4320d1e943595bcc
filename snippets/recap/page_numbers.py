"""The numbers on the sheet."""

import numpy as np

import attnref

query = np.array([2, 1])
keys = np.array([[2, 1], [0, 1], [1, -1], [1, 1]])
values = np.array([[4, 0], [2, 2], [0, 4], [1, 1]])
result = attnref.attention(query[None], keys, values)
scores, weights = result.scores[0], result.weights[0]
output = result.output[0]
powers = np.exp(scores)

d_model, n_heads = 512, 8
d_k = d_model // n_heads
lengths = [10]


def hidden(n):
    return (~attnref.causal_mask(n, n)).sum()


def work(n, d):
    """Multiplications for projections, and for all the pairs."""
    return 4 * n * d * d, 2 * n * n * d


# Two texts, so that no axis can be mistaken for another
two = np.stack([keys, values])
past = attnref.causal_mask(len(keys), len(keys))
free = attnref.attention(two, two, two)
masked = attnref.attention(two, two, two, mask=past)
