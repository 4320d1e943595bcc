"""A build that takes what is kept gives the bytes of a build from nothing, and no change goes unseen."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sitekit import inputs

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("kept_builds.py")
TAKEN = (
    "docs",
    "snippets",
    "sitekit",
    "attnref",
    "benchmarks",
    "tests",
    "mkdocs.yml",
    "pyproject.toml",
    "Makefile",
)

FRONT = "---\ntitle: {0}\ndescription: About {0}.\n---\n\n# {0}\n\n"
PAGES = {
    "index.md": FRONT.format("Home") + "Go to [masks](lessons/masks.md#rows).\n",
    "lessons/masks.md": FRONT.format("Masks")
    + "A softmax is used.\n\n## Rows\n\n```python\nfrom snippets.masks import shown\n\nprint(shown.few)\n```\n\n"
    "```text\n3\n```\n",
    "lessons/roots.md": FRONT.format("Roots") + "A softmax again.\n",
    "labs/first.py": "# %% [markdown]\n# ---\n# title: First\n# description: A lab.\n# ---\n#\n# # First\n",
    "reference/softmax.md": FRONT.format("Softmax")
    + "::: attnref.softmax\n    options:\n      heading_level: 2\n",
    "study/cards.md": FRONT.format("Cards")
    + '## Some\n\n??? card "Which?"\n\n    [This one][attnref.softmax].\n',
    "study/glossary.md": FRONT.format("Glossary") + "## Softmax\n\nWhat makes weights.\n",
}
ALL = sorted(PAGES)
# What is changed: a file, a text in it, what to put there, and the pages that are to be rendered anew.
CHANGES: dict[str, tuple[str, str, str, list[str]]] = {
    "a lesson": ("docs/lessons/masks.md", "is used", "is seen", ["lessons/masks.md"]),
    "a lab": ("docs/labs/first.py", "A lab.", "A file.", ["labs/first.py"]),
    "the title of a lesson": ("docs/lessons/masks.md", "title: Masks", "title: Veils", ["lessons/masks.md"]),
    "a heading": ("docs/lessons/roots.md", "A softmax again.", "## A softmax", ["lessons/roots.md"]),
    "the order of the pages": (
        "mkdocs.yml",
        "- lessons/masks.md\n- lessons/roots.md",
        "- lessons/roots.md\n- lessons/masks.md",
        ALL,
    ),
    "the glossary": ("docs/study/glossary.md", "makes weights", "gives weights", ALL),
    "the library": ("attnref/_softmax.py", '"""', '"""New. ', ALL),
    "a snippet": ("snippets/masks/shown.py", "few = 3", "few = 1 + 2", ALL),
    "a record": ("benchmarks/records/growth.json", "{", "{ ", ALL),
    "a source": ("docs/bibliography.toml", "#", "##", ALL),
    "a figure": ("docs/assets/figures/masks/crossed.svg", "<svg", "<svg ", ALL),
    "a setting": ("mkdocs.yml", "toc_depth: 3", "toc_depth: 2", ALL),
    "a new file": ("docs/assets/new.txt", "", "new", ALL),
}


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    without = {name: value for name, value in os.environ.items() if name != "ATTNREF_NO_CACHE"}
    environment = {**without, "NO_MKDOCS_2_WARNING": "1", **environment}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=500)


def told(folder: Path, changes: list[list[str]], **environment: str) -> dict[str, dict[str, list[str]]]:
    return drive(folder, *map(json.dumps, changes), **environment)


def drive(folder: Path, *arguments: str, **environment: str) -> dict[str, dict[str, list[str]]]:
    done = run(folder, str(DRIVER), *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A site of a few pages of each kind, with the library and the tooling of this one."""
    ignored = shutil.ignore_patterns("__pycache__", "vendor", "figures", "labs", "*.md")
    for name in ("attnref", "sitekit", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    vendored = "docs/assets/vendor/pyodide/pyodide-lock.json"
    others = {
        "snippets/masks/shown.py": "few = 3\n",
        "benchmarks/records/growth.json": "{}",
        "docs/assets/figures/masks/crossed.svg": "<svg></svg>",
        vendored: (ROOT / vendored).read_text(encoding="utf-8"),
    }
    for name, text in {**{f"docs/{page}": text for page, text in PAGES.items()}, **others}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    settings["nav"] = ALL
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    return tmp_path


def test_a_change_renders_exactly_the_pages_that_it_may_reach_and_gives_a_new_site(small: Path) -> None:
    found = told(small, [[name, *change[:3]] for name, change in CHANGES.items()])
    assert [built["said"] for built in found.values() if built["said"]] == []
    assert found.pop("first")["rendered"] == ALL
    assert found.pop("again")["rendered"] == []
    expected = {
        when: pages
        for name, (*_, pages) in CHANGES.items()
        for when, pages in ((name, pages), (f"{name}, again", []), (f"{name}, back", pages))
    }
    assert {name: built["rendered"] for name, built in found.items()} == expected
    assert {name: found[name]["unlike new"] for name in CHANGES} == {name: [] for name in CHANGES}


# What is wrong with it: a file, a text in it, what to put there, what is to be said.
FAULTS = {
    "an output": ("docs/lessons/masks.md", "3\n```", "4\n```", "the block prints something else"),
    "an input": ("snippets/masks/shown.py", "few = 3", "few = 4", "the block prints something else"),
    "a link": ("docs/lessons/masks.md", "is used", "is used [there](gone.md)", "gone.md"),
    "an anchor": ("docs/index.md", "#rows", "#columns", "#columns"),
    "the anchor of a page that is kept": ("docs/lessons/masks.md", "## Rows", "## Lines", "#rows"),
    "a name of the library": ("docs/study/cards.md", "attnref.softmax", "attnref.softmix", "attnref.softmix"),
}


def test_a_warning_is_said_by_each_build_until_it_is_mended(small: Path) -> None:
    found = told(small, [[name, *fault[:3]] for name, fault in FAULTS.items()])
    for name, (*_, said) in FAULTS.items():
        for built in (found[name], found[f"{name}, again"]):
            assert said in "\n".join(built["said"]), name
            assert "strict mode" in built["said"][-1], name
        assert found[f"{name}, back"]["said"] == [], name


def test_a_process_whose_tooling_has_changed_takes_and_keeps_nothing(small: Path) -> None:
    found = told(small, [["tooling", "sitekit/slim.py", "import re\n", "import re  # changed\n"]])
    assert [found[name]["rendered"] for name in ("tooling", "tooling, again")] == [ALL, ALL]
    assert found["tooling, back"]["rendered"] == []


def test_a_new_process_sees_that_the_tooling_has_changed(small: Path) -> None:
    drive(small, "once")
    (small / "sitekit/slim.py").write_text((small / "sitekit/slim.py").read_text() + "# changed\n")
    assert drive(small, "once")["first"]["rendered"] == ALL


def test_the_environment_can_turn_it_off(small: Path) -> None:
    found = told(small, [], ATTNREF_NO_CACHE="1")
    assert found["again"]["rendered"] == ALL
    assert not (small / ".cache/attnref-site").exists()


def test_what_is_kept_is_text_of_a_bounded_size(small: Path) -> None:
    told(small, [["a lesson", "docs/lessons/masks.md", "is used", "is seen"]])
    files = list((small / ".cache/attnref-site").iterdir())
    assert len(files) == 2 * len(ALL)
    for path in files:
        json.loads(path.read_text(encoding="utf-8").split("\n", 1)[1])


# The event at whose first call a file changes, the file, its new text, and the text that is built next.
LATE = {
    "what pages share, once its digest is taken": (
        "on_nav",
        "snippets/masks/shown.py",
        "few = 1 + 2\n",
        "old",
    ),
    "a page, once MkDocs has read it": (
        "on_page_markdown",
        "docs/index.md",
        PAGES["index.md"] + "More.\n",
        "new",
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_a_page_is_not_kept_as_what_it_was_not_made_from(small: Path, name: str) -> None:
    event, file, new, then = LATE[name]
    hook, path = small / "sitekit/hooks.py", small / file
    old = path.read_text(encoding="utf-8")
    late = f"""

_first = globals().get({event!r}, lambda given, **others: given)


def {event}(given, **others):
    if (ROOT / ".late").exists():
        (ROOT / ".late").unlink()
        (ROOT / {file!r}).write_text({new!r})
    return _first(given, **others)
"""
    hook.write_text(hook.read_text(encoding="utf-8") + late, encoding="utf-8")
    (small / ".late").write_text("")
    assert drive(small, "once")["first"]["rendered"] == ALL
    assert path.read_text(encoding="utf-8") == new
    path.write_text({"old": old, "new": new}[then], encoding="utf-8")
    assert "index.md" in drive(small, "once")["first"]["rendered"]


def test_other_settings_render_all_pages_anew(small: Path) -> None:
    drive(small, "once")
    assert drive(small, "once", SETTINGS='{"use_directory_urls": false}')["first"]["rendered"] == ALL


LISTEN = """
import json, os, sys
sys.path.insert(0, ".")
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.structure.pages import Page
from sitekit import ledger, pages

here, opened = [None], {}
render, find = Page.render, ledger.find_page

def listening(event, arguments):
    if here[0] and event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        opened[here[0]].add(os.path.abspath(os.fsdecode(arguments[0])))

def noted(self, config, files):
    here[0] = self.file.src_uri
    opened[here[0]] = set()
    render(self, config, files)
    here[0] = None

def found(text, root, record):
    # To find out which page it is given, the ledger reads them all. That cannot change what becomes of it.
    at, here[0] = here[0], None
    page = find(text, root, record)
    here[0] = at
    return page and pages.read(root / page.path, root, record)

Page.render, ledger.find_page = noted, found
sys.addaudithook(listening)
build(load_config("mkdocs.yml", site_dir=sys.argv[1], strict=True))
print(json.dumps({page: sorted(files) for page, files in opened.items()}))
"""


@pytest.fixture(scope="module")
def builds(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, dict[str, list[str]], dict[str, list[str]]]:
    """This site built from nothing and once more, and the files of the project that each page opened."""
    folder = tmp_path_factory.mktemp("whole")
    for name in TAKEN:
        ignored = shutil.ignore_patterns("__pycache__", "node_modules")
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, folder / name)
    opened = []
    for name in ("cold", "warm"):
        done = run(folder, "-c", LISTEN, str(folder.parent / f"{folder.name}-{name}"))
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout.splitlines()[-1])
        opened.append(
            {
                page: [
                    Path(file).relative_to(folder).as_posix()
                    for file in files
                    if Path(file).is_relative_to(folder)
                ]
                for page, files in found.items()
            }
        )
    return folder, opened[0], opened[1]


def test_no_page_is_made_from_a_file_that_its_digest_leaves_out(builds) -> None:
    folder, cold, _ = builds
    shared = {
        part for part in inputs.contents(folder, inputs.SHARED + inputs.LOADED) if isinstance(part, str)
    }
    assert len(cold) > 50
    for page, files in cold.items():
        own = {f"docs/{page}", inputs.GLOSSARY}
        read = [file for file in files if (folder / file).exists() and "__pycache__" not in file]
        assert [file for file in read if file not in shared | own] == [], page


def test_a_warm_build_is_the_cold_build_byte_for_byte(builds) -> None:
    folder, _, warm = builds
    assert warm == {}
    cold_site, warm_site = (folder.parent / f"{folder.name}-{name}" for name in ("cold", "warm"))
    files = {path.relative_to(cold_site) for path in cold_site.rglob("*") if path.is_file()}
    assert files == {path.relative_to(warm_site) for path in warm_site.rglob("*") if path.is_file()}
    differ = [
        str(file) for file in files if (cold_site / file).read_bytes() != (warm_site / file).read_bytes()
    ]
    assert differ == []


class Served:
    """A site while it is served."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.address = folder, f"http://127.0.0.1:{port}/"

    def write(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def page(self, place: str) -> str:
        try:
            with urllib.request.urlopen(self.address + place, timeout=60) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def shows(self, place: str, text: str, *, there: bool = True) -> bool:
        """Whether the page comes to show the text, or to show it no longer, in a time that is long for it."""
        end = time.monotonic() + 90
        while time.monotonic() < end:
            page = self.page(place)
            if page and (text in page) == there:
                return True
            time.sleep(0.1)
        return False


@pytest.fixture
def served(small: Path) -> Iterator[Served]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name != "ATTNREF_NO_CACHE"}
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, cwd=small, env={**environment, "NO_MKDOCS_2_WARNING": "1"}, **quiet)
    try:
        yield Served(small, port)
    finally:
        server.terminate()
        server.wait()


def test_while_serving_each_change_reaches_every_page_that_shows_it(served: Served) -> None:
    assert served.shows("lessons/masks/", "Masks")
    served.write("docs/lessons/masks.md", "3\n```", "4\n```")
    assert served.shows("lessons/masks/", "This page does not hold")
    served.write("docs/lessons/masks.md", "4\n```", "3\n```")
    assert served.shows("lessons/masks/", "This page does not hold", there=False)

    served.write("snippets/masks/shown.py", "few = 3", "few = 4")
    assert served.shows("lessons/masks/", "This page does not hold")
    served.write("snippets/masks/shown.py", "few = 4", "few = 3")
    assert served.shows("lessons/masks/", "This page does not hold", there=False)

    served.write("docs/lessons/masks.md", "Masks", "Veils")
    assert served.shows("lessons/roots/", "Veils")
    assert "Masks" not in served.page("lessons/roots/")

    served.write("mkdocs.yml", "- lessons/roots.md\n", "")
    (served.folder / "docs/lessons/roots.md").unlink()
    assert served.shows("lessons/masks/", "Roots", there=False)
    assert served.page("lessons/roots/") == ""
