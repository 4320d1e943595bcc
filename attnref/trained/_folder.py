"""A model's folder as something that can be asked for its maps."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attnref._errors import ModelError, ShapeError
from attnref._results import FloatArray
from attnref._validate import refuse
from attnref.trained._bert import EncoderParameters, encoder
from attnref.trained._config import object_of, read_config, text_of
from attnref.trained._safetensors import read_safetensors
from attnref.trained._tensors import parameters_from
from attnref.trained._wordpiece import WordPiece

SPECIAL = ("[UNK]", "[CLS]", "[SEP]")


class SentenceMaps(NamedTuple):
    """A sentence as a model read it, and what each head looked at."""

    tokens: tuple[str, ...]
    """The pieces, with `[CLS]` and `[SEP]`."""

    words: tuple[str, ...]
    """The words and marks that the pieces belong to."""

    spans: tuple[tuple[int, int], ...]
    """For each word the index of its first token and the one behind its last."""

    weights: FloatArray
    """How much each token takes of each token. Shape `(n_layers, n_heads, L, L)`."""


@dataclass(frozen=True, eq=False, repr=False)
class Bert:
    """A trained BERT encoder: `maps` is what it is for."""

    parameters: EncoderParameters
    """What it has learned."""

    n_heads: int
    """Number of heads in each layer."""

    eps: float
    """What is added to the variance in each norm."""

    pieces: WordPiece
    """How it cuts a sentence."""

    def __repr__(self) -> str:
        return f"<Bert: {len(self.parameters.blocks)} layers of {self.n_heads} heads, {self.pieces!r}>"

    def maps(self, sentence: str) -> SentenceMaps:
        """Read one sentence and return the weights of every head of every layer.

        Parameters
        ----------
        sentence
            A text. An empty one leaves `[CLS]` and `[SEP]` to look at each other.

        Returns
        -------
        SentenceMaps
            `tokens`, `words`, `spans` and `weights`.

        Raises
        ------
        DtypeError
            If the sentence is no text.
        ShapeError
            If it has more tokens than the model has positions.
        """
        cut = self.pieces.cut(sentence)
        limit = np.shape(self.parameters.positions)[0]
        if len(cut.ids) > limit:
            given = f"the sentence that begins {sentence[:30]!r} has {len(cut.ids)} tokens"
            refuse(ShapeError, given, f"the model has {limit} positions", "Cut it into shorter sentences")
        found = encoder(cut.ids, self.parameters, n_heads=self.n_heads, eps=self.eps)
        return SentenceMaps(cut.tokens, cut.words, cut.spans, found.weights)


def load_bert(folder: str | os.PathLike[str], *, dtype: str = "float32", digest: str | None = None) -> Bert:
    """Read a trained BERT encoder from a folder.

    Parameters
    ----------
    folder
        Where `config.json`, `vocab.txt` and `model.safetensors` lie, and `tokenizer_config.json` if the model
        keeps capitals.
    dtype
        `"float32"`, as such models are published, or `"float64"`: what is computed in.
    digest
        The hash that `model.safetensors` must have, as in `read_safetensors`. None: any file that is whole and
        fits.

    Returns
    -------
    Bert
        Its method `maps` takes a sentence.

    Raises
    ------
    ModelError
        If a file is missing, damaged or has another hash, if the model is no BERT, or if a tensor is missing,
        left over or of another shape than the configuration promises.

    Notes
    -----
    Cost: the weights are read once and kept.

    Differs from the package `transformers`, which fills in tensors that are missing with random numbers and
    a warning: here that is an error.

    Examples
    --------
    >>> load_bert("nowhere")
    Traceback (most recent call last):
        ...
    attnref.ModelError: nowhere is no folder: a model is a folder of files. Pass the one that holds config.json.
    """
    place = Path(folder)
    if not place.is_dir():
        step = "Pass the one that holds config.json"
        refuse(ModelError, f"{place} is no folder", "a model is a folder of files", step)
    kinds: dict[str, Any] = {"float32": np.float32, "float64": np.float64}
    if dtype not in kinds:
        refuse(
            ModelError, f"dtype is {dtype!r}", "it is 'float32' or 'float64'", "Leave it out for the first"
        )
    config = read_config(place / "config.json")
    pieces = read_pieces(place, config.n_words)
    tensors = read_safetensors(place / "model.safetensors", digest=digest)
    return Bert(parameters_from(tensors, config, kinds[dtype]), config.n_heads, config.eps, pieces)


def read_pieces(place: Path, n_words: int) -> WordPiece:
    """The vocabulary, a piece a line, and how a text is prepared for it."""
    path = place / "vocab.txt"
    lines = text_of(path).removesuffix("\n").split("\n")
    vocabulary = {line.removesuffix("\r"): n for n, line in enumerate(lines)}
    missing = [token for token in SPECIAL if token not in vocabulary]
    if missing or len(lines) > n_words:
        given = f"{path} has {len(lines)} lines" + (f" and no {missing[0]}" if missing else "")
        rule = f"it lists at most {n_words} pieces, one a line, {', '.join(SPECIAL)} among them"
        refuse(ModelError, given, rule, "Fetch the file again")
    settings = place / "tokenizer_config.json"
    told = object_of(settings) if settings.exists() else {}
    ways = {"lower": ("do_lower_case", True), "strip_accents": ("strip_accents", None),
            "split_chinese": ("tokenize_chinese_chars", True)}  # fmt: skip
    chosen: dict[str, Any] = {ours: told.get(theirs, usual) for ours, (theirs, usual) in ways.items()}
    for ours, value in chosen.items():
        if not (isinstance(value, bool) or (value is None and ours == "strip_accents")):
            given = f"{settings} has {ways[ours][0]} {str(value)[:40]}"
            refuse(ModelError, given, "it is true or false", "Fetch the file again")
    return WordPiece(vocabulary, **chosen)


def hash_of(path: Path) -> str:
    """The hash of a file, a piece at a time."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        refuse(ModelError, f"{path}: {error.strerror}", "it cannot be read", "Check the path")
