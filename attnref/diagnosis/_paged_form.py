"""The form "paged": keys and values in blocks, and a table that says where. Steps, probes, and what goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnref.diagnosis._attention import OPTIONS, grid
from attnref.diagnosis._pipeline import Array, Form, Hook, Probe, Rules, Variant, Work, within
from attnref.diagnosis._steps import STEPS, begin, lengths
from attnref.diagnosis._wrong_blocks import ONLINE, unrescaled
from attnref.diagnosis._wrong_tiles import online

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


def _seen(law: Callable[[Array, Array, int], Array]) -> dict[str, Hook]:
    """Which keys count as a text's own: from key number, length and block size."""

    def step(w: Work) -> None:
        ends = w.ends[:, None, None, None]
        w.lengths_seen = law(np.arange(lengths(w)[1]), ends, w.K_blocks.shape[-2])

    return {"see_lengths": step}


def _table(law: Callable[[Array, Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.block_table = law(w.block_table, w)
        gather(w)

    return {"gather": step}


def _turned(table: Array, w: Work) -> Array:
    """The blocks of each text backwards."""
    table = table.copy()
    for row, end in enumerate(w.ends):
        count = -(-int(end) // w.K_blocks.shape[-2])
        table[row, :count] = table[row, :count][::-1]
    return table


def _across(w: Work) -> None:
    """Place and block are exchanged: token j is looked for in block j mod n, at place j // n."""
    count = w.block_table.shape[1]
    j = np.arange(count * w.K_blocks.shape[-2])
    numbers = w.block_table[:, j % count]
    w.K, w.V = (np.moveaxis(x[numbers, :, j // count], 2, 1) for x in (w.K_blocks, w.V_blocks))


def _causal(law: Callable[[Work], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.causal_seen = law(w) if w.causal else None

    return {"see_causal": step}


def _filled(w: Work) -> Array:
    """The ends of the last blocks."""
    size = w.K_blocks.shape[-2]
    return np.asarray(-(-w.ends // size) * size)


def _whole_blocks(j: Array, n: Array, size: int) -> Array:
    return np.asarray(j < -(-n // size) * size)


def _by_block(above: bool, below: bool) -> Hook:
    return lambda w: unrescaled(w.K_blocks.shape[-2], above, below)(w)


def _divided(times: int) -> Hook:
    return lambda w: online(w.K_blocks.shape[-2], divide=times)(w)


CAUSAL = frozenset({"causal"})

WRONG: list[Variant] = [
    Variant("paged_last_block", _seen(lambda j, n, size: j < -(-n // size) * size),
        says="the last block is attended to as a whole"),
    Variant("paged_last_block", _seen(lambda j, n, size: j < n + 10**6),
        says="all blocks of the table are attended to"),
    Variant("paged_last_block", _seen(lambda j, n, size: j < n // size * size),
        says="a last block that is not full is left out"),
    Variant("paged_last_block", _seen(lambda j, n, size: j < n.max()),
        says="the greatest of the lengths is used for all texts"),
    Variant("paged_last_block", _seen(lambda j, n, size: j < n[:1]),
        says="the length of the first text is used for all"),
    Variant("paged_last_block", _seen(lambda j, n, size: j < np.maximum(n // size * size, np.minimum(n, size))),
        says="a last block that is not full is left out, unless it is the only one"),
    Variant("lengths_off_by_one", _seen(lambda j, n, size: j <= n), says="one key behind the end of the text is seen"),
    Variant("lengths_off_by_one", _seen(lambda j, n, size: (j <= n) & (j < -(-n // size) * size)),
        says="one key behind the end of the text is seen, where the last block holds one"),
    *(
        Variant("online_rescale", {"normalise": _by_block(above, below)}, says=says, common=False)
        for above, below, says in ONLINE
    ),
    *(
        Variant("online_division", {"normalise": _divided(n)}, says="the blend is divided in each block" + more,
            common=False)
        for n, more in ((1, ""), (2, ", and once more at the end"))
    ),
    Variant("lengths_off_by_one", _seen(lambda j, n, size: j < n - 1), says="the last key of the text is not seen"),
    Variant("paged_table", _table(lambda t, w: np.broadcast_to(np.arange(t.shape[1]), t.shape)),
        says="the table is not used: each text is read from block 0 on"),
    Variant("paged_table", _table(lambda t, w: np.arange(t.size).reshape(t.shape) % len(w.K_blocks)),
        says="the table is not used: blocks are read in the order in which they lie"),
    Variant("paged_table", _table(lambda t, w: np.broadcast_to(t[:1], t.shape)),
        says="all texts read the table of the first"),
    Variant("paged_last_block", _seen(_whole_blocks) | _causal(lambda w: ahead(w, _filled(w)) <= 0),
        says="the last block is attended to as a whole, and the last query lines up with its end", common=False),
    Variant("lengths_off_by_one", _seen(lambda j, n, size: j < n - 1) | _causal(lambda w: ahead(w, w.ends - 1) <= 0),
        says="the last key of the text is not seen, and the last query lines up with the one before", common=False),
    Variant("lengths_off_by_one", _seen(lambda j, n, size: j <= n) | _causal(lambda w: ahead(w, w.ends + 1) <= 0),
        says="one key behind the end of the text is seen, and the last query lines up with it", common=False),
    Variant("paged_table", _table(_turned), says="the blocks of a text are read backwards"),
    Variant("paged_place", {"gather": _across},
        says="block and place are exchanged: token j is read at block j mod n, place j // n"),
    Variant("paged_alignment", _causal(lambda w: ahead(w, lengths(w)[1]) <= 0), CAUSAL,
        "the last query lines up with the end of the last block, not with the last token"),
    Variant("paged_alignment", _causal(lambda w: ahead(w, lengths(w)[0]) <= 0), CAUSAL,
        "the first query lines up with the first key"),
    Variant("causal_dropped", _causal(lambda w: ahead(w, w.ends) < 10**6),
        CAUSAL, "your function ignores causal=True"),
    Variant("causal_off_by_one", _causal(lambda w: ahead(w, w.ends) <= -1), CAUSAL, "no query sees its own position"),
]  # fmt: skip

PAGED = Form("paged", PAGED_STEPS, start, probes, ("Q", "K_blocks", "V_blocks", "block_table", "lengths"),
             {name: OPTIONS[name] for name in ("causal", "scale")}, demos=demos, about=ABOUT,
             layouts=False)  # fmt: skip
