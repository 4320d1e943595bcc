"""Formulas that are arithmetic are read, not trusted: the TeX is parsed and evaluated against the code."""

from __future__ import annotations

import math
import re
import warnings
from functools import lru_cache
from typing import Any

from sitekit.expressions import BindingError, parse
from sitekit.values import Scope

# What SymPy's grammar does not take as meant: d is kept for differentials, a power ends a product.
_D = re.compile(r"(?<![A-Za-z\\])d(?![A-Za-z])")
_WORDS = re.compile(r"\\(?:text|mathrm|mathit)\s*\{([^{}]*)\}")
_POWER = re.compile(r"([A-Za-z](?:_(?:\w|\{[^{}]*\}))?|\d+)\^(\{[^{}]*\}|\w)")


def check(tex: str, body: str, scope: Scope) -> str:
    """Compare a formula at stated values with an expression; return the proof as the reader sees it.

    ``body`` is what stands in the comment: ``n=4: zeros_above(4)``.
    """
    head, colon, right = body.partition(":")
    if not colon:
        raise BindingError("a tex comment says at which values and against what: <!--tex n=4: expression -->")
    symbols = {}
    for part in filter(None, (item.strip() for item in head.split(","))):
        name, equals, source = part.partition("=")
        if not equals:
            raise BindingError(f"{part!r} gives no value: write it as name=value")
        try:
            symbols[name.strip()] = float(eval(source, scope.names))
        except (Exception, SystemExit) as error:
            raise BindingError(f"{source.strip()!r} gives {name.strip()} no value: {error}") from None
    (source, code, names), *more = parse(right.strip())
    if more:
        raise BindingError("a tex comment compares with one expression")
    try:
        expected = float(scope.evaluate(source, code, names))
    except (TypeError, ValueError):
        raise BindingError(f"{source} gives no single number to compare the formula with") from None
    value = evaluate(tex, symbols)
    at = ", ".join(f"{name} = {number:g}" for name, number in symbols.items())
    if not math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12):
        raise BindingError(f"at {at} the formula gives {value:.12g}, {source} gives {expected:.12g}")
    return f"read as arithmetic: at {at} it gives {value:.12g}, as {source} does"


def evaluate(tex: str, symbols: dict[str, float]) -> float:
    """Evaluate a formula at the given values. Where TeX can be read in two ways, both must agree."""
    import sympy

    results = set()
    # SymPy's grammar keeps d for differentials; here it is a symbol, under a letter that the formula has not.
    letter = next(c for c in "DZXWYJHGFUTSRPML" if c not in tex and not any(c in name for name in symbols))
    symbols = {"e": math.e, **{_D.sub(letter, name): value for name, value in symbols.items()}}
    plain = _POWER.sub(r"(\1^\2)", _D.sub(letter, _WORDS.sub(r"{\1}", tex.strip())))
    for expression in _read(plain):
        known = {symbol: symbols.get(_name(symbol)) for symbol in expression.free_symbols}
        missing = [_name(symbol).replace(letter, "d") for symbol, value in known.items() if value is None]
        if missing:
            raise BindingError(f"the formula uses {', '.join(sorted(missing))}, for which no value is given")
        result = expression.subs(known).evalf()
        if not result.is_number or not result.is_finite or result.has(sympy.I):
            raise BindingError(f"the formula gives {result}, not a number")
        results.add(round(float(result), 12))
    if len(results) != 1:
        raise BindingError(
            f"the formula can be read in {len(results)} ways that differ: add braces or \\cdot"
        )
    return results.pop()


def _name(symbol: Any) -> str:
    return str(symbol).replace("{", "").replace("}", "").replace(" ", "")


@lru_cache(maxsize=1024)
def _read(tex: str) -> tuple[Any, ...]:
    """All readings of a formula as arithmetic. ``n(n-1)`` is a product here, never a call of n."""
    import lark
    import sympy
    from sympy.core.function import AppliedUndef
    from sympy.parsing.latex import parse_latex

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse_latex(tex, backend="lark")
    except Exception as error:
        reason = str(error).strip().splitlines()[0]
        raise BindingError(f"the formula {tex} cannot be read as arithmetic: {reason}") from None
    readings = tree.children if isinstance(tree, lark.Tree) else [tree]
    arithmetic = [r for r in readings if isinstance(r, sympy.Expr) and not r.has(AppliedUndef)]
    if not arithmetic:
        raise BindingError(f"the formula {tex} is no arithmetic expression")
    return tuple(arithmetic)
