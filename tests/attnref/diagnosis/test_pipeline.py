"""The checker's pipeline, with no fault in it, is attention: it is held against the definition."""

import numpy as np
import pytest

from attnref import attention
from attnref.diagnosis._attention import ATTENTION, probes
from attnref.diagnosis._demos import demos
from attnref.diagnosis._pipeline import Rules, run
from tests.attnref.tolerance import assert_close

PROBES = [*probes(0), *probes(1), *demos()]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_the_pipeline_without_a_fault_is_the_definition(probe):
    with np.errstate(all="ignore"):
        work = run(ATTENTION, probe, Rules())
    options = dict(probe.options)
    if "lengths" in options:
        keys = np.arange(probe.arrays["K"].shape[-2])
        options["mask"] = keys < options.pop("lengths")[:, None, None, None]
    right = attention(*probe.arrays.values(), **options)
    assert_close(work.output, right.output)
    assert_close(work.weights, right.weights)


def test_sizes_of_the_first_probe_are_all_different():
    Q, K, V = probes(0)[0].arrays.values()
    sizes = [*Q.shape, K.shape[-2], V.shape[-1]]
    assert len(set(sizes)) == len(sizes)


def test_some_scores_are_a_thousand_and_some_below_fifty_thousand_and_some_rows_empty():
    with np.errstate(all="ignore"):
        works = [run(ATTENTION, probe, Rules()) for probe in probes(0) if "garbage" not in probe.features]
    scores = np.concatenate([work.scores.ravel() for work in works])
    assert scores.max() >= 1000
    assert scores.min() <= -50000
    assert any((work.weights.sum(axis=-1) == 0).any() for work in works)
