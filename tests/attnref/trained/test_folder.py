"""A model's folder: both styles of names, both widths, and everything that can be wrong with it."""

import numpy as np
import pytest

from attnref import DtypeError, ModelError, ShapeError, load_bert
from attnref.trained._folder import hash_of
from tests.attnref.tolerance import assert_close
from tests.attnref.trained import tiny

SENTENCE = "I sat on the bank of the river."


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return load_bert(tiny.folder(tmp_path_factory.mktemp("usual"))).maps(SENTENCE).weights


def old(name: str) -> str:
    """A tensor's name as the first releases spelt it."""
    for new, before in (("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta")):
        name = name.replace(new, before)
    return "bert." + name


def without(name: str) -> dict[str, np.ndarray]:
    return {key: array for key, array in tiny.tensors().items() if key != name}


def test_the_old_names_of_tensors_mean_the_same(tmp_path, usual):
    arrays = {old(name): array for name, array in tiny.tensors().items()}
    assert "bert.encoder.layer.1.output.LayerNorm.gamma" in arrays
    assert_close(load_bert(tiny.folder(tmp_path, arrays)).maps(SENTENCE).weights, usual)


def test_what_stands_behind_the_encoder_is_left_out(tmp_path, usual):
    more = {
        "embeddings.position_ids": np.arange(13)[None],
        "pooler.dense.weight": np.ones((21, 21), np.float32),
        "cls.predictions.bias": np.ones(23, np.float32),
    }
    assert_close(load_bert(tiny.folder(tmp_path, tiny.tensors() | more)).maps(SENTENCE).weights, usual)


@pytest.mark.parametrize("stored", ["float16", "float64"])
def test_a_file_of_another_width_is_computed_in_the_width_asked_for(stored, tmp_path):
    arrays = {name: array.astype(stored) for name, array in tiny.tensors().items()}
    place = tiny.folder(tmp_path, arrays)
    single, double = load_bert(place).maps(SENTENCE), load_bert(place, dtype="float64").maps(SENTENCE)
    assert (single.weights.dtype, double.weights.dtype) == (np.float32, np.float64)
    assert_close(single.weights, double.weights.astype(np.float32))


def test_each_row_of_each_map_sums_to_one(usual):
    assert usual.shape == (tiny.N_LAYERS, tiny.N_HEADS, 11, 11)
    assert_close(usual.sum(axis=-1), np.ones(usual.shape[:-1], np.float32))


def test_an_empty_sentence_leaves_the_two_tokens_around_it(tmp_path):
    found = load_bert(tiny.folder(tmp_path)).maps(" \n")
    assert found.tokens == ("[CLS]", "[SEP]")
    assert found.weights.shape == (tiny.N_LAYERS, tiny.N_HEADS, 2, 2)


def test_a_sentence_with_more_tokens_than_positions_is_refused(tmp_path):
    model = load_bert(tiny.folder(tmp_path))
    assert len(model.maps("the " * 11).tokens) == 13
    with pytest.raises(ShapeError, match=r"begins 'the the .* has 14 tokens: the model has 13 positions"):
        model.maps("the " * 12)
    with pytest.raises(DtypeError, match="sentence is of type bytes"):
        model.maps(b"the")


CASED = [*tiny.VOCABULARY, "I", "Año"]


@pytest.mark.parametrize(
    ("told", "tokens"),
    [
        ({}, ["i", "ano", "[UNK]", "中", "bank"]),
        ({"do_lower_case": True, "strip_accents": False}, ["i", "año", "[UNK]", "中", "bank"]),
        ({"do_lower_case": False}, ["I", "Año", "[UNK]", "中", "bank"]),
        ({"do_lower_case": False, "strip_accents": True}, ["I", "[UNK]", "[UNK]", "中", "bank"]),
        ({"tokenize_chinese_chars": False}, ["i", "ano", "[UNK]", "[UNK]"]),
    ],
)
def test_the_folder_says_how_a_text_is_prepared(told, tokens, tmp_path):
    place = tiny.folder(tmp_path, tiny.tensors(), tiny.CONFIG | {"vocab_size": 25}, CASED, **told)
    arrays = tiny.tensors()
    arrays["embeddings.word_embeddings.weight"] = np.ones((25, tiny.D_MODEL), np.float32)
    (place / "model.safetensors").write_bytes(tiny.file_of(arrays))
    assert list(load_bert(place).pieces.cut("I Año 🏦 中bank").tokens)[1:-1] == tokens


FIRST = "encoder.layer.0.attention.self.query.weight"
WRONG_TENSORS = {
    "one is missing": (without(FIRST), f"the tensor {FIRST} is missing: a BERT of 2 layers needs it, of shape"),
    "the words are missing": (without("embeddings.word_embeddings.weight"), "is missing"),
    "one lies the other way": (
        tiny.tensors() | {"encoder.layer.1.output.dense.weight": np.ones((17, 21), np.float32)},
        r"has dtype float32 and shape \(17, 21\): it must hold floats of shape \(21, 17\)",
    ),
    "one holds integers": (tiny.tensors() | {FIRST: np.ones((21, 21), np.int64)}, "has dtype int64"),
    "a layer more than is told": (
        tiny.tensors() | {"encoder.layer.2.output.dense.bias": np.ones(21, np.float32)},
        "a BERT of 2 layers has no such tensor",
    ),
    "positions that are relative": (
        tiny.tensors() | {"encoder.layer.0.attention.self.distance_embedding.weight": np.ones((3, 7), np.float32)},
        "has no such tensor",
    ),
    "both styles at once": (
        tiny.tensors() | {old("embeddings.LayerNorm.bias"): np.ones(21, np.float32)},
        "embeddings.LayerNorm.bias stands in the file twice",
    ),
    "nothing": ({}, "is missing"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG_TENSORS)
def test_tensors_that_are_not_those_of_the_model_are_refused(kind, tmp_path):
    arrays, words = WRONG_TENSORS[kind]
    with pytest.raises(ModelError, match=words):
        load_bert(tiny.folder(tmp_path, arrays))


def setting(**changed):
    return {name: value for name, value in (tiny.CONFIG | changed).items() if value != "gone"}


WRONG_SETTINGS = {
    "another model": (setting(model_type="roberta"), "model_type 'roberta': attnref computes the encoder of 'bert'"),
    "no model at all": (setting(model_type="gone"), "model_type 'None'"),
    "another bend": (setting(hidden_act="gelu_new"), "has hidden_act 'gelu_new': attnref computes 'gelu'"),
    "relative positions": (setting(position_embedding_type="relative_key"), "has position_embedding_type"),
    "a decoder": (setting(is_decoder=True), "has is_decoder 'True'"),
    "no number of layers": (setting(num_hidden_layers="gone"), "has num_hidden_layers None: it is a count"),
    "a number that is a text": (setting(hidden_size="21"), "has hidden_size 21: it is a count"),
    "a number that is true": (setting(type_vocab_size=True), "has type_vocab_size True: it is a count"),
    "no heads": (setting(num_attention_heads=0), "has num_attention_heads 0"),
    "more than any memory": (setting(vocab_size=2**40), "has vocab_size"),
    "heads that do not divide": (setting(num_attention_heads=5), "each head takes equally many numbers"),
    "no eps": (setting(layer_norm_eps=0.0), "has layer_norm_eps 0.0"),
    "a list": ([1], "holds no object"),
    "more layers than there are": (setting(num_hidden_layers=3), "encoder.layer.2.* is missing"),
    "fewer words than are listed": (setting(vocab_size=19), "has 23 lines: it lists at most 19 pieces"),
    "another width": (setting(hidden_size=24), "it must hold floats of shape"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG_SETTINGS)
def test_settings_that_the_encoder_does_not_stand_for_are_refused(kind, tmp_path):
    config, words = WRONG_SETTINGS[kind]
    with pytest.raises(ModelError, match=words):
        load_bert(tiny.folder(tmp_path, config=config))


@pytest.mark.parametrize("name", ["config.json", "vocab.txt", "model.safetensors"])
def test_a_missing_file_is_named(name, tmp_path):
    (tiny.folder(tmp_path) / name).unlink()
    with pytest.raises(ModelError, match=name):
        load_bert(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.json", b"{", "cannot be parsed: it is to be JSON"),
        ("config.json", b"\xff\xfe{}", "is no UTF-8"),
        ("config.json", b"[" * 100_000, "cannot be parsed"),
        ("vocab.txt", b"\xff", "is no UTF-8"),
        ("vocab.txt", b"", r"has 1 lines and no \[UNK\]"),
        ("vocab.txt", b"[UNK]\n[CLS]\n", r"no \[SEP\]"),
        ("tokenizer_config.json", b'{"do_lower_case": "yes"}', "has do_lower_case yes"),
        ("tokenizer_config.json", b'{"do_lower_case": null}', "has do_lower_case None"),
    ],
)
def test_a_file_that_says_nothing_sensible_is_refused(name, content, words, tmp_path):
    (tiny.folder(tmp_path) / name).write_bytes(content)
    with pytest.raises(ModelError, match=words):
        load_bert(tmp_path)


def test_a_text_without_end_is_not_read(tmp_path):
    with open(tiny.folder(tmp_path) / "vocab.txt", "wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(ModelError, match="reads texts of at most"):
        load_bert(tmp_path)


def test_a_folder_that_is_none_and_a_width_that_is_none_are_refused(tmp_path):
    with pytest.raises(ModelError, match="is no folder"):
        load_bert(tmp_path / "none")
    with pytest.raises(ModelError, match="dtype is 'float16'"):
        load_bert(tiny.folder(tmp_path), dtype="float16")


def test_weights_that_were_changed_are_refused_by_their_hash(tmp_path):
    place = tiny.folder(tmp_path)
    right = hash_of(place / "model.safetensors")
    load_bert(place, digest=right)
    (place / "model.safetensors").write_bytes(tiny.file_of(tiny.tensors(seed=1)))
    with pytest.raises(ModelError, match=f"it must be {right}"):
        load_bert(place, digest=right)


def test_a_vocabulary_with_the_line_ends_of_another_system_is_the_same(tmp_path, usual):
    path = tiny.folder(tmp_path) / "vocab.txt"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert_close(load_bert(tmp_path).maps(SENTENCE).weights, usual)


def test_printing_a_model_does_not_print_its_numbers(tmp_path):
    assert repr(load_bert(tiny.folder(tmp_path))) == "<Bert: 2 layers of 3 heads, <WordPiece: 23 pieces>>"
