# ---
# title: An induction head, trained
# description: Train two attention layers in NumPy, watch an induction head form, and find out what it is made of.
# examples: 48
# needs: [numpy, attnref]
# survivors:
#   - code: "shuffled = rng.random((batch, n_tokens)).argsort(axis=-1)"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "return np.concatenate([once, once], axis=-1)  # twice as long"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "n = tokens.shape[-1] // 2"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "\"U\": rng.normal(0, size, (d, recipe.n_tokens)),"
#     input: "0"
#     reason: "it adds the same number to all logits, and a softmax does not see that"
#   - code: "X = p[\"E\"][tokens] + p[\"P\"][: tokens.shape[-1]]"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "d[\"P\"][: given.shape[-1]] = d_X.sum(axis=0)"
#     input: "1"
#     reason: "the last axis of a matrix is axis one"
#   - code: "nudge = 1e-5"
#     reason: "any small nudge shows the slope, to either side"
#   - code: "print(max(apart) < 1e-8)"
#     reason: "any bound between rounding and the numbers printed will do"
#   - code: "trained, history = train(small, seed=1, every=30)"
#     input: "30"
#     reason: "the sign of a divisor does not change what it divides without a rest"
#   - code: "clock, clock_history = train(fixed_length, seed=2, every=30)"
#     input: "30"
#     reason: "the sign of a divisor does not change what it divides without a rest"
#   - code: "alone, alone_history = train(replace(small, n_layers=1), 1, 240)"
#     input: "240"
#     reason: "the sign of a divisor does not change what it divides without a rest"
#   - code: "share = weights[1][:, rows, rows - back].mean()"
#     input: "1"
#     reason: "of two layers the second is the last"
# ---

# %% [markdown]
# # An induction head, trained
#
# You read on a sign that the next village is called *Quillbeck*. A page later somebody says: "We never got to Quill…"
# You know how the word goes on, although you have met it once in your life. Language models know it, too. Researchers
# who took some of them apart found heads that do it, and called them **induction heads** ([Olsson et al.
# 2022](../bibliography.md#olsson2022)).
#
# In this lab you train a model that is small enough to be taken apart, and watch such a head form. It happens fast: for
# a while the model learns next to nothing, and then it turns.
#
# **After this lab you can**
#
# - say what an induction head does, and why it takes two layers;
# - train a small model in NumPy, with a way back that you have tested;
# - say with numbers whether a head does what its map seems to show;
# - name a model whose map shows a perfect induction head that is none.
#
# **What you need:** Python, NumPy and `attnref`, which is a folder of Python files in this site's repository: put a
# copy of it next to this notebook, or run `pip install .` in a clone. You should know [several
# heads](../lessons/several-heads.md) and [the causal mask](../lessons/masks.md), and that training follows a gradient.

# %%
from dataclasses import dataclass, replace

import numpy as np

import attnref

# %% [markdown]
# ## Two heads in a row
#
# Read *planetplane* letter by letter. Which comes next? You look where you are, at an "e". You look for an "e" further
# up, and read what came after it: "t". An attention head could do the same, if it found the place *after* an earlier
# "e". But a query meets keys, and the key of "t" is made from "t". It does not say what stands before it.
#
# So it takes two layers:
#
# 1. In the first, a **previous-token head**: each letter attends to the one before, and adds to itself what it finds.
#    Now the place of "t" also says "I come after an e".
# 2. In the second, the **induction head**: the last "e" asks for whoever comes after an "e". The place of "t" answers,
#    and its value says "t".
#
# Nobody builds these heads in. We give two layers a task in which they would help, and see what training does.
#
# ## A text that repeats itself
#
# A token is a number here; for reading we give each a letter. A sequence is some tokens, all different, drawn by dice,
# and then the same ones again. The first copy cannot be foreseen. The second can, by whoever looks back.


# %%
def repeated(rng, n, batch, n_tokens):
    """Sequences of n tokens, all different, and the same n again."""
    shuffled = rng.random((batch, n_tokens)).argsort(axis=-1)
    once = shuffled[:, :n]  # (batch, n)
    return np.concatenate([once, once], axis=-1)  # twice as long


signs = np.array(list("abcdefghijklmnop"))
for example in repeated(np.random.default_rng(0), 6, 3, 16):
    print("".join(signs[example]))

# Output:
# ldncpbldncpb
# efcjpdefcjpd
# aodjlhaodjlh

# %% [markdown]
# ## The model
#
# Two attention layers with one head each, and nothing else of [what a block holds](../lessons/what-comes-next.md): no
# feed-forward part, no norm. What training depends on stands in one recipe, and in a **seed**, the number that the dice
# start from: the same seed throws the same dice again. The numbers given below are those of the full recipe, which we
# come back to; so that this page is built in a second or two, it trains a smaller one.


# %%
@dataclass
class Recipe:
    """All that a training run depends on, besides its seed."""

    n_tokens: int = 32  # how many different tokens there are
    d_model: int = 32
    n_layers: int = 2
    shortest: int = 4  # tokens before the repetition
    longest: int = 16
    batch: int = 64
    steps: int = 1500
    rate: float = 0.003
    warm_up: int = 50


full = Recipe()
small = Recipe(
    n_tokens=16,
    d_model=24,
    longest=8,
    batch=24,
    steps=240,
    rate=0.01,
)

# %% [markdown]
# The parameters: a row for each token (`E`), a row for each position (`P`), four matrices a layer, and a matrix that
# turns a token's row into **logits**, a number for each token that might come next (`U`). How large they are at the
# start matters more than one would think; you can try it at the end.


# %%
def start(rng, recipe):
    """Parameters before training: one head a layer, as wide as it."""
    d, layers = recipe.d_model, recipe.n_layers
    size = 1 / np.sqrt(d)
    p = {
        "E": rng.normal(0, 1, (recipe.n_tokens, d)),
        "P": rng.normal(0, 0.5, (2 * recipe.longest, d)),
        "U": rng.normal(0, size, (d, recipe.n_tokens)),
    }
    for name in ["W_Q", "W_K", "W_V", "W_O"]:
        p[name] = rng.normal(0, size, (layers, d, d))
    return p


for name, recipe in [("small", small), ("full", full)]:
    p = start(np.random.default_rng(), recipe)
    print(name, sum(array.size for array in p.values()))

# Output:
# small 5760
# full 11264

# %% [markdown]
# On the way forward each head's output is added to what it was given, so the second head reads both: the token as it
# was, and what the first head added. The heads' weights are kept, to be looked at. `without` leaves out one layer's
# head; you need that later.


# %%
HEAD = {"n_heads": 1, "causal": True}


def layer(p, number):
    """The four matrices of a layer."""
    return [p[name][number] for name in ["W_Q", "W_K", "W_V", "W_O"]]


def forward(p, tokens, without=None):
    """What each layer is given, its weights, and the logits."""
    X = p["E"][tokens] + p["P"][: tokens.shape[-1]]
    inputs, weights = [X], []  # X is (batch, L, d_model)
    for number in range(len(p["W_Q"])):
        matrices = layer(p, number)
        head = attnref.multihead_attention(X, *matrices, **HEAD)
        weights.append(head.weights[:, 0])  # (batch, L, L)
        if number != without:
            X = X + head.output
        inputs.append(X)
    return inputs, weights, X @ p["U"]


# %% [markdown]
# ## Loss, and the way back
#
# Only the second copy is asked for. Its first token cannot be known, because nobody told the model where the first copy
# ends. And behind its last token the sequence is over: the row of the last position is never trained, so it is never
# given.


# %%
def task(tokens):
    """What is given, the rows that can know what is next, and that."""
    n = tokens.shape[-1] // 2
    rows = np.arange(n, 2 * n - 1)
    return tokens[:, :-1], rows, tokens[:, rows + 1]


print(task(np.array([[7, 3, 5, 7, 3, 5]])))

# Output:
# (array([[7, 3, 5, 7, 3]]), array([3, 4]), array([[3, 5]]))

# %% [markdown]
# The loss is the mean surprise, $-\log$ of the share that the right token got. For the way back, each line of the way
# forward is gone through once more, from the last to the first. The gradient of the logits is short: the shares, less
# one where the token is right. Through a layer there are two ways: past the head, where the gradient is handed on as
# it is, and through it, which is what [`attnref.multihead_gradients`](../reference/gradients.md) computes. The two are
# added, as the two were added on the way forward.


# %%
def loss_and_gradients(p, tokens):
    """The mean loss, and its gradient for every parameter."""
    given, rows, targets = task(tokens)
    inputs, _, logits = forward(p, given)
    shares = attnref.softmax(logits[:, rows])
    correct = np.eye(len(p["E"]))[targets]  # one where it is right
    loss = -np.log((shares * correct).sum(axis=-1)).mean()

    d_logits = np.zeros_like(logits)
    d_logits[:, rows] = (shares - correct) / targets.size
    d = {name: np.zeros_like(array) for name, array in p.items()}
    d["U"] = (inputs[-1].mT @ d_logits).sum(axis=0)
    d_X = d_logits @ p["U"].T  # (batch, L, d_model)
    for number in reversed(range(len(p["W_Q"]))):
        X, matrices = inputs[number], layer(p, number)
        back = attnref.multihead_gradients(X, *matrices, d_X, **HEAD)
        for name in ["W_Q", "W_K", "W_V", "W_O"]:
            d[name][number] = getattr(back, f"d_{name}")
        d_X = d_X + back.d_X  # past the head, and through it
    np.add.at(d["E"], given, d_X)
    d["P"][: given.shape[-1]] = d_X.sum(axis=0)
    return loss, d


# %% [markdown]
# A way back that is wrong still trains, only worse. So it is tested before it is used: move one number by a little,
# both ways, and see what the loss does.

# %%
rng = np.random.default_rng(2)
tried = start(rng, small)
tokens = repeated(rng, 5, 7, small.n_tokens)
_, gradients = loss_and_gradients(tried, tokens)
nudge = 1e-5
apart = []
for name, array in tried.items():
    place = tuple(rng.integers(array.shape) // 2)
    before = array[place]
    array[place] = before + nudge
    above, _ = loss_and_gradients(tried, tokens)
    array[place] = before - nudge
    below, _ = loss_and_gradients(tried, tokens)
    array[place] = before
    slope = (above - below) / (2 * nudge)
    apart.append(abs(slope - gradients[name][place]))
    print(f"{name:<3} {slope:8.5f} {gradients[name][place]:8.5f}")
print(max(apart) < 1e-8)

# Output:
# E    0.00742  0.00742
# P   -0.01478 -0.01478
# U   -0.00914 -0.00914
# W_Q  0.00875  0.00875
# W_K  0.01152  0.01152
# W_V  0.00626  0.00626
# W_O  0.08196  0.08196
# True

# %% [markdown]
# A number of each array, its slope by trying, and its gradient by the equations. The tests of this site do it for every
# number of every array.
#
# ## The step
#
# A rule says how far to go against a gradient. The usual one is called Adam. It remembers for each parameter the mean
# of its gradients and the mean of their squares, and goes against the first, divided by the root of the second: so each
# parameter moves at about the same speed, however small its gradients are. The first steps are small ones, until the
# memories hold something.


# %%
def adam(p, d, mean, square, step, recipe):
    """One step of Adam; parameters and memories change in place."""
    rate = recipe.rate * min(1, step / recipe.warm_up)
    keep, keep_square = 0.9, 0.99
    for name in p:
        mean[name] += (1 - keep) * (d[name] - mean[name])
        news = d[name] ** 2 - square[name]
        square[name] += (1 - keep_square) * news
        typical = np.sqrt(square[name] / (1 - keep_square**step))
        direction = mean[name] / (1 - keep**step)
        p[name] -= rate * direction / (typical + 1e-8)


# %% [markdown]
# ## What to measure
#
# A falling loss does not say *how* the model does it. So we ask both heads, too. The first should look at the token
# before, at least in the first copy, where the second head will look for it. The second should look at the token after
# the earlier same one. Each gets the mean weight that it puts there, over sequences that the training has not seen.


# %%
def measure(p, tokens, without=None):
    """Loss, accuracy, and how far the two heads do what they should.

    `previous`: the mean weight of the first layer, in the first copy,
    on the token before. `induction`: that of the last layer, in the
    second copy, on the token after the earlier same one.
    """
    given, rows, targets = task(tokens)
    _, weights, logits = forward(p, given, without)
    shares = attnref.softmax(logits[:, rows])
    correct = np.eye(len(p["E"]))[targets]
    n = rows[0]
    early = np.arange(1, n)
    return {
        "loss": -np.log((shares * correct).sum(axis=-1)).mean(),
        "accuracy": (shares.argmax(axis=-1) == targets).mean(),
        "previous": weights[0][:, early, early - 1].mean(),
        "induction": weights[-1][:, rows, rows - n + 1].mean(),
    }


def unseen(recipe, batch=256):
    """Sequences to measure with, of the longest kind."""
    rng = np.random.default_rng(2022)
    return repeated(rng, recipe.longest, batch, recipe.n_tokens)


# %% [markdown]
# ## Training
#
# Each step draws a length, and fresh sequences of it: there is nothing that could be learnt by heart.


# %%
def train(recipe, seed, every):
    """The trained parameters, and what was measured on the way."""
    rng = np.random.default_rng(seed)
    p = start(rng, recipe)
    mean = {name: np.zeros_like(array) for name, array in p.items()}
    square = {name: np.zeros_like(array) for name, array in p.items()}
    history = {0: measure(p, unseen(recipe))}
    for step in range(1, recipe.steps + 1):
        n = rng.integers(recipe.shortest, recipe.longest + 1)
        tokens = repeated(rng, n, recipe.batch, recipe.n_tokens)
        _, d = loss_and_gradients(p, tokens)
        adam(p, d, mean, square, step, recipe)
        if step % every == 0:
            history[step] = measure(p, unseen(recipe))
    return p, history


def show(history):
    print("step" + "".join(f"{name:>10}" for name in history[0]))
    for step, found in history.items():
        print(f"{step:4}", *(f"{x:9.3f}" for x in found.values()))


trained, history = train(small, seed=1, every=30)
begins, turned = history[60], history[120]
show(history)

# Output:
# step      loss  accuracy  previous induction
#    0     3.681     0.059     0.226     0.100
#   30     2.951     0.076     0.247     0.096
#   60     2.772     0.122     0.270     0.132
#   90     1.895     0.503     0.486     0.448
#  120     1.095     0.783     0.636     0.727
#  150     0.663     0.882     0.754     0.842
#  180     0.187     0.961     0.804     0.911
#  210     0.113     0.977     0.857     0.947
#  240     0.018     0.995     0.915     0.981

# %% [markdown]
# For 60 steps hardly anything happens. The loss comes down to 2.77, which is that of somebody who knows nothing, and
# gives each of 16 tokens the same share<!--? abs(begins["loss"] - np.log(small.n_tokens)) < 0.01 -->. By step 120 the
# model is right in 78.3 % of cases. Meanwhile both heads took shape, and they did it together: the weight on the right
# token went from 0.270 to 0.636 in the first, and from 0.132 to 0.727 in the second.
# <!--= list(history)[2], begins["loss"], small.n_tokens, list(history)[4], 100 * turned["accuracy"],
# begins["previous"], turned["previous"], begins["induction"], turned["induction"] -->
#
# Why so sudden? The first head is of no use without the second, nor the second without the first. While both are
# weak, each hardly gets a gradient. Once one of them happens to help a little, each step makes the next one larger.
#
# ## The full recipe
#
# The full recipe has 32 tokens, 32 numbers for each, and 4 to 16 tokens before the repetition: 11,264 parameters. The
# same functions train them in 1500 steps of 64 sequences, with a rate of 0.003 and 50 steps of warming up. That takes
# 13 seconds on one core, too long to do it anew whenever this page is built. So it was run apart, from 10 seeds, on
# 2026-11-29 (`python -m benchmarks.bench_induction --record`). The record, with machine and versions, is
# `benchmarks/records/induction.json`.
# <!--= full.n_tokens, full.d_model, full.shortest, full.longest, record["parameters"], full.steps, full.batch,
# full.rate, full.warm_up, record["median_seconds"], len(record["seeds"]), recorded_on -->
#
# ![Two charts over 1500 training steps. The loss begins at 4.2, falls steeply around step 200 and ends near zero.
# Accuracy and the weight of both heads stay near the bottom until step 100; the second head's weight is 0.28 at step
# 175 and 0.80 at step 375; at the end it is 0.995, the first head's is
# 0.930.](../assets/figures/induction-head/turn.svg)
# <!--= full.steps, curves["loss"][0], steps[8], steps[4], curves["induction"][7], steps[7],
# curves["induction"][15], steps[15], curves["induction"][-1], curves["previous"][-1] -->
#
# *The run of the first seed, measured every 25 steps. It turns around step 200. Below: the accuracy, and the weight
# that each head puts on the token where it should look.*
# <!--= steps[1], steps[8] -->
#
# It is not the luck of a seed: 10 of 10 end with an induction weight of 0.95 or more, the lowest at 0.992, and with an
# accuracy of 0.998 or more. The turn is about as sharp in all of them. From a weight of 0.2 to one of 0.8 it takes
# between 175 and 275 steps of the 1500.
# <!--= formed, len(record["seeds"]), record["formed"],
# min(ends["induction"]), min(ends["accuracy"]), record["turns"], min(rises), max(rises), full.steps -->
#
# [Olsson et al. 2022](../bibliography.md#olsson2022) saw such a turn in language models that learn from real text: the
# loss drops within a short stretch of the training, and induction heads form in the same stretch. Models with a single
# layer have no such turn.
#
# ## Before and after, as maps


# %%
def attention_maps(p, text):
    place = list(signs).index
    tokens = np.array([[place(sign) for sign in text]])
    _, weights, logits = forward(p, tokens)
    for head, rows in zip(["first", "second"], weights):
        print(f"{head} head: row = who asks, column = who is asked")
        print("  " + "".join(f"{sign:>4}" for sign in text))
        for sign, row in zip(text, rows[0]):
            percent = "".join(f"{100 * w:4.0f}" for w in row)
            print(f"{sign:>2}{percent}")
        print()
    print("next:", signs[logits[0, -1].argmax()])


attention_maps(trained, "knifeknif")

# Output:
# first head: row = who asks, column = who is asked
#      k   n   i   f   e   k   n   i   f
#  k 100   0   0   0   0   0   0   0   0
#  n 100   0   0   0   0   0   0   0   0
#  i   3  88   8   0   0   0   0   0   0
#  f   0   0  98   1   0   0   0   0   0
#  e   0   0   1  98   1   0   0   0   0
#  k   0   1   0   1  97   1   0   0   0
#  n   1   0   1   0   6  87   6   0   0
#  i   1   0   7   0   2  15  69   5   0
#  f  32   0   5  10  16  29   3   4   2
#
# second head: row = who asks, column = who is asked
#      k   n   i   f   e   k   n   i   f
#  k 100   0   0   0   0   0   0   0   0
#  n  64  36   0   0   0   0   0   0   0
#  i  28  68   4   0   0   0   0   0   0
#  f   0  99   0   0   0   0   0   0   0
#  e   1  98   0   1   0   0   0   0   0
#  k   1  99   0   0   0   0   0   0   0
#  n   0   0 100   0   0   0   0   0   0
#  i   0   0   0 100   0   0   0   0   0
#  f   0   0   0   0 100   0   0   0   0
#
# next: e

# %% [markdown]
# Each row asks, and its weights add up to a hundred percent. The first head has its large weights one place left of the
# diagonal: on the letter before. Only its last row is vague. That row is the ninth, and nobody ever needs it: in
# training a first copy had eight tokens at most, so the second head never has to ask the ninth place what came before
# it.
#
# The second head, from the sixth row on, looks at the letter behind the earlier same one. The rows above belong to the
# first copy, where nothing was ever asked. A softmax has to put its weight somewhere, and here it goes to the first two
# letters.
#
# With the full recipe it looks like this, before the training and after it:
#
# ![Four square maps, the letters of planetplane at their left and upper edges. Before the training the weights of both
# heads are scattered below the diagonal. After it the first head's weights lie one place left of the diagonal, in all
# rows. The second head's lie, from the second p on, on the letter behind the earlier same
# one.](../assets/figures/induction-head/maps.svg)
#
# *Row = who asks, column = who is asked; the stronger the colour, the larger the weight. Above before the training,
# below after it.*
#
# After the training, the largest weight of each row of the first head is on the letter before<!--? (strongest[0][1:] ==
# places[:-1]).all() -->, and that of the second head on the letter to be said next<!--? [read[k] for k in
# strongest[1][6:]] == list("lanet") -->.
#
# ## Take a part out
#
# Does the model *need* these heads? Leave one out and measure again. And could a single layer have done it? Train one,
# with the same recipe and the same dice.

# %%
alone, alone_history = train(replace(small, n_layers=1), 1, 240)
test = unseen(small)
parts = {
    "both heads": measure(trained, test),
    "without the first": measure(trained, test, without=0),
    "without the second": measure(trained, test, without=1),
    "one layer, trained alone": alone_history[240],
}
for name, found in parts.items():
    print(f"{name:25} {found['accuracy']:.3f}")

# Output:
# both heads                0.995
# without the first         0.272
# without the second        0.074
# one layer, trained alone  0.462

# %% [markdown]
# Without the first head, the second one does not find the place, and accuracy falls to 0.272. Without the second,
# nothing is copied, and 0.074 is about what a blind guess among 16 tokens gets. Both are needed, and neither does
# anything by itself.
# <!--= parts["without the first"]["accuracy"], parts["without the second"]["accuracy"], small.n_tokens -->
#
# The single layer is better than one would think: 0.462. It cannot see what stands before a token, but it knows its
# own position, and from that it can guess how far back the first copy lies; there are only five lengths. The full
# recipe leaves more to guess, and so the difference is plain there, as the record says:
# <!--= parts["one layer, trained alone"]["accuracy"] -->
#
# | full recipe, ten seeds | lowest accuracy | highest |
# |---|---|---|
# | both heads | 0.9977 | 1.0000 |
# | without the first | 0.0612 | 0.0958 |
# | without the second | 0.0281 | 0.0404 |
# | one layer, trained alone | 0.2445 | 0.3727 |
# <!--= table: [low for low, high in accuracies], [high for low, high in accuracies] -->
#
# ## A map is not a reason
#
# Now train with eight tokens before the repetition, always eight.

# %%
fixed_length = replace(small, shortest=8, steps=120)
clock, clock_history = train(fixed_length, seed=2, every=30)
show(clock_history)

# Output:
# step      loss  accuracy  previous induction
#    0     3.713     0.064     0.260     0.089
#   30     2.900     0.089     0.253     0.090
#   60     2.337     0.289     0.155     0.292
#   90     0.070     0.991     0.028     0.973
#  120     0.038     0.994     0.025     0.994

# %% [markdown]
# After 120 steps it is right nearly always, and the second head puts 0.994 of its weight where an induction head
# would. Its map is as good as the other's. But look at the column of the first head: 0.025. There is nobody who tells
# the second head what came before. So how does it know? Ask it something that it was not trained on, six tokens in
# place of eight:
# <!--= fixed_length.steps, clock_history[120]["induction"], clock_history[120]["previous"] -->

# %%
for name, p in [("any length", trained), ("always 8", clock)]:
    for n in [8, 6]:
        again = repeated(np.random.default_rng(3), n, 256, 16)
        whole = measure(p, again)["accuracy"]
        rest = measure(p, again, without=0)["accuracy"]
        print(f"trained on {name}, asked with {n}: {whole:.3f}")
        print(f"  without the first head: {rest:.3f}")

# Output:
# trained on any length, asked with 8: 0.996
#   without the first head: 0.263
# trained on any length, asked with 6: 0.999
#   without the first head: 0.330
# trained on always 8, asked with 8: 0.997
#   without the first head: 0.857
# trained on always 8, asked with 6: 0.002
#   without the first head: 0.018

# %% [markdown]
# With six tokens it is lost, right in fewer than one case of a hundred<!--? whole < 0.01 -->. It has learnt to count:
# "seven places back", whatever stands there. That is a matter of positions alone, which a single layer can do, so it
# can nearly do without the first head, too. On sequences of eight tokens its map cannot be told from that of an
# induction head.
#
# A map says where a head looks. It does not say why. To find out, change the input, or take a part out, and see what
# happens.
#
# ## Ask it yourself { #ask }
#
# These are the 11,264 parameters of the full recipe, seed 0, each rounded to a byte. The rounding costs little: the
# induction weight is 0.995 before and after<!--? abs(kept_found["induction"] - ends["induction"][0]) < 0.0005 -->,
# the accuracy 0.999. Without the first head it would be 0.066.
# <!--= sum(array.size for array in kept.values()), keep.SEED, kept_found["induction"],
# kept_found["accuracy"], kept_rest["accuracy"] -->
#
# The table reads *planetplane*, a letter a row. The first copy was never asked for, so what is said there means
# nothing. From the second "p" on, each row says the letter that comes
# next<!--? "".join(guesses[len(word):]) == word[1:] -->, and both heads look where they should.
#
# On the website you can type letters of your own (the six signs .,;:!? are tokens, too), go through the rows, and leave
# a head out. Try a word three times in a row; a word of two letters, shorter than any in the training; a letter that
# occurs twice in the first copy.
#
# <attn-induction markdown>
#
# | place | token | first head looks at | weight | second head looks at | weight | says next | share |
# |---|---|---|---|---|---|---|---|
# | 0 | p | p at 0 | 1.00 | p at 0 | 1.00 | p | 1.00 |
# | 1 | l | p at 0 | 1.00 | l at 1 | 0.91 | l | 1.00 |
# | 2 | a | l at 1 | 0.99 | a at 2 | 0.98 | a | 1.00 |
# | 3 | n | a at 2 | 0.98 | l at 1 | 1.00 | l | 1.00 |
# | 4 | e | n at 3 | 1.00 | l at 1 | 0.96 | l | 1.00 |
# | 5 | t | e at 4 | 0.98 | l at 1 | 0.88 | l | 1.00 |
# | 6 | p | t at 5 | 0.93 | l at 1 | 0.99 | l | 1.00 |
# | 7 | l | p at 6 | 0.94 | a at 2 | 1.00 | a | 1.00 |
# | 8 | a | l at 7 | 0.97 | n at 3 | 1.00 | n | 1.00 |
# | 9 | n | a at 8 | 0.89 | e at 4 | 1.00 | e | 1.00 |
# | 10 | e | n at 9 | 0.93 | t at 5 | 0.99 | t | 1.00 |
# <!--= table: places, strongest[0], largest[0], strongest[1], largest[1], guessed -->
#
# </attn-induction>
#
# ## Exercises
#
# Say what you expect before you open an answer.
#
# ### What is nothing worth?
#
# Somebody has learnt which tokens occur in the first copy, and nothing of their order. How large is the loss, with
# eight different tokens of 16?
# <!--= small.n_tokens -->
#
# ??? success "Answer"
#
#     The logarithm of eight, if each of the eight gets an equal share.
#
#     ```python
#     print(f"{np.log(small.n_tokens):.2f} {np.log(8):.2f}")
#     ```
#
#     ```text
#     2.77 2.08
#     ```
#
#     In the table of the training, find the steps whose loss lies between the two.
#
# ### Mixed-up positions
#
# Shuffle the rows of `P` in the trained model. Which of the two heads suffers, and what becomes of the accuracy?
#
# ??? success "Answer"
#
#     The first head finds the place before by its position, so it is lost. The second does not care for positions. But
#     it asks for what the first one wrote, so it falls with it.
#
#     ```python
#     order = np.random.default_rng(3).permutation(len(trained["P"]))
#     mixed = trained | {"P": trained["P"][order]}
#     for name, found in measure(mixed, test).items():
#         print(f"{name:9} {found:.3f}")
#     ```
#
#     ```text
#     loss      6.785
#     accuracy  0.238
#     previous  0.299
#     induction 0.221
#     ```
#
# ### A third time
#
# The model has seen two copies of everything, never three. What will it do with a third one? Where does the second head
# look, when there are two earlier places to look at?
#
# ??? success "Answer"
#
#     It goes on, only less surely. The weight is divided between both places.
#
#     ```python
#     n = 5
#     twice = repeated(np.random.default_rng(4), n, 256, 16)
#     thrice = np.hstack([twice, twice[:, :n]])
#     _, weights, logits = forward(trained, thrice[:, :-1])
#     rows = np.arange(2 * n, 3 * n - 1)
#     said = logits[:, rows].argmax(axis=-1)
#     print(f"right  {(said == thrice[:, rows + 1]).mean():.3f}")
#     for copy, back in [("second", n - 1), ("first", 2 * n - 1)]:
#         share = weights[1][:, rows, rows - back].mean()
#         print(f"{copy:6} {share:.3f}")
#     ```
#
#     ```text
#     right  0.891
#     second 0.197
#     first  0.649
#     ```
#
# ### Your own run
#
# Train with the full recipe: `train` takes `full`, a seed, and after how many steps to measure. Then change one thing
# in the small recipe, and predict first what it does to the turn: positions that start three times as strong as tokens,
# or tokens that start four times as strong as here; a smaller rate; three layers.
#
# ## Recap
#
# - An induction head looks for an earlier place where the present token stood, and says what came after it there.
# - It needs a head in an earlier layer that tells each place what came before it.
# - Both form at once, in a sharp turn.
# - A map shows where a head looks. What it is for is found by changing the input and by taking parts out.
