"""Right functions of the newer forms, half of which look wrong: no false alarm."""

import numpy as np
import pytest

from attnref import DtypeError, check
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.diagnosis.right_form_programs import RIGHT, TORCH_RIGHT
from tests.attnref.peers import peer


@pytest.mark.parametrize(
    ("form", "name", "source"), RIGHT, ids=[f"{form}: {name}" for form, name, _ in RIGHT]
)
@pytest.mark.parametrize("seed", [0, 5])
def test_a_right_function_is_not_blamed(form, name, source, seed):
    report = check(compiled(source, name), form=form, seed=seed)
    assert report.ok, str(report)
    assert not report.diagnoses


@pytest.mark.parametrize(
    ("form", "name", "source"), TORCH_RIGHT, ids=[f"{form}: {name}" for form, name, _ in TORCH_RIGHT]
)
def test_a_right_torch_function_is_not_blamed(form, name, source):
    torch = peer("torch")
    report = check(compiled(source, name, torch=torch, F=torch.nn.functional), form=form)
    assert report.ok, str(report)
    assert report.conventions["framework"] == "torch"


def test_half_of_them_look_wrong():
    assert sum(name.startswith("!") for _, name, _ in RIGHT) >= len(RIGHT) / 2


def test_bfloat16_is_checked_where_numpy_knows_it():
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    name, source = next((name, source) for form, name, source in RIGHT if form == "half")
    report = check(compiled(source, name), form="half", dtype="bfloat16")
    assert report.ok, str(report)
    assert report.conventions["dtype"] == "bfloat16"


def test_bfloat16_is_refused_with_the_next_step_where_numpy_does_not_know_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    with pytest.raises(DtypeError, match="Install ml_dtypes"):
        check(np.matmul, form="half", dtype="bfloat16")
