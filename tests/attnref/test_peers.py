"""Attention beside the frameworks: equal where the conventions are, and the differences that docstrings name.

Where a framework is not installed its tests are skipped; with CI=true that is an error.
"""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attnref import (
    BlockParameters,
    attention,
    attention_gradients,
    causal_mask,
    gelu,
    multihead_attention,
    softmax,
    split_qkv,
    transformer_block,
)
from tests.attnref.peers import peer
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L_Q, L_K, D_K, D_V = 2, 3, 5, 7, 11, 13


@pytest.fixture
def torch():
    return peer("torch")


@pytest.fixture
def jax():
    return peer("jax")


def arrays(dtype=np.float64, L_q=L_Q, L_k=L_K, d_v=D_V):
    rng = np.random.default_rng(17)
    shapes = (BATCH, HEADS, L_q, D_K), (BATCH, HEADS, L_k, D_K), (BATCH, HEADS, L_k, d_v)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def some_mask() -> np.ndarray:
    mask = np.random.default_rng(19).random((BATCH, 1, L_Q, L_K)) < 0.6
    mask[:, :, 2] = False
    return mask


def by_torch(torch, Q, K, V, **options):
    tensors = [torch.from_numpy(array) for array in (Q, K, V)]
    options = {name: torch.from_numpy(x) if isinstance(x, np.ndarray) else x for name, x in options.items()}
    return torch.nn.functional.scaled_dot_product_attention(*tensors, **options).numpy()


def by_jax(jax, Q, K, V, **options):
    """JAX wants the heads after the tokens, (B, L, H, D), and computes in float32."""
    return np.moveaxis(
        jax.nn.dot_product_attention(*(np.moveaxis(x, 1, 2) for x in (Q, K, V)), **options), 2, 1
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [None, 0.7])
def test_torch_agrees_without_and_with_a_mask(torch, dtype, scale):
    Q, K, V = arrays(dtype)
    assert_close(attention(Q, K, V, scale=scale).output, by_torch(torch, Q, K, V, scale=scale))
    masked = attention(Q, K, V, scale=scale, mask=some_mask()).output
    assert_close(masked, by_torch(torch, Q, K, V, scale=scale, attn_mask=some_mask()))


def test_torch_agrees_with_a_bias(torch):
    Q, K, V = arrays()
    bias = np.where(some_mask(), np.linspace(-3, 3, L_K), -np.inf)
    assert_close(attention(Q, K, V, bias=bias).output, by_torch(torch, Q, K, V, attn_mask=bias))


@pytest.mark.parametrize("form", ["mask", "bias"])
def test_torch_goes_the_same_way_back_with_an_empty_row_too(torch, form):
    arrays_given = arrays()
    d_output = np.random.default_rng(23).normal(size=(BATCH, HEADS, L_Q, D_V))
    laid_over = some_mask() if form == "mask" else np.where(some_mask(), np.linspace(-3, 3, L_K), -np.inf)
    tensors = [torch.from_numpy(array).requires_grad_() for array in arrays_given]
    output = torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=torch.from_numpy(laid_over))
    output.backward(torch.from_numpy(d_output))
    ours = attention_gradients(*arrays_given, d_output, **{form: laid_over})
    for gradient, tensor in zip(ours, tensors, strict=False):
        assert_close(gradient, tensor.grad.numpy())


def test_torch_lines_up_the_first_query_with_the_first_key(torch):
    Q, K, V = arrays()
    theirs = by_torch(torch, Q, K, V, is_causal=True)
    assert_close(attention(Q, K, V, mask=causal_mask(L_Q, L_K, align="top_left")).output, theirs)
    assert np.abs(attention(Q, K, V, causal=True).output - theirs).max() > 0.1


def test_torch_lets_nan_in_a_masked_value_through(torch):
    Q, K, V = arrays()
    V[..., 0, :] = np.nan
    mask = np.arange(L_K) > 0
    assert np.isfinite(attention(Q, K, V, mask=mask).output).all()
    assert np.isnan(by_torch(torch, Q, K, V, attn_mask=np.broadcast_to(mask, (L_Q, L_K)).copy())).all()


def test_torch_multihead_attention_hides_a_key_where_its_mask_is_true(torch):
    module = torch.nn.MultiheadAttention(4, 1, bias=False, batch_first=True, dtype=torch.float64)
    zeros = torch.zeros(1, 1, 4, dtype=torch.float64), torch.zeros(1, 4, 4, dtype=torch.float64)
    hidden = [[True, False, False, False]]
    weights = module(zeros[0], zeros[1], zeros[1], attn_mask=torch.tensor(hidden))[1]
    ours = attention(np.zeros((1, 4)), np.zeros((4, 4)), np.eye(4), mask=~np.array(hidden))
    assert_close(weights[0].detach().numpy(), ours.weights)
    padded = module(zeros[0], zeros[1], zeros[1], key_padding_mask=torch.tensor(hidden))[1]
    assert_close(padded[0].detach().numpy(), ours.weights)


@pytest.mark.parametrize("averaged", [False, True])
def test_torch_multihead_attention_agrees_with_its_fused_matrix_transposed(torch, averaged):
    module = torch.nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64)
    torch.nn.init.normal_(module.in_proj_bias)
    torch.nn.init.normal_(module.out_proj.bias)
    X, context = (torch.randn(2, L, 12, dtype=torch.float64) for L in (L_Q, L_K))
    theirs = module(X, context, context, average_attn_weights=averaged)
    of_theirs = {name: tensor.detach().numpy() for name, tensor in module.named_parameters()}
    vectors = split_qkv(of_theirs["in_proj_bias"], n_heads=3)
    ours = multihead_attention(
        X.numpy(),
        *split_qkv(of_theirs["in_proj_weight"].T, n_heads=3),
        of_theirs["out_proj.weight"].T,
        context=context.numpy(),
        b_Q=vectors.W_Q,
        b_K=vectors.W_K,
        b_V=vectors.W_V,
        b_O=of_theirs["out_proj.bias"],
        n_heads=3,
    )
    assert_close(ours.output, theirs[0].detach().numpy())
    weights = ours.weights.mean(axis=1) if averaged else ours.weights
    assert_close(weights, theirs[1].detach().numpy())


def test_torch_multihead_attention_averages_its_maps_unless_asked_for_each(torch):
    module = torch.nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64)
    X = torch.randn(2, L_Q, 12, dtype=torch.float64)
    of_each = module(X, X, X, average_attn_weights=False)[1].detach().numpy()
    assert of_each.shape == (2, 3, L_Q, L_Q)
    assert_close(module(X, X, X)[1].detach().numpy(), of_each.mean(axis=1))


@pytest.mark.parametrize("order", ["post", "pre"])
@pytest.mark.parametrize("activation", [None, gelu])
def test_torch_encoder_layer_agrees(torch, order, activation):
    layer = torch.nn.TransformerEncoderLayer(
        12,
        3,
        17,
        activation="gelu" if activation else "relu",
        norm_first=order == "pre",
        batch_first=True,
        dtype=torch.float64,
    ).eval()
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    theirs = {name: tensor.detach().numpy() for name, tensor in layer.named_parameters()}
    matrices = split_qkv(theirs["self_attn.in_proj_weight"].T, n_heads=3)
    vectors = split_qkv(theirs["self_attn.in_proj_bias"], n_heads=3)
    parameters = BlockParameters(
        *matrices,
        theirs["self_attn.out_proj.weight"].T,
        theirs["linear1.weight"].T,
        theirs["linear2.weight"].T,
        *vectors,
        theirs["self_attn.out_proj.bias"],
        theirs["linear1.bias"],
        theirs["linear2.bias"],
        theirs["norm1.weight"],
        theirs["norm1.bias"],
        theirs["norm2.weight"],
        theirs["norm2.bias"],
    )
    X = torch.randn(2, L_Q, 12, dtype=torch.float64)
    ours = transformer_block(X.numpy(), parameters, n_heads=3, order=order, activation=activation)
    assert_close(ours.output, layer(X).detach().numpy(), tol=1e-12)


def test_torch_and_jax_share_key_heads_in_blocks(torch, jax):
    """Four query heads over two key heads, by hand: the values are the number of their head."""
    Q, K = np.zeros((1, 4, 3, 8), np.float32), np.zeros((1, 2, 5, 8), np.float32)
    V = np.broadcast_to(np.float32([0, 1])[:, None, None], (1, 2, 5, 8)).copy()
    by_head = np.broadcast_to(np.float32([0, 0, 1, 1])[:, None, None], (1, 4, 3, 8))
    assert_close(by_torch(torch, Q, K, V, enable_gqa=True), by_head)
    assert_close(by_jax(jax, Q, K, V), by_head)


def test_torch_and_jax_make_a_row_of_minus_infinity_nan(torch, jax):
    row = np.array([-np.inf, -np.inf])
    assert np.isnan(torch.softmax(torch.from_numpy(row), -1).numpy()).all()
    assert np.isnan(np.asarray(jax.nn.softmax(row))).all()
    assert_close(softmax(row), [0, 0])


def test_jax_agrees_where_no_row_is_empty(jax):
    Q, K, V = arrays(np.float32, d_v=D_K)
    mask = some_mask() | (np.arange(L_K) == 3)
    assert_close(attention(Q, K, V, mask=mask).output, by_jax(jax, Q, K, V, mask=mask))
    bias = np.broadcast_to(np.linspace(-3, 3, L_K, dtype=np.float32), (1, 1, L_Q, L_K))
    assert_close(attention(Q, K, V, bias=bias, scale=0.7).output, by_jax(jax, Q, K, V, bias=bias, scale=0.7))


def test_jax_lines_up_the_first_query_with_the_first_key(jax):
    Q, K, V = arrays(np.float32, d_v=D_K)
    theirs = by_jax(jax, Q, K, V, is_causal=True)
    assert_close(attention(Q, K, V, mask=causal_mask(L_Q, L_K, align="top_left")).output, theirs)


def test_jax_counts_a_window_as_here(jax):
    Q, K, V = arrays(np.float32, L_q=L_K, d_v=D_K)
    theirs = by_jax(jax, Q, K, V, local_window_size=(2, 1))
    assert_close(attention(Q, K, V, window=(2, 1)).output, theirs)


def test_jax_gives_an_empty_row_the_mean_of_the_values_and_lets_nan_through(jax):
    Q, K, V = arrays(np.float32, d_v=D_K)
    nothing = np.zeros((1, 1, L_Q, L_K), dtype=bool)
    theirs = by_jax(jax, Q, K, V, mask=nothing)
    assert_close(theirs, np.broadcast_to(V.mean(axis=-2, keepdims=True), theirs.shape))
    assert_close(attention(Q, K, V, mask=nothing).output, np.zeros(theirs.shape))
    V[..., 0, :] = np.nan
    theirs = by_jax(jax, Q, K, V, mask=np.broadcast_to(np.arange(L_K) > 0, (1, 1, L_Q, L_K)))
    assert np.isnan(theirs).all()


# ---- the tables of docs/lessons/masks.md, cell by cell ----

MASKS = Path(__file__).parents[2] / "docs" / "lessons" / "masks.md"
L = 3
ABOVE = np.triu(np.ones((L, L), dtype=bool), k=1)
CAUSAL = {
    "the lower triangle": ~ABOVE,
    "the upper triangle without the diagonal": ABOVE,
    "minus infinity above the diagonal": np.where(ABOVE, -np.inf, 0).astype(np.float32),
}


def table(head: str) -> list[tuple[str, ...]]:
    """The rows of the page's table whose head begins like this."""
    lines = iter(MASKS.read_text(encoding="utf-8").splitlines())
    next(line for line in lines if line.startswith(head))
    next(lines)  # the rule below the head
    rows = []
    while (line := next(lines)).startswith("|"):
        rows.append(tuple(re.sub(r"`", "", cell).strip() for cell in line.strip("|").split("|")))
    return rows


def by_numpy(argument: str, laid_over: np.ndarray) -> np.ndarray:
    return softmax(np.where(laid_over, np.zeros((L, L)), -np.inf))


def by_attnref(argument: str, laid_over: np.ndarray) -> np.ndarray:
    return attention(np.zeros((L, 1)), np.zeros((L, 1)), np.eye(L), **{argument: laid_over}).output


def by_sdpa(argument: str, laid_over: np.ndarray) -> np.ndarray:
    torch = peer("torch")
    zeros, eye = torch.zeros(1, 1, L, 1), torch.eye(L)[None, None]
    options = {argument: torch.from_numpy(laid_over)}
    return torch.nn.functional.scaled_dot_product_attention(zeros, zeros, eye, **options)[0, 0].numpy()


def by_module(argument: str, laid_over: np.ndarray, need_weights: bool = True) -> np.ndarray:
    torch = peer("torch")
    module = torch.nn.MultiheadAttention(L, 1, bias=False, batch_first=True)
    eye = torch.eye(L)
    given = torch.from_numpy(laid_over)[:1] if argument == "key_padding_mask" else torch.from_numpy(laid_over)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([0 * eye, 0 * eye, eye]))
        module.out_proj.weight.copy_(eye)
        return module(*[eye[None]] * 3, need_weights=need_weights, **{argument: given})[0][0].numpy()


def by_jax_function(argument: str, laid_over: np.ndarray) -> np.ndarray:
    jax = peer("jax")
    zeros, eye = np.zeros((1, L, 1, L), np.float32), np.eye(L, dtype=np.float32)[None, :, None]
    return np.asarray(
        jax.nn.dot_product_attention(zeros, zeros, eye, **{argument: laid_over[None, None]})[0, :, 0]
    )


BY = {  # queries of zero and values of the identity: the output is the weights
    "NumPy": by_numpy,
    "attnref": by_attnref,
    "PyTorch SDPA": by_sdpa,
    "PyTorch MHA": by_module,
    "PyTorch MHA, weights asked for": by_module,
    "PyTorch MHA, no weights asked for": lambda *given: by_module(*given, need_weights=False),
    "JAX": by_jax_function,
}
ADDS = {"attnref": "bias", "JAX": "bias"}
HIDES = {"attnref": "mask", "JAX": "mask"}
CONTRACT, EMPTY = table("| argument | True means |"), table("| function | hidden by True or False |")


def meaning(
    weigh: Callable[..., np.ndarray], argument: str, dtype: type, words: dict[str, list[float]]
) -> str:
    """What the function makes of True, False, False, or of the same as numbers, in the page's words."""
    row = np.array([True, False, False]).astype(dtype)
    try:
        weights = weigh(argument, np.tile(row, (L, 1)))[0]
    except (ValueError, RuntimeError):
        return "refused"
    return next(word for word, expected in words.items() if np.abs(weights - expected).max() < 1e-6)


@pytest.mark.parametrize(("argument", "true", "numbers", "causal"), CONTRACT)
def test_the_page_on_masks_says_what_each_function_makes_of_them(argument, true, numbers, causal):
    name, argument = argument.split(", ")
    weigh, raised = BY[name], list(softmax([1.0, 0, 0]))
    of_true = {"may attend": [1, 0, 0], "hidden": [0, 0.5, 0.5], "added as one": raised}
    of_numbers = {"added": raised, "zero is hidden, all else may attend": [1, 0, 0]}
    assert meaning(weigh, argument, np.bool_, of_true) == true
    assert meaning(weigh, argument, np.float32, of_numbers) == numbers
    if causal == "not its job":
        assert argument == "key_padding_mask"
    else:
        assert_close(weigh(argument, CAUSAL[causal]), ~ABOVE / (~ABOVE).sum(axis=-1, keepdims=True))


@pytest.mark.parametrize(("name", "by_true_or_false", "by_infinity"), EMPTY)
def test_the_page_on_masks_says_what_each_function_makes_of_an_empty_row(name, by_true_or_false, by_infinity):
    weigh = BY[name]
    words = {
        "zeros": np.zeros(L),
        "the mean of all values": np.full(L, 1 / L),
        "not a number": np.full(L, np.nan),
    }
    hidden = np.full((L, L), "MHA" in name)
    infinite = np.full((L, L), -np.inf, np.float32)
    hides, adds = HIDES.get(name, "attn_mask"), ADDS.get(name, "attn_mask")
    for argument, laid_over, word in ((hides, hidden, by_true_or_false), (adds, infinite, by_infinity)):
        assert_close(weigh(argument, laid_over)[0], words[word].astype(np.float32))


def test_the_page_on_masks_leaves_no_function_out():
    assert {row[0].partition(", ")[0] for row in CONTRACT} | {row[0] for row in EMPTY} == set(BY)
    assert (len(CONTRACT), len(EMPTY)) == (8, 5)


def test_bfloat16_is_computed_in_float32_and_scores_of_160000_do_not_overflow():
    bfloat16 = peer("ml_dtypes").bfloat16
    Q, K, V = (array.astype(bfloat16) for array in arrays())
    result = attention(Q, K, V, bias=np.ones((L_Q, L_K), bfloat16))
    assert [array.dtype for array in result] == [np.float32] * 3
    assert_close(result.output, attention(*(x.astype(np.float32) for x in (Q, K, V))).output)
    assert_close(attention(Q, K.astype(np.float64), V).output.dtype.itemsize, 8)
    high = attention(np.full((1, 4), 400, bfloat16), np.full((2, 4), 100, bfloat16), np.eye(2), scale=1)
    assert_close(high.scores, [[160000, 160000]])
    assert_close(high.weights, [[0.5, 0.5]])
