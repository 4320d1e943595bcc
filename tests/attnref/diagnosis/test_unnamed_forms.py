"""What is wrong in a way that has no name stays without one, in the newer forms too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attnref import check
from tests.attnref.diagnosis.reference_forms import NEW


def after(form: str, change: Callable[[Any], Any]) -> tuple[str, Callable[..., Any]]:
    """The reference with something done to its output."""

    def f(*arrays):
        result = NEW[form](*arrays)
        if form in ("decode", "rotary_decode"):
            return change(result[0]), result[1]
        if form in ("rope_weights", "linear_gradients"):
            return tuple(change(x) for x in result)
        return change(result[0] if isinstance(result, tuple) else result)

    return form, f


def before(form: str, *changes: Callable[[Any], Any]) -> tuple[str, Callable[..., Any]]:
    """The reference with something done to its first arguments."""

    def f(*arrays):
        changed = [change(x) for change, x in zip(changes, arrays, strict=False)]
        result = NEW[form](*changed, *arrays[len(changed) :])
        if form in ("decode", "rotary_decode", "rope_weights"):
            return result
        return result[0] if isinstance(result, tuple) else result

    return form, f


def same(x: Any) -> Any:
    return x


UNNAMED = {
    "half: clipped scores": before("half", lambda q: np.clip(q, -1, 1)),
    "half: an output of a tenth more": after("half", lambda x: (x * 1.1).astype(x.dtype)),
    "decode: keys cut off": before("decode", same, lambda k: np.clip(k, -0.5, 0.5)),
    "decode: outputs of a call summed up": after("decode", lambda x: np.cumsum(x, axis=2)),
    "decode: features in reverse": after("decode", lambda x: x[..., ::-1]),
    "rotary_decode: squared queries": before("rotary_decode", np.square),
    "rotary_decode: an output of a tenth more": after("rotary_decode", lambda x: 1.1 * x),
    "positions: every position doubled": after("positions", lambda x: 2 * x),
    "positions: never more than two": after("positions", lambda x: np.minimum(x, 2)),
    "paged: rounded queries": before("paged", np.round),
    "paged: values cut off": before("paged", same, same, lambda v: np.clip(v, -0.5, 0.5)),
    "sinks: a sink of a third": before("sinks", same, same, same, lambda s: s / 3),
    "sinks: a sink of one more": before("sinks", same, same, same, lambda s: s + 1),
    "dropout: half of the keep mask": before(
        "dropout", same, same, same, lambda keep: keep & (np.arange(keep.shape[-1]) % 2 == 0)
    ),
    "dropout: p of a tenth more": before("dropout", same, same, same, same, lambda p: 1.1 * p),
    "yarn: a factor of one more": before("yarn", same, same, same, lambda s: s + 1),
    "qk_norm: gains squared": before("qk_norm", same, same, same, np.square, np.square),
    "qk_norm: absolute queries": before("qk_norm", np.abs),
    "differential: λ squared": before("differential", same, same, same, np.square),
    "differential: λ_init halved": before("differential", same, same, same, same, lambda x: x / 2),
    "differential_factor: λ of a tenth more": after("differential_factor", lambda x: x * 1.1),
    "additive: w squared": before("additive", same, same, same, same, same, np.square),
    "additive: doubled": after("additive", lambda x: 2 * x),
    "luong: tanh twice": after("luong", np.tanh),
    "linear: squared queries": before("linear", np.square),
    "linear: a tenth more": after("linear", lambda x: 1.1 * x),
    "linear_gradients: doubled": after("linear_gradients", lambda x: 2 * x),
    "rope_weights: negative": after("rope_weights", np.negative),
    "rope_weights: columns in reverse": after("rope_weights", lambda W: W[:, ::-1]),
}


@pytest.mark.parametrize("name", UNNAMED)
def test_a_fault_outside_the_catalogue_is_not_misnamed(name):
    form, f = UNNAMED[name]
    report = check(f, form=form)
    assert not report.ok
    assert [item.fault for item in report.diagnoses] == [], str(report)
    assert report.unexplained
    assert report.unexplained[0].stage
