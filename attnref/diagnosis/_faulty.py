"""A function that has a fault, to see it and to test with."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from attnref._errors import AttnRefError
from attnref._validate import refuse
from attnref.diagnosis._catalogue import FORMS
from attnref.diagnosis._explain import entry
from attnref.diagnosis._pipeline import Form, Probe, Rules, Variant, run


def faulty(fault: str, variant: int = 0) -> Callable[..., npt.NDArray[np.float64]]:
    """Give a function that has a fault, to see it and to test with.

    Parameters
    ----------
    fault
        Its name.
    variant
        Which way to get it wrong, counted from zero.

    Returns
    -------
    Callable
        For the form "attention" it is called as `f(Q, K, V, *, mask, causal, scale, bias, window, softcap)`,
        with arrays of four axes.

    Raises
    ------
    AttnRefError
        If there is no such fault or no form that shows it.

    Examples
    --------
    >>> from attnref import check
    >>> from attnref.diagnosis import faulty
    >>> check(faulty("mask_ignored")).diagnoses[0].fault
    'mask_ignored'
    """
    known = entry(fault)
    ways = [(form, v) for form, variants in FORMS.values() for v in variants if v.fault == fault]
    if not ways:
        refuse(
            AttnRefError,
            f"fault is {known.id!r}",
            "no form of the check shows it",
            "Choose one that has forms",
        )
    form, chosen = ways[variant]
    return composed(form, [chosen], known.id)


def composed(form: Form, variants: list[Variant], name: str) -> Callable[..., Any]:
    """The pipeline of a form with faults, as a function."""

    rules = Rules(mask="additive") if name == "mask_additive_vs_binary" else Rules()
    names = list(form.probes(0)[0].arrays)

    def function(*arrays: npt.ArrayLike, **options: Any) -> Any:
        chunks: tuple[int, ...] = ()
        if form.drive is not None:
            *new, cache = arrays
            cache = [*(cache or []), new]  # type: ignore[misc]
            chunks = tuple(part[0].shape[-2] for part in cache)
            arrays = tuple(np.concatenate(parts, axis=-2) for parts in zip(*cache, strict=True))
        given = {
            key: np.asarray(x) if not isinstance(x, (int, float, str)) else x
            for key, x in zip(names, arrays, strict=True)
        }
        dtype = getattr(next(iter(given.values())), "dtype", np.dtype(np.float64))
        held = replace(rules, dtype=dtype.name if "float" in dtype.name else "float64")
        if rules.mask == "additive" and options.get("mask") is not None:
            options["mask"] = np.asarray(options["mask"]) == 0
        features = {option for option, value in options.items() if value is not None and value is not False}
        features |= {"grouped"} if form.name == "grouped" else set()
        features |= {"causal+scale"} if {"causal", "scale"} <= features else set()
        with np.errstate(all="ignore"):
            probe = Probe(name, given, options, frozenset(features), chunks=chunks)
            work = run(replace(form, comparable=None), probe, held, variants)
        if work is None:
            raise ValueError(f"{name}: the arrays do not fit each other")
        results = tuple(getattr(work, result) for result in form.results)
        if form.drive is not None:
            return results[0][..., -chunks[-1] :, :], cache
        return results[0] if len(results) == 1 else results

    function.__name__ = function.__qualname__ = name
    parameters = [inspect.Parameter(a, inspect.Parameter.POSITIONAL_OR_KEYWORD) for a in form.arguments]
    parameters += [inspect.Parameter(o, inspect.Parameter.KEYWORD_ONLY, default=None) for o in form.options]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function
