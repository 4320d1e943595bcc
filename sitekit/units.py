"""What stands beside a bound number and says how large it is: a percent sign, a unit, million, "less than".

The number alone may be right and the sentence wrong: 13 ms for 13 seconds, 0.735 % for 73.5 %. So the expression has to
say what the unit says, by a name (``median_seconds``) or by the factor that it holds (``100 * weights[0]``).
"""

from __future__ import annotations

import re

from sitekit.numerals import Numeral, is_printable, plain
from sitekit.pages import Page
from sitekit.values import Value

_BETWEEN = r"(?:[*_~`$\)\]]|<!--=.*?-->|</?\w+>|&nbsp;|[ \u00a0\u2009\u202f-]|\\(?=[%,]),?|\n(?!\s*\n))*"
# What the reader sees, and what an expression then holds. A decimal thousand is written 1e3 or 1000.
_UNITS = (
    (r"‰|permille", r"1000", "1000 * the share"),
    (r"[%％﹪٪]|&percnt;|(?:per[ -]?cent|percentage)(?![a-z])", r"100(?!\d)", "100 * the share"),
    (r"(?:ms|milliseconds?)\b", r"milli|\b1000(?!\d)", "a value in milliseconds"),
    (r"(?:[µμ]s|microseconds?)\b", r"micro|\b1000000(?!\d)", "a value in microseconds"),
    (r"(?:s|secs?|seconds?)\b", r"(?<!milli)(?<!micro)second|/ 1000", "a value in seconds"),
    (r"minutes?\b", r"minute|/ 60", "a value in minutes"),
    (r"[kK]B\b|kilobytes?\b", r"kilo|/ 1000(?!\d)", "a value in kilobytes"),
    (r"MB\b|megabytes?\b", r"mega|/ 1000000(?!\d)", "a value in megabytes"),
    (r"GB\b|gigabytes?\b", r"giga|/ 1000000000(?!\d)", "a value in gigabytes"),
    (r"KiB\b|kibibytes?\b", r"kibi|/ (?:1024|2 \*\* 10)\b", "a value in kibibytes"),
    (r"MiB\b|mebibytes?\b", r"mebi|/ (?:1048576|2 \*\* 20)\b", "a value in mebibytes"),
    (r"GiB\b|gibibytes?\b", r"gibi|/ 2 \*\* 30\b", "a value in gibibytes"),
    (r"bytes?\b", r"(?<!kilo|mega|giga|kibi|mebi|gibi)byte|itemsize", "a value in bytes"),
    (r"dozen\b", r"/ 12\b", "the value / 12"),
    (r"hundred\b", r"/ 100(?!\d)", "the value / 100"),
    (r"(?:thousand|[kK])\b", r"thousand|/ 1000(?!\d)", "the value / 1000"),
    (r"(?:million|M)\b", r"million|/ 1000000(?!\d)", "the value / 1e6"),
    (r"(?:billion|B)\b", r"billion|/ 1000000000(?!\d)", "the value / 1e9"),
    (r"trillion\b", r"trillion|/ 1000000000000(?!\d)", "the value / 1e12"),
)
_BESIDE = [
    (re.compile(_BETWEEN + f"(?P<unit>{shown})", re.DOTALL), re.compile(held), say)
    for shown, held, say in _UNITS
]
_MORE = re.compile(r"\b(?:more than|above|at least|just over)\s+[*_`$]*\Z")
_LESS = re.compile(r"\b(?:less than|fewer than|below|under|at most|nearly|almost)\s+[*_`$]*\Z")
_NOISE = 1e-9


def problem(page: Page, numeral: Numeral, value: Value) -> str | None:
    """What is wrong between a bound number and the words beside it."""
    if not is_printable(value.value) or isinstance(value.value, str):
        return None
    return _unit(page, numeral, value) or _side(page, numeral, value)


def _unit(page: Page, numeral: Numeral, value: Value) -> str | None:
    behind = page.text[numeral.end : numeral.end + 200]
    for beside, held, say in _BESIDE:
        found = beside.match(behind)
        if found:
            if held.search(re.sub(r"(\d)\.0\b", r"\1", value.source)):
                return None
            unit = found["unit"]
            return f"printed {numeral.text} {unit}, but nothing in {value.source} says {unit}: bind {say}"
    return None


def _side(page: Page, numeral: Numeral, value: Value) -> str | None:
    before = page.text[max(numeral.start - 30, 0) : numeral.start]
    left = (
        float(value.value) - float(plain(numeral.text))
        if re.fullmatch(r"[\d.+-]+", plain(numeral.text))
        else 0
    )
    for words, wrong in ((_MORE, left < -_NOISE), (_LESS, left > _NOISE)):
        found = words.search(before)
        if found and wrong:
            said = " ".join(found.group().strip("*_`$ ").split())
            return f"printed {said} {numeral.text}, but the value is {value.value}"
    return None
