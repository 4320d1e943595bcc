"""What is wrong with the function as a program: it raises, does not end, returns nothing, keeps state."""

from dataclasses import replace

import numpy as np

from attnref.diagnosis._again import Observed
from attnref.diagnosis._arrays import narrowed
from attnref.diagnosis._calling import Caller
from attnref.diagnosis._catalogue import catalogue
from attnref.diagnosis._hints import mend_for
from attnref.diagnosis._pipeline import Probe
from attnref.diagnosis._report import Diagnosis
from attnref.diagnosis._say import number
from attnref.diagnosis._seen import Seen
from attnref.diagnosis._watch import Watched


def shapes(probe: Probe) -> str:
    """What it was called with."""
    arrays = [f"{name} {x.shape}" for name, x in probe.arrays.items() if hasattr(x, "shape")]
    options = [
        f"{name} of shape {x.shape}" if hasattr(x, "shape") else f"{name}={x}"
        for name, x in probe.options.items()
    ]
    return ", ".join([*arrays, *options])


def finding(fault: str, sentence: str, line: str = "", probe: str = "", mend: str = "") -> Diagnosis:
    """A diagnosis of the program."""
    entry = catalogue()[fault]
    return Diagnosis(
        fault, entry.kind, sentence, "exact", mend or entry.mend, page=entry.page, line=line, probe=probe
    )


def findings(caller: Caller, seen: Observed, watched: Watched, timeout: float) -> list[Diagnosis]:
    """All of them."""
    found = []
    if watched.timed_out and seen.now is not None:
        text = f"Your function does not end: it was stopped after {timeout:g} seconds, called with {shapes(seen.now)}."
        found.append(finding("times_out", text, watched.line, seen.now.name))
    elif watched.error is not None:
        text = f"Your function ended the call with {type(watched.error).__name__}: {watched.error}."
        found.append(finding("raises", text, watched.line))
    found += problems(caller, seen.seen, layouts(caller, seen))
    changed = next((item for item in seen.seen if item.changed), None)
    if changed is not None:
        names = " and ".join(changed.changed)
        text = f"Your function changes its input {names}: after the call it holds other numbers than before."
        found.append(finding("inputs_changed", text, probe=changed.probe.name))
    if seen.fickle:
        found.append(dropout(seen) or fickle(seen))
    if seen.unlike:
        text = "Your function reads memory as if it were contiguous: given the same numbers as a view whose axes were"
        found.append(
            finding("strides_ignored", text + " exchanged, as a transpose makes it, it gives another result.")
        )
    if seen.reused:
        text = "A later call changes the result of an earlier one: your function returns a buffer that it uses again."
        found.append(finding("buffer_reused", text))
    return found


def layouts(caller: Caller, seen: Observed) -> str:
    """Where every call raises: the layout in which one would not."""
    raised = [item for item in seen.seen if item.kind == "raises"]
    if not raised or caller.form.name not in ("attention", "grouped") or caller.rules.layout != "BHLD":
        return ""
    if any(not (item.problem or item.probe.optional or item.probe.options) for item in seen.seen):
        return ""
    kept = caller.rules
    for layout in ("LD", "BLD"):
        caller.rules = replace(kept, layout=layout)
        works = not caller(narrowed(raised[0].probe, layout)).problem
        caller.rules = kept
        if works:
            return f' It can be called with layout="{layout}", arrays with fewer axes.'
    return ""


def problems(caller: Caller, seen: list[Seen], hint: str = "") -> list[Diagnosis]:
    """Exceptions and results that are no arrays, those alike told once."""
    seen = [item for item in seen if item.problem]
    found: dict[tuple[str, str], tuple[Seen, int]] = {}
    for item in seen:
        at_call = item.kind == "raises" and not item.line  # whatever the words, the call is what it refuses
        key = (item.kind, item.line or (item.problem.partition(":")[0] if at_call else item.problem))
        first, count = found.get(key, (item, 0))
        found[key] = (first, count + 1)
    diagnoses = []
    for (kind, _), (item, count) in list(found.items())[:4]:
        deed = item.deed if item.deed.endswith(("?", "!")) else item.deed.rstrip(" .") + "."
        more = "1 more probe" if count == 2 else f"{count - 1} more probes"
        also = f" So it does in {more}." if count > 1 else ""
        text = f"Your function {deed} It was called with {shapes(item.probe)}.{also}{hint}"
        mend = mend_for(item, caller.fn, caller.form) if caller.adapter is None else ""
        diagnoses.append(finding(kind, text, item.line, item.probe.name, mend))
    return diagnoses


def fickle(seen: Observed) -> Diagnosis:
    """The same call, another result."""
    words = ""
    if seen.again is not None:
        a, b = seen.again
        if a.shape == b.shape and a.size:
            n = int(abs(a - b).argmax())
            words = f": number {n} of the output was {number(float(a.flat[n]))} and then {number(float(b.flat[n]))}"
    assert seen.first is not None
    if seen.growing:
        text = f"Each call of your function adds to what the one before has left{words}."
        return finding("keeps_state", text, probe=seen.first.name)
    if seen.fickle == "keeps_state":
        text = "Your function keeps state: called again with the same arrays, after others, it gives another"
        text += f" result{words}."
    else:
        text = f"Your function is not deterministic: the same call gives another result each time{words}."
    return finding(seen.fickle, text, probe=seen.first.name)


UNEVEN = 0.2
"""How far the share of dropped weights may be from the chance with which they were dropped."""


def aliasing(seen: Observed) -> list[Diagnosis]:
    """A result that lies in the memory of an input."""
    item = next((item for item in seen.seen if item.alias and not item.changed), None)
    if item is None:
        return []
    text = f"What your function returns lies in the memory of its input {item.alias}: whoever changes one changes the"
    text += f" other. It was called with {shapes(item.probe)}."
    return [finding("output_aliased", text, probe=item.probe.name)]


def fixed_dropout(seen: Observed) -> Diagnosis | None:
    """Dropout whose chance is the same in each call: zeros that follow no rule, all others raised alike."""
    if seen.dropped is None:
        return None
    gone = seen.dropped[0] == 0
    with np.errstate(all="ignore"):
        factor = float(np.nanmax(np.where(gone, 0, seen.dropped[0] / seen.dropped[1])))
    made_up = abs(factor * (1 - gone.mean()) - 1) < UNEVEN
    found = dropout(seen) if made_up and factor > 1 + 1e-6 else None
    if found is None or any(
        (gone == gone[index]).all() for index in ((slice(0, 1),), np.s_[:, :, :1], np.s_[..., :1])
    ):
        return None
    return replace(found, sentence=found.sentence.replace("each time anew", "the same ones in each call"),
        certainty="likely")  # fmt: skip


def dropout(seen: Observed) -> Diagnosis | None:
    """Chance that looks like dropout: each weight is either zero or its true size times one constant."""
    if seen.dropped is None:
        return None
    weights, right = seen.dropped
    with np.errstate(all="ignore"):
        ratios = (weights / right)[right > 1e-9]
    kept = ratios[ratios != 0]
    if (
        not len(kept)
        or len(kept) == len(ratios)
        or kept.min() < 1
        or kept.max() - kept.min() > 1e-5 * kept.max()
    ):
        return None
    factor, share = float(kept.mean()), 1 - len(kept) / len(ratios)
    text = f"Dropout is active: {share:.0%} of the weights are 0 and the others are multiplied by "
    text += f"{number(factor)}, each time anew."
    return finding("dropout_eval", text)
