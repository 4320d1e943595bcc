"""The form "multihead": project, split, attend in each head, join, project back. Its steps and probes."""

from typing import Any

import numpy as np

from attnref.diagnosis._attention import grid
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Work
from attnref.diagnosis._steps import STEPS, begin

OPTIONS = {
    "causal": ("causal", "is_causal"),
    "mask": ("mask", "attn_mask", "attention_mask"),
    "scale": ("scale", "softmax_scale"),
    "n_kv_heads": ("n_kv_heads", "num_kv_heads", "n_key_value_heads"),
}
MATRICES = ("W_Q", "W_K", "W_V", "W_O")


def read(w: Work) -> None:
    """The tokens and the matrices as given."""
    w.n_kv_heads = getattr(w, "n_kv_heads", None) or w.n_heads


def project(w: Work) -> None:
    """Queries, keys and values of all heads side by side."""
    w.Q, w.K, w.V = w.X @ w.W_Q, w.X @ w.W_K, w.X @ w.W_V  # (batch, L, n_heads * d)


def parted(x: Array, heads: int) -> Array:
    """Head h takes a run of neighbouring columns."""
    if x.shape[-1] % heads:
        raise ValueError("the columns cannot be cut into that many heads")
    return np.asarray(x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads).swapaxes(-2, -3))


def split(w: Work) -> None:
    """An axis for the heads, before the tokens."""
    w.Q = parted(w.Q, w.n_heads)
    w.K, w.V = parted(w.K, w.n_kv_heads), parted(w.V, w.n_kv_heads)  # (batch, n_kv_heads, L, d)


def join(w: Work) -> None:
    """The heads side by side again."""
    heads = w.output.swapaxes(-2, -3)
    w.output = heads.reshape(*heads.shape[:-2], -1)  # (batch, L, n_heads * d_v)


def project_out(w: Work) -> None:
    """What the heads found, times the last matrix."""
    w.output = w.output @ w.W_O


ALL_STEPS: dict[str, Hook] = {
    "read": read,
    "project": project,
    "split": split,
    **STEPS,
    "join": join,
    "project_out": project_out,
}


def tokens(rng: np.random.Generator, *sizes: int, kv_heads: int | None = None) -> dict[str, Any]:
    """X and the matrices for batch, L, d_model, n_heads, d_k, d_v, d_out. Entries such that scores stay small."""
    B, L, d_model, H, d_k, d_v, d_out = sizes
    H_k = kv_heads or H
    return {
        "X": grid(rng, B, L, d_model),
        "W_Q": grid(rng, d_model, H * d_k) / 2,
        "W_K": grid(rng, d_model, H_k * d_k) / 2,
        "W_V": grid(rng, d_model, H_k * d_v) / 2,
        "W_O": grid(rng, H * d_v, d_out) / 2,
        "n_heads": H,
    }


def probes(seed: int) -> list[Probe]:
    """Sizes all different, then the usual ones, where the width of a token is that of all heads."""
    rng = np.random.default_rng(seed)
    cross = tokens(rng, 2, 5, 7, 3, 4, 6, 11)
    usual = tokens(rng, 2, 5, 12, 3, 4, 4, 12)
    wide = tokens(rng, 3, 7, 10, 2, 5, 5, 10)
    alone = tokens(rng, 2, 4, 6, 1, 6, 6, 6)
    three = tokens(rng, 3, 3, 9, 3, 3, 3, 9)
    mask = rng.random((2, 1, 5, 5)) < 0.6
    mask |= np.eye(5, dtype=bool)
    calls: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
        ("all sizes different", cross, {}, "uncommon"),
        ("three heads of width 4, d_model = 12", usual, {}, ""),
        ("two heads of width 5, d_model = 10", wide, {}, ""),
        ("one head", alone, {}, ""),
        ("three heads, tokens, samples and widths", three, {}, ""),
        ("scale=0.25", usual, {"scale": 0.25}, "scale"),
        ("causal", usual, {"causal": True}, "causal"),
        ("causal, two heads", wide, {"causal": True}, "causal"),
        ("causal, all sizes different", cross, {"causal": True}, "causal uncommon"),
        ("mask", usual, {"mask": mask}, "mask"),
        ("mask and causal", usual, {"mask": mask, "causal": True}, "mask causal mask+causal"),
    ]
    shared = tokens(rng, 2, 5, 24, 6, 4, 4, 24, kv_heads=2)
    calls += [
        ("six heads over two", shared, {"n_kv_heads": 2}, "grouped"),
        ("six heads over two, causal", shared, {"n_kv_heads": 2, "causal": True}, "grouped causal"),
    ]
    return [
        Probe(name, given, options, frozenset(words.split()), optional="uncommon" in words)
        for name, given, options, words in calls
    ]


ABOUT = """Self-attention of several heads: X (batch, L, d_model), `W_Q` (d_model, n_heads · d_k), `W_K` and `W_V` \
likewise for the key heads, `W_O` (n_heads · d_v, d_out), and the number of heads."""

MULTIHEAD = Form("multihead", ALL_STEPS, begin, probes, ("X", *MATRICES, "n_heads"), OPTIONS, about=ABOUT)
