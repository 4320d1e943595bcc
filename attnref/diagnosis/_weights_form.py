"""The forms "rope_weights" and "differential_factor": numbers that a model is loaded with. What goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import grid
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Variant, Work
from attnref.diagnosis._steps import begin

ABOUT = """Weights for rotary positions in neighbouring columns, turned into weights for halves: `W_Q` (d_model, \
n_heads · d), `W_K` (d_model, n_kv_heads · d), `n_heads`, `n_kv_heads`; returned are both. In each head the even \
columns come first and the odd ones after them. An adapter transposes weights that are kept the other way round."""

Order = Callable[[Array, int], Array]


def ordered(W: Array, heads: int) -> Array:
    """In each head the even columns first, the odd ones after them."""
    parts = W.reshape(len(W), heads, -1, 2)  # (d_model, heads, d / 2, 2)
    return np.asarray(parts.swapaxes(-1, -2).reshape(W.shape))


def back(W: Array, heads: int) -> Array:
    """The other way round."""
    return np.asarray(W.reshape(len(W), heads, 2, -1).swapaxes(-1, -2).reshape(W.shape))


def permute(w: Work) -> None:
    """Each matrix by its own number of heads."""
    w.new_Q, w.new_K = ordered(w.W_Q, w.n_heads), ordered(w.W_K, w.n_kv_heads)


def finish(w: Work) -> None:
    """Both, one after the other."""
    w.output = np.concatenate([w.new_Q.ravel(), w.new_K.ravel()])


def probes(seed: int) -> list[Probe]:
    """More query heads than key heads; in one case the quotient is the number of key heads, which hides a fault."""
    rng = np.random.default_rng(seed)

    def given(d_model: int, heads: int, kv_heads: int, d: int) -> dict[str, Any]:
        return {
            "W_Q": grid(rng, d_model, heads * d),
            "W_K": grid(rng, d_model, kv_heads * d),
            "n_heads": heads,
            "n_kv_heads": kv_heads,
        }

    return [
        Probe("six heads over two", given(5, 6, 2, 12), features=frozenset({"grouped"})),
        Probe("as many key heads as query heads", given(7, 3, 3, 4)),
        Probe("four heads over two", given(3, 4, 2, 8), features=frozenset({"grouped"})),
        Probe("eight heads over two, d_model = 16", given(16, 8, 2, 8), features=frozenset({"grouped"})),
        Probe("one key head", given(5, 3, 1, 12), features=frozenset({"grouped"})),
    ]


def demos() -> tuple[Probe, ...]:
    """Columns that bear their numbers."""
    one = {"W_Q": np.arange(4.0)[None], "W_K": np.arange(4.0)[None], "n_heads": 1, "n_kv_heads": 1}
    two = {"W_Q": np.arange(16.0)[None], "W_K": np.arange(4.0)[None], "n_heads": 4, "n_kv_heads": 1}
    return Probe("one head of width 4", one), Probe(
        "four heads over one, of width 4", two, features=frozenset({"grouped"})
    )


def _permute(law: Callable[[Work], tuple[Array, Array]]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.new_Q, w.new_K = law(w)

    return {"permute": step}


def _keys(law: Callable[[Work], Array]) -> dict[str, Hook]:
    return _permute(lambda w: (ordered(w.W_Q, w.n_heads), law(w)))


def _whole(W: Array, heads: int) -> Array:
    return ordered(W, 1)


GROUPED = frozenset({"grouped"})

WRONG: list[Variant] = [
    Variant("gqa_weight_permute", _keys(lambda w: ordered(w.W_K, w.n_heads)),
        GROUPED, "W_K is cut into n_heads heads, not n_kv_heads"),
    Variant("gqa_weight_permute", _keys(lambda w: ordered(w.W_K, w.n_heads // w.n_kv_heads)),
        says="W_K is cut into n_heads // n_kv_heads heads, not n_kv_heads"),
    Variant("gqa_weight_permute",
        _permute(lambda w: (ordered(w.W_Q, w.n_kv_heads), ordered(w.W_K, w.n_kv_heads))), GROUPED,
        "W_Q is cut into n_kv_heads heads"),
    Variant("rope_weights_order", _permute(lambda w: (back(w.W_Q, w.n_heads), back(w.W_K, w.n_kv_heads))),
        says="the order is turned the other way, from halves to neighbours"),
    Variant("rope_weights_order", _permute(lambda w: (_whole(w.W_Q, 1), _whole(w.W_K, 1))),
        says="columns are ordered across all heads"),
    Variant("rope_weights_order", _permute(lambda w: (w.W_Q, w.W_K)), says="the columns stay as they are"),
    Variant("rope_weights_order", _keys(lambda w: w.W_K), says="the columns of W_K stay as they are"),
    Variant("rope_weights_order", _permute(lambda w: (w.W_Q, ordered(w.W_K, w.n_kv_heads))),
        says="the columns of W_Q stay as they are"),
    Variant("rope_weights_order", _permute(lambda w: (ordered(w.W_Q.T, w.n_heads).T, ordered(w.W_K.T, w.n_kv_heads).T)),
        says="rows are ordered, not columns", common=False),
]  # fmt: skip

ROPE_WEIGHTS = Form("rope_weights", {"permute": permute, "finish": finish}, begin, probes,
                    ("W_Q", "W_K", "n_heads", "n_kv_heads"), {}, ("new_Q", "new_K"), demos=demos,
                    about=ABOUT)  # fmt: skip

FACTOR_ABOUT = """λ of differential attention: exp(q_a · k_a) − exp(q_b · k_b) + λ_init, from four vectors of shape \
(d_k,) and the number of the `layer`, 0 for the first; λ_init = 0.8 − 0.6 exp(−0.3 layer). Returned is λ."""


def learned(w: Work) -> None:
    """What the four vectors say."""
    w.learned = np.exp(w.q_a @ w.k_a) - np.exp(w.q_b @ w.k_b)


def initial(w: Work) -> None:
    """What the depth says."""
    w.initial = 0.8 - 0.6 * np.exp(-0.3 * w.layer)


def together(w: Work) -> None:
    """Their sum."""
    w.output = np.atleast_1d(w.learned + w.initial)


def factor_probes(seed: int) -> list[Probe]:
    """The first layers, and a deep one."""
    rng = np.random.default_rng(seed)

    def given(d: int, layer: int) -> dict[str, Any]:
        return {name: grid(rng, d) / 4 for name in ("q_a", "k_a", "q_b", "k_b")} | {"layer": layer}

    return [
        Probe(f"layer {layer}, d_k = {d}", given(d, layer)) for layer, d in ((0, 4), (1, 3), (5, 6), (30, 2))
    ]


def factor_demos() -> tuple[Probe, ...]:
    """Vectors of zero."""
    zero = np.zeros(1)
    return tuple(
        Probe(f"vectors of 0, layer {n}", {"q_a": zero, "k_a": zero, "q_b": zero, "k_b": zero, "layer": n})
        for n in (0, 1)
    )


def flat(output: Array, probe: Probe) -> Array:
    """A single number has no axes, or one, or two."""
    return output.reshape(1) if output.size == 1 else output


def _learned(law: Callable[[Work], Any]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.learned = law(w)

    return {"learned": step}


def _initial(law: Callable[[float], Any]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.initial = law(w.layer)

    return {"initial": step}


FACTOR_WRONG: list[Variant] = [
    Variant("diff_lambda", {"initial": lambda w: setattr(w, "initial", 0.0)}, says="λ_init is not added"),
    Variant("diff_lambda", _initial(lambda n: 0.8 - 0.6 * np.exp(-0.3 * (n + 1))), says="layers are counted from 1"),
    Variant("diff_lambda", _initial(lambda n: 0.8 - 0.6 * np.exp(-0.3 * (n - 1))),
        says="1 is taken from layers that count from 0"),
    Variant("diff_lambda", _initial(lambda n: 0.8), says="λ_init is 0.8 in every layer"),
    Variant("diff_lambda", _initial(lambda n: 0.8 + 0.6 * np.exp(-0.3 * n)), says="the sign before 0.6 is turned"),
    Variant("diff_lambda", _initial(lambda n: 0.8 - 0.6 * np.exp(0.3 * n)), says="the sign in the exponent is turned"),
    Variant("diff_lambda", _learned(lambda w: 0.0), says="the four vectors have no part"),
    Variant("diff_lambda", _learned(lambda w: w.q_a @ w.k_a - w.q_b @ w.k_b), says="the exponentials are missing"),
    Variant("diff_lambda", _learned(lambda w: np.exp(w.q_a @ w.k_a) + np.exp(w.q_b @ w.k_b)),
        says="the exponentials are added"),
    Variant("diff_lambda", _learned(lambda w: np.exp(w.q_b @ w.k_b) - np.exp(w.q_a @ w.k_a)),
        says="the exponentials are exchanged"),
    Variant("diff_lambda", _learned(lambda w: np.exp(w.q_a @ w.k_a - w.q_b @ w.k_b)),
        says="one exponential is taken of the difference"),
    Variant("diff_lambda", _learned(lambda w: np.exp((w.q_a * w.k_a).mean()) - np.exp((w.q_b * w.k_b).mean())),
        says="products are averaged, not added up", common=False),
]  # fmt: skip

FACTOR = Form("differential_factor", {"learned": learned, "initial": initial, "together": together}, begin,
              factor_probes, ("q_a", "k_a", "q_b", "k_b", "layer"), {}, comparable=flat, demos=factor_demos,
              about=FACTOR_ABOUT)  # fmt: skip
