"""What a head hands over: weighted and added up, it is what the layer's heads add to each word."""

import json
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from attnref import load_bert
from tests.attnref.tolerance import assert_close
from tests.attnref.trained import tiny
from tests.attnref.trained.published import minilm

FOLDER = Path(__file__).parents[2] / "snippets" / "trained-heads"
sys.path.append(str(FOLDER))  # as when one of its programs is run as a script
handed, records, survey = (import_module(name) for name in ("handed", "records", "survey"))

SENTENCE = "I sat on the bank."


def small(tmp_path):
    return load_bert(tiny.folder(tmp_path), dtype="float64")


def test_what_is_handed_over_adds_up_to_the_output_of_the_heads(tmp_path):
    layers = list(handed.handed(small(tmp_path), SENTENCE))
    assert len(layers) == tiny.N_LAYERS
    for weights, vectors, output in layers:
        assert weights.shape == (tiny.N_HEADS, 8, 8)
        assert vectors.shape == (tiny.N_HEADS, 8, tiny.D_MODEL)
        assert_close(np.einsum("hij,hjd->id", weights, vectors), output)


def test_the_weights_are_those_of_the_maps(tmp_path):
    model = small(tmp_path)
    found = np.stack([weights for weights, _, _ in handed.handed(model, SENTENCE)])
    assert_close(found, model.maps(SENTENCE).weights)


def test_a_word_of_several_pieces_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(survey, "ENGLISH", [survey.Question("sunflower", "sunflower", "sunflower")])
    with pytest.raises(ValueError, match="several pieces"):
        handed.record(small(tmp_path))


def test_the_committed_lengths_are_what_the_weights_give():
    kept = json.loads((FOLDER / "minilm-handed.json").read_text("utf-8"))
    found = handed.record(load_bert(minilm(), digest=survey.MINILM["sha256"]))
    assert records.differences(kept, found) == []
    kept["sentences"][0]["lengths"][7][2] += 2 * records.TOLERANCE
    assert len(records.differences(kept, found)) == 1
