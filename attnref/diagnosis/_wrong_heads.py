"""What goes wrong around the heads: splitting, joining, the four matrices."""

from collections.abc import Callable

import numpy as np

from attnref.diagnosis._multihead import join, parted, project, read
from attnref.diagnosis._pipeline import Array, Hook, Variant, Work, nothing

Split = Callable[[Array, int], Array]


def _reshaped(x: Array, heads: int) -> Array:
    """Cut anew, without the transpose: whole tokens are dealt out to heads."""
    return np.asarray(x.reshape(*x.shape[:-2], heads, x.shape[-2], x.shape[-1] // heads))


def _interleaved(x: Array, heads: int) -> Array:
    """Neighbouring columns go to different heads."""
    return np.asarray(np.moveaxis(x.reshape(*x.shape[:-1], -1, heads), -1, -3))


def _backwards(x: Array, heads: int) -> Array:
    return parted(x, heads)[..., ::-1, :, :]


def _split(law: Split, which: str = "QKV") -> dict[str, Hook]:
    def step(w: Work) -> None:
        counts = {"Q": w.n_heads, "K": w.n_kv_heads, "V": w.n_kv_heads}
        for name, heads in counts.items():
            setattr(w, name, (law if name in which else parted)(getattr(w, name), heads))

    return {"split": step}


def _join(law: Callable[[Array], Array]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        w.output = law(w.output)

    return {"join": step}


def _joined_raw(x: Array) -> Array:
    return np.asarray(x.reshape(x.shape[0], x.shape[-2], -1))


def _joined_mixed(x: Array) -> Array:
    """The numbers of all heads alternate."""
    tokens = np.moveaxis(x, -3, -1)
    return np.asarray(tokens.reshape(*tokens.shape[:-2], -1))


def _joined_swapped(x: Array) -> Array:
    """The axes of heads and widths are exchanged instead of heads and tokens."""
    return np.asarray(x.swapaxes(-1, -3).reshape(x.shape[0], x.shape[-2], -1))


def _joined_backwards(x: Array) -> Array:
    tokens = x[..., ::-1, :, :].swapaxes(-2, -3)
    return np.asarray(tokens.reshape(*tokens.shape[:-2], -1))


def _matrices(law: Callable[[Work], tuple[Array, Array, Array, Array]]) -> dict[str, Hook]:
    def step(w: Work) -> None:
        read(w)
        w.W_Q, w.W_K, w.W_V, w.W_O = law(w)

    return {"read": step}


def _missing(which: str) -> dict[str, Hook]:
    """A projection is left out: the tokens themselves are used."""

    def step(w: Work) -> None:
        project(w)
        for name in which:
            setattr(w, name, w.X)

    return {"project": step}


def _batch_first() -> dict[str, Hook]:
    def step(w: Work) -> None:
        read(w)
        w.X = w.X.swapaxes(0, 1)

    def back(w: Work) -> None:
        w.output = (w.output @ w.W_O).swapaxes(0, 1)

    return {"read": step, "project_out": back}


def _unsplit(w: Work) -> None:
    """One head as wide as all of them."""
    w.Q, w.K, w.V = (x[:, None] for x in (w.Q, w.K, w.V))


def _tokens_first(w: Work) -> None:
    """Heads behind tokens: (batch, L, n_heads, d), so that attention runs over heads."""
    w.Q, w.K, w.V = (
        x.reshape(*x.shape[:-1], n, -1)
        for x, n in ((w.Q, w.n_heads), (w.K, w.n_kv_heads), (w.V, w.n_kv_heads))
    )


def _plain_join(w: Work) -> None:
    w.output = w.output.reshape(*w.output.shape[:-2], -1)


def _averaged(w: Work) -> None:
    """The heads' outputs are averaged, and repeated to fit the last matrix."""
    mean = w.output.mean(axis=-3)
    w.output = np.concatenate([mean] * w.n_heads, axis=-1)


def _summed(w: Work) -> None:
    w.output = w.output.sum(axis=-3)


def _whole_width(w: Work) -> None:
    """The scale of the projected width, which is that of all heads."""
    w.default = (w.Q.shape[-1] * w.n_heads) ** -0.5


def _values(w: Work) -> None:
    join(w)
    w.output = w.output + w.X


def _residual(w: Work) -> None:
    w.output = w.output @ w.W_O + w.X


def _rule(name: str, hooks: dict[str, Hook], says: str, common: bool = True) -> Variant:
    return Variant(name, hooks, says=says, common=common)


TURNED = {
    "all four matrices are": lambda w: (w.W_Q.T, w.W_K.T, w.W_V.T, w.W_O.T),
    "W_Q, W_K and W_V are": lambda w: (w.W_Q.T, w.W_K.T, w.W_V.T, w.W_O),
    "W_Q is": lambda w: (w.W_Q.T, w.W_K, w.W_V, w.W_O),
    "W_K is": lambda w: (w.W_Q, w.W_K.T, w.W_V, w.W_O),
    "W_V is": lambda w: (w.W_Q, w.W_K, w.W_V.T, w.W_O),
    "W_O is": lambda w: (w.W_Q, w.W_K, w.W_V, w.W_O.T),
    "W_Q and W_K are": lambda w: (w.W_Q.T, w.W_K.T, w.W_V, w.W_O),
}
SWAPPED = {
    "W_K makes the queries and W_Q the keys": lambda w: (w.W_K, w.W_Q, w.W_V, w.W_O),
    "W_V makes the keys and W_K the values": lambda w: (w.W_Q, w.W_V, w.W_K, w.W_O),
    "W_V makes the queries and W_Q the values": lambda w: (w.W_V, w.W_K, w.W_Q, w.W_O),
    "W_Q makes the keys too": lambda w: (w.W_Q, w.W_Q, w.W_V, w.W_O),
    "W_K makes the values too": lambda w: (w.W_Q, w.W_K, w.W_K, w.W_O),
    "W_K makes the queries too": lambda w: (w.W_K, w.W_K, w.W_V, w.W_O),
    "W_Q makes the values too": lambda w: (w.W_Q, w.W_K, w.W_Q, w.W_O),
}

VARIANTS: list[Variant] = [
    _rule("scale_model_dim", {"default_factor": _whole_width},
        "your dot products are divided by the root of the width of all heads, sqrt({d_model})"),
    _rule("heads_split_reshape", _split(_reshaped), "your heads are split by a reshape without the transpose"),
    *(_rule("heads_split_reshape", _split(_reshaped, which),
        f"the heads of {which} are split by a reshape without the transpose", False)
      for which in ("Q", "K", "V", "QK", "KV")),
    _rule("heads_merge_reshape", _join(_joined_raw), "your heads are joined by a reshape without the transpose"),
    _rule("heads_merge_reshape", _join(_joined_mixed), "the numbers of your heads are joined alternately"),
    _rule("heads_merge_reshape", _join(_joined_swapped),
        "your heads are joined after a transpose of the wrong axes", False),
    _rule("heads_interleaved", _split(_interleaved),
        "neighbouring columns of your projections go to different heads"),
    *(_rule("heads_interleaved", _split(_interleaved, which),
        f"neighbouring columns of {which} go to different heads", False)
      for which in ("Q", "K", "V", "QK")),
    _rule("heads_interleaved", _split(_interleaved) | _join(_joined_mixed),
        "heads are split, and joined again, with neighbouring columns in different heads", False),
    _rule("heads_order", _join(_joined_backwards), "your heads are joined in reverse order", False),
    _rule("heads_order", _split(_backwards, "V"), "the values of the heads are in reverse order", False),
    *(_rule("projection_T", _matrices(law), f"{which} used transposed") for which, law in TURNED.items()),
    *(_rule("projection_swapped", _matrices(law), says) for says, law in SWAPPED.items()),
    _rule("projection_missing", {"project_out": nothing}, "the product with W_O is missing"),
    *(_rule("projection_missing", _missing(which), f"the projection of {which} is missing",
        which != "QKV") for which in ("Q", "K", "V", "QKV", "QK")),
    _rule("batch_first", _batch_first(), "the axes of batch and tokens are exchanged, so it attends over the batch"),
    _rule("layout", {"split": _tokens_first, "join": _plain_join},
        "the tokens stand before the heads, so it attends over the heads"),
    _rule("layout", {"split": _tokens_first},
        "the tokens stand before the heads, so it attends over the heads", False),
    _rule("heads_mixed", {"split": _unsplit}, "the heads are not split: one head compares all columns at once"),
    _rule("output_averaged", {"join": _averaged}, "the heads are averaged, not joined", False),
    _rule("heads_mixed", {"join": _summed, "project_out": nothing}, "the heads are added up, not joined", False),
    _rule("values_added", {"project_out": _residual}, "the tokens are added to the output"),
    _rule("values_added", {"join": _values}, "the tokens are added before W_O", False),
]  # fmt: skip
