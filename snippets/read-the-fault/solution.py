"""The same attention, mended."""

import numpy as np


def attention(Q, K, V, mask=None, causal=False):
    scores = Q @ K.mT / np.sqrt(Q.shape[-1])
    L_q, L_k = scores.shape[-2:]
    if causal:
        past = np.tril(np.ones((L_q, L_k), dtype=bool), k=L_k - L_q)
        scores = np.where(past, scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    largest = np.where(np.isneginf(largest), 0, largest)
    powers = np.exp(scores - largest)
    total = powers.sum(axis=-1, keepdims=True)
    # At least one power is one, unless a query sees nothing.
    weights = powers / np.maximum(total, 1)
    return weights @ V
