"""The encoder against transformers' eager attention: a model of random numbers, and the published one."""

import numpy as np
import pytest

from attnref import load_bert
from tests.attnref.peers import peer
from tests.attnref.tolerance import assert_close
from tests.attnref.trained import tiny
from tests.attnref.trained.published import DIGEST, minilm

SENTENCES = [
    "I sat on the bank of the river.",
    "I put the money in the bank.",
    "Me senté en el banco del río; ¿y tú? 🏦",
    "",
    "Antidisestablishmentarianism isn't unbelievable: " + "so on and so forth, " * 80,
]


def peer_model(folder, dtype):
    """A function from the numbers of tokens to the weights that transformers finds in every head."""
    torch, transformers = peer("torch"), peer("transformers")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    model = transformers.BertModel.from_pretrained(
        folder, attn_implementation="eager", add_pooling_layer=False, dtype=getattr(torch, dtype)
    ).eval()

    def weights(ids):
        with torch.no_grad():
            found = model(torch.tensor([ids]), output_attentions=True).attentions
        return np.stack([layer[0].numpy() for layer in found])

    return weights


@pytest.mark.parametrize(("dtype", "tol"), [("float64", 1e-13), ("float32", 1e-5)])
def test_a_random_model_gives_what_transformers_gives(dtype, tol, tmp_path):
    theirs = peer_model(tiny.folder(tmp_path), dtype)
    model = load_bert(tmp_path, dtype=dtype)
    found = model.maps("I sat on the sunflower.").weights
    expected = theirs(model.pieces.cut("I sat on the sunflower.").ids)
    assert found.dtype == expected.dtype
    assert_close(found, expected, tol=tol)


@pytest.mark.parametrize(("dtype", "tol"), [("float64", 1e-12), ("float32", 1e-5)])
def test_the_published_model_gives_what_transformers_gives(dtype, tol):
    theirs = peer_model(minilm(), dtype)
    model = load_bert(minilm(), dtype=dtype, digest=DIGEST)
    for sentence in SENTENCES:
        assert_close(model.maps(sentence).weights, theirs(model.pieces.cut(sentence).ids), tol=tol)
