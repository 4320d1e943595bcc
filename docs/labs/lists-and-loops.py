# ---
# title: Attention with lists and loops
# description: A lab in plain Python. No NumPy and no matrix product, only lists and loops; the definition itself.
# examples: 45
# needs: []
# survivors:
#   - code: "for n in range(len(vectors[0])):"
#     input: "0"
#     reason: "all vectors are equally long"
#   - code: "for n in range(len(W[0])):"
#     input: "0"
#     reason: "all rows of a matrix are equally long"
#   - code: "d_k, d_v = len(Q[0]) // n_heads, len(V[0]) // n_heads"
#     input: "0"
#     reason: "all rows of a matrix are equally long"
#   - code: "dice = random.Random(12)"
#     input: "12"
#     reason: "the generator takes a seed without its sign"
# ---

# %% [markdown]
# # Attention with lists and loops
#
# A library computes attention for all words at once, in one line that hides every loop. In this lab the loops are in
# plain sight: a list is a vector, a list of lists is a matrix, and each function does one thing. Read it from top to
# bottom, run it, change a number, run it again.
#
# It is a specification, too. The functions below define what attention is on this site: the tests take them from this
# page, give them and [`attnref`](../reference/attention.md) the same random numbers, and compare.
#
# **What you need:** Python. No package has to be installed. It helps to have read
# [the lesson on the four steps](../lessons/step-by-step.md), but everything is said again in brief. The last parts go
# with [masks](../lessons/masks.md) and [several heads](../lessons/several-heads.md): leave them for later if you like.

# %%
import math
import random

# %% [markdown]
# ## The dot product: how well two vectors agree
#
# Multiply number by number, and add up.


# %%
def dot(x, y):
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


it = [2, 1]
for other in [[2, 1], [1, -2], [-2, -1]]:
    print(other, dot(it, other))

# Output:
# [2, 1] 5.0
# [1, -2] 0.0
# [-2, -1] -5.0

# %% [markdown]
# A vector agrees with itself, has nothing to say to one that stands at a right angle to it, and disagrees with its
# opposite.
#
# Two vectors of different sizes have no dot product. `strict=True` makes Python say so; without it, `zip` would drop
# what is left over, and nobody would notice.

# %%
try:
    dot(it, it + it)
except ValueError as error:
    print(error)

# Output:
# zip() argument 2 is longer than argument 1

# %% [markdown]
# ## Softmax: from scores to shares
#
# Any row of numbers becomes a row of shares: none is negative, and together they make one whole. The largest number
# gets the largest share.


# %%
def softmax(row):
    largest = max(row)
    if largest == -math.inf:
        return [0.0 for number in row]
    powers = [math.exp(number - largest) for number in row]
    total = sum(powers)
    return [power / total for power in powers]


def show(numbers):
    return " ".join(f"{number:.2f}" for number in numbers)


some = softmax([3, 1, 1])
same = softmax([1003, 1001, 1001])
print(show(some), "sum", show([sum(some)]))
print(show(same), "sum", show([sum(same)]))

# Output:
# 0.79 0.11 0.11 sum 1.00
# 0.79 0.11 0.11 sum 1.00

# %% [markdown]
# The second row is the first one with a thousand added everywhere. Only the gaps count, so the shares are the same.
# That is why the largest number may be taken away first. And it has to be: no float can hold the exponential of a
# thousand.
#
# Add up what is printed and you get 1.01. Each share was rounded for print; before that, they add up to 1.
# <!--= round(some[0], 2) + 2 * round(some[1], 2), sum(some) -->
#
# The line about minus infinity waits for its turn. It says what a row gets in which nothing may be looked at.
#
# ## The blend: many vectors become one
#
# Given a weight for each vector, take each number from all of them at once, each at its weight.


# %%
def blend(weights, vectors):
    blended = []
    for n in range(len(vectors[0])):
        blended.append(dot(weights, [vector[n] for vector in vectors]))
    return blended


print(show(blend([0.75, 0.25], [[4, 0], [0, 8]])))

# Output:
# 3.00 2.00

# %% [markdown]
# ## One query
#
# That is all it takes. A word that asks has a **query**. Each word that answers has a **key**, to be compared with the
# query, and a **value**, to be handed over.


# %%
def attend(query, keys, values):
    scores = []
    for key in keys:
        scores.append(dot(query, key) / math.sqrt(len(key)))
    weights = softmax(scores)
    return blend(weights, values), weights


# %% [markdown]
# The dot product of query and key, divided by the root of the key's size, is a **score**. Softmax turns the scores
# into **weights**. The weights blend the values, and that is the **output**.
#
# *The animal didn't cross the street because it was too tired.* Who was tired? Here "it" asks, with the vector from
# above as its query, and four words answer.

# %%
words = ["animal", "cross", "street", "it"]
keys = [[2, 1], [0, 1], [1, -1], [1, 1]]  # (4, 2)
values = [[4, 0], [2, 2], [0, 4], [1, 1]]  # (4, 2)

output, weights = attend(it, keys, values)
for word, weight in zip(words, weights):
    print(f"{word:>6} {weight:.3f} {'█' * round(40 * weight)}")
print(f"output {show(output)}")

# Output:
# animal 0.735 █████████████████████████████
#  cross 0.043 ██
# street 0.043 ██
#     it 0.179 ███████
# output 3.20 0.44

# %% [markdown]
# Most of what "it" becomes is drawn from *animal*, whose weight is 0.735. So the output [3.20, 0.44] lies near the
# value of *animal*, [4, 0], and a little towards the others.
# <!--= weights[0], output, values[0] -->
#
# ## Every word asks: a matrix
#
# In self-attention each word has a query, a key and a value. The queries are the rows of a matrix $Q$, the keys those
# of $K$, the values those of $V$. Each query gets a row of weights and a row of output, and no query knows of another:
# it is a loop around what we have.
#
# One thing is new, the **mask**. It says, for each query $i$ and each key $j$, whether this query may look there. Where
# it may not, the score is minus infinity.


# %%
def attention(Q, K, V, mask=None):
    outputs, weights = [], []
    for i, query in enumerate(Q):
        scores = []
        for j, key in enumerate(K):
            if mask is None or mask[i][j]:
                scores.append(dot(query, key) / math.sqrt(len(key)))
            else:
                scores.append(-math.inf)
        weights.append(softmax(scores))
        outputs.append(blend(weights[i], V))
    return outputs, weights


# %% [markdown]
# Here are four words, with vectors written by hand. The two numbers of a query or a key may be read as *thing* and
# *action*: "sat" looks for the thing that sat, and finds it by its key. The three numbers of a value are *animal*,
# *posture* and *direction*.

# %%
sentence = ["the", "cat", "sat", "down"]
Q = [[2, 0], [1, 3], [3, 1], [0, 2]]  # (4, 2)
K = [[0, 0], [2, 0], [0, 2], [0, 1]]  # (4, 2)
V = [[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 1, 1]]  # (4, 3)

free_output, free_weights = attention(Q, K, V)


def print_rows(names, columns, rows):
    print("asks" + "".join(f"{column:>7}" for column in [*columns, "sum"]))
    for name, row in zip(names, rows):
        shares = "".join(f"{number:7.3f}" for number in [*row, sum(row)])
        print(f"{name:<4}{shares}")


print_rows(sentence, sentence, free_weights)

# Output:
# asks    the    cat    sat   down    sum
# the   0.050  0.849  0.050  0.050  1.000
# cat   0.012  0.050  0.838  0.100  1.000
# sat   0.013  0.907  0.054  0.026  1.000
# down  0.043  0.043  0.735  0.179  1.000

# %% [markdown]
# **The row asks, the column is asked.** "sat" draws 0.907 of its output from "cat": it has found who sat. Each row adds
# up to one, whatever the vectors are. Columns need not: here that of "cat" holds 1.849 of the four wholes that are
# shared out, that of "the" holds 0.119.
# <!--= free_weights[2][1], sum(row[1] for row in free_weights), sum(row[0] for row in free_weights) -->
#
# The output has one row for each word, too, with three numbers as in a value. That of "sat" now holds 2.72 of *animal*:
# <!--= free_output[2][0] -->

# %%
for word, row in zip(sentence, free_output):
    print(f"{word:<4} {show(row)}")

# Output:
# the  2.55 0.15 0.05
# cat  0.15 1.78 0.10
# sat  2.72 0.13 0.03
# down 0.13 1.65 0.18

# %% [markdown]
# ## The causal mask: no look ahead
#
# A model that writes has only the words so far. It is trained on whole sentences, though, where the next word stands
# right there to be copied. The **causal mask** hides it: word $i$ may look at itself and at what stands before it.
#
# Where there are more keys than queries, the last query belongs to the last key, as when a model has its earlier words
# in store and asks for the newest one.


# %%
def causal_mask(L_q, L_k):
    mask = []
    for i in range(L_q):
        position = i + L_k - L_q
        mask.append([j <= position for j in range(L_k)])
    return mask


for row in causal_mask(4, 4):
    print(" ".join("look" if allowed else "----" for allowed in row))

# Output:
# look ---- ---- ----
# look look ---- ----
# look look look ----
# look look look look

# %%
masked_output, masked_weights = attention(Q, K, V, causal_mask(4, 4))
print_rows(sentence, sentence, masked_weights)

# Output:
# asks    the    cat    sat   down    sum
# the   1.000  0.000  0.000  0.000  1.000
# cat   0.196  0.804  0.000  0.000  1.000
# sat   0.013  0.932  0.055  0.000  1.000
# down  0.043  0.043  0.735  0.179  1.000

# %% [markdown]
# What has changed, and what has not?
#
# - Above the diagonal all 6 weights are exactly 0: the exponential of minus infinity is zero.
# - The first row has one word to look at, itself, so that weight is 1.
# - Every row still adds up to 1. What the hidden words would have got, the others share, in the old proportions.
# - The last row is the one from before: the last word may look everywhere.
# <!--= masked_weights[0][1:].count(0) + masked_weights[1][2:].count(0) + masked_weights[2][3:].count(0),
#       masked_weights[0][1], masked_weights[0][0], sum(masked_weights[1]) -->
# <!--? masked_weights[3] == free_weights[3] -->
#
# And here is what the line in `softmax` is for. Suppose that "cat" may look at nothing at all. All its scores are minus
# infinity, and there is no total to divide by. Our rule: it gets nothing from anyone. Some libraries return the mean of
# all values instead, and some no number at all; [the notation](../notation.md) says what attnref does.

# %%
blind = causal_mask(4, 4)
blind[1] = [False, False, False, False]
blind_output, blind_weights = attention(Q, K, V, blind)
print_rows(sentence, sentence, blind_weights)

# Output:
# asks    the    cat    sat   down    sum
# the   1.000  0.000  0.000  0.000  1.000
# cat   0.000  0.000  0.000  0.000  0.000
# sat   0.013  0.932  0.055  0.000  1.000
# down  0.043  0.043  0.735  0.179  1.000

# %% [markdown]
# ## Where queries, keys and values come from
#
# Until now we wrote the vectors by hand. A network computes them, from one vector for each word, by three matrices that
# training has found. The product of a row and a matrix takes the dot product of that row with each column.


# %%
def project(X, W):
    rows = []
    for x in X:
        row = []
        for n in range(len(W[0])):
            row.append(dot(x, [line[n] for line in W]))
        rows.append(row)
    return rows


print(project([[1, 2]], [[1, 0, 3], [0, 1, 1]]))

# Output:
# [[1.0, 2.0, 5.0]]

# %% [markdown]
# ## Several heads
#
# One row of weights is one way to share out a word's attention. **Several heads** do it several times side by side,
# each with queries, keys and values of its own. Each head gets its own columns of the projected vectors, does what we
# have done so far, and never sees the others. Then the outputs are put end to end, and a last matrix mixes them.


# %%
def columns(rows, first, width):
    return [row[first : first + width] for row in rows]


def multihead(X, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    Q, K, V = project(X, W_Q), project(X, W_K), project(X, W_V)
    d_k, d_v = len(Q[0]) // n_heads, len(V[0]) // n_heads
    joined, all_weights = [[] for x in X], []
    for h in range(n_heads):
        q, k = columns(Q, h * d_k, d_k), columns(K, h * d_k, d_k)
        outputs, weights = attention(q, k, columns(V, h * d_v, d_v), mask)
        all_weights.append(weights)
        for row, head_output in zip(joined, outputs):
            row.extend(head_output)
    return project(joined, W_O), all_weights


# %% [markdown]
# We try it on "she saw the bird": four words, six numbers for each, three heads. So a head works on two numbers a word,
# and the three outputs make six again. The vectors and the matrices are random, as in a network before any training.

# %%
dice = random.Random(12)


def random_matrix(height, width):
    rows = []
    for _ in range(height):
        rows.append([dice.uniform(-1, 1) for n in range(width)])
    return rows


seen = ["she", "saw", "the", "bird"]
X = random_matrix(4, 6)  # (4, 6)
W_Q = random_matrix(6, 6)  # (6, 6)
W_K = random_matrix(6, 6)  # (6, 6)
W_V = random_matrix(6, 6)  # (6, 6)
W_O = random_matrix(6, 6)  # (6, 6)

mixed, head_weights = multihead(X, W_Q, W_K, W_V, W_O, n_heads=3)
favourites = []
for rows in head_weights:
    favourites.append([seen[row.index(max(row))] for row in rows])

print("asks" + "".join(f"  head {h}" for h in range(len(favourites))))
for i, word in enumerate(seen):
    looks = "".join(f"{names[i]:>8}" for names in favourites)
    print(f"{word:<4}{looks}")
print("she becomes", show(mixed[0]))

# Output:
# asks  head 0  head 1  head 2
# she      saw     the     she
# saw      the    bird     she
# the      saw     the     she
# bird    bird     the     she
# she becomes 0.06 0.31 0.08 -0.28 -0.20 -0.06

# %% [markdown]
# The dice happen to give three heads that look at three different words, whoever
# asks<!--? all(len({names[i] for names in favourites}) == 3 for i in range(len(seen))) -->. That means nothing yet:
# training is what gives a head its job. But one head alone could not look at three words with most of its weight: it
# has one row of weights for each word, and a row has one largest.
#
# ## Exercises
#
# Say what you expect before you open an answer.
#
# ### Nobody is better than another
#
# All scores are zero, and the values are 3, 5 and 4. What comes out?
# <!--= [value[0] for value in plain_values] -->
#
# ??? success "Answer"
#
#     The mean of the values. A query of zeros has the dot product zero with every key, so no key is better than
#     another, and the weights are equal. Here the keys of *cross*, *street* and "it" are asked:
#
#     ```python
#     plain_values = [[3], [5], [4]]
#     plain_output, plain_weights = attend([0, 0], keys[1:], plain_values)
#     print(show(plain_weights), "output", show(plain_output))
#     ```
#
#     ```text
#     0.33 0.33 0.33 output 4.00
#     ```
#
# ### The same word twice
#
# *animal* is listed twice, with the same key and the same value. What happens to the weights of the other words, and
# can the softmax say that it has heard this before?
#
# ??? success "Answer"
#
#     It cannot. Each copy has the same score, so each gets the same weight, and both together have taken from the
#     others.
#
#     ```python
#     twice = [keys[0], *keys], [values[0], *values]
#     twice_output, twice_weights = attend(it, *twice)
#     print(show(weights), "output", show(output))
#     print(show(twice_weights), "output", show(twice_output))
#     ```
#
#     ```text
#     0.73 0.04 0.04 0.18 output 3.20 0.44
#     0.42 0.42 0.03 0.03 0.10 output 3.54 0.25
#     ```
#
#     The two copies have 0.847 of the weight; the one word had 0.735, which is printed with fewer digits above.
#     <!--= twice_weights[0] + twice_weights[1], weights[0] -->
#
# ### The mask, one step too late
#
# Somebody sets the weights above the diagonal to zero *after* the softmax. What do the rows add up to?
#
# ??? success "Answer"
#
#     To less than one, all but the last: what went to the hidden words is gone, and nobody else got it. Worse, the
#     weights that are left still depend on scores of words that should not be known yet.
#
#     ```python
#     late = []
#     for row, may in zip(free_weights, causal_mask(4, 4)):
#         late.append([weight * allowed for weight, allowed in zip(row, may)])
#     print_rows(sentence, sentence, late)
#     ```
#
#     ```text
#     asks    the    cat    sat   down    sum
#     the   0.050  0.000  0.000  0.000  0.050
#     cat   0.012  0.050  0.000  0.000  0.062
#     sat   0.013  0.907  0.054  0.000  0.974
#     down  0.043  0.043  0.735  0.179  1.000
#     ```
#
# ### One head, called several
#
# What does `multihead` compute when there is one head? Write it with `project` and `attention` alone.
#
# ??? success "Answer"
#
#     Attention of the projected vectors, projected once more.
#
#     ```python
#     once, _ = multihead(X, W_Q, W_K, W_V, W_O, n_heads=1)
#     alone, _ = attention(project(X, W_Q), project(X, W_K), project(X, W_V))
#     print(once == project(alone, W_O))
#     ```
#
#     ```text
#     True
#     ```
#
# ## Recap
#
# - Score: dot product over the root of the key's size. Weights: softmax of a row of scores. Output: the blend.
# - A mask sets scores to minus infinity, before the softmax.
# - Rows ask, columns are asked. Rows add up to one, columns need not.
# - Several heads are several small attentions on columns of their own, joined and mixed.
#
# **Read next:** [scaled dot-product attention, step by step](../lessons/step-by-step.md), where each number of the
# first example is computed by hand, and [attention in NumPy](attention-in-numpy.py), where arrays replace the loops.
