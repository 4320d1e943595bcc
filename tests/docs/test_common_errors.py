"""What *Common errors* says in words: the messages of PyTorch that it quotes are PyTorch's."""

import re
from pathlib import Path

import pytest

from tests.attnref.peers import peer

PAGE = (Path(__file__).parents[2] / "docs" / "common-errors.md").read_text(encoding="utf-8")


def quoted() -> list[str]:
    """The messages that stand in quotes behind the name of PyTorch."""
    sentence = re.search(r"PyTorch says ([^.]*)\.", PAGE)
    assert sentence is not None
    return [" ".join(words.split()) for words in re.findall(r'"([^"]+)"', sentence[1])]


def test_pytorch_says_of_keys_that_are_not_transposed_what_the_page_quotes():
    torch = peer("torch")
    said = []
    for axes in ((), (2,)):
        with pytest.raises(RuntimeError) as error:
            torch.zeros(*axes, 5, 3) @ torch.zeros(*axes, 7, 3)
        said.append(str(error.value))
    assert len(quoted()) == 2
    assert [words for words, message in zip(quoted(), said, strict=True) if words not in message] == []


def test_pytorch_masked_fill_gives_a_new_tensor_and_with_an_underscore_works_in_place():
    torch = peer("torch")
    scores, mask = torch.zeros(3), torch.tensor([True, False, False])
    scores.masked_fill(mask, 1.0)
    assert scores.sum() == 0
    scores.masked_fill_(mask, 1.0)
    assert scores.sum() == 1


def test_every_entry_tells_the_cause_or_is_told_by_the_checker_and_mends_it():
    entries = re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
    assert len(entries) > 12
    for entry in entries:
        assert "**Mend it.**" in entry, entry.splitlines()[0]
        assert "**Cause.**" in entry or "finding(" in entry, entry.splitlines()[0]
