"""The form "rotary": queries or keys turned by their positions. Steps, probes, and what goes wrong."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._attention import grid
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work
from attnref.diagnosis._steps import begin

OPTIONS = {
    "offset": ("offset", "start", "start_pos", "position_offset"),
    "base": ("base", "theta", "rope_theta"),
}


def places(w: Work) -> None:
    """The position of each token, a column."""
    w.places = (np.arange(w.X.shape[-2]) + (getattr(w, "offset", None) or 0))[:, None]  # (L, 1)


def speeds(w: Work) -> None:
    """How fast each pair turns."""
    d = w.X.shape[-1]
    w.speeds = (getattr(w, "base", None) or 1e4) ** (-np.arange(0, d, 2) / d)  # (d / 2,)


def angles(w: Work) -> None:
    """An angle for each position and pair."""
    w.angles = w.places * w.speeds  # (..., L, d / 2)


def pairs(w: Work) -> None:
    """Neighbouring columns."""
    w.a, w.b = w.X[..., 0::2], w.X[..., 1::2]


def turn(w: Work) -> None:
    """Turn each pair."""
    cos, sin = np.cos(w.angles), np.sin(w.angles)
    w.c, w.d = w.a * cos - w.b * sin, w.a * sin + w.b * cos


def put(w: Work) -> None:
    """Each number back in its column."""
    w.output = np.stack([w.c, w.d], axis=-1).reshape(w.X.shape)


ROTARY_STEPS: dict[str, Hook] = {
    "places": places,
    "speeds": speeds,
    "angles": angles,
    "pairs": pairs,
    "turn": turn,
    "put": put,
}


def probes(seed: int) -> list[Probe]:
    """The width of a head is even; lengths and heads differ."""
    rng = np.random.default_rng(seed)
    X, narrow = grid(rng, 2, 3, 5, 8), np.array([[[[1.0, 2, 3, 4], [1, 2, 3, 4]]]])
    return [
        Probe("x = [1, 2, 3, 4] at positions 0 and 1", {"X": narrow}),
        Probe("two samples, three heads, five tokens", {"X": X}),
        Probe("one token", {"X": X[:, :, :1]}),
        Probe("more heads than tokens", {"X": grid(rng, 2, 5, 3, 6)}),
        Probe("width 2", {"X": grid(rng, 3, 2, 5, 2)}),
        Probe("offset=3", {"X": narrow}, {"offset": 3}, frozenset({"offset"})),
        Probe("offset=7, five tokens", {"X": X}, {"offset": 7}, frozenset({"offset"})),
        Probe("base=100", {"X": X}, {"base": 100.0}, frozenset({"base"})),
    ]


def _halves(w: Work) -> None:
    w.a, w.b = np.split(w.X, 2, axis=-1)


def _put_halves(w: Work) -> None:
    w.output = np.concatenate([w.c, w.d], axis=-1)


def _mixed(w: Work) -> None:
    """Angles repeated for neighbours, columns paired by halves."""
    wide = np.repeat(w.angles, 2, axis=-1)
    a, b = np.split(w.X, 2, axis=-1)
    w.output = w.X * np.cos(wide) + np.concatenate([-b, a], axis=-1) * np.sin(wide)


def _mixed_back(w: Work) -> None:
    """Angles repeated for halves, columns paired as neighbours."""
    wide = np.concatenate([w.angles, w.angles], axis=-1)
    a, b = w.X[..., 0::2], w.X[..., 1::2]
    w.output = w.X * np.cos(wide) + np.stack([-b, a], axis=-1).reshape(w.X.shape) * np.sin(wide)


def _places(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.places = law(w)

    return {"places": step}


def _speeds(law: Callable[[Work, Array, int], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        d = w.X.shape[-1]
        w.speeds = law(w, np.arange(0, d, 2), d)

    return {"speeds": step}


def _start(w: Work) -> int:
    return int(getattr(w, "offset", None) or 0)


def _base(w: Work) -> float:
    return float(getattr(w, "base", None) or 1e4)


def _backwards(w: Work) -> None:
    w.angles = -w.places * w.speeds


def _column(n: int, start: int = 0) -> Array:
    return (np.arange(n) + start)[:, None]


OFFSET = frozenset({"offset"})
HALVES: dict[str, Hook] = {"pairs": _halves, "put": _put_halves}

WRONG: list[Variant] = [
    Variant("rope_pairing", HALVES, says="column c is paired with column c + d/2, not with its neighbour"),
    Variant("rope_pairing", {"put": _put_halves}, says="neighbours are turned and then put into two halves"),
    Variant("rope_mixed", {"put": _mixed}, says="the angles are laid out for neighbours, and halves are turned"),
    Variant("rope_mixed", {"put": _mixed_back}, says="the angles are laid out for halves, and neighbours are turned"),
    Variant("rope_axis", _places(lambda w: _column(w.X.shape[-3], _start(w))[:, None]),
        says="the angle grows along the heads, not along the tokens"),
    Variant("rope_axis", _places(lambda w: _column(w.X.shape[0], _start(w))[:, None, None]),
        says="the angle grows along the batch, not along the tokens"),
    Variant("rope_sign", {"angles": _backwards}, says="the rotation turns backwards"),
    Variant("rope_cache_offset", _places(lambda w: _column(w.X.shape[-2])), OFFSET,
        "positions start at 0 whatever the offset"),
    Variant("rope_offset", _places(lambda w: _column(w.X.shape[-2], _start(w) + 1)),
        says="the first position is 1, not 0"),
    Variant("rope_cache_offset", _places(lambda w: _column(w.X.shape[-2], max(_start(w) - 1, 0))), OFFSET,
        "positions with an offset are one too low"),
    Variant("rope_offset", _places(lambda w: np.full((w.X.shape[-2], 1), _start(w))),
        says="all tokens have the same position", common=False),
    Variant("rope_base", _speeds(lambda w, c, d: _base(w) ** (-c / (2 * d))),
        says="the exponent is c/(2d), half of what it should be"),
    Variant("rope_base", _speeds(lambda w, c, d: _base(w) ** (-2.0 * c / d)),
        says="the exponent is twice what it should be"),
    Variant("rope_base", _speeds(lambda w, c, d: _base(w) ** (c / d)), says="the exponent has no minus sign"),
    Variant("rope_base", _speeds(lambda w, c, d: np.full(len(c), 1.0)), says="all pairs turn equally fast",
        common=False),
    Variant("rope_base", _speeds(lambda w, c, d: _base(w) ** (-np.arange(len(c)) / max(len(c) - 1, 1))),
        says="the exponents run from 0 to 1 with the end included"),
    Variant("rope_base", _speeds(lambda w, c, d: 1e4 ** (-c / d)), frozenset({"base"}),
        "the base is 10000 whatever the argument"),
]  # fmt: skip

ABOUT = (
    """Queries or keys X (batch, n_heads, L, d) turned by their positions, neighbouring columns as pairs."""
)

ROTARY = Form("rotary", ROTARY_STEPS, begin, probes, ("X",), OPTIONS, about=ABOUT)
