"""What goes wrong with keys and values in blocks, and with the table that says where they are."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._paged_form import ahead, gather
from attnref.diagnosis._pipeline import Array, Hook, Variant, Work
from attnref.diagnosis._steps import lengths
from attnref.diagnosis._wrong_blocks import ONLINE, unrescaled
from attnref.diagnosis._wrong_tiles import online


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
