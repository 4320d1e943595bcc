"""`python -m sitekit.check`, `.mutate` and `.update` as processes: exit codes, and one line for what they cannot do."""

import importlib
import subprocess
import sys

import pytest

from sitekit.check import ROOT
from tests.sitekit.site import FRONT, Site, whole

RIGHT, WRONG = whole("It gets 0.735<!--= weights[0] -->."), whole("It gets 0.736<!--= weights[0] -->.")
SMALL = FRONT + "It is 3<!--= n -->.\n\n```python\nn = 3\n```\n"
FILES = {"docs/right.md": RIGHT, "docs/wrong.md": WRONG, "docs/small.md": SMALL, "notes.md": "Words."}
NO_PAGE = "there is no such page; name a .md file below docs/, such as docs/right.md"


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, FILES)


@pytest.fixture
def run(site, monkeypatch, capsys):
    """Call what a module runs as a process, in the site's folder: its exit code and what it prints."""
    monkeypatch.chdir(site.root)

    def call(module: str, *arguments: str) -> tuple[int, list[str]]:
        code = importlib.import_module(f"sitekit.{module}").main(arguments)
        told = capsys.readouterr()
        assert told.err == ""
        return code, told.out.splitlines()

    return call


@pytest.mark.parametrize("module", ["check", "mutate", "update"])
def test_a_process_ends_with_the_exit_code_and_one_line(site, module):
    command = [sys.executable, "-W", "error", "-m", f"sitekit.{module}", "docs/none.md"]
    done = subprocess.run(
        command, cwd=site.root, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, f"docs/none.md: {NO_PAGE}\n", "")


def test_a_page_that_holds_is_summed_up_in_one_line(run):
    assert run("check", "docs/right.md") == (
        0,
        ["docs/right.md: 1 blocks, 0 outputs, 1 numerals (0 exempt), 0 claims; 2 examples, 0 problems"],
    )


def test_a_page_that_does_not_hold_fails_with_its_line(run):
    code, lines = run("check", "docs/wrong.md")
    assert code == 1
    assert lines[0].startswith("docs/wrong.md:5: printed 0.736, but the value is 0.7346, which gives 0.735")
    assert lines[1].endswith("1 problems")


def test_without_an_argument_all_pages_are_checked(run):
    code, lines = run("check")
    assert code == 1
    assert [line.partition(":")[0] for line in lines if line.endswith("problems")] == [
        "docs/right.md",
        "docs/small.md",
        "docs/wrong.md",
    ]


@pytest.mark.parametrize("module", ["check", "mutate", "update"])
@pytest.mark.parametrize("name", ["docs/none.md", "docs", "notes.md", "docs/exempt.toml", "../other.md"])
def test_what_is_no_page_is_named_in_one_line(run, module, name):
    assert run(module, name) == (2, [f"{name}: {NO_PAGE}"])


def test_the_pages_beside_one_that_is_missing_are_checked(run):
    code, lines = run("check", "docs/none.md", "docs/right.md")
    assert code == 2
    assert [line.partition(":")[0] for line in lines] == ["docs/none.md", "docs/right.md"]


def test_a_page_may_be_named_from_anywhere(run, site):
    assert run("check", str(site.root / "docs" / "right.md"))[0] == 0


def test_a_page_whose_mutants_are_all_noticed_passes(run):
    assert run("mutate", "docs/small.md") == (0, ["4 killed, 0 survived"])


def test_a_survivor_fails_with_its_line(run, site):
    site.write("docs/small.md", SMALL.replace("n = 3", "n = 3\nunused = 5"))
    code, lines = run("mutate", "docs/small.md")
    assert code == 1
    assert lines[0] == "docs/small.md:9: input 5 → 6"


def test_the_mutants_of_a_page_that_does_not_hold_are_not_tried(run):
    code, lines = run("mutate", "docs/wrong.md", "docs/small.md")
    assert code == 1
    assert lines == [
        "docs/wrong.md does not hold, so there is nothing to measure: run python -m sitekit.check docs/wrong.md",
        "4 killed, 0 survived",
    ]


def test_an_update_rewrites_what_a_program_decides(run, site):
    assert run("update", "docs/wrong.md") == (0, ["docs/wrong.md:5: 0.736 → 0.735"])
    assert (site.root / "docs" / "wrong.md").read_text(encoding="utf-8") == RIGHT


def test_an_update_of_what_no_program_decides_fails(run, site):
    site.write("docs/small.md", FRONT + "It is 3.\n")
    code, lines = run("update", "docs/small.md")
    assert code == 1
    assert lines[0].startswith("docs/small.md:5: the numeral 3 has no owner")
