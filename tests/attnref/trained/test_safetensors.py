"""The reader of safetensors files: right ones to the last bit, wrong ones refused with the reason."""

import json
import re

import numpy as np
import pytest

from attnref import ModelError, read_safetensors
from tests.attnref.peers import peer
from tests.attnref.tolerance import assert_close
from tests.attnref.trained.tiny import CODES, file_of, framed

FLOATS = {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}
ENTRY = json.dumps(FLOATS).encode()
TWELVE = bytes(12)


@pytest.fixture
def file(tmp_path):
    def write(content: bytes):
        (tmp_path / "model.safetensors").write_bytes(content)
        return tmp_path / "model.safetensors"

    return write


def of(numbers: bytes = TWELVE, **header) -> bytes:
    return framed(json.dumps(header).encode(), numbers)


def test_tensors_of_every_dtype_are_read_to_the_bit(file):
    rng = np.random.default_rng(0)
    arrays = {name: rng.normal(scale=9, size=(3, 5)).astype(name) for name in CODES}
    arrays |= {"scalar": np.float32(7).reshape(()), "nothing": np.empty((0, 7), np.float64)}
    read = read_safetensors(file(file_of(arrays, __metadata__={"format": "pt"})))
    assert list(read) == list(arrays)
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        assert read[name].shape == array.shape
        assert read[name].tobytes() == array.tobytes()
        assert not read[name].flags.writeable


def test_a_brain_float_is_the_upper_half_of_a_float(file):
    exact = np.array([1.5, -2.0, 0.0, np.inf, 2.0**-130], np.float32)
    halves = (exact.view("<u4") >> 16).astype("<u2").tobytes()
    read = read_safetensors(file(of(halves, x={"dtype": "BF16", "shape": [5], "data_offsets": [0, 10]})))
    assert read["x"].dtype == np.float32
    assert not read["x"].flags.writeable
    assert_close(read["x"], exact)


def test_a_header_may_be_padded_and_its_names_in_any_order(file):
    late = {"dtype": "U8", "shape": [4], "data_offsets": [8, 12]}
    early = {"dtype": "I32", "shape": [2], "data_offsets": [0, 8]}
    header = json.dumps({"late": late, "early": early}).encode() + b"    "
    read = read_safetensors(file(framed(header, bytes(range(12)))))
    assert read["late"].tolist() == [8, 9, 10, 11]
    assert read["early"].tolist() == [0x03020100, 0x07060504]


def test_a_file_without_tensors_is_read(file):
    assert read_safetensors(file(framed(b"{}"))) == {}


HUGE = (2**63).to_bytes(8, "little")
NESTED = b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
WRONG = {
    "nothing at all": (b"", "has 0 bytes"),
    "a length that is cut": (b"\x02\0\0", "has 3 bytes"),
    "a header that is cut": (framed(b'{"x":1}')[:-3], "claims a header of 7 bytes, of 4 that follow"),
    "a header longer than any": (HUGE + b"{}", "claims a header of 9223372036854775808 bytes"),
    "no brace": (framed(b' {"x":1}'), "does not begin with a brace"),
    "no JSON": (framed(b'{"x":'), "no JSON"),
    "no UTF-8": (framed(b'{"\xff":1}'), "no JSON"),
    "an endless nest": (framed(NESTED), "no JSON"),
    "an endless number": (framed(b'{"x":' + b"9" * 5000 + b"}"), "no JSON"),
    "a NaN": (framed(b'{"x":NaN}'), "the header holds NaN"),
    "a name twice": (framed(b'{"x":%b,"x":%b}' % (ENTRY, ENTRY), TWELVE), "the name 'x' comes twice"),
    "notes of numbers": (of(x=FLOATS, __metadata__={"format": 3}), "notes in its header"),
    "notes of a list": (of(x=FLOATS, __metadata__=[]), "notes in its header"),
    "no entry": (of(x=[1]), "does not describe 'x'"),
    "no dtype": (of(x={"shape": [3], "data_offsets": [0, 12]}), "does not describe 'x'"),
    "more than is known": (of(x=FLOATS | {"load": "os"}), "does not describe 'x'"),
    "a dtype of eight bits": (of(x=FLOATS | {"dtype": "F8_E4M3", "shape": [12]}), "the dtype 'F8_E4M3': attnref reads"),
    "a dtype that is a list": (of(x=FLOATS | {"dtype": ["F32"]}), "has the dtype"),
    "a negative length": (of(x=FLOATS | {"shape": [-3]}), "no list of at most"),
    "a length of True": (of(x=FLOATS | {"shape": [True]}), "no list of at most"),
    "a length of a half": (of(x=FLOATS | {"shape": [3.0]}), "no list of at most"),
    "a shape that is a number": (of(x=FLOATS | {"shape": 3}), "no list of at most"),
    "axes without end": (of(x=FLOATS | {"shape": [1] * 99}), "no list of at most"),
    "a product that runs over": (of(x=FLOATS | {"shape": [2**62, 4, 3]}), "where 221360928884514619392 are needed"),
    "one place": (of(x=FLOATS | {"data_offsets": [12]}), "gives 'x' no place"),
    "places turned around": (of(x=FLOATS | {"data_offsets": [12, 0]}), "gives 'x' no place"),
    "a negative place": (of(x=FLOATS | {"data_offsets": [-12, 0]}), "gives 'x' no place"),
    "too few bytes": (of(x=FLOATS | {"data_offsets": [0, 8]}), "8 bytes where 12 are needed"),
    "an overlap": (of(bytes(20), x=FLOATS, y=FLOATS | {"data_offsets": [8, 20]}), "begin at byte 8, .* ends at 12"),
    "the same place twice": (of(x=FLOATS, y=FLOATS), "begin at byte 0, .* ends at 12"),
    "a gap": (of(bytes(25), x=FLOATS, y=FLOATS | {"data_offsets": [13, 25]}), "begin at byte 13, .* ends at 12"),
    "a gap at the front": (of(bytes(16), x=FLOATS | {"data_offsets": [4, 16]}), "begin at byte 4"),
    "numbers that are cut": (of(bytes(11), x=FLOATS), "holds 11 bytes of numbers where its header counts 12"),
    "bytes left over": (of(bytes(13), x=FLOATS), "holds 13 bytes of numbers where its header counts 12"),
    "numbers of no tensor": (framed(b"{}", b"1"), "holds 1 bytes of numbers where its header counts 0"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_a_file_that_is_not_whole_is_refused_with_the_reason(kind, file):
    content, words = WRONG[kind]
    with pytest.raises(ModelError, match=words) as told:
        read_safetensors(file(content))
    assert len(str(told.value)) < 500


def test_every_cut_of_a_right_file_is_refused(file):
    whole = of(x=FLOATS)
    for length in range(len(whole)):
        with pytest.raises(ModelError):
            read_safetensors(file(whole[:length]))
    assert read_safetensors(file(whole))["x"].tolist() == [0, 0, 0]


def test_a_byte_changed_anywhere_ends_in_tensors_or_in_a_model_error(file):
    whole = bytearray(file_of({"x": np.ones((3, 2), np.float32), "y": np.ones(5, np.int64)}))
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(500):
        damaged = bytearray(whole)
        for _ in range(rng.integers(1, 4)):
            damaged[rng.integers(len(whole))] = rng.integers(256)
        try:
            read_safetensors(file(bytes(damaged)))
        except ModelError:
            refused += 1
    assert 100 < refused < 500


def test_a_file_with_another_hash_is_refused_and_one_with_that_hash_is_read(file):
    import hashlib

    path = file(of(x=FLOATS))
    right = hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_safetensors(path, digest=right.upper())["x"].tolist() == [0, 0, 0]
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    with pytest.raises(ModelError, match=re.escape(f"it must be {right}")):
        read_safetensors(path, digest=right)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path):
    with pytest.raises(ModelError, match="it cannot be read"):
        read_safetensors(tmp_path / "none")
    with pytest.raises(ModelError, match="it cannot be read"):
        read_safetensors(tmp_path)


def test_the_package_safetensors_reads_the_same_and_refuses_the_same(file):
    theirs = peer("safetensors.numpy")
    arrays = {"x": np.random.default_rng(3).normal(size=(7, 3)), "y": np.arange(5)}
    path = file(theirs.save(arrays, metadata={"of": "test"}))
    ours = read_safetensors(path)
    assert {name: array.tobytes() for name, array in ours.items()} == {
        k: v.tobytes() for k, v in arrays.items()
    }
    refused = {}
    for kind, (content, _) in WRONG.items():
        try:
            theirs.load(content)
        except Exception as error:
            refused[kind] = type(error).__name__
    # The package takes the last of two entries, and ignores what it does not know in one.
    assert set(WRONG) - set(refused) == {"a name twice", "more than is known"}
