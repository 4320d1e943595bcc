"""The table of agreement: every form within its bound of the loops, and no further from them than the frameworks."""

import numpy as np
import pytest

from tests.attnref import agreement
from tests.attnref.peers import peer


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", agreement.OURS)
def test_every_form_is_within_its_bound_of_the_loops(form, dtype):
    found = agreement.row(form, agreement.OURS[form], dtype)
    print(agreement.table([found]))
    assert found.cases == len(agreement.LENGTHS) * len(agreement.SPREADS) * len(agreement.OPTIONS)
    assert found.share_of_bound <= 1, agreement.table([found])


@pytest.mark.parametrize("name", agreement.PEERS)
def test_a_framework_agrees_within_its_own_rounding(name):
    peer(name)
    found = agreement.row(name, agreement.PEERS[name], np.float32)
    print(agreement.table([found]))
    assert found.cases >= 20
    assert found.share_of_bound <= 1, agreement.table([found])


def test_the_cases_reach_scores_of_a_thousand_and_hold_empty_rows():
    everything = list(agreement.cases(np.float32))
    assert max(case.greatest_score for case in everything) > 1000
    assert any((np.abs(case.expected).max(axis=-1) == 0).any() for case in everything)


def test_a_form_that_is_off_by_a_little_is_found():
    off = agreement.row("off", lambda case: case.expected * (1 + 1e-11), np.float64)
    assert off.share_of_bound > 1
