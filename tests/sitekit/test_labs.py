"""Labs as pages and as notebooks: the same lines, the same checks, and nothing of the format that passes unseen."""

import contextlib
import io
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from sitekit import absent, check, hooks, labs, ledger, mutate, pages, percent, update
from sitekit.programs import Unit
from sitekit.sources import read
from tests.sitekit.site import Site, right, wrong

LAB = "docs/labs/sum.py"
HEAD = "# ---\n# title: A sum\n# description: What it is.\n# ---\n\n"
SUM = """# %% [markdown]
# # A sum
#
# Two and two make ⟦4⇒5⟧, see [the page](../other.md#part).
# <!--= total -->

# %%
total = ⟦2⇒3⟧ + 2
print(total)

# Output:
# ⟦4⇒5⟧
"""
SITE = "https://here.invalid/"


def lab(body: str) -> str:
    return HEAD + right(body)


def problems(tmp_path: Path, text: str) -> list[str]:
    return [f"{p.path}:{p.line}: {p.message}" for p in Site(tmp_path).check(text, LAB)[1]]


# ---- the format


LINES = st.sampled_from(["", "Some text 4.", "- item", "    indented", "# Heading", "$x^2$", "> quote"])
TEXTS = st.lists(LINES, min_size=1, max_size=5).filter(lambda lines: lines[0] and lines[-1])
CODES = st.lists(st.sampled_from(["x = 1", "", "def f():\n    return 2", "print(3)"]), min_size=1, max_size=4)
CODE_CELLS = st.tuples(CODES.filter(lambda lines: lines[0] and lines[-1]), st.none() | TEXTS)


def written(cell: list[str] | tuple[list[str], list[str] | None]) -> str:
    commented = lambda lines: [f"# {line}" if line else "#" for line in lines]  # noqa: E731
    if isinstance(cell, list):
        return "\n".join(["# %% [markdown]", *commented(cell)])
    code, output = cell
    return "\n".join(["# %%", *code, *(["", "# Output:", *commented(output)] if output is not None else [])])


CELLS = st.lists(TEXTS | CODE_CELLS, min_size=1, max_size=5)


@settings(deadline=None)  # a busy machine is no fault of the code
@given(CELLS, st.booleans())
def test_every_line_of_a_lab_is_the_same_line_of_its_page_and_comes_back(cells, titled):
    text = (HEAD if titled else "") + "\n\n".join(map(written, cells)) + "\n"
    page = percent.as_markdown(text).splitlines()
    assert percent.faults(text) == []
    assert percent.as_percent("\n".join(page)) == text
    for line, shown in zip(text.splitlines(), page, strict=False):
        assert shown in (
            line,
            line.removeprefix("#").removeprefix(" "),
            "```",
            "```python",
            "```text",
            "<!--%%-->",
        )


@settings(deadline=None)  # a busy machine is no fault of the code
@given(CELLS)
def test_cells_are_those_that_jupytext_finds(cells):
    text = "\n\n".join(map(written, cells)) + "\n"
    theirs = jupytext.reads(text, "py:percent").cells
    ours = percent.cells(text)
    assert [cell.cell_type for cell in theirs] == [cell.kind for cell in ours]
    for their, our in zip(theirs, ours, strict=True):
        given_output = "" if our.output is None else "\n\n" + written(([], our.output)).partition("\n\n")[2]
        assert their.source == "\n".join(our.source) + given_output


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("x = 1\n\n# %%\n", 6, "before the first cell"),
        ("# %% [raw]\n# x\n", 6, "a cell begins with # %%"),
        ("# %% title\nx = 1\n", 6, "a cell begins with # %%"),
        ("#%%\nx = 1\n", 6, "a cell begins with # %%"),
        ("# %% [markdown]\n# a\n\n# b\n", 8, "an empty one is #"),
        ('# %% [markdown]\n# a\nprint("b")\n', 8, "a line of a Markdown cell"),
        ("# %% [markdown]\n# ```python\n# x = 1\n# ```\n", 7, "a cell of its own"),
        ("# %%\nx = 1\n# %% [markdown]\n# a\n", 8, "leave a blank line above the next cell"),
        ("# %%\nprint(1)\n# Output:\n# 1\n", 8, "leave a blank line above the comment # Output:"),
        ("# %%\nprint(1)\n\n# Output:\n# 1\nx = 2\n", 11, "the output ends its cell"),
        ('# %%\nx = """\n```\n"""\n', 8, "would end its block"),
        ("# %%\nx = 1\nx\n", 8, "a notebook would show this value, a script would not: print it"),
    ],
)
def test_what_is_no_lab_is_said_with_its_line(tmp_path, body, line, says):
    found = problems(tmp_path, HEAD + body)
    assert any(f"{LAB}:{line}: " in message and says in message for message in found), found


# ---- the promise, for labs as for pages


def test_a_lab_that_holds_has_no_problems(tmp_path):
    assert problems(tmp_path, lab(SUM)) == []


@pytest.mark.parametrize(
    ("sound", "fault", "line", "says"),
    [
        ("# Two and two make 4", "# Two and two make 5", 9, "printed 5, but the value is 4"),
        ("# <!--= total -->\n", "", 9, "the numeral 4 has no owner"),
        ("# Output:\n# 4", "# Output:\n# 5", 17, "the block prints something else"),
        ("\n# Output:\n# 4\n", "", 12, "no output block follows it"),
        ("print(total)", "str(total)", 16, "an output block stands here"),
        ("total = 2 + 2", "total = 2 / 0", 13, "ZeroDivisionError"),
        ("total = 2 + 2", "total = 2 + 3", 17, "the block prints something else"),
        ("total = 2 + 2", "total = 2 + 2  # 5 or so", 13, "holds a number that nothing runs"),
        ("title: A sum", "title: 7 sums", 2, "the numeral 7 in the front matter has no owner"),
    ],
)
def test_a_fault_in_a_lab_is_found_at_its_line(tmp_path, sound, fault, line, says):
    assert lab(SUM).count(sound) == 1
    found = problems(tmp_path, lab(SUM).replace(sound, fault))
    assert any(f"{LAB}:{line}: " in message and says in message for message in found), found


def test_check_exits_with_one_for_a_lab_that_falls_short(tmp_path, monkeypatch, capsys):
    site = Site(tmp_path, {LAB: HEAD + wrong(SUM).replace("3 + 2", "2 + 2")})
    monkeypatch.chdir(site.root)
    assert check.main([LAB]) == 1
    assert f"{LAB}:9: " in capsys.readouterr().out
    site.write(LAB, lab(SUM))
    assert check.main([LAB]) == 0


def test_update_writes_what_a_changed_cell_prints_and_what_follows_from_it(tmp_path, monkeypatch):
    site = Site(tmp_path, {LAB: lab(SUM).replace("2 + 2", "3 + 2")})
    monkeypatch.chdir(site.root)
    assert update.main([LAB]) == 0
    assert (site.root / LAB).read_text(encoding="utf-8") == HEAD + wrong(SUM)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# %%\nprint('a')\n", "# %%\nprint('a')\n\n# Output:\n# a\n"),
        ("# %%\nprint('a')\n\n\n# %%\nx = 'b'\n", "# %%\nprint('a')\n\n# Output:\n# a\n\n\n# %%\nx = 'b'\n"),
        (
            "# %%\nprint('  a\\n\\n b')\n\n# Output:\n# c\n",
            "# %%\nprint('  a\\n\\n b')\n\n# Output:\n#   a\n#\n#  b\n",
        ),
    ],
)
def test_update_adds_and_rewrites_outputs(tmp_path, monkeypatch, before, after):
    site = Site(tmp_path, {LAB: HEAD + before})
    monkeypatch.chdir(site.root)
    assert update.main([LAB]) == 0
    assert (site.root / LAB).read_text(encoding="utf-8") == HEAD + after
    assert update.main([LAB]) == 0


@pytest.mark.parametrize(
    "text",
    [
        "# %%\nx = 'a'\n\n# Output:\n# a\n",
        "# %%\nprint('```')\n",
        "# %%\nprint('```')\n\n# Output:\n# ```\n",
    ],
)
def test_update_leaves_what_a_lab_cannot_show_as_it_is(tmp_path, monkeypatch, text):
    site = Site(tmp_path, {LAB: HEAD + text})
    monkeypatch.chdir(site.root)
    assert update.main([LAB]) == 1
    assert (site.root / LAB).read_text(encoding="utf-8") == HEAD + text


def test_every_change_of_a_lab_is_noticed(tmp_path):
    tally = mutate.mutate(Site(tmp_path).page(lab(SUM), LAB))
    assert tally.survivors == []
    assert {kind for kind, (_, tried) in tally.by_kind.items() if tried} == {"numeral", "output", "input"}


def test_pytest_names_the_cells_of_a_lab_by_their_lines(tmp_path):
    site = Site(tmp_path, {LAB: lab(SUM).replace("# Output:\n# 4", "# Output:\n# 5")})
    collect = "from pathlib import Path\nfrom sybil.sybil import SybilCollection\n"
    collect += "from sitekit.sybil_parsers import collection\n"
    collect += "pytest_collect_file = SybilCollection(collection(Path(__file__).parent)).pytest()\n"
    site.write("conftest.py", collect)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "docs"]
    environment = os.environ | {"PYTHONPATH": str(check.ROOT)}
    done = subprocess.run(
        command, cwd=site.root, env=environment, capture_output=True, text=True, check=False
    )
    assert "sum.py::line:16" in done.stdout
    assert "1 failed" in done.stdout


# ---- a lab that needs a package which may be missing

WAITS = """# %%
import rare

theirs = rare.answer
print(theirs)

# Output:
# ⟦7⇒8⟧

# %%
both = theirs + 1
print(both)

# Output:
# 8

# %%
mine = 5
more = mine + 1
print(more)

# Output:
# 6

# %% [markdown]
# They say ⟦7⇒9⟧, which is more than ours<!--? theirs > more -->; and we say 6.
# <!--= theirs, more -->
"""
NEEDS = HEAD.replace("# ---\n\n", "# needs: [numpy, rare]\n# ---\n\n")


def test_what_waits_for_a_package_is_left_out_and_all_else_is_compared(tmp_path):
    ledger, found = Site(tmp_path).check(NEEDS + right(WAITS), LAB)
    assert found == []
    assert (ledger.blocks, ledger.waiting_blocks, ledger.outputs, ledger.waiting_outputs) == (3, 2, 3, 2)
    assert (ledger.count("elsewhere"), ledger.claims) == (2, 0)
    assert check.check_page(tmp_path / LAB, tmp_path)[0].examples == ledger.examples
    broken = NEEDS + right(WAITS).replace("# 6\n", "# 5\n")
    assert [p.line for p in Site(tmp_path).check(broken, LAB)[1]] == [29]


def test_what_waited_is_compared_where_the_package_is_installed(tmp_path, monkeypatch):
    site = Site(tmp_path, {"rare.py": "answer = 7\n"})
    monkeypatch.syspath_prepend(str(site.root))
    ledger, found = site.check(NEEDS + right(WAITS), LAB)
    assert found == []
    assert (ledger.waiting_blocks, ledger.count("elsewhere"), ledger.claims) == (0, 0, 1)
    lines = [p.line for p in site.check(NEEDS + wrong(WAITS), LAB)[1]]
    del sys.modules["rare"]
    assert lines == [14, 32]


def test_a_package_that_no_lab_says_it_needs_is_missed(tmp_path):
    assert any("No module named 'rare'" in message for message in problems(tmp_path, HEAD + right(WAITS)))


def test_what_waits_is_neither_changed_by_mutation_nor_by_update(tmp_path, monkeypatch):
    site = Site(tmp_path)
    tally = mutate.mutate(site.page(NEEDS + wrong(WAITS), LAB))
    assert tally.survivors == []
    assert tally.by_kind["output"][1] > 0
    assert tally.by_kind["input"] == [4, 4]
    monkeypatch.chdir(site.root)
    assert update.main([LAB]) == 0
    assert (site.root / LAB).read_text(encoding="utf-8") == NEEDS + wrong(WAITS)


@pytest.mark.parametrize(
    ("first", "then", "waits"),
    [
        ("import rare", "rare.answer", True),
        ("import rare.part as part", "part", True),
        ("from rare import answer", "answer", True),
        ("import rare\nx = 1", "x = 2\nx", False),
        ("import rare\nfor k in 'ab': pass", "for k in 'cd': str(k)", False),
        ("import rare\nx = 1", "def f():\n    x = 2\n    return x", False),
        ("import rare\nx = 1", "def f():\n    return x", True),
        ("import rare\nx = 1", "[x for x in 'ab']", False),
        ("import rare\nx = 1", "[y for y in x]", True),
        ("import rarely", "rarely", False),
    ],
)
def test_a_cell_waits_if_it_takes_a_name_from_one_that_waits(first, then, waits):
    units = [Unit("a.py", 1, code) for code in (first, then)]
    marked = absent.mark(units, ["rare"])
    assert bool(marked[1].absent) == waits


def test_a_cell_that_looks_for_the_files_of_a_package_waits_for_it():
    found = "from importlib import metadata\nfiles = metadata.files('rare-weights')"
    units = [Unit("a.py", 1, code) for code in (found, "files", found.replace("rare", "common"))]
    assert [unit.absent for unit in absent.mark(units, ["rare_weights"])] == [
        "rare_weights",
        "rare_weights",
        "",
    ]
    assert labs.needed(f"# %%\n{found}\n") == {"rare_weights"}


def test_a_name_that_a_running_cell_gives_anew_waits_no_longer():
    units = [Unit("a.py", 1, code) for code in ("import rare\nx = 1", "x = 2", "x")]
    assert [unit.absent for unit in absent.mark(units, ["rare"])] == ["rare", "", ""]


# ---- the notebook


def made(body: str) -> nbformat.NotebookNode:
    return nbformat.reads(labs.notebook(lab(body), "labs/sum.py", SITE), as_version=4)


def test_a_notebook_is_valid_and_holds_its_outputs():
    notebook = made(SUM)
    nbformat.validate(notebook)
    text, code = notebook.cells
    assert code.source == "total = 2 + 2\nprint(total)"
    assert [(o.name, o.text) for o in code.outputs] == [("stdout", "4\n")]
    assert text.source == f"# A sum\n\nTwo and two make 4, see [the page]({SITE}other/#part)."


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("a 4<!--= x -->, b<!--? y -->", "a 4, b"),
        ("# a 4\n<!--= x,\n      y -->\n# b", "# a 4\n# b"),
        ("## The 4 { #four }", "## The 4"),
        ("[a](../index.md) [b](lists.py#x) [c](#d) [e](https://f.invalid/g.md)",
         f"[a]({SITE}) [b]({SITE}labs/lists/#x) [c](#d) [e](https://f.invalid/g.md)"),
        ("![a](../assets/b.svg)", f"![a]({SITE}assets/b.svg)"),
        ('!!! note "Title"\n\n    One.\n\n    Two.\n\nThree.',
         "> **Title**\n>\n> One.\n>\n> Two.\n\nThree."),
        ('??? success "Answer"\n\n    One.\n\n    ```python\n    x\n    ```\n\n## Next',
         "<details><summary>Answer</summary>\n\nOne.\n\n```python\nx\n```\n\n</details>\n\n## Next"),
    ],
)  # fmt: skip
def test_what_jupyter_cannot_show_is_written_as_it_can(source, shown):
    cell = percent.Cell("markdown", 1, source.split("\n"))
    assert labs.for_jupyter(cell, "labs/sum.py", SITE) == shown


def test_packages_that_a_lab_imports_are_found_without_those_of_python():
    code = "# %%\nimport math\nimport numpy as np\nfrom torch.nn import functional\n"
    assert labs.needed(HEAD + code) == {"numpy", "torch"}


# ---- the site


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Build a site of one page and one lab in strict mode: what it warns of, and the lab's folder."""
    settings = yaml.safe_load((check.ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    plugins = [p for p in settings["plugins"] if isinstance(p, dict) and "mkdocs-jupyter" in p]
    kept = {
        "site_name": "tiny",
        "site_url": SITE,
        "nav": ["other.md", "labs/sum.py"],
        "plugins": plugins,
        "hooks": [str(check.ROOT / "sitekit/hooks.py")],
        "validation": settings["validation"],
        "exclude_docs": settings["exclude_docs"],
        "markdown_extensions": settings["markdown_extensions"],
        "theme": {"name": None, "custom_dir": "theme"},
    }
    site = Site(tmp_path, {"mkdocs.yml": yaml.safe_dump(kept), "docs/other.md": "# Other\n\n## Part\n"})
    site.write("theme/main.html", "{{ page.title }}{{ page.toc }}{{ page.content }}")

    said = io.StringIO()
    handler = logging.StreamHandler(said)
    handler.setLevel(logging.WARNING)
    monkeypatch.chdir(tmp_path)
    logging.getLogger("mkdocs").addHandler(handler)

    def build_strictly(text: str) -> tuple[str, Path]:
        site.write(LAB, text)
        with contextlib.suppress(Abort):
            build(load_config(str(tmp_path / "mkdocs.yml"), strict=True))
        return said.getvalue(), tmp_path / "site" / "labs" / "sum"

    yield build_strictly
    logging.getLogger("mkdocs").removeHandler(handler)


def test_a_lab_is_built_as_a_page_is(built, tags):
    more = "\n# %%\nstr(total)\n\n# %%\nstr(total)\n"
    more += "\n# %% [markdown]\n# ## A formula\n#\n# $\\frac{a}{b}$, a note[^n].\n#\n"
    more += "# !!! note\n#\n#     Body.\n#\n# [^n]: N.\n"
    said, folder = built(lab(SUM) + more)
    assert said == ""
    html = (folder / "index.html").read_text(encoding="utf-8")
    elements = {(tag, name, value) for tag, attributes in tags(html) for name, value in attributes.items()}
    for element in (
        ("a", "href", "../../other/#part"), ("div", "class", "admonition note"), ("div", "class", "footnote"),
        ("div", "class", "language-python live highlight"), ("div", "class", "language-text highlight"),
        ("data", "class", "n"), ("a", "href", "#a-formula"), ("a", "href", "sum.ipynb"), ("a", "download", None),
    ):  # fmt: skip
        assert element in elements, element
    assert "<math" in html
    assert "1 output compared" in html
    assert html.startswith("A sum")
    assert "<style" not in html
    assert "<!--" not in html
    assert "<p><div" not in html
    assert json.loads((folder / "sum.ipynb").read_text(encoding="utf-8"))["nbformat"] == 4
    assert (folder / "sum.py").read_text(encoding="utf-8") == lab(SUM) + more


@pytest.mark.parametrize(
    ("sound", "fault", "says"),
    [
        ("../other.md#part", "../missing.md", "missing.md"),
        ("other.md#part", "other.md#no-part", "#no-part"),
        ("make 4", "make $\\frac{4}$", "bad"),
        ("# Output:\n# 4", "# Output:\n# 5", f"{LAB}:17: the block prints something else"),
        ("make 4", "make 5", f"{LAB}:9: "),
    ],
)
def test_a_strict_build_fails_on_a_fault_in_a_lab(built, sound, fault, says):
    said, _ = built(lab(SUM).replace(sound, fault))
    assert says in said


def test_a_change_of_what_pages_import_is_seen_by_the_next_build(tmp_path, monkeypatch):
    module = tmp_path / "attnref" / "__init__.py"
    module.parent.mkdir()
    module.write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(hooks, "_stamps", {})
    monkeypatch.setitem(sys.modules, "attnref", sys.modules.get("attnref", os))
    hooks.forget_changed(tmp_path)
    hooks.forget_changed(tmp_path)
    assert "attnref" in sys.modules
    os.utime(module, ns=(1, 1))
    hooks.forget_changed(tmp_path)
    assert "attnref" not in sys.modules


def test_a_labs_text_is_recognised_by_whoever_renders_it(tmp_path):
    site = Site(tmp_path, {LAB: lab(SUM)})
    page = pages.read(site.root / LAB, site.root, read(site.root / "docs"))
    found = ledger.find_page(page.text[page.body_start :], site.root, page.record)
    assert found is not None
    assert found.path == LAB


def test_a_lab_can_be_opened_in_colab_from_where_the_site_is_published():
    line = labs.download("sum", SITE + "labs/sum/")
    assert (
        'href="https://colab.research.google.com/#fileId=https%3A%2F%2Fhere.invalid%2Flabs%2Fsum%2Fsum.ipynb"'
        in line
    )
    assert '<a href="sum.ipynb" download>' in line
