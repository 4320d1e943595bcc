"""What a numeral is, and when a printed numeral equals a value.

A numeral is digits with all that belongs to them: a sign, decimals, thousands commas, an exponent.
``find`` reads them out of prose, ``find_tex`` out of a formula; ``mismatch`` says what is wrong with one.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

MINUS = "−"
_DIGITS = r"\d+(?:\.\d+){2,}|(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][+−-]?\d+)?"
_PROSE = re.compile(_DIGITS)
_OPERAND = re.compile(r"[^\W_]|[)\]}.]")  # a minus behind one of these joins, it is no sign
_TEX_DIGITS = r"\d{1,3}(?:\{,\}\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*"
_TEX = re.compile(rf"[+−-]?(?:{_TEX_DIGITS})")
_TEX_OPERAND = re.compile(r"(?:(?<!\\)\w|[)\]}!'])\s*$")
_TEX_COMMAND = re.compile(r"\\[A-Za-z]+\s*$")
_TEX_UNSEEN = re.compile(r"\\(?:hspace|vspace|kern|mspace)\*?\s*\{[^}]*\}|\\\\\s*\[[^\]]*\]|\\[,;:!]")
_TEX_SIGN = re.compile(r"\\[&%$]")  # shown, and no part of a number

TIE = Decimal("1e-9")
_WIDE = Context(prec=2000)  # holds every float in full, and whole numbers far beyond them


@dataclass(frozen=True)
class Numeral:
    """One numeral as printed, with its place in the text it was found in."""

    text: str
    start: int
    end: int


def find(text: str, start: int = 0, end: int | None = None) -> Iterator[Numeral]:
    """Yield the numerals of prose. A hyphen after a letter or digit (GPT-2, 3-5) is no sign."""
    for match in _PROSE.finditer(text, start, len(text) if end is None else end):
        first = match.start()
        signed = first > start and text[first - 1] in "+-−"
        if signed and (first == 1 or not _OPERAND.match(text[first - 2])):
            first -= 1
        yield Numeral(text[first : match.end()], first, match.end())


def find_tex(tex: str, offset: int = 0) -> Iterator[Numeral]:
    """Yield the numerals of a formula. A minus behind an operand is an operator, not a sign."""
    seen = _TEX_UNSEEN.sub(lambda match: " " * len(match.group()), _TEX_SIGN.sub("&&", tex))
    for match in _TEX.finditer(seen):
        text, start = match.group(), match.start()
        digits = text.lstrip("+-−")
        before = seen[: match.end() - len(digits)].rstrip()  # TeX ignores blanks behind a sign
        if before.endswith(("+", "-", "−")) and not _joins(before[:-1]):
            start = len(before) - 1
            text = before[-1] + digits
        else:
            text, start = digits, match.end() - len(digits)
        yield Numeral(text, offset + start, offset + match.end())


def _joins(before: str) -> bool:
    """Whether a plus or minus behind this joins two terms, rather than being the sign of the second."""
    return bool(_TEX_OPERAND.search(before)) and not _TEX_COMMAND.search(before)


def plain(text: str) -> str:
    """Return the numeral as Python writes it: ASCII minus, no thousands commas, no plus."""
    return text.replace("{,}", "").replace(",", "").replace(MINUS, "-").removeprefix("+")


def value_text(value: Any) -> str:
    """Return the whole value, as the proof shows it."""
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, Fraction | Decimal):
        return str(value)
    return repr(float(value))


def is_printable(value: Any) -> bool:
    """Whether a value can stand on a page as a numeral: a text or a finite real number."""
    if isinstance(value, str):
        return True
    if isinstance(value, numbers.Integral):
        return not isinstance(value, bool)
    return isinstance(value, numbers.Real | Decimal) and math.isfinite(value)


def _exact(value: Any) -> Decimal:
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    if isinstance(value, Decimal):
        return value
    return Decimal(int(value)) if isinstance(value, numbers.Integral) else Decimal(float(value))


def rounded(value: Any, like: str) -> str:
    """Return the value written with as many digits as the numeral ``like``, sign and commas as there."""
    if isinstance(value, str):
        return value
    exact, text = _exact(value), plain(like)
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    if exponent:
        digits, _, power = f"{exact:.{decimals}e}".partition("e")
        return f"{digits}e{int(power)}".replace("-", MINUS if MINUS in like else "-")
    number = exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN, context=_WIDE)
    number = abs(number) if number == 0 else number
    grouped = f"{number:,f}" if "," in like else f"{number:f}"
    if "{,}" in like:
        grouped = grouped.replace(",", "{,}")
    if like.startswith("+") and number > 0:
        grouped = "+" + grouped
    return grouped.replace("-", MINUS if MINUS in like else "-")


def mismatch(text: str, value: Any) -> str | None:
    """Return what is wrong with the printed numeral, or None where it equals the value.

    Equal means: the value written with as many digits as are printed is what is printed.
    A value that lies on a rounding tie is reported, since its last digit is decided by noise.
    """
    if not is_printable(value):
        return f"printed {text}, but the value is {type(value).__name__} {value!r}, not a finite number"
    return _mismatch(text, value)


@lru_cache(maxsize=65536, typed=True)
def _mismatch(text: str, value: Any) -> str | None:
    if isinstance(value, str):
        return None if text == value else f"printed {text}, but the value is the text {value!r}"
    if plain(text).count(".") > 1:
        return f"printed {text}, which is no single number: bind it to a text"
    printed = plain(text).lower()
    right = plain(rounded(value, text)).lower()
    mantissa, _, exponent = printed.partition("e")
    if (f"{mantissa}e{int(exponent)}" if exponent else printed) != right:
        return f"printed {text}, but the value is {value_text(value)}, which gives {rounded(value, text)}"
    scale = Decimal(1).scaleb(int(exponent or 0) - len(mantissa.partition(".")[2]))
    if abs(abs(_exact(value) - Decimal(printed)) - scale / 2) < min(TIE, scale / 1000):
        return (
            f"printed {text}, but {value_text(value)} lies on a rounding tie: print one digit more or fewer"
        )
    whole = isinstance(value, numbers.Integral) or abs(value - round(value)) < TIE
    if not whole and abs(value) < 1 and not re.search(r"[.eE]", text):
        return f"printed {text}, which shows no digit of {value_text(value)}: print decimals"
    return None


def flatten(value: Any) -> Iterator[Any]:
    """Yield the numbers and texts of nested arrays, tuples, zips and mappings in order of reading."""
    if isinstance(value, str | bytes) or value is None:
        yield value
    elif hasattr(value, "tolist"):
        plain_value = value.tolist()
        if isinstance(plain_value, list):
            yield from flatten(plain_value)
        else:
            yield plain_value
    elif isinstance(value, Mapping):
        yield from flatten(value.values())
    elif isinstance(value, Iterable):
        for item in value:
            yield from flatten(item)
    else:
        yield value
