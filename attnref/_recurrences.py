"""Linear attention one token at a time: a state that forgets, and one that corrects itself."""

import numpy as np
import numpy.typing as npt

from attnref._errors import AttnRefError, ShapeError
from attnref._fit import attention_shapes, broadcasts_to, has_shape
from attnref._linear import Features, begin, divided, featured, read
from attnref._options import flag, number
from attnref._results import FloatArray
from attnref._results_forms import DeltaRule, LinearAttention, LinearState
from attnref._validate import as_float, refuse, widest_float


def linear_recurrence(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    *,
    decay: npt.ArrayLike | None = None,
    features: Features | None = None,
    normalize: bool = True,
    state: LinearState | None = None,
) -> LinearAttention:
    r"""Compute causal linear attention token by token: a state of fixed size is all that is carried on.

    $$ S \leftarrow e^{g_t} \odot S + \phi(k_t)\, v_t^\top, \qquad
       z \leftarrow e^{g_t} \odot z + \phi(k_t), \qquad
       o_t = \frac{\phi(q_t)^\top S}{\phi(q_t)^\top z} $$

    Parameters
    ----------
    Q, K, V
        As in `linear_attention`, shapes `(..., L, d_k)`, `(..., L, d_k)` and `(..., L, d_v)`: one query for
        each key.
    decay
        The logarithm $g$ of what the state is multiplied by before a token goes in; it broadcasts to
        `(..., L, d_phi)`. One number for a token: a last axis of one. None: nothing is forgotten.
    features, normalize, state
        As in `linear_attention`.

    Returns
    -------
    LinearAttention
        As from `linear_attention` with `causal`, up to rounding.

    Raises
    ------
    ShapeError, DtypeError
        As in `linear_attention`; `ShapeError` too if there are not as many queries as keys.
    AttnRefError
        If a decay is greater than zero.

    Notes
    -----
    Cost: on the order of $L d_\phi d_v$ multiplications, and memory for the state alone. Going on from a
    `state` equals one pass over the whole text.

    Differs from code that takes the decay itself, a number between zero and one: here it is the logarithm, as
    in ONNX and in published kernels.

    Source: Katharopoulos et al. 2020, Section 3.4; the decay: Yang et al. 2024, Section 2.

    Examples
    --------
    Features of one; half of what was is forgotten at each token:

    >>> zero, half = np.zeros((2, 1)), np.log(np.full((2, 1), 0.5))
    >>> print(linear_recurrence(zero, zero, [[2], [4]], decay=half, normalize=False).output.T)
    [[2. 5.]]
    """
    dtype, (Q, K, V, decay) = read(Q, K, V, state, decay=0.0 if decay is None else decay)
    leading = attention_shapes(Q, K, V)
    _one_query_a_key(Q, K)
    phi_Q, phi_K = featured(features, Q), featured(features, K)  # (..., L, d_phi)
    S, z = begin(state, (*leading, phi_K.shape[-1], V.shape[-1]), dtype)
    kept = _kept(decay, (*leading, *phi_K.shape[-2:]))
    output = np.empty((*leading, Q.shape[-2], V.shape[-1]), dtype)
    normalize = flag("normalize", normalize)
    with np.errstate(all="ignore"):
        for t in range(Q.shape[-2]):
            q, k, v = phi_Q[..., t, :], phi_K[..., t, :], V[..., t, :]
            S = kept[..., t, :, None] * S + k[..., :, None] * v[..., None, :]  # (..., d_phi, d_v)
            z = kept[..., t, :] * z + k  # (..., d_phi)
            total = np.sum(q * z, axis=-1, keepdims=True)  # (..., 1)
            output[..., t, :] = divided((q[..., None, :] @ S)[..., 0, :], total, normalize)
    return LinearAttention(output, LinearState(S, z))


def gated_delta_rule(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    *,
    decay: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    scale: float | None = None,
    state: npt.ArrayLike | None = None,
) -> DeltaRule:
    r"""Let a state forget, compare what it holds for a key with the value, and write the difference.

    $$ S \leftarrow e^{g_t} \odot S, \qquad
       S \leftarrow S + \beta_t\, k_t \left( v_t - S^\top k_t \right)^\top, \qquad
       o_t = \alpha\, S^\top q_t $$

    Parameters
    ----------
    Q, K, V
        Queries, keys and values, shapes `(..., L, d_k)`, `(..., L, d_k)` and `(..., L, d_v)`: one query for
        each key. Keys are not normed here: models make them of length one first, so that what is written can
        be read back.
    decay
        The logarithm $g$ of what the state is multiplied by before each token; it broadcasts to
        `(..., L, d_k)`. One number for a token: a last axis of one. None: nothing is forgotten, the delta rule.
    beta
        How much of the difference is written; it broadcasts to `(..., L)`. None: all of it.
    scale
        What the output is multiplied by, $\alpha$. None: one, the paper's choice.
    state
        The state that earlier tokens left behind, shape `(..., d_k, d_v)`. None: zeros.

    Returns
    -------
    DeltaRule
        `output`, shape `(..., L, d_v)`, and `state`, shape `(..., d_k, d_v)`, in the widest float dtype given,
        at least `float32`.

    Raises
    ------
    ShapeError
        If the axes do not fit.
    DtypeError
        If an array does not hold real numbers.
    AttnRefError
        If a decay is greater than zero.

    Notes
    -----
    Cost: on the order of $L d_k d_v$ multiplications, and memory for the state alone.

    Differs from ONNX and from published kernels, which multiply by one over the square root of $d_k$ unless
    told otherwise, and from code that looks the key up before the state has forgotten.

    Source: Yang et al. 2024, Section 3.1.

    Examples
    --------
    A value written twice for the same key is not added, but replaced:

    >>> one = [[1], [1]]
    >>> print(gated_delta_rule(one, one, [[2], [6]]).output.T)
    [[2. 6.]]

    Half of the difference is written:

    >>> print(gated_delta_rule(one, one, [[2], [6]], beta=[1, 0.5]).output.T)
    [[2. 4.]]
    """
    given = {"decay": 0.0 if decay is None else decay, "beta": 1.0 if beta is None else beta}
    given |= {} if state is None else {"state": state}
    dtype = widest_float(Q=Q, K=K, V=V, **given)
    Q, K, V, decay, beta = as_float(dtype, Q=Q, K=K, V=V, **{n: given[n] for n in ("decay", "beta")})
    leading = attention_shapes(Q, K, V)
    _one_query_a_key(Q, K)
    factor = 1.0 if scale is None else number("scale", scale)
    L, d_k, d_v = Q.shape[-2], K.shape[-1], V.shape[-1]
    kept = _kept(decay, (*leading, L, d_k))
    broadcasts_to("beta", beta, (*leading, L), "one number for each token")
    written = np.broadcast_to(beta, (*leading, L))
    S = np.zeros((*leading, d_k, d_v), dtype) if state is None else as_float(dtype, state=state)[0]
    has_shape(
        "state", S, (*leading, d_k, d_v), "one row for each number of a key, one column for each of a value"
    )
    output = np.empty((*leading, L, d_v), dtype)
    with np.errstate(all="ignore"):
        for t in range(L):
            q, k, v = Q[..., t, None, :], K[..., t, None, :], V[..., t, None, :]  # (..., 1, d)
            S = kept[..., t, :, None] * S  # (..., d_k, d_v)
            S = S + written[..., t, None, None] * k.mT @ (v - k @ S)
            output[..., t, :] = factor * (q @ S)[..., 0, :]
    return DeltaRule(output, S)


def _one_query_a_key(Q: FloatArray, K: FloatArray) -> None:
    if Q.shape[-2] != K.shape[-2]:
        rule = f"there must be one for each key of K, shape {K.shape}: token by token, both go in together"
        refuse(ShapeError, f"Q has shape {Q.shape}", rule, "For other lengths use linear_attention")


def _kept(decay: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """What is left of the state, token by token."""
    broadcasts_to("decay", decay, shape, "the axes of the keys' features")
    if (decay > 0).any():
        rule = "it is the logarithm of what the state is multiplied by, so not above zero"
        refuse(AttnRefError, f"decay goes up to {decay.max()}", rule, "Pass np.log(decay) if it is a share")
    return np.broadcast_to(np.exp(decay), shape)
