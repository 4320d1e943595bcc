"""Put questions to a function: in its own layout, and with arrays of which every framework can do something."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np

from attnref.diagnosis._again import Observed
from attnref.diagnosis._arrays import narrowed
from attnref.diagnosis._attention import ATTENTION, OPTIONS
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._demos import four
from attnref.diagnosis._observe import settle
from attnref.diagnosis._pipeline import Array, Probe, Rules
from attnref.diagnosis._seen import Seen

FORM = replace(
    ATTENTION,
    options={
        **OPTIONS,
        "causal": (*OPTIONS["causal"], "use_causal_mask"),
        "scale": (*OPTIONS["scale"], "scaling"),
        "window": ("window", "local_window_size", "sliding_window", "window_size"),
        "softcap": (*OPTIONS["softcap"], "attn_logits_soft_cap"),
    },
)
NONE = "no such argument"
NAMES = {"B": "batch", "H": "heads", "L": "length", "D": "width"}


class Asker(Caller):
    """The function, the layouts that it takes and gives, and the answers so far."""

    def __init__(self, fn: Any, adapter: Any) -> None:
        # The one dtype that all frameworks know.
        super().__init__(fn, FORM, Rules(), adapter, np.float32)
        self.out = self.rules.layout
        self.found: dict[str, str] = {}

    def read(self, probe: Probe, value: Any, before: list[Any], given: list[Any]) -> Seen:
        """As ever, but from the layout of the result, which may be another one than that of the arguments."""
        taken, self.rules = self.rules, replace(self.rules, layout=self.out)
        try:
            return super().read(probe, value, before, given)
        finally:
            self.rules = taken

    def ask(self, Q: object, K: object, V: object, **options: object) -> Array | None:
        """The output of one call, with four axes; None where there is none."""
        if not set(options) <= set(self.takes):
            return None
        probe = Probe("question", {"Q": four(Q), "K": four(K), "V": four(V)}, options)
        output = self(narrowed(probe, self.rules.layout)).output
        return output if output is not None and output.ndim == 4 else None

    def weigh(self, L_q: int, L_k: int, **options: object) -> Array | None:
        """The weights where all scores are zero: the values are the identity, so the output is the weights."""
        x = self.ask(np.zeros((L_q, L_k)), np.ones((L_k, L_k)), np.eye(L_k), **options)
        return x[0, 0] if x is not None and x.shape == (1, 1, L_q, L_k) else None

    def hiding(self, *hidden: bool) -> Array | None:
        """A mask for one query that hides these keys, in the function's own words; None: it knows none."""
        mask = np.array(hidden).reshape(1, 1, 1, -1)
        return {"True attends": ~mask, "True hides": mask}.get(self.found.get("mask, True or False", ""))

    def adding(self, *terms: float) -> dict[str, object]:
        """The argument by which numbers are added to the scores of one query; empty: there is none."""
        term = np.array(terms, self.dtype).reshape(1, 1, 1, -1)
        if self.found.get("mask, numbers") == "added":
            return {"mask": term}
        return {"bias": term} if "bias" in self.takes else {}


def close(x: Array, expected: object, tolerance: float = 1e-4) -> bool:
    """The same numbers up to a rounding, NaN in the same places."""
    y = np.asarray(expected, dtype=np.float64)
    both = np.isnan(x) & np.isnan(np.broadcast_to(y, x.shape))
    with np.errstate(invalid="ignore"):
        return bool(np.all((np.abs(x - y) <= tolerance) | both))


def layouts(asker: Asker) -> str:
    """Find the layout by queries of zero: the output is the mean over the axis that is attended over."""
    refused = ""
    for letters in ("BHLD", "BLD", "LD"):
        asker.rules, asker.out = Rules(letters), letters
        settle(asker, FORM.probes(0), Observed())
        sizes = (2, 3, 4)[-(len(letters) - 1) :]
        V = np.arange(2.0 * np.prod(sizes)).reshape(*sizes, 2)
        probe = Probe("layout", {"Q": np.zeros_like(V), "K": np.ones_like(V), "V": V})
        asker.rules = Rules("BHLD" if len(letters) == 4 else letters)
        seen = bare(asker, probe)
        refused = refused or seen.problem
        found = attended(seen.results[0], V) if seen.results else None
        if found:
            asker.rules, asker.out = Rules(found[0]), found[1]
            return described(*found)
    return f"not found: it raises {refused}" if refused else "not found"


def bare(asker: Asker, probe: Probe) -> Seen:
    """A call with arrays of any number of axes, taken and given as they are."""
    rules, out = asker.rules, asker.out
    asker.rules, asker.out = Rules("BHLD"), "BHLD"
    try:
        return asker(probe)
    finally:
        asker.rules, asker.out = rules, out


def attended(x: Array, V: Array) -> tuple[str, str] | None:
    """The layouts of the values and of the output, from a mean over one axis; None: it is none."""
    rest = V.ndim - 1
    for axis in range(rest - 1, -1, -1):
        letters = list("BH"[: rest - 1] if rest > 1 else "")
        letters.insert(axis, "L")
        mean = np.broadcast_to(V.mean(axis=axis, keepdims=True), V.shape)
        for order in permutations(range(rest)):
            turned = mean.transpose(*order, rest)
            if turned.shape == x.shape and close(x, turned, 1e-3):
                return "".join(letters) + "D", "".join(letters[k] for k in order) + "D"
    return None


def described(taken: str, given: str) -> str:
    """Layouts in words."""
    words = [", ".join(NAMES[letter] for letter in letters) for letters in (taken, given)]
    return words[0] if taken == given else f"{words[0]}; the result: {words[1]}"


def first(x: Array | None, answers: Sequence[tuple[object, str]], otherwise: str = "") -> str:
    """The words for the first row of numbers that is the one seen."""
    if x is None:
        return "refused"
    return next((words for numbers, words in answers if close(x, numbers)), otherwise)
