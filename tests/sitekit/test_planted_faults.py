"""Each fault of planted/*.txt is found, at its line and in words that help; its correct twin holds.

A fault is a page with marks (see site.py). `says:` lists the words of the messages, `%% path` begins a file
beside the page. The page gets a front matter before it and the block of `site.CODE` behind it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.sitekit.site import FRONT, PAGE, Site, marked_lines, planted_line, right, whole, wrong

PLANTED = sorted((Path(__file__).parent / "planted").glob("*.txt"))


@dataclass(frozen=True)
class Fault:
    """One planted fault: the files with their marks, the page among them."""

    name: str
    says: tuple[str, ...]
    files: dict[str, str]

    @property
    def places(self) -> set[tuple[str, int]]:
        """Where it is expected: at each `⟦!⟧`, and without one where it was planted."""
        for lines_of in (marked_lines, planted_line):
            places = {(path, line) for path, text in self.files.items() for line in lines_of(text)}
            if places:
                break
        return places


def faults(file: Path) -> list[Fault]:
    found = []
    for part in re.split(r"^== ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, says, body = part.split("\n", 2)
        page, *others = re.split(r"^%% (.*)\n", body, flags=re.MULTILINE)
        files = {PAGE: whole(page), **dict(zip(others[::2], others[1::2], strict=True))}
        found.append(Fault(name, tuple(says.removeprefix("says: ").split(" | ")), files))
    return found


ALL = [pytest.param(fault, id=f"{file.stem}: {fault.name}") for file in PLANTED for fault in faults(file)]


@pytest.mark.parametrize("fault", ALL)
def test_a_planted_fault_is_found_and_its_twin_holds(fault, tmp_path):
    held = Site(tmp_path / "right", {path: right(text) for path, text in fault.files.items()})
    assert held.check(right(fault.files[PAGE]))[1] == []

    faulty = Site(tmp_path / "wrong", {path: wrong(text) for path, text in fault.files.items()})
    problems = faulty.check(wrong(fault.files[PAGE]))[1]
    assert {(problem.path, problem.line) for problem in problems} == fault.places
    told = "\n".join(problem.message for problem in problems)
    assert [words for words in fault.says if words not in told] == []


@pytest.mark.parametrize("file", PLANTED, ids=lambda file: file.stem)
def test_each_planted_fault_has_its_own_name(file):
    names = [fault.name for fault in faults(file)]
    assert len(set(names)) == len(names) > 9


def test_a_block_that_is_never_closed_at_the_end_is_found(tmp_path):
    page = f"{FRONT}Words.\n\n```python\nx = 1\n"
    assert [(problem.line, problem.message) for problem in Site(tmp_path).check(page)[1]] == [
        (7, "this block is never closed: end it with ``` on a line of its own")
    ]
    assert Site(tmp_path).check(page + "```\n")[1] == []
