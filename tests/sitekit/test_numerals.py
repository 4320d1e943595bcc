"""What a numeral is, and when it equals a value."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitekit.mutants import variants
from sitekit.numerals import find, find_tex, flatten, is_printable, mismatch, plain, rounded, value_text

TEXTS = st.text(alphabet="0123456789.,+-−eE xN([*/\n²½٣{}\\$", max_size=30)
FLOATS = st.floats(min_value=-1e6, max_value=1e6)


def texts(found) -> list[str]:
    return [numeral.text for numeral in found]


@pytest.mark.parametrize(
    ("prose", "numerals"),
    [
        ("no digit", []),
        ("7", ["7"]),
        ("0.735 of 1", ["0.735", "1"]),
        ("ends in 3.", ["3"]),
        ("2, 3", ["2", "3"]),
        ("20,000 words", ["20,000"]),
        ("1,234,567.89", ["1,234,567.89"]),
        ("2,5", ["2", "5"]),
        ("20,0000", ["20", "0000"]),
        ("1e-3 and 2E+4", ["1e-3", "2E+4"]),
        ("1e−3", ["1e−3"]),
        ("−1 or -2 or +3", ["−1", "-2", "+3"]),
        ("[−1, -2]", ["−1", "-2"]),
        ("x −1", ["−1"]),
        ("x−1", ["1"]),
        ("GPT-2", ["2"]),
        ("3-5", ["3", "5"]),
        ("2024-05-17", ["2024", "05", "17"]),
        ("(a)-1", ["1"]),
        ("Section 3.2.1", ["3.2.1"]),
        ("1706.03762", ["1706.03762"]),
        ("3rd x2", ["3", "2"]),
        ("73 %", ["73"]),
        ("00", ["00"]),
    ],
)
def test_numerals_of_prose_have_their_signs_commas_and_exponents(prose, numerals):
    assert texts(find(prose)) == numerals


@pytest.mark.parametrize(
    ("tex", "numerals"),
    [
        (r"\sqrt{2} \approx 1.41", ["2", "1.41"]),
        (r"n - 1", ["1"]),
        (r"n = -1", ["-1"]),
        (r"(n)-1", ["1"]),
        (r"2-1", ["2", "1"]),
        (r"e^{-1}", ["-1"]),
        (r"\cdot -1", ["-1"]),
        (r"\frac{1}{-2}", ["1", "-2"]),
        (r"[-1, 2]", ["-1", "2"]),
        (r"x_1 - x_{12}", ["1", "12"]),
        (r"20{,}000", ["20{,}000"]),
        (r"20,000", ["20", "000"]),
        (r"2\,000", ["2", "000"]),
        (r"x \hspace{3em} y", []),
        (r"1 \\[2em] 3", ["1", "3"]),
        (r"50\%", ["50"]),
        (r"-\$2", ["2"]),
        (r"-\,2", ["-2"]),
    ],
)
def test_numerals_of_a_formula_are_those_that_are_shown(tex, numerals):
    assert texts(find_tex(tex)) == numerals


@given(TEXTS)
def test_a_numeral_stands_where_it_was_found(text):
    for reader in (find, find_tex):
        for numeral in reader(text):
            # TeX ignores blanks between a sign and its number.
            assert re.sub(r"\s|\\[,;:!]", "", text[numeral.start : numeral.end]) == numeral.text


@given(TEXTS)
def test_each_digit_of_prose_is_in_exactly_one_numeral(text):
    inside = [k for numeral in find(text) for k in range(numeral.start, numeral.end)]
    assert len(set(inside)) == len(inside)
    assert {k for k, character in enumerate(text) if character.isdecimal()} <= set(inside)


@given(TEXTS, TEXTS)
def test_a_numeral_of_a_part_keeps_its_place_in_the_whole(before, text):
    whole = f"{before}\n{text}\n"
    moved = [(n.text, n.start - len(before) - 1) for n in find(whole, len(before) + 1, len(whole) - 1)]
    assert moved == [(n.text, n.start) for n in find(text)]


@given(FLOATS, st.integers(0, 8))
def test_what_rounding_prints_is_accepted_unless_it_is_a_tie(value, decimals):
    printed = rounded(value, f"{0:.{decimals}f}")
    assert float(printed) == 0 or printed == f"{Decimal(value):.{decimals}f}"
    problem = mismatch(printed, value)
    a_share_as_a_whole = decimals == 0 and abs(value) < 1
    assert problem is None or "rounding tie" in problem or (a_share_as_a_whole and "no digit" in problem)


@given(FLOATS, st.integers(0, 8))
def test_no_change_of_what_rounding_prints_is_accepted(value, decimals):
    printed = rounded(value, f"{0:.{decimals}f}")
    assert [other for other in variants(printed) if mismatch(other, value) is None] == []


@given(st.floats(min_value=1e-30, max_value=1e30), st.integers(0, 8))
def test_what_python_prints_with_an_exponent_is_accepted_unless_it_is_a_tie(value, decimals):
    printed = f"{value:.{decimals}e}"
    problem = mismatch(printed, value)
    assert problem is None or "rounding tie" in problem
    assert float(rounded(value, printed)) == float(printed)


@given(st.integers(-(10**30), 10**30))
def test_a_whole_number_is_printed_with_commas_or_without_and_with_either_minus(value):
    for printed in (f"{value}", f"{value:,}", f"{value:,}".replace(",", "{,}")):
        assert mismatch(printed, value) is None
        assert mismatch(printed.replace("-", "−"), value) is None
        assert rounded(value, printed) == printed


@pytest.mark.parametrize(
    ("value", "like", "printed"),
    [
        (0.7346, "0.1", "0.7"),
        (0.7346, "9.99", "0.73"),
        (-0.7346, "9.99", "-0.73"),
        (-0.7346, "−9.99", "−0.73"),
        (0.7346, "+9.99", "+0.73"),
        (-0.001, "0.00", "0.00"),
        (1234567.8, "1,000", "1,234,568"),
        (1234567.8, "1{,}000", "1{,}234{,}568"),
        (1234567.8, "1000", "1234568"),
        (0.0000123, "1.0e-9", "1.2e-5"),
        (0.0000123, "1.0e−9", "1.2e−5"),
        (Fraction(2, 3), "0.000", "0.667"),
        (Decimal("0.1"), "0.000", "0.100"),
        (np.float32(0.1), "0.00", "0.10"),
        ("1706.03762", "1", "1706.03762"),
    ],
)
def test_a_value_is_written_like_the_numeral_that_stands_there(value, like, printed):
    assert rounded(value, like) == printed


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        ("0.736", 0.7346, "printed 0.736, but the value is 0.7346, which gives 0.735"),
        ("0.12", 0.125, "rounding tie"),
        ("0.13", 0.125, "which gives 0.12"),
        ("2", 2.5, "rounding tie"),
        ("0.1235", Fraction(2469, 20000) + Fraction(1, 10**12), "rounding tie"),
        ("-0.00", -0.001, "which gives 0.00"),
        ("02", 2, "which gives 2"),
        ("3.2.1", 3.2, "which is no single number: bind it to a text"),
        ("3.2.1", "3.2.3", "the value is the text '3.2.3'"),
        ("2.0", "2", "the value is the text '2'"),
        ("0", math.nan, "float nan, not a finite number"),
        ("0", math.inf, "float inf, not a finite number"),
        ("0", None, "NoneType None"),
        ("1", True, "bool True"),
        ("1", 1 + 0j, "complex"),
        ("1", [1], "list [1]"),
    ],
)
def test_a_mismatch_says_what_was_printed_and_what_the_value_is(text, value, words):
    assert words in mismatch(text, value)


@pytest.mark.parametrize("text", ["0.125", "0.1250", "1.25e-1", "1.25E-01"])
def test_a_value_that_is_printed_in_full_is_no_tie(text):
    assert mismatch(text, 0.125) is None


def test_a_text_is_compared_letter_by_letter():
    assert mismatch("3.2.1", "3.2.1") is None
    assert mismatch("02", "02") is None


@pytest.mark.parametrize(
    ("value", "flat"),
    [
        (3, [3]),
        ("word", ["word"]),
        (None, [None]),
        ([1, (2, [3])], [1, 2, 3]),
        (np.arange(6).reshape(2, 3), [0, 1, 2, 3, 4, 5]),
        (np.float64(0.5), [0.5]),
        (np.array(0.5), [0.5]),
        (zip([1, 2], np.array([[3, 4], [5, 6]]), strict=True), [1, 3, 4, 2, 5, 6]),
        ({"a": 1, "b": [2]}, [1, 2]),
        ([], []),
    ],
)
def test_nested_values_are_read_row_by_row(value, flat):
    assert list(flatten(value)) == flat


def test_a_flat_array_holds_numbers_of_python():
    assert {type(item) for item in flatten(np.ones((2, 3), dtype=np.float32))} == {float}


@pytest.mark.parametrize(
    ("value", "printable"),
    [(1, True), (0.5, True), ("x", True), (Fraction(1, 3), True), (Decimal("1"), True), (10**400, True)]
    + [(True, False), (None, False), (math.nan, False), (-math.inf, False), (1j, False), ([1], False)],
)
def test_a_text_or_a_finite_real_number_can_stand_on_a_page(value, printable):
    assert is_printable(value) == printable


def test_plain_is_how_python_reads_a_numeral():
    assert [plain(text) for text in ("+2", "−1,234.5", "20{,}000", "1e−3")] == [
        "2",
        "-1234.5",
        "20000",
        "1e-3",
    ]


def test_the_proof_shows_the_whole_value():
    values = (3, np.int64(3), 0.1 + 0.2, np.float32(0.5), Fraction(1, 3), Decimal("1.50"), "text")
    assert [value_text(v) for v in values] == ["3", "3", "0.30000000000000004", "0.5", "1/3", "1.50", "text"]
