"""Attention without a softmax: keys and values shrink to one matrix, whatever the length of the text."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from attnref._blend import blend
from attnref._errors import ShapeError
from attnref._fit import attention_shapes, has_shape
from attnref._masks import causal_mask
from attnref._options import flag
from attnref._results import FloatArray
from attnref._results_forms import LinearAttention, LinearState
from attnref._validate import as_float, refuse, widest_float

Features = Callable[[FloatArray], FloatArray]


def linear_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    *,
    causal: bool = False,
    features: Features | None = None,
    normalize: bool = True,
    state: LinearState | None = None,
) -> LinearAttention:
    r"""Let each query blend the values by products of features, so that keys and values can be summed up first.

    $$ o_i = \frac{\phi(q_i)^\top \sum_j \phi(k_j)\, v_j^\top}{\phi(q_i)^\top \sum_j \phi(k_j)}
           = \frac{\phi(q_i)^\top S}{\phi(q_i)^\top z} $$

    Parameters
    ----------
    Q
        Queries, shape `(..., L_q, d_k)`. Leading axes of all arrays broadcast.
    K
        Keys, shape `(..., L_k, d_k)`.
    V
        Values, shape `(..., L_k, d_v)`.
    causal
        True: the sums of query $i$ run over the keys $j \le i + L_k - L_q$ only.
    features
        The function $\phi$, from `(..., L, d_k)` to `(..., L, d_phi)`, the same for queries and keys. None:
        the paper's choice, one more than $x$ where $x$ is positive and $e^x$ elsewhere.
    normalize
        False: the numerator alone, as later models have it.
    state
        What earlier tokens left behind: the `state` of another result. None: there were none.

    Returns
    -------
    LinearAttention
        `output`, shape `(..., L_q, d_v)`, and `state`, the sums $S$ and $z$ over all keys so far. The dtype is
        the widest float given, at least `float32`. A query whose normalizer is zero, as where there is no key,
        has an output of zero.

    Raises
    ------
    ShapeError
        If the axes do not fit, or the features change any but the last.
    DtypeError
        If an array does not hold real numbers.

    Notes
    -----
    Cost: on the order of $(L_q + L_k)\, d_\phi d_v$ multiplications, so linear in the lengths; causal is
    computed here by all products of queries and keys, quadratic. `linear_recurrence` gives the same one token
    at a time. NaN in a value that a query may not see does not reach it.

    Differs from the operator `LinearAttention` of ONNX, which has no features and no normalizer, and
    multiplies the output by one over the square root of $d_k$. Code that computes the exponential less
    one and then adds one loses it in half precision, where minus eight gives zero.

    Source: Katharopoulos et al. 2020, Section 3.2.

    Examples
    --------
    Features of one everywhere: each value has the same say, and causal the mean grows with the text.

    >>> ones = np.zeros((2, 1))
    >>> print(linear_attention(ones, ones, [[2], [4]]).output.T)
    [[3. 3.]]
    >>> print(linear_attention(ones, ones, [[2], [4]], causal=True).output.T)
    [[2. 3.]]
    """
    dtype, (Q, K, V) = read(Q, K, V, state)
    leading = attention_shapes(Q, K, V)
    phi_Q, phi_K = featured(features, Q), featured(features, K)  # (..., L, d_phi)
    S, z = begin(state, (*leading, phi_K.shape[-1], V.shape[-1]), dtype)
    with np.errstate(all="ignore"):
        after = LinearState(S + phi_K.mT @ V, z + phi_K.sum(axis=-2))
        if flag("causal", causal):
            seen = causal_mask(phi_Q.shape[-2], phi_K.shape[-2])
            shares = np.where(seen, phi_Q @ phi_K.mT, 0)  # (..., L_q, L_k)
            shares = np.broadcast_to(shares, leading + shares.shape[-2:])
            numerator = blend(shares, V, seen) + phi_Q @ S  # (..., L_q, d_v)
            total = shares.sum(axis=-1, keepdims=True) + phi_Q @ z[..., None]  # (..., L_q, 1)
        else:
            numerator, total = phi_Q @ after.S, phi_Q @ after.z[..., None]
    return LinearAttention(divided(numerator, total, flag("normalize", normalize)), after)


def read(
    Q: npt.ArrayLike, K: npt.ArrayLike, V: npt.ArrayLike, state: LinearState | None, **others: npt.ArrayLike
) -> tuple[np.dtype[np.floating[Any]], list[FloatArray]]:
    """The dtype that all is computed in, and the arrays in it, `others` last."""
    old = {} if state is None else {"state.S": state.S, "state.z": state.z}
    dtype = widest_float(Q=Q, K=K, V=V, **others, **old)
    return dtype, as_float(dtype, Q=Q, K=K, V=V, **others)


def begin(
    state: LinearState | None, shape: tuple[int, ...], dtype: np.dtype[np.floating[Any]]
) -> tuple[FloatArray, FloatArray]:
    """The sums before the first token."""
    if state is None:
        return np.zeros(shape, dtype), np.zeros(shape[:-1], dtype)
    S, z = as_float(dtype, **{"state.S": state.S, "state.z": state.z})
    has_shape("state.S", S, shape, "one row for each feature of a key, one column for each number of a value")
    has_shape("state.z", z, shape[:-1], "one number for each feature of a key")
    return S, z


def featured(features: Features | None, X: FloatArray) -> FloatArray:
    """Queries or keys as features."""
    if features is None:
        with np.errstate(all="ignore"):
            return np.where(X > 0, X + 1, np.exp(np.minimum(X, 0)))
    mapped = np.asarray(features(X), dtype=X.dtype)
    if mapped.ndim != X.ndim or mapped.shape[:-1] != X.shape[:-1]:
        given = f"features made shape {mapped.shape} of {X.shape}"
        rule = "it maps each token by itself, so all axes but the last stay"
        refuse(ShapeError, given, rule, "Let it work along the last axis")
    return mapped


def divided(numerator: FloatArray, total: FloatArray, normalize: bool) -> FloatArray:
    """The quotient, or the numerator alone; zero where there was nothing to add up."""
    with np.errstate(all="ignore"):
        return numerator / np.where(total == 0, 1, total) if normalize else np.asarray(numerator)
