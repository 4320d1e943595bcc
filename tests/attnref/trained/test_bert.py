"""The encoder against plain loops, and a folder of files as a model: both styles of names, both widths."""

import numpy as np
import pytest

from attnref import AttnRefError, EncoderParameters, MaskError, ShapeError, encoder, load_bert
from tests.attnref.tolerance import assert_close
from tests.attnref.trained import encoder_loops, tiny

SENTENCE = "I sat on the Sunken."
IDS = [2, 4, 5, 6, 7, 1, 11, 3]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return load_bert(tiny.folder(tmp_path_factory.mktemp("tiny")), dtype="float64")


@pytest.fixture
def ask(model):
    def ask(ids, **options):
        given = {"n_heads": tiny.N_HEADS, "eps": 0.01, **options}
        return encoder(ids, given.pop("parameters", model.parameters), **given)

    return ask


@pytest.mark.parametrize("segments", [[0] * 8, [0, 0, 0, 1, 1, 1, 1, 1]])
def test_the_encoder_equals_the_loops(ask, segments):
    output, maps = encoder_loops.encode(IDS, segments, tiny.tensors(), tiny.N_LAYERS, tiny.N_HEADS, 0.01)
    result = ask(IDS, segments=segments)
    assert_close(result.output, output, tol=1e-13)
    assert_close(result.weights, maps, tol=1e-13)


def test_a_sentence_is_cut_and_read(model, ask):
    found = model.maps(SENTENCE)
    assert found.tokens == ("[CLS]", "i", "sat", "on", "the", "[UNK]", ".", "[SEP]")
    assert_close(found.weights, ask(IDS).weights)


def test_a_batch_is_read_sentence_by_sentence(ask):
    batch = np.array([[[2, 4, 5], [2, 8, 3]], [[4, 4, 3], [9, 8, 7]], [[1, 2, 3], [4, 5, 6]]])
    result = ask(batch)
    assert result.weights.shape == (tiny.N_LAYERS, 3, 2, tiny.N_HEADS, 3, 3)
    assert_close(result.weights[:, 2, 1], ask(batch[2, 1]).weights, tol=1e-14)
    assert_close(result.output[2, 1], ask(batch[2, 1]).output, tol=1e-13)


def test_a_masked_token_changes_nothing_for_the_others(ask):
    mask = np.arange(5) < 3
    padded = ask([2, 8, 3, 9, 10], mask=mask)
    assert_close(padded.output[:3], ask([2, 8, 3]).output, tol=1e-13)
    assert_close(padded.weights[..., :3, :3], ask([2, 8, 3]).weights, tol=1e-13)


def test_the_order_of_the_tokens_matters_through_positions_alone(model, ask):
    flat = model.parameters._replace(positions=np.zeros((tiny.L_MAX, tiny.D_MODEL)))
    there, back = (ask(ids, parameters=flat).weights for ids in (IDS, IDS[::-1]))
    assert_close(back, there[..., ::-1, ::-1], tol=1e-13)
    assert np.abs(ask(IDS[::-1]).weights - ask(IDS).weights[..., ::-1, ::-1]).max() > 0.01


def test_no_layer_leaves_the_norm_of_the_sum(model, ask):
    result = ask(IDS, parameters=model.parameters._replace(blocks=[]))
    assert result.weights.shape == (0, tiny.N_HEADS, 8, 8)
    assert result.output.shape == (8, tiny.D_MODEL)


@pytest.mark.parametrize(
    ("ids", "options", "error", "words"),
    [
        ([2] * 14, {}, ShapeError, "ids has 14 tokens: the model has 13 positions"),
        ([2, 23], {}, ShapeError, "ids goes from 2 to 23: there are 23 words"),
        ([-1], {}, ShapeError, "ids goes from -1 to -1"),
        ([2, 3], {"segments": [0, 2]}, ShapeError, "segments goes from 0 to 2: there are 2"),
        ([2, 3], {"segments": [0]}, ShapeError, "segments has shape"),
        ([0.5], {}, MaskError, "ids has dtype float64"),
        ("bank", {}, MaskError, "ids has dtype"),
        (2, {}, ShapeError, "ids has no axis"),
        ([2], {"n_heads": 2}, ShapeError, "multiple of the number of heads"),
        ([2], {"eps": 0}, AttnRefError, "eps is 0"),
    ],
)
def test_what_does_not_fit_is_refused(ask, ids, options, error, words):
    with pytest.raises(error, match=words):
        ask(ids, **options)


def test_vectors_of_two_widths_are_refused(ask, model):
    narrow = EncoderParameters(**{**model.parameters._asdict(), "positions": np.zeros((13, 5))})
    with pytest.raises(ShapeError, match="positions has shape"):
        ask(IDS, parameters=narrow)
