"""How long are the vectors that a trained head hands over? A weight says how much of one comes, not how long it is.

    python snippets/trained-heads/handed.py            # writes minilm-handed.json
    python snippets/trained-heads/handed.py --check    # computes it anew and compares

A head's output for a word is the sum of weights times values, and the layer multiplies it by the head's rows of W_O.
So what a word hands over, before it is weighted, is its value times these rows. Its length is kept, for every word
and every head. Where the weights come from says survey.py, which this program needs, as well as records.py.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import records
import survey

from attnref import Bert, gelu, layer_norm, split_heads, transformer_block


def handed(model: Bert, text: str) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each layer the weights, the vectors that are handed over, and what the heads add together.

    Their shapes are `(n_heads, L, L)`, `(n_heads, L, d_model)` and `(L, d_model)`.
    """
    p, ids = model.parameters, list(model.pieces.cut(text).ids)
    summed = np.asarray(p.words)[ids] + np.asarray(p.positions)[: len(ids)] + np.asarray(p.segments)[0]
    X = layer_norm(summed, p.gain, p.shift, eps=model.eps)
    for block in p.blocks:
        V = split_heads(X @ block.W_V + block.b_V, model.n_heads)  # (n_heads, L, d_v)
        bands = np.asarray(block.W_O).reshape(model.n_heads, V.shape[-1], -1)  # (n_heads, d_v, d_model)
        X, attended = transformer_block(X, block, n_heads=model.n_heads, activation=gelu, eps=model.eps)
        yield attended.weights, V @ bands, attended.output - block.b_O


def lengths(model: Bert, text: str) -> np.ndarray:
    """The length of what each token hands over in each head, layer by layer: `(heads, L)`."""
    return np.concatenate([np.linalg.norm(vectors, axis=-1) for _, vectors, _ in handed(model, text)])


def record(model: Bert) -> dict[str, Any]:
    """What is committed: the lengths for the sentences of the survey, whose words are one piece each."""
    sentences = []
    for question in survey.ENGLISH:
        cut = model.pieces.cut(question.text)
        if len(cut.tokens) != len(cut.words):
            raise ValueError(f"a word of {question.text!r} has several pieces, and a length belongs to one")
        found = lengths(model, question.text).tolist()
        sentences.append({"text": question.text, "words": list(cut.words), "lengths": found})
    command = {"command": "python snippets/trained-heads/handed.py"}
    return survey.MINILM | command | {"sentences": sentences}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what the heads of all-MiniLM-L6-v2 hand over.")
    parser.add_argument("--check", action="store_true", help="compare with the committed record")
    path = survey.FOLDER / "minilm-handed.json"
    return records.keep(path, record(survey.minilm()), parser.parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
