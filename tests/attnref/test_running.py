"""The running softmax by itself: blocks are worked on in place, in the dtype asked for, row by row."""

import numpy as np
import pytest

from attnref import blockwise_attention
from attnref._running import Running
from tests.attnref import loops
from tests.attnref.memory import peak
from tests.attnref.tolerance import assert_close

ROWS, KEYS, D_K, D_V = 61, 1021, 11, 1019
FLOAT32 = np.dtype(np.float32)


def block(dtype=FLOAT32):
    rng = np.random.default_rng(3)
    shapes = (ROWS, D_K), (KEYS, D_K), (KEYS, D_V)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_that_is_kept_has_the_dtype_asked_for(dtype):
    room = Running(ROWS, KEYS, D_V, np.dtype(dtype))
    room.begin(5)
    kept = [room.scores, room.ones, room.product, room.top, room.total, room.blended]
    assert {array.dtype for array in kept} == {np.dtype(dtype)}
    assert [array.shape for array in kept] == [(ROWS, KEYS), (KEYS,), (ROWS, D_V), (5, 1), (5, 1), (5, D_V)]


def test_dot_products_stand_in_the_room_of_the_block_before():
    Q, K, _ = block()
    room = Running(ROWS, KEYS, D_V, FLOAT32)
    scores = room.compare(Q[:7], K[:13])
    assert scores.shape == (7, 13)
    assert np.shares_memory(scores, room.scores)
    assert_close(scores, (Q[:7] @ K[:13].T))


def test_a_block_is_worked_on_in_place():
    Q, K, V = block()
    room = Running(ROWS, KEYS, D_V, FLOAT32)
    room.begin(ROWS)
    scores = room.compare(Q, K)
    expected = np.exp(scores - scores.max(axis=-1, keepdims=True))
    smaller = min(scores.nbytes, room.product.nbytes)
    assert peak(lambda: room.take(scores, V, np.True_, shield=False)) < smaller / 2
    assert_close(scores, expected)


def test_each_query_is_shifted_by_its_own_maximum():
    """By a maximum that all share, a query whose scores lie a thousand below another's would lose them."""
    scores = np.array([[1000.0, 999.0, 998.0], [-1000.0, -1001.0, -1002.0]])
    result = blockwise_attention([[1.0, 0.0], [0.0, 1.0]], scores.T, np.eye(3), scale=1, block_size=2)
    assert_close(result.output, [loops.softmax_row(row) for row in scores.tolist()])


def test_float32_takes_half_the_memory_of_float64():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(521, 3))
    sizes = {
        dtype: peak(lambda dtype=dtype: blockwise_attention(*[X.astype(dtype)] * 3))
        for dtype in ("float32", "float64")
    }
    assert sizes["float32"] < 0.6 * sizes["float64"]


def test_a_block_holds_512_keys_unless_told_otherwise():
    rng = np.random.default_rng(3)
    Q, K, V = (rng.normal(size=(L, 5)).astype(np.float32) for L in (17, 1031, 1031))
    ours = blockwise_attention(Q, K, V).output
    assert_close(ours, blockwise_attention(Q, K, V, block_size=512).output, tol=0)
    assert (ours != blockwise_attention(Q, K, V, block_size=513).output).any()  # rounding tells them apart
