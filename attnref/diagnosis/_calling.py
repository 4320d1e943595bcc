"""Call the function under test: which arguments it takes, in which framework, and what came of each probe."""

import inspect
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from attnref.diagnosis._arrays import (
    as_mask_given,
    back,
    float_type,
    into,
    laid_back,
    laid_out,
    parts,
    stepping,
)
from attnref.diagnosis._changes import aliased, equal, everything
from attnref.diagnosis._pipeline import Form, Probe, Rules
from attnref.diagnosis._seen import NotReturned, Seen
from attnref.diagnosis._signature import frameworks, required, taken
from attnref.diagnosis._watch import home_of, place

NEUTRAL: Mapping[str, Any] = {"causal": False}


class Caller:
    """The function with everything that is known about how to call it."""

    def __init__(
        self, fn: Callable[..., Any], form: Form, rules: Rules, adapter: Callable[..., Any] | None, dtype: Any
    ) -> None:
        self.fn, self.form, self.rules, self.adapter = fn, form, rules, adapter
        self.dtype = float_type(dtype or form.dtype)
        self.home = home_of(fn)
        self.framework = frameworks(fn)[0]
        found = taken(adapter or fn, form)
        self.takes = {} if found is None else found
        self.unread = found is None
        self.must = required(fn, form) if adapter is None else set()
        self.swapped = False
        """Whether the weights come first and the output second."""

        self.began = time.monotonic()
        """When the call that is running began."""

        self.calls, self.spent = 0, 0.0
        """How many calls there were, and how many seconds they took."""

        self.strided = False
        """Whether arrays are given as views whose memory is in another order."""

        self.one_sided = False
        """Whether a window is one number: how many keys a query sees, its own included."""

        self.full_mask = False
        """Whether a mask that must be given is all True where there is none, and not None."""

    def arguments(self, probe: Probe) -> tuple[list[Any], dict[str, Any]]:
        """The probe as the function is given it; fresh arrays each time."""
        dtype = float_type(probe.dtype) if probe.dtype else self.dtype
        given = []
        for x in probe.arrays.values():
            if isinstance(x, np.ndarray) and x.dtype.kind == "f":
                x = laid_out(x.astype(dtype), self.rules.layout)
                x = stepping(x) if self.strided else x
            elif isinstance(x, np.ndarray):
                x = x.copy()
            given.append(into(x, self.framework))
        options = {}
        for name, value in probe.options.items():
            if name == "mask":
                value = as_mask_given(value, self.rules, dtype)
            elif isinstance(value, np.ndarray):
                value = value.astype(dtype if value.dtype.kind == "f" else value.dtype)
            elif name == "window" and self.one_sided:
                value = value[0] + 1
            options[self.takes[name]] = into(value, self.framework)
        for name in self.must - set(options):
            option = next((o for o, alias in self.takes.items() if alias == name), name)
            options[name] = self.neutral(option, probe)
        return given, options

    def can(self, probe: Probe) -> bool:
        """Whether the function takes what the probe asks for."""
        sides = probe.options.get("window", (0, 0))
        return set(probe.options) <= set(self.takes) and not (self.one_sided and sides[1])

    @property
    def knows(self) -> set[str]:
        """The options that can be asked for."""
        return set(self.takes) | set(self.rules.always)

    def neutral(self, option: str, probe: Probe) -> Any:
        """What to pass for an option that must be given and has no part in the probe."""
        arrays = list(probe.arrays.values())
        if option == "scale":
            return arrays[0].shape[-1] ** -0.5
        if option == "mask" and self.full_mask and (mask := everything(self.form, probe)) is not None:
            return into(as_mask_given(mask, self.rules, self.dtype), self.framework)
        return NEUTRAL.get(option)

    def raw(self, probe: Probe) -> tuple[Any, list[Any], list[Any]]:
        """The bare result, with the arguments before and after."""
        given, options = self.arguments(probe)
        positional, keyword = self.arguments(probe)
        before = [back(x) for x in (*positional, *keyword.values())]
        self.began = time.monotonic()
        call = self.fn if self.adapter is None else self.adapter
        ahead = [] if self.adapter is None else [self.fn]
        if self.form.drive is not None:
            value = self.form.drive(partial(call, *ahead), given, options, probe, self.rules)
            return value, before, [*given, *options.values()]
        return call(*ahead, *given, **options), before, [*given, *options.values()]

    def __call__(self, probe: Probe) -> Seen:
        start = time.monotonic()
        try:
            value, before, given = self.raw(probe)
        except NotReturned as what:
            return Seen(probe, problem=str(what), kind="returns_no_array")
        except Exception as error:
            text = f"{type(error).__name__}: {error}".removesuffix(": ").splitlines()
            seen = Seen(probe, problem=text[0], kind="raises", line=place(error.__traceback__, self.home))
            seen.arithmetic = isinstance(error, ArithmeticError) or "without overflow" in text[0]
            return seen
        finally:
            self.calls, self.spent = self.calls + 1, self.spent + time.monotonic() - start
        return self.read(probe, value, before, given)

    def read(self, probe: Probe, value: Any, before: list[Any], given: list[Any]) -> Seen:
        """Turn what was returned into numbers."""
        if inspect.isgenerator(value) or inspect.iscoroutine(value):
            what = (
                "a generator: it yields where it should return"
                if inspect.isgenerator(value)
                else "a coroutine"
            )
            value.close()
            return Seen(probe, problem=what, kind="returns_no_array")
        found = [back(part) for part in parts(value)]
        arrays = [x for x in found if x is not None]
        if not arrays or (found[0] is None and not isinstance(value, Mapping)):
            what = (
                "None: is a return missing?" if value is None else f"an object of type {type(value).__name__}"
            )
            if isinstance(value, np.ndarray):
                what = f"an array of dtype {value.dtype}"
            return Seen(probe, problem=what, kind="returns_no_array")
        changed = tuple(
            name
            for name, old, new in zip((*probe.arrays, *probe.options), before, given, strict=False)
            if old is not None and not equal(old, back(new))
        )
        alias = aliased(found[0], dict(zip(probe.arrays, given, strict=False)))
        if self.swapped and len(arrays) > 1:
            arrays[:2] = arrays[1::-1]
        results = [laid_back(x.astype(np.float64), self.rules.layout) for x in arrays]
        if len(self.form.results) > 1:
            results = [np.concatenate([x.ravel() for x in results[: len(self.form.results)]])]
        if self.form.comparable is not None:
            results[0] = self.form.comparable(results[0], probe)
        maker = type(parts(value)[0]).__module__.partition(".")[0]
        return Seen(probe, results, dtype=str(arrays[0].dtype), maker=maker, changed=changed, alias=alias)
