"""The form "grouped": attention where several query heads share a key and value head."""

from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, arrays, some_mask
from attnref.diagnosis._pipeline import Array, Form, Probe
from attnref.diagnosis._steps import STEPS, begin


def probes(seed: int) -> list[Probe]:
    """Six query heads over two or three key heads, which hide nothing, and four over two, which hide less."""
    rng = np.random.default_rng(seed)
    sizes = {
        "six heads over two": ((3, 6, 5, 7, 4, 8), 2),
        "six heads over three": ((2, 6, 5, 5, 4, 7), 3),
        "four heads over one": ((2, 4, 5, 7, 3, 6), 1),
        "as many key heads as query heads": ((2, 3, 5, 7, 4, 6), 3),
        "one query": ((3, 6, 1, 5, 7, 4), 2),
    }
    given = {name: arrays(rng, *numbers, heads=heads) for name, (numbers, heads) in sizes.items()}
    two = given["six heads over two"]
    holes = some_mask(rng, 3, 6, 5, 7)
    holes[0, 1, 2] = holes[2, 5, 4] = False
    calls: list[tuple[str, dict[str, Array], dict[str, Any], set[str]]] = [
        *((name, x, {}, {"grouped"}) for name, x in given.items()),
        ("six heads over two, scale=0.25", two, {"scale": 0.25}, {"grouped", "scale"}),
        ("six heads over two, causal", two, {"causal": True}, {"grouped", "causal"}),
        ("six heads over two, mask with empty rows", two, {"mask": holes}, {"grouped", "mask", "empty"}),
        ("six heads over two, mask", two, {"mask": some_mask(rng, 3, 6, 5, 7)}, {"grouped", "mask"}),
    ]
    return [Probe(name, x, options, frozenset(words)) for name, x, options, words in calls]


ABOUT = """As "attention", with fewer heads of K and V than of Q: each serves neighbouring query heads."""

GROUPED = Form("grouped", STEPS, begin, probes, ("Q", "K", "V"), OPTIONS, about=ABOUT)
