"""Compare a function with attention, and name what is wrong with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from attnref._errors import AttnRefError
from attnref._masks import Align
from attnref._validate import refuse
from attnref.diagnosis._again import Observed, chance
from attnref.diagnosis._always import built_in, holding
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._catalogue import FORMS
from attnref.diagnosis._findings import aliasing, finding, findings, fixed_dropout
from attnref.diagnosis._hints import callable_only, remarks
from attnref.diagnosis._naming import name_faults
from attnref.diagnosis._observe import observe
from attnref.diagnosis._pipeline import Rules
from attnref.diagnosis._report import Report
from attnref.diagnosis._summary import notes, stated, title, untested
from attnref.diagnosis._watch import watch

WEIGHTS = {
    "weights_averaged": "The weights that you return beside the output are averaged over the heads.",
    "weights_after_dropout": "The weights that you return beside the output are those after dropout.",
    "weights_wrong": "The weights that you return beside the output are not those that it was blended with.",
}
WORDS = {
    "mask": ("attend", "hide", "additive"),
    "causal_align": ("bottom_right", "top_left"),
    "empty_row": ("zero", "mean", "nan"),
}


def check(
    fn: Callable[..., Any],
    *,
    form: str = "attention",
    layout: str = "BHLD",
    mask: str = "attend",
    causal_align: str = "bottom_right",
    empty_row: str = "zero",
    always: Mapping[str, Any] | None = None,
    features: str | Sequence[str] = "auto",
    dtype: Any = None,
    adapter: Callable[..., Any] | None = None,
    timeout: float = 10,
    seed: int = 0,
) -> Report:
    """Tell what is wrong with a function that computes attention.

    The function is called with a few dozen tiny arrays. What it returns is compared with attention, and with
    attention under every fault of the catalogue and their combinations: a fault is named only if it
    reproduces the numbers.

    Parameters
    ----------
    fn
        The function. For `form="attention"` it is called as `fn(Q, K, V)` with arrays of four axes, batch,
        heads, length and width, and with those of the options `mask`, `causal`, `scale`, `bias`, `window`,
        `softcap` and `lengths` that it takes. It may return the output alone or a tuple that begins with it.
    form
        What the function computes, a key of `attnref.diagnosis.FORMS`; each says how it calls a function.
    layout
        The order of the axes: B batch, H heads, L length, D width. Without B or H the function is called with
        arrays that have no such axis.
    mask
        What a mask means to the function. `"attend"`: True where a query may attend. `"hide"`: True where it
        may not. `"additive"`: a number to be added to the scores.
    causal_align
        `"bottom_right"`: the last query lines up with the last key. `"top_left"`: the first with the first.
    empty_row
        What a query gives that may attend to nothing: `"zero"`, `"mean"` of all values, or `"nan"`.
    always
        What is built into the function, such as `{"causal": True}` for one that hides the future without being
        told to: it holds in each call, and is not passed.
    features
        Names of options to be tested, such as `["mask", "causal"]`. `"auto"`: those that the function takes.
        With `"garbage"` among them, NaN behind a mask must not reach the output.
    dtype
        What the arrays are given in. None: `float64`, and `float16` for `form="half"`. With a narrower one,
        rounding of its size is allowed, and queries whose dot products `float16` cannot hold are left out.
    adapter
        For functions that are called otherwise: `adapter(fn, Q, K, V, **options)` calls the function and
        returns the output. Its own parameters say which options there are.
    timeout
        Seconds after which one call of the function is stopped. See Notes.
    seed
        For the random numbers in the arrays. The same seed gives the same report.

    Returns
    -------
    Report
        True where nothing is wrong. `print` it.

    Raises
    ------
    AttnRefError
        If an option is none of its words. What the function itself raises is a finding, not an exception.

    Notes
    -----
    The function runs in a thread of its own. A loop in Python that does not end is stopped; one inside
    compiled code, or one that catches every exception, is left behind until the program ends.

    Differs from comparing two arrays: probes with sizes that are all different, with scores that overflow an
    exponential, with queries that may see nothing and with options combined show what random square arrays
    hide.

    Source: the faults were collected from public reports; each names its own in `explain`.

    Examples
    --------
    >>> import numpy as np
    >>> from attnref import check, softmax
    >>> def forgetful(Q, K, V):
    ...     return softmax(Q @ K.mT) @ V
    >>> report = check(forgetful)
    >>> report.diagnoses[0].fault
    'scale_missing'
    """
    rules = read_rules(form, layout, mask, causal_align, empty_row)
    chosen, variants = FORMS[form]
    callable_only(fn)
    rules = replace(rules, always=built_in(always or {}, chosen))
    caller = Caller(fn, chosen, rules, adapter, dtype)
    caller.rules = rules = replace(rules, dtype=caller.dtype.name)
    wanted = None if features == "auto" else set([features] if isinstance(features, str) else features)
    probes = [
        probe
        for each in chosen.probes(seed)
        if (probe := holding(each, rules.always)) is not None
        and ("garbage" not in probe.features or (wanted and "garbage" in wanted))
        and (wanted is None or set(each.options) <= wanted)
    ]
    seen = Observed()
    watched = watch(
        lambda: observe(caller, probes, seen), timeout=timeout, home=caller.home, began=lambda: caller.began
    )
    errors = findings(caller, seen, watched, timeout)
    with np.errstate(all="ignore"):
        named = name_faults(caller, seen, variants, timeout if not watched.timed_out else 0)
    known = {item.fault for item in named.diagnoses}
    if named.weights:
        errors.append(finding(named.weights, WEIGHTS[named.weights]))
    if named.narrow:
        text = (
            f"Your function computes in {named.narrow} and returns it, where it is given {caller.dtype.name}."
        )
        errors.insert(0, finding("softmax_low_precision", text))
    if named.right and not errors:
        errors += aliasing(seen)
    if named.unexplained and not named.diagnoses and not seen.fickle:
        seen.dropped = chance(caller)
        if (found := fixed_dropout(seen)) is not None:
            errors, named.unexplained = [*errors, found], []
    kept = [item for item in errors if not (item.fault == "raises" and named.explains_errors)]
    diagnoses = (*named.diagnoses, *(item for item in kept if item.fault not in known))
    return Report(
        ok=named.right and not diagnoses,
        diagnoses=diagnoses,
        conventions=stated(rules, caller),
        unexplained=tuple(named.unexplained),
        passed=tuple(named.passed),
        failed=tuple(item.probe.name for item in seen.seen if item.probe.name not in named.passed),
        not_tested=tuple(untested(caller, chosen, wanted, seen)),
        notes=(*notes(watched), *remarks(caller)),
        name=title(fn),
    )


def read_rules(form: str, layout: str, mask: str, causal_align: str, empty_row: str) -> Rules:
    """Refuse what is none of an option's words."""
    given = {"mask": mask, "causal_align": causal_align, "empty_row": empty_row}
    if form not in FORMS:
        refuse(
            AttnRefError, f"form is {form!r}", "it names what is computed", f"Write one of {', '.join(FORMS)}"
        )
    for name, words in WORDS.items():
        if given[name] not in words:
            refuse(
                AttnRefError,
                f"{name} is {given[name]!r}",
                "this option knows certain words only",
                f"Write one of {', '.join(words)}",
            )
    if not set("LD") <= set(layout) <= set("BHLD") or len(set(layout)) != len(layout):
        refuse(
            AttnRefError,
            f"layout is {layout!r}",
            "it orders the letters B, H, L and D",
            "Write BHLD, BLHD, BLD or LD",
        )
    if not FORMS[form][0].layouts and len(layout) < 4:
        step = "Write BHLD or BLHD"
        refuse(AttnRefError, f"layout is {layout!r}", f"arrays of form {form!r} have all four axes", step)
    return Rules(layout, mask, cast(Align, causal_align), empty_row)
