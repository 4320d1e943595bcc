"""The list of changes that mean the same, and the counting: the run itself takes too long for a test."""

import json
from collections import Counter

import pytest

from benchmarks.mutate_attnref import (
    CORE,
    COUNTED,
    LISTED,
    MODULES,
    ROOT,
    Change,
    listed,
    one_line,
    outcome,
    report,
)
from benchmarks.record import RECORDS

SAME = {Change("_softmax", "a = 1", "a = 2"): "nobody reads it"}


def told(status, was=("    a = 1  # why",), now=("    a = 2  # why",)):
    return ("_softmax", status, list(was), list(now))


@pytest.mark.parametrize("change", listed(), ids=lambda change: f"{change.module}: {change.now}"[:60])
def test_a_listed_change_is_one_of_the_code_as_it_stands(change):
    assert change.was in one_line((ROOT / "attnref" / f"{change.module}.py").read_text("utf-8"))
    assert change.was != change.now
    assert len(listed()[change]) > len("equivalent")


def test_no_change_is_listed_twice():
    assert LISTED.read_text("utf-8").count("\n  [") + LISTED.read_text("utf-8").count("= [[") == len(listed())


@pytest.mark.parametrize(
    ("status", "counts"),
    [
        ("killed", {"killed": 1}),
        ("timeout", {"killed": 1, "timeouts": 1}),
        ("segfault", {"killed": 1}),
        ("survived", {"unexplained": 1}),
        ("no tests", {"unexplained": 1}),
        ("not checked", {"unexplained": 1}),
        ("suspicious", {"unexplained": 1}),
    ],
)
def test_what_no_test_was_seen_to_notice_is_unexplained(status, counts):
    found = outcome([told(status)], {})
    assert +found.counts["_softmax"] == Counter(mutants=1, **counts)
    assert len(found.unexplained) == counts.get("unexplained", 0)


def test_a_change_that_is_listed_is_explained_whatever_its_indentation_and_comment():
    found = outcome([told("survived"), told("survived", now=["a = 3"])], SAME)
    assert found.counts["_softmax"] == Counter(mutants=2, equivalent=1, unexplained=1, killed=0)
    assert found.unexplained == [Change("_softmax", "a = 1", "a = 3")]
    assert found.needless == []


def test_a_change_that_is_listed_and_noticed_is_named():
    assert outcome([told("killed")], SAME).needless == list(SAME)
    assert outcome([("_masks", "killed", [], [])], SAME).needless == []  # that module was not looked at


@pytest.mark.parametrize(("survivors", "well"), [(0, True), (5, True), (6, False)])
def test_above_five_in_a_hundred_unexplained_the_run_fails(survivors, well, capsys):
    found = outcome([told("survived")] * survivors + [told("killed")] * (100 - survivors), {})
    assert report(found) is well
    assert capsys.readouterr().out.count("no test notices, in _softmax:\n  - a = 1\n  + a = 2") == survivors


def test_a_needless_entry_of_the_list_fails_the_run(capsys):
    assert report(outcome([told("killed", now=["a = 3"])], SAME)) is False
    assert "noticed or gone, in _softmax:\n  - a = 1\n  + a = 2" in capsys.readouterr().out


def test_the_last_record_holds_the_core_modules_and_keeps_the_promise():
    modules = json.loads((RECORDS / "mutants.json").read_text("utf-8"))["modules"]
    assert list(modules)[: len(CORE)] == list(CORE)
    for counts in modules.values():
        assert counts["mutants"] == counts["killed"] + counts["equivalent"] + counts["unexplained"]
    total = sum((Counter({name: modules[module][name] for name in COUNTED}) for module in modules), Counter())
    assert total["killed"] >= 0.95 * total["mutants"]


@pytest.mark.parametrize("module", MODULES)
def test_the_module_and_the_tests_that_are_run_on_it_exist(module):
    assert (ROOT / "attnref" / f"{module}.py").exists()
    assert all((ROOT / "tests" / "attnref" / f"test_{name}.py").exists() for name in MODULES[module])
