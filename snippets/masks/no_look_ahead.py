"""Does a layer look into the future? Change what comes later."""

import numpy as np

import attnref

rng = np.random.default_rng(0)
tokens = rng.standard_normal((5, 7))
others = rng.standard_normal((5, 7))


def examine(layer):
    """How far outputs move before a change, and how little at it."""
    before, leaks, own = layer(tokens), [], []
    for start in range(len(tokens)):
        # The tokens from this place on are replaced.
        changed = np.concatenate([tokens[:start], others[start:]])
        # How far each output moves, those before the place first.
        moved = [abs(row).max() for row in layer(changed) - before]
        leaks.append(max(moved[:start], default=0))
        own.append(moved[start])
    return max(leaks), min(own)


def mask_before(X):
    return attnref.attention(X, X, X, causal=True).output


def no_mask(X):
    return attnref.attention(X, X, X).output


def mask_after(X):
    weights = attnref.attention(X, X, X).weights
    return np.tril(weights) @ X


def one_too_far(X):
    mask = np.tril(np.ones((len(X), len(X)), dtype=bool), k=1)
    return attnref.attention(X, X, X, mask=mask).output


def one_too_few(X):
    mask = ~np.triu(np.ones((len(X), len(X)), dtype=bool))
    return attnref.attention(X, X, X, mask=mask).output


results = []
print("              before     at  the change")
layers = [mask_before, no_mask, mask_after, one_too_far, one_too_few]
for layer in layers:
    leak, own = examine(layer)
    verdict = "is deaf to itself" if own == 0 else "passes"
    verdict = "looks ahead" if leak > 0 else verdict
    results.append((leak, own))
    print(f"{layer.__name__:12} {leak:7.3f} {own:6.3f}  {verdict}")
