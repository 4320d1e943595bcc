"""One query, eight keys, all random: what does the winner get?"""

import numpy as np

import attnref

draws, d_k, n_heads = 20_000, 64, 8
d_model = n_heads * d_k
rng = np.random.default_rng(0)
# In each draw a query, then eight keys.
vectors = rng.standard_normal((draws, 9, d_k))
queries, keys = vectors[:, :1], vectors[:, 1:]
dot_products = queries @ keys.mT
# How far apart are two dot products?
gap_spread = np.diff(dot_products).std()

divisors = {
    "nothing": 1,
    "root of d_k": np.sqrt(d_k),
    "root of d_model": np.sqrt(d_model),
    "d_k": d_k,
}
first, largest, slopes = [], [], []
print("divided by       first  average  slope")
for name, divisor in divisors.items():
    weights = attnref.softmax(dot_products / divisor)
    first.append(weights[0, 0])
    largest.append(weights.max(axis=-1))
    slopes.append((weights * (1 - weights)).max(axis=-1))
    print(
        f"{name:15} {first[-1].max():6.2f}",
        f"{largest[-1].mean():8.3f} {slopes[-1].mean():6.3f}",
    )
