"""What is wrong in a way that has no name is said to be wrong, and no name is put on it."""

import pytest

from attnref import check
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.diagnosis.unnamed_programs import UNNAMED


@pytest.mark.parametrize("name", UNNAMED)
def test_a_fault_outside_the_catalogue_is_not_misnamed(name):
    report = check(compiled(UNNAMED[name], name))
    assert not report.ok
    assert [item.fault for item in report.diagnoses] == [], str(report)
    assert report.unexplained
    assert report.unexplained[0].stage
