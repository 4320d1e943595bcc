"""The named faults: their texts from `catalogue.toml`, and the variants of the pipeline that show them."""

import functools
import tomllib
from dataclasses import dataclass
from importlib.resources import files

from attnref.diagnosis import (
    _alibi_form,
    _backward,
    _rotary,
    _wrong_arrays,
    _wrong_blocks,
    _wrong_causal,
    _wrong_heads,
    _wrong_masks,
    _wrong_scale,
    _wrong_softmax,
)
from attnref.diagnosis._alibi_form import ALIBI
from attnref.diagnosis._attention import ATTENTION
from attnref.diagnosis._backward import GRADIENTS
from attnref.diagnosis._grouped import GROUPED
from attnref.diagnosis._multihead import MULTIHEAD
from attnref.diagnosis._pipeline import Form, Variant
from attnref.diagnosis._rotary import ROTARY

CORE: list[Variant] = [
    *_wrong_scale.VARIANTS,
    *_wrong_softmax.VARIANTS,
    *_wrong_masks.VARIANTS,
    *_wrong_arrays.VARIANTS,
    *_wrong_causal.VARIANTS,
    *_wrong_blocks.VARIANTS,
]

OWN_STEPS = {"inputs", "write"}
"""Steps in which a form with projections has steps of its own."""

FORWARD = set(_backward.FORWARD) - {"empty", "share"}


def fitting(form: Form, variants: list[Variant]) -> tuple[Form, list[Variant]]:
    """The variants that can show in the probes of a form."""
    probes = form.probes(0)
    features = frozenset[str]().union(*(probe.features for probe in probes))
    options = {"", *form.options}
    return form, [v for v in variants if v.option in options and (not v.needs or v.needs & features)]


FORMS: dict[str, tuple[Form, list[Variant]]] = {
    "attention": fitting(ATTENTION, CORE),
    "grouped": fitting(GROUPED, CORE),
    "multihead": fitting(
        MULTIHEAD, [*_wrong_heads.VARIANTS, *(v for v in CORE if not OWN_STEPS & set(v.hooks))]
    ),
    "gradients": fitting(GRADIENTS, [*_backward.WRONG, *(v for v in CORE if set(v.hooks) <= FORWARD)]),
    "rotary": fitting(ROTARY, _rotary.WRONG),
    "alibi": fitting(ALIBI, _alibi_form.WRONG),
}


@dataclass(frozen=True)
class Fault:
    """A named way to get attention wrong."""

    id: str
    kind: str
    title: str
    why: str
    mend: str
    seen_in: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    """The forms in which a check can find it; empty: in none so far."""


PROGRAM = "program"


@functools.cache
def catalogue() -> dict[str, Fault]:
    """All faults by name, in the order of the file."""
    texts = tomllib.loads(files("attnref.diagnosis").joinpath("catalogue.toml").read_text("utf-8"))
    return {
        name: Fault(
            id=name,
            kind=text["kind"],
            title=text["title"],
            why=text["why"],
            mend=text["mend"],
            seen_in=tuple(text.get("seen_in", ())),
            forms=tuple(FORMS)
            if text["kind"] == PROGRAM
            else ("attention",)
            if name in BY_CHECK
            else forms_of(name),
        )
        for name, text in texts.items()
    }


BY_CHECK = {"dropout_eval", "weights_averaged", "weights_wrong"}
"""Faults that the check sees without a variant of the pipeline."""


def forms_of(name: str) -> tuple[str, ...]:
    """The forms whose pipeline has a variant of this fault."""
    return tuple(form for form, (_, variants) in FORMS.items() if any(v.fault == name for v in variants))
