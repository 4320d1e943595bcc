"""Read the tensors of a `.safetensors` file: a header of JSON and numbers behind it, and nothing that runs.

The header is a stranger's: each claim in it is checked before a number is read.
"""

import hashlib
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
import numpy.typing as npt

from attnref._errors import ModelError
from attnref._validate import refuse

Tensor = npt.NDArray[Any]

LONGEST_HEADER = 100_000_000  # bytes, the format's own limit
MOST_AXES = 8
DTYPES = {
    "BOOL": "|b1", "U8": "|u1", "I8": "|i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
    "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2",
}  # fmt: skip
AGAIN = "Fetch the file again and compare its hash with the publisher's"


def read_safetensors(path: str | os.PathLike[str], *, digest: str | None = None) -> dict[str, Tensor]:
    """Read every tensor of a file in the safetensors format.

    Parameters
    ----------
    path
        The file.
    digest
        The hash that the file must have: the sixty-four hexadecimal digits that its publisher states. None:
        any file that is whole.

    Returns
    -------
    dict
        Name -> array, in the order of the header. The arrays cannot be written to. The half of a
        `float32` that NumPy lacks a dtype for, the brain float, comes as `float32`, all others as they are.

    Raises
    ------
    ModelError
        If there is no such file, if it has another hash, or if anything about it is not as the format
        demands: a header that is cut, too long or no object of JSON, a name that comes twice, an unknown
        dtype, a shape that does not agree with the place of its numbers, tensors that overlap, gaps between
        them, bytes missing or left over.

    Notes
    -----
    Cost: the file is read once, and hashed if a hash is given.

    Differs from the package of the same name in that it never maps the file into memory: what was checked is
    what is used.

    Source: the format's own description, part of the package `safetensors`.

    Examples
    --------
    A file with one tensor of two numbers:

    >>> import pathlib, tempfile
    >>> header = b'{"pair": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}'
    >>> numbers = np.array([3, 5], dtype="<f4").tobytes()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "pair.safetensors")
    ...     _ = file.write_bytes(len(header).to_bytes(8, "little") + header + numbers)
    ...     print(read_safetensors(file)["pair"])
    [3. 5.]
    """
    try:
        with open(path, "rb") as file:
            start, header = _header(file, os.fspath(path))
            entries = {name: _entry(name, entry, os.fspath(path)) for name, entry in header.items()}
            _cover(entries, os.fstat(file.fileno()).st_size - 8 - len(start), os.fspath(path))
            numbers = file.read()
    except OSError as error:
        refuse(ModelError, f"{os.fspath(path)}: {error.strerror}", "it cannot be read", "Check the path")
    if digest is not None:
        found = hashlib.sha256(len(start).to_bytes(8, "little") + start)
        found.update(numbers)
        if found.hexdigest() != digest.lower():
            given = f"{os.fspath(path)} has the sha256 {found.hexdigest()}"
            refuse(ModelError, given, f"it must be {digest.lower()}", AGAIN)
    if len(numbers) != sum(end - begin for *_, begin, end in entries.values()):
        _damaged(os.fspath(path), "changed while it was read")
    return {name: _array(entry, numbers) for name, entry in entries.items()}


Entry = tuple[str, tuple[int, ...], int, int]


def _damaged(path: str, what: str) -> NoReturn:
    refuse(ModelError, f"{Path(path).name} {what}", "that is no whole safetensors file", AGAIN)


def _header(file: BinaryIO, path: str) -> tuple[bytes, dict[str, Any]]:
    """The bytes of the header and what it says of each tensor."""
    size = os.fstat(file.fileno()).st_size
    if size < 8:
        _damaged(path, f"has {size} bytes; a header's length alone takes 8")
    length = int.from_bytes(file.read(8), "little")
    if length > min(size - 8, LONGEST_HEADER):
        _damaged(path, f"claims a header of {length} bytes, of {size - 8} that follow")
    text = file.read(length)
    if text[:1] != b"{":
        _damaged(path, "has a header that does not begin with a brace")
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except ModelError:
        raise
    except (ValueError, RecursionError) as error:
        _damaged(path, f"has a header that is no JSON ({type(error).__name__}: {str(error)[:80]})")
    notes = header.pop("__metadata__", {})
    if not (isinstance(notes, dict) and all(isinstance(note, str) for note in notes.values())):
        _damaged(path, "has notes in its header that are no texts")
    return text, header


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON in which no name comes twice."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            refuse(ModelError, f"the name {name[:80]!r} comes twice", "a name is given once", AGAIN)
        found[name] = value
    return found


def _no_constant(word: str) -> NoReturn:
    refuse(ModelError, f"the header holds {word}", "that is no number of JSON", AGAIN)


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _counts(value: object, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(_count(n) for n in value)


def _entry(name: str, entry: Any, path: str) -> Entry:
    """What the header says of one tensor: dtype, shape, first byte, byte behind the last."""
    short = repr(name[:80])
    if not (isinstance(entry, dict) and entry.keys() == {"dtype", "shape", "data_offsets"}):
        _damaged(path, f"does not describe {short} by dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (isinstance(dtype, str) and dtype in DTYPES):
        rule = "attnref reads " + ", ".join(DTYPES)
        refuse(ModelError, f"{short} has the dtype {str(dtype)[:20]!r}", rule, "Convert it to F32 first")
    if not _counts(shape, MOST_AXES):
        _damaged(path, f"gives {short} a shape that is no list of at most {MOST_AXES} lengths")
    if not (_counts(offsets, 2) and len(offsets) == 2 and offsets[0] <= offsets[1]):
        _damaged(path, f"gives {short} no place: data_offsets is a pair (first byte, byte behind the last)")
    needed = math.prod(shape) * np.dtype(DTYPES[dtype]).itemsize
    if offsets[1] - offsets[0] != needed:
        given = f"gives {short}, {dtype} of shape {tuple(shape)}, {offsets[1] - offsets[0]} bytes"
        _damaged(path, f"{given} where {needed} are needed")
    return dtype, tuple(shape), offsets[0], offsets[1]


def _cover(entries: dict[str, Entry], size: int, path: str) -> None:
    """Each byte behind the header belongs to one tensor."""
    reached = 0
    for name, (_, _, begin, end) in sorted(entries.items(), key=lambda item: item[1][2:]):
        if begin != reached:
            _damaged(path, f"has {name[:80]!r} begin at byte {begin}, where the one before ends at {reached}")
        reached = end
    if reached != size:
        _damaged(path, f"holds {size} bytes of numbers where its header counts {reached}")


def _array(entry: Entry, numbers: bytes) -> Tensor:
    dtype, shape, begin, end = entry
    flat = np.frombuffer(numbers[begin:end] if begin % 8 else memoryview(numbers)[begin:end], DTYPES[dtype])
    if dtype == "BF16":  # the upper half of a float32
        flat = (flat.astype("<u4") << 16).view("<f4")
    array = flat.reshape(shape)
    array.flags.writeable = False
    return array
