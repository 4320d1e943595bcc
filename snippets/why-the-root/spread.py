"""How far do the dot products of random vectors spread?"""

import numpy as np

sizes = [1, 2, 64, 512]
pairs = 20_000
rng = np.random.default_rng(0)

means, spreads, by_root, by_size = [], [], [], []
print("d_k    mean  not divided  by the root  by d_k")
for d_k in sizes:
    queries = rng.standard_normal((pairs, d_k))
    keys = rng.standard_normal((pairs, d_k))
    # Each query with one key.
    dot_products = np.vecdot(queries, keys)
    means.append(dot_products.mean())
    spreads.append(dot_products.std())
    by_root.append((dot_products / np.sqrt(d_k)).std())
    by_size.append((dot_products / d_k).std())
    print(
        f"{d_k:3} {means[-1]:7.3f} {spreads[-1]:12.1f}",
        f"{by_root[-1]:12.1f} {by_size[-1]:7.2f}",
    )
