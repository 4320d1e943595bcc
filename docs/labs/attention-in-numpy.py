# ---
# title: Attention in NumPy
# description: A lab that builds attention from arrays, one shape at a time, and tests it. It ends at several heads.
# examples: 40
# needs: [numpy, attnref]
# survivors:
#   - code: "scores = dot_products / np.sqrt(K.shape[-1])  # (5, 5)"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "print(\"rows   \", weights.sum(axis=-1))"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "print(\"rows   \", forgotten.sum(axis=-1))"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "forgotten = powers / powers.sum(axis=-1)"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "return np.abs(a - b).max(axis=-1).round(9)"
#     reason: "the last axis of a matrix is axis one, and any rounding between noise and digits will do"
# ---

# %% [markdown]
# # Attention in NumPy
#
# [In lists and loops](lists-and-loops.py), attention takes four loops. Arrays do away with the loops, and with the
# names that the loops gave to things: what is left is axes. Most mistakes in attention code are mistakes about axes. So
# this lab goes slowly, one array a cell, and says for each what its rows and columns are.
#
# **What you need:** Python and NumPy. The last part compares with `attnref`, which is a folder of Python files in this
# site's repository: put a copy of it next to this notebook, or run `pip install .` in a clone. Without it, leave out
# the cells that import it.

# %%
import numpy as np

np.set_printoptions(precision=2)
rng = np.random.default_rng(0)

# %% [markdown]
# ## Sizes that cannot be mixed up
#
# Five tokens come in, with seven numbers each. A query and a key get three numbers, a value two. All sizes differ on
# purpose: then a product along the wrong axis is an error. If they were equal, it would be a wrong result that looks
# like any other.

# %%
L, d_model, d_k, d_v = 5, 7, 3, 2
X = rng.normal(size=(L, d_model))  # (5, 7)
print(X)

# Output:
# [[ 0.13 -0.13  0.64  0.1  -0.54  0.36  1.3 ]
#  [ 0.95 -0.7  -1.27 -0.62  0.04 -2.33 -0.22]
#  [-1.25 -0.73 -0.54 -0.32  0.41  1.04 -0.13]
#  [ 1.37 -0.67  0.35  0.9   0.09 -0.74 -0.92]
#  [-0.46  0.22 -1.01 -0.21 -0.16  0.54  0.21]]

# %% [markdown]
# **A row is a token.** That holds for every array below that has five rows.
#
# ## Queries, keys, values
#
# Each is a projection of the same tokens. A row of $X$ times a matrix gives a row, so $X W^Q$, in code `X @ W_Q`,
# projects all tokens at once, and row $i$ of $Q$ is the query of token $i$. Training would find the matrices; here they
# are random.


# %%
def random_matrix(height, width):
    return rng.uniform(-1, 1, size=(height, width))


W_Q = random_matrix(d_model, d_k)  # (7, 3)
W_K = random_matrix(d_model, d_k)  # (7, 3)
W_V = random_matrix(d_model, d_v)  # (7, 2)

Q = X @ W_Q  # (5, 3)
K = X @ W_K  # (5, 3)
V = X @ W_V  # (5, 2)
print(Q)

# Output:
# [[-1.49  0.07 -1.18]
#  [-1.52  0.7  -0.18]
#  [ 0.91 -0.95  0.42]
#  [-1.01  1.53  0.51]
#  [ 0.85 -0.62  0.27]]

# %% [markdown]
# ## All dot products at once
#
# Token $i$ asks, token $j$ is asked: their dot product is row $i$ of $Q$ times row $j$ of $K$. A matrix product takes
# rows times columns, so $K$ has to be turned over. The three numbers of a query meet the three numbers of a key and are
# gone; a row for each query and a column for each key are left.

# %%
dot_products = Q @ K.T  # (5, 5)
print(dot_products)
print(f"{dot_products[1, 4]:.2f} {Q[1] @ K[4]:.2f}")

# Output:
# [[-0.5   3.73 -5.34  0.95 -2.66]
#  [ 0.05  2.19 -3.9   0.79 -2.06]
#  [-0.09 -2.64  3.49 -0.97  1.67]
#  [ 0.6   1.23 -2.27  0.82 -1.18]
#  [-0.05 -1.87  2.75 -0.67  1.37]]
# -2.06 -2.06

# %% [markdown]
# ## Scale
#
# The root of the size of a key, `K.shape[-1]`. Not of $X$, and not of $V$.

# %%
scores = dot_products / np.sqrt(K.shape[-1])  # (5, 5)
print(scores)

# Output:
# [[-0.29  2.15 -3.08  0.55 -1.54]
#  [ 0.03  1.26 -2.25  0.46 -1.19]
#  [-0.05 -1.52  2.01 -0.56  0.96]
#  [ 0.35  0.71 -1.31  0.47 -0.68]
#  [-0.03 -1.08  1.59 -0.39  0.79]]

# %% [markdown]
# ## Softmax along the right axis
#
# Each query shares out one whole among the keys. The keys stand side by side in a row, so the sum runs along a row: the
# last axis. `keepdims=True` keeps that axis, with one entry, so that each row is divided by its own sum.


# %%
def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


weights = softmax(scores)  # (5, 5)
print(weights)
print("rows   ", weights.sum(axis=-1))
print("columns", weights.sum(axis=-2))

# Output:
# [[0.07 0.76 0.   0.15 0.02]
#  [0.16 0.54 0.02 0.24 0.05]
#  [0.08 0.02 0.63 0.05 0.22]
#  [0.24 0.35 0.05 0.28 0.09]
#  [0.11 0.04 0.54 0.07 0.24]]
# rows    [1. 1. 1. 1. 1.]
# columns [0.65 1.7  1.24 0.79 0.62]

# %% [markdown]
# Rows add up to one, columns do not. If it is the other way round, the axis was wrong. And if `keepdims` is forgotten?
# Then NumPy lines up the five sums with the five *columns*, and says nothing:

# %%
powers = np.exp(scores)
forgotten = powers / powers.sum(axis=-1)
print("rows   ", forgotten.sum(axis=-1))

# Output:
# rows    [1.7  0.94 1.14 0.79 0.91]

# %% [markdown]
# This one is nasty because queries and keys are equally many. With four queries for five keys it would have been an
# error. Print the row sums; it costs one line.
#
# ## Blend
#
# Weights have a row for each query and a column for each token. Values have a row for each token. So the tokens meet
# and are gone, and each query is left with the two numbers of a value.

# %%
output = weights @ V  # (5, 2)
print(output)

# Output:
# [[-0.9   1.73]
#  [-0.44  1.33]
#  [-0.14 -1.42]
#  [-0.07  0.91]
#  [-0.09 -1.15]]

# %% [markdown]
# ## All in one function, with a mask
#
# A mask is True where a query may look. Without one, `mask` is a single True, which `np.where` takes for every place of
# the table. The shapes of queries and keys may have any number of axes in front, as long as
# the last two are tokens and numbers: `swapaxes` turns over the last two, where `.T` would turn over all.


# %%
def attention(Q, K, V, mask=True):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])
    weights = softmax(np.where(mask, scores, -np.inf))
    return weights @ V, weights


def moved(a, b):
    """How far each token's row of a lies from that of b."""
    return np.abs(a - b).max(axis=-1).round(9)


again, _ = attention(Q, K, V)
print(moved(again, output))

# Output:
# [0. 0. 0. 0. 0.]

# %% [markdown]
# The causal mask has True on and below the diagonal, where the key comes no later than the query. That is what
# `np.tri` makes.

# %%
causal = np.tri(L, dtype=bool)  # (5, 5)
causal_output, causal_weights = attention(Q, K, V, causal)
print(causal_weights)

# Output:
# [[1.   0.   0.   0.   0.  ]
#  [0.23 0.77 0.   0.   0.  ]
#  [0.11 0.03 0.87 0.   0.  ]
#  [0.27 0.38 0.05 0.3  0.  ]
#  [0.11 0.04 0.54 0.07 0.24]]

# %% [markdown]
# A query that may look at nothing makes this function return "not a number", with a warning: minus infinity minus minus
# infinity has no value. The causal mask has no such row. [`attnref.softmax`](../reference/attention.md) returns zeros.
#
# ## Test: no look ahead
#
# How do you know that a mask works? Change what must not be seen, and see that nothing changes. We replace the last
# token by another one.


# %%
def run(X, mask=True):
    return attention(X @ W_Q, X @ W_K, X @ W_V, mask)[0]


other = X.copy()
other[-1] = rng.normal(size=d_model)

print("causal ", moved(run(other, causal), run(X, causal)))
print("no mask", moved(run(other), run(X)))

# Output:
# causal  [0.   0.   0.   0.   2.77]
# no mask [0.99 1.07 0.17 1.01 2.77]

# %% [markdown]
# These are distances, one for each token: how far its output has moved. With the mask, only the last has. Without it,
# all have: a model trained that way could read the answer off the next token.
#
# ## Test: does attention know the order?
#
# Shuffle the tokens, run, and put the outputs back in order. If order meant anything to attention, the result would
# differ.

# %%
order = np.array([3, 0, 4, 2, 1])  # (5,)
back = np.argsort(order)
print("no mask", moved(run(X[order])[back], run(X)))
print("causal ", moved(run(X[order], causal)[back], run(X, causal)))

# Output:
# no mask [0. 0. 0. 0. 0.]
# causal  [0.07 0.49 0.31 0.97 1.06]

# %% [markdown]
# Without a mask it does not know. The tokens are a set, and each takes its weights along wherever it goes. That is why
# a model puts [the position of each token](../lessons/what-comes-next.md#a-pattern-for-each-place) into its vector.
# With the causal mask, order does matter: it decides who may see whom.
#
# ## Several heads
#
# Several heads attend side by side, each with queries, keys and values of its own. One matrix makes the queries of all
# heads at once: the first columns belong to the first head, the next ones to the second. Now the heads must become an
# axis, and it must stand in front, so that `attention` works in each head separately.

# %%
n_heads = 4
W_many = random_matrix(d_model, n_heads * d_k)  # (7, 12)
many = X @ W_many  # (5, 12)

tokens_first = many.reshape(L, n_heads, d_k)  # (5, 4, 3)
heads_first = tokens_first.swapaxes(0, 1)  # (4, 5, 3)
token = 1
print(many[token])
print(heads_first[:, token])

# Output:
# [-2.    3.08  0.5   1.16 -1.5  -0.72 -1.55  1.8  -0.38 -0.05 -3.21 -0.1 ]
# [[-2.    3.08  0.5 ]
#  [ 1.16 -1.5  -0.72]
#  [-1.55  1.8  -0.38]
#  [-0.05 -3.21 -0.1 ]]

# %% [markdown]
# The queries of token 1: in one row before, a row for each head afterwards. There is a shortcut that is none, and it is
# found in much code: `reshape` straight to heads, tokens, numbers. The shape is right. But a reshape moves no number,
# it counts the same numbers off differently, and so the row of token 1 in head 0 is cut from another token:
# <!--= token, token, head -->

# %%
head = 0
shortcut = many.reshape(n_heads, L, d_k)  # (4, 5, 3)
print("right", heads_first[head, token])
print("wrong", shortcut[head, token])
print("which is head 1 of token 0", heads_first[1, 0])

# Output:
# right [-2.    3.08  0.5 ]
# wrong [-1.48  2.11  1.03]
# which is head 1 of token 0 [-1.48  2.11  1.03]

# %% [markdown]
# So: split the last axis, then swap. Joining is the way back: swap, then make one axis of two.


# %%
def split_heads(rows, n_heads):
    L, width = rows.shape
    return rows.reshape(L, n_heads, width // n_heads).swapaxes(0, 1)


def join_heads(heads):
    n_heads, L, width = heads.shape
    return heads.swapaxes(0, 1).reshape(L, n_heads * width)


def multihead(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Q = split_heads(X @ W_Q, n_heads)
    K = split_heads(X @ W_K, n_heads)
    V = split_heads(X @ W_V, n_heads)
    output, weights = attention(Q, K, V, mask)
    return join_heads(output) @ W_O, weights


matrices = [
    random_matrix(d_model, n_heads * d_k),
    random_matrix(d_model, n_heads * d_k),
    random_matrix(d_model, n_heads * d_v),
    random_matrix(n_heads * d_v, d_model),
]
mixed, head_weights = multihead(X, *matrices, n_heads, causal)
print(mixed.shape, head_weights.shape)
print(head_weights[:, -1])

# Output:
# (5, 7) (4, 5, 5)
# [[0.25 0.08 0.26 0.09 0.32]
#  [0.48 0.05 0.07 0.16 0.25]
#  [0.09 0.41 0.17 0.21 0.12]
#  [0.22 0.25 0.26 0.09 0.18]]

# %% [markdown]
# Four heads, and four different rows of weights for the last token. The output has the shape that the tokens came in
# with, so another layer can go on from there.
#
# ## The same with attnref
#
# Nothing so far was checked against other code. `attnref` was written apart from this page, and its tests compare it
# with PyTorch; [the next lab](against-pytorch.py) does so before your eyes. It takes the same arrays, and its names are
# the ones used here.

# %%
import attnref

theirs = attnref.attention(Q, K, V, causal=True)
print("weights", moved(causal_weights, theirs.weights))
print("output ", moved(causal_output, theirs.output))

for mask in True, causal:
    ours, _ = multihead(X, *matrices, n_heads, mask)
    theirs = attnref.multihead_attention(X, *matrices, n_heads=n_heads, mask=mask)
    print("heads  ", moved(ours, theirs.output))

# Output:
# weights [0. 0. 0. 0. 0.]
# output  [0. 0. 0. 0. 0.]
# heads   [0. 0. 0. 0. 0.]
# heads   [0. 0. 0. 0. 0.]

# %% [markdown]
# ## Exercises
#
# Say what you expect before you open an answer.
#
# ### A key twice as long
#
# The key of token 1 is doubled. Whose weights move, and which way?
# <!--= favoured -->
#
# ??? success "Answer"
#
#     All dot products with that key double: whoever liked it likes it more, and whoever disliked it, less. Here is the
#     column of weights before and after, and below them the dot products.
#
#     ```python
#     favoured = 1
#     longer = K.copy()
#     longer[favoured] *= 2
#     _, after = attention(Q, longer, V)
#     print("before", weights[:, favoured])
#     print("after ", after[:, favoured])
#     print("dot   ", dot_products[:, favoured])
#     ```
#
#     ```text
#     before [0.76 0.54 0.02 0.35 0.04]
#     after  [0.96 0.81 0.   0.52 0.01]
#     dot    [ 3.73  2.19 -2.64  1.23 -1.87]
#     ```
#
#     Where the dot product is negative, the weight has gone down, though the key got longer: length makes an opinion
#     louder, not friendlier<!--? all((after > weights)[:, favoured] == (dot_products[:, favoured] > 0)) -->.
#
# ### The wrong root
#
# Somebody divides by the root of `d_model`. No shape complains. What gives it away?
#
# ??? success "Answer"
#
#     The weights are flatter than they should be: larger divisor, smaller gaps. Nothing gives it away but a comparison
#     with numbers that are known to be right.
#
#     ```python
#     flat = softmax(dot_products / np.sqrt(d_model))  # (5, 5)
#     print(f"largest weight: {weights.max():.3f}, flat {flat.max():.3f}")
#     ```
#
#     ```text
#     largest weight: 0.758, flat 0.597
#     ```
#
# ### Many sentences at once
#
# Does `run` work on three sentences, stacked to one array of three axes?
#
# ??? success "Answer"
#
#     It does, because it speaks of the last two axes only. Each sentence is worked on as if it were alone.
#
#     ```python
#     batch = np.stack([X, other, X[order]])
#     all_three = run(batch, causal)
#     print(batch.shape, "to", all_three.shape)
#     print(moved(all_three[1], run(other, causal)))
#     ```
#
#     ```text
#     (3, 5, 7) to (3, 5, 2)
#     [0. 0. 0. 0. 0.]
#     ```
#
# ## Recap
#
# - Tokens on the last axis but one, numbers on the last. Say the shape of each array before you run its line.
# - Softmax along the last axis, with `keepdims=True`. Print the row sums.
# - Heads: split the last axis, then swap. A reshape alone moves nothing.
# - A mask is tested by changing what it hides.
#
# **Read next:** [notation](../notation.md), the same shapes in one table, and
# [several heads in the reference](../reference/multihead.md).
