"""Softmax: values derived by hand, then its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnref import DtypeError, ShapeError, softmax
from tests.attnref import loops
from tests.attnref.tolerance import assert_close

rows = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=1, max_dims=3, max_side=5), elements=st.floats(-1e4, 1e4)
)


def test_shares_follow_the_exponentials():
    assert_close(softmax([np.log(2), np.log(3), np.log(5)]), [0.2, 0.3, 0.5])


def test_each_row_sums_to_one_over_the_axis_asked_for():
    x = np.arange(30.0).reshape(2, 3, 5) % 7
    assert_close(softmax(x, axis=1).sum(axis=1), np.ones((2, 5)))
    assert_close(softmax(x, axis=-3), np.moveaxis(softmax(np.moveaxis(x, 0, -1)), -1, 0))


def test_scores_of_a_thousand_do_not_overflow():
    assert_close(softmax(np.float32([1000, 999])), np.float32([0.7310586, 0.26894143]))
    assert_close(softmax(np.float32([-60000, -60001])), np.float32([0.7310586, 0.26894143]))


def test_float64_keeps_its_precision():
    assert softmax([1e-9, 0])[0] == pytest.approx(0.50000000025, abs=1e-14)


@pytest.mark.parametrize(
    ("given_dtype", "computed"),
    [("float16", "float32"), ("float32", "float32"), ("float64", "float64"), ("int8", "float64")],
)
def test_the_dtype_is_at_least_float32(given_dtype, computed):
    assert softmax(np.ones(3, dtype=given_dtype)).dtype == computed


def test_a_row_of_minus_infinity_gets_shares_of_zero():
    assert_close(softmax([[-np.inf, -np.inf], [0, -np.inf]]), [[0, 0], [1, 0]])


def test_an_axis_of_length_zero_stays_empty():
    assert softmax(np.ones((3, 0))).shape == (3, 0)
    assert softmax(np.ones((0, 3))).shape == (0, 3)


def test_nan_and_plus_infinity_stay_in_their_row():
    shares = softmax([[np.nan, 0], [np.inf, 0], [0, 0]])
    assert_close(shares, [[np.nan, np.nan], [np.nan, np.nan], [0.5, 0.5]])


def test_the_input_is_not_changed():
    x = np.array([[1.0, 2.0], [3.0, -np.inf]])
    x.setflags(write=False)
    before = x.copy()
    shares = softmax(x)
    assert_close(x, before)
    assert not np.shares_memory(shares, x)


def test_numpy_set_to_raise_makes_no_difference():
    with np.errstate(all="raise"):
        assert_close(softmax([-1000, 0, -np.inf]), [0, 1, 0])


@given(rows)
def test_equals_the_loop_row_by_row(x):
    flat = x.reshape(-1, x.shape[-1])
    assert_close(softmax(x).reshape(flat.shape), [loops.softmax_row(row) for row in flat.tolist()])


@given(rows)
def test_rows_sum_to_one(x):
    assert_close(softmax(x).sum(axis=-1), np.ones(x.shape[:-1]))


@given(rows, st.integers(-1000, 1000))
def test_the_same_number_added_to_a_row_changes_nothing(x, shift):
    assert_close(softmax(x + shift), softmax(x), tol=1e-10)  # x + shift is itself rounded


@given(rows)
def test_a_greater_number_never_gets_a_smaller_share(x):
    order = np.argsort(x, axis=-1)
    assert (np.diff(np.take_along_axis(softmax(x), order, axis=-1), axis=-1) >= 0).all()


@pytest.mark.parametrize("x", [[1j], ["a"], [None], [True]])
def test_what_is_no_real_number_is_refused(x):
    with pytest.raises(
        DtypeError, match=r"^x has dtype .* and shape \(1,\): attnref computes with real numbers"
    ):
        softmax(x)


@pytest.mark.parametrize(("x", "axis"), [(3.0, -1), ([3.0], 1), ([3.0], -2), ([3.0], 0.0)])
def test_an_axis_that_x_does_not_have_is_refused(x, axis):
    with pytest.raises(ShapeError, match=r"^axis is .* and x has shape .*: it must count one axis of x"):
        softmax(x, axis=axis)
