"""The reader of the encoder in four bits: its file, its pieces, and what it makes of both."""

import struct
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "snippets" / "trained-heads"
sys.path.append(str(FOLDER))  # as when one of its programs is run as a script
four_bits, pieces = import_module("four_bits"), import_module("pieces")

TOY = {"▁": -9.0, "a": -8.0, "b": -8.5, "▁a": -4.0, "ab": -3.0, "▁ab": -6.5, "bb": -5.0, "abb": -9.5}


def toy_vocabulary(**replacements: str) -> "pieces.Pieces":
    return pieces.Pieces(["<s>", "<unk>", *TOY], [0.0, 0.0, *TOY.values()], replacements, unknown=1)


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
    with pytest.raises(ValueError, match="holds no l0[.]q[.]w"):
        read(toy_file(), tmp_path).array("l0.q.w", 32)


def test_an_array_with_too_few_bytes_is_named(tmp_path):
    wrong = toy_file().replace(struct.pack("<BI", 1, 32), struct.pack("<BI", 1, 64))
    with pytest.raises(ValueError, match="matrix has 18 bytes for 64 numbers"):
        read(wrong, tmp_path)


# ---- pieces ----


def test_the_cut_has_the_highest_total_of_all_cuts():
    vocabulary = toy_vocabulary()
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
    assert vocabulary.cut(word) == best == ["▁ab", "ab", "bb"]


def test_a_space_of_any_kind_starts_a_word_and_two_start_one():
    vocabulary = toy_vocabulary(**{"\t": " ", "\xa0": " "})
    assert vocabulary.words(" ab \t b\xa0a ") == ["▁ab", "▁b", "▁a"]


def test_an_accent_behind_its_letter_is_one_character_with_it():
    assert toy_vocabulary().words("sente\u0301") == ["▁senté"]


def test_unknown_neighbours_are_one_piece_with_the_number_of_the_unknown():
    vocabulary = toy_vocabulary()
    assert vocabulary.cut("▁abxyab") == ["▁ab", "xy", "ab"]
    assert vocabulary.id("xy") == 1


def test_a_mark_that_is_written_out_is_no_mark():
    vocabulary = toy_vocabulary()
    assert [vocabulary.id(piece) for piece in vocabulary.cut("▁<s>")] == [2, 1]


def test_an_empty_text_has_no_words():
    assert toy_vocabulary().words("") == toy_vocabulary().words("  ") == []
