"""The form "attention": what it is called with, and the probes."""

from typing import Any

import numpy as np

from attnref.diagnosis._demos import demos
from attnref.diagnosis._pipeline import Array, Form, Probe
from attnref.diagnosis._steps import STEPS, begin

OPTIONS = {
    "mask": ("mask", "attn_mask", "attention_mask"),
    "causal": ("causal", "is_causal"),
    "scale": ("scale", "softmax_scale", "sm_scale"),
    "bias": ("bias", "attn_bias"),
    "window": ("window",),
    "softcap": ("softcap", "soft_cap", "logit_cap", "logits_soft_cap"),
    "lengths": ("lengths", "kv_lengths", "key_lengths", "seq_lens", "valid_lens", "key_value_seq_lengths"),
}


def grid(rng: np.random.Generator, *shape: int) -> Array:
    """Numbers that `float32` holds exactly, and so their products: multiples of an eighth."""
    return np.round(8 * rng.normal(size=shape)) / 8


def arrays(rng: np.random.Generator, *sizes: int, heads: int | None = None) -> dict[str, Array]:
    """Q, K and V for batch, n_heads, L_q, L_k, d_k, d_v."""
    B, H, L_q, L_k, d_k, d_v = sizes
    H_k = heads or H
    return {
        "Q": grid(rng, B, H, L_q, d_k),
        "K": grid(rng, B, H_k, L_k, d_k),
        "V": grid(rng, B, H_k, L_k, d_v),
    }


def some_mask(rng: np.random.Generator, *shape: int) -> Array:
    """True in about two places of three, in each row at least once, in most rows not everywhere."""
    mask = rng.random(shape) < 0.6
    mask[..., 0] |= ~mask.any(axis=-1)
    mask[..., -1] &= ~mask.all(axis=-1)
    return mask


def levels(rng: np.random.Generator, tops: list[float], L_k: int, spread: float) -> dict[str, Array]:
    """One row of scores at each level: `tops` downwards by steps of `spread`. d_k is four, the scale one half."""
    Q = np.zeros((1, 1, len(tops), 4))
    Q[0, 0, :, 0], Q[0, 0, :, 1] = tops, 1
    K = np.zeros((1, 1, L_k, 4))
    K[0, 0, :, 0], K[0, 0, :, 1] = 2, -2 * spread * rng.permutation(L_k)
    return {"Q": Q, "K": K, "V": grid(rng, 1, 1, L_k, 3)}


HIGH = [3.0, 400.0, 698.0, 706.0, 712.0, 718.0, 725.0, 735.0, 750.0, 770.0, 785.0, 800.0, 820.0, 850.0]
HIGH += [920.0, 980.0, 1020.0, 1250.0, 2000.0]
NEGATIVE = [-1.0, -9.0, -40.0, -200.0, -700.0, -800.0, -1000.0, -1400.0]
NEGATIVE += [-3000.0, -12000.0, -40000.0, -60000.0]


def plain(rng: np.random.Generator) -> list[Probe]:
    """Nothing but queries, keys and values."""
    square = arrays(rng, 2, 2, 5, 5, 5, 5)
    precise = {"Q": np.zeros((1, 1, 1, 4)), "K": np.zeros((1, 1, 2, 4)), "V": np.array([[[[1.0], [-1.0]]]])}
    precise["Q"][..., 0], precise["K"][0, 0, 0, 0] = 1, 2e-9
    return [
        Probe("all sizes different", arrays(rng, 2, 3, 5, 7, 4, 6)),
        Probe("as many queries as keys", arrays(rng, 2, 3, 5, 5, 4, 7)),
        Probe("more queries than keys", arrays(rng, 3, 2, 7, 4, 11, 5)),
        Probe("batch, lengths and widths coincide", square, optional=True),
        Probe("all sizes coincide", arrays(rng, 3, 3, 3, 3, 3, 3), optional=True),
        Probe("one query", arrays(rng, 3, 2, 1, 5, 7, 4)),
        Probe("one query, one key", arrays(np.random.default_rng(6), 3, 2, 1, 1, 5, 4)),
        Probe("scores up to 10 apart", levels(np.random.default_rng(7), [2.0], 5, 2.5)),
        Probe("scores from 3 to 2000", levels(rng, HIGH, 5, 1.0), features=frozenset({"large"})),
        Probe("scores from -1 to -60000", levels(rng, NEGATIVE, 5, 1.0), features=frozenset({"low"})),
        Probe("149 keys", arrays(rng, 1, 1, 2, 149, 4, 3), features=LONG),
        Probe("two scores that differ by 1e-9", precise, tight=True),
    ]


def with_options(rng: np.random.Generator) -> list[Probe]:
    """One option at a time, then two."""
    cross, self_ = arrays(rng, 2, 3, 5, 7, 4, 6), arrays(rng, 2, 3, 5, 5, 4, 7)
    long_q, one = arrays(rng, 3, 2, 7, 4, 3, 5), arrays(rng, 3, 2, 1, 5, 7, 4)
    full = some_mask(rng, 2, 3, 5, 7)
    holes = full.copy()
    holes[0, 1, 2], holes[1, 0, 4], holes[1, 2, 0] = False, False, False
    rank_3 = {**arrays(rng, 3, 3, 5, 7, 4, 6)}
    first = levels(rng, [2.0, -1000.0], 149, 1.0)
    late = np.arange(149) >= 137
    low = levels(rng, [-1.0, -40.0, -300.0, -3000.0, -20000.0, -60000.0], 5, 1.0)
    calls: list[tuple[str, dict[str, Array], dict[str, Any], str]] = [
        ("scale=0.25", cross, {"scale": 0.25}, "scale"),
        ("causal", self_, {"causal": True}, "causal"),
        ("causal, more keys than queries", cross, {"causal": True}, "causal"),
        ("causal, one query", one, {"causal": True}, "causal"),
        ("causal, scale=0.25", self_, {"causal": True, "scale": 0.25}, "causal scale causal+scale"),
        ("mask", cross, {"mask": full}, "mask"),
        ("mask for all heads", cross, {"mask": some_mask(rng, 2, 1, 5, 7)}, "mask shared"),
        ("mask of two axes", cross, {"mask": some_mask(rng, 5, 7)}, "mask shared"),
        ("padding mask", cross, {"mask": np.arange(7) < np.array([4, 6])[:, None, None, None]}, "mask shared"),
        ("mask of three axes", rank_3, {"mask": some_mask(rng, 3, 5, 7)}, "mask shared+mask rank 3"),
        ("mask, scores from -1 to -60000", low, {"mask": some_mask(rng, 1, 1, 6, 5)}, "mask low"),
        ("mask hides the first 137 of 149 keys", first, {"mask": np.broadcast_to(late, (1, 1, 2,
            149)).copy()}, "mask low first_block"),
        ("mask, scale=0.25", cross, {"mask": full, "scale": 0.25}, "mask scale mask+scale"),
        ("mask and causal", self_, {"mask": some_mask(rng, 2, 3, 5, 5) | np.eye(5, dtype=bool),
            "causal": True}, "mask causal mask+causal"),
        ("causal, more queries than keys", long_q, {"causal": True}, "causal empty"),
        ("mask with empty rows", cross, {"mask": holes}, "mask empty"),
        ("mask and causal, empty rows", self_, {"mask": holes[..., 2:], "causal": True},
            "mask causal mask+causal empty"),
        ("bias", cross, {"bias": grid(rng, 2, 3, 5, 7)}, "bias"),
        ("bias, scale=0.25", cross, {"bias": grid(rng, 2, 3, 5, 7), "scale": 0.25}, "bias scale"),
        ("bias and causal", self_, {"bias": grid(rng, 2, 3, 5, 5), "causal": True}, "bias causal"),
        ("window (1, 0)", self_, {"window": (1, 0)}, "window"),
        ("window (2, 1), more keys", cross, {"window": (2, 1)}, "window"),
        ("window (0, 2)", self_, {"window": (0, 2)}, "window"),
        ("window (1, 0) and causal", cross, {"window": (1, 0), "causal": True}, "window causal"),
        ("softcap=1.5", cross, {"softcap": 1.5}, "softcap"),
        ("softcap=1.5 and causal", self_, {"softcap": 1.5, "causal": True}, "softcap causal"),
        ("softcap=1.5 and mask", cross, {"softcap": 1.5, "mask": full}, "softcap mask"),
        ("softcap=1.5 and bias", cross, {"softcap": 1.5, "bias": 4 * grid(rng, 2, 3, 5, 7)}, "softcap bias"),
    ]  # fmt: skip
    return [
        Probe(name, given, options, tags(words), optional="shared" in words)
        for name, given, options, words in calls
    ]


def tags(words: str) -> frozenset[str]:
    """Features from words; that of a mask of three axes has blanks in it."""
    found = frozenset(words.replace("shared+mask rank 3", "shared").split())
    return found | {"mask rank 3"} if "rank 3" in words else found


def with_lengths(rng: np.random.Generator) -> list[Probe]:
    """Keys behind the end of a text are padding."""
    cross, long = arrays(rng, 2, 3, 5, 7, 4, 6), arrays(rng, 3, 2, 4, 11, 5, 7)
    few, more = np.array([4, 6]), np.array([9, 11, 2])
    return [
        Probe("lengths [4, 6]", cross, {"lengths": few}, tags("lengths")),
        Probe("lengths [9, 11, 2]", long, {"lengths": more}, tags("lengths")),
        Probe("lengths [4, 6], scale=0.25", cross, {"lengths": few, "scale": 0.25}, tags("lengths scale")),
    ]


def garbage(rng: np.random.Generator) -> Probe:
    """NaN in a value that a mask hides from all queries."""
    given = arrays(rng, 2, 3, 5, 7, 4, 6)
    mask = some_mask(rng, 2, 3, 5, 7)
    mask[..., 3] = False
    mask[..., 0] = True
    given["V"][:, :, 3] = np.nan
    return Probe("NaN in a hidden value", given, {"mask": mask}, frozenset({"mask", "garbage"}))


def probes(seed: int) -> list[Probe]:
    """All probes, those with the fewest options first."""
    rng = np.random.default_rng(seed)
    more = with_lengths(np.random.default_rng(seed + 1))
    long = large(np.random.default_rng(seed + 2))
    return [*plain(rng), *long[:2], *with_options(rng), *long[2:], *more, garbage(rng)]


LONG = frozenset({"long"})


def large(rng: np.random.Generator) -> list[Probe]:
    """More queries, keys and columns than a block of a kernel holds, and no multiple of its size."""
    return [
        Probe("131 queries", arrays(rng, 1, 1, 131, 3, 2, 5), features=LONG),
        Probe("queries and keys of width 71", arrays(rng, 1, 2, 3, 5, 71, 67), features=LONG),
        Probe("causal, 131 tokens", arrays(rng, 1, 1, 131, 131, 2, 3), {"causal": True}, LONG | {"causal"}),
    ]


def identity_probe() -> Probe:
    """The values are the identity, so that the output is the weights."""
    rng = np.random.default_rng(3)
    Q, K = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(2, 3, 7, 4))
    return Probe("identity", {"Q": Q, "K": K, "V": np.broadcast_to(np.eye(7), (2, 3, 7, 7)).copy()})


ABOUT = """Attention: Q (batch, n_heads, L_q, d_k), K (batch, n_heads, L_k, d_k), V (batch, n_heads, L_k, d_v); \
returned is the output (batch, n_heads, L_q, d_v), alone or as the first of several results."""

ATTENTION = Form("attention", STEPS, begin, probes, ("Q", "K", "V"), OPTIONS, demos=demos, about=ABOUT)
