"""Tiny calls that can be checked by head: a fault is shown on the first of them on which it shows."""

import functools

import numpy as np

from attnref.diagnosis._pipeline import Array, Probe

LETTERS = {"q": "Q", "k": "K", "v": "V"}


def four(x: object) -> Array:
    """Rows as an array of one sample and one head."""
    array = np.asarray(x, dtype=np.float64)
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def call(name: str, words: str, q: object, k: object, v: object, **options: object) -> Probe:
    """A demonstration with one sample and one head, unless the arrays have more."""
    arrays = {"Q": four(q), "K": four(k), "V": four(v)}
    return Probe(name, arrays, options, frozenset(words.split()))


def still(L_q: int, L_k: int, name: str, words: str = "", **options: object) -> Probe:
    """Queries of zero compare nothing, and the values are the identity: the output is the weights."""
    return call(name, words, np.zeros((L_q, 2)), np.ones((L_k, 2)), np.eye(L_k), **options)


def mask(*rows: str) -> Array:
    """A mask from words of ones and zeros."""
    return np.array([[letter == "1" for letter in row] for row in rows])


@functools.cache
def demos() -> tuple[Probe, ...]:
    """In the order in which they are tried."""
    one, zero = np.ones(4), np.zeros(4)
    two = np.stack([one, zero])
    row = call("one query, two keys", "", [one], two, [[1], [0]])
    low = call("low scores", "low", [[-60000]], [[1], [1.00002]], np.eye(2), scale=1.0)
    rng = np.random.default_rng(0)
    return (
        row,
        call("two queries, two keys", "", [one, one], two, np.eye(2)),
        call("two heads, d_k = 4", "", np.ones((1, 2, 1, 4)), np.stack([two, two]), np.tile([[1.0], [0]], (1,
            2, 1, 1))),
        call("two scores", "large", [[2000], [-2000]], [[1], [0.9995]], np.eye(2), scale=1.0),
        call("scale=0.1", "scale", [one], two, [[1], [0]], scale=0.1),
        call("keys and values differ", "", [[0]], [[1], [1]], [[5], [7]]),
        still(1, 2, "mask [T, F]", "mask", mask=mask("10")),
        still(1, 4, "mask [T, T, F, F]", "mask", mask=mask("1100")),
        still(1, 4, "mask [T, F, F, F]", "mask", mask=mask("1000")),
        call("mask [T, T, F], scores -1, -1, 5", "mask", [[1]], [[-1], [-1], [5]], np.eye(3), mask=mask("110")),
        call("low scores and a mask", "mask low", [[-15000]], [[1], [1]], [[1], [0]], mask=mask("10")),
        still(1, 2, "mask [F, F]", "mask empty", mask=mask("00")),
        still(2, 2, "causal, two queries", "causal", causal=True),
        still(3, 3, "causal", "causal", causal=True),
        still(3, 5, "causal, three queries, five keys", "causal", causal=True),
        still(1, 4, "causal, one query", "causal", causal=True),
        still(4, 2, "causal, four queries, two keys", "causal empty", causal=True),
        still(3, 3, "mask and causal", "mask causal mask+causal", mask=mask("101", "111", "011"), causal=True),
        call("bias [2, 0], scale=0.1", "bias scale", [[0]], [[1], [1]], np.eye(2), bias=np.array([[2.0, 0]]),
            scale=0.1),
        still(4, 4, "window (1, 0)", "window", window=(1, 0)),
        still(3, 5, "window (1, 1), three queries, five keys", "window", window=(1, 1)),
        call("scores 4 and 0, softcap=1", "softcap", [[4]], [[1], [0]], np.eye(2), softcap=1.0),
        call("softcap=1 and a mask", "softcap mask", [[0]], [[1], [1]], np.eye(2), softcap=1.0, mask=mask("10")),
        call("softcap=1 and scale=0.5", "softcap scale", [[4]], [[1], [0]], np.eye(2), softcap=1.0, scale=0.5),
        low,
        call("two samples", "", np.zeros((2, 1, 1, 1)), np.zeros((2, 1, 2, 1)), np.array([[[[1.0], [1]]],
            [[[3], [3]]]])),
        call("two heads", "", np.zeros((1, 2, 3, 1)), np.ones((1, 2, 3, 1)), np.arange(6.0).reshape(1, 2, 3, 1)),
        call("two samples, two heads, masks", "mask", np.zeros((2, 2, 1, 1)), np.zeros((2, 2, 2, 1)),
            np.tile([[1.0], [0]], (2, 2, 1, 1)),
             mask=np.array([[[[True, False]]], [[[True, True]]]])),
        call("random numbers", "", *(np.round(rng.normal(size=(2, 2, n, 3)), 1) for n in (3, 3, 3))),
    )  # fmt: skip
