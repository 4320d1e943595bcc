"""How far attnref is from the plain loops, and how far the frameworks are: a table.

    python -m tests.attnref.agreement

Each row is the worst of all cases. All axes are different primes; there are more queries than keys and fewer, empty
rows, a bias, a softcap, and scores up to a thousand either way. The loops are run in float64 on the same numbers.
"""

import importlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import attnref
from tests.attnref import loops

BATCH, HEADS, D_K, D_V = 2, 3, 11, 13
LENGTHS = [(5, 7), (7, 5), (1, 17)]
SPREADS = [1.0, 17.0]  # standard deviation of the entries: scores up to about four, up to about a thousand
OPTIONS = ["plain", "mask", "bias", "causal", "window", "softcap"]
EXACT = 1e-12  # in float64, relative to the greatest value
# In float32: roundings of a score, each at most half a step of the greatest one, move a weight by as much.
STEPS = 4


class Case(NamedTuple):
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    options: dict[str, Any]
    expected: np.ndarray
    greatest_score: float

    def error(self, output: np.ndarray) -> float:
        """The greatest difference, relative to the greatest value."""
        assert output.shape == self.expected.shape
        return float(np.abs(output - self.expected).max() / np.abs(self.V).max())


class Row(NamedTuple):
    form: str
    dtype: str
    cases: int
    worst: float
    bound: float
    share_of_bound: float


def cases(dtype: type) -> Iterator[Case]:
    for (L_q, L_k), spread, option in itertools.product(LENGTHS, SPREADS, OPTIONS):
        rng = np.random.default_rng(29)
        Q, K = (spread * rng.normal(size=(BATCH, HEADS, L, D_K)) for L in (L_q, L_k))
        Q, K, V = (x.astype(dtype) for x in (Q, K, rng.normal(size=(BATCH, HEADS, L_k, D_V))))
        mask = rng.random((BATCH, 1, L_q, L_k)) < 0.6
        mask[0, :, -1] = False
        options = {
            "plain": {},
            "mask": {"mask": mask},
            "bias": {"bias": rng.normal(size=(1, HEADS, L_q, L_k)).astype(dtype)},
            "causal": {"causal": True},
            "window": {"window": (2, 1)},
            "softcap": {"softcap": 3.0},
        }[option]
        expected = np.zeros((BATCH, HEADS, L_q, D_V))
        greatest = 1.0
        for b, h in itertools.product(range(BATCH), range(HEADS)):
            laid_over = {
                name: np.broadcast_to(x, (BATCH, HEADS, L_q, L_k))[b, h].tolist()
                for name, x in options.items()
                if isinstance(x, np.ndarray)
            }
            one = loops.attention(*(x[b, h].tolist() for x in (Q, K, V)), **{**options, **laid_over})
            expected[b, h] = one.output
            greatest = max(greatest, float(np.abs(one.scores).max()))
        yield Case(Q, K, V, options, expected, greatest)


def as_mask(case: Case) -> np.ndarray:
    """What causal and window mean, as a mask of full shape: frameworks line up queries otherwise."""
    L_q, L_k = case.Q.shape[-2], case.K.shape[-2]
    mask = np.broadcast_to(case.options.get("mask", True), (BATCH, HEADS, L_q, L_k))
    if case.options.get("causal"):
        mask = mask & attnref.causal_mask(L_q, L_k)
    if "window" in case.options:
        mask = mask & attnref.window_mask(L_q, L_k, *case.options["window"])
    return mask


def by_torch(case: Case) -> np.ndarray | None:
    torch = importlib.import_module("torch")
    if "softcap" in case.options:
        return None
    laid_over = case.options.get("bias", as_mask(case))
    Q, K, V = (torch.from_numpy(x) for x in case[:3])
    laid_over = torch.from_numpy(np.ascontiguousarray(laid_over))
    return np.asarray(torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=laid_over))


def by_jax(case: Case) -> np.ndarray | None:
    """JAX gives an empty row the mean of the values, wants d_v = d_k, and the heads after the tokens."""
    jax = importlib.import_module("jax")
    mask = as_mask(case)
    if "softcap" in case.options or not mask.any(axis=-1).all():
        return None
    Q, K, V = (np.moveaxis(x, 1, 2) for x in case[:3])
    V = V[..., : min(D_K, D_V)]
    output = jax.nn.dot_product_attention(Q, K, V, bias=case.options.get("bias"), mask=mask)
    output = np.moveaxis(np.asarray(output), 2, 1)
    return np.concatenate([output, case.expected[..., D_K:]], axis=-1)


def by_onnxruntime(case: Case) -> np.ndarray | None:
    helper, TensorProto = (
        getattr(importlib.import_module("onnx"), name) for name in ("helper", "TensorProto")
    )
    runtime = importlib.import_module("onnxruntime")
    bias = case.options.get("bias")
    over = np.broadcast_to(bias, as_mask(case).shape) if bias is not None else as_mask(case)
    node = helper.make_node(
        "Attention", ["Q", "K", "V", "over"], ["Y"], softcap=case.options.get("softcap", 0.0)
    )
    kinds = [TensorProto.FLOAT] * 3 + [TensorProto.BOOL if bias is None else TensorProto.FLOAT]
    arrays = dict(zip(["Q", "K", "V", "over"], [*case[:3], np.ascontiguousarray(over)], strict=True))
    inputs = [
        helper.make_tensor_value_info(name, kind, x.shape)
        for (name, x), kind in zip(arrays.items(), kinds, strict=True)
    ]
    outputs = [helper.make_tensor_value_info("Y", TensorProto.FLOAT, None)]
    model = helper.make_model(
        helper.make_graph([node], "attention", inputs, outputs),
        opset_imports=[helper.make_opsetid("", 23)],
        ir_version=10,
    )
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, arrays)[0])


OURS: dict[str, Callable[[Case], np.ndarray | None]] = {
    "attention": lambda case: attnref.attention(*case[:3], **case.options).output,
    "blockwise_attention": lambda case: (
        attnref.blockwise_attention(*case[:3], block_size=3, **case.options).output
    ),
    "sink_attention, no sink": lambda case: (
        attnref.sink_attention(*case[:3], case.Q.dtype.type(-np.inf), **case.options).output
    ),
}
PEERS = {"torch": by_torch, "jax": by_jax, "onnxruntime": by_onnxruntime}


def row(form: str, run: Callable[[Case], np.ndarray | None], dtype: type) -> Row:
    """The worst case of one form."""
    worst = bound = share = number = 0
    for case in cases(dtype):
        output = run(case)
        if output is None:
            continue
        allowed = EXACT if dtype is np.float64 else STEPS * 2.0**-23 * case.greatest_score
        error = case.error(output)
        number += 1
        if error / allowed >= share:
            worst, bound, share = error, allowed, error / allowed
    return Row(form, np.dtype(dtype).name, number, worst, bound, share)


def rows() -> Iterator[Row]:
    for form, run in OURS.items():
        yield row(form, run, np.float64)
        yield row(form, run, np.float32)
    for name, run in PEERS.items():
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        yield row(name, run, np.float32)


def table(found: list[Row]) -> str:
    head = f"{'form':24} {'dtype':8} {'cases':>5} {'worst error':>12} {'its bound':>12}"
    lines = [f"{r.form:24} {r.dtype:8} {r.cases:5} {r.worst:12.1e} {r.bound:12.1e}" for r in found]
    return "\n".join([head, *lines])


if __name__ == "__main__":
    print(table(list(rows())))
