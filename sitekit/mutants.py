"""The mutants of a page: each numeral that a reader sees, and each input of its programs, changed in one place."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sitekit import numerals
from sitekit.pages import Page
from sitekit.programs import Unit


@dataclass(frozen=True)
class Mutant:
    """One change: ``what`` as the reader of the report sees it, at a line of a file."""

    path: str
    line: int
    before: str
    after: str
    kind: str  # "numeral", "output" or "input"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind} {self.before} → {self.after}"


def variants(text: str) -> list[str]:
    """A numeral changed in each way that a slip would: a digit, the sign, two neighbours swapped."""
    sign = re.match(r"[+−-]?", text).group()
    digits = [k for k, character in enumerate(text) if character.isdigit()]
    found = []
    for k in digits:
        found.append(text[:k] + str((int(text[k]) + 1) % 10) + text[k + 1 :])
    for a, b in itertools.pairwise(digits):
        if text[a] != text[b]:
            found.append(text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :])
    if any(text[k] != "0" for k in digits):
        found.append(text[len(sign) :] if sign in ("-", "−") else "−" + text[len(sign) :])
    return [other for other in dict.fromkeys(found) if other != text]


def numeral_mutants(page: Page) -> Iterator[tuple[Mutant, Page]]:
    """Every numeral that a reader sees outside the blocks, changed in the source."""
    for numeral in [*page.numerals, *(numeral for numeral, _ in page.meta_numerals)]:
        for other in variants(numeral.text):
            text = page.text[: numeral.start] + other + page.text[numeral.end :]
            mutant = Mutant(page.path, page.line(numeral.start), numeral.text, other, "numeral")
            yield mutant, replace(page, text=text)


def output_mutants(page: Page) -> Iterator[tuple[Mutant, Page]]:
    """Every numeral of the output blocks (and of what sessions show)."""
    for fence in page.fences:
        inside = range(fence.code_start, fence.end)
        shown = fence.kind == "output" or (fence.kind == "pycon" and not fence.program)
        for numeral in numerals.find(page.text, inside.start, inside.stop) if shown else ():
            line_start = page.text.rfind("\n", 0, numeral.start) + 1
            if fence.kind == "pycon" and re.match(
                r"[ \t>]*(>>>|\.\.\.)", page.text[line_start : numeral.start]
            ):
                continue
            for other in variants(numeral.text):
                text = page.text[: numeral.start] + other + page.text[numeral.end :]
                mutant = Mutant(page.path, page.line(numeral.start), numeral.text, other, "output")
                yield mutant, replace(page, text=text)


def input_mutants(units: list[Unit]) -> Iterator[tuple[Mutant, list[Unit]]]:
    """Every number and text in the programs, changed in the code."""
    for k, unit in enumerate(units):
        if unit.absent:
            continue
        for start, end, other in _constants(unit):
            code = unit.code[:start] + other + unit.code[end:]
            line = unit.line + unit.code.count("\n", 0, start)
            mutant = Mutant(unit.path, line, unit.code[start:end], other, "input")
            yield mutant, [*units[:k], replace(unit, code=code), *units[k + 1 :]]


def _constants(unit: Unit) -> Iterator[tuple[int, int, str]]:
    if unit.kind == "pycon":
        for match in re.finditer(r"^(?:>>>|\.\.\.) .*$", unit.code, re.MULTILINE):
            for numeral in numerals.find(match.group()):
                start = match.start() + numeral.start
                yield start, start + len(numeral.text), _other_number(numeral.text)
        return
    try:
        tree = ast.parse(unit.code)
    except SyntaxError:  # a block that shows how such an error reads
        return
    lines = [0]
    for line in unit.lines:
        lines.append(lines[-1] + len(line) + 1)
    passed_over = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):  # positions inside f-strings differ between Python versions
            passed_over |= {id(part) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in passed_over:
            continue
        start, end = (
            lines[line - 1] + len(unit.lines[line - 1].encode()[:column].decode())
            for line, column in ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
        )
        source = unit.code[start:end]
        if isinstance(node.value, bool):
            yield start, end, str(not node.value)
        elif isinstance(node.value, int | float):
            yield start, end, _other_number(source)
            if node.value:
                yield start, end, f"(-{source})"
        elif isinstance(node.value, str) and node.value:
            letter = re.search(r"\w", source.lstrip("rbuRBU"))
            if letter:
                at = len(source) - len(source.lstrip("rbuRBU")) + letter.start()
                changed = "b" if source[at] == "a" else "a"
                yield start, end, source[:at] + changed + source[at + 1 :]


def _other_number(source: str) -> str:
    mantissa, exponent = re.fullmatch(r"([^eE]*)(.*)", source).groups()
    at = max(k for k, character in enumerate(mantissa) if character.isdigit())
    return mantissa[:at] + str((int(mantissa[at]) + 1) % 10) + mantissa[at + 1 :] + exponent
