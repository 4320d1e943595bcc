"""What attention refuses: the words name the argument, what was given, the rule and the next step."""

import numpy as np
import pytest

import attnref
from attnref import AttnRefError, DtypeError, MaskError, ShapeError, attention

Q, K, V = np.zeros((2, 5, 3)), np.zeros((2, 7, 3)), np.zeros((2, 7, 11))
AXES = "Its last axis is the keys', the one before it the queries'; insert axes of one for others."


@pytest.mark.parametrize(
    ("arrays", "options", "error", "message"),
    [
        (
            (Q[0, 0], K, V),
            {},
            ShapeError,
            "Q has shape (3,): it must have at least the axes (..., L_q, d_k). "
            "For a length of one insert an axis, such as Q[None].",
        ),
        (
            (Q, K[..., :2], V),
            {},
            ShapeError,
            "K has shape (2, 7, 2): its last axis must be as long as that of Q, shape (2, 5, 3), since each "
            "query is compared with each key number by number. Project one of them to the width of the "
            "other, d_k.",
        ),
        (
            (Q, K, V[:, :6]),
            {},
            ShapeError,
            "V has shape (2, 6, 11): it must have one row for each key of K, shape (2, 7, 3), since each "
            "key stands for one value. Give K and V the same L_k, the last axis but one.",
        ),
        (
            (np.zeros((3, 5, 3)), K, V),
            {},
            ShapeError,
            "Q of shape (3, 5, 3) and K of shape (2, 7, 3) and V of shape (2, 7, 11): the axes before the "
            "last two must be equal or of length one, counted from the right. Insert axes of one where they "
            "are missing, such as K[:, None].",
        ),
        (
            (Q[..., :0], K[..., :0], V),
            {},
            ShapeError,
            "Q and K have a last axis of length 0: the scale is one over the square root of d_k, the length "
            "of their last axis. Give each token at least one number, or pass scale.",
        ),
        (
            ([[1, 2], [3]], K, V),
            {},
            ShapeError,
            "Q is a nested list: its rows differ in length, but an array has rows of one length. "
            "Pad the short rows and mask what was added.",
        ),
        (
            (Q, K.astype(complex), V),
            {},
            DtypeError,
            "K has dtype complex128 and shape (2, 7, 3): attnref computes with real numbers, floats or "
            "integers. Convert it to a float dtype first, such as float32.",
        ),
        (
            (Q, K, np.ones((7, 7), dtype=bool)),
            {},
            DtypeError,
            "V has dtype bool and shape (7, 7): attnref computes with real numbers, floats or integers. "
            "If it says who may attend, pass it as mask; if not, convert it to float32.",
        ),
        (
            (Q, K, V),
            {"mask": np.zeros((5, 7), np.float32)},
            MaskError,
            "mask has dtype float32 and shape (5, 7): a mask is boolean, True where a query may attend to a "
            "key. If its numbers are to be added to the scores, pass it as bias. "
            "Where a number other than zero means that a query may attend, pass mask != 0.",
        ),
        (
            (Q, K, V),
            {"mask": np.ones((5, 7), int)},
            MaskError,
            "mask has dtype int64 and shape (5, 7): a mask is boolean, True where a query may attend to a "
            "key. Where a number other than zero means that a query may attend, pass mask != 0.",
        ),
        (
            (Q, K, V),
            {"mask": np.ones((2, 1, 5, 7), bool)},
            MaskError,
            f"mask has shape (2, 1, 5, 7): it must broadcast to the scores, shape (2, 5, 7), without adding "
            f"to their axes. {AXES}",
        ),
        (
            (Q, K, V),
            {"mask": np.ones((2, 7), bool)},
            MaskError,
            f"mask has shape (2, 7): it must broadcast to the scores, shape (2, 5, 7), without adding to "
            f"their axes. {AXES}",
        ),
        (
            (Q, K, V),
            {"bias": np.zeros((3, 5, 7))},
            ShapeError,
            f"bias has shape (3, 5, 7): it must broadcast to the scores, shape (2, 5, 7), without adding to "
            f"their axes. {AXES}",
        ),
        (
            (Q, K, V),
            {"bias": np.ones((5, 7), bool)},
            DtypeError,
            "bias has dtype bool and shape (5, 7): attnref computes with real numbers, floats or integers. "
            "If it says who may attend, pass it as mask; if not, convert it to float32.",
        ),
        (
            (Q, K, V),
            {"causal": "top_left"},
            DtypeError,
            "causal is of type str: it is either True or False. If it says who may attend to what, pass it "
            "as mask.",
        ),
        (
            (Q, K, V),
            {"window": 3},
            MaskError,
            "window is 3: a window is a pair (left, right). "
            "For as many keys on both sides write the number twice, for no bound on a side None.",
        ),
        (
            (Q, K, V),
            {"window": (-1, 0)},
            MaskError,
            "window, the pair (left, right), is (-1, 0): each side counts keys beside the query's own "
            "position, zero or more. For no bound on a side write None.",
        ),
        (
            (Q, K, V),
            {"scale": [0.5, 0.5]},
            DtypeError,
            "scale has dtype float64 and shape (2,): it must be one finite number. "
            "What differs from score to score goes into bias.",
        ),
        (
            (Q, K, V),
            {"scale": np.nan},
            AttnRefError,
            "scale is nan: it must be one finite number. For the default leave it out.",
        ),
        (
            (Q, K, V),
            {"softcap": 0},
            AttnRefError,
            "softcap is 0: it must be one finite number greater than zero. For the default leave it out.",
        ),
    ],
)
def test_the_message_names_argument_shape_rule_and_next_step(arrays, options, error, message):
    with pytest.raises(AttnRefError) as caught:
        attention(*arrays, **options)
    assert type(caught.value) is error
    assert str(caught.value) == message


@pytest.mark.parametrize("kind", [object, str, "datetime64[s]", "V2"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_no_real_number_is_refused_by_name(kind, place):
    arrays = [Q, K, V]
    arrays[place] = np.zeros(arrays[place].shape, dtype=kind)
    with pytest.raises(DtypeError, match=f"^{'QKV'[place]} has dtype .*: attnref computes with real numbers"):
        attention(*arrays)


def test_every_error_of_attnref_is_a_value_error():
    for error in (ShapeError, MaskError, DtypeError):
        assert issubclass(error, AttnRefError)
        assert issubclass(error, ValueError)


@pytest.mark.parametrize("dtype", ["V2", [("x", np.float32)]])
def test_bytes_without_a_meaning_are_no_numbers(dtype):
    with pytest.raises(DtypeError, match="Q has dtype"):
        attention(np.zeros((2, 3), dtype), np.zeros((5, 3)), np.zeros((5, 7)))


def test_a_traceback_names_an_error_as_it_is_imported():
    for name in ("AttnRefError", "ShapeError", "MaskError", "DtypeError"):
        error = getattr(attnref, name)
        assert f"{error.__module__}.{error.__qualname__}" == f"attnref.{name}"
