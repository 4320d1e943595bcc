"""What to do where a function cannot be called as the form calls it, or returns something odd."""

import inspect
from collections.abc import Callable
from typing import Any

from attnref._errors import AttnRefError
from attnref._validate import refuse
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._pipeline import Form
from attnref.diagnosis._seen import Seen

PATIENT = 5.0
"""Seconds that all calls together may take before it is said."""

RETURNED = {
    "a coroutine": "Write def instead of async def, or pass adapter=lambda fn, *arrays: asyncio.run(fn(*arrays)).",
    "an object of type async_generator": "Write def instead of async def, and return instead of yield.",
    "a generator: it yields where it should return": "Write return instead of yield.",
}


def callable_only(fn: Any) -> Callable[..., Any]:
    """Refuse what cannot be called."""
    if not callable(fn):
        step = "Give the function itself, without parentheses behind its name"
        if isinstance(fn, str):
            step = "Give the function itself; in a shell: python -m attnref check FILE.py:NAME"
        refuse(
            AttnRefError,
            f"fn is of type {type(fn).__name__}",
            "it is a function, to be called with arrays",
            step,
        )
    return fn  # type: ignore[no-any-return]


def names_of(fn: Any) -> list[inspect.Parameter]:
    """Its parameters; none where they cannot be read."""
    try:
        return list(inspect.signature(getattr(fn, "forward", fn)).parameters.values())
    except (TypeError, ValueError):
        return []


def how_to_call(fn: Any, form: Form) -> str:
    """What to change where the call itself is refused, before the function begins."""
    arrays = ", ".join(form.arguments)
    if inspect.isclass(fn):
        return f"Give an instance of {fn.__name__}, and not the class: it is to be called with {arrays}."
    names = names_of(fn)
    keyword = [p.name for p in names if p.kind is p.KEYWORD_ONLY][: len(form.arguments)]
    if len(keyword) == len(form.arguments) and all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in names):
        pairs = ", ".join(f"{name}={array}" for name, array in zip(keyword, form.arguments, strict=True))
        return f"Pass adapter=lambda fn, {arrays}: fn({pairs})."
    return f"Take {arrays} by position, or pass adapter=lambda fn, {arrays}: fn(…), with your own call in it."


def mend_for(item: Seen, fn: Any, form: Form) -> str:
    """What to change; empty: what the catalogue says."""
    if item.kind == "raises" and not item.line:
        return how_to_call(fn, form)
    if "of dtype" in item.problem:
        return "Return real numbers, as float64 or float32."
    return RETURNED.get(item.problem, "")


def remarks(caller: Caller) -> list[str]:
    """What looks odd about how it is called: the order of its parameters, others that it needs, its time."""
    found = []
    names = [p.name for p in names_of(caller.fn)]
    first = [name[:1].upper() for name in names[:3]]
    if caller.adapter is None and caller.form.arguments[:3] == ("Q", "K", "V"):
        if sorted(first) == ["K", "Q", "V"] and first != ["Q", "K", "V"]:
            found.append(f"its parameters are {', '.join(names[:3])}; it was given Q, K, V, in this order.")
        other = [name for name in names if name in caller.must - set(caller.takes.values())]
        if other:
            words = " and ".join(other)
            found.append(
                f"it must be given {words}, for which None was passed: pass adapter= to give another value."
            )
    if caller.spent > PATIENT:
        found.append(f"its {caller.calls} calls took {caller.spent:.1f} seconds; the arrays are tiny.")
    return found
