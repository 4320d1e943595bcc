"""What the page's own arithmetic is compared with is what NumPy gives now."""

import json

import numpy as np

from tests.attnref.tolerance import assert_close
from tests.widgets import vectors_induction


def test_the_vectors_are_what_the_program_gives_now():
    kept, now = (
        json.loads(text)
        for text in (vectors_induction.FILE.read_text(encoding="utf-8"), vectors_induction.text())
    )
    assert [case["text"] for case in kept["cases"]] == [case["text"] for case in now["cases"]]
    for one, other in zip(kept["cases"], now["cases"], strict=True):
        assert (one["tokens"], one["without"]) == (other["tokens"], other["without"])
        for name in ("last", "squares", "logits", "shares", "all_squares"):
            assert_close(one[name], np.array(other[name]), tol=1e-11)
    assert kept["arrays"].keys() == now["arrays"].keys()
    for name, array in now["arrays"].items():
        assert kept["arrays"][name]["shape"] == array["shape"]
        assert_close(kept["arrays"][name]["ends"], array["ends"])
        assert_close(kept["arrays"][name]["squares"], array["squares"], tol=1e-11)
