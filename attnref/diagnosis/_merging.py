"""Partial results over parts of the keys, put together by shares that are wrong."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._pipeline import Array, Hook, Work
from attnref.diagnosis._steps import top


def merged(size_of: Callable[[int], int], share: Callable[[Array, Array], Array]) -> Hook:
    """Partial softmaxes, put together by shares that are made from their maxima and sums."""

    def step(w: Work) -> None:
        x = w.logits
        size = size_of(x.shape[-1])
        blocks = [x[..., n : n + size] for n in range(0, x.shape[-1], size)]
        tops = [np.maximum(top(b), -1e300) for b in blocks]
        powers = [np.exp(b - t) for b, t in zip(blocks, tops, strict=True)]
        sums = np.stack([p.sum(axis=-1, keepdims=True) for p in powers])
        shares = share(np.stack(tops), sums)
        parts = [p / np.where(s == 0, 1, s) * each for p, s, each in zip(powers, sums, shares, strict=True)]
        w.weights = np.concatenate(parts, axis=-1)

    return step


def even(tops: Array, sums: Array) -> Array:
    return np.ones_like(tops) / len(tops)


def by_top(tops: Array, sums: Array) -> Array:
    shares = np.exp(tops - tops.max(axis=0))
    return np.asarray(shares / shares.sum(axis=0))


def by_base(tops: Array, sums: Array) -> Array:
    """Powers of e of a log-sum-exp that was kept to the base two."""
    lse = (tops + np.log(sums)) / np.log(2)
    shares = np.exp(lse - lse.max(axis=0))
    return np.asarray(shares / shares.sum(axis=0))


def one_by_one(tops: Array, sums: Array) -> Array:
    """Each part is merged with what there is so far, both weighed by their greatest scores."""
    shares, most = np.zeros_like(tops), tops[0]
    shares[0] = 1.0
    for n in range(1, len(tops)):
        new = np.maximum(most, tops[n])
        old, now = np.exp(most - new), np.exp(tops[n] - new)
        shares[:n] *= old / (old + now)
        shares[n], most = now / (old + now), new
    return shares
