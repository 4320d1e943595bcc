"""Whether a binding depends on what the page computes: what is honest passes, in each way that a page is honest."""

import numpy as np
import pytest

from sitekit import hollow
from sitekit.changed import KINDS, changed
from tests.sitekit.site import Site, whole

CODE = """
```python
from collections import namedtuple
from dataclasses import dataclass

words = ["the", "bank", "of", "the", "river"]
counts = {"the": 2, "bank": 3}
flags = np.array([True, False, True])
small = np.float16(weights)
Pair = namedtuple("Pair", "first second")
pair = Pair(7, weights)
runs = [("one", 2.0), ("other", 2.0)]

@dataclass(frozen=True)
class Found:
    name: str
    size: int

found = [Found("near", 3), Found("far", 5)]

def twice(number):
    return 2 * number

def refuse(number):
    raise ValueError(number)
```
"""


def problems(tmp_path, body: str) -> list[str]:
    return [problem.message for problem in Site(tmp_path).check(whole(body) + CODE)[1]]


@pytest.mark.parametrize(
    ("numeral", "expression"),
    [
        ("0.735", "weights[0]"),
        ("3", "d_k + 1"),
        ("4", "len(keys)"),
        ("2", "keys.ndim"),
        ("8", "keys.size"),
        ("16", "small.itemsize * 8"),
        ("65,504", "np.finfo(small.dtype).max"),
        ("0", "int(np.argmax(weights))"),
        ("1", "(weights > 0.5).sum()"),
        ("2", "flags.sum()"),
        ("2", "words.count('the')"),
        ("3", "words.index('the', 1)"),
        ("5", "len(words)"),
        ("4", "len(set(words))"),
        ("3", "counts['bank']"),
        ("2", "len(counts)"),
        ("4", "len(list(counts)[1])"),
        ("14", "twice(7)"),
        ("6", "twice(3)"),
        ("5", "found[1].size"),
        ("4", "len(found[0].name)"),
        ("7", "pair.first"),
        ("2", "d_k if d_k > 1 else 1"),
        ("4", "d_k * 2"),
        ("8", "cite.vaswani2017.heads"),
        ("1", "keys[0, 0] - keys[0, 1]"),
        ("0", "weights[1] - weights[2]"),
    ],
)
def test_a_number_that_depends_on_the_page_is_bound(tmp_path, numeral, expression):
    assert problems(tmp_path, f"It is {numeral}<!--= {expression} -->.") == []


@pytest.mark.parametrize(
    "claim",
    [
        "weights[0] > 0.5",
        "0.7 < weights[0] < 0.8",
        "d_k == 2",
        "d_k != 3",
        "words[0] != words[1]",
        "'bank' in words",
        "'sea' not in words",
        "words[0] == words[3]",
        "words == ['the', 'bank', 'of', 'the', 'river']",
        "[pair.name for pair in found][:1] == ['near']",
        "found[1].name == 'far'",
        "keys.shape == (4, 2)",
        "keys.dtype != small.dtype",
        "len(words) > 0",
        "flags[0]",
        "not flags[1]",
        "flags.any() and not flags.all()",
        "abs(weights.sum() - 1) < 1e-3",
        "weights.argmax() == 0",
        "(weights > 0).all()",
        "all(weight > 0 for weight in weights)",
        "np.ptp(weights[1:3]) < 1e-12",
        "twice(3) == 6",
        "cite.vaswani2017.d_k == 8 * cite.vaswani2017.heads",
        "cite.vaswani2017.year - cite.vaswani2017.heads == 2009",
        "'the' in counts",
        "len(set(words)) == 4",
        "abs(runs[0][1] - runs[1][1]) < 1e-3",
        "keys[0, 1] * 2 == keys[0, 0]",
    ],
)
def test_a_claim_that_depends_on_the_page_is_one(tmp_path, claim):
    assert problems(tmp_path, f"It is so<!--? {claim} -->.") == []


def test_a_change_under_which_an_expression_fails_shows_nothing(tmp_path):
    body = "It is 2<!--= 2 if d_k == 2 else refuse(d_k) -->."
    [told] = problems(tmp_path, body)
    assert told.endswith("gives 2 whatever the page computes, so it proves nothing")


def test_an_index_out_of_bounds_makes_no_claim_fail_but_one_that_names_a_constant(tmp_path):
    assert problems(tmp_path, "So<!--? found[1].name == 'far' -->.") == []
    [told] = problems(tmp_path, "So<!--? len(found[1].name) >= 0 -->.")
    assert told.startswith("the claim len(found[1].name) >= 0 is true whatever")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.array([1, 2, 3]),
        np.array(["a", "b"]),
        {"a": [1.0, 2.0], "b": [3.0, 4.0]},
        [("near", 1), ("far", 2)],
        np.array([]),
        [],
        {},
    ],
    ids=repr,
)
def test_what_the_page_computed_stays_as_it_is(kind, value):
    before = repr(value)
    changed(value, kind)
    assert repr(value) == before


@pytest.mark.parametrize("value", [3, 2.5, np.float32(2.5), "word", [1, 2], {"a": 1}, np.arange(3)], ids=repr)
def test_each_value_becomes_another_of_its_make(value):
    other = changed(value, "up")
    assert type(other) is type(value)
    assert repr(other) != repr(value)


def test_no_two_neighbours_of_an_array_are_changed_alike():
    for kind in ("up", "down"):
        assert (np.diff(changed(np.zeros(40), kind)) != 0).all()
        assert (np.diff(changed(np.zeros(40, dtype=int), kind)) != 0).all()


def test_a_change_under_which_an_expression_runs_on_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(hollow, "SECONDS", 0.05)
    code = "```python\ndef wait(number):\n    while number != 2:\n        pass\n    return 17\n```\n"
    assert problems(tmp_path, f"It is 17<!--= wait(d_k) -->.\n\n{code}") == []
