"""What a function's signature and code say: its options, and the framework it is written in."""

import inspect
import sys
from collections.abc import Callable
from typing import Any

from attnref.diagnosis._pipeline import Form


def taken(fn: Callable[..., Any], form: Form) -> dict[str, str] | None:
    """Option -> the name by which the function takes it; None where its signature cannot be read."""
    try:
        names = inspect.signature(getattr(fn, "forward", fn)).parameters
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in names.values()):
        return None
    usable = {name for name, p in names.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)} - set(
        list(names)[: len(form.arguments)]
    )
    found = {}
    for option, aliases in form.options.items():
        for alias in aliases:
            if alias in usable:
                found[option] = alias
                break
    return found


def required(fn: Callable[..., Any], form: Form) -> set[str]:
    """The parameters behind the arrays that have no default."""
    try:
        names = list(inspect.signature(getattr(fn, "forward", fn)).parameters.values())
    except (TypeError, ValueError):
        return set()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {p.name for p in names[len(form.arguments) :] if p.default is p.empty and p.kind in kinds}


def frameworks(fn: Callable[..., Any]) -> list[str]:
    """In which order to try the frameworks: the one that the function's own code names comes first."""
    used = {name.partition(".")[0] for name in modules_of(fn, set())}
    if any(cls.__module__.startswith("torch") for cls in type(fn).__mro__):
        used.add("torch")
    order = [name for name in ("torch", "jax") if name in used and name in sys.modules]
    loaded = [name for name in ("torch", "jax") if name in sys.modules and name not in order]
    return [*order, "numpy", *loaded]


def modules_of(fn: Any, done: set[int]) -> set[str]:
    """The modules that a function, and those of its own file that it calls, refer to by name."""
    fn = getattr(fn, "__wrapped__", fn)
    fn = getattr(fn, "func", fn)  # functools.partial
    code, scope = getattr(fn, "__code__", None), getattr(fn, "__globals__", {})
    if code is None:
        return {str(getattr(fn, "__module__", None) or type(fn).__module__)}
    if id(code) in done:
        return set()
    done.add(id(code))
    found = set()
    cells = [cell.cell_contents for cell in getattr(fn, "__closure__", None) or () if _filled(cell)]
    for item in [*(scope[name] for name in code.co_names if name in scope), *cells]:
        if inspect.ismodule(item):
            found.add(item.__name__)
        elif inspect.isfunction(item):
            found |= modules_of(item, done)
        elif hasattr(item, "__wrapped__"):  # compiled, cached or decorated
            found |= modules_of(item, done) | {type(item).__module__.replace("jaxlib", "jax")}
        elif inspect.isbuiltin(item) or inspect.isclass(item):
            found.add(str(getattr(item, "__module__", "")))
    return found


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
