"""The named faults of attention code, each written as a change of attnref, and why some cannot be.

The names are those of the catalogue of faults seen in public reports; `run_faults` makes the changes.
"""

from typing import NamedTuple


class Fault(NamedTuple):
    """Replace `old` by `new`, once, in a module; then a test of that file must go red."""

    module: str
    old: str
    new: str
    tests: str


WEIGHTS = "weights = softmax(np.where(allowed, logits, -np.inf))"
MASKED = "allowed = allowed & as_mask(mask, scores.shape)"
CAUSAL = "within(keys - queries, None, 0)"
OFFSET = 'offset = keys - queries if choice("align", align, ALIGNMENTS) == "bottom_right" else 0'
DEFAULT_SCALE = "return float(d_k**-0.5)"
REPEATED = "np.repeat(array, p.group, axis=-3)"
SHARES = "shares = softmax(np.concatenate([block.logits, beside], axis=-1))"
FEATURES = "np.where(X > 0, X + 1, np.exp(np.minimum(X, 0)))"
TURNED = "turned[..., first], turned[..., second] ="
NORMED = "NormedHeads(rms_norm(Q, gain_Q, eps=eps), rms_norm(K, gain_K, eps=eps))"
TOGETHER = "np.sqrt((np.square({0}).mean(axis=(-3, -1), keepdims=True) + eps))"

FAULTS = {
    "scale_missing": Fault("_options", DEFAULT_SCALE, "return 1.0", "test_attention"),
    "scale_model_dim": Fault(
        "_multihead", "scale=scale,", "scale=scale or p.X.shape[-1] ** -0.5,", "test_multihead"
    ),
    "scale_inverse": Fault("_options", DEFAULT_SCALE, "return float(d_k**0.5)", "test_attention"),
    "scale_wrong_dim": Fault(
        "_latent", "scale_factor(scale, Q.shape[-1]", "scale_factor(scale, C.shape[-1]", "test_later_forms"
    ),
    "scale_default_zero": Fault("_options", DEFAULT_SCALE, "return 0.0", "test_attention"),
    "scale_arg_ignored": Fault(
        "_options", 'return number("scale", scale)', 'number("scale", scale)', "test_attention"
    ),
    "bias_scaled": Fault(
        "_attention", "logits = logits + bias", "logits = logits + factor * bias", "test_attention"
    ),
    "softmax_axis": Fault("_attention", WEIGHTS, WEIGHTS[:-1] + ", axis=-2)", "test_attention"),
    "softmax_axis_batch": Fault("_attention", WEIGHTS, WEIGHTS[:-1] + ", axis=0)", "test_attention"),
    "softmax_overflow": Fault("_softmax", "np.exp(x - top)", "np.exp(x)", "test_softmax"),
    "softmax_const_max": Fault("_softmax", "np.exp(x - top)", "np.exp(x - 10)", "test_softmax"),
    "online_sentinel": Fault(
        "_running", "(rows, 1), -np.inf, dtype", "(rows, 1), -5e4, dtype", "test_blockwise"
    ),
    "online_rowmax_reset": Fault(
        "_running", "self.top = top\n", "self.top = np.where(top == -np.inf, 0, top)\n", "test_blockwise"
    ),
    "online_nan": Fault("_running", "np.where(top == -np.inf, 0, top)", "top", "test_blockwise"),
    "block_bounds": Fault(
        "_running",
        "powers @ self.ones[: len(V)]",
        "powers.sum(axis=-1) + (self.ones.size - len(V)) * np.exp(-shift[:, 0])",
        "test_blockwise",
    ),
    "off_by_one_shift": Fault(
        "_sinks",
        SHARES,
        "powers = np.exp(block.logits - block.logits.max(axis=-1, keepdims=True)); "
        "shares = np.concatenate([powers, np.exp(beside)], axis=-1); "
        "shares = shares / shares.sum(axis=-1, keepdims=True)",
        "test_sinks",
    ),
    "softmax_downcast": Fault(
        "_softmax", "widest_float(x=x), x=x", "np.dtype(np.float32), x=x", "test_softmax"
    ),
    "softmax_low_precision": Fault(
        "_validate", "[np.dtype(np.float32)]", "[np.dtype(np.float16)]", "test_attention"
    ),
    "finfo_min_sum": Fault(
        "_attention",
        WEIGHTS,
        "weights = softmax(logits + np.where(allowed, 0, np.finfo(logits.dtype).min).astype(logits.dtype))",
        "test_attention",
    ),
    "mask_constant_leak": Fault("_attention", WEIGHTS, WEIGHTS.replace("-np.inf", "-1e4"), "test_attention"),
    "mask_inverted": Fault("_attention", MASKED, MASKED.replace("& as", "& ~as"), "test_attention"),
    "mask_additive_vs_binary": Fault(
        "_validate",
        'array = read("mask", mask)\n',
        'array = read("mask", mask) != 0\n',
        "test_attention_errors",
    ),
    "mask_bool_added": Fault(
        "_attention", MASKED, "logits = logits + as_mask(mask, scores.shape)", "test_attention"
    ),
    "mask_ignored": Fault("_attention", MASKED, "as_mask(mask, scores.shape)", "test_attention"),
    "mask_after_softmax": Fault(
        "_attention", WEIGHTS, "weights = softmax(logits) * allowed", "test_attention"
    ),
    "mask_multiplied": Fault("_attention", WEIGHTS, "weights = softmax(logits * allowed)", "test_attention"),
    "mask_head_order": Fault(
        "_attention",
        MASKED,
        "allowed = allowed & np.resize(as_mask(mask, scores.shape), scores.shape)",
        "test_attention",
    ),
    "mask_rank": Fault(
        "_attention",
        "bias = as_bias(bias, dtype, scores.shape)",
        "bias = as_bias(bias, dtype, scores.shape); bias = bias[:, None] if bias.ndim == 3 else bias",
        "test_attention",
    ),
    "causal_dropped": Fault("_attention", 'if flag("causal", causal):', "if False:", "test_attention"),
    "causal_off_by_one": Fault("_masks", CAUSAL, CAUSAL.replace("0)", "1)"), "test_masks"),
    "causal_alignment": Fault(
        "_masks", OFFSET, OFFSET.replace('"bottom_right" else', '"top_left" else'), "test_masks"
    ),
    "causal_alignment_long_q": Fault(
        "_masks", OFFSET, OFFSET.replace("keys - queries", "max(keys - queries, 0)"), "test_masks"
    ),
    "kv_first_key_only": Fault(
        "_attention", "causal_mask(L_q, L_k)", 'causal_mask(L_q, L_k, align="top_left")', "test_cache"
    ),
    "rope_cache_offset": Fault(
        "_positions", '+ whole("offset", offset)', '+ 0 * whole("offset", offset)', "test_positions"
    ),
    "masked_row_nan": Fault("_softmax", "np.where(top == -np.inf, 0, top)", "top", "test_softmax"),
    "masked_row_uniform": Fault(
        "_attention", WEIGHTS, WEIGHTS.replace("-np.inf", "np.finfo(dtype).min"), "test_attention"
    ),
    "masked_garbage_leaks": Fault("_blend", "if np.isfinite(V).all():", "if True:", "test_attention"),
    "nan_grad": Fault(
        "_gradients",
        "    weights = softmax(block.logits)",
        "    powers = np.exp(block.logits - block.logits.max(axis=-1, keepdims=True)); "
        "weights = powers / powers.sum(axis=-1, keepdims=True)",
        "test_gradients",
    ),
    "softmax_grad": Fault("_gradients", "(d_shares - mean)", "d_shares", "test_gradients"),
    "heads_split_reshape": Fault(
        "_heads",
        "return np.swapaxes(parts, -3, -2)",
        "return parts.reshape(*X.shape[:-2], n_heads, X.shape[-2], parts.shape[-1])",
        "test_heads",
    ),
    "heads_merge_reshape": Fault(
        "_heads",
        "tokens = np.swapaxes(heads, -3, -2)",
        "tokens = heads.reshape(*heads.shape[:-3], heads.shape[-2], heads.shape[-3], heads.shape[-1])",
        "test_heads",
    ),
    "layout": Fault(
        "_attention",
        "Q, K, V = as_float(dtype, Q=Q, K=K, V=V)",
        "Q, K, V = (np.swapaxes(x, -3, -2) if x.ndim > 2 else x for x in as_float(dtype, Q=Q, K=K, V=V))",
        "test_attention",
    ),
    "batch_first": Fault(
        "_multihead", "affine(p.X, p.W_Q", "affine(np.swapaxes(p.X, 0, -2), p.W_Q", "test_multihead"
    ),
    "gqa_tile": Fault("_multihead", REPEATED, "np.concatenate([array] * p.group, axis=-3)", "test_multihead"),
    "gqa_grad": Fault("_gradients_multihead", "L, d).sum(axis=-3)", "L, d)[..., 0, :, :]", "test_gradients"),
    "values_ignored": Fault(
        "_attention", "blend(weights, V, allowed)", "blend(weights, K, allowed)", "test_attention"
    ),
    "window_off_by_one": Fault("_masks", "distances >= -left", "distances > -left", "test_masks"),
    "window_ignored": Fault("_attention", "if window is not None:", "if False:", "test_attention"),
    "window_future": Fault("_masks", "seen &= distances <= right", "pass", "test_masks"),
    "lengths_ignored": Fault(
        "_masks", "np.arange(L_k) < as_lengths", "np.arange(L_k) < L_k + 0 * as_lengths", "test_masks"
    ),
    "softcap_after_mask": Fault(
        "_attention",
        WEIGHTS,
        "logits = np.where(allowed, logits, -np.inf); "
        "weights = softmax(logits if softcap is None else capped(logits, softcap))",
        "test_attention",
    ),
    "softcap_ignored": Fault(
        "_attention", "scores if softcap is None else", "scores if True else", "test_attention"
    ),
    "sink_wrong": Fault(
        "_sinks", "sink[..., None, None]", "sink[..., None, None] * scoring.factor", "test_sinks"
    ),
    "alibi_slopes": Fault(
        "_alibi",
        "return np.concatenate([_series(lower), _series(2 * lower)[::2][: n_heads - lower]])",
        "return _series(n_heads)",
        "test_positions",
    ),
    "alibi_exponent": Fault("_alibi", "np.arange(1, n_heads + 1)", "np.arange(n_heads)", "test_positions"),
    "alibi_sign": Fault("_alibi", "* -distances", "* distances", "test_positions"),
    "alibi_cache": Fault("_alibi", "L_q if L_k is None else L_k", "L_q", "test_positions"),
    "rope_pairing": Fault("_positions", '== "interleaved"', '!= "interleaved"', "test_positions"),
    "rope_mixed": Fault(
        "_positions",
        "angles = places[..., None] * theta",
        "angles = places[..., None] * np.sort(theta)",
        "test_positions",
    ),
    "rope_axis": Fault(
        "_positions", "np.arange(X.shape[-2]) if", "np.zeros(X.shape[-2], int) if", "test_positions"
    ),
    "weights_averaged": Fault(
        "_multihead",
        "MultiheadAttention(output, weights,",
        "MultiheadAttention(output, weights.mean(axis=-3),",
        "test_multihead",
    ),
    "projection_T": Fault("_parameters", "X @ W if b", "X @ W.T if b", "test_multihead"),
    "additive_score": Fault(
        "_additive", "hidden = np.tanh((Q @ W_Q)", "hidden = np.tanh((0 * Q @ W_Q)", "test_additive"
    ),
    "linear_normaliser": Fault("_linear", "if normalize else", "if False else", "test_linear"),
    "linear_feature_bf16": Fault(
        "_linear",
        FEATURES,
        "(np.where(X > 0, X, np.expm1(np.minimum(X, 0))).astype(np.float16) + np.float16(1)).astype(X.dtype)",
        "test_linear",
    ),
    "paged_last_block": Fault("_paged", " & (np.arange(L_k) < ends)", "", "test_paged"),
    "qknorm_axis": Fault(
        "_norms",
        NORMED,
        f"NormedHeads(Q / {TOGETHER.format('Q')}, K / {TOGETHER.format('K')})",
        "test_norms",
    ),
    "diff_attn": Fault("_differential", '* (1 - number("init", init))', "", "test_later_forms"),
}

# What attnref does not do cannot be done wrongly in it.
ELSEWHERE = {
    "scale_yarn": "no position is stretched here, so no scale has to make up for it",
    "dropout_in_denominator": "there is no dropout",
    "dropout_eval": "there is no dropout",
    "weights_after_dropout": "there is no dropout",
    "fp16_mask_overflow": "all is computed in float32 at least, and a mask is no number",
    "rope_double": "a cache takes keys as they are; whoever calls it rotates them",
    "position_left_pad": "positions are an argument, one for each token",
    "grad_normaliser": "linear attention has no way back here",
    "gqa_weight_permute": "no checkpoint is read",
    "additive_output_tanh": "attention ends at the blend; the layer behind it is not part of it",
}
