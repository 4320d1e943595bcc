"""The error function for arrays against the standard library's for one number."""

import math

import numpy as np

from attnref import gelu
from attnref._erf import LAST, STEP, erf
from tests.attnref.tolerance import assert_close


def one_by_one(x):
    return np.array([math.erf(value) for value in x.ravel()]).reshape(x.shape)


def test_the_error_function_has_all_places_of_a_double():
    halves = np.arange(0, LAST + 1, STEP / 2)  # as far from a known point as one can be
    random = 3 * np.random.default_rng(0).normal(size=20011)
    tiny = 10.0 ** np.arange(-307, 1)
    x = np.concatenate([halves, random, tiny, -halves, -tiny])
    off = np.abs(erf(x) - one_by_one(x)) / np.spacing(np.abs(one_by_one(x)))
    assert off.max() <= 2  # units in the last place


def test_the_error_function_knows_what_is_no_number_and_what_has_no_end():
    assert_close(erf(np.array([np.nan, np.inf, -np.inf, 0.0])), [np.nan, 1, -1, 0])
    assert math.copysign(1, erf(np.array([-0.0]))[0]) == -1


def test_the_error_function_takes_any_shape():
    for shape in ((), (0,), (2, 3, 5)):
        x = np.random.default_rng(1).normal(size=shape)
        assert_close(erf(x), one_by_one(np.asarray(x)))


def test_gelu_rests_on_it_in_both_widths():
    x = 4 * np.random.default_rng(2).normal(size=(7, 11))
    expected = x * (1 + one_by_one(x / math.sqrt(2))) / 2
    assert_close(gelu(x), expected, tol=1e-15)
    single = gelu(x.astype(np.float32))
    assert single.dtype == np.float32
    assert_close(single, expected.astype(np.float32))
