"""What the cards ask to be computed."""

import numpy as np

import attnref

# Arrows and shares
arrow, other = np.array([2, 1]), np.array([4, 2])
e = np.exp(1.0)
prices = np.array([3, 5, 4])
mean_price = attnref.softmax(np.zeros(prices.size)) @ prices

# One word
it = np.array([0.6, 0.8])
grid = np.array([[0, 2], [2, 0]])
query = np.array([2, 1])
keys = np.array([[2, 1], [0, 1], [1, -1], [1, 1]])
d_k = query.size
dot_products = keys @ query
scores = dot_products / np.sqrt(d_k)
powers = np.exp(scores)
weights = powers / powers.sum()
sure = 0.98

# Many words
tokens = 6
one_each = np.eye(tokens)
pairs = attnref.attention(one_each, one_each, one_each).weights
lengths = (4, 10)


def hidden(n):
    return (~attnref.causal_mask(n, n)).sum()


def work(n, d):
    """Multiplications for projections, and for all the pairs."""
    return 4 * n * d * d, 2 * n * n * d


# A layer, with the sizes of the base transformer
d_model, n_heads = 512, 8
width = d_model // n_heads
token = np.array([1.0, 3.0, 5.0, 7.0])
normed = attnref.layer_norm(token)
