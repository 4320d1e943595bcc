"""Every lesson has the parts that a learner looks for, in one order, and leads to its neighbours."""

import dataclasses
import itertools
import re
from pathlib import Path

import pytest
import yaml

from sitekit import pages, sources
from sitekit.check import ROOT
from sitekit.pages import Page

LESSONS = sorted((ROOT / "docs" / "lessons").glob("*.md"))
RECORD = sources.read(ROOT / "docs")
ENDS = ["Exercises", "Where you will meet it", "Recap", "Read next"]
NEEDED = {"After this page you can": "its objectives", "What you need": "what a reader needs to know"}
RELATED = [
    ("several-heads", "masks"),
    ("several-heads", "query-key-value"),
    ("several-heads", "every-token"),
    ("masks", "several-heads"),
    ("masks", "query-key-value"),
    ("masks", "every-token"),
    ("query-key-value", "several-heads"),
    ("query-key-value", "masks"),
    ("query-key-value", "every-token"),
    ("every-token", "several-heads"),
    ("every-token", "masks"),
    ("every-token", "query-key-value"),
]
EXERCISES = [  # where a reader is ready for one, and where it leads back to
    ("step-by-step", "write-attention"),
    ("every-token", "write-attention"),
    ("masks", "add-the-causal-mask"),
    ("masks", "read-the-fault"),
    ("several-heads", "split-the-heads"),
]


def section(text: str, heading: str) -> str:
    """What stands below a heading of the second rank, up to the next one."""
    match = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1] if match else ""


def exercises(text: str) -> list[str]:
    return re.split(r"^### ", section(text, "Exercises"), flags=re.MULTILINE)[1:]


def reason(exercise: str) -> str:
    """The words of the folded answer: what is left without code, outputs and comments."""
    fold = re.search(r'^\?\?\? success "Answer"\n(.*)', exercise, re.MULTILINE | re.DOTALL)
    words = re.sub(r"```.*?```|<!--.*?-->|\|.*", "", fold[1], flags=re.DOTALL) if fold else ""
    return " ".join(words.split())


def lacking(text: str) -> list[str]:
    """The parts that a lesson's text lacks."""
    found = [f"it lacks {what}: **{mark}**" for mark, what in NEEDED.items() if f"**{mark}" not in text]
    objectives = text.partition("**After this page you can**")[2].partition("**What you need")[0]
    found += ["it has fewer than three objectives"] * (len(re.findall(r"^- ", objectives, re.MULTILINE)) < 3)
    headings = re.findall(r"^## (.+?)(?: \{.*)?$", text, re.MULTILINE)
    found += [f"it lacks the section {name!r}" for name in ENDS if name not in headings]
    order = [name for name in headings if name in ENDS]
    found += [f"its last sections stand in the order {order}"] * (not found and order != ENDS)
    found += ["something follows its last section"] * (headings[-1] != ENDS[-1])
    found += ["it has no figure"] * (not re.search(r"^!\[[^]]+\]\(\.\./assets/figures/", text, re.MULTILINE))
    asked = exercises(text)
    found += ["it has fewer than two exercises"] * (len(asked) < 2)
    found += [f"the exercise {e.split(chr(10))[0]!r} gives no reason" for e in asked if len(reason(e)) < 60]
    for name, least in (("Where you will meet it", 2), ("Recap", 3), ("Read next", 2)):
        if len(re.findall(r"^- ", section(text, name), re.MULTILINE)) < least:
            found.append(f"its section {name!r} has fewer than {least} points")
    if not re.search(r"^- \[[^]]+\]\((?:\.\./study/)?[\w-]+\.md", section(text, "Read next"), re.MULTILINE):
        found.append("its 'Read next' leads to no lesson or study page")
    return found


def formula_before_example(page: Page) -> str:
    """The first display formula without numerals, where nothing was computed before it: no block, no bound number."""
    general = [span.start for span in page.spans if span.kind == "display" and not span.numerals]
    examples = [c.start for c in page.comments if c.mark == "="] + [fence.start for fence in page.fences]
    first = min(general, default=None)
    return "" if first is None or min(examples) < first else page.text[first : first + 40]


@pytest.fixture(params=LESSONS, ids=[path.stem for path in LESSONS])
def lesson(request) -> Path:
    return request.param


def test_a_lesson_has_all_its_parts(lesson):
    assert lacking(lesson.read_text(encoding="utf-8")) == []


def test_a_lesson_shows_an_example_before_a_formula(lesson):
    assert formula_before_example(pages.read(lesson, ROOT, RECORD)) == ""


@pytest.mark.parametrize(("one", "other"), RELATED)
def test_lessons_that_belong_together_lead_to_each_other(one, other):
    text = (ROOT / "docs" / "lessons" / f"{one}.md").read_text(encoding="utf-8")
    assert f"({other}.md" in text


@pytest.mark.parametrize(("lesson_slug", "exercise"), EXERCISES)
def test_a_lesson_and_an_exercise_for_its_reader_lead_to_each_other(lesson_slug, exercise):
    there = (ROOT / "docs" / "lessons" / f"{lesson_slug}.md").read_text(encoding="utf-8")
    back = (ROOT / "docs" / "exercises" / f"{exercise}.md").read_text(encoding="utf-8")
    assert f"(../exercises/{exercise}.md" in section(there, "Exercises")
    assert f"(../lessons/{lesson_slug}.md" in back


def test_a_lesson_leads_to_every_exercise():
    slugs = {path.stem for path in (ROOT / "docs" / "exercises").glob("*.md")}
    assert {exercise for _, exercise in EXERCISES} == slugs


def test_a_lesson_leads_to_the_one_after_it():
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    order = next(entry["Lessons"] for entry in config["nav"] if "Lessons" in entry)
    for one, after in itertools.pairwise(order):
        assert f"({Path(after).name}" in (ROOT / "docs" / one).read_text(encoding="utf-8"), (one, after)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("**What you need", "**You need"), "lacks what a reader needs"),
        (("## Recap\n", "## Summary\n"), "lacks the section 'Recap'"),
        (("## Read next\n", "## Read next\n\n## More\n"), "something follows"),
        (("![", "["), "no figure"),
        (('??? success "Answer"', "Answer:"), "gives no reason"),
        (("## Where you will meet it\n", "## Recap\n\n## Where you will meet it\n"), "in the order"),
    ],
)
def test_a_part_that_is_missing_is_found(change, said):
    text = LESSONS[0].read_text(encoding="utf-8")
    assert said in " ".join(lacking(text.replace(*change)))


def test_a_formula_before_every_example_is_found():
    page = pages.read(LESSONS[0], ROOT, RECORD)
    early = page.text[: page.body_start] + "\n$$ a = b $$\n" + page.text[page.body_start :]
    assert formula_before_example(dataclasses.replace(page, text=early)).startswith("$$ a = b $$")
