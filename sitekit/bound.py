"""What comments own: each value of an expression beside its numeral, each claim, each formula that is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sitekit import bindings, formulas, hollow, programs, values
from sitekit.bindings import Binding
from sitekit.expressions import BindingError, NameMissing, NotHere, parse
from sitekit.hollow import Trial
from sitekit.numerals import Numeral, is_printable, mismatch, rounded, value_text
from sitekit.owners import Ledger, Owned
from sitekit.pages import Page, Problem
from sitekit.values import Scope, Value

_CITED = re.compile(r"cite\.(?P<key>\w+)\.(?P<name>\w+)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def own(ledger: Ledger, tried: bool) -> None:
    """Compare each comment with what it speaks for; ``tried`` says whether it is also tried if it proves anything."""
    page = ledger.page
    scope = Scope(page, ledger.run)
    trial = hollow.Trial(scope, ledger.run.hollow) if tried else None
    found, misplaced = bindings.pair(page)
    ledger.problems += [Problem(page.path, comment.line, reason) for comment, reason in misplaced]
    found += [Binding(comment, tuple(numerals)) for comment, numerals in page.meta_comments]
    ledger.comments = len(found)
    # What never ran is reported where it failed, not once more at each number that waits for it.
    incomplete = ledger.run.broken or any(fence.problem for fence in page.fences)
    for binding in found:
        free = replace(binding, numerals=tuple(n for n in binding.numerals if n not in ledger.owned))
        if binding.columns:
            free = binding
        try:
            if binding.comment.mark == "?":
                _claim(ledger, scope, binding, trial)
            elif binding.comment.mark == "tex":
                _read_formula(ledger, scope, binding, trial)
            else:
                _bind(ledger, scope, free, trial)
        except NotHere as error:
            ledger.claims -= binding.comment.mark == "?"
            ledger.owned |= {n: Owned(n, "elsewhere", str(error)) for n in free.numerals}
        except BindingError as error:
            if not (incomplete and isinstance(error, NameMissing)):
                ledger.problems.append(Problem(page.path, binding.comment.line, str(error)))
            for n in binding.numerals:  # said once, so that each numeral is not reported again
                ledger.owned.setdefault(n, Owned(n, "bound", str(error), wrong=str(error)))
    ledger.problems += _assigned_twice(ledger, scope)


def _claim(ledger: Ledger, scope: Scope, binding: Binding, trial: Trial | None) -> None:
    ledger.claims += 1
    for part in parse(binding.comment.body):
        value = scope.evaluate(*part)
        if not isinstance(value, bool | np.bool_):
            raise BindingError(f"the claim {part[0]} gives {value!r}, neither True nor False")
        if not value:
            raise BindingError(f"the claim {part[0]} is false")
        if trial and (reason := hollow.claim(trial, part[0])):
            raise BindingError(reason)


def _read_formula(ledger: Ledger, scope: Scope, binding: Binding, trial: Trial | None) -> None:
    assert binding.span is not None
    proof = formulas.check(binding.span.text, binding.comment.body, scope)
    ledger.formula_proofs[binding.span.start] = proof
    ledger.owned.update({n: Owned(n, "read", proof) for n in binding.numerals})
    (part,) = parse(binding.comment.body.partition(":")[2].strip())
    if trial and (reason := hollow.number(trial, *part, (f"{float(scope.evaluate(*part)):.12g}",))):
        raise BindingError(reason)


def _bind(ledger: Ledger, scope: Scope, binding: Binding, trial: Trial | None) -> None:
    table = bool(binding.columns)
    given = values.table_values(scope, binding) if table else scope.values(binding.comment.body)
    if len(given) != len(binding.numerals):
        raise BindingError(
            f"{len(binding.numerals)} numerals stand here, the comment gives {len(given)} values:"
            + _side_by_side(ledger.page, binding.numerals, given)
        )
    wrong = []
    for numeral, value in zip(binding.numerals, given, strict=True):
        reason = mismatch(numeral.text, value.value) or _percent(ledger.page, numeral, value)
        if reason:
            wrong.append(
                Problem(ledger.page.path, ledger.page.line(numeral.start), f"{reason} ({value.label})")
            )
        ledger.owned[numeral] = _owned(ledger, numeral, value, reason or "")
    if len(wrong) > 1:
        pairs = _side_by_side(ledger.page, binding.numerals, given)
        wrong[0] = replace(wrong[0], message=wrong[0].message + pairs)
    ledger.problems += wrong
    texts = [numeral.text for numeral in binding.numerals]
    if trial and not wrong and (reason := hollow.numbers(trial, binding.comment.body, texts, given)):
        raise BindingError(reason)


def _percent(page: Page, numeral: Numeral, value: Value) -> str | None:
    """A number before a percent sign is a hundred times a share, and its expression says so."""
    follows = re.match(
        r"[*_]*(?:<!--=.*?-->)?[ \u00a0]?\\?%", page.text[numeral.end : numeral.end + 200], re.DOTALL
    )
    if follows and "100" not in value.source and not isinstance(value.value, str):
        return f"printed {numeral.text} %, but {value.source} holds no 100: bind 100 * the share"
    return None


def _owned(ledger: Ledger, numeral: Numeral, value: Value, wrong: str) -> Owned:
    right = rounded(value.value, numeral.text) if wrong and is_printable(value.value) else ""
    cited = _CITED.fullmatch(value.label)
    if cited:
        source = ledger.page.record.sources.get(cited["key"], {})
        place = source.get("figures", {}).get(cited["name"], {}).get("place")
        proof = ", ".join(filter(None, [source.get("label", cited["key"]), place]))
        return Owned(numeral, "cited", proof, wrong=wrong, right=right)
    shown = value_text(value.value) if is_printable(value.value) else repr(value.value)
    lines = ",".join(lines_of(ledger, value.label))
    return Owned(numeral, "bound", value.label, shown, lines, wrong, right, value.source)


def lines_of(ledger: Ledger, label: str) -> list[str]:
    """The lines that gave the names of a label their values, as the reader is shown them: 72, bank.py:12."""
    found = {}
    for name in _names_of(label):
        for place in ledger.run.computed.get(name, []):
            file = "" if place.path == ledger.page.path else f"{place.path.rpartition('/')[2]}:"
            found[f"{file}{place.line}"] = place.text
    shown = dict(list(found.items())[:3])
    ledger.lines.update(shown)
    return list(shown)


@lru_cache(maxsize=4096)
def _names_of(label: str) -> list[str]:
    """The names in a label, those of programs (``bank.weights``) first."""
    names = [match.group() for match in _IDENTIFIER.finditer(label)]
    return sorted(names, key=lambda name: -name.count("."))


def _side_by_side(page: Page, found: tuple[Numeral, ...], given: list[Value], limit: int = 40) -> str:
    lines = []
    for k in range(min(max(len(found), len(given)), limit)):
        left = f"line {page.line(found[k].start)}: {found[k].text}" if k < len(found) else "(no numeral)"
        right = f"{given[k].value!r:<24} {given[k].label}" if k < len(given) else "(no value)"
        bad = k >= len(found) or k >= len(given) or mismatch(found[k].text, given[k].value)
        lines.append(f"    {left:<22} {'≠' if bad else '='} {right}")
    return "\n" + "\n".join(lines)


def _assigned_twice(ledger: Ledger, scope: Scope) -> Iterator[Problem]:
    for name in sorted(scope.used):
        places = scope.computed[name]
        if len(places) > 1:
            yield Problem(
                places[1].path,
                places[1].line,
                f"{name} is bound to a numeral and assigned a second time here (first in line {places[0].line}): "
                "give one of the two another name",
            )
        elif (
            name in ledger.run.digests and programs.digest(ledger.run.names[name]) != ledger.run.digests[name]
        ):
            yield Problem(
                places[0].path,
                places[0].line,
                f"{name} is bound to a numeral and is changed in place later, so that the page shows what it held "
                "at the end: change a copy, under another name",
            )
        elif places[0].loop:
            yield Problem(
                places[0].path,
                places[0].line,
                f"{name} is bound to a numeral and is a loop variable: keep its values in a list",
            )
