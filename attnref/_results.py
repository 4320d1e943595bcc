"""The results: one named tuple for each equation, the same whatever the options."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


class Attention(NamedTuple):
    """What `attention` found, from the answer back to the comparison it rests on."""

    output: FloatArray
    """The blend of the values, `weights @ V`. Shape `(..., L_q, d_v)`."""

    weights: FloatArray
    """How much each query takes of each key, after the softmax. Shape `(..., L_q, L_k)`."""

    scores: FloatArray
    """Dot products times scale, before softcap, bias and mask. Shape `(..., L_q, L_k)`."""
