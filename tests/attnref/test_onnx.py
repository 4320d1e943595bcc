"""The public test vectors of ONNX's operator `Attention`, through an adapter that knows its conventions.

ONNX makes them when its modules are imported. Whoever reads the adapter learns how the operator differs: heads
side by side in three axes, the first query lined up with the first key unless there is a cache, one input for
masks and biases, four meanings of a fourth output.
"""

from typing import Any

import numpy as np
import pytest

from attnref import (
    KVCache,
    attention,
    extend_cache,
    join_heads,
    padding_mask,
    split_heads,
)
from tests.attnref.peers import peer
from tests.attnref.tolerance import assert_close

MINIMUM = 93  # so many vectors has onnx 1.23.2; a later version may have more
# Their vectors are computed in the dtype of the inputs, scores included: that many of its steps we may differ.
STEPS = {"float32": 32 * 2.0**-23, "float16": 4 * 2.0**-10, "bfloat16": 4 * 2.0**-7}


def vectors() -> list[Any]:
    try:
        import onnx.backend.test.case.node.attention  # noqa: F401 - makes the cases
        from onnx.backend.test.case import node
    except ImportError:
        return []
    return [
        case
        for case in node._NodeTestCases
        if case.name.startswith("test_attention_") and "_expanded" not in case.name
    ]


VECTORS = vectors()


def allowed_by_position(L_q, L_k, attributes, past, nonpad):
    """Window and causal rule: where each query stands, and how far it sees from there.

    Without a cache the first query stands at the first key; after a cache, behind its last key; with a count of
    real keys, the last query stands at the last of them. Ours is the rule `L_k - L_q`, which is none of these.
    """
    offset = 0 if past is None else past.shape[-2]
    if nonpad is not None:
        offset = nonpad[:, None, None, None] - L_q  # one for each sequence
    distance = np.arange(L_k) - np.arange(L_q)[:, None] - offset  # (..., L_q, L_k)
    left, right = (attributes.get(f"{side}_window_size", -1) for side in ("left", "right"))
    seen = (left < 0) | (distance >= -left)
    seen = seen & ((right < 0) | (distance <= right))
    if attributes.get("is_causal"):
        seen = seen & (distance <= 0)
    return seen if nonpad is None else seen & padding_mask(nonpad, L_k)[:, None]


def onnx_attention(attributes: dict[str, Any], inputs: dict[str, Any]) -> dict[str, np.ndarray]:
    """ONNX's operator in terms of ours: output name -> array."""
    Q, K, V = inputs["Q"], inputs["K"], inputs["V"]
    flat = Q.ndim == 3
    if flat:
        Q = split_heads(Q, attributes["q_num_heads"])
        K, V = (split_heads(x, attributes["kv_num_heads"]) for x in (K, V))
    past = inputs.get("past_key")
    cache = None if past is None else KVCache(past, inputs["past_value"], past.shape[-2])
    cache = extend_cache(cache, K, V)
    K, V = (np.repeat(x, Q.shape[1] // x.shape[1], axis=1) for x in (cache.K, cache.V))
    L_q, L_k = Q.shape[-2], K.shape[-2]
    allowed = allowed_by_position(L_q, L_k, attributes, past, inputs.get("nonpad_kv_seqlen"))
    laid_over, bias = inputs.get("attn_mask"), None
    if laid_over is not None and laid_over.shape[-1] < L_k:  # keys that it says nothing of are hidden
        seen = np.arange(L_k) < laid_over.shape[-1]
        laid_over = np.pad(laid_over, [(0, 0)] * (laid_over.ndim - 1) + [(0, L_k - laid_over.shape[-1])])
        allowed = allowed & seen
    if laid_over is not None and laid_over.dtype == bool:
        allowed = allowed & laid_over
    elif laid_over is not None:
        bias = laid_over
    scale, softcap = attributes.get("scale"), attributes.get("softcap") or None
    result = attention(Q, K, V, mask=allowed, bias=bias, scale=scale, softcap=softcap)
    capped = result.scores if softcap is None else softcap * np.tanh(result.scores / softcap)
    biased = np.where(allowed, capped if bias is None else capped + bias, -np.inf)
    modes = [result.scores, capped, biased, result.weights]
    return {
        "Y": join_heads(result.output) if flat else result.output,
        "present_key": cache.K,
        "present_value": cache.V,
        "qk_matmul_output": modes[attributes.get("qk_matmul_output_mode", 0)],
    }


def named(names, arrays) -> dict[str, Any]:
    """The arrays by the names of the operator's inputs or outputs; those left out have none."""
    given = iter(arrays)
    return {name: next(given) for name, word in names if word}


INPUTS = ("Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen")
OUTPUTS = ("Y", "present_key", "present_value", "qk_matmul_output")


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case.name.removeprefix("test_"))
def test_a_public_vector_passes(case):
    onnx = peer("onnx")
    node = case.model.graph.node[0]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    [(inputs, outputs)] = case.data_sets
    given = named(zip(INPUTS, node.input, strict=False), inputs)
    ours = onnx_attention(attributes, given)
    for name, theirs in named(zip(OUTPUTS, node.output, strict=False), outputs).items():
        assert_close(ours[name], theirs.astype(np.float32), tol=STEPS[str(theirs.dtype)])


def test_no_vector_is_lost():
    peer("onnx")
    assert len(VECTORS) >= MINIMUM
