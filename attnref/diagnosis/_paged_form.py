"""The form "paged": keys and values in blocks, and a table that says where. Steps, probes, and what goes wrong."""

from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, grid
from attnref.diagnosis._pipeline import Array, Form, Probe, Rules, Work, within
from attnref.diagnosis._steps import STEPS, begin, lengths

ABOUT = """Attention over a cache in blocks: Q (batch, n_heads, L_q, d_k), `K_blocks` (n_blocks, n_kv_heads, \
block_size, d_k), `V_blocks` likewise with d_v, `block_table` (batch, most_blocks) of block numbers, 0 where none is \
needed, `lengths` (batch,). With `causal=True` the last query lines up with the last token of its text; without it \
there is one query, the newest token."""


def start(probe: Probe, rules: Rules) -> Work:
    """Numbers of blocks stay whole numbers."""
    w = begin(probe, rules)
    w.block_table, w.ends = np.asarray(w.block_table).astype(int), np.asarray(w.lengths).astype(int)
    return w


def gather(w: Work) -> None:
    """The tokens of each text in their order, with what lies behind its end."""
    w.K, w.V = laid_out(w.K_blocks, w.block_table), laid_out(w.V_blocks, w.block_table)


def laid_out(blocks: Array, table: Array) -> Array:
    """(batch, n_kv_heads, most_blocks * block_size, d)."""
    found = np.moveaxis(blocks[table], 2, 1)
    return np.asarray(found.reshape(*found.shape[:2], -1, found.shape[-1]))


def see_causal(w: Work) -> None:
    """The last query is the last token of its text."""
    w.causal_seen = ahead(w, w.ends) <= 0 if w.causal else None


def ahead(w: Work, ends: Array | int) -> Array:
    """How far each key is ahead of each query."""
    L_q, L_k = lengths(w)
    return np.asarray(
        np.arange(L_k) - (np.arange(L_q)[:, None] + np.asarray(ends).reshape(-1, 1, 1, 1) - L_q)
    )


PAGED_STEPS = {**within(STEPS, before="share", gather=gather), "see_causal": see_causal}


def probes(seed: int) -> list[Probe]:
    """Blocks out of order, the last ones filled in part; what lies behind a text's end is large."""
    rng = np.random.default_rng(seed)

    def given(
        heads: int, kv_heads: int, L_q: int, size: int, ends: list[int], widths: tuple[int, int]
    ) -> dict[str, Any]:
        blocks = [-(-n // size) for n in ends]
        order = rng.permutation(sum(blocks) + 2)
        table = np.full((len(ends), max(blocks)), 0)
        for row, count in enumerate(blocks):
            table[row, :count], order = order[:count], order[count:]
        d_k, d_v = widths
        K, V = (grid(rng, sum(blocks) + 2, kv_heads, size, d) for d in (d_k, d_v))
        for row, n in enumerate(ends):
            if n % size:
                V[table[row, n // size], :, n % size :] += 16
        return {"Q": grid(rng, len(ends), heads, L_q, d_k), "K_blocks": K, "V_blocks": V, "block_table": table,
                "lengths": np.array(ends)}  # fmt: skip

    one, shared = given(3, 3, 1, 4, [7, 5], (5, 6)), given(6, 2, 1, 5, [11, 3, 14], (4, 7))
    many = given(3, 3, 3, 4, [8, 5], (5, 6))
    return [
        Probe("texts of 7 and 5 tokens in blocks of 4", one),
        Probe("texts of 3, 10 and 7 tokens in blocks of 3", given(2, 2, 1, 3, [3, 10, 7], (7, 4))),
        Probe("blocks that are full", given(2, 2, 1, 2, [4, 6, 2], (3, 5))),
        Probe("six heads over two", shared, features=frozenset({"grouped"}), optional=True),
        Probe("scale=0.25", one, {"scale": 0.25}, frozenset({"scale"})),
        Probe("causal, three queries", many, {"causal": True}, frozenset({"causal"})),
    ]


def demos() -> tuple[Probe, ...]:
    """Three tokens in a block of four, with zero behind them."""
    V = np.array([1.0, 1, 1, 0]).reshape(1, 1, 4, 1)
    arrays = {"Q": np.zeros((1, 1, 1, 1)), "K_blocks": np.zeros((1, 1, 4, 1)), "V_blocks": V,
              "block_table": np.array([[0]]), "lengths": np.array([3])}  # fmt: skip
    turned = {**arrays, "K_blocks": np.zeros((2, 1, 2, 1)), "V_blocks": np.array([3.0, 0, 1, 2]).reshape(2, 1, 2, 1),
              "block_table": np.array([[1, 0]])}  # fmt: skip
    return Probe("three tokens in a block of 4", arrays), Probe("three tokens in blocks 1 and 0", turned)


PAGED = Form("paged", PAGED_STEPS, start, probes, ("Q", "K_blocks", "V_blocks", "block_table", "lengths"),
             {name: OPTIONS[name] for name in ("causal", "scale")}, demos=demos, about=ABOUT,
             layouts=False)  # fmt: skip
