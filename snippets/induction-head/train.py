"""Train two attention layers to go on with a text that repeats itself, and watch an induction head form.

    python train.py [--seed 0] [--steps 1500]

NumPy and attnref, nothing else; the way back is written out by hand. The lab *An induction head* holds the same
functions cell by cell, with what there is to say about them.
"""

import argparse
from dataclasses import dataclass

import numpy as np

import attnref


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


def repeated(rng, n, batch, n_tokens):
    """Sequences of n tokens, all different, and the same n again."""
    shuffled = rng.random((batch, n_tokens)).argsort(axis=-1)
    once = shuffled[:, :n]  # (batch, n)
    return np.concatenate([once, once], axis=-1)  # twice as long


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


def task(tokens):
    """What is given, the rows that can know what is next, and that."""
    n = tokens.shape[-1] // 2
    rows = np.arange(n, 2 * n - 1)
    return tokens[:, :-1], rows, tokens[:, rows + 1]


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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1500)
    chosen = parser.parse_args()
    for step, found in train(Recipe(steps=chosen.steps), chosen.seed, every=100)[1].items():
        print(f"{step:5}", *(f"{name} {value:.3f}" for name, value in found.items()))
