# ---
# title: Check yourself against PyTorch
# description: A lab that finds out, one difference at a time, what it takes until your attention and PyTorch's agree.
# examples: 52
# needs: [numpy, torch]
# survivors:
#   - code: "return np.abs(a - b).max(axis=-1).round(9)"
#     reason: "any rounding between noise and digits will do"
# ---

# %% [markdown]
# # Check yourself against PyTorch
#
# You have written attention yourself. PyTorch has it, too, twice: as a function,
# `torch.nn.functional.scaled_dot_product_attention`, and as a layer, `torch.nn.MultiheadAttention`. If yours is right,
# the numbers agree. They will not at first. In this lab you find out why, one difference at a time.
#
# **What you need:** Python, NumPy and PyTorch (`pip install torch`, a large download). No browser runs PyTorch, but you
# can read this page without it: the outputs stand below the cells. It helps to have done
# [attention in NumPy](attention-in-numpy.py).

# %%
import numpy as np

np.set_printoptions(precision=2, suppress=True)
rng = np.random.default_rng(1)

# %% [markdown]
# ## Five tokens, three matrices
#
# Five tokens with eight numbers each, and three matrices that make queries, keys and values of them. All of it is
# random, which is good for a comparison: to agree on random numbers, digit for digit, is no accident.

# %%
L, d_model = 5, 8
X = rng.normal(size=(L, d_model))  # (5, 8)
W_Q = rng.normal(size=(d_model, d_model)) / 2  # (8, 8)
W_K = rng.normal(size=(d_model, d_model)) / 2  # (8, 8)
W_V = rng.normal(size=(d_model, d_model)) / 2  # (8, 8)

Q = X @ W_Q  # (5, 8)
K = X @ W_K  # (5, 8)
V = X @ W_V  # (5, 8)
print(Q[0])

# Output:
# [-0.3   0.82 -1.14 -0.88  1.24 -0.51 -1.11  0.08]

# %% [markdown]
# And this is attention as somebody might write it from memory.


# %%
def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def first_try(Q, K, V):
    return softmax(Q @ K.T) @ V


print(first_try(Q, K, V))

# Output:
# [[ 0.   -1.43 -0.    1.09  0.09  0.21 -0.38  2.47]
#  [-0.19  0.26 -0.35  0.86 -0.42  0.06 -0.25  1.22]
#  [ 0.93  2.06 -0.19 -1.19 -0.29  0.66  2.21 -3.74]
#  [ 0.79  1.7  -0.16 -1.07 -0.24  0.58  2.02 -3.34]
#  [-0.3   0.03 -0.22 -0.07 -0.14  0.01  0.55 -0.72]]

# %% [markdown]
# ## The first comparison
#
# PyTorch works on tensors. `torch.from_numpy` makes one of an array without copying it, and keeps its 64-bit floats; so
# what differs is not a matter of rounding.
# <!--= 8 * X.itemsize -->

# %%
import torch
from torch.nn.functional import scaled_dot_product_attention


def pytorch(Q, K, V, **options):
    tensors = [torch.from_numpy(array) for array in (Q, K, V)]
    return scaled_dot_product_attention(*tensors, **options).numpy()


print(pytorch(Q, K, V))

# Output:
# [[-0.14 -0.96 -0.09  0.96 -0.08  0.07 -0.36  1.99]
#  [-0.11  0.1  -0.27  0.58 -0.28  0.12  0.06  0.69]
#  [ 0.35  1.08 -0.24 -0.47 -0.24  0.4   1.29 -1.92]
#  [ 0.21  0.62 -0.19 -0.3  -0.17  0.3   1.04 -1.37]
#  [-0.2   0.39 -0.27  0.09 -0.29  0.03  0.44 -0.48]]

# %% [markdown]
# These are other numbers. From here on we print distances: how far each token's row in one array lies from its row in
# another. Queries and keys, for instance, are this far apart:


# %%
def apart(a, b):
    return np.abs(a - b).max(axis=-1).round(9)


print(apart(Q, K))

# Output:
# [1.78 1.49 0.83 4.55 3.75]

# %% [markdown]
# And our outputs from PyTorch's:

# %%
print(apart(first_try(Q, K, V), pytorch(Q, K, V)))

# Output:
# [0.48 0.53 1.82 1.98 0.37]

# %% [markdown]
# ## Looking into the box
#
# PyTorch's function returns the output alone. But the weights can be had by a trick. The output is weights times
# values. If the values are the identity matrix, a one for each token and zeros elsewhere, then the output *is* the
# weights. Ours first, then theirs:

# %%
identity = np.eye(L)
mine = first_try(Q, K, identity)  # (5, 5)
print(mine)

# Output:
# [[0.24 0.22 0.   0.   0.54]
#  [0.34 0.07 0.28 0.1  0.22]
#  [0.   0.01 0.06 0.93 0.  ]
#  [0.01 0.09 0.05 0.84 0.01]
#  [0.1  0.43 0.26 0.21 0.  ]]

# %%
theirs = pytorch(Q, K, identity)  # (5, 5)
print(theirs)

# Output:
# [[0.28 0.27 0.06 0.01 0.38]
#  [0.25 0.14 0.23 0.16 0.22]
#  [0.06 0.11 0.21 0.55 0.07]
#  [0.08 0.21 0.17 0.45 0.09]
#  [0.18 0.3  0.25 0.23 0.03]]

# %% [markdown]
# The same words win<!--? all(mine.argmax(axis=-1) == theirs.argmax(axis=-1)) -->, but ours are surer of it. So the gaps
# between PyTorch's scores must be smaller. How much smaller? A weight is e to its score, divided by the total of its
# row. In the ratio of two weights the total drops out: it is e to the gap of their scores. The logarithm gives the gap:

# %%
my_gap = np.log(mine[1, 0] / mine[1, 1])
their_gap = np.log(theirs[1, 0] / theirs[1, 1])
print(f"{my_gap:.3f} / {their_gap:.3f} = {my_gap / their_gap:.3f}")
print(f"root of {d_model} = {np.sqrt(d_model):.3f}")

# Output:
# 1.636 / 0.578 = 2.828
# root of 8 = 2.828

# %% [markdown]
# There it is: the root of the size of a key, forgotten in the first try. We put it in, and a mask as well, for later.


# %%
def attention(Q, K, V, mask=True):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])
    weights = softmax(np.where(mask, scores, -np.inf))
    return weights @ V, weights


output, weights = attention(Q, K, V)
print(weights)

# Output:
# [[0.28 0.27 0.06 0.01 0.38]
#  [0.25 0.14 0.23 0.16 0.22]
#  [0.06 0.11 0.21 0.55 0.07]
#  [0.08 0.21 0.17 0.45 0.09]
#  [0.18 0.3  0.25 0.23 0.03]]

# %%
print(apart(output, pytorch(Q, K, V)))

# Output:
# [0. 0. 0. 0. 0.]

# %% [markdown]
# They agree.
#
# ## Without the matrices
#
# What if queries, keys and values are the tokens themselves? Then every token is compared with itself, too, and a
# vector agrees with itself best, unless another is much longer.

# %%
bare_output, bare_weights = attention(X, X, X)
print(bare_weights)

# Output:
# [[0.61 0.11 0.12 0.04 0.12]
#  [0.15 0.33 0.17 0.05 0.3 ]
#  [0.11 0.11 0.42 0.27 0.1 ]
#  [0.   0.   0.01 0.99 0.  ]
#  [0.04 0.08 0.04 0.01 0.83]]

# %%
print(apart(bare_output, pytorch(X, X, X)))

# Output:
# [0. 0. 0. 0. 0.]

# %% [markdown]
# Each token looks most at itself<!--? all(bare_weights.argmax(axis=-1) == range(L)) -->. That is why there are
# matrices: without them, a word cannot look for anything but its like.
#
# ## One key twice as long
#
# Double the key of token 2 and watch its column of weights. Below it stand the scores.
# <!--= doubled -->

# %%
doubled = 2
longer = K.copy()
longer[doubled] *= 2
longer_output, longer_weights = attention(Q, longer, V)
print("before", weights[:, doubled])
print("after ", longer_weights[:, doubled])
print("score ", Q @ K[doubled] / np.sqrt(d_model))

# Output:
# before [0.06 0.23 0.21 0.17 0.25]
# after  [0.02 0.3  0.33 0.19 0.29]
# score  [-1.14  0.33  0.61  0.12  0.19]

# %%
print(apart(longer_output, pytorch(Q, longer, V)))

# Output:
# [0. 0. 0. 0. 0.]

# %% [markdown]
# Where the score was positive, the weight has grown; where it was negative, it has shrunk.
# <!--? all((longer_weights > weights)[:, doubled] == (Q @ K[doubled] > 0)) -->
#
# ## The mask: True means "look"
#
# The function takes a boolean mask in which True means that a query may look there. That is our convention as well.

# %%
causal = np.tri(L, dtype=bool)  # (5, 5)
causal_output, causal_weights = attention(Q, K, V, causal)
print(causal_weights)

# Output:
# [[1.   0.   0.   0.   0.  ]
#  [0.64 0.36 0.   0.   0.  ]
#  [0.16 0.28 0.56 0.   0.  ]
#  [0.09 0.23 0.19 0.49 0.  ]
#  [0.18 0.3  0.25 0.23 0.03]]

# %%
may_look = torch.from_numpy(causal)
print(apart(causal_output, pytorch(Q, K, V, attn_mask=may_look)))
print(apart(causal_output, pytorch(Q, K, V, is_causal=True)))

# Output:
# [0. 0. 0. 0. 0.]
# [0. 0. 0. 0. 0.]

# %% [markdown]
# ## Several heads, ours
#
# Split the last axis, attend in each head, join, project. Two heads, so a head has four numbers a token.


# %%
n_heads = 2
W_O = rng.normal(size=(d_model, d_model)) / 2  # (8, 8)


def split_heads(rows):
    return rows.reshape(L, n_heads, d_model // n_heads).swapaxes(0, 1)


def multihead(X, mask=True):
    Q, K, V = [split_heads(X @ W) for W in (W_Q, W_K, W_V)]
    heads, weights = attention(Q, K, V, mask)
    return heads.swapaxes(0, 1).reshape(L, d_model) @ W_O, weights


our_output, our_weights = multihead(X)
masked_output, masked_weights = multihead(X, causal)
print(our_output[0])
print(masked_output[0])

# Output:
# [-1.85  0.37 -0.66  1.   -0.37  1.03 -0.52 -0.1 ]
# [-2.6   0.22 -0.29 -0.34  1.06  1.57 -2.1   0.43]

# %% [markdown]
# ## The layer: three more differences
#
# `torch.nn.MultiheadAttention` keeps matrices of its own. To compare, we give it ours, and that is where its habits
# show:
#
# - it multiplies by the **transposed** matrix, so ours have to be turned over;
# - it keeps the three matrices for queries, keys and values in one, one **below the other**;
# - it returns weights **averaged over the heads**, unless `average_attn_weights=False`.
#
# It also adds a row of numbers to each projection, which it calls biases (others than a bias of the scores). They are
# zero until training moves them.

# %%
layer = torch.nn.MultiheadAttention(d_model, n_heads, dtype=torch.float64)
stacked = np.concatenate([W_Q.T, W_K.T, W_V.T])  # (24, 8)
with torch.no_grad():
    layer.in_proj_weight.copy_(torch.from_numpy(stacked))
    layer.out_proj.weight.copy_(torch.from_numpy(W_O.T))


def run_layer(X, average_attn_weights=False, **options):
    options["average_attn_weights"] = average_attn_weights
    tokens = torch.from_numpy(X)
    with torch.no_grad():
        output, weights = layer(tokens, tokens, tokens, **options)
    return output.numpy(), weights.numpy()


layer_output, layer_weights = run_layer(X)
print("output ", apart(our_output, layer_output))
print("weights", apart(our_weights, layer_weights))

# Output:
# output  [0. 0. 0. 0. 0.]
# weights [[0. 0. 0. 0. 0.]
#  [0. 0. 0. 0. 0.]]

# %% [markdown]
# ## The trap: the layer's mask means the opposite
#
# Give the layer the mask that the function took:

# %%
wrong_output, wrong_weights = run_layer(X, attn_mask=may_look)
print(apart(masked_output, wrong_output))
print(wrong_weights[0])

# Output:
# [2.73 1.07 2.25 5.24  nan]
# [[0.   0.41 0.17 0.02 0.4 ]
#  [0.   0.   0.34 0.3  0.36]
#  [0.   0.   0.   0.81 0.19]
#  [0.   0.   0.   0.   1.  ]
#  [ nan  nan  nan  nan  nan]]


# %% [markdown]
# For the layer, True means that a query may **not** look there. So each token saw what comes after it, and nothing
# else. The last one had nothing left to see, and became "not a number" (in the version that we ran). There was no error
# and no warning. Turn the mask over, and all is well:

# %%
right_output, right_weights = run_layer(X, attn_mask=~may_look)
print("output ", apart(masked_output, right_output))
print("weights", apart(masked_weights, right_weights))

# Output:
# output  [0. 0. 0. 0. 0.]
# weights [[0. 0. 0. 0. 0.]
#  [0. 0. 0. 0. 0.]]


# %% [markdown]
# ## Exercises
#
# ### Make PyTorch agree with the first try
#
# The first try was attention without a scale. With which option does PyTorch's function compute the same?
#
# ??? success "Answer"
#
#     The option is called `scale`, and it is the factor that multiplies the dot products: one leaves them as they are.
#
#     ```python
#     unscaled = pytorch(Q, K, V, scale=1)
#     print(apart(first_try(Q, K, V), unscaled))
#     ```
#
#     ```text
#     [0. 0. 0. 0. 0.]
#     ```
#
# ### What the layer hands back unasked
#
# Leave `average_attn_weights` at its default. What are the weights then, and why can they mislead?
#
# ??? success "Answer"
#
#     They are the mean over the heads. Two heads that look at different words give a map on which a token seems to look
#     at both, a little: no head did that.
#
#     ```python
#     _, average = run_layer(X, average_attn_weights=True)
#     print(average.shape, apart(average, our_weights.mean(axis=0)))
#     for head in our_weights:
#         print("head   ", head[0])
#     print("average", average[0])
#     ```
#
#     ```text
#     (5, 5) [0. 0. 0. 0. 0.]
#     head    [0.35 0.27 0.11 0.01 0.26]
#     head    [0.21 0.26 0.07 0.05 0.42]
#     average [0.28 0.26 0.09 0.03 0.34]
#     ```
#
# ### Three sentences at once
#
# Stack three sentences and give them to the layer. The shape of the result is right. Is the result?
#
# ??? success "Answer"
#
#     No. The layer takes the first axis for the tokens and the second for the sentences, unless `batch_first` is true.
#     So it takes the first tokens of the three sentences for one sentence, and lets them look at each other.
#
#     ```python
#     batch = np.stack([X, 2 * X, 3 * X])
#     mixed_up, _ = run_layer(batch)
#     layer.batch_first = True
#     kept_apart, _ = run_layer(batch)
#     print(mixed_up.shape, apart(mixed_up[0], layer_output))
#     print(kept_apart.shape, apart(kept_apart[0], layer_output))
#     ```
#
#     ```text
#     (3, 5, 8) [4.91 4.42 2.72 7.19 5.73]
#     (3, 5, 8) [0. 0. 0. 0. 0.]
#     ```
#
# ## Recap
#
# | | the function | the layer |
# |---|---|---|
# | scale | one over the root of the size of a key | the same |
# | boolean mask | True: may look | True: may **not** look |
# | weights | not returned; put the identity in for the values | averaged over the heads, unless told otherwise |
# | matrices | none | transposed, and stacked in one |
# | batch | any axes in front | second axis, unless `batch_first=True` |
#
# **Read next:** [notation](../notation.md), for what attnref does where libraries differ.
