"""What "bank" draws from its sentence, unscaled and scaled."""

import numpy as np

import attnref

# Each word with its key and its value. The axes of a value mean:
# riverbank, money.
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
words = [word for word, _, _ in sentence]
query = np.array([[1.0, 1.0]])  # (1, 2)
keys = np.array([key for _, key, _ in sentence])  # (8, 2)
values = np.array([value for _, _, value in sentence])  # (8, 2)

plain = attnref.attention(query, keys, values, scale=1)
scaled = attnref.attention(query, keys, values)

for result in (plain, scaled):
    print(result.weights.round(2), result.output.round(2))
