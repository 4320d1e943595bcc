"""The form "alibi": a linear bias for causal attention. Steps, probes, and what goes wrong."""

from collections.abc import Callable

import numpy as np

from attnref._alibi import alibi_slopes
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work
from attnref.diagnosis._steps import begin


def slopes(w: Work) -> None:
    """A rate for each head."""
    w.slopes = alibi_slopes(w.n_heads)


def distances(w: Work) -> None:
    """How far each key is behind its query; the last ones line up."""
    w.distances = np.arange(w.L_k) - (np.arange(w.L_q)[:, None] + w.L_k - w.L_q)


def bias(w: Work) -> None:
    """Rates times distances, zero for the key at the query's own place."""
    w.output = w.slopes[:, None, None] * w.distances


STEPS: dict[str, Hook] = {"slopes": slopes, "distances": distances, "bias": bias}


def comparable(output: Array, probe: Probe) -> Array:
    """What the softmax sees of it: keys in the past alone, and no number that a whole row shares."""
    L_q, L_k = (int(probe.arrays[name]) for name in ("L_q", "L_k"))
    if output.ndim < 3 or output.shape[-1] != L_k or output.shape[-2] not in (1, L_q):
        return output
    output = np.broadcast_to(output.reshape(output.shape[-3:]), (output.shape[-3], L_q, L_k))
    own = np.arange(L_q) + L_k - L_q
    shifted = output - np.take_along_axis(output, own[None, :, None], axis=-1)
    return np.where(np.arange(L_k) <= own[:, None], shifted, 0.0)


def probes(seed: int) -> list[Probe]:
    """Numbers of heads that are powers of two and others; keys that come before the queries."""
    sizes = [(4, 5, 5), (8, 3, 3), (1, 3, 3), (6, 4, 4), (12, 3, 3), (3, 5, 5), (2, 1, 4), (4, 2, 7)]
    return [
        Probe(
            f"{heads} heads, {L_q} queries, {L_k} keys",
            {"n_heads": heads, "L_q": L_q, "L_k": L_k},
            features=frozenset({"cache"} if L_q != L_k else ())
            | (frozenset() if heads in (1, 2, 4, 8) else {"odd"}),
        )
        for heads, L_q, L_k in sizes
    ]


def _slopes(law: Callable[[int], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.slopes = law(w.n_heads)

    return {"slopes": step}


def _series(n: int) -> Array:
    return np.asarray(2.0 ** (-8 * np.arange(1, n + 1) / n))


def _higher(n: int) -> Array:
    """The first of those for the next higher power of two."""
    power = 1 << (n - 1).bit_length()
    return _series(power)[:n]


def _apart(n: int, start: int, every: int) -> Array:
    """The series of the power of two below, then slopes of the next one's."""
    power = 1 << (n.bit_length() - 1)
    first, finer = (2.0 ** (-8 * np.arange(start, p + start) / p) for p in (power, 2 * power))
    return np.concatenate([first, finer[::every][: n - power]])


def _turned(w: Work) -> None:
    w.output = -w.slopes[:, None, None] * w.distances


def _among_queries(w: Work) -> None:
    """Distances are counted from the first key, as if the queries were the first positions."""
    w.distances = np.arange(w.L_k) - np.arange(w.L_q)[:, None]
    w.distances = np.minimum(w.distances, 0)


def _both_ways(w: Work) -> None:
    """As far ahead as behind, counted from the first key."""
    w.distances = -np.abs(np.arange(w.L_k) - np.arange(w.L_q)[:, None])


def _zero(w: Work) -> None:
    w.distances = (
        np.zeros((w.L_q, w.L_k))
        if w.L_q == 1
        else np.arange(w.L_k) - (np.arange(w.L_q)[:, None] + w.L_k - w.L_q)
    )


def _linear_in_heads(n: int) -> Array:
    return np.arange(1, n + 1) / n


CACHE, ODD = frozenset({"cache"}), frozenset({"odd"})

WRONG: list[Variant] = [
    Variant("alibi_slopes", _slopes(_series), ODD, "one series of slopes serves any number of heads"),
    Variant("alibi_slopes", _slopes(_higher), ODD,
        "the slopes are the first of those for the next higher power of two"),
    Variant("alibi_slopes", _slopes(lambda n: alibi_slopes(n)[::-1]), says="the slopes are in reverse order"),
    Variant("alibi_slopes", _slopes(lambda n: np.ones(n)), says="all slopes are 1"),
    Variant("alibi_slopes", _slopes(_linear_in_heads), says="the slopes grow by equal steps"),
    Variant("alibi_exponent", _slopes(lambda n: 2.0 ** (-8 * np.arange(n) / n)),
        says="the exponents start at 0, so the first slope is 1"),
    Variant("alibi_exponent", _slopes(lambda n: _apart(n, 0, 2)),
        says="the exponents start at 0, so the first slope is 1, with the series of the next power of two behind"),
    Variant("alibi_slopes", _slopes(lambda n: _apart(n, 1, 1)), ODD,
        "beyond a power of two the first slopes of the finer series are taken, not every second one"),
    Variant("alibi_slopes", _slopes(lambda n: np.sort(alibi_slopes(n))[::-1]), ODD,
        "the slopes are sorted, those beyond a power of two among the others"),
    Variant("alibi_exponent", _slopes(lambda n: 2.0 ** -np.arange(1.0, n + 1)),
        says="the slopes are halved from head to head whatever their number"),
    Variant("alibi_sign", {"bias": _turned}, says="the sign is turned: far keys are favoured"),
    Variant("alibi_cache", {"distances": _among_queries}, CACHE, "distances are counted among the queries alone"),
    Variant("alibi_cache", {"distances": _both_ways}, CACHE,
        "distances are counted among the queries alone, and keys ahead are penalised too"),
    Variant("alibi_cache", {"distances": _zero}, CACHE, "a single query is not penalised at all"),
]  # fmt: skip

ABOUT = """A linear bias (n_heads, L_q, L_k) for causal attention; what stands in the future makes no difference."""

ALIBI = Form("alibi", STEPS, begin, probes, ("n_heads", "L_q", "L_k"), {}, comparable=comparable, about=ABOUT)
