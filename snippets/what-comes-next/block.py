"""A transformer block: several heads, then a network."""

import numpy as np

rng = np.random.default_rng(0)
d_model, n_heads, d_hidden = 6, 3, 24
root, d_k = np.sqrt(d_model), d_model // n_heads
squares = rng.standard_normal((4, d_model, d_model)) / root
W_Q, W_K, W_V, W_O = squares
W_in = rng.standard_normal((d_model, d_hidden)) / root
W_out = rng.standard_normal((d_hidden, d_model)) / np.sqrt(d_hidden)


def split(X):
    return X.reshape(len(X), n_heads, d_k).swapaxes(0, 1)


def heads(X):
    Q, K, V = (split(X @ W) for W in (W_Q, W_K, W_V))
    scores = Q @ K.mT / np.sqrt(d_k)
    past = np.tri(len(X), dtype=bool)
    scores = np.where(past, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return (weights @ V).swapaxes(0, 1).reshape(X.shape) @ W_O


def network(X):
    return np.maximum(X @ W_in, 0) @ W_out


def norm(X):
    rows = []
    for token in X:
        centred = token - token.mean()
        rows.append(centred / np.sqrt(np.mean(centred**2) + 1e-5))
    return np.array(rows)


def block(X):
    Y = norm(X + heads(X))
    return norm(Y + network(Y))


X = rng.standard_normal((4, d_model))  # (4, 6)
output = block(X)  # (4, 6)
print(output.round(3))
