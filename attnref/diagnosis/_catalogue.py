"""The named faults: their texts from `catalogue.toml`, and the variants of the pipeline that show them."""

import functools
import tomllib
from dataclasses import dataclass
from importlib.resources import files

from attnref.diagnosis import (
    _additive_form,
    _alibi_form,
    _backward,
    _decode_form,
    _differential_form,
    _dropout_form,
    _half_form,
    _linear_back_form,
    _linear_form,
    _luong_form,
    _norm_form,
    _paged_form,
    _positions_form,
    _rotary,
    _sinks_form,
    _turned_form,
    _weights_form,
    _wrong_arrays,
    _wrong_backward,
    _wrong_cache,
    _wrong_causal,
    _wrong_heads,
    _wrong_pages,
    _yarn_form,
)
from attnref.diagnosis._alibi_form import ALIBI
from attnref.diagnosis._attention import ATTENTION
from attnref.diagnosis._backward import GRADIENTS
from attnref.diagnosis._grouped import GROUPED
from attnref.diagnosis._multihead import MULTIHEAD
from attnref.diagnosis._pipeline import Form, Variant, among
from attnref.diagnosis._rotary import ROTARY
from attnref.diagnosis._wrong import CORE, MIXED, WHOLE

OWN_STEPS = {"inputs", "write"}
"""Steps in which a form with projections has steps of its own."""

FORWARD = set(_backward.FORWARD) - {"empty", "share"}


def fitting(form: Form, variants: list[Variant]) -> tuple[Form, list[Variant]]:
    """The variants that can show in the probes of a form."""
    probes = form.probes(0)
    features = frozenset[str]().union(*(probe.features for probe in probes))
    options = {"", *form.options}
    return form, [v for v in variants if v.option in options and (not v.needs or v.needs & features)]


BATCHED = {"mask_head_order", "mask_first", "mask_rank"}
"""Faults of masks that know where the axes of batch and heads are."""

AXES = {"inputs", "compare", "share", "write"}
"""Steps in which faults know where the axes are."""


def stacked(form: Form) -> list[Variant]:
    """Faults that do not mind one more axis in front."""
    found = [v for v in among(WHOLE, form.steps) if not AXES & set(v.hooks)]
    return [v for v in found if v.fault not in BATCHED and "batch" not in v.fault]


def without_scores(form: Form) -> list[Variant]:
    """Faults that do not touch how scores are made."""
    found = [v for v in among(MIXED, set(form.steps) - {"score", "blend"}) if not v.loose]
    return [v for v in found if v.fault not in BATCHED and "heads" not in v.fault and "batch" not in v.fault]


def own(
    form: Form, wrong: list[Variant], *others: list[Variant], but: tuple[str, ...] = ()
) -> tuple[Form, list[Variant]]:
    """A form with its own faults first, and those that it shares."""
    shared = [v for variants in others for v in among(variants, set(form.steps) - set(but))]
    return fitting(form, [*wrong, *shared])


SEEING = ("see_causal", "hide_causal", "see_window", "empty")

FORMS: dict[str, tuple[Form, list[Variant]]] = {
    "attention": fitting(ATTENTION, CORE),
    "grouped": fitting(GROUPED, CORE),
    "multihead": fitting(
        MULTIHEAD, [*_wrong_heads.VARIANTS, *(v for v in CORE if not OWN_STEPS & set(v.hooks))]
    ),
    "gradients": fitting(GRADIENTS, [*_wrong_backward.WRONG, *(v for v in CORE if set(v.hooks) <= FORWARD)]),
    "rotary": fitting(ROTARY, _rotary.WRONG),
    "alibi": fitting(ALIBI, _alibi_form.WRONG),
    "half": own(_half_form.HALF, _half_form.WRONG, WHOLE),
    "decode": own(_decode_form.DECODE, _wrong_cache.VARIANTS, WHOLE, but=("see_causal",)),
    "rotary_decode": own(
        _turned_form.ROTARY_DECODE, [*_turned_form.TURNS, *_wrong_cache.VARIANTS], WHOLE,
        but=("see_causal", "compare", "inputs"),
    ),
    "positions": fitting(_positions_form.POSITIONS, _positions_form.WRONG),
    "paged": own(_paged_form.PAGED, _wrong_pages.WRONG, WHOLE, but=("see_causal", "see_lengths", "inputs")),
    "sinks": own(_sinks_form.SINKS, _sinks_form.WRONG, WHOLE),
    "dropout": own(_dropout_form.DROPOUT, _dropout_form.WRONG, WHOLE),
    "yarn": own(_yarn_form.YARN, _yarn_form.WRONG, [v for v in WHOLE if not (v.needs and "default_factor" in v.hooks)]),
    "qk_norm": own(_norm_form.NORMED, _norm_form.WRONG, WHOLE),
    "differential": fitting(
        _differential_form.DIFFERENTIAL, [*_differential_form.WRONG, *stacked(_differential_form.DIFFERENTIAL)]
    ),
    "differential_factor": fitting(_weights_form.FACTOR, _weights_form.FACTOR_WRONG),
    "additive": fitting(
        _additive_form.ADDITIVE, [*_additive_form.WRONG, *without_scores(_additive_form.ADDITIVE)]
    ),
    "luong": fitting(_luong_form.LUONG, [*_luong_form.WRONG, *without_scores(_luong_form.LUONG)]),
    "linear": own(_linear_form.LINEAR, _linear_form.WRONG, _wrong_arrays.VARIANTS, _wrong_causal.VARIANTS),
    "linear_gradients": fitting(_linear_back_form.LINEAR_GRADIENTS, _linear_back_form.WRONG),
    "rope_weights": fitting(_weights_form.ROPE_WEIGHTS, _weights_form.WRONG),
}  # fmt: skip


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

    uncovered: str = ""
    """Why no form shows it."""

    @property
    def page(self) -> str:
        """Where its numbers stand, below the address of the reference."""
        return f"{PAGES[self.kind]}/#{self.id}"


PAGES = {
    kind: f"faults-{page}"
    for page, kinds in {
        "scores": "scale softmax dtype",
        "masks": "mask causal window empty_row softcap",
        "heads": "heads values gqa weights",
        "positions": "rope alibi cache paged",
        "gradients": "gradient dropout program",
        "variants": "sink qk-norm differential additive linear",
    }.items()
    for kind in (word.replace("_", " ") for word in kinds.split())
}
"""Kind of fault -> the page of the catalogue that holds it."""


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
            uncovered=text.get("uncovered", ""),
            forms=tuple(FORMS)
            if text["kind"] == PROGRAM
            else (BY_CHECK[name],)
            if name in BY_CHECK
            else forms_of(name),
        )
        for name, text in texts.items()
    }


BY_CHECK = {
    "dropout_eval": "attention",
    "weights_averaged": "attention",
    "weights_wrong": "attention",
    "weights_after_dropout": "dropout",
}
"""Faults that the check sees without a variant of the pipeline."""


def forms_of(name: str) -> tuple[str, ...]:
    """The forms whose pipeline has a variant of this fault."""
    return tuple(form for form, (_, variants) in FORMS.items() if any(v.fault == name for v in variants))
