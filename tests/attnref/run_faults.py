"""Make each fault of `faults` in memory, run the tests named beside it, and print which of them went red.

python -m tests.attnref.run_faults
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.attnref.faults import FAULTS, Fault

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
NOT_A_TEST = (NameError, SyntaxError, ImportError)  # a change that does not even run shows nothing


class _Changed(importlib.machinery.SourceFileLoader):
    """Load a module from a changed source."""

    def __init__(self, name: str, path: str, fault: Fault) -> None:
        super().__init__(name, path)
        self.fault = fault

    def get_code(self, fullname: str) -> Any:
        source = Path(self.path).read_text("utf-8")
        if self.fault.old not in source:
            raise SyntaxError(f"{self.path} does not hold {self.fault.old!r}")
        return compile(source.replace(self.fault.old, self.fault.new, 1), self.path, "exec")


class _Finder:
    """Find the one module that is changed; leave all others to the usual way."""

    def __init__(self, fault: Fault | None) -> None:
        self.fault = fault

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if self.fault is None or name != f"attnref.{self.fault.module}":
            return None
        file = str(ROOT / "attnref" / f"{self.fault.module}.py")
        return importlib.util.spec_from_loader(name, _Changed(name, file, self.fault))


class _Watch:
    """Remember the first test that fails, and the kind of its error."""

    def __init__(self) -> None:
        self.failed = self.error = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid.rpartition("/")[2]

    def pytest_exception_interact(self, call: Any) -> None:
        if not self.error:
            self.error = call.excinfo.typename


def red(fault: Fault | None, tests: str) -> tuple[str, str]:
    """Run a file of tests on the changed code: the first test that fails, and its error; empty if none does."""
    import pytest

    for name in [name for name in sys.modules if name.partition(".")[0] == "attnref" or "test_" in name]:
        del sys.modules[name]
    finder, watch = _Finder(fault), _Watch()
    sys.meta_path.insert(0, finder)
    options = ["-x", "-q", "-p", "no:cacheprovider", "--confcutdir", str(HERE), "--rootdir", str(ROOT)]
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            pytest.main(
                [*options, "-c", str(ROOT / "pyproject.toml"), str(HERE / f"{tests}.py")], plugins=[watch]
            )
    finally:
        sys.meta_path.remove(finder)
    return watch.failed, watch.error


def main() -> None:
    as_json = sys.argv[1:] == ["--json"]
    os.chdir(ROOT)
    found = {}
    with tempfile.TemporaryDirectory() as examples:  # no failing example of a changed code is kept
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = examples
        for name, fault in {**FAULTS, "none": None}.items():
            found[name] = red(fault, fault.tests if fault else "test_masks")
            if not as_json:
                print(f"{name:24} {found[name][0] or 'NOT NOTICED':96} {found[name][1]}", flush=True)
    if as_json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
