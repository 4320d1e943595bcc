"""The widgets' arithmetic, run in Node against vectors that attnref wrote."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.widgets import vectors

ROOT = Path(__file__).parents[2]


def test_the_vectors_are_what_attnref_gives_now():
    """Compared as numbers: another machine may round the last digit otherwise."""
    kept, now = (json.loads(text) for text in (vectors.FILE.read_text(encoding="utf-8"), vectors.text()))
    assert_same(kept, now, "vectors")


def assert_same(kept, now, place: str) -> None:
    stale = f"{place} is {kept!r}, attnref gives {now!r}: python -m tests.widgets.vectors"
    if isinstance(now, dict):
        assert kept.keys() == now.keys(), stale
        for name in now:
            assert_same(kept[name], now[name], f"{place}.{name}")
    elif isinstance(now, list):
        assert len(kept) == len(now), stale
        for index, (one, other) in enumerate(zip(kept, now, strict=True)):
            assert_same(one, other, f"{place}[{index}]")
    elif isinstance(now, float):
        assert kept == pytest.approx(now, rel=1e-12, abs=1e-12), stale
    else:
        assert kept == now, stale


def test_the_arithmetic_of_the_widgets_is_attnrefs():
    node = shutil.which("node")
    if node is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node is missing, and CI has to have it")
        pytest.skip("node is not installed")
    tests = sorted(str(path) for path in (ROOT / "tests" / "widgets").glob("*.test.mjs"))
    done = subprocess.run([node, "--test", *tests], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 0" not in done.stdout
