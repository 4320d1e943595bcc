"""Each named fault, made in the code, turns a test red: a catalogue of faults that no test notices would be a wish."""

import json
import subprocess
import sys

import pytest

from tests.attnref import faults, run_faults

CATALOGUE = run_faults.ROOT / "cases" / "faults.json"


@pytest.fixture(scope="module")
def found():
    command = [sys.executable, "-m", "tests.attnref.run_faults", "--json"]
    done = subprocess.run(command, cwd=run_faults.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", faults.FAULTS)
def test_a_fault_in_the_code_turns_a_test_red(found, name):
    failed, error = found[name]
    assert failed, f"{name}: the tests of {faults.FAULTS[name].tests} are green all the same"
    assert error not in {kind.__name__ for kind in run_faults.NOT_A_TEST}, (
        f"{name}: the change does not even run"
    )


def test_without_a_fault_all_is_green(found):
    assert found["none"] == ["", ""]


def test_every_fault_of_the_catalogue_is_here_or_says_why_not():
    assert set(faults.FAULTS) & set(faults.ELSEWHERE) == set()
    assert len({**faults.FAULTS, **faults.ELSEWHERE}) == 78
    if not CATALOGUE.is_file():
        pytest.skip("cases/faults.json is not here; the number of names is all there is to compare")
    names = {fault["id"] for fault in json.loads(CATALOGUE.read_text(encoding="utf-8"))["faults"]}
    assert names == {*faults.FAULTS, *faults.ELSEWHERE}
