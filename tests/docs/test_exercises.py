"""Each exercise: what one begins with is told wrong, the solution is right, wrong answers get the right diagnosis."""

import pytest

from attnref import check
from sitekit import live_driver
from tests.docs.exercises import EXERCISES, ROOT, program, wrong_program

WRONG = [(slug, fault) for slug, exercise in EXERCISES.items() for fault in exercise.wrong]


def report(slug: str, code: str):
    exercise = EXERCISES[slug]
    names: dict = {}
    assert live_driver.execute(code, "your program", names, lambda *_: None) == ""
    return check(names[exercise.function], form=exercise.form)


def faults(slug: str, code: str) -> tuple[str, ...]:
    return tuple(diagnosis.fault for diagnosis in report(slug, code).diagnoses)


def test_every_exercise_of_the_site_is_known():
    assert sorted(EXERCISES) == sorted(path.stem for path in (ROOT / "docs" / "exercises").glob("*.md"))


@pytest.mark.parametrize("slug", EXERCISES)
def test_the_program_to_begin_with_is_told_wrong(slug):
    assert faults(slug, program(slug, "exercise")) == EXERCISES[slug].start


@pytest.mark.parametrize("slug", EXERCISES)
def test_the_solution_is_right(slug):
    found = report(slug, program(slug, "solution"))
    assert found.ok, str(found)
    assert found.notes == ()


@pytest.mark.parametrize(("slug", "fault"), WRONG)
def test_a_wrong_answer_gets_the_right_diagnosis(slug, fault):
    assert faults(slug, wrong_program(slug, fault)) == (fault,)


@pytest.mark.parametrize("slug", EXERCISES)
def test_there_are_three_wrong_answers_or_more(slug):
    assert len(EXERCISES[slug].wrong) >= 3


@pytest.mark.parametrize("slug", EXERCISES)
def test_the_page_checks_the_function_that_the_program_defines(slug):
    exercise = EXERCISES[slug]
    page = (ROOT / "docs" / "exercises" / f"{slug}.md").read_text(encoding="utf-8")
    options = f'data-function="{exercise.function}" data-form="{exercise.form}"'
    assert f"```{{ .python .exercise {options} }}\n" in page
    form = "" if exercise.form == "attention" else f" --form {exercise.form}"
    assert f"python -m attnref check mine.py:{exercise.function}{form}\n" in page


@pytest.mark.parametrize("slug", EXERCISES)
def test_the_driver_gives_the_report_that_the_page_shows(slug):
    exercise = EXERCISES[slug]
    ask = (exercise.function, exercise.form, lambda *_: None)
    right = live_driver.check(program(slug, "solution"), *ask)
    wrong = live_driver.check(program(slug, "exercise"), *ask)
    assert (right["ok"], wrong["ok"]) == (True, False)
    assert all(fault in wrong["html"] for fault in exercise.start)


def test_a_program_without_the_function_is_told_its_name():
    found = live_driver.check("x = 1", "attention", "attention", lambda *_: None)
    assert found == {"missing": "attention"}  # the page says it in words


def test_a_program_that_does_not_run_shows_its_line():
    found = live_driver.check("x = 1\n1 / 0", "attention", "attention", lambda *_: None)
    assert 'File "your program", line 2' in found["traceback"]


def test_what_a_report_quotes_of_a_program_is_escaped():
    code = "def attention(Q, K, V):\n    raise ValueError('<img src=x>')\n"
    assert "<img" not in live_driver.check(code, "attention", "attention", lambda *_: None)["html"]
