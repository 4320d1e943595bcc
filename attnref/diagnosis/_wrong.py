"""All faults of attention itself, whatever the form; a form has others of its own besides."""

from attnref.diagnosis import (
    _wrong_arrays,
    _wrong_blocks,
    _wrong_causal,
    _wrong_kernels,
    _wrong_masks,
    _wrong_numbers,
    _wrong_precision,
    _wrong_scale,
    _wrong_sharing,
    _wrong_softcap,
    _wrong_softmax,
)
from attnref.diagnosis._pipeline import Variant

CORE: list[Variant] = [
    *_wrong_scale.VARIANTS,
    *_wrong_softmax.VARIANTS,
    *_wrong_precision.VARIANTS,
    *_wrong_masks.VARIANTS,
    *_wrong_arrays.VARIANTS,
    *_wrong_sharing.VARIANTS,
    *_wrong_softcap.VARIANTS,
    *_wrong_causal.VARIANTS,
    *_wrong_blocks.VARIANTS,
    *_wrong_kernels.VARIANTS,
    *_wrong_numbers.VARIANTS,
]

MIXED = _wrong_softmax.VARIANTS + _wrong_masks.VARIANTS + _wrong_blocks.VARIANTS + _wrong_kernels.VARIANTS
"""What may go wrong between scores and weights, whatever the scores are made of."""

WHOLE = [v for v in CORE if not v.loose]
"""Without what is about rounding alone."""
