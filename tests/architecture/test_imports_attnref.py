"""Who may import whom inside attnref, and what `import attnref` brings in.

Each rule is checked in a fresh process or on the source, and each check is shown to fail on a package that
breaks it.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Module -> the modules of attnref that it may import: the order of the map in ARCHITECTURE.md.
READ = ["_errors", "_results", "_results_forms", "_validate", "_fit", "_options"]
CORE = [*READ, "_softmax", "_blend", "_masks"]
ALLOWED = {
    "_errors": [],
    "_results": [],
    "_results_forms": ["_results"],
    "_validate": ["_errors", "_results"],
    "_fit": ["_errors", "_results", "_validate"],
    "_options": ["_errors", "_results", "_validate"],
    "_softmax": READ,
    "_blend": READ,
    "_masks": READ,
    "_heads": READ,
    "_parameters": READ,
    "_norms": CORE,
    "_patterns": CORE,
    "_positions": CORE,
    "_alibi": CORE,
    "_scoring": CORE,
    "_running": CORE,
    "_attention": CORE,
    "_additive": CORE,
    "_cache": [*CORE, "_attention"],
    "_multihead": [*CORE, "_heads", "_parameters", "_attention"],
    "_erf": ["_results"],
    "_feed_forward": [*CORE, "_parameters", "_erf"],
    "_encoder": [*CORE, "_norms", "_feed_forward", "_attention", "_multihead"],
    "_linear": CORE,
    "_recurrences": [*CORE, "_linear"],
    "_differential": [*CORE, "_norms", "_attention"],
    "_latent": [*CORE, "_heads", "_attention"],
    "_pages": CORE,
    "_paged": [*CORE, "_pages", "_attention"],
    # What is tested against a definition never imports it.
    "_sinks": [*CORE, "_scoring"],
    "_threads": [],
    "_blockwise": [*CORE, "_running", "_scoring", "_threads"],
    "_gradients": [*CORE, "_scoring"],
    "_gradients_blockwise": [*CORE, "_scoring"],
    "_gradients_multihead": [*CORE, "_heads", "_parameters", "_scoring", "_gradients"],
}
# The same inside attnref/trained, which may import all of the above besides.
TRAINED = {
    "_safetensors": [],
    "_config": [],
    "_basic": [],
    "_wordpiece": ["_basic"],
    "_bert": [],
    "_words": [],
    "_tensors": ["_safetensors", "_config", "_bert"],
    "_folder": ["_safetensors", "_config", "_wordpiece", "_bert", "_tensors"],
    "_fetch": ["_config", "_folder"],
    "_command": ["_basic", "_config", "_fetch", "_folder", "_words"],
}

LOADED = """
import sys, numpy
before = set(sys.modules)
import attnref
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


def run(program: str, root: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {[str(root), *site()]!r}\n{program}"],
        capture_output=True, text=True, check=True, cwd=root,
    )  # fmt: skip
    return done.stdout.strip()


def site() -> list[str]:
    import numpy

    return [str(Path(numpy.__file__).parents[1])]


def imported_from_attnref(path: Path) -> set[str]:
    """The modules of attnref that a module names in its import statements, wherever they stand."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            dotted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative imports are not used"
            base = node.module or ""
            dotted = [f"{base}.{alias.name}" for alias in node.names] if base == "attnref" else [base]
        else:
            continue
        names |= {name.removeprefix("attnref.") for name in dotted if name.partition(".")[0] == "attnref"}
    return names


def forbidden(package: Path, allowed: dict[str, list[str]] = ALLOWED) -> dict[str, set[str]]:
    """Module -> what it imports against the order."""
    found = {}
    for path in sorted(package.glob("_[a-z]*.py")):
        extra = imported_from_attnref(path) - set(allowed.get(path.stem, []))
        if extra or path.stem not in allowed:
            found[path.stem] = extra
    return found


def allowed_in_trained() -> dict[str, list[str]]:
    return {name: [*ALLOWED, *(f"trained.{other}" for other in others)] for name, others in TRAINED.items()}


def test_modules_import_in_one_direction():
    assert forbidden(ROOT / "attnref") == {}


def test_modules_of_the_trained_encoders_import_in_one_direction():
    assert forbidden(ROOT / "attnref" / "trained", allowed_in_trained()) == {}


@pytest.mark.parametrize(
    "line", ["from attnref.trained._tensors import x", "from attnref.diagnosis import x"]
)
def test_an_import_against_the_order_of_the_trained_encoders_is_found(tmp_path, line):
    (tmp_path / "_bert.py").write_text(line, "utf-8")
    assert set(forbidden(tmp_path, allowed_in_trained())) == {"_bert"}


@pytest.mark.parametrize(
    "line",
    [
        "from attnref._attention import attention",
        "import attnref._attention",
        "from attnref import attention",
        "def late():\n    from attnref._attention import attention",
    ],
)
def test_an_import_against_the_order_is_found(tmp_path, line):
    (tmp_path / "_masks.py").write_text(line, "utf-8")
    assert set(forbidden(tmp_path)) == {"_masks"}


def test_a_module_without_a_place_in_the_order_is_found(tmp_path):
    (tmp_path / "_novel.py").write_text("", "utf-8")
    assert set(forbidden(tmp_path)) == {"_novel"}


def beyond_numpy(root: Path, module: str = "attnref") -> set[str]:
    """What `import attnref` loads besides the standard library, once NumPy is there."""
    program = LOADED.replace("import attnref", f"import {module}")
    return set(run(program, root).split()) - {*sys.stdlib_module_names, "numpy"}


def test_importing_attnref_brings_in_numpy_alone():
    assert beyond_numpy(ROOT) == {"attnref"}


def test_importing_attnref_brings_in_nothing_slow_of_the_standard_library():
    slow = {"asyncio", "doctest", "http", "importlib.metadata", "multiprocessing", "unittest", "urllib"}
    assert slow & set(run(LOADED, ROOT).split()) == set()


def test_importing_attnref_loads_neither_the_checker_nor_the_trained_encoders():
    program = "import sys, attnref; print(*[name for name in sys.modules if name.startswith('attnref.')])"
    loaded = run(program, ROOT).split()
    assert "attnref._encoder" in loaded
    assert [name for name in loaded if name.split(".")[1] in ("diagnosis", "trained")] == []


def test_the_trained_encoders_need_numpy_alone():
    assert beyond_numpy(ROOT, "attnref.trained") == {"attnref"}


def test_a_foreign_import_is_found(tmp_path):
    (tmp_path / "attnref").mkdir()
    (tmp_path / "attnref" / "__init__.py").write_text("import foreign, unittest", "utf-8")
    (tmp_path / "foreign.py").write_text("", "utf-8")
    assert beyond_numpy(tmp_path) == {"attnref", "foreign"}
    assert "unittest" in run(LOADED, tmp_path).split()


def raises(node: ast.AST) -> bool:
    """Whether this makes an error; a bare `raise` hands on one that was made elsewhere."""
    return isinstance(node, ast.Raise) and node.exc is not None


def test_there_is_one_place_that_raises():
    """`refuse` raises every error of attnref; the top level besides, for a name that it does not have."""
    files = [*(ROOT / "attnref").glob("*.py"), *(ROOT / "attnref" / "trained").glob("_[a-z]*.py")]
    places = {
        path.stem: sum(raises(node) for node in ast.walk(ast.parse(path.read_text("utf-8"))))
        for path in files
    }
    assert {name: number for name, number in places.items() if number} == {"_validate": 1, "__init__": 1}
