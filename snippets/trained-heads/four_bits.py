"""Read `e5-small-q4.bin`: a trained encoder whose matrices are kept in four bits a number.

The file, all numbers little-endian:

    E5S1, version            4 letters, uint32
    sizes                    d_model, layers, heads, d_hidden, rows of the embedding, positions, types (int32),
                             eps of the norms (float32), numbers in a block (int32)
    pieces                   how many, ids of <s> </s> <pad> <unk> (int32), bytes of their texts (uint64),
                             where each text begins, and the end (uint32), a score for each (float32), the texts
    replacements             how many (int32), their bytes (uint32); for each: a character (uint32),
                             the length of what replaces it (uint8), the characters of it (uint32)
    tensors                  how many (int32); for each: length of the name (uint16), the name,
                             0 for float32 or 1 for four bits (uint8), numbers (uint32), place, bytes (uint64)

A matrix in four bits lies row by row in blocks of 32 numbers. A block is a step (float16) and 16 bytes; byte j holds
number j in its low half and number j + 16 in its high half, each as a whole number c from 0 to 15. The number meant is
step × (c − 8).
"""

import struct
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

BLOCK = np.dtype([("step", "<f2"), ("codes", "u1", 16)])
IN_BLOCK = 32
FLOAT, FOUR_BITS = 0, 1


class Sizes(NamedTuple):
    """How large the model is, and the small number its norms add before they take a root."""

    d_model: int
    layers: int
    heads: int
    d_hidden: int
    rows: int
    positions: int
    types: int
    eps: float


class Tensor(NamedTuple):
    """Where an array of the file lies."""

    kind: int
    numbers: int
    place: int
    length: int


class Model(NamedTuple):
    """What the file holds. Arrays are made from `content` when they are asked for."""

    content: bytes
    sizes: Sizes
    pieces: list[str]
    scores: np.ndarray
    replacements: dict[str, str]
    tensors: dict[str, Tensor]

    def array(self, name: str, columns: int | None = None, rows: Any = slice(None)) -> np.ndarray:
        """An array by its name, as float32; with `columns` a matrix, of which `rows` are read."""
        if name not in self.tensors:
            raise ValueError(f"the file holds no {name}: is it a whole e5-small-q4.bin?")
        kind, numbers, place, _ = self.tensors[name]
        shape = (-1, columns) if columns else (-1,)
        if kind == FLOAT:
            return np.frombuffer(self.content, "<f4", numbers, place).reshape(shape)[rows]
        blocks = np.frombuffer(self.content, BLOCK, numbers // IN_BLOCK, place)
        return numbers_of(blocks.reshape(-1, columns // IN_BLOCK)[rows])


def numbers_of(blocks: np.ndarray) -> np.ndarray:
    """The numbers that rows of blocks stand for: blocks `(rows, n)`, result `(rows, 32 n)`."""
    codes = blocks["codes"]  # (rows, n, 16)
    wide = np.concatenate([codes & 15, codes >> 4], axis=-1)  # (rows, n, 32)
    steps = blocks["step"].astype(np.float32)[..., None]  # (rows, n, 1)
    return (steps * (wide.astype(np.float32) - 8)).reshape(len(blocks), -1)


class Cursor:
    """Takes one thing after another from the file, and says so where it ends too early."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        """The next values, laid out as `struct` writes it."""
        return struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))

    def bytes(self, length: int) -> bytes:
        """The next so many bytes."""
        end = self.place + length
        if not self.place <= end <= len(self.content):
            raise ValueError(
                f"the file has {len(self.content)} bytes and should go on to {end}: "
                "it was cut off, or is no e5-small-q4.bin"
            )
        taken, self.place = self.content[self.place : end], end
        return taken

    def array(self, dtype: str, length: int) -> np.ndarray:
        """The next so many numbers."""
        return np.frombuffer(self.bytes(length * np.dtype(dtype).itemsize), dtype)


def read(path: Path) -> Model:
    """Read the file, or say what is wrong with it."""
    content = Path(path).read_bytes()
    cursor = Cursor(content)
    magic, version = cursor.take("4sI")
    if (magic, version) != (b"E5S1", 1):
        raise ValueError(f"the file begins with {magic!r}, version {version}, not with b'E5S1', version 1")
    *whole, eps, in_block = cursor.take("7ifi")
    if min(whole) < 1 or whole[0] % whole[2] or in_block != IN_BLOCK:
        raise ValueError(f"sizes {whole} and blocks of {in_block} fit no encoder with blocks of {IN_BLOCK}")
    n_pieces, *_, text_length = cursor.take("5iQ")
    ends = cursor.array("<u4", n_pieces + 1).tolist()
    scores = cursor.array("<f4", n_pieces)
    texts = cursor.bytes(text_length)
    pieces = [texts[start:end].decode() for start, end in pairwise(ends)]
    replacements = _replacements(cursor)
    model = Model(content, Sizes(*whole, eps), pieces, scores, replacements, _directory(cursor))
    _check(model)
    return model


def _replacements(cursor: Cursor) -> dict[str, str]:
    count, _ = cursor.take("iI")
    found = {}
    for _ in range(count):
        character, length = cursor.take("IB")
        found[chr(character)] = "".join(map(chr, cursor.take(f"{length}I")))
    return found


def _directory(cursor: Cursor) -> dict[str, Tensor]:
    (count,) = cursor.take("i")
    found = {}
    for _ in range(count):
        (length,) = cursor.take("H")
        name = cursor.bytes(length).decode()
        found[name] = Tensor(*cursor.take("BIQQ"))
    return found


def _check(model: Model) -> None:
    """Each array lies within the file and has the bytes that its numbers need."""
    for name, (kind, numbers, place, length) in model.tensors.items():
        needed = numbers * 4 if kind == FLOAT else numbers // IN_BLOCK * BLOCK.itemsize
        if kind not in (FLOAT, FOUR_BITS) or length != needed or numbers % IN_BLOCK:
            raise ValueError(f"{name} has {length} bytes for {numbers} numbers of kind {kind}, not {needed}")
        if place + length > len(model.content):
            raise ValueError(
                f"{name} ends at byte {place + length}, the file at {len(model.content)}: it was cut off"
            )
