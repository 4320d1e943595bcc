"""Rules that hold for the repository as a whole."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Spelt in two parts, so that this file does not hold what it forbids.
FORBIDDEN = {
    "py" + "pi.org": "a package registry's host",
    "python" + "hosted.org": "a package registry's host",
    "npm" + "js.org": "a package registry's host",
    "deb." + "debian.org": "a package registry's host",
    "/wo" + "rk/": "a path of one machine",
    "/ro" + "ot/": "a path of one machine",
}
BANNED_COMPARISONS = {
    "allclose",
    "array_equal",
    "isclose",
}  # use the tolerance helper, which says what differs


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout, so the tracked files are unknown")
    return [path for name in listed.stdout.splitlines() if (path := ROOT / name).is_file()]


def text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def forbidden_in(text: str) -> list[str]:
    return [f"{what} ({words})" for words, what in FORBIDDEN.items() if words in text]


def banned_comparisons(source: str) -> list[int]:
    """The lines that call a comparison whose result says nothing when it fails."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr in BANNED_COMPARISONS
        and isinstance(node.value, ast.Name)
        and node.value.id in {"np", "numpy"}
    ]


def test_no_file_names_a_registry_or_a_path_of_one_machine():
    found = [
        f"{path.relative_to(ROOT)}: {what}" for path in tracked() for what in forbidden_in(text_of(path))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("words", list(FORBIDDEN))
def test_a_forbidden_word_is_found(words):
    assert forbidden_in(f"see {words}x")
    assert not forbidden_in("see the site")


def test_every_pinned_package_has_hashes_and_no_address():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    packages = re.findall(r"^[a-z0-9][^\s=]*==.*?(?=^[a-z0-9]|\Z)", lock, re.MULTILINE | re.DOTALL)
    assert len(packages) > 50
    assert [package.split()[0] for package in packages if "--hash=sha256:" not in package] == []
    assert "://" not in lock


def test_tests_are_no_packages():
    # tests/attnref/__init__.py would make a package that hides ours.
    assert [path for path in tracked() if path.name == "__init__.py" and ROOT / "tests" in path.parents] == []


def test_no_test_compares_without_saying_what_differs():
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in tracked()
        if path.suffix == ".py" and ROOT / "tests" in path.parents
        for line in banned_comparisons(text_of(path))
    ]
    assert not found, "use assert_close of tests/attnref/tolerance.py: " + ", ".join(found)


def test_a_banned_comparison_is_found():
    assert banned_comparisons("import numpy as np\nassert np.allclose(1, 1)\n") == [2]
    assert banned_comparisons("import numpy as np\nassert np.array_equiv\n") == []


def test_docs_hold_no_python_but_labs():
    found = [path for path in tracked() if path.suffix == ".py" and (ROOT / "docs") in path.parents]
    assert [path for path in found if path.parent != ROOT / "docs" / "labs"] == []
