"""The form "rotary_decode": a text in several calls, with queries and keys that turn. Probes, and what goes wrong."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays
from attnref.diagnosis._decode_form import CHUNKS, DECODE_STEPS, drive, start
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work, within

ABOUT = """As "decode", `fn(q, k, v, cache)`, by a function that turns queries and keys by their positions \
itself. Heads have a width of 2, where all pairings and bases are the same: each position turns by one radian."""


def places(w: Work) -> None:
    """The position of each query, and of each key as each query meets it."""
    n = len(w.calls)
    w.at_query, w.at_key = np.arange(n)[:, None], np.arange(n)[None, :] + np.zeros((n, 1))


def compare(w: Work) -> None:
    """Dot products of what is turned: only the difference of two positions counts."""
    q, k = w.Q[..., 0] + 1j * w.Q[..., 1], w.K[..., 0] + 1j * w.K[..., 1]
    turn = np.exp(1j * (w.at_query - w.at_key))
    w.dots = (q[..., :, None] * k.conj()[..., None, :] * turn).real


TURNED_STEPS = {**within(DECODE_STEPS, before="compare", places=places), "compare": compare}


def probes(seed: int) -> list[Probe]:
    """One text at once, token by token, and in parts."""
    rng = np.random.default_rng(seed)
    texts, longer = arrays(rng, 2, 3, 5, 5, 2, 2), arrays(rng, 3, 4, 7, 7, 2, 2)
    texts = {name: 2 * x for name, x in texts.items()}
    names = ("token by token", "three tokens, then one by one", "two tokens, then three")
    steps = frozenset({"steps", "causal"})
    return [
        Probe("all tokens at once", texts, {}, frozenset({"causal"}), chunks=(5,)),
        *(Probe(name, texts, {}, steps, chunks=chunks) for name, chunks in zip(names, CHUNKS, strict=False)),
        Probe("seven tokens: two, one, three, one", longer, {}, steps, chunks=(2, 1, 3, 1)),
        Probe("scale=0.25", texts, {"scale": 0.25}, steps | {"scale"}, chunks=(3, 1, 1)),
    ]


def demos() -> tuple[Probe, ...]:
    """Equal queries and keys, one token at a time."""
    ahead = np.tile([[[[1.0, 0]]]], (1, 1, 3, 1))
    V = np.array([[[[1.0, 0], [0, 1], [0, 0]]]])
    return (
        Probe(
            "three equal tokens, one by one",
            {"Q": 2 * ahead, "K": ahead, "V": V},
            {},
            frozenset({"steps", "causal"}),
            chunks=(1, 1, 1),
        ),
    )


def _places(law: Callable[[Work, Array, Array], tuple[Array, Array]]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        n = len(w.calls)
        w.at_query, w.at_key = law(w, np.arange(n)[:, None], np.arange(n)[None, :])

    return {"places": step}


def _since(w: Work) -> tuple[Array, Array]:
    """The first token of each call, as a column and as a row."""
    return w.first[:, None], w.first[None, :]


def _restarted(w: Work, i: Array, j: Array) -> tuple[Array, Array]:
    column, row = _since(w)
    return i - column, j - row


def _age(w: Work) -> Array:
    """How many calls ago each key came in."""
    return np.asarray(np.maximum(w.calls[:, None] - w.calls, 0))


def _turned_values(w: Work) -> None:
    """Values turn with their keys."""
    v = w.V[..., 0] + 1j * w.V[..., 1]
    blended = np.einsum("...ij,...j->...i", w.weights, v * np.exp(1j * np.arange(v.shape[-1])))
    w.output = np.stack([blended.real, blended.imag], axis=-1)


STEPPED = frozenset({"steps"})

TURNS: list[Variant] = [
    Variant("rope_cache_offset", _places(_restarted),
        STEPPED, "positions start at 0 in each call, for queries and keys"),
    Variant("rope_cache_offset", _places(lambda w, i, j: (i - _since(w)[0], j)),
        STEPPED, "positions of the queries start at 0 in each call"),
    Variant("rope_cache_offset", _places(lambda w, i, j: (i, j - _since(w)[1])),
        STEPPED, "positions of the keys start at 0 in each call"),
    Variant("rope_cache_offset", _places(lambda w, i, j: (i - (_since(w)[0] > 0), j - (_since(w)[1] > 0))), STEPPED,
        "positions are one too low once there is a cache"),
    Variant("rope_cache_offset", _places(lambda w, i, j: (i + (_since(w)[0] > 0), j + (_since(w)[1] > 0))), STEPPED,
        "positions are one too high once there is a cache"),
    Variant("rope_cache_offset", _places(lambda w, i, j: (i + (_since(w)[0] > 0), j)), STEPPED,
        "the position of a new query is one too high", False),
    Variant("rope_cache_offset",
        _places(lambda w, i, j: (i - _since(w)[0] + w.calls[:, None], j - _since(w)[1] + w.calls)),
        STEPPED, "positions count the calls before, not the tokens", False),
    Variant("rope_cache_offset",
        _places(lambda w, i, j: (i - _since(w)[0] + np.cumsum(np.bincount(w.calls))[w.calls][:, None], j)),
        says="queries are placed behind the cache with the new tokens in it already"),
    Variant("rope_double", _places(lambda w, i, j: (i, j * (_age(w) + 1))),
        STEPPED, "cached keys are turned again in each call"),
    Variant("rope_double", _places(lambda w, i, j: (i, j * (1 + (_age(w) > 0)))),
        STEPPED, "cached keys are turned once more when they are read"),
    Variant("rope_double", _places(lambda w, i, j: (i, 2 * j + 0 * i)), says="all keys are turned twice"),
    Variant("rope_double", _places(lambda w, i, j: (i, j - _since(w)[1] + j + 0 * i)),
        says="keys are turned from 0 in each call, and as a whole again", common=False),
    Variant("rope_missing", _places(lambda w, i, j: (0 * i, 0 * j)), says="neither queries nor keys are turned"),
    Variant("rope_missing", _places(lambda w, i, j: (i, 0 * j)), says="the keys are not turned"),
    Variant("rope_missing", _places(lambda w, i, j: (0 * i, j)), says="the queries are not turned"),
    Variant("rope_sign", _places(lambda w, i, j: (-i, -j)), says="queries and keys turn backwards"),
    Variant("rope_sign", _places(lambda w, i, j: (i, -j)), says="the keys turn backwards", common=False),
    Variant("rope_offset", _places(lambda w, i, j: (np.cumsum(np.bincount(w.calls))[w.calls][:, None] - 1, j)),
        says="all queries of a call have the position of the last"),
    Variant("rope_values", {"blend": _turned_values}, says="the values are turned too"),
]  # fmt: skip

ROTARY_DECODE = Form("rotary_decode", TURNED_STEPS, start, probes, ("q", "k", "v", "cache"),
                     {"scale": OPTIONS["scale"]},
                     demos=demos, drive=drive, about=ABOUT)  # fmt: skip
