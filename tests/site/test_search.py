"""What a reader finds who only searches: for each question the first hit, in the index and worker of the built site."""

import itertools
import json
import os
import re
import shutil
import string
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# Each question and where its first hit leads; a tuple where the first hit may be any of several.
FIRST = {
    "attention": ("study/glossary/#attention", "lessons/why-context/"),
    "what is attention": ("study/glossary/#attention", "lessons/why-context/"),
    "what is a query": "study/glossary/#query",
    "key": "study/glossary/#key",
    "value": "study/glossary/#value",
    "what is a token": "study/glossary/#token",
    "what is softmax": "lessons/soft-lookup/",
    "why divide by sqrt d_k": "lessons/why-the-root/",
    "square root": "lessons/why-the-root/",
    "scaling factor": "lessons/why-the-root/",
    "e^x": ("lessons/step-by-step/", "lessons/soft-lookup/"),
    "dot product": "lessons/soft-lookup/",
    "causal mask": "lessons/masks/",
    "padding mask": "study/glossary/#padding-mask",
    "multi-head attention": ("lessons/several-heads/", "study/glossary/#multi-head-attention"),
    "self-attention": "study/glossary/#self-attention",
    "cross-attention": "study/glossary/#cross-attention",
    "kv cache": "study/glossary/#keyvalue-cache",
    "flash attention": "lessons/what-it-costs/",
    "grouped query attention": "study/glossary/#grouped-heads",
    "rope": "study/glossary/#rotary-positions",
    "positional encoding": "study/glossary/#sinusoidal-positions",
    "what do heads learn": "lessons/trained-heads/",
    "is attention an explanation": "lessons/trained-heads/",
    "does attention know word order": "lessons/every-token/#does-attention-know-the-order",
    "weights do not sum to 1": "common-errors/#rows-of-weights-dont-sum-to-one",
    "nan": "common-errors/#nan-after-masking",
    "matmul mismatch": "common-errors/#mismatch-in-its-core-dimension-shapes-cannot-be-multiplied",
    "differs from pytorch": "labs/against-pytorch/",
    "softmax_gradient": "reference/gradients/#attnref.softmax_gradient",
    "quiz": "study/quiz/",
    "flashcards": "study/cards/",
    "cheat sheet": "study/recap/",
    "exercise": re.compile("exercises/"),
    "bahdanau": "lessons/before-transformers/",
    "temperature": "study/glossary/#temperature",
    # Slips of the hand
    "sofmax": "lessons/soft-lookup/",
    "atention": ("study/glossary/#attention", "lessons/why-context/"),
    "embeding": "study/glossary/#embedding",
    "querry": "study/glossary/#query",
    "pytroch": "labs/against-pytorch/",
}
NOWHERE = "hallucination"
SIGNS = string.ascii_lowercase + string.digits
BEGINNINGS = [first + second for first in SIGNS for second in ("", *"oer1")]  # what is asked while one types


@pytest.fixture(scope="module")
def found(site):
    node = shutil.which("node")
    if node is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node is missing, and CI has to have it")
        pytest.skip("node is not installed")
    asked = json.dumps(
        {"site": str(site), "questions": [*FIRST, NOWHERE, "what is a", "+-~^*:", *BEGINNINGS]}
    )
    done = subprocess.run(
        [node, "search.mjs"], cwd=HERE, input=asked, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def fits(location: str, wanted: str | tuple[str, ...] | re.Pattern[str]) -> bool:
    if isinstance(wanted, re.Pattern):
        return bool(wanted.match(location))
    return location in ((wanted,) if isinstance(wanted, str) else wanted)


@pytest.mark.parametrize("question", FIRST)
def test_first_hit_is_what_was_meant(found, question):
    hits = [hit["location"] for hit in found["hits"][question]]
    assert hits, f"nothing is found for {question!r}"
    assert fits(hits[0], FIRST[question]), hits[:5]


def test_no_question_breaks_the_search(found):
    assert found["complaints"] == []
    assert found["hits"]["+-~^*:"] == []


def test_what_is_nowhere_finds_nothing_and_the_page_says_where_else_to_look(found, site):
    assert found["hits"][NOWHERE] == []
    assert "Nothing found. Try another word" in (site / "index.html").read_text(encoding="utf-8")


def test_index_holds_words_and_neither_programs_nor_tex_nor_counts(site):
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    bad = r"\\(?:frac|sqrt|top|text|sum)\b|import numpy|page_numbers\.py|Checked on this page|instance-attribute|✓"
    found = [(entry["location"], match[0]) for entry in entries for match in re.finditer(bad, str(entry))]
    assert found == []
    assert not [entry["location"] for entry in entries if re.search(r" by \?|is , ", entry["title"])]


def test_no_page_is_in_the_index_twice(site):
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    again = [
        entry["location"]
        for before, entry in itertools.pairwise(entries)
        if "#" not in before["location"] and entry["title"] == re.sub(r" \(.*", "", before["title"])
    ]
    assert again == []
