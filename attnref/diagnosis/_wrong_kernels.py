"""The faults of kernels as variants of the pipeline, for the tile sizes that are in use."""

from functools import partial

import numpy as np

from attnref.diagnosis._merging import by_base, by_top, even, merged, one_by_one
from attnref.diagnosis._pipeline import Hook, Variant
from attnref.diagnosis._wrong_tiles import (
    ANY,
    CAUSAL,
    PARTS,
    ROWS,
    SIZES,
    TILES,
    WINDOW,
    by_key_block,
    by_query_block,
    causal,
    counted,
    first_block,
    inverse,
    last_block,
    mask_within,
    online,
    only,
    overlapping,
    padded,
    pointed,
    repeated,
    rows,
    whole,
    whole_or_one,
    width,
    window,
)


def rare(name: str, hooks: dict[str, Hook], says: str, needs: frozenset[str] = ANY) -> Variant:
    """Not tried together with another fault in the same probe."""
    return Variant(name, hooks, needs, says, common=False)


RUNNING = [
    v
    for n in SIZES
    for v in (
        rare("online_rescale", {"normalise": online(n, shrink=inverse)},
            f"what was summed before is multiplied by exp(m_new − m_old), the wrong way round (blocks of {n})"),
        rare("online_rescale", {"normalise": online(n, own=True)},
            f"each block of {n} keeps its own maximum where it is added to what was summed before"),
        rare("online_division", {"normalise": online(n, divide=1)},
            f"the blend is divided by the running sum in each block of {n}, and not multiplied back"),
        rare("online_division", {"normalise": online(n, divide=2)},
            f"the blend is divided by the running sum in each block of {n}, and once more at the end"),
        rare("softmax_base", {"normalise": online(n, power=np.exp2)},
            f"the weights are powers of 2, while what was summed before is rescaled by powers of e (blocks of {n})"),
        rare("softmax_base", {"normalise": online(n, shrink=np.exp2)},
            f"the weights are powers of e, while what was summed before is rescaled by powers of 2 (blocks of {n})"),
    )
]  # fmt: skip

BOUNDS = [
    v
    for n in ROWS
    for v in (
        rare("block_bounds", {"normalise": padded(n)},
            f"the last block of {n} reads past the last key, unless the causal rule hides what lies there"),
        rare("block_bounds", {"normalise": counted(repeated(n))},
            f"the last block of {n} is filled up with the last key, which counts more than once"),
        rare("block_bounds", {"normalise": counted(repeated(n), always=False)},
            f"the last block of {n} is filled up with the last key, which counts more than once where no causal "
            "rule hides it"),
        rare("block_bounds", {"normalise": counted(overlapping(n))},
            f"the last block of {n} is moved back so as to be full, and keys that it shares count twice"),
        rare("block_dropped", {"normalise": only(whole_or_one(n))},
            f"keys behind the last full block of {n} are left out"),
        rare("block_dropped", {"normalise": only(first_block(n))}, f"only the first block of {n} keys is read"),
        rare("block_dropped", {"normalise": last_block(n)},
            f"only the last block of {n} keys counts: maximum, sum or blend begin anew in each"),
        rare("block_dropped", {"write": rows(whole(n))},
            f"the last block of {n} queries is left out unless it is full, and its outputs are 0"),
        rare("block_dropped", {"write": rows(whole_or_one(n))},
            f"queries behind the last full block of {n} are left out, and their outputs are 0"),
        rare("block_dropped", {"write": rows(first_block(n))},
            f"only the first block of {n} queries is written, and the other outputs are 0"),
    )
]  # fmt: skip

PLACES = [
    rare("block_pointer", pointed(law, "keys" in what, "values" in what), f"{says} (blocks of {n})")
    for n in SIZES
    for what in ("keys", "values", "keys and values")
    for law, says in (
        (lambda j, n=n: j % n, f"every block reads the {what} of the first one"),
        (lambda j, n=n: j // n + j % n, f"the {what} of block number b are read from place b, not b times the size"),
    )
]  # fmt: skip

MERGED = [
    rare("partial_merge", {"normalise": merged(size, share)}, f"{parts} {says}")
    for size, parts in (
        *((lambda L, n=n: n, f"results of {n} keys each") for n in SIZES),
        *((lambda L, n=n: -(-L // n), f"the results of {n} parts of the keys") for n in PARTS),
    )
    for share, says in (
        (even, "are averaged as if their weights were equal"),
        (by_top, "are weighed by their greatest scores, without their sums"),
        (one_by_one, "are merged one by one, weighed by their greatest scores, without their sums"),
        (by_base, "are weighed by powers of e, while their log-sum-exp is kept to the base 2"),
    )
]  # fmt: skip

CAUSAL_TILES = [
    *(
        rare("causal_block", causal(law), says, CAUSAL)
        for n in (*TILES, 128)
        for law, says in (
            (lambda i, j, a, n=n: j <= np.minimum(i // n * n + n - 1 + a, 10**6),
                f"each query sees what the last one of its block of {n} sees"),
            (lambda i, j, a, n=n: (j <= i + a) & (j < i // n * n + n),
                f"keys are read up to the end of the query's block of {n}, as if there were as many keys as queries"),
            (lambda i, j, a, n=n: j <= i // n * n + a, f"each query sees what the first of its block of {n} sees"),
        )
    ),
    *(
        rare("causal_block", causal(law), says, CAUSAL)
        for m in TILES
        for n in TILES
        for law, says in (
            (lambda i, j, a, m=m, n=n: j % n <= i % m, f"the causal rule counts within each tile of {m} by {n}"),
            (lambda i, j, a, m=m, n=n: (j <= i + a) & (j < (i // m * m + a) // n * n),
                f"the block of {n} keys on the diagonal is left out (blocks of {m} queries)"),
            (lambda i, j, a, m=m, n=n: (j <= i + a) & (j < -(-(i // m * m + a) // n) * n),
                f"key blocks of {n} are counted from the first query of each block of {m}, not from its last"),
        )
    ),
]  # fmt: skip

WIDTHS = [
    rare("width_cut", width(n, whole=whole), says)
    for n in (8, 16, 32, 64)
    for whole, says in (
        (False, f"only the first {n} columns of queries and keys are compared"),
        (True, f"columns of queries and keys behind the last full block of {n} are not compared"),
    )
]

WINDOW_TILES = [
    rare("window_block", window(law), says.format(n), WINDOW)
    for n in ROWS
    for law, says in (
        (partial(by_key_block, n), "the window begins at the first key of a block of {}"),
        (partial(by_query_block, n), "all queries of a block of {} have the window of its first one"),
    )
]  # fmt: skip

MASKED = [
    rare("mask_ignored", mask_within(n), f"the mask hides keys of the first block of {n} alone", frozenset({"mask"}))
    for n in ROWS
]  # fmt: skip

VARIANTS: list[Variant] = [
    *WINDOW_TILES,
    *MASKED,
    *RUNNING,
    *BOUNDS,
    *PLACES,
    *MERGED,
    *CAUSAL_TILES,
    *WIDTHS,
]
