"""Where a token stands: waves that are added to it, or angles that queries and keys are turned by."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from attnref._fit import broadcasts_to, needs_axes
from attnref._options import choice, number, rotated_width, size, whole
from attnref._results import FloatArray
from attnref._validate import as_float, widest_float

Pairing = Literal["interleaved", "half_split"]
PAIRINGS = ("interleaved", "half_split")


def sinusoidal_positions(L: int, d_model: int, *, offset: int = 0, base: float = 10000.0) -> FloatArray:
    r"""Give each position a pattern of waves, from fast to slow, to be added to the token there.

    $$ \text{even columns: } \sin(p\, \theta_c), \qquad \text{odd columns: } \cos(p\, \theta_c), \qquad
       \theta_c = \text{base}^{-c / d_\text{model}} $$

    where $p$ is the position and $c$ the even column of the pair.

    Parameters
    ----------
    L
        Number of positions.
    d_model
        Width of a token. Where it is odd, the last sine has no cosine beside it.
    offset
        The first position. Default: zero.
    base
        How slow the slowest wave is. Default: the paper's ten thousand.

    Returns
    -------
    FloatArray
        Shape `(L, d_model)`, `float64`. Added to narrower tokens it widens them: convert it first.

    Raises
    ------
    ShapeError
        If a length or the offset is no integer, or a length is negative.
    AttnRefError
        If `base` is not greater than zero.

    Notes
    -----
    Cost: one sine or cosine for each entry.

    A step from one position to the next turns each pair of columns by its angle: the pattern of a later
    position is a rotation of an earlier one, the same wherever one starts.

    Differs from implementations that put all sines first and all cosines after them, the columns in another
    order.

    Source: Vaswani et al. 2017, Section 3.5.

    Examples
    --------
    At position zero each sine is zero and each cosine one:

    >>> print(sinusoidal_positions(1, 4))
    [[0. 1. 0. 1.]]
    """
    L, d_model, offset = size("L", L), size("d_model", d_model), whole("offset", offset)
    pair = np.arange(d_model) // 2 * 2  # the even column of each pair
    angles = (np.arange(L) + offset)[:, None] * number("base", base, positive=True) ** (
        -pair / max(d_model, 1)
    )
    waves: FloatArray = np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))
    return waves  # (L, d_model)


def rotary(
    X: npt.ArrayLike,
    *,
    offset: int = 0,
    positions: npt.ArrayLike | None = None,
    pairing: Pairing = "interleaved",
    rotated: int | None = None,
    base: float = 10000.0,
) -> FloatArray:
    r"""Turn queries or keys by an angle that grows with their position.

    Each pair of numbers $(a, b)$ of a token at position $p$ is turned in its plane:

    $$ (a, b) \mapsto (a \cos p\theta - b \sin p\theta,\; a \sin p\theta + b \cos p\theta), \qquad
       \theta = \text{base}^{-c / r} $$

    where $c$ is twice the number of the pair, from zero, and $r$ the width that is rotated. The product of a
    rotated query and a rotated key then depends on how far apart they stand, not on where.

    Parameters
    ----------
    X
        Queries or keys, shape `(..., L, d)`: the width of one head, never of all heads together.
    offset
        What is added to every position: the number of tokens before the first of `X`, as when keys are
        cached.
    positions
        The position of each token, numbers of a shape that broadcasts to `(..., L)`; for left padding,
        counted from each sequence's first real token. None: zero, one, two, …
    pairing
        Which numbers form a pair. `"interleaved"`, the paper's choice: neighbours. `"half_split"`: each
        number of the first half with the one in the same place of the second half. Weights are trained for
        one of them.
    rotated
        How many numbers of each token are rotated, from the first on; the others stay. None: all.
    base
        How slow the slowest pair turns. Default: the paper's ten thousand.

    Returns
    -------
    FloatArray
        Shape of `X`, dtype of `X`, at least `float32`. The angles are computed in `float64`.

    Raises
    ------
    ShapeError
        If the rotated width is odd or too great, or `positions` does not fit.
    DtypeError
        If an array does not hold real numbers.
    AttnRefError
        If `pairing` is none of its two words or `base` is not greater than zero.

    Notes
    -----
    Cost: four multiplications for each pair, a sine and a cosine for each position and pair.

    Rotate keys once, before they enter a cache; values never.

    Differs from Llama as kept by Hugging Face, and from ONNX and MLX unless told otherwise, which split in
    halves; GPT-J's neighbours are the paper's.

    Source: Su et al. 2021, Section 3.2.2.

    Examples
    --------
    A base of one turns each pair by one radian a position. Half a turn takes the position pi:

    >>> print(rotary([[1, 0]], positions=[np.pi], base=1).round(6))
    [[-1.  0.]]

    The first token stands at position zero and is not turned at all:

    >>> print(rotary([[1, 2, 3, 4], [1, 2, 3, 4]]).round(4))
    [[ 1.      2.      3.      4.    ]
     [-1.1426  1.9221  2.9599  4.0298]]
    """
    X = as_float(widest_float(X=X), X=X)[0]
    needs_axes("X", X, "L", "d")
    width = rotated_width(rotated, X.shape[-1])
    places = np.arange(X.shape[-2]) if positions is None else positions
    wide = np.result_type(widest_float(positions=places), np.float64)
    places = as_float(wide, positions=places)[0] + whole("offset", offset)
    broadcasts_to("positions", places, X.shape[:-1], "one for each token of X")
    theta = number("base", base, positive=True) ** (-np.arange(0, width, 2) / max(width, 1))
    angles = places[..., None] * theta  # (..., L, width / 2)
    cos, sin = np.cos(angles).astype(X.dtype), np.sin(angles).astype(X.dtype)
    half = width // 2
    if choice("pairing", pairing, PAIRINGS) == "interleaved":
        first, second = slice(0, width, 2), slice(1, width, 2)
    else:
        first, second = slice(0, half), slice(half, width)
    a, b = X[..., first], X[..., second]
    turned = X.copy()
    turned[..., first], turned[..., second] = a * cos - b * sin, a * sin + b * cos
    return turned
