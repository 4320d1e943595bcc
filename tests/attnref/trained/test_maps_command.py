"""`python -m attnref maps`: tables, counts, JSON, and what cannot be read."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attnref import load_bert
from attnref.diagnosis._command import main
from tests.attnref.tolerance import assert_close
from tests.attnref.trained import tiny
from tests.attnref.trained.published import DIGEST, minilm

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path) -> str:
    return str(tiny.folder(tmp_path / "tiny"))


@pytest.fixture
def written(tmp_path):
    def write(text: str | bytes) -> str:
        path = tmp_path / "sentences.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def maps(*arguments: str) -> int:
    return main(["maps", "--model-dir", *arguments])


def test_each_head_of_each_sentence_has_its_line(folder, written, capsys):
    assert maps(folder, "--sentences", written("I sat.\n\n  The bank, the river!  \n")) == 0
    parts = capsys.readouterr().out.split("\n\n")
    assert [part.splitlines()[0] for part in parts] == ["I sat.", "The bank, the river!"]
    assert parts[1].splitlines()[1] == "  [CLS] the bank , the river ! [SEP]"
    names = [line.split()[0] for line in parts[1].splitlines()[3:]]
    assert names == ["L1H1", "L1H2", "L1H3", "L2H1", "L2H2", "L2H3"]


def test_the_means_and_the_strongest_look_are_those_of_the_weights(folder, written, capsys):
    assert maps(folder, "--sentences", written("I sat on.")) == 0
    line = capsys.readouterr().out.splitlines()[3 + 4]  # the second head of the second layer
    weights = load_bert(folder).maps("I sat on.").weights[1, 1].astype(float)
    name, *means, asks, _, asked, strongest = line.split()
    assert name == "L2H2"
    own = weights[1:4, 1:4]
    marks = weights[1:4, [0, 4, 5]].sum(axis=-1)
    expected = [np.diag(own, -1).mean(), np.diag(own, 1).mean(), np.diag(own).mean(), marks.mean()]
    assert_close(np.array(means, float), expected, tol=6e-4)
    away = np.where(np.eye(3, dtype=bool), 0, own)
    row, column = np.unravel_index(away.argmax(), (3, 3))
    assert (asks, asked) == (["i", "sat", "on"][row], ["i", "sat", "on"][column])
    assert_close(float(strongest), away.max(), tol=6e-4)


@pytest.mark.parametrize(("text", "words"), [("bank", "–      –"), ("!?", "no words")])
def test_a_sentence_of_one_word_or_none_has_no_neighbours(text, words, folder, written, capsys):
    assert maps(folder, "--sentences", written(text)) == 0
    assert words in capsys.readouterr().out


def test_the_row_of_a_word_is_counted_head_by_head(folder, written, capsys):
    assert maps(folder, "--sentences", written("The bank of the river."), "--word", "bank") == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert sum(int(line.split()[0]) for line in lines[:-1]) == 6
    listed = [name for line in lines for name in re.findall(r"L\dH\d", line)]
    assert sorted(listed) == ["L1H1", "L1H2", "L1H3", "L2H1", "L2H2", "L2H3"]


def test_json_holds_every_weight(folder, written, capsys):
    assert maps(folder, "--sentences", written("Sunflower 🌻 año."), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    expected = load_bert(folder).maps("Sunflower 🌻 año.")
    assert (found["layers"], found["heads"], len(found["sha256"])) == (2, 3, 64)
    [sentence] = found["sentences"]
    assert tuple(sentence["tokens"]) == expected.tokens
    assert sentence["words"] == ["[CLS]", "sunflower", "🌻", "ano", ".", "[SEP]"]
    assert sentence["spans"] == [[0, 1], [1, 4], [4, 5], [5, 6], [6, 7], [7, 8]]
    assert_close(np.array(sentence["weights"], np.float32), expected.weights, tol=1e-5)


def test_sentences_come_from_the_terminal_too(folder):
    done = subprocess.run(
        [sys.executable, "-m", "attnref", "maps", "--model-dir", folder, "--sentences", "-"], cwd=ROOT, input="The río",
        capture_output=True, encoding="utf-8", check=False, env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == "  [CLS] the [UNK] [SEP]"


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", (), "holds no sentence"),
        (" \n\t\n", (), "holds no sentence"),
        (b"\xff", (), "is no UTF-8"),
        ("the " * 500, (), "has 502 tokens: the model has 13 positions"),
        (
            "the bank",
            ("--word", "Bank"),
            "it must be one of the words as the model reads them: [CLS] the bank [SEP]",
        ),
        ("the bank", ("--sha256", "0" * 64), "it must be 0000"),
    ],
)
def test_what_cannot_be_done_is_told_with_exit_code_two(text, options, words, folder, written, capsys):
    assert maps(folder, "--sentences", written(text), *options) == 2
    told = capsys.readouterr().err
    assert told.startswith("attnref: ")
    assert words in told


def test_a_missing_model_and_a_missing_file_are_told(folder, tmp_path, capsys):
    assert maps(str(tmp_path / "none")) == 2
    assert maps(str(tmp_path)) == 2
    assert maps(folder, "--sentences", str(tmp_path / "none.txt")) == 2
    first, second, third = capsys.readouterr().err.splitlines()
    assert "none is no folder" in first
    assert "config.json: No such file" in second
    assert "none.txt: No such file" in third


def test_the_published_model_is_shown_by_default_with_the_two_sentences_of_the_lesson(capsys):
    assert maps(str(minilm()), "--sha256", DIGEST, "--word", "bank") == 0
    told = capsys.readouterr().out
    assert "river: L1H5, L1H11, L6H7" in told
    assert "money: L1H1" in told
    assert re.findall(r"(\d+)  any mark", told) == ["61", "63"]
