"""Which bank? What the word "bank" draws from its sentence, without the scaling and with it."""

import numpy as np

# Each word with its key and its value. The two axes of a value mean: riverbank, money.
sentence = [
    ("I", [-1.6, 0.0], [0.0, 0.0]),
    ("sat", [-0.3, 1.0], [0.5, 0.0]),
    ("on", [-0.8, -0.8], [0.0, 0.0]),
    ("the", [-0.8, -0.8], [0.0, 0.0]),
    ("bank", [0.5, -0.5], [0.5, 0.5]),
    ("of", [-0.8, -0.8], [0.0, 0.0]),
    ("the", [-0.8, -0.8], [0.0, 0.0]),
    ("river", [1.0, 0.8], [1.0, 0.0]),
]
query = np.array([[1.0, 1.0]])  # (1, 2)
keys = np.array([key for _, key, _ in sentence])  # (8, 2)
values = np.array([value for _, _, value in sentence])  # (8, 2)


def blend(scores, values):
    """Turn scores into weights; return them and the mixture of the values."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    return shares, shares @ values


dot_products = query @ keys.T  # (1, 8)
plain_weights, plain_output = blend(dot_products, values)

d_k = keys.shape[-1]
scaled_weights, scaled_output = blend(dot_products / np.sqrt(d_k), values)

print(plain_weights.round(2), plain_output.round(2))
print(scaled_weights.round(2), scaled_output.round(2))
