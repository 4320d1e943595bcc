"""Attention beside the models of transformers: whole layers with random weights, rebuilt from attnref's functions.

Their norms and rotary angles are computed in `float32`, whatever the model's dtype; where one has a part, that is how
close the two can come. All axes are different primes, but for heads, which must divide one another, and widths that
must be even to be turned.
"""

import numpy as np
import pytest

from attnref import (
    alibi_bias,
    alibi_slopes,
    attention,
    differential_attention,
    differential_factor,
    gated_delta_rule,
    join_heads,
    latent_attention,
    linear_attention,
    linear_recurrence,
    qk_norm,
    rms_norm,
    rotary,
    sink_attention,
    split_heads,
)
from tests.attnref.peers import peer
from tests.attnref.tolerance import STEPS, assert_close

ROUNDED = STEPS * 2.0**-23  # of float32
BATCH, L, D_MODEL = 2, 7, 13


@pytest.fixture
def torch():
    peer("transformers")
    torch = peer("torch")
    torch.manual_seed(0)
    return torch


def module(name):
    peer("transformers")
    import importlib

    return importlib.import_module(f"transformers.models.{name}.modeling_{name}")


def config(name, **options):
    import transformers

    return getattr(transformers, name)(attn_implementation="eager", **options)


def randomized(torch, layer):
    """The layer in float64, each weight drawn anew: ones and zeros of a norm would hide it."""
    layer = layer.double().eval()
    with torch.no_grad():
        for weight in layer.parameters():
            weight.normal_(std=0.4)
    return layer, {name: weight.detach().numpy() for name, weight in layer.named_parameters()}


def tokens(torch, d_model=D_MODEL):
    X = torch.randn(BATCH, L, d_model, dtype=torch.float64)
    return X, X.numpy()


def causal(torch):
    """As transformers hands it on: a low number above the diagonal."""
    lowest = torch.finfo(torch.float64).min
    return torch.full((L, L), lowest, dtype=torch.float64).triu(1)[None, None]


def angles(torch, width, positions, base=10000.0):
    """The two tables that their layers are given, in float64."""
    turns = torch.as_tensor(positions, dtype=torch.float64)[..., None]
    turns = turns * base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    both = torch.cat([turns, turns], dim=-1)
    return both.cos(), both.sin()


def result(output):
    return output[0].detach().numpy()


def grouped(K, n_heads):
    return np.repeat(K, n_heads // K.shape[-3], axis=-3)


@pytest.mark.parametrize("offset", [0, 17])
def test_llama_turns_halves_and_lets_neighbours_share_a_key_head(torch, offset):
    llama, H, H_kv, d = module("llama"), 6, 3, 10
    settings = config(
        "LlamaConfig", hidden_size=18, num_attention_heads=H, num_key_value_heads=H_kv, head_dim=d
    )
    layer, W = randomized(torch, llama.LlamaAttention(settings, 0))
    X_t, X = tokens(torch, 18)
    theirs = result(layer(X_t, angles(torch, d, np.arange(L)[None] + offset), causal(torch)))
    Q, K, V = (
        split_heads(X @ W[f"{name}_proj.weight"].T, heads)
        for name, heads in (("q", H), ("k", H_kv), ("v", H_kv))
    )
    Q, K = (rotary(x, pairing="half_split", offset=offset) for x in (Q, K))
    heads = attention(Q, grouped(K, H), grouped(V, H), causal=True).output
    assert_close(join_heads(heads) @ W["o_proj.weight"].T, theirs, tol=ROUNDED)


def test_the_tables_that_llama_makes_are_those_of_the_paper(torch):
    llama, d = module("llama"), 10
    settings = config("LlamaConfig", hidden_size=D_MODEL, num_attention_heads=1, head_dim=d)
    X = torch.randn(1, 3, L, d, dtype=torch.float64)
    cos, sin = llama.LlamaRotaryEmbedding(settings)(X, torch.arange(L)[None])
    theirs = llama.apply_rotary_pos_emb(X, X, cos, sin)[0].numpy()
    assert_close(rotary(X.numpy(), pairing="half_split"), theirs, tol=ROUNDED)


@pytest.mark.parametrize("rotated", [4, 10])
def test_gptj_turns_neighbours_and_only_the_first_of_them(torch, rotated):
    gptj, H, d = module("gptj"), 3, 10
    settings = config("GPTJConfig", n_embd=H * d, n_head=H, rotary_dim=rotated, n_positions=64)
    layer, W = randomized(torch, gptj.GPTJAttention(settings, 0))
    X_t = torch.randn(BATCH, L, H * d, dtype=torch.float64)
    positions = torch.tensor([[5, 6, 7, 8, 9, 10, 11], [0, 1, 2, 3, 5, 8, 13]])
    cos, sin = (table[..., : rotated // 2] for table in angles(torch, rotated, positions))
    theirs = result(layer(X_t, (sin, cos), causal(torch)))
    Q, K, V = (split_heads(X_t.numpy() @ W[f"{name}_proj.weight"].T, H) for name in "qkv")
    Q, K = (rotary(x, positions=positions.numpy()[:, None], rotated=rotated) for x in (Q, K))
    heads = attention(Q, K, V, causal=True).output
    assert_close(join_heads(heads) @ W["out_proj.weight"].T, theirs, tol=ROUNDED)


def test_deepseek_interleaves_and_takes_the_pairs_apart_again(torch):
    deepseek, d = module("deepseek_v3"), 10
    X = torch.randn(1, 3, L, d, dtype=torch.float64)
    theirs = deepseek.apply_rotary_pos_emb_interleave(X, X, *angles(torch, d, np.arange(L)[None]))[0].numpy()
    ours = rotary(X.numpy())
    assert_close(np.concatenate([ours[..., ::2], ours[..., 1::2]], axis=-1), theirs)


@pytest.mark.parametrize("n_heads", range(1, 18))
def test_bloom_and_mpt_slope_as_alibi_does(torch, n_heads):
    unmasked = torch.ones(1, 2, dtype=torch.int64)
    bloom = module("bloom").build_alibi_tensor(unmasked, n_heads, torch.float64)[:, 0]  # (n_heads, 2)
    assert_close(alibi_slopes(n_heads), bloom[:, 1].numpy(), tol=ROUNDED)
    mpt = module("mpt").build_mpt_alibi_tensor(n_heads, 2)[:, 0]  # (n_heads, 2)
    assert_close(alibi_slopes(n_heads), -mpt[:, 0].numpy(), tol=ROUNDED)


@pytest.mark.parametrize("L_q", [7, 1])
def test_bloom_and_mpt_penalise_the_same_up_to_a_number_for_each_row(torch, L_q):
    H, rng = 5, np.random.default_rng(0)
    Q, K, V = (rng.normal(size=(BATCH, H, n, 11)) for n in (L_q, L, L))
    ours = attention(Q, K, V, bias=alibi_bias(H, L_q, L), causal=True).output
    bloom = module("bloom").build_alibi_tensor(torch.ones(1, L, dtype=torch.int64), H, torch.float64)
    mpt = module("mpt").build_mpt_alibi_tensor(H, L)
    for theirs in (bloom, mpt):
        bias = theirs.double().numpy().reshape(H, 1, L)
        assert_close(attention(Q, K, V, bias=bias, causal=True).output, ours, tol=ROUNDED)


@pytest.mark.parametrize("absorbed", [False, True])
@pytest.mark.parametrize("q_rank", [None, 11])
def test_deepseek_makes_keys_and_values_of_one_latent_vector(torch, absorbed, q_rank):
    deepseek, H, d_k, d_rope, d_v, d_c = module("deepseek_v3"), 3, 5, 4, 7, 17
    settings = config(
        "DeepseekV3Config", hidden_size=D_MODEL, num_attention_heads=H, num_key_value_heads=H, q_lora_rank=q_rank,
        kv_lora_rank=d_c, qk_nope_head_dim=d_k, qk_rope_head_dim=d_rope, v_head_dim=d_v,
    )  # fmt: skip
    layer, W = randomized(torch, deepseek.DeepseekV3Attention(settings, 0))
    X_t, X = tokens(torch)
    theirs = result(layer(X_t, angles(torch, d_rope, np.arange(L)[None]), causal(torch)))
    if q_rank is None:
        Q = X @ W["q_proj.weight"].T
    else:
        Q = rms_norm(X @ W["q_a_proj.weight"].T, W["q_a_layernorm.weight"], eps=1e-6) @ W["q_b_proj.weight"].T
    Q = split_heads(Q, H)
    latent = X @ W["kv_a_proj_with_mqa.weight"].T
    C = rms_norm(latent[..., :d_c], W["kv_a_layernorm.weight"], eps=1e-6)
    W_UK, W_UV = np.split(W["kv_b_proj.weight"].reshape(H, d_k + d_v, d_c), [d_k], axis=1)
    heads = latent_attention(
        Q[..., :d_k], rotary(Q[..., d_k:]), C, rotary(latent[..., d_c:]),
        join_heads(W_UK.mT), join_heads(W_UV.mT), absorbed=absorbed, causal=True,
    ).output  # fmt: skip
    assert_close(join_heads(heads) @ W["o_proj.weight"].T, theirs, tol=ROUNDED)


@pytest.mark.parametrize("form", ["recurrent", "chunk"])
def test_qwen_forgets_and_writes_by_the_gated_delta_rule(torch, form):
    qwen, H, d_k, d_v = module("qwen3_next"), 3, 5, 11
    Q, K = (torch.randn(BATCH, L, H, d_k) for _ in range(2))
    V, state = torch.randn(BATCH, L, H, d_v), torch.randn(BATCH, H, d_k, d_v)
    decay, beta = -torch.rand(BATCH, L, H), torch.rand(BATCH, L, H)
    rule = getattr(qwen, f"torch_{form}_gated_delta_rule")
    output, after = rule(
        Q, K, V, decay, beta, initial_state=state, output_final_state=True, use_qk_l2norm_in_kernel=True
    )
    q, k, v = (np.moveaxis(x.double().numpy(), 1, 2) for x in (Q, K, V))
    q, k = (x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True) + 1e-6) for x in (q, k))
    ours = gated_delta_rule(
        q, k, v, decay=np.moveaxis(decay.numpy(), 1, 2)[..., None], beta=np.moveaxis(beta.numpy(), 1, 2),
        scale=d_k**-0.5, state=state.numpy(),
    )  # fmt: skip
    assert_close(np.moveaxis(ours.output, 2, 1), output.numpy())
    assert_close(ours.state, after.numpy())


@pytest.mark.parametrize("block_size", [3, 64])
def test_minimax_is_linear_attention_without_a_normalizer_that_forgets(torch, block_size):
    minimax, H, d = module("minimax"), 3, 10
    settings = config(
        "MiniMaxConfig", hidden_size=D_MODEL, num_attention_heads=H, head_dim=d, num_hidden_layers=2,
        num_key_value_heads=H, block_size=block_size, layer_types=["linear_attention"] * 2, hidden_act="silu",
    )  # fmt: skip
    layer, W = randomized(torch, minimax.MiniMaxLightningAttention(settings, 0))
    X_t, X = tokens(torch)
    output, after = layer(X_t, None, None)
    mixed = X @ W["qkv_proj.weight"].T
    mixed = split_heads(mixed / (1 + np.exp(-mixed)), H)
    Q, K, V = np.split(mixed, 3, axis=-1)
    decay = -layer.slope_rate.numpy()  # (H, 1, 1)
    plain = {"features": lambda x: x, "normalize": False}
    ours = linear_recurrence(Q, K, V, decay=decay, **plain)
    assert_close(ours.state.S, after.detach().numpy(), tol=ROUNDED)
    normed = rms_norm(join_heads(ours.output), W["norm.weight"], eps=layer.norm.variance_epsilon)
    gate = 1 / (1 + np.exp(-X @ W["output_gate.weight"].T))
    assert_close((gate * normed) @ W["out_proj.weight"].T, output.detach().numpy(), tol=ROUNDED)
    without = linear_recurrence(Q, K, V, **plain).output
    assert_close(linear_attention(Q, K, V, causal=True, **plain).output, without)
    assert np.abs(without - ours.output).max() > 0.01


def test_gpt_oss_leaves_a_share_to_a_sink(torch):
    oss, H, H_kv = module("gpt_oss"), 6, 3
    Q, K, V = (torch.randn(BATCH, heads, L, 11, dtype=torch.float64) for heads in (H, H_kv, H_kv))
    layer = torch.nn.Module()
    layer.sinks, layer.num_key_value_groups = torch.randn(H, dtype=torch.float64), H // H_kv
    output, weights = oss.eager_attention_forward(layer.eval(), Q, K, V, causal(torch), 0.3)
    ours = sink_attention(
        Q.numpy(), *(grouped(x.numpy(), H) for x in (K, V)), layer.sinks.numpy(), scale=0.3, causal=True
    )
    assert_close(ours.output, np.moveaxis(output.numpy(), 2, 1))
    assert_close(ours.weights, weights.numpy())


def test_gemma_caps_its_scores_before_the_mask(torch):
    gemma = module("gemma2")
    Q, K, V = (torch.randn(BATCH, 3, L, 11, dtype=torch.float64) for _ in range(3))
    layer = torch.nn.Module()
    layer.num_key_value_groups = 1
    output = gemma.eager_attention_forward(layer.eval(), Q, K, V, causal(torch), scaling=2.0, softcap=3.0)[0]
    ours = attention(Q.numpy(), K.numpy(), V.numpy(), scale=2.0, softcap=3.0, causal=True).output
    assert_close(ours, np.moveaxis(output.numpy(), 2, 1), tol=ROUNDED)


def test_qwen_norms_each_head_of_queries_and_keys_before_it_turns_them(torch):
    qwen, H, H_kv, d = module("qwen3"), 6, 3, 10
    settings = config(
        "Qwen3Config", hidden_size=D_MODEL, num_attention_heads=H, num_key_value_heads=H_kv, head_dim=d
    )
    layer, W = randomized(torch, qwen.Qwen3Attention(settings, 0))
    X_t, X = tokens(torch)
    theirs = result(layer(X_t, angles(torch, d, np.arange(L)[None]), causal(torch)))
    Q, K, V = (
        split_heads(X @ W[f"{name}_proj.weight"].T, heads)
        for name, heads in (("q", H), ("k", H_kv), ("v", H_kv))
    )
    normed = qk_norm(Q, K, W["q_norm.weight"], W["k_norm.weight"], eps=settings.rms_norm_eps)
    Q, K = (rotary(x, pairing="half_split") for x in normed)
    heads = attention(Q, grouped(K, H), grouped(V, H), causal=True).output
    assert_close(join_heads(heads) @ W["o_proj.weight"].T, theirs, tol=ROUNDED)


@pytest.mark.parametrize("layer_index", [0, 3])
def test_diffllama_takes_the_second_map_from_the_first(torch, layer_index):
    diffllama, H, d = module("diffllama"), 6, 10
    settings = config(
        "DiffLlamaConfig", hidden_size=D_MODEL, num_attention_heads=H, num_key_value_heads=H, head_dim=d,
        attention_dropout=0.0,
    )  # fmt: skip
    layer, W = randomized(torch, diffllama.DiffLlamaAttention(settings, layer_index))
    X_t, X = tokens(torch)
    theirs = result(layer(X_t, angles(torch, d, np.arange(L)[None]), causal(torch)))
    Q, K, V = (split_heads(X @ W[f"{name}_proj.weight"].T, H) for name in "qkv")
    Q, K = (rotary(x, pairing="half_split") for x in (Q, K))
    Q, K, V = (np.concatenate(np.split(x, 2, axis=1), axis=-1) for x in (Q, K, V))  # (BATCH, H / 2, L, d + d)
    factor, init = differential_factor(
        *(W[f"lambda_{name}"] for name in ("q1", "k1", "q2", "k2")), layer=layer_index
    )
    heads = differential_attention(Q, K, V, factor, init=init, eps=settings.rms_norm_eps, causal=True).output
    assert_close(join_heads(heads) @ W["o_proj.weight"].T, theirs, tol=ROUNDED)
