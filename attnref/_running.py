"""Softmax and blend in one pass: a running maximum, a running sum and a running blend."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._results import BlockwiseAttention, BoolArray, FloatArray


class Running(NamedTuple):
    """What is known of each query after some of the keys."""

    top: FloatArray
    """Greatest score, `(..., L_q, 1)`; minus infinity before the first key that may be seen."""

    total: FloatArray
    """Sum of the exponentials of the scores less `top`, `(..., L_q, 1)`."""

    blended: FloatArray
    """Sum of the values times these exponentials, `(..., L_q, d_v)`."""

    @classmethod
    def nothing(cls, queries: tuple[int, ...], d_v: int, dtype: npt.DTypeLike) -> "Running":
        """Before any key."""
        zero = np.zeros((*queries, 1), dtype=dtype)
        return cls(zero - np.inf, zero, np.zeros((*queries, d_v), dtype=dtype))

    def and_block(self, scores: FloatArray, V: FloatArray, allowed: BoolArray) -> "Running":
        """Take in the scores and values of a block; what is masked has a score of minus infinity."""
        top = np.maximum(self.top, scores.max(axis=-1, keepdims=True))
        shift = np.where(top == -np.inf, 0, top)  # as long as all is masked there is nothing to shift by
        with np.errstate(all="ignore"):
            kept, powers = np.exp(self.top - shift), np.exp(scores - shift)
            total = kept * self.total + powers.sum(axis=-1, keepdims=True)
            return Running(top, total, kept * self.blended + blend(powers, V, allowed))

    def result(self) -> BlockwiseAttention:
        """Divide by the sum; a query that saw nothing keeps its zeros."""
        with np.errstate(all="ignore"):  # the logarithm of zero is meant: minus infinity
            log_normalizer = (self.top + np.log(self.total))[..., 0]  # (..., L_q)
            return BlockwiseAttention(self.blended / np.where(self.total == 0, 1, self.total), log_normalizer)
