"""What goes wrong with whole arrays: the wrong one, the wrong axis, heads and samples mixed up, a step missing."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from attnref.diagnosis._pipeline import Array, Hook, Variant, Work


def _inputs(law: Callable[[Work], tuple[Array, Array, Array]]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.Q, w.K, w.V = law(w)

    return {"inputs": step}


def _swapped(a: int, b: int) -> dict[str, Hook]:
    """The function reads two axes exchanged, and writes them so."""

    def read(w: Work) -> None:
        w.Q, w.K, w.V = (array.swapaxes(a, b) for array in (w.Q, w.K, w.V))

    def write(w: Work) -> None:
        w.output = w.output.swapaxes(a, b)

    return {"inputs": read, "write": write}


def _compare(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.dots = law(w)

    return {"compare": step}


def _blend(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.output = law(w)

    return {"blend": step}


def _write(law: Callable[[Array], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.output = law(w.output)

    return {"write": step}


def _reshaped_keys(w: Work) -> Array:
    return np.asarray(w.Q @ w.K.reshape(*w.K.shape[:-2], w.K.shape[-1], w.K.shape[-2]))


def _summed(w: Work, axis: int) -> Array:
    dots = w.Q @ w.K.swapaxes(-1, -2)
    return np.asarray(np.broadcast_to(dots.sum(axis=axis, keepdims=True), dots.shape))


def _first(w: Work, axis: int) -> tuple[Array, Array, Array]:
    first = [slice(None)] * w.K.ndim
    first[axis] = slice(0, 1)
    K, V = (np.broadcast_to(array[tuple(first)], array.shape) for array in (w.K, w.V))
    return w.Q, K, V


def _first_of(which: str, axis: int, w: Work) -> tuple[Array, Array, Array]:
    """One of the arrays is that of the first head or sample."""
    first: list[Any] = [slice(None)] * w.K.ndim
    first[axis] = slice(0, 1)
    kept = {"Q": w.Q, "K": w.K, "V": w.V}
    kept[which] = np.broadcast_to(kept[which][tuple(first)], kept[which].shape)
    return kept["Q"], kept["K"], kept["V"]


def _normed(x: Array) -> Array:
    return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))


def _joined(x: Array) -> Array:
    tokens = x.swapaxes(1, 2)
    return np.asarray(tokens.reshape(*tokens.shape[:2], -1))


def _joined_wrongly(x: Array) -> Array:
    return np.asarray(x.reshape(x.shape[0], x.shape[2], -1))


def _unblended(w: Work) -> Array:
    if w.weights.shape[-2] not in (1, w.V.shape[-2]):
        raise ValueError("there is no value for each query")
    return np.asarray(w.weights.sum(axis=-1, keepdims=True) * w.V)


def _flat(w: Work) -> tuple[Array, Array, Array]:
    """All heads and samples attend to each other: they are joined to one long sequence."""
    Q, K, V = (array.reshape(1, 1, -1, array.shape[-1]) for array in (w.Q, w.K, w.V))
    w.shape = (*w.Q.shape[:-1], w.V.shape[-1])
    return Q, K, V


def _unflat(w: Work) -> None:
    w.output = w.output.reshape(w.shape)


def _as_wide_as_keys(strict: bool) -> Hook:
    """The first d_k columns of the values; where there are fewer, an exception or zeros."""

    def step(w: Work) -> None:
        d_k, d_v = w.K.shape[-1], w.V.shape[-1]
        if strict and 1 < d_v < d_k:
            raise ValueError("there are not so many columns")
        zeros = np.zeros((*w.V.shape[:-1], max(0, d_k - d_v)))
        if strict and d_v == 1:  # one column is broadcast
            zeros = zeros + w.V
        w.V = np.concatenate([w.V[..., :d_k], zeros], axis=-1)

    return step


VARIANTS: list[Variant] = [
    Variant("values_ignored", _inputs(lambda w: (w.Q, w.K, w.K)), says="the keys are blended, not the values"),
    Variant("values_ignored", _inputs(lambda w: (w.Q, w.K, w.Q)), says="the queries are blended, not the values"),
    Variant("roles_swapped", _inputs(lambda w: (w.K, w.Q, w.V)), says="queries and keys are exchanged"),
    Variant("roles_swapped", _inputs(lambda w: (w.Q, w.V, w.K)), says="keys and values are exchanged"),
    Variant("roles_swapped", _inputs(lambda w: (w.Q, w.Q, w.V)), says="queries are compared with queries"),
    Variant("roles_swapped", _inputs(lambda w: (w.K, w.K, w.V)), says="keys are compared with keys"),
    Variant("roles_swapped", _inputs(lambda w: (w.Q, w.V, w.V)), says="queries are compared with values"),
    Variant("layout", _swapped(1, 2), says="the axes of heads and tokens are exchanged, so it attends over heads"),
    Variant("batch_first", _swapped(0, 2),
        says="the axes of batch and tokens are exchanged, so it attends over the batch"),
    Variant("batch_mixed", _inputs(_flat) | {"write": _unflat},
        says="all samples and heads are joined to one sequence", common=False),
    Variant("keys_reshaped", _compare(_reshaped_keys), says="the keys are reshaped, not transposed"),
    Variant("keys_reshaped", _compare(lambda w: w.Q @ w.K), says="the keys are not transposed", common=False),
    Variant("heads_mixed", _compare(lambda w: _summed(w, 1)), says="the scores of all heads are added up"),
    Variant("heads_mixed", _compare(lambda w: w.Q @ w.K.sum(axis=1, keepdims=True).swapaxes(-1, -2)),
        says="the keys of all heads are added up"),
    Variant("batch_mixed", _compare(lambda w: w.Q @ w.K.sum(axis=0, keepdims=True).swapaxes(-1, -2)),
        says="the keys of all samples are added up"),
    Variant("batch_mixed", _compare(lambda w: _summed(w, 0)), says="the scores of all samples are added up"),
    *(
        Variant("heads_mixed" if axis else "batch_mixed", _inputs(partial(_first_of, which, axis)), common=False,
            says=f"all {who} use the {what} of the first")
        for axis, who in ((1, "heads"), (0, "samples"))
        for which, what in (("K", "keys"), ("V", "values"), ("Q", "queries"))
    ),
    Variant("heads_mixed", _inputs(lambda w: _first(w, 1)), says="all heads use the keys and values of the first"),
    Variant("batch_mixed", _inputs(lambda w: _first(w, 0)), says="all samples use the keys and values of the first"),
    Variant("keys_normalised", _compare(lambda w: _normed(w.Q) @ _normed(w.K).swapaxes(-1, -2)),
        says="queries and keys are brought to length 1 first"),
    Variant("weights_transposed", _blend(lambda w: w.weights.swapaxes(-1, -2) @ w.V),
        says="the weights are transposed before the blend", common=False),
    Variant("values_unblended", _blend(_unblended),
        says="the values are returned as they are: each query gets its own, whatever the weights", common=False),
    Variant("weights_returned", _blend(lambda w: w.weights),
        says="the weights are returned, not the blend of the values"),
    Variant("scores_returned", _blend(lambda w: w.logits),
        says="the scores are returned, not the blend of the values", common=False),
    Variant("values_added", _blend(lambda w: w.weights @ w.V + w.V),
        says="the values are added to their blend", common=False),
    Variant("values_added", _blend(lambda w: w.weights @ w.V + w.Q),
        says="the queries are added to the blend", common=False),
    Variant("output_layout", _write(lambda x: x.swapaxes(1, 2)),
        says="the output has the layout (batch, L_q, heads, d_v)"),
    Variant("output_layout", _write(_joined), says="the heads of the output are joined"),
    Variant("output_layout", _write(lambda x: x.swapaxes(-1, -2)), says="the output is transposed", common=False),
    Variant("heads_merge_reshape", _write(_joined_wrongly),
        says="the heads of the output are joined by a reshape without the transpose", common=False),
    *(
        Variant("output_width", {"inputs": _as_wide_as_keys(strict)}, says="the output is as wide as the keys, "
            "d_k, and not as the values, d_v", common=False)
        for strict in (True, False)
    ),
    Variant("output_averaged", _write(lambda x: x.mean(axis=1)), says="the output is averaged over the heads",
        common=False),
    Variant("output_averaged", _write(lambda x: x.mean(axis=2)),
        says="the output is averaged over the queries", common=False),
    Variant("masked_garbage_leaks", _blend(lambda w: w.weights @ w.V), frozenset({"garbage"}),
        "NaN in a hidden value reaches the output (0 · NaN)"),
]  # fmt: skip
