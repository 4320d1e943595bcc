"""The head axis: which number goes to which head, and back."""

import numpy as np
import pytest

from attnref import DtypeError, ShapeError, join_heads, split_heads, split_qkv
from tests.attnref.tolerance import assert_close


def test_each_head_gets_its_part_of_every_token():
    X = np.arange(30.0).reshape(5, 6)
    heads = split_heads(X, n_heads=3)
    assert heads.shape == (3, 5, 2)
    assert_close(heads[1], X[:, 2:4])
    assert_close(split_heads([[0, 1], [2, 3]], n_heads=2)[0], [[0], [2]])


def test_joining_undoes_splitting():
    X = np.random.default_rng(0).normal(size=(2, 5, 21))
    for n_heads in (1, 3, 7, 21):
        assert split_heads(X, n_heads).shape == (2, n_heads, 5, 21 // n_heads)
        assert_close(join_heads(split_heads(X, n_heads)), X)


def test_joining_keeps_the_tokens_apart():
    assert_close(join_heads([[[0], [1]], [[2], [3]]]), [[0, 2], [1, 3]])


def test_heads_are_views_where_the_dtype_stays():
    X = np.ones((5, 6))
    assert np.shares_memory(split_heads(X, 3), X)
    assert np.shares_memory(split_qkv(X, n_heads=2).W_K, X)
    assert not np.shares_memory(split_heads(X.astype(int), 3), X)


def test_lengths_of_zero():
    assert split_heads(np.ones((2, 0, 6)), 3).shape == (2, 3, 0, 2)
    assert join_heads(np.ones((3, 0, 2))).shape == (0, 6)
    assert split_heads(np.ones((5, 0)), 3).shape == (3, 5, 0)


def test_a_fused_projection_comes_apart_in_order():
    W = np.arange(70.0).reshape(5, 14)
    W_Q, W_K, W_V = split_qkv(W, n_heads=5, n_kv_heads=1)
    assert_close(W_Q, W[:, :10])
    assert_close(W_K, W[:, 10:12])
    assert_close(W_V, W[:, 12:])
    assert_close(split_qkv(np.arange(9), n_heads=3).W_K, [3, 4, 5])


def test_the_dtype_is_at_least_float32():
    assert split_heads(np.ones((3, 4), np.float16), 2).dtype == np.float32
    assert join_heads(np.ones((2, 3, 4), int)).dtype == np.float64
    assert split_qkv(np.ones((3, 6), np.float32), n_heads=2).W_V.dtype == np.float32
    assert split_qkv(np.ones((3, 6), int), n_heads=2).W_V.dtype == np.float64


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: split_heads(np.ones((5, 7)), 2), r"^X has shape \(5, 7\): its last axis must be a multiple"),
        (lambda: split_heads(np.ones(6), 2), r"^X has shape \(6,\): .* the axes \(\.\.\., L, d_model\)"),
        (lambda: split_heads(np.ones((5, 6)), 0), "^n_heads is 0: it is a count"),
        (lambda: split_heads(np.ones((5, 6)), 2.0), "^n_heads is 2.0: it is a count"),
        (lambda: join_heads(np.ones((5, 6))), r"^heads has shape \(5, 6\): .* \(\.\.\., n_heads, L, d\)"),
        (lambda: split_qkv(np.ones((5, 6)), n_heads=3, n_kv_heads=2), "^n_heads is 3 and n_kv_heads is 2"),
        (lambda: split_qkv(np.ones((5, 7)), n_heads=2), r"^W has shape \(5, 7\): .* number of heads, 6"),
        (
            lambda: split_qkv(np.ones(()), n_heads=2),
            r"^W has shape \(\): .* \(\.\.\., d_out\)\. .* W\[None\]",
        ),
    ],
)
def test_what_cannot_be_cut_is_refused_in_words(call, words):
    with pytest.raises(ShapeError, match=words):
        call()


def test_what_is_no_number_is_refused_by_name():
    with pytest.raises(DtypeError, match=r"^heads has dtype"):
        join_heads([[["a"]]])
