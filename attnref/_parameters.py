"""What several heads are made of: tokens, matrices and vectors, read and checked together."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attnref._fit import has_shape, needs_axes, projects, same_width
from attnref._options import head_counts
from attnref._results import FloatArray
from attnref._validate import as_float, as_float_if_given, widest_float


class Parameters(NamedTuple):
    """The arguments that `multihead_attention` and its gradients have in common, in one dtype."""

    X: FloatArray
    context: FloatArray
    W_Q: FloatArray
    W_K: FloatArray
    W_V: FloatArray
    W_O: FloatArray
    b_Q: FloatArray | None
    b_K: FloatArray | None
    b_V: FloatArray | None
    b_O: FloatArray | None
    n_heads: int
    n_kv_heads: int

    @property
    def group(self) -> int:
        """How many query heads share a key and value head."""
        return self.n_heads // self.n_kv_heads

    @classmethod
    def read(
        cls,
        X: npt.ArrayLike,
        W_Q: npt.ArrayLike,
        W_K: npt.ArrayLike,
        W_V: npt.ArrayLike,
        W_O: npt.ArrayLike,
        *,
        n_heads: int,
        n_kv_heads: int | None,
        context: npt.ArrayLike | None,
        **others: npt.ArrayLike | None,
    ) -> "Parameters":
        """Check that all fits; `others` are the four vectors, and what else has a say in the dtype."""
        n_heads, n_kv_heads = head_counts(n_heads, n_kv_heads)
        given = {"X": X, "context": X if context is None else context}
        given |= {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
        dtype = widest_float(**given, **others)
        X, context, W_Q, W_K, W_V, W_O = as_float(dtype, **given)
        vectors = {f"b_{letter}": others.get(f"b_{letter}") for letter in "QKVO"}
        b_Q, b_K, b_V, b_O = as_float_if_given(dtype, **vectors)
        needs_axes("X", X, "L_q", "d_model")
        needs_axes("context", context, "L_k", "d_context")
        d_in = context.shape[-1]
        d_k = projects("W_Q", W_Q, X.shape[-1], "the last axis of X", n_heads)
        same_width("d_k", W_Q=d_k, W_K=projects("W_K", W_K, d_in, "the last axis of the context", n_kv_heads))
        d_v = projects("W_V", W_V, d_in, "the last axis of the context", n_kv_heads)
        projects("W_O", W_O, n_heads * d_v, "n_heads times the d_v of W_V")
        has_shape("b_Q", b_Q, W_Q.shape[1:], "one number for each column of W_Q")
        has_shape("b_K", b_K, W_K.shape[1:], "one number for each column of W_K")
        has_shape("b_V", b_V, W_V.shape[1:], "one number for each column of W_V")
        has_shape("b_O", b_O, W_O.shape[1:], "one number for each column of W_O")
        return cls(X, context, W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O, n_heads, n_kv_heads)


def affine(X: FloatArray, W: FloatArray, b: FloatArray | None) -> FloatArray:
    """Each token times a matrix, plus a vector where there is one."""
    with np.errstate(all="ignore"):  # a token that nobody may attend to may hold anything
        return np.asarray(X @ W if b is None else X @ W + b)
