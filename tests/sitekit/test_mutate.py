"""Mutants: every numeral and every input is changed, what goes unnoticed is reported, what runs on is stopped."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitekit import mutants, mutate, programs
from sitekit.mutants import Mutant, variants
from sitekit.mutate import DoesNotHold
from sitekit.numerals import find
from tests.sitekit.site import FRONT, Site


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def inputs(site: Site, code: str, form: str = "python") -> list[tuple[int, str, str]]:
    """The mutants of a block's inputs: (line of the block, before, after)."""
    page = site.page(f"{FRONT}```{form}\n{code}\n```\n")
    units = programs.units(page)
    found = []
    for mutant, changed in mutants.input_mutants(units):
        lines = changed[0].code.split("\n")
        assert mutant.after in lines[mutant.line - 6]
        found.append((mutant.line - 5, mutant.before, mutant.after))
    return found


def survivors(site: Site, text: str) -> list[str]:
    return list(map(str, mutate.mutate(site.page(FRONT + text)).survivors))


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("7", ["8", "−7"]),
        ("9", ["0", "−9"]),
        ("0", ["1"]),
        ("−1", ["−2", "1"]),
        ("-1", ["-2", "1"]),
        ("+1", ["+2", "−1"]),
        ("12", ["22", "13", "21", "−12"]),
        ("11", ["21", "12", "−11"]),
        ("0.7", ["1.7", "0.8", "7.0", "−0.7"]),
        ("1e-3", ["2e-3", "1e-4", "3e-1", "−1e-3"]),
        ("2,000", ["3,000", "2,100", "2,010", "2,001", "0,200", "−2,000"]),
    ],
)
def test_a_numeral_is_changed_in_each_digit_in_its_sign_and_by_swapping(text, changed):
    assert variants(text) == changed


@given(st.text(alphabet="0123456789.,e-−+", min_size=1, max_size=12))
def test_each_variant_is_another_numeral_of_the_same_length_but_for_its_sign(text):
    for numeral in find(text):
        found = variants(numeral.text)
        assert len(set(found)) == len(found) > 0
        assert numeral.text not in found
        assert {len(other.lstrip("+-−")) for other in found} == {len(numeral.text.lstrip("+-−"))}


def test_the_numerals_of_prose_formulas_and_front_matter_are_changed(site):
    page = site.page("---\ntitle: A 1\ndescription: B\nexamples: 2\n---\nC 3 $x_4$ `a[5]` [b](c6.md)\n")
    found = {(m.line, m.before, m.kind) for m, _ in mutants.numeral_mutants(page)}
    assert found == {(2, "1", "numeral"), (6, "3", "numeral"), (6, "4", "numeral"), (6, "5", "numeral")}
    changed = {
        other.text.splitlines()[5] for mutant, other in mutants.numeral_mutants(page) if mutant.before == "3"
    }
    assert changed == {"C 4 $x_4$ `a[5]` [b](c6.md)", "C −3 $x_4$ `a[5]` [b](c6.md)"}


def test_the_numerals_of_outputs_are_changed_and_those_of_prompts_are_not(site):
    page = site.page(FRONT + "```pycon\n>>> 1\n1\n```\n\n```python\nprint(2)\n```\n\n```text\n2\n```\n")
    found = {(m.line, m.before, m.kind) for m, _ in mutants.output_mutants(page)}
    assert found == {(7, "1", "output"), (15, "2", "output")}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x = 3", [(1, "3", "4"), (1, "3", "(-3)")]),
        ("x = 0", [(1, "0", "1")]),
        ("x = -2.5", [(1, "2.5", "2.6"), (1, "2.5", "(-2.5)")]),
        ("x = 1e-9", [(1, "1e-9", "2e-9"), (1, "1e-9", "(-1e-9)")]),
        ("x = 20_000", [(1, "20_000", "20_001"), (1, "20_000", "(-20_000)")]),
        ("x = True", [(1, "True", "False")]),
        ("x = None", []),
        ("x = 'abc'", [(1, "'abc'", "'bbc'")]),
        ("x = r'bcd'", [(1, "r'bcd'", "r'acd'")]),
        ("x = ''", []),
        ("y = 'é'; x = 3", [(1, "'é'", "'a'"), (1, "3", "4"), (1, "3", "(-3)")]),
        ("a = b = 1\nx = [\n    0,\n]", [(1, "1", "2"), (1, "1", "(-1)"), (3, "0", "1")]),
        ('"""Words 7."""\ndef f():\n    "Words."\n    return 0', [(4, "0", "1")]),
        ("x = 1\nf'{x:.2f}'", [(1, "1", "2"), (1, "1", "(-1)")]),
    ],
)
def test_the_inputs_of_a_block_are_changed_where_they_stand(site, code, found):
    assert inputs(site, code) == found


def test_the_inputs_of_a_session_are_those_of_its_prompts(site):
    assert inputs(site, ">>> x = 3\n>>> for k in y:\n...     z[0]\n5", "pycon") == [
        (1, "3", "4"),
        (3, "0", "1"),
    ]


def test_a_page_whose_numbers_are_all_seen_has_no_survivor(site):
    page = "It is 3<!--= n -->.\n\n```python\nn = 3\nprint(n + 1)\n```\n\n```text\n4\n```\n"
    tally = mutate.mutate(site.page(FRONT + page))
    assert (tally.survivors, tally.exempt) == ([], [])
    assert tally.by_kind == {"numeral": [2, 2], "output": [2, 2], "input": [4, 4]}
    assert tally.killed == 8


def test_an_input_that_nothing_shows_survives_with_its_line(site):
    assert survivors(site, "Words.\n\n```python\nn = 3\nword = 'abc'\n```\n") == [
        "docs/page.md:8: input 3 → 4",
        "docs/page.md:8: input 3 → (-3)",
        "docs/page.md:9: input 'abc' → 'bbc'",
    ]


def test_an_input_of_a_program_and_of_numbers_py_survives_with_its_file(site):
    site.write("snippets/page/part.py", "x = 1\nflag = True\n")
    site.write("snippets/page/page_numbers.py", "\ncount = 0\n")
    text = 'It is 1<!--= part.x -->.\n\n```python\n--8<-- "page/part.py"\n```\n'
    assert survivors(site, text) == [
        "snippets/page/page_numbers.py:2: input 0 → 1",
        "snippets/page/part.py:2: input True → False",
    ]


def test_a_program_that_has_not_changed_is_not_run_again(site, tmp_path):
    runs = tmp_path / "runs"
    site.write("snippets/page/part.py", f"with open({str(runs)!r}, 'a') as file:\n    file.write('x')\n")
    page = '```python\n--8<-- "page/part.py"\n```\n\n```python\nn = 0\nprint(n)\n```\n\n```text\n0\n```\n'
    units = programs.units(site.page(FRONT + page))
    first = programs.run(units)
    *_, (mutant, changed) = mutants.input_mutants(units)
    second = programs.run(changed, known=first)
    assert (mutant.before, runs.read_text(encoding="utf-8")) == ("0", "x")
    assert second.modules == first.modules
    assert [(p.line, p.message) for p in second.problems] == [
        (10, "this block prints something else than before")
    ]


def test_an_input_of_which_a_numeral_shows_only_a_side_survives(site):
    found = survivors(site, "It is 1<!--= int(n > 3) -->.\n\n```python\nn = 5\n```\n")
    assert found == ["docs/page.md:8: input 5 → 6"]


@pytest.mark.parametrize(
    ("accepted", "left"),
    [
        ('code: "n = 3", reason: "a seed"', {"5"}),
        ('code: "m = [5]", input: 5, reason: "a seed"', {"3"}),
        ('code: "m = [5]", input: 7, reason: "a seed"', {"3", "5"}),
        ('code: "n = 4", reason: "a seed"', {"3", "5"}),
    ],
)
def test_a_survivor_is_exempt_by_the_line_of_code_that_the_front_matter_names(site, accepted, left):
    front = f"---\ntitle: A page\ndescription: Words.\nsurvivors:\n  - {{{accepted}}}\n---\n"
    tally = mutate.mutate(site.page(front + "```python\nn = 3\nm = [5]\n```\n"))
    assert {survivor.before for survivor in tally.survivors} == left
    assert {(mutant.before, reason) for mutant, reason in tally.exempt} == {
        (before, "a seed") for before in {"3", "5"} - left
    }


def test_a_mutant_that_runs_on_is_stopped_and_counts_as_noticed(site, monkeypatch):
    monkeypatch.setattr(mutate, "SECONDS", 0.1)
    code = "n, step = 0, 1\nwhile n != 4:\n    n += step\nprint(n)"
    started = time.perf_counter()
    found = survivors(site, f"```python\n{code}\n```\n\n```text\n4\n```\n")
    assert time.perf_counter() - started < 3
    assert all("input 4" not in line for line in found)


def test_a_page_that_does_not_hold_is_refused(site):
    with pytest.raises(
        DoesNotHold, match=r"^docs/page\.md does not hold, .* run python -m sitekit\.check docs/page\.md$"
    ):
        mutate.mutate(site.page(FRONT + "It is 3.\n"))


def test_a_block_that_fails_by_not_being_python_has_no_inputs(site):
    page = '```{ .python .fails title="Fails: no Python" }\nx = = 3\n```\n\n```text\nSyntaxError: invalid syntax\n```\n'
    assert survivors(site, page) == []


def test_the_session_is_run_again_for_what_it_shows(site):
    assert survivors(site, "```pycon\n>>> n = 3\n>>> n\n3\n```\n") == []


def test_a_mutant_reads_as_a_line_of_the_report():
    assert str(Mutant("docs/page.md", 7, "3", "4", "input")) == "docs/page.md:7: input 3 → 4"


@pytest.mark.parametrize("odd", ["\f", "\u2028", "\x1c"])
def test_what_ends_no_line_of_python_moves_no_mutant(site, odd):
    assert inputs(site, f"x = '{odd}'\ny = 3")[-2:] == [(2, "3", "4"), (2, "3", "(-3)")]
