"""Softmax and blend in one pass: a running maximum, a running sum and a running blend, changed in place."""

from typing import Any

import numpy as np

from attnref._blend import blend
from attnref._results import BoolArray, FloatArray


class Running:
    """What is known of a few queries after some of the keys, and the room that one thread works in."""

    top: FloatArray
    """Greatest score so far, `(rows, 1)`; minus infinity before the first key that may be seen."""

    total: FloatArray
    """Sum of the exponentials of the scores less `top`, `(rows, 1)`."""

    blended: FloatArray
    """Sum of the values times these exponentials, `(rows, d_v)`."""

    def __init__(self, rows: int, keys: int, d_v: int, dtype: np.dtype[np.floating[Any]]) -> None:
        """Room for blocks of at most so many queries and keys."""
        self.scores: FloatArray = np.empty((rows, keys), dtype)
        self.ones: FloatArray = np.ones(keys, dtype)
        self.product: FloatArray = np.empty((rows, d_v), dtype)

    def begin(self, rows: int) -> None:
        """Before any key."""
        dtype = self.scores.dtype
        self.top = np.full((rows, 1), -np.inf, dtype)
        self.total = np.zeros((rows, 1), dtype)
        self.blended = np.zeros((rows, self.product.shape[-1]), dtype)

    def compare(self, Q: FloatArray, K: FloatArray) -> FloatArray:
        """The dot products of a block, in the room that the next block will use again."""
        return np.matmul(Q, K.mT, out=self.scores[: len(Q), : len(K)])  # (rows, keys)

    def take(self, scores: FloatArray, V: FloatArray, allowed: BoolArray | np.bool_, shield: bool) -> None:
        """Take in a block; what is masked has a score of minus infinity. The scores are overwritten.

        Only where the values are shielded is `allowed` looked at: a masked one may not be finite.
        """
        top = np.maximum(self.top, scores.max(axis=-1, keepdims=True))
        shift = np.where(top == -np.inf, 0, top)  # as long as all is masked there is nothing to shift by
        powers = np.exp(np.subtract(scores, shift, out=scores), out=scores)  # (rows, keys)
        kept = np.exp(self.top - shift)
        self.total *= kept
        self.total[:, 0] += powers @ self.ones[: len(V)]  # BLAS adds up faster than sum does
        self.blended *= kept
        if shield:
            self.blended += blend(powers, V, np.asarray(allowed))
        else:
            self.blended += np.matmul(powers, V, out=self.product[: len(powers)])  # (rows, d_v)
        self.top = top

    def result(self, output: FloatArray, log_normalizer: FloatArray) -> None:
        """Write the quotient, and the logarithm of the whole sum; a query that saw nothing keeps its zeros."""
        np.divide(self.blended, np.where(self.total == 0, 1, self.total), out=output)
        np.add(self.top[:, 0], np.log(self.total[:, 0]), out=log_normalizer)
