"""The tasks of the level check, worked out."""

import numpy as np

import attnref

# By hand: a query, two keys, two values
query = np.array([[2, 1]])
keys = np.array([[1, 1], [0, 1]])
values = np.array([[10], [20]])
dot_products = (query @ keys.T)[0]
result = attnref.attention(query, keys, values)
scores, weights = result.scores[0], result.weights[0]
output = result.output[0]
powers = np.exp(scores)

# Roles: one row through a grid
x = np.array([3, 1])
grid = np.array([[1, 0], [2, 1]])

# The root
size_of_key = 256
spread = np.sqrt(size_of_key)

# A causal mask over three words whose scores are all alike
one = np.eye(3)
same = 0 * one
masked = attnref.attention(same, same, one, causal=True)
rows = masked.weights

# Heads
d_model, n_heads = 768, 12
per_head = d_model // n_heads

# Costs
n, d = 5, 3
projections, pairs = 4 * n * d * d, 2 * n * n * d

# A softmax that is subtracted first
large = np.array([1000, 999])
shares = attnref.softmax(large)

# Tiles: two keys each, the largest score so far and the total
tile = np.array([2, 4])
next_tile = np.array([5, 1])
first_total = np.exp(tile - tile.max()).sum()
shrink = np.exp(tile.max() - next_tile.max())
second_total = np.exp(next_tile - next_tile.max()).sum()
total = shrink * first_total + second_total
