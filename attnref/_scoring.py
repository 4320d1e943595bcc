"""The scores of any range of keys, with all that is laid over them. For forms that see a few keys at a time.

The definition does not use it: the two are written apart, so that the tests can compare them.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attnref._fit import attention_shapes
from attnref._masks import positions, within
from attnref._options import flag, number, scale_factor, span
from attnref._results import BoolArray, FloatArray
from attnref._validate import as_bias, as_float, as_mask, widest_float


class Block(NamedTuple):
    """What every query makes of a range of keys, before the softmax."""

    logits: FloatArray
    """After scale, softcap and bias; minus infinity where a query may not attend. `(..., L_q, keys)`."""

    allowed: BoolArray
    """Where a query may attend. It broadcasts to the shape of `logits`."""

    slope: FloatArray | float
    """How fast a logit changes with its dot product: the scale, times the slope of the softcap."""

    scores: FloatArray
    """Dot products times scale, before all else. `(..., L_q, keys)`."""


class Scoring(NamedTuple):
    """Queries, keys and options, read and checked once."""

    Q: FloatArray
    K: FloatArray
    V: FloatArray
    leading: tuple[int, ...]
    factor: float
    cap: float | None
    added: FloatArray | None
    chosen: BoolArray | None
    left: int | None
    right: int | None

    @classmethod
    def read(
        cls,
        Q: npt.ArrayLike,
        K: npt.ArrayLike,
        V: npt.ArrayLike,
        *,
        also: dict[str, npt.ArrayLike] | None = None,
        mask: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        causal: bool = False,
        window: tuple[int | None, int | None] | None = None,
        scale: float | None = None,
        softcap: float | None = None,
    ) -> "Scoring":
        """Check the arguments as the definition does; `also` names arrays that have a say in the dtype."""
        dtype = widest_float(Q=Q, K=K, V=V, bias=bias, **(also or {}))
        Q, K, V = as_float(dtype, Q=Q, K=K, V=V)
        leading = attention_shapes(Q, K, V)
        Q, K = (np.broadcast_to(array, leading + array.shape[-2:]) for array in (Q, K))
        on_scores = (*leading, Q.shape[-2], K.shape[-2])
        left, right = (None, None) if window is None else span(window)
        return cls(
            Q=Q,
            K=K,
            V=V,
            leading=leading,
            factor=scale_factor(scale, Q.shape[-1]),
            cap=None if softcap is None else number("softcap", softcap, positive=True),
            added=None if bias is None else np.broadcast_to(as_bias(bias, dtype, on_scores), on_scores),
            chosen=None if mask is None else np.broadcast_to(as_mask(mask, on_scores), on_scores),
            left=left,
            right=0 if flag("causal", causal) else right,
        )

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """What all is computed in."""
        return self.Q.dtype

    def visible(self, rows: slice) -> range:
        """The keys that causal and window let at least one of these queries see; the mask is not asked."""
        offset, L_k = self.K.shape[-2] - self.Q.shape[-2], self.K.shape[-2]
        start = 0 if self.left is None else max(0, rows.start + offset - self.left)
        stop = L_k if self.right is None else min(L_k, rows.stop + offset + self.right)
        return range(start, max(start, stop))

    def lay_over(
        self, scores: FloatArray, at: tuple[int, ...], rows: slice, keys: slice
    ) -> BoolArray | np.bool_:
        """Bend, shift and mask the scores of one head in place; say where its queries may attend."""
        offset = self.K.shape[-2] - self.Q.shape[-2]
        first, last = rows.start + offset, rows.stop - 1 + offset
        allowed: BoolArray | np.bool_ = np.True_
        if self.cap is not None:
            np.multiply(np.tanh(np.divide(scores, self.cap, out=scores), out=scores), self.cap, out=scores)
        if self.added is not None:
            added = self.added[at][rows, keys]
            scores += added
            allowed = allowed & (added != -np.inf)
        if self.chosen is not None:
            allowed = allowed & self.chosen[at][rows, keys]
        from_left = self.left is None or keys.start >= last - self.left
        if not (from_left and (self.right is None or keys.stop - 1 <= first + self.right)):
            distances = np.arange(keys.start, keys.stop) - np.arange(first, last + 1)[:, None]
            allowed = allowed & within(distances, self.left, self.right)  # (rows, keys)
        if allowed is not np.True_:
            np.copyto(scores, -np.inf, where=~allowed)
        return allowed

    def of(self, keys: slice = slice(None)) -> Block:
        """Compare all queries with a range of keys."""
        query_positions, key_positions = positions(self.Q.shape[-2], self.K.shape[-2])
        allowed = within(key_positions[keys] - query_positions, self.left, self.right)  # (L_q, keys)
        slope: FloatArray | float = self.factor
        with np.errstate(all="ignore"):  # a masked key may hold anything
            scores = (self.Q @ self.K[..., keys, :].mT) * self.factor  # (..., L_q, keys)
            logits = scores
            if self.cap is not None:
                bent = np.tanh(scores / self.cap)
                logits, slope = self.cap * bent, self.factor * (1 - bent * bent)
            if self.added is not None:
                allowed = allowed & (self.added[..., keys] != -np.inf)
                logits = logits + self.added[..., keys]
        if self.chosen is not None:
            allowed = allowed & self.chosen[..., keys]
        return Block(np.where(allowed, logits, -np.inf), allowed, slope, scores)
