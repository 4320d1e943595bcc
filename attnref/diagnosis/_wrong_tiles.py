"""What goes wrong in kernels: tiles that are rescaled, divided, cut, read or masked wrongly, and partial results."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._pipeline import Array, Hook, Work
from attnref.diagnosis._steps import lengths, normalise, top

SIZES = (1, 2, 3, 4, 5, 6, 8, 16, 32, 64, 128)
ROWS = (2, 3, 4, 5, 6, 8, 16, 32, 64, 128)
TILES = (2, 3, 4, 5, 8, 16, 32, 64)
PARTS = (2, 3, 4)
ANY, CAUSAL, WINDOW = frozenset[str](), frozenset({"causal"}), frozenset({"window"})

Law = Callable[[Array], Array]


def inverse(x: Array) -> Array:
    """exp of the difference the wrong way round; nothing where there was nothing."""
    return np.where(np.isneginf(x), 0, np.exp(-x))


def online(
    size: int, power: Law = np.exp, shrink: Law = np.exp, *, own: bool = False, divide: int = 0
) -> Hook:
    """The running softmax, block by block. own: each block's powers keep its own maximum. divide: how often,
    in each block alone or once more at the end."""

    def step(w: Work) -> None:
        x = w.logits
        weights, most, total = np.zeros_like(x), np.full((*x.shape[:-1], 1), -np.inf), 0.0
        for start in range(0, x.shape[-1], size):
            block = x[..., start : start + size]
            new = np.maximum(most, top(block))
            safe = np.where(np.isneginf(new), 0, new)
            powers = power(block - (np.maximum(top(block), -1e300) if own else safe))
            factor = shrink(most - safe)
            weights = weights * factor
            weights[..., start : start + size] = powers
            total = total * factor + powers.sum(axis=-1, keepdims=True)
            if divide:
                weights = weights / np.where(total == 0, 1, total)
            most = new
        w.weights = weights if divide == 1 else weights / total

    return step


def counted(law: Callable[[int, Array], Array], always: bool = True) -> Hook:
    """Keys that count more than once. always: under the causal rule, too."""

    def step(w: Work) -> None:
        L_k = w.logits.shape[-1]
        times = law(L_k, np.arange(L_k)) if always or not w.causal else 1
        powers = np.exp(w.logits - top(w.logits)) * times
        w.weights = powers / powers.sum(axis=-1, keepdims=True)

    return step


def repeated(size: int) -> Callable[[int, Array], Array]:
    """The last key stands in for those that are missing in the last block."""
    return lambda L, j: 1 + (-L % size) * (j == L - 1)


def overlapping(size: int) -> Callable[[int, Array], Array]:
    """The last block is moved back so as to be full."""
    return lambda L, j: 1 + ((j >= L - size) & (j < L // size * size) & (size < L) & (L % size > 0))


def padded(size: int) -> Hook:
    """Zeros behind the last key are attended to, unless the causal rule hides them."""

    def step(w: Work) -> None:
        more = 0 if w.causal else -w.logits.shape[-1] % size
        shift = np.maximum(top(w.logits), 0) if more else top(w.logits)
        powers = np.exp(w.logits - shift)
        w.weights = powers / (powers.sum(axis=-1, keepdims=True) + more * np.exp(-shift))

    return step


def whole(size: int) -> Callable[[int], int]:
    """As many as full blocks hold."""
    return lambda n: n // size * size


def whole_or_one(size: int) -> Callable[[int], int]:
    """As many as full blocks hold, but one block at least."""
    return lambda n: max(n // size * size, size)


def first_block(size: int) -> Callable[[int], int]:
    """As many as one block holds."""
    return lambda n: size


def only(law: Callable[[int], int]) -> Hook:
    """Only so many keys are read."""

    def step(w: Work) -> None:
        L_k = w.logits.shape[-1]
        w.logits = np.where(np.arange(L_k) < law(L_k), w.logits, -np.inf)
        normalise(w)

    return step


def last_block(size: int) -> Hook:
    """Only the keys of the last block are read."""

    def step(w: Work) -> None:
        L_k = w.logits.shape[-1]
        w.logits = np.where(np.arange(L_k) >= (L_k - 1) // size * size, w.logits, -np.inf)
        normalise(w)

    return step


def mask_within(size: int) -> dict[str, Hook]:
    """The mask is read for the first keys alone."""

    def step(w: Work) -> None:
        w.mask_seen = None if w.mask is None else w.mask | (np.arange(lengths(w)[1]) >= size)

    return {"see_mask": step}


def rows(law: Callable[[int], int]) -> Hook:
    """Only so many queries are written."""

    def step(w: Work) -> None:
        L_q = w.output.shape[-2]
        w.output = np.where(np.arange(L_q)[:, None] < law(L_q), w.output, 0)

    return step


def pointed(law: Callable[[Array], Array], keys: bool, values: bool) -> dict[str, Hook]:
    """Keys or values are read at another place."""

    def at(x: Array) -> Array:
        return np.asarray(x[..., np.minimum(law(np.arange(x.shape[-2])), x.shape[-2] - 1), :])

    def compare(w: Work) -> None:
        w.dots = w.Q @ at(w.K).swapaxes(-1, -2)

    def blend(w: Work) -> None:
        w.output = w.weights @ at(w.V)

    hooks: dict[str, Hook] = {"compare": compare} if keys else {}
    return hooks | {"blend": blend} if values else hooks


def causal(law: Callable[[Array, Array, int], Array]) -> dict[str, Hook]:
    """Another causal rule, from query numbers, key numbers and how many keys come before the first query."""

    def step(w: Work) -> None:
        L_q, L_k = lengths(w)
        ahead = L_k - L_q if w.rules.causal_align == "bottom_right" else 0
        w.causal_seen = law(np.arange(L_q)[:, None], np.arange(L_k), ahead) if w.causal else None

    return {"see_causal": step}


def width(size: int, *, whole: bool) -> dict[str, Hook]:
    """Columns of queries and keys beyond one block are not read, or those that fill no whole block."""

    def step(w: Work) -> None:
        d = w.Q.shape[-1]
        d = max(d // size * size, min(d, size)) if whole else min(d, size)
        w.dots = w.Q[..., :d] @ w.K[..., :d].swapaxes(-1, -2)

    return {"compare": step}


def by_key_block(size: int, i: Array, j: Array, left: int) -> Array:
    """Keys from the start of the block in which the window begins."""
    return np.asarray(j >= np.maximum(i - left, 0) // size * size)


def by_query_block(size: int, i: Array, j: Array, left: int) -> Array:
    """Keys from the start of the window of the block's first query."""
    return np.asarray(j >= i // size * size - left)


def window(law: Callable[[Array, Array, int], Array]) -> dict[str, Hook]:
    """Another left side of the window, from the places of queries and keys and its length."""

    def step(w: Work) -> None:
        w.window_seen = None
        if w.window is not None:
            L_q, L_k = lengths(w)
            left, right = w.window
            i = np.arange(L_q)[:, None] + (L_k - L_q if w.rules.causal_align == "bottom_right" else 0)
            near = law(i, np.arange(L_k), left) if left is not None else True
            w.window_seen = near & (np.arange(L_k) <= i + (L_k if right is None else right))

    return {"see_window": step}
