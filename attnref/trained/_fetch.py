"""Fetch a published model: a pinned revision, four files by name, each checked by its hash; nothing that runs.

The hub's own package does the fetching, and goes on where an interrupted download stopped.
"""

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from attnref._errors import ModelError
from attnref._validate import refuse
from attnref.trained._config import object_of
from attnref.trained._folder import hash_of

KEPT = "attnref-hashes.json"  # in the model's folder: what each file's hash was when it was fetched first


class Pinned(NamedTuple):
    """One edition of a published model."""

    repository: str
    revision: str
    licence: str
    files: dict[str, str | None]  # name -> hash; None where no publisher states it: then the first one counts


PINNED = {
    "all-MiniLM-L6-v2": Pinned(
        "sentence-transformers/all-MiniLM-L6-v2",
        "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        "Apache-2.0",
        {
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        },
    ),
    "bert-base-uncased": Pinned(
        "google-bert/bert-base-uncased",
        "86b5e0934494bd15c9632b12f734a8a67f723594",
        "Apache-2.0",
        {
            "config.json": None,
            "tokenizer_config.json": None,
            "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            "model.safetensors": "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3",
        },
    ),
    "bert-base-multilingual-cased": Pinned(
        "google-bert/bert-base-multilingual-cased",
        "3f076fdb1ab68d5b2880cb87a0886f315b8146f8",
        "Apache-2.0",
        {"config.json": None, "tokenizer_config.json": None, "vocab.txt": None, "model.safetensors": None},
    ),
}


def fetch(name: str, folder: Path | None = None, say: Callable[[str], None] = print) -> Path:
    """Bring a pinned model into a folder of its name; what lies there and is right is left alone."""
    if name not in PINNED:
        rule = "attnref knows the pinned revisions of " + ", ".join(PINNED)
        refuse(ModelError, f"the model is {name!r}", rule, "Fetch another one yourself and pass its folder")
    pinned = PINNED[name]
    place = folder or Path(name)
    notes = object_of(place / KEPT) if (place / KEPT).exists() else {}
    if notes.get("revision") != pinned.revision:
        notes = {"revision": pinned.revision}
    for file, stated in pinned.files.items():
        path = place / file
        digest = stated or notes.get(file)
        if digest is not None and path.is_file():
            checked(path, digest, "Delete it and fetch again")
            say(f"{file}: here already")
            continue
        download(pinned, file, place)
        found = hash_of(path)
        if digest is not None and found != digest:
            path.unlink()
            given = f"{file}, as fetched, has the sha256 {found}"
            refuse(ModelError, given, f"it must be {digest}", "It was deleted. Fetch again later")
        notes[file] = found
        (place / KEPT).write_text(json.dumps(notes, indent=2) + "\n", "utf-8")
        say(f"{file}: fetched, sha256 {found}" + ("" if stated else ", kept to compare with from now on"))
    say(f"{place}: {pinned.repository} at {pinned.revision}, {pinned.licence}")
    return place


def checked(path: Path, digest: str, step: str) -> None:
    """Refuse a file with another hash."""
    found = hash_of(path)
    if found != digest:
        refuse(ModelError, f"{path} has the sha256 {found}", f"it must be {digest}", step)


def download(pinned: Pinned, file: str, place: Path) -> None:
    """One file, by the hub's package; its errors said in a line."""
    try:
        hub: Any = importlib.import_module("huggingface_hub")
    except ImportError:
        rule = "the package huggingface_hub, which fetches them, is not installed"
        step = "Install attnref[fetch], or put the files into the folder yourself"
        refuse(ModelError, f"{file} is not in {place}", rule, step)
    try:
        hub.hf_hub_download(pinned.repository, file, revision=pinned.revision, local_dir=place)
    except Exception as error:  # offline, refused, full: the package has an error of its own for each
        first: BaseException = error
        while first.__cause__ is not None:
            first = first.__cause__
        reason = (str(first).strip().splitlines() or [""])[0].rstrip(".")[:200]
        given = f"{pinned.repository} did not give {file} ({type(first).__name__}: {reason})"
        rule = "a model is fetched over the network"
        refuse(
            ModelError, given, rule, "When that is mended run the command again: it goes on where it stopped"
        )
