"""The trained parameters that the page loads: small, read without code, and as good as those that were measured."""

import base64
import json
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.attnref.tolerance import assert_close

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "snippets" / "induction-head"
keep = SimpleNamespace(**runpy.run_path(str(FOLDER / "keep.py")))
program = SimpleNamespace(**runpy.run_path(str(FOLDER / "train.py")))
RECORD = json.loads((ROOT / "benchmarks" / "records" / "induction.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def kept() -> dict[str, np.ndarray]:
    return keep.read()


def test_packing_rounds_by_half_a_step_at_most():
    array = np.random.default_rng(0).normal(size=(3, 5, 7))
    packed = keep.packed(array)
    assert len(base64.b64decode(packed["steps"])) == array.size
    assert_close(np.abs(keep.unpacked(packed)).max(), np.abs(array).max())
    assert np.abs(keep.unpacked(packed) - array).max() <= packed["step"] * 0.5000001


def test_the_file_is_small_and_says_where_it_comes_from():
    text = keep.KEPT.read_text(encoding="utf-8")
    assert len(text) < 20_000
    said = json.loads(text)
    assert said["recipe"] == vars(program.Recipe()) == RECORD["recipe"]
    assert said["seed"] == keep.SEED == RECORD["seeds"][0]
    assert said["tokens"] == keep.TOKENS
    assert len(set(keep.TOKENS)) == program.Recipe().n_tokens


def test_there_are_as_many_as_the_recipe_has(kept):
    expected = program.start(np.random.default_rng(0), program.Recipe())
    assert {name: array.shape for name, array in kept.items()} == {n: a.shape for n, a in expected.items()}
    assert sum(array.size for array in kept.values()) == RECORD["parameters"]


@pytest.mark.parametrize(
    ("column", "without"), [("trained", None), ("without_first", 0), ("without_second", 1)]
)
def test_what_they_do_is_what_the_record_says_of_their_seed(kept, column, without):
    found = program.measure(kept, program.unseen(program.Recipe()), without)
    expected = {name: values[0] for name, values in RECORD[column].items()}
    for name, allowed in {"accuracy": 0.005, "previous": 0.005, "induction": 0.005, "loss": 0.1}.items():
        assert abs(found[name] - expected[name]) <= allowed, name


@pytest.mark.parametrize("n", range(4, 17))
def test_they_go_on_with_repetitions_of_every_length(kept, n):
    tokens = program.repeated(np.random.default_rng(7), n, 128, 32)
    found = program.measure(kept, tokens)
    assert found["accuracy"] > 0.99
    assert found["induction"] > 0.97


def test_the_program_measures_the_file_of_the_page():
    done = subprocess.run(
        [sys.executable, str(FOLDER / "keep.py")], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "SYSTEMROOT": "C:\\Windows"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "accuracy 0.99" in done.stdout


def test_keeping_writes_what_reading_reads(tmp_path, monkeypatch):
    monkeypatch.setattr(keep.keep.__globals__["train"], "Recipe", lambda: program.Recipe(steps=3))
    keep.keep(tmp_path / "kept.json")
    trained, _ = program.train(program.Recipe(steps=3), keep.SEED, 3)
    for name, array in keep.read(tmp_path / "kept.json").items():
        assert np.abs(array - trained[name]).max() <= np.abs(trained[name]).max() / 253
