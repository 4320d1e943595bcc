"""The form "positions": where the tokens of padded texts stand. Steps, probes, and what goes wrong."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work, nothing
from attnref.diagnosis._steps import begin

ABOUT = """The position of each token of texts that are padded: `real` (batch, L) is True where a token is no padding; \
returned are whole numbers (batch, L), 0 for the first real token of each text. What stands at padding makes no \
difference."""


def count(w: Work) -> None:
    """How many real tokens stand before."""
    w.output = np.cumsum(w.real, axis=-1) - 1.0


STEPS: dict[str, Hook] = {"read": nothing, "count": count}


def comparable(output: Array, probe: Probe) -> Array:
    """What stands at padding makes no difference."""
    real = probe.arrays["real"]
    output = (
        np.broadcast_to(output, real.shape)
        if output.ndim < 2 and output.shape[-1:] == real.shape[-1:]
        else output
    )
    return np.where(real, output, 0.0) if output.shape == real.shape else output


def probes(seed: int) -> list[Probe]:
    """Padding in front, behind, and none."""
    rows = {
        "padding in front": ["00111", "11111", "00001"],
        "padding behind": ["11100", "11111"],
        "no padding": ["111", "111"],
        "padding in between": ["0110111", "1100011", "1111111"],
        "one text": ["0001111"],
    }
    return [Probe(name, {"real": _real(*texts)}) for name, texts in rows.items()]


def demos() -> tuple[Probe, ...]:
    """Two pads, then two tokens."""
    return (
        Probe("two pads, then two tokens", {"real": _real("0011")}),
        Probe("two texts, the second padded", {"real": _real("1111", "0011")}),
    )


def _real(*rows: str) -> Array:
    return np.array([[letter == "1" for letter in row] for row in rows])


def _count(law: Callable[[Array], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.output = np.asarray(law(w.real), dtype=np.float64)

    return {"count": step}


def _index(x: Array) -> Array:
    return np.broadcast_to(np.arange(x.shape[-1]), x.shape)


def _less_padding(least: int) -> Callable[[Array], Array]:
    return lambda x: np.maximum(_index(x) - (~x).sum(axis=-1, keepdims=True), least)


def _shared(x: Array) -> Array:
    return np.broadcast_to(np.cumsum(x[0]) - 1, x.shape)


WRONG: list[Variant] = [
    Variant("position_left_pad", _count(_index), says="padding is counted: positions are places in the row"),
    Variant("position_left_pad", _count(_shared), says="all texts have the positions of the first"),
    Variant("position_left_pad", _count(lambda x: _index(x) - np.argmax(x, axis=-1)[:, None]),
        says="positions start at the first real token, and padding behind it is counted"),
    *(Variant("position_left_pad", _count(_less_padding(n)),
        says="all padding is subtracted, whichever side it stands on") for n in (-99, 0)),
    Variant("position_from_one", _count(lambda x: np.cumsum(x, axis=-1)), says="the first real token has position 1"),
    Variant("position_from_one", _count(lambda x: np.cumsum(x, axis=-1) + 1),
        says="the first real token has position 2"),
    Variant("position_batch", _count(lambda x: np.cumsum(x, axis=0) - 1), says="tokens are counted along the batch"),
    Variant("position_batch", _count(lambda x: np.cumsum(x).reshape(x.shape) - 1),
        says="tokens are counted on from text to text"),
    Variant("position_inverted", _count(lambda x: np.cumsum(~x, axis=-1) - 1), says="padding is counted, not tokens"),
    Variant("position_inverted", _count(lambda x: np.cumsum(x[:, ::-1], axis=-1)[:, ::-1] - 1),
        says="tokens are counted from the end"),
]  # fmt: skip

POSITIONS = Form(
    "positions", STEPS, begin, probes, ("real",), {}, comparable=comparable, demos=demos, about=ABOUT
)
