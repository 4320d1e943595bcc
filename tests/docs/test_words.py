"""Score and weight are two things and never swapped: a score comes before the softmax, a weight after it."""

import re
from pathlib import Path

import pytest

from sitekit import check, pages, sources
from sitekit.check import ROOT

RECORD = sources.read(ROOT / "docs")
PAGES = check.page_files()
GAP = r"[^.;:!?|\n]{0,40}?\b"  # a few words of the same sentence
SWAPPED = {
    "a score has no second name: write score (before the softmax) or weight (after it)": (
        r"attention[ -]scores?|attention[ -]logits?|\braw attention weights?|unnormali[sz]ed weights?"
        r"|normali[sz]ed scores?|score matri(?:x|ces)|softmax(?:ed)? scores?"
    ),
    "weights come after the softmax": (
        r"weights? (?:that (?:go|come|goes|comes) )?(?:before|into) the softmax"
        rf"|softmax (?:of|over|to) (?:the |these |all )?weights?|scales? the weights?|scaled weights?"
        rf"|weights? {GAP}(?:times the scale|divided by the root)|weights? (?:is|are|becomes?) minus infinity"
        r"|negative weights?"
    ),
    "scores come before the softmax": (
        r"scores? (?:that (?:go|come|goes|comes) )?(?:after|out of) the softmax"
        rf"|scores? {GAP}adds? up to (?:1|one|100)\b|scores? {GAP}sums? (?:up )?to (?:1|one|100)\b"
        r"|scores? blend|blended? (?:by|with) (?:the |their |these )?scores?|scores? (?:is|are) shares"
    ),
    "no array bears the name of attention": r"\battn(?:_scores?|_weights?|_probs?)?\s*=[^=]",
}
PATTERNS = {reason: re.compile(words, re.IGNORECASE) for reason, words in SWAPPED.items()}


def swapped(text: str) -> list[str]:
    """The places of a text that call a score a weight, or a weight a score, each with the reason."""
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text)]
    return [
        f"{match.group()!r}: {reason}"
        for block in blocks
        for reason, pattern in PATTERNS.items()
        for match in pattern.finditer(block)
    ]


def read(path: Path) -> str:
    page = pages.read(path, ROOT, RECORD)
    seen = re.sub(r"<!--.*?-->", "", page.masked.replace("\0", ""), flags=re.DOTALL)
    return seen + "\n\n".join(fence.code for fence in page.fences if fence.kind == "python")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_score_and_weight_are_kept_apart(path):
    assert swapped(read(path)) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The attention\nscores of a row add up to one.",
        "These scores add up to 1.",
        "Each score comes out of the softmax: it is the score after the softmax.",
        "The weights before the softmax may be anything.",
        "Divide: the weights are divided by the root.",
        "A value is blended by its score; values are blended with the scores.",
        "Take the softmax of the weights.",
        "The forbidden weight is minus infinity.",
        "attn = softmax(scores)",
        "attn_weights = softmax(scores)",
    ],
)
def test_a_swapped_word_is_found(sentence):
    assert swapped(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "A score comes before the softmax and may be any number. Weights add up to one.",
        "Scores add up to anything.",
        "The forbidden score is minus infinity, so its weight is zero.",
        "Nothing is wrong with `average_attn_weights=False`, nor with attn_mask=None.",
        "Weights after the softmax, scores before the softmax.",
        "Does it draw weight to itself?",
    ],
)
def test_a_right_word_is_let_pass(sentence):
    assert swapped(sentence) == []
