"""From pieces to words: sums, means, and spans that are none."""

import numpy as np
import pytest

from attnref import ShapeError, softmax, word_map
from tests.attnref.tolerance import assert_close

SPANS = [(0, 1), (1, 4), (4, 5), (5, 7)]


def test_a_word_gets_what_its_pieces_get_and_gives_their_mean():
    weights = softmax(np.random.default_rng(0).normal(size=(2, 3, 7, 7)))
    result = word_map(weights, SPANS)
    assert result.shape == (2, 3, 4, 4)
    for a, (i, k) in enumerate(SPANS):
        for b, (j, m) in enumerate(SPANS):
            expected = sum(weights[1, 2, row, column] for row in range(i, k) for column in range(j, m)) / (
                k - i
            )
            assert result[1, 2, a, b] == pytest.approx(expected)


def test_the_rows_still_sum_to_one():
    weights = softmax(np.random.default_rng(1).normal(size=(5, 7, 7)).astype(np.float32))
    result = word_map(weights, SPANS)
    assert result.dtype == np.float32
    assert_close(result.sum(axis=-1), np.ones((5, 4), np.float32))


def test_words_of_one_piece_are_left_as_they_are():
    weights = softmax(np.random.default_rng(2).normal(size=(3, 3)))
    assert_close(word_map(weights, [(0, 1), (1, 2), (2, 3)]), weights)


@pytest.mark.parametrize(
    "spans", [[], [(0, 3), (3, 6)], [(0, 3), (4, 7)], [(1, 7)], [(0, 3), (3, 3), (3, 7)], [(0, 5), (3, 7)]]
)
def test_spans_that_do_not_cover_the_tokens_are_refused(spans):
    with pytest.raises(ShapeError, match="the spans follow each other"):
        word_map(np.full((7, 7), 1 / 7), spans)


def test_weights_that_are_no_square_are_refused():
    with pytest.raises(ShapeError, match="shape \\(5, 7\\)"):
        word_map(np.full((5, 7), 1 / 7), [(0, 7)])
