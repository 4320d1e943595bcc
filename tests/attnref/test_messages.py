"""What a refusal says, to the last word: argument, what was given, rule, next step. One row for each rule and place."""

import numpy as np
import pytest

from attnref import (
    AttnRefError,
    DtypeError,
    MaskError,
    ShapeError,
    additive_attention,
    attention,
    attention_gradients,
    block_mask,
    blockwise_attention,
    blockwise_gradients,
    causal_mask,
    extend_cache,
    join_heads,
    layer_norm,
    merge,
    multihead_attention,
    multihead_gradients,
    padding_mask,
    prefix_mask,
    rms_norm,
    rotary,
    segment_mask,
    sink_attention,
    sinusoidal_positions,
    softmax,
    softmax_gradient,
    split_heads,
    split_qkv,
    streaming_mask,
    window_mask,
)
from attnref._fit import leads_back
from attnref._validate import as_float

Q, K, V, OUT = np.zeros((2, 5, 3)), np.zeros((2, 7, 3)), np.zeros((2, 7, 11)), np.zeros((2, 5, 11))
THERE = blockwise_attention(Q, K, V)
X, W = np.ones((5, 6)), np.eye(6)
MANY = {"W_Q": W, "W_K": W, "W_V": W, "W_O": W, "n_heads": 2}
ROW = np.ones(6)

# Rules with their next step that stand behind many arguments.
COMPLEX = "attnref computes with real numbers, floats or integers. Convert it to a float dtype first, such as float32."
BOOLEAN = (
    "attnref computes with real numbers, floats or integers. If it says who may attend, pass it as mask; if not, "
    "convert it to float32."
)
RAGGED = (
    "is a nested list: its rows differ in length, but an array has rows of one length. "
    "Pad the short rows and mask what was added."
)
LENGTH = "it is a length, an integer of zero or more. Pass the length of an axis, such as K.shape[-2]."
COUNT = "it is a count, an integer of one or more. Pass a whole number, not a fraction or an array."
INTEGERS = "it counts tokens, so it holds integers. If it marks tokens with True, it is a mask already."
WITHIN = "each must lie between zero and L_k, 3. Pass as L_k the length of the keys, padding included."
NUMBER = "it must be one finite number"
LEAVE = "For the default leave it out."
BIAS = "What differs from score to score goes into bias."
ALIGN = "this option knows certain words only. Write 'bottom_right' or 'top_left'."
SIDES = (
    "each side counts keys beside the query's own position, zero or more. For no bound on a side write None."
)
PAIR = (
    "a window is a pair (left, right). "
    "For as many keys on both sides write the number twice, for no bound on a side None."
)
LABELS = "tokens with the same integer belong together. Number the texts, such as one, one, two."
PAIRS = (
    "numbers are turned in pairs, so their number is even and not above the length of the last axis. "
    "Pass as rotated an even number of them; the others stay as they are."
)
HEADS = "Give each head equally many numbers."
ON_SCORES = (
    "it must broadcast to the scores, shape (2, 5, 7), without adding to their axes. "
    "Its last axis is the keys', the one before it the queries'; insert axes of one for others."
)
INSERT = "Insert axes of one where they are missing."
BELONGS = "Check which arrays it belongs to."
TOKEN = "its last axis holds the numbers of a token, at least one. Check which axis is the last."


def axes(name, named):
    return f"it must have at least the axes (..., {named}). For a length of one insert an axis, such as {name}[None]."


def axis_of(name):
    return f"it must count one axis of {name}, from either end. For the last one leave it out."


ROWS = [
    (lambda: softmax([[1], [2, 3]]), ShapeError, f"x {RAGGED}"),
    (lambda: as_float(np.dtype(float), x=[[1], [2, 3]]), ShapeError, f"x {RAGGED}"),
    (lambda: softmax([3.0], axis=1), ShapeError, f"axis is 1 and x has shape (1,): {axis_of('x')}"),
    (lambda: softmax([3.0], axis=0.0), ShapeError, f"axis is 0.0 and x has shape (1,): {axis_of('x')}"),
    (lambda: softmax([1j]), DtypeError, f"x has dtype complex128 and shape (1,): {COMPLEX}"),
    (lambda: softmax([True]), DtypeError, f"x has dtype bool and shape (1,): {BOOLEAN}"),
    (lambda: causal_mask(-2), ShapeError, f"L_q is -2: {LENGTH}"),
    (lambda: causal_mask(2, 2.5), ShapeError, f"L_k is 2.5: {LENGTH}"),
    (lambda: causal_mask(2, align="left"), AttnRefError, f"align is 'left': {ALIGN}"),
    (lambda: causal_mask(2, align=0), AttnRefError, f"align is 0: {ALIGN}"),
    (lambda: window_mask(2, 3, -1, 0), MaskError, f"window, the pair (left, right), is (-1, 0): {SIDES}"),
    (lambda: window_mask(2, "3", 1, 0), ShapeError, f"L_k is '3': {LENGTH}"),
    (lambda: window_mask(2, 3, 0, 1, align="x"), AttnRefError, f"align is 'x': {ALIGN}"),
    (lambda: padding_mask([4, -1], 3), MaskError, f"lengths goes from -1 to 4: {WITHIN}"),
    (lambda: padding_mask([-1], 3), MaskError, f"lengths goes from -1 to -1: {WITHIN}"),
    (lambda: padding_mask([2.0], 3), MaskError, f"lengths has dtype float64 and shape (1,): {INTEGERS}"),
    (lambda: padding_mask([True], 3), MaskError, f"lengths has dtype bool and shape (1,): {INTEGERS}"),
    (lambda: padding_mask([[1], [2, 3]], 3), ShapeError, f"lengths {RAGGED}"),
    (lambda: padding_mask([2], -3), ShapeError, f"L_k is -3: {LENGTH}"),
    (
        lambda: split_heads(np.ones((5, 7)), 2),
        ShapeError,
        f"X has shape (5, 7): its last axis must be a multiple of the number of heads, 2. {HEADS}",
    ),
    (lambda: split_heads(ROW, 2), ShapeError, f"X has shape (6,): {axes('X', 'L, d_model')}"),
    (lambda: split_heads(X, 0), ShapeError, f"n_heads is 0: {COUNT}"),
    (lambda: split_heads([["a"]], 1), DtypeError, f"X has dtype <U1 and shape (1, 1): {COMPLEX}"),
    (lambda: join_heads(X), ShapeError, f"heads has shape (5, 6): {axes('heads', 'n_heads, L, d')}"),
    (lambda: join_heads([[[None]]]), DtypeError, f"heads has dtype object and shape (1, 1, 1): {COMPLEX}"),
    (
        lambda: split_qkv(X, n_heads=3, n_kv_heads=2),
        ShapeError,
        "n_heads is 3 and n_kv_heads is 2: each key and value head serves equally many query heads. "
        "Choose an n_kv_heads that divides n_heads.",
    ),
    (
        lambda: split_qkv(np.ones((5, 7)), n_heads=2),
        ShapeError,
        f"W has shape (5, 7): its last axis must be a multiple of the number of heads, 6. {HEADS}",
    ),
    (lambda: split_qkv(1.0, n_heads=2), ShapeError, f"W has shape (): {axes('W', 'd_out')}"),
    (lambda: split_qkv([1j], n_heads=1), DtypeError, f"W has dtype complex128 and shape (1,): {COMPLEX}"),
    (lambda: split_qkv(X, n_heads=3, n_kv_heads=0), ShapeError, f"n_kv_heads is 0: {COUNT}"),
    (lambda: attention(Q[0, 0], K, V), ShapeError, f"Q has shape (3,): {axes('Q', 'L_q, d_k')}"),
    (lambda: attention(Q, K[0, 0], V), ShapeError, f"K has shape (3,): {axes('K', 'L_k, d_k')}"),
    (lambda: attention(Q, K, V[0, 0]), ShapeError, f"V has shape (11,): {axes('V', 'L_k, d_v')}"),
    (lambda: attention(Q, K, V, bias=1j), DtypeError, f"bias has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: attention(Q, K, V, mask=[[True], [True, False]]), ShapeError, f"mask {RAGGED}"),
    (lambda: attention(Q, K, V, causal=1), DtypeError,
     "causal is of type int: it is either True or False. If it says who may attend to what, pass it as mask."),
    (lambda: attention(Q, K, V, window=[1, 2, 3]), MaskError, f"window is [1, 2, 3]: {PAIR}"),
    (lambda: attention(Q, K, V, window=(0.5, None)), MaskError,
     f"window, the pair (left, right), is (0.5, None): {SIDES}"),
    (lambda: attention(Q, K, V, scale=np.inf), AttnRefError, f"scale is inf: {NUMBER}. {LEAVE}"),
    (lambda: attention(Q, K, V, scale="1"), DtypeError,
     f"scale has dtype <U1 and shape (): {NUMBER}. {BIAS}"),
    (lambda: attention(Q, K, V, scale=[[1], [2, 3]]), ShapeError, f"scale {RAGGED}"),
    (lambda: attention(Q, K, V, softcap=0), AttnRefError,
     f"softcap is 0: {NUMBER} greater than zero. {LEAVE}"),
    (lambda: attention(Q, K, V, softcap=[1.0]), DtypeError,
     f"softcap has dtype float64 and shape (1,): {NUMBER} greater than zero. {BIAS}"),
    (lambda: blockwise_attention(1j, K, V), DtypeError, f"Q has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: blockwise_attention(Q, 1j, V), DtypeError, f"K has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: blockwise_attention(Q, K, 1j), DtypeError, f"V has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: blockwise_attention(Q, K, V, bias=1j), DtypeError,
     f"bias has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: blockwise_attention(Q, K, V, bias=np.zeros((3, 7))), ShapeError,
     f"bias has shape (3, 7): {ON_SCORES}"),
    (lambda: blockwise_attention(Q, K, V, mask=np.ones((3, 7), bool)), MaskError,
     f"mask has shape (3, 7): {ON_SCORES}"),
    (lambda: blockwise_attention(Q, K, V, scale=np.nan), AttnRefError, f"scale is nan: {NUMBER}. {LEAVE}"),
    (lambda: blockwise_attention(Q, K, V, softcap=-1.0), AttnRefError,
     f"softcap is -1.0: {NUMBER} greater than zero. {LEAVE}"),
    (lambda: blockwise_attention(Q, K, V, causal=None), DtypeError,
     "causal is of type NoneType: it is either True or False. "
     "If it says who may attend to what, pass it as mask."),
    (lambda: blockwise_attention(Q, K, V, block_size=1.5), ShapeError, f"block_size is 1.5: {COUNT}"),
    (lambda: merge(), ShapeError,
     "no part is given: merging takes one partial result or more. Pass at least one."),
    (lambda: merge((OUT,)), ShapeError,
     "part 0 holds 1 arrays: a part is a pair of an output and a log-normalizer. "
     "Compute it with blockwise_attention."),
    (lambda: merge((OUT, OUT)), ShapeError,
     "part 0 holds an output of shape (2, 5, 11) and with it (2, 5, 11): a log-normalizer has one number for "
     "each query. Drop its last axis."),
    (lambda: merge(THERE, (OUT[:, :3], OUT[:, :3, 0])), ShapeError,
     "part 1 has an output of shape (2, 3, 11) and part 0 one of (2, 5, 11): all parts answer the same "
     "queries. Pass all queries to each part and cut up keys and values only."),
    (lambda: merge((1j, 1.0)), DtypeError, f"part 0[0] has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: merge(THERE, (OUT, 1j)), DtypeError, f"part 1[1] has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: sink_attention(Q, K, V, np.zeros(3)), ShapeError,
     f"sink has shape (3,): it must broadcast to (2,), the axes of Q, K and V before the last two. {INSERT}"),
    (lambda: sink_attention(Q, K, V, True), DtypeError, f"sink has dtype bool and shape (): {BOOLEAN}"),
    (lambda: streaming_mask(3, 5, 1, -1), MaskError,
     "first is -1: it is a count of keys, an integer of zero or more. For none of them write 0."),
    (lambda: streaming_mask(3, 5, -1, 1), MaskError, f"window, the pair (left, right), is (-1, 0): {SIDES}"),
    (lambda: streaming_mask(-3, 5, 1, 1), ShapeError, f"L_q is -3: {LENGTH}"),
    (lambda: streaming_mask(3, -5, 1, 1), ShapeError, f"L_k is -5: {LENGTH}"),
    (lambda: streaming_mask(3, 5, 1, 1, align="x"), AttnRefError, f"align is 'x': {ALIGN}"),
    (lambda: softmax_gradient(ROW, ROW[:3]), ShapeError,
     f"d_shares has shape (3,): it must have shape (6,), that of the shares. {BELONGS}"),
    (lambda: softmax_gradient(ROW, ROW, axis=1), ShapeError,
     f"axis is 1 and shares has shape (6,): {axis_of('shares')}"),
    (lambda: softmax_gradient([True], [1.0]), DtypeError, f"shares has dtype bool and shape (1,): {BOOLEAN}"),
    (lambda: softmax_gradient([1.0], [True]), DtypeError,
     f"d_shares has dtype bool and shape (1,): {BOOLEAN}"),
    (lambda: attention_gradients(Q, K, V, OUT[0]), ShapeError,
     f"d_output has shape (5, 11): it must have shape (2, 5, 11), that of the output. {BELONGS}"),
    (lambda: attention_gradients(Q, K, V, 1j), DtypeError,
     f"d_output has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: blockwise_gradients(Q, K, V, OUT[..., :2], THERE), ShapeError,
     f"d_output has shape (2, 5, 2): it must have shape (2, 5, 11), that of the output. {BELONGS}"),
    (lambda: blockwise_gradients(Q, K, V, OUT, (OUT[0], OUT[..., 0])), ShapeError,
     f"result.output has shape (5, 11): it must have shape (2, 5, 11), that of d_output. {BELONGS}"),
    (lambda: blockwise_gradients(Q, K, V, OUT, (OUT, OUT)), ShapeError,
     f"result.log_normalizer has shape (2, 5, 11): it must have shape (2, 5), one for each query. {BELONGS}"),
    (lambda: blockwise_gradients(Q, K, V, 1j, THERE), DtypeError,
     f"d_output has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: blockwise_gradients(Q, K, V, OUT, (1j, OUT[..., 0])), DtypeError,
     f"result.output has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: blockwise_gradients(Q, K, V, OUT, (OUT, 1j)), DtypeError,
     f"result.log_normalizer has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: blockwise_gradients(Q, K, V, OUT, THERE, block_size=0), ShapeError, f"block_size is 0: {COUNT}"),
    (lambda: multihead_gradients(X, **MANY, d_output=X[:, :1]), ShapeError,
     f"d_output has shape (5, 1): it must have shape (5, 6), that of the output. {BELONGS}"),
    (lambda: multihead_gradients(X, **MANY, d_output=1j), DtypeError,
     f"d_output has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: multihead_attention(X, **{**MANY, "W_Q": np.ones((8, 6))}), ShapeError,
     "W_Q has shape (8, 6): it must be (d_in, d_out) with a d_in of 6, the last axis of X. "
     "If it is stored as (d_out, d_in), pass W_Q.T."),
    (lambda: multihead_attention(X, **{**MANY, "W_Q": ROW}), ShapeError,
     "W_Q has shape (6,): it must be (d_in, d_out) with a d_in of 6, the last axis of X. "
     "If it is stored as (d_out, d_in), pass W_Q.T."),
    (lambda: multihead_attention(X, **MANY, bias=True), DtypeError,
     f"bias has dtype bool and shape (): {BOOLEAN}"),
    (lambda: segment_mask([0.0]), MaskError, f"segments has dtype float64 and shape (1,): {LABELS}"),
    (lambda: segment_mask([0], [True]), MaskError, f"key_segments has dtype bool and shape (1,): {LABELS}"),
    (lambda: segment_mask([[1], [2, 3]]), ShapeError, f"segments {RAGGED}"),
    (lambda: segment_mask(3), ShapeError,
     "segments has no axis: there is one label for each token. Pass a list of labels."),
    (lambda: segment_mask([1], 3), ShapeError,
     "key_segments has no axis: there is one label for each token. Pass a list of labels."),
    (lambda: prefix_mask(4, 3), MaskError, f"prefix goes from 4 to 4: {WITHIN}"),
    (lambda: prefix_mask(1.0, 3), MaskError, f"prefix has dtype float64 and shape (): {INTEGERS}"),
    (lambda: prefix_mask(1, -3), ShapeError, f"L_q is -3: {LENGTH}"),
    (lambda: prefix_mask(1, 3, -3), ShapeError, f"L_k is -3: {LENGTH}"),
    (lambda: block_mask([[1]], 2, 2, block_size=2), MaskError,
     "blocks has dtype int64 and shape (1, 1): it is boolean, True where a block of queries may attend to a "
     "block of keys. Pass blocks != 0 if it counts or weighs."),
    (lambda: block_mask([[True]], 3, 2, block_size=2), MaskError,
     "blocks has shape (1, 1): its last two axes must be (2, 1): as many blocks as cover L_q and L_k. "
     "Check block_size and the two lengths."),
    (lambda: block_mask([[True], [True, False]], 2, 2, block_size=2), ShapeError, f"blocks {RAGGED}"),
    (lambda: block_mask([[True]], 2, 2, block_size=0), ShapeError, f"block_size is 0: {COUNT}"),
    (lambda: block_mask([[True]], -2, 2, block_size=2), ShapeError, f"L_q is -2: {LENGTH}"),
    (lambda: block_mask([[True]], 2, -2, block_size=2), ShapeError, f"L_k is -2: {LENGTH}"),
    (lambda: sinusoidal_positions(-1, 4), ShapeError, f"L is -1: {LENGTH}"),
    (lambda: sinusoidal_positions(3, -4), ShapeError, f"d_model is -4: {LENGTH}"),
    (lambda: sinusoidal_positions(3, 4, offset=0.5), ShapeError,
     "offset is 0.5: it is a whole number. Positions of each token go into positions."),
    (lambda: sinusoidal_positions(3, 4, base=0), AttnRefError,
     f"base is 0: {NUMBER} greater than zero. {LEAVE}"),
    (lambda: sinusoidal_positions(3, 4, base=None), DtypeError,
     f"base has dtype object and shape (): {NUMBER} greater than zero. Pass a float or an integer."),
    (lambda: rotary(ROW), ShapeError, f"X has shape (6,): {axes('X', 'L, d')}"),
    (lambda: rotary([1j]), DtypeError, f"X has dtype complex128 and shape (1,): {COMPLEX}"),
    (lambda: rotary(np.ones((5, 7))), ShapeError, f"X has a last axis of length 7: {PAIRS}"),
    (lambda: rotary(np.ones((5, 7)), rotated=3), ShapeError, f"rotated is 3 of 7: {PAIRS}"),
    (lambda: rotary(X, rotated=8), ShapeError, f"rotated is 8 of 6: {PAIRS}"),
    (lambda: rotary(X, rotated=-2), ShapeError, f"rotated is -2: {LENGTH}"),
    (lambda: rotary(X, offset=1.5), ShapeError,
     "offset is 1.5: it is a whole number. Positions of each token go into positions."),
    (lambda: rotary(X, base=-1), AttnRefError, f"base is -1: {NUMBER} greater than zero. {LEAVE}"),
    (lambda: rotary(X, positions=[1, 2, 3]), ShapeError,
     f"positions has shape (3,): it must broadcast to (5,), one for each token of X. {INSERT}"),
    (lambda: rotary(X, positions=1j), DtypeError, f"positions has dtype complex128 and shape (): {COMPLEX}"),
    (lambda: rotary(X, pairing="half"), AttnRefError,
     "pairing is 'half': this option knows certain words only. Write 'interleaved' or 'half_split'."),
    (lambda: extend_cache(None, ROW, V[0]), ShapeError, f"K has shape (6,): {axes('K', 'L, d_k')}"),
    (lambda: extend_cache(None, K[0], ROW), ShapeError, f"V has shape (6,): {axes('V', 'L, d_v')}"),
    (lambda: extend_cache(extend_cache(None, K, V), K[..., :2], V), ShapeError,
     "K has shape (2, 7, 2): it must be like the cached one, shape (2, 7, 3), in all axes but the last but one. "
     "Begin a new cache by passing None."),
    (lambda: extend_cache(extend_cache(None, K, V), K, V[:1]), ShapeError,
     "V has shape (1, 7, 11): it must be like the cached one, shape (2, 7, 11), in all axes but the last but "
     "one. Begin a new cache by passing None."),
    (lambda: leads_back("W_O", np.ones((5, 6, 7)), X), ShapeError,
     "W_O has shape (5, 6, 7): its last axis must be as long as that of X, shape (5, 6), to which its product is "
     "added. Give it d_model columns."),
    (lambda: rms_norm(np.ones(())), ShapeError, f"X has shape (): {TOKEN}"),
    (lambda: rms_norm(np.ones((5, 0))), ShapeError, f"X has shape (5, 0): {TOKEN}"),
    (lambda: layer_norm(X, gain=np.ones((6, 1))), ShapeError,
     f"gain has shape (6, 1): it must have shape (6,), one number for each of a token's. {BELONGS}"),
    (lambda: additive_attention(Q, K, V, W_Q=np.ones((3, 4)), W_K=np.ones((4, 3)), w=np.ones(4)), ShapeError,
     "W_K has shape (4, 3): it must have shape (3, 4), the widths of K and of the hidden numbers of W_Q. "
     "Pass W_K.T."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "error", "message"), ROWS, ids=[message.partition(":")[0] for *_, message in ROWS]
)
def test_a_refusal_names_argument_shape_rule_and_next_step(call, error, message):
    with pytest.raises(AttnRefError) as caught:
        call()
    assert type(caught.value) is error
    assert str(caught.value) == message


def test_a_matrix_that_leads_back_to_the_tokens_is_taken():
    leads_back("W_O", np.ones((7, 6)), np.ones((2, 5, 6)))
    leads_back("W_O", np.ones(6), X)
