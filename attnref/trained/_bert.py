"""BERT's encoder: tokens become vectors, blocks pass them on, and each head's weights are kept."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attnref._encoder import BlockParameters, transformer_block
from attnref._errors import ShapeError
from attnref._feed_forward import gelu
from attnref._fit import has_shape, needs_axes
from attnref._norms import layer_norm
from attnref._options import as_labels
from attnref._results import FloatArray
from attnref._validate import as_float, refuse, widest_float


class EncoderParameters(NamedTuple):
    """What an encoder has learned."""

    words: npt.ArrayLike
    """A vector for each entry of the vocabulary, shape `(n_words, d_model)`."""

    positions: npt.ArrayLike
    """A vector for each position, shape `(L_max, d_model)`."""

    segments: npt.ArrayLike
    """A vector for the first sentence of a pair and one for the second, shape `(n_segments, d_model)`."""

    gain: npt.ArrayLike
    """Gain of the norm behind the sum of these three, shape `(d_model,)`; then its shift."""

    shift: npt.ArrayLike

    blocks: Sequence[BlockParameters]
    """One for each layer."""


class Encoding(NamedTuple):
    """What an encoder made of its tokens, and what each head of each layer looked at."""

    output: FloatArray
    """The tokens as they leave the last layer. Shape `(..., L, d_model)`."""

    weights: FloatArray
    """How much each query takes of each key. Shape `(n_layers, ..., n_heads, L, L)`."""


def encoder(
    ids: npt.ArrayLike,
    parameters: EncoderParameters,
    *,
    n_heads: int,
    segments: npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    eps: float = 1e-12,
) -> Encoding:
    r"""Give each token a vector for what it is and where it stands, then let block after block rework them.

    $$ X = n(E[\text{ids}] + P + S), \qquad X \leftarrow b_l(X) $$

    for each layer $l$ in turn. Here $E$, $P$ and $S$ are the vectors of words, positions and segments, $n$
    is `layer_norm`, and each block $b_l$ is `transformer_block` with the norm after the addition and `gelu`.

    Parameters
    ----------
    ids
        The number of each token in the vocabulary, integers of shape `(..., L)`.
    parameters
        What the encoder has learned: `EncoderParameters`.
    n_heads
        Number of heads in each layer.
    segments
        Which of two sentences each token belongs to, counted from zero, of the shape of `ids`. None: all to
        the first.
    mask
        As in `transformer_block`: boolean, True where a query may attend, on `(..., n_heads, L, L)`. None:
        every token sees every token, the paper's choice for a single sentence.
    eps
        As in `layer_norm`. The default is that of the published models.

    Returns
    -------
    Encoding
        `output`, shape `(..., L, d_model)`, and `weights`, shape `(n_layers, ..., n_heads, L, L)`, in the
        widest float dtype of the parameters, at least `float32`.

    Raises
    ------
    ShapeError
        If there are more tokens than positions, a number lies outside the vocabulary, or an array does not
        fit.
    MaskError, DtypeError, AttnRefError
        As in `transformer_block`; `MaskError` too if `ids` or `segments` holds no integers.

    Notes
    -----
    Cost: that of `transformer_block` for each layer, and all weights are kept.

    Differs from the model as it is published in what comes behind the last layer: the pooler and the heads
    that fill gaps are left out.

    Source: Devlin et al. 2018, Section 3.

    Examples
    --------
    One layer whose matrices hold nothing but zeros compares nothing, so each token looks at all alike:

    >>> zero = np.zeros((2, 2))
    >>> block = BlockParameters(zero, zero, zero, zero, zero, zero)
    >>> parameters = EncoderParameters(np.eye(2), zero, zero, None, None, [block])
    >>> result = encoder([0, 1], parameters, n_heads=1)
    >>> print(result.weights[0, 0])
    [[0.5 0.5]
     [0.5 0.5]]

    What is left is the norm of the word's own vector:

    >>> print(result.output.round(3))
    [[ 1. -1.]
     [-1.  1.]]
    """
    p = parameters
    given = {"words": p.words, "positions": p.positions, "segments": p.segments}
    dtype = widest_float(**given)
    words, positions, kinds = as_float(dtype, **given)
    for name, vectors in (("words", words), ("positions", positions), ("segments", kinds)):
        needs_axes(name, vectors, "n", "d_model")
        has_shape(name, vectors, (len(vectors), words.shape[-1]), "a vector of d_model for each")
    numbers = _below("ids", ids, len(words), "words")
    length = numbers.shape[-1]
    if length > len(positions):
        rule = f"the model has {len(positions)} positions, and each token takes one"
        refuse(ShapeError, f"ids has {length} tokens", rule, "Cut the text into shorter sentences")
    places = np.zeros_like(numbers) if segments is None else _below("segments", segments, len(kinds), "kinds")
    has_shape("segments", places, numbers.shape, "one for each token of ids")
    summed = words[numbers] + positions[:length] + kinds[places]  # (..., L, d_model)
    X = layer_norm(summed, p.gain, p.shift, eps=eps)
    found = []
    for block in p.blocks:
        X, attended = transformer_block(X, block, n_heads=n_heads, activation=gelu, eps=eps, mask=mask)
        found.append(attended.weights)  # (..., n_heads, L, L)
    empty = np.empty((0, *numbers.shape[:-1], n_heads, length, length), dtype)
    return Encoding(X, np.stack(found) if found else empty)


def _below(name: str, values: npt.ArrayLike, bound: int, of: str) -> npt.NDArray[np.integer[Any]]:
    """Integers that each number one of so many things."""
    array = as_labels(name, values)
    if array.size and not (array.min() >= 0 and array.max() < bound):
        given = f"{name} goes from {array.min()} to {array.max()}"
        rule = f"there are {bound} {of}, counted from zero"
        refuse(ShapeError, given, rule, "Cut the text with the vocabulary that belongs to the model")
    return array
