"""Wrong programs in four styles are named right: the fault stands first, alone, and reproduces every number."""

import pytest

from attnref import check
from tests.attnref.diagnosis.programs import SOURCES, compiled, wrong_programs
from tests.attnref.peers import peer

PROGRAMS = list(wrong_programs())


def names_for(style: str) -> dict:
    if style != "torch":
        return {}
    return {"torch": peer("torch")}


@pytest.mark.parametrize("style", SOURCES)
def test_each_program_is_right_before_it_is_edited(style):
    report = check(compiled(SOURCES[style], style, **names_for(style)))
    assert report.ok, str(report)


@pytest.mark.parametrize(
    ("style", "fault", "source"), PROGRAMS, ids=[f"{s}-{f}-{n}" for n, (s, f, _) in enumerate(PROGRAMS)]
)
def test_a_wrong_program_is_named(style, fault, source):
    report = check(compiled(source, style, **names_for(style)))
    assert not report.ok
    assert report.unexplained == ()
    assert [item.fault for item in report.diagnoses] == [fault], str(report)


def test_there_are_programs_in_three_styles_for_most_faults():
    styles: dict[str, set[str]] = {}
    for style, fault, _ in wrong_programs():
        styles.setdefault(fault, set()).add(style)
    assert len(styles) >= 30
    assert sum(len(found) >= 3 for found in styles.values()) >= 15
