"""Functions of the newer forms: right in each of three styles, and named right when they are edited."""

import pytest

from attnref import check
from tests.attnref.diagnosis import form_programs, more_programs, older_programs
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.peers import peer

BOOKS = (form_programs, more_programs, older_programs)
PROGRAMS = {key: source for book in BOOKS for key, source in book.PROGRAMS.items()}
EDITS = [(key, edit) for book in BOOKS for key, edits in book.EDITS.items() for edit in edits]


def function(form: str, style: str, source: str):
    if style == "torch":
        return compiled(source, f"{form} in {style}", torch=peer("torch"))
    return compiled(source, f"{form} in {style}")


@pytest.mark.parametrize(("form", "style"), PROGRAMS, ids=["-".join(key) for key in PROGRAMS])
def test_a_program_is_right_before_it_is_edited(form, style):
    report = check(function(form, style, PROGRAMS[form, style]), form=form)
    assert report.ok, str(report)
    assert report.passed


@pytest.mark.parametrize(
    ("key", "edit"), EDITS, ids=[f"{'-'.join(key)}-{n}-{edit[0]}" for n, (key, edit) in enumerate(EDITS)]
)
def test_a_wrong_program_is_named(key, edit):
    source = PROGRAMS[key]
    for old, new in zip(edit[1::2], edit[2::2], strict=True):
        assert old in source, old
        source = source.replace(old, new)
    report = check(function(*key, source), form=key[0])
    assert not report.ok
    assert len(report.diagnoses) == 1, str(report)
    assert edit[0] in (report.diagnoses[0].fault, *report.diagnoses[0].others), str(report)
    assert report.unexplained == ()
    assert {item.certainty for item in report.diagnoses} <= {"exact"}


def test_there_are_three_styles_of_each_form():
    styles: dict[str, set[str]] = {}
    for form, style in PROGRAMS:
        styles.setdefault(form, set()).add(style)
    assert all(found == {"loops", "einsum", "torch"} for found in styles.values())
    assert len(styles) == 16
