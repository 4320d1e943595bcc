"""The form "decode": a text in several calls, with a cache of keys and values. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._arrays import back
from attnref.diagnosis._attention import OPTIONS, arrays
from attnref.diagnosis._calling import NotReturned
from attnref.diagnosis._demos import still
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Rules, Variant, Work
from attnref.diagnosis._steps import STEPS, begin, top

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


def _see(law: Callable[[Work, Array, Array], Array]) -> dict[str, Hook]:
    """From the numbers of query and key to what is seen."""

    def step(w: Work) -> None:
        n = len(w.calls)
        w.causal_seen = law(w, np.arange(n)[:, None], np.arange(n))

    return {"see_causal": step}


def _same_call(w: Work) -> Array:
    return np.asarray(w.calls[:, None] == w.calls)


def _twice(w: Work) -> None:
    """A key that counts twice has twice the weight."""
    w.open = w.logits = w.logits + np.log(2) * _same_call(w)


def _ends(w: Work) -> Array:
    """How many tokens there are after each token's call."""
    return np.asarray(np.cumsum(np.bincount(w.calls))[w.calls])


def _in_front(w: Work, i: Array, j: Array) -> Array:
    """New keys are put in front of the old ones, and the causal rule counts places."""
    ends = _ends(w)
    place = ends[:, None] - ends + j - w.first  # where key j stands in the call of query i
    return np.asarray((j < ends[:, None]) & (place <= i))


def _copied(w: Work) -> None:
    """New keys stand in the cache and behind it once more; the causal rule hides some of the second copy."""
    own = _same_call(w) & np.tri(len(w.calls), dtype=bool)
    w.open = w.logits = w.logits + np.log1p(own)


def _unfilled(size: int) -> dict[str, Hook]:
    """A cache of fixed size is attended to as a whole; what is not filled yet is zero."""

    def step(w: Work) -> None:
        more = np.maximum(size - _ends(w)[:, None], 0)
        shift = np.maximum(top(w.logits), np.where(more > 0, 0, -np.inf))
        powers = np.exp(w.logits - shift)
        w.weights = powers / (powers.sum(axis=-1, keepdims=True) + more * np.exp(-shift))

    return {"normalise": step}


STEPPED = frozenset({"steps"})

SEEN: list[Variant] = [
    Variant("cache_ignored", _see(lambda w, i, j: (j <= i) & _same_call(w)),
        STEPPED, "the cache is not used: new tokens see one another alone"),
    Variant("cache_replaced", _see(lambda w, i, j: (j <= i) & (w.calls >= w.calls[:, None] - 1)), STEPPED,
        "each call replaces the cache: only the tokens of the last call are kept"),
    Variant("cache_replaced", _see(lambda w, i, j: (j <= i) & (_same_call(w) | (w.calls == 0))), STEPPED,
        "the cache stays as the first call left it"),
    Variant("cache_late", _see(lambda w, i, j: (j < w.first[:, None]) | ((w.first[:, None] == 0) & (j <= i))), STEPPED,
        "new tokens do not see themselves: their keys enter the cache too late"),
    Variant("cache_twice", {"open": _twice}, STEPPED, "the keys of new tokens count twice"),
    Variant("cache_twice", {"open": _copied} | _see(lambda w, i, j: j < _ends(w)[:, None]),
        says="the keys of new tokens stand there twice, and those after a token are seen"),
    Variant("cache_order", _see(_in_front), STEPPED, "new keys are put in front of the old ones", False),
    Variant("kv_first_key_only", _see(lambda w, i, j: j <= i - w.first[:, None]), STEPPED,
        "the causal rule counts new queries from 0: the newest token sees the first keys alone"),
    Variant("causal_dropped", _see(lambda w, i, j: w.calls <= w.calls[:, None]),
        says="new tokens see those that come in the same call after them"),
    Variant("causal_off_by_one", _see(lambda w, i, j: (j < i) | ((j == i) & (i == 0))),
        says="no token but the first sees itself"),
    Variant("causal_off_by_one", _see(lambda w, i, j: j < i), says="no token sees itself"),
    Variant("causal_dropped",
        _see(lambda w, i, j: (j <= i) | ((w.first[:, None] > 0) & (j < _ends(w)[:, None]))), STEPPED,
        "once there is a cache, new tokens see those that come in the same call after them", False),
    *(Variant("cache_unfilled", _unfilled(size),
        says=f"a cache of {size} places is attended to as a whole, filled or not", common=False)
      for size in (8, 10, 12, 16, 20, 24, 32, 48, 50, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096)),
]  # fmt: skip


DECODE = Form("decode", DECODE_STEPS, start, probes, ("q", "k", "v", "cache"),
              {name: OPTIONS[name] for name in ("mask", "scale")}, comparable=comparable, demos=demos, drive=drive,
              about=ABOUT)  # fmt: skip
