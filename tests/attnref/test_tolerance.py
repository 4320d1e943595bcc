"""The tolerance helper is what the other tests stand on, so each of its refusals is seen here."""

import numpy as np
import pytest

from tests.attnref.tolerance import assert_close


def test_equal_up_to_rounding_passes():
    assert_close(np.float64([1 + 1e-15, np.nan, np.inf]), [1.0, np.nan, np.inf])


def test_the_coarser_dtype_sets_the_tolerance():
    assert_close(np.float32([1 + 1e-6]), np.float64([1.0]))
    with pytest.raises(AssertionError, match="off by"):
        assert_close(np.float64([1 + 1e-6]), np.float64([1.0]))


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        ([1.0, 2.0], [[1.0, 2.0]], "shape"),
        ([1.0, 2.1], [1.0, 2.0], r"at \(1,\): 2.1, expected 2.0"),
        ([1.0, np.nan], [1.0, 2.0], "finite numbers expected"),
        ([1.0, 2.0], [1.0, np.nan], "not finite in other places"),
        ([np.inf], [-np.inf], "not finite in other places"),
    ],
)
def test_a_difference_is_refused(actual, expected, words):
    with pytest.raises(AssertionError, match=words):
        assert_close(actual, expected)
