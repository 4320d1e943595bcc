"""Split the heads: cut the columns first, then exchange two axes."""

import numpy as np


def split_heads(X, n_heads):
    *before, L, columns = X.shape
    cut = X.reshape(*before, L, n_heads, columns // n_heads)
    return cut.swapaxes(-3, -2)


def join_heads(X):
    *before, n_heads, L, d = X.shape
    return X.swapaxes(-3, -2).reshape(*before, L, n_heads * d)


def softmax(scores):
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - largest)
    return powers / powers.sum(axis=-1, keepdims=True)


def multihead(X, W_Q, W_K, W_V, W_O, n_heads):
    Q = split_heads(X @ W_Q, n_heads)
    K = split_heads(X @ W_K, n_heads)
    V = split_heads(X @ W_V, n_heads)
    scores = Q @ K.mT / np.sqrt(Q.shape[-1])
    return join_heads(softmax(scores) @ V) @ W_O
