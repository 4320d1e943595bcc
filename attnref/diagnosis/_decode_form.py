"""The form "decode": a text in several calls, with a cache of keys and values. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._arrays import back
from attnref.diagnosis._attention import OPTIONS, arrays
from attnref.diagnosis._demos import still
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Rules, Work
from attnref.diagnosis._seen import NotReturned
from attnref.diagnosis._steps import STEPS, begin

ABOUT = """A text in several calls: `fn(q, k, v, cache)` gets the new tokens' arrays, shape (batch, n_heads, L_new, \
d), and what the last call returned as cache, None in the first call; it returns `(output, cache)`. New tokens see \
themselves and all tokens before them. `mask`, (batch, tokens so far), says which tokens are no padding."""


def drive(
    call: Callable[..., Any], given: list[Any], options: dict[str, Any], probe: Probe, rules: Rules
) -> Any:
    """All calls of one text, with their outputs one behind the other."""
    axis = rules.layout.index("L")
    outputs, cache, start = [], None, 0
    for n in probe.chunks:
        cut = (slice(None),) * axis + (slice(start, start + n),)
        start += n
        now = {name: x[:, :start] if np.ndim(x) == 2 else x for name, x in options.items()}
        result = call(*(x[cut] for x in given), cache, **now)
        if not isinstance(result, (tuple, list)) or len(result) < 2:
            raise NotReturned(f"an object of type {type(result).__name__}, where (output, cache) is due")
        output, cache = back(result[0]), result[1]
        if output is None or output.ndim != len(rules.layout):
            raise NotReturned(f"no output of {len(rules.layout)} axes, but {type(result[0]).__name__}")
        outputs.append(output)
    return np.concatenate(outputs, axis=axis)


def start(probe: Probe, rules: Rules) -> Work:
    """The whole text at once; of the calls only their borders are left."""
    w = begin(probe, rules)
    w.calls = np.repeat(np.arange(len(probe.chunks)), probe.chunks)  # the call that each token came in
    w.first = np.repeat(np.cumsum((0, *probe.chunks))[:-1], probe.chunks)  # the first token of that call
    w.padding = w.mask
    w.mask = None if w.mask is None else np.asarray(w.mask, bool)[:, None, None, :]
    return w


def see_past(w: Work) -> None:
    """Each token sees itself and what came before."""
    n = len(w.calls)
    w.causal_seen = np.tri(n, dtype=bool)


DECODE_STEPS: dict[str, Hook] = {**STEPS, "see_causal": see_past}
CHUNKS = ((1, 1, 1, 1, 1), (3, 1, 1), (2, 3), (5,))


def comparable(output: Array, probe: Probe) -> Array:
    """What a query gives that is padding makes no difference."""
    real = probe.options.get("mask")
    if real is None or output.ndim != 4 or output.shape[2] != real.shape[1]:
        return output
    return np.where(real[:, None, :, None], output, 0.0)


def probes(seed: int) -> list[Probe]:
    """The same texts at once, token by token, and in parts."""
    rng = np.random.default_rng(seed)
    texts, longer = arrays(rng, 2, 3, 5, 5, 4, 7), arrays(rng, 3, 2, 7, 7, 6, 4)
    shared = arrays(rng, 2, 6, 5, 5, 4, 3, heads=2)
    mask = np.arange(5) >= np.array([2, 0])[:, None]
    mixed = np.array([[True, True, False, True, True], [True, False, False, True, True]])
    names = (
        "token by token",
        "three tokens, then one by one",
        "two tokens, then three",
        "all tokens at once",
    )
    found = [
        Probe(name, texts, {}, frozenset({"steps", "causal"}), chunks=chunks)
        for name, chunks in zip(names, CHUNKS, strict=True)
    ]
    plain = [Probe("all tokens at once", texts, {}, frozenset({"causal"}), chunks=(5,)), *found[:3]]
    return [
        *plain,
        Probe("seven tokens: two, one, three, one", longer, {}, frozenset({"steps", "causal"}), chunks=(2, 1, 3, 1)),
        Probe("six heads over two", shared, {}, frozenset({"steps", "causal", "grouped"}), chunks=(2, 1, 2),
            optional=True),
        Probe("scale=0.25", texts, {"scale": 0.25}, frozenset({"steps", "causal", "scale"}), chunks=(3, 1, 1)),
        Probe("padding in front", texts, {"mask": mask}, frozenset({"steps", "causal", "mask"}), chunks=(3, 1, 1)),
        Probe("padding in between", texts, {"mask": mixed}, frozenset({"steps", "causal", "mask"}),
            chunks=(1, 2, 1, 1)),
    ]  # fmt: skip


def demos() -> tuple[Probe, ...]:
    """Queries of zero, and the identity as values: the output is the weights."""
    one = still(3, 3, "three tokens one by one", "steps causal")
    two = still(4, 4, "two tokens, then two more", "steps causal")
    return (
        Probe(one.name, one.arrays, {}, one.features, chunks=(1, 1, 1)),
        Probe(two.name, two.arrays, {}, two.features, chunks=(2, 2)),
        Probe("three tokens, the first one padding", one.arrays, {"mask": np.array([[False, True, True]])},
              frozenset({"steps", "causal", "mask"}), chunks=(2, 1)),
    )  # fmt: skip


DECODE = Form("decode", DECODE_STEPS, start, probes, ("q", "k", "v", "cache"),
              {name: OPTIONS[name] for name in ("mask", "scale")}, comparable=comparable, demos=demos, drive=drive,
              about=ABOUT)  # fmt: skip
