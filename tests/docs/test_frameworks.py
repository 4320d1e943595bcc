"""The page *How the frameworks differ* says what the frameworks do: each is asked again, where it is installed."""

import json
import os
import re
from pathlib import Path

import pytest

from attnref.diagnosis._questions import QUESTIONS
from snippets.frameworks.adapters import FRAMEWORKS
from snippets.frameworks.measure import RECORD, measured_apart, release
from snippets.frameworks.tables import PAGE, TABLES, together, written
from tests.attnref.peers import peer

ROOT = Path(__file__).parents[2]
RECORDED = json.loads(RECORD.read_text(encoding="utf-8"))


def changes(name: str, old: dict[str, str], new: dict[str, str]) -> list[str]:
    """What has changed, each cell with the old and the new answer."""
    return [
        f"{name}, {question}: was {old.get(question)!r}, is {new.get(question)!r}"
        for question in {**old, **new}
        if old.get(question) != new.get(question)
    ]


@pytest.mark.parametrize("name", list(FRAMEWORKS))
def test_a_framework_answers_as_recorded(name):
    recorded, package = RECORDED[name], FRAMEWORKS[name].package
    if FRAMEWORKS[name].environment.get("KERAS_BACKEND"):
        peer(FRAMEWORKS[name].environment["KERAS_BACKEND"])
    if package == "keras":  # which cannot be imported without its backend
        from importlib.util import find_spec

        if find_spec("keras") is None:
            peer("keras")
    else:
        peer("mlx.core" if package == "mlx" else package)
    here = release(package)
    if here != recorded["version"] and os.environ.get("CI") != "true":
        pytest.skip(f"recorded with {package} {recorded['version']}, here is {here}")
    new = measured_apart(name)
    again = "\nmeasure again: python -m snippets.frameworks.measure"
    assert new["version"] == recorded["version"], f"{package}: was {recorded['version']}, is {here}{again}"
    found = changes(name, recorded["answers"], new["answers"])
    assert not found, "\n".join(found) + again


def test_a_changed_cell_is_told_with_the_old_and_the_new_answer():
    old = {"scale": "1/sqrt(d_k)", "causal": "first query at first key"}
    found = changes("JAX", old, {**old, "scale": "must be given"})
    assert found == ["JAX, scale: was '1/sqrt(d_k)', is 'must be given'"]
    assert changes("JAX", old, {"scale": "1/sqrt(d_k)"}) == [
        "JAX, causal: was 'first query at first key', is None"
    ]


def test_the_tables_of_the_page_are_those_of_the_record():
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, RECORDED) == page


def test_a_changed_record_changes_the_page():
    record = json.loads(json.dumps(RECORDED))
    record["MLX"]["answers"]["causal"] = "first query at first key"
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, record) != page


def test_a_family_is_told_by_its_name_where_all_of_it_gives_an_answer():
    both, linen = together(["JAX", "flax linen", "flax nnx"], list(FRAMEWORKS)), ["JAX", "flax linen"]
    assert both == ["JAX", "flax"]
    assert together(linen, list(FRAMEWORKS)) == linen


def test_pytorch_takes_is_causal_of_its_layer_as_a_hint_beside_a_mask():
    torch = peer("torch")
    layer, X = torch.nn.MultiheadAttention(4, 1), torch.zeros(3, 1, 4)
    with pytest.raises(RuntimeError, match="attn_mask"):
        layer(X, X, X, is_causal=True)


def test_each_question_is_on_the_page_or_told_in_its_words():
    shown = {question for columns in TABLES for question in columns}
    assert set(QUESTIONS) | {"layout"} == shown | {"numbers and scale"}
    told = {entry["answers"]["numbers and scale"] for entry in RECORDED.values()}
    assert told == {"added as it is", "no such argument"}


def test_the_record_holds_every_framework_and_the_versions_that_are_pinned():
    assert list(RECORDED) == list(FRAMEWORKS)
    pins = (ROOT / "requirements-ci.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([a-z]+)(?:\[\w+\])?==(\S+)$", pins, re.MULTILINE))
    assert [
        f"{entry['package']}: {entry['version']} is recorded, {pinned.get(entry['package'])} pinned"
        for entry in RECORDED.values()
        if entry["package"] != "attnref" and pinned.get(entry["package"]) != entry["version"]
    ] == []
