"""The maps that the viewer shows: whole, small enough to be served, and the survey's own."""

import json
import os
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
SNIPPETS = ROOT / "snippets" / "trained-heads"
MAPS = ROOT / "docs" / "assets" / "maps"
NAMES = ["minilm-en", "e5-en", "e5-es"]
MOST = 100_000  # bytes of a file

sys.path.append(str(SNIPPETS))  # as when one of its programs is run as a script
viewer = import_module("viewer")


def kept(name: str) -> dict:
    return json.loads((MAPS / f"{name}.json").read_text("utf-8"))


def maps(file: dict, sentence: int) -> np.ndarray:
    words = file["sentences"][sentence]["words"]
    flat = np.array(file["sentences"][sentence]["thousandths"])
    return flat.reshape(file["layers"] * file["heads"], len(words), len(words))


def test_there_is_a_file_for_each_network_and_language_and_no_other():
    assert sorted(path.stem for path in MAPS.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_small_enough_to_be_served(name):
    assert (MAPS / f"{name}.json").stat().st_size < MOST


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sentence", [0, 1])
def test_each_row_adds_up_to_a_thousand_but_for_rounding(name, sentence):
    found = maps(kept(name), sentence)
    assert abs(found.sum(axis=-1) - 1000).max() <= found.shape[-1] / 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sentence", [0, 1])
def test_the_row_of_the_word_that_asks_is_the_surveys(name, sentence):
    survey = json.loads((SNIPPETS / f"{name}.json").read_text("utf-8"))["sentences"][sentence]
    file = kept(name)
    assert file["sentences"][sentence]["words"] == survey["words"]
    row = maps(file, sentence)[:, survey["words"].index(survey["asks"])]
    assert abs(row - 1000 * np.array(survey["row"])).max() < 0.5 + 0.01  # the survey is rounded, too


def test_the_files_are_what_the_weights_give():
    try:
        found = dict(viewer.files())
    except (SystemExit, FileNotFoundError) as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))
    said = {name: viewer.differences(kept(name), file) for name, file in found.items()}
    assert said == {name: [] for name in NAMES}
    other = kept("e5-es")
    other["sentences"][1]["thousandths"][7] += 1
    assert len(viewer.differences(other, found["e5-es"])) == 1
    assert viewer.differences(other | {"sha256": "0"}, found["e5-es"])[0].startswith("sha256")
