"""The program that trains an induction head: data, the way forward and back, measures, a run."""

import json
import math
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.attnref.differences import TOL, gradient
from tests.attnref.tolerance import assert_close

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "snippets" / "induction-head" / "train.py"
program = SimpleNamespace(**runpy.run_path(str(PROGRAM)))
Recipe = program.Recipe

# Sizes that cannot be mixed up: 13 tokens, 7 numbers each, 3 layers, 5 tokens before the repetition, 2 sequences.
TINY = Recipe(n_tokens=13, d_model=7, n_layers=3, shortest=3, longest=5, batch=2, steps=11, warm_up=5)
SMALL = Recipe(n_tokens=16, d_model=24, longest=8, batch=24, steps=240, rate=0.01)


@pytest.fixture
def tiny() -> SimpleNamespace:
    rng = np.random.default_rng(3)
    p = program.start(rng, TINY)
    return SimpleNamespace(p=p, tokens=program.repeated(rng, TINY.longest, TINY.batch, TINY.n_tokens))


def test_each_sequence_is_different_tokens_twice():
    tokens = program.repeated(np.random.default_rng(0), 5, 19, 13)
    assert tokens.shape == (19, 10)
    assert (tokens[:, :5] == tokens[:, 5:]).all()
    assert all(len(set(row)) == 5 for row in tokens.tolist())
    assert set(tokens.ravel().tolist()) == set(range(13))


def test_the_task_is_the_second_copy_without_its_first_and_last_token():
    tokens = np.array([[7, 3, 5, 7, 3, 5]])
    given, rows, targets = program.task(tokens)
    assert given.tolist() == [[7, 3, 5, 7, 3]]
    assert rows.tolist() == [3, 4]
    assert targets.tolist() == [[3, 5]]


def test_full_recipe_has_the_parameters_that_are_counted():
    p = program.start(np.random.default_rng(0), Recipe())
    tokens, positions, layers = 32 * 32, 32 * 32, 2 * 4 * 32 * 32
    assert sum(array.size for array in p.values()) == tokens + positions + layers + 32 * 32


# ---- the way forward, against loops


def by_loops(p: dict, sequence: list[int], without: int | None = None) -> tuple[list, list]:
    """The weights of each layer and the logits for one sequence, number by number."""
    X = [[e + q for e, q in zip(p["E"][t], p["P"][i], strict=True)] for i, t in enumerate(sequence)]

    def times(row, matrix):
        return [sum(x * matrix[k][c] for k, x in enumerate(row)) for c in range(len(matrix[0]))]

    all_weights = []
    for number in range(len(p["W_Q"])):
        W_Q, W_K, W_V, W_O = (p[name][number].tolist() for name in ("W_Q", "W_K", "W_V", "W_O"))
        Q, K, V = ([times(row, W) for row in X] for W in (W_Q, W_K, W_V))
        weights, found = [], []
        for i, query in enumerate(Q):
            powers = [
                math.exp(sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query)))
                for key in K[: i + 1]
            ]
            row = [power / sum(powers) for power in powers] + [0.0] * (len(X) - i - 1)
            blend = [sum(w * value[c] for w, value in zip(row, V, strict=True)) for c in range(len(query))]
            weights.append(row)
            found.append(times(blend, W_O))
        if number != without:
            X = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(X, found, strict=True)]
        all_weights.append(weights)
    return all_weights, [times(row, p["U"].tolist()) for row in X]


@pytest.mark.parametrize("without", [None, 0, 1, 2])
def test_forward_is_what_loops_compute(tiny, without):
    inputs, weights, logits = program.forward(tiny.p, tiny.tokens, without)
    assert len(inputs) == len(weights) + 1
    for b, sequence in enumerate(tiny.tokens.tolist()):
        expected_weights, expected_logits = by_loops(tiny.p, sequence, without)
        assert_close([layer[b] for layer in weights], expected_weights)
        assert_close(logits[b], expected_logits)


def test_logits_ignore_later_tokens(tiny):
    other = tiny.tokens.copy()
    other[:, -1] = (other[:, -1] + 1) % TINY.n_tokens
    before, after = (program.forward(tiny.p, tokens)[2] for tokens in (tiny.tokens, other))
    assert_close(after[:, :-1], before[:, :-1])
    assert np.abs(after[:, -1] - before[:, -1]).max() > 0.1


# ---- the way back


def test_loss_is_the_mean_surprise_of_what_comes_next(tiny):
    loss, _ = program.loss_and_gradients(tiny.p, tiny.tokens)
    surprises = []
    for sequence in tiny.tokens.tolist():
        _, logits = by_loops(tiny.p, sequence[:-1])
        for i in range(5, 9):
            powers = [math.exp(logit) for logit in logits[i]]
            surprises.append(-math.log(powers[sequence[i + 1]] / sum(powers)))
    assert_close(loss, sum(surprises) / len(surprises))


@pytest.mark.parametrize("name", ["E", "P", "U", "W_Q", "W_K", "W_V", "W_O"])
def test_gradient_is_the_slope_of_the_loss(tiny, name):
    _, d = program.loss_and_gradients(tiny.p, tiny.tokens)
    expected = gradient(
        lambda array: program.loss_and_gradients(tiny.p | {name: array}, tiny.tokens)[0], tiny.p[name]
    )
    assert np.abs(expected).max() > 1e-3
    assert_close(d[name], expected, tol=TOL)


def test_the_last_position_is_never_trained(tiny):
    _, d = program.loss_and_gradients(tiny.p, tiny.tokens)
    assert_close(d["P"][-1], np.zeros(7))
    assert (np.abs(d["P"][:-1]).max(axis=-1) > 0).all()


def test_adam_is_that_of_its_equations():
    recipe = Recipe(rate=0.25, warm_up=2)
    p, mean, square = ({"x": np.array([value])} for value in (1.0, 0.0, 0.0))
    gradients, x, m, v = [3.0, -1.0, 0.5], 1.0, 0.0, 0.0
    for step, g in enumerate(gradients, start=1):
        program.adam(p, {"x": np.array([g])}, mean, square, step, recipe)
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        rate = 0.25 * (0.5 if step == 1 else 1)
        x -= rate * (m / (1 - 0.9**step)) / (math.sqrt(v / (1 - 0.99**step)) + 1e-8)
        assert_close(p["x"], [x])


# ---- what is measured


def test_measure_reads_the_right_cells(tiny):
    found = program.measure(tiny.p, tiny.tokens)
    previous, induction, right = [], [], []
    for sequence in tiny.tokens.tolist():
        weights, logits = by_loops(tiny.p, sequence[:-1])
        previous += [weights[0][i][i - 1] for i in range(1, 5)]
        for i in range(5, 9):
            earlier = sequence.index(sequence[i])
            induction.append(weights[-1][i][earlier + 1])
            right.append(max(range(13), key=lambda t, row=logits[i]: row[t]) == sequence[i + 1])
    assert_close(found["previous"], sum(previous) / len(previous))
    assert_close(found["induction"], sum(induction) / len(induction))
    assert found["accuracy"] == sum(right) / len(right)
    assert_close(found["loss"], program.loss_and_gradients(tiny.p, tiny.tokens)[0])


# ---- training


def test_the_same_seed_gives_the_same_run_and_another_another():
    runs = [program.train(TINY, seed, every=5)[1] for seed in (2, 2, 3)]
    assert list(runs[0]) == [0, 5, 10]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("seed", range(3))
def test_a_small_run_forms_an_induction_head_that_needs_both_layers(seed):
    p, history = program.train(SMALL, seed, every=240)
    assert history[0]["induction"] < 0.15
    assert history[240]["induction"] > 0.85
    assert history[240]["accuracy"] > 0.93
    assert program.measure(p, program.unseen(SMALL), without=0)["accuracy"] < 0.5


def test_one_layer_alone_forms_none():
    _, history = program.train(Recipe(**vars(SMALL) | {"n_layers": 1}), 1, every=240)
    assert history[240]["induction"] < 0.6
    assert history[240]["accuracy"] < 0.6


def test_the_program_runs_as_a_script():
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--steps", "3"], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "SYSTEMROOT": "C:\\Windows"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("    0 loss 4.")


# ---- the record of the full recipe


def test_the_record_is_of_this_recipe_and_nine_of_ten_seeds_reach_it():
    record = json.loads((ROOT / "benchmarks" / "records" / "induction.json").read_text(encoding="utf-8"))
    assert record["recipe"] == vars(Recipe())
    assert record["recipe"]["steps"] <= 1500
    assert len(record["seeds"]) >= 10
    reached = [weight >= 0.95 for weight in record["trained"]["induction"]]
    assert sum(reached) >= 0.9 * len(reached)
    assert max(record["without_first"]["accuracy"]) < 0.2
    assert max(record["one_layer"]["accuracy"]) < 0.5
