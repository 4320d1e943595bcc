"""What the questions ask for, and what each slip would give."""

import numpy as np

import attnref

# Three prices
prices = np.array([3, 5, 4])
equal = attnref.softmax(np.zeros(prices.size))
mean_price = equal @ prices

# Tokens and pairs
tokens = 6
one_each = np.eye(tokens)
pairs = attnref.attention(one_each, one_each, one_each).weights
written, read = 4, 3

# One score, one weight
query, key = np.array([2, 1]), np.array([1, 1])
dot_product = query @ key
score = dot_product / np.sqrt(key.size)
example = np.array([1, 0, -1])
share = attnref.softmax(example)[0]
close = 0.01

# The root
d_model, n_heads = 512, 8
d_k = d_model // n_heads
right_root = np.sqrt(d_k)
root_of_all = np.sqrt(d_model)
root_of_heads = np.sqrt(n_heads)

# Masks
n = 10
lower = attnref.causal_mask(n, n)
hidden = (~lower).sum()
cut = lower / n  # equal weights, cut off after the softmax
lost = 1 - cut.sum() / n

# Values
words = np.array([[1, 0], [0, 1], [0.6, 0.8]])
own = attnref.softmax(words @ words.T)
