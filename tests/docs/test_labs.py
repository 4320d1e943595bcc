"""The labs: each runs as a script and as a notebook, prints what its page shows, and agrees with attnref."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

import attnref
from sitekit import absent, labs, pages, percent, programs, sources
from sitekit.check import ROOT
from tests.attnref.tolerance import assert_close

LABS = sorted((ROOT / "docs" / "labs").glob("*.py"))
# A client of its own, in a process of its own: what Jupyter's packages warn of is no fault of a lab.
IN_A_KERNEL = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[1])
"""


@pytest.fixture(params=LABS, ids=[path.stem for path in LABS])
def lab(request) -> Path:
    missing = [name for name in labs.needed(text(request.param)) if find_spec(name) is None]
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"{', '.join(missing)} is missing, and CI has to have it")
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")
    return request.param


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def front_matter(path: Path) -> dict:
    return yaml.safe_load(percent.as_markdown(text(path)).split("---\n")[1])


def environment(path: Path) -> dict[str, str]:
    """The process's own, but for a path on which this project lies: only a lab that needs attnref finds it."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | ({"PYTHONPATH": str(ROOT)} if "attnref" in front_matter(path)["needs"] else {})


def functions(stem: str) -> SimpleNamespace:
    """All that a lab defines, after it was run as its page is."""
    page = pages.read(ROOT / "docs" / "labs" / f"{stem}.py", ROOT, sources.read(ROOT / "docs"))
    run = programs.run(absent.mark(programs.units(page), absent.missing(page)))
    assert not run.problems, run.problems
    return SimpleNamespace(**{name: value for name, value in run.names.items() if not name.startswith("__")})


def test_there_are_labs():
    assert LABS


def test_a_lab_run_as_a_script_prints_its_outputs(lab, tmp_path):
    done = subprocess.run(
        [sys.executable, lab], cwd=tmp_path, env=environment(lab), capture_output=True, text=True, check=False
    )
    outputs = [cell.output for cell in percent.cells(text(lab)) if cell.output is not None]
    assert done.stderr == ""
    assert done.stdout.splitlines() == [line for output in outputs for line in output]


def test_a_lab_run_in_a_kernel_shows_what_its_page_shows(lab, tmp_path):
    file = tmp_path / f"{lab.stem}.ipynb"
    made = labs.notebook(text(lab), f"labs/{lab.name}", "https://here.invalid/")
    file.write_text(made, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", IN_A_KERNEL, file],
        cwd=tmp_path, env=environment(lab), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert shown(file.read_text(encoding="utf-8")) == shown(made)


def shown(notebook: str) -> list[list[tuple[str, str]]]:
    """What each code cell shows: kind and text, pieces of one stream joined."""
    found = []
    for cell in json.loads(notebook)["cells"]:
        outputs: dict[str, str] = {}
        for output in cell.get("outputs", []):
            kind = output.get("name", output["output_type"])
            outputs[kind] = outputs.get(kind, "") + "".join(output.get("text", json.dumps(output)))
        found.append(sorted(outputs.items()))
    return found


@pytest.mark.parametrize("path", LABS, ids=[path.stem for path in LABS])
def test_a_lab_needs_what_its_first_cell_names(path):
    needs = front_matter(path)["needs"]
    assert labs.needed(text(path)) == set(needs)
    first = "\n".join(percent.cells(text(path))[0].source).lower()
    said = [name.replace("torch", "pytorch").replace("_", "-") for name in needs]
    assert [name for name in said if name not in first] == []


# ---- lists and loops: the specification


@pytest.fixture(scope="module")
def loops() -> SimpleNamespace:
    return functions("lists-and-loops")


@pytest.fixture(params=range(7))
def rng(request) -> np.random.Generator:
    return np.random.default_rng(request.param)


def test_softmax_of_loops_is_that_of_attnref(loops, rng):
    row = rng.normal(size=5) * 100
    row[rng.integers(5)] = -np.inf
    assert_close(loops.softmax(row.tolist()), attnref.softmax(row))
    assert loops.softmax([-np.inf] * 3) == [0, 0, 0]


def test_one_query_of_loops_is_attention_of_attnref(loops, rng):
    q, K, V = rng.normal(size=3), rng.normal(size=(7, 3)), rng.normal(size=(7, 5))
    expected = attnref.attention(q[None], K, V)
    output, weights = loops.attend(q.tolist(), K.tolist(), V.tolist())
    assert_close([output], expected.output)
    assert_close([weights], expected.weights)


def test_attention_of_loops_is_that_of_attnref(loops, rng):
    Q, K, V = rng.normal(size=(5, 3)), rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
    mask = rng.random((5, 7)) < 0.5
    mask[2] = False
    for allowed in (None, mask):
        expected = attnref.attention(Q, K, V, mask=allowed)
        given = None if allowed is None else allowed.tolist()
        output, weights = loops.attention(Q.tolist(), K.tolist(), V.tolist(), given)
        assert_close(output, expected.output)
        assert_close(weights, expected.weights)


@pytest.mark.parametrize("sizes", [(5, 5), (3, 7), (7, 3), (1, 5)])
def test_causal_mask_of_loops_is_that_of_attnref(loops, sizes):
    assert loops.causal_mask(*sizes) == attnref.causal_mask(*sizes).tolist()


def test_heads_of_loops_are_those_of_attnref(loops, rng):
    h, L, d_model, d_k, d_v = 3, 5, 7, 2, 11
    X = rng.normal(size=(L, d_model))
    sizes = [(d_model, h * d_k), (d_model, h * d_k), (d_model, h * d_v), (h * d_v, 13)]
    matrices = [rng.normal(size=size) for size in sizes]
    lists = [matrix.tolist() for matrix in matrices]
    for causal in (False, True):
        expected = attnref.multihead_attention(X, *matrices, n_heads=h, causal=causal)
        mask = loops.causal_mask(L, L) if causal else None
        output, weights = loops.multihead(X.tolist(), *lists, n_heads=h, mask=mask)
        assert_close(output, expected.output)
        assert_close(weights, expected.weights)


# ---- attention in NumPy


@pytest.fixture(scope="module")
def arrays() -> SimpleNamespace:
    return functions("attention-in-numpy")


@pytest.mark.parametrize("stem", ["attention-in-numpy", "against-pytorch"])
def test_attention_of_arrays_is_that_of_attnref(stem, rng):
    attention = functions(stem).attention
    Q, K, V = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 7, 3)), rng.normal(size=(2, 7, 11))
    mask = rng.random((5, 7)) < 0.5
    mask[:, 3] = True
    for allowed in (True, mask):
        expected = attnref.attention(Q, K, V, mask=allowed)
        output, weights = attention(Q, K, V, allowed)
        assert_close(output, expected.output)
        assert_close(weights, expected.weights)


def test_heads_of_arrays_are_those_of_attnref(arrays, rng):
    h, L, d_model, d_k, d_v = 3, 5, 7, 2, 11
    X = rng.normal(size=(L, d_model))
    sizes = [(d_model, h * d_k), (d_model, h * d_k), (d_model, h * d_v), (h * d_v, 13)]
    matrices = [rng.normal(size=size) for size in sizes]
    mask = attnref.causal_mask(L, L)
    expected = attnref.multihead_attention(X, *matrices, n_heads=h, causal=True)
    output, weights = arrays.multihead(X, *matrices, h, mask)
    assert_close(output, expected.output)
    assert_close(weights, expected.weights)
