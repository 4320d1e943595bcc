"""Change attnref in one place at a time, run its tests, and count module by module what no test notices.

python -m benchmarks.mutate_attnref [module …] [--children N] [--record]

A change that means the same is listed in tests/attnref/mutants.toml with its reason. What is neither noticed nor listed
is printed; above five in a hundred, or where the list holds a change that a test does notice, the exit code is 1.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks import record

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "tests" / "attnref" / "mutants.toml"
SCRATCH = ROOT / ".cache" / "mutants"
INSTALL = "mutmut==3.8.1"
UNEXPLAINED = 0.05  # the share of changes that may survive without a reason
NOTICED = {"killed", "timeout", "segfault"}  # a test went red, never ended, or brought Python down
COUNTED = ["mutants", "killed", "timeouts", "equivalent", "unexplained"]  # timeouts are among the killed

# Each module, with the files of tests that are run on its changes: the nearest ones, so that a change takes a second.
CORE = {
    "_softmax": ["softmax"],
    "_blend": ["attention", "running"],
    "_masks": ["masks", "scoring", "messages"],
    "_heads": ["heads", "messages"],
    "_running": ["running", "blockwise"],
    "_attention": ["attention", "attention_errors", "scoring"],
    "_blockwise": ["running", "threads", "messages", "blockwise"],
    "_scoring": ["scoring", "messages", "blockwise"],
    "_multihead": ["multihead", "scoring", "messages"],
}
MODULES = {
    **CORE,
    "_validate": ["messages", "attention_errors", "scoring", "attention", "multihead", "heads"],
    "_options": ["messages", "attention_errors", "softmax", "masks", "attention", "positions"],
    "_fit": ["messages", "attention_errors", "heads", "norms", "patterns", "multihead", "gradients"],
    "_gradients": ["gradients", "messages"],
    "_gradients_blockwise": ["gradients", "messages"],
    "_gradients_multihead": ["gradients", "messages"],
    "_positions": ["positions", "messages"],
    "_patterns": ["patterns", "messages"],
    "_sinks": ["sinks", "messages"],
}

# The same examples each time; and without what takes a third of the time of a test that fails at once.
PYTEST = [
    "--hypothesis-profile=ci", "-p", "_hypothesis_pytestplugin",
    "-p", "no:cacheprovider", "-p", "no:unraisableexception", "-p", "no:threadexception",
]  # fmt: skip

# Runs in the folder of a scratch copy: `mutmut` reads its settings there and writes the changed modules into `mutants`.
# Where pytest does not know a test it is to run, mutmut would take the failure for a test gone red.
RUN = """
from mutmut.__main__ import cli
from mutmut.runners.harness import BadTestExecutionCommandsException, PytestRunner

plainly = PytestRunner.run_tests


def run_tests(self, **given):
    try:
        return plainly(self, **given)
    except BadTestExecutionCommandsException:
        return 4  # suspicious, and not noticed


PytestRunner.run_tests = run_tests
cli()
"""
# Prints, for each change, its module, what became of it, and the lines it took away and put in their place.
TELL = """
import json
from pathlib import Path
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import walk_mutatable_files
for path in sorted(walk_mutatable_files()):
    data = SourceFileMutationData(path=path)
    data.load()
    for name, code in data.exit_code_by_key.items():
        status = status_by_exit_code[code]
        lines = get_diff_for_mutant(name, path=path).splitlines()[2:] if status != "killed" else []
        was, now = ([line[1:] for line in lines if line[0] == sign] for sign in "-+")
        print(json.dumps([path.stem, status, was, now]))
"""


Told = tuple[str, str, list[str], list[str]]  # module, what became of the change, lines before and after


class Change(NamedTuple):
    """One change of the code, as text: lines without indentation and comments."""

    module: str
    was: str
    now: str


class Outcome(NamedTuple):
    """What became of the changes of some modules."""

    counts: dict[str, Counter[str]]
    unexplained: list[Change]
    needless: list[Change]


def one_line(lines: list[str] | str) -> str:
    """Code as it is compared: in one line, without comments."""
    given = lines.splitlines() if isinstance(lines, str) else lines
    return " ".join(line.partition("  # ")[0].strip() for line in given)


def listed() -> dict[Change, str]:
    """The changes that mean the same, each with its reason."""
    reasons = tomllib.loads(LISTED.read_text("utf-8"))["reason"]
    return {
        Change(reason["module"], one_line(was), one_line(now)): reason["why"]
        for reason in reasons
        for was, now in reason["changes"]
    }


def prepare(module: str) -> None:
    """A scratch copy of the package and its tests, with settings of its own."""
    here = SCRATCH / module
    shutil.rmtree(here, ignore_errors=True)
    for folder in ("attnref", "tests/attnref"):
        shutil.copytree(ROOT / folder, here / folder, ignore=shutil.ignore_patterns("__pycache__"))
    settings = {
        "source_paths": ["attnref"],
        "only_mutate": [f"attnref/{module}.py"],
        "pytest_add_cli_args": PYTEST,
        "pytest_add_cli_args_test_selection": [f"tests/attnref/test_{name}.py" for name in MODULES[module]],
        "use_git_change_detection": False,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    own = (ROOT / "pyproject.toml").read_text("utf-8")
    (here / "pyproject.toml").write_text("\n".join([own, "[tool.mutmut]", *lines, ""]), "utf-8")


def python(module: str, code: str, *arguments: str) -> str:
    """Run code in the scratch copy; one thread of BLAS, since more would wait for each other."""
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment = {**os.environ, **threads, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=SCRATCH / module, env=environment, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"{module}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def changes_of(module: str, children: int, *, again: bool) -> list[Told]:
    """Make each change of a module and run the tests; or read what the last run found."""
    if not again:
        print(f"{module} …", file=sys.stderr, flush=True)
        prepare(module)
        python(module, RUN, "run", "--max-children", str(children))
    return [json.loads(line) for line in python(module, TELL).splitlines()]


def outcome(told: list[Told], same: dict[Change, str]) -> Outcome:
    """Count what became of each change."""
    counts: dict[str, Counter[str]] = {}
    unexplained, seen = [], set()
    for module, status, was, now in told:
        of_module = counts.setdefault(module, Counter(dict.fromkeys(COUNTED, 0)))
        of_module["mutants"] += 1
        change = Change(module, one_line(was), one_line(now))
        if status in NOTICED:
            of_module["killed"] += 1
            of_module["timeouts"] += status == "timeout"
        elif change in same:
            of_module["equivalent"] += 1
            seen.add(change)
        else:
            of_module["unexplained"] += 1
            unexplained.append(change)
    needless = [change for change in same if change.module in counts and change not in seen]
    return Outcome(counts, unexplained, needless)


def report(found: Outcome) -> bool:
    """Print the table and what is to be done; whether all is well."""
    total: Counter[str] = sum(found.counts.values(), Counter())
    print(f"{'':24}" + "".join(f"{name:>13}" for name in COUNTED))
    for name, counts in [*found.counts.items(), ("all", total)]:
        print(f"{name:24}" + "".join(f"{counts[column]:13,}" for column in COUNTED))
    print(f"\nkilled: {total['killed'] / total['mutants']:.1%}")
    for module, was, now in found.unexplained:
        print(f"\nno test notices, in {module}:\n  - {was}\n  + {now}")
    for module, was, now in found.needless:
        print(f"\nlisted as meaning the same, but noticed or gone, in {module}:\n  - {was}\n  + {now}")
    return not found.needless and total["unexplained"] <= UNEXPLAINED * total["mutants"]


def keep(found: Outcome) -> None:
    """Write what was found of these modules into the record; what it holds of others stays, with its date."""
    path = record.RECORDS / "mutants.json"
    modules = json.loads(path.read_text("utf-8"))["modules"] if path.exists() else {}
    today = datetime.date.today().isoformat()
    modules |= {name: {"date": today, **counts} for name, counts in found.counts.items()}
    ordered = {name: modules[name] for name in MODULES if name in modules}
    versions = record.versions("mutmut", "pytest", "hypothesis")
    record.write("mutants", {"command": "make mutants", "versions": versions, "modules": ordered})


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "modules", nargs="*", help="such as _softmax; all that are listed above if none is named"
    )
    parser.add_argument("--children", type=int, default=os.cpu_count(), help="how many tests run at a time")
    parser.add_argument("--record", action="store_true", help="write benchmarks/records/mutants.json")
    parser.add_argument(
        "--again", action="store_true", help="count what the last run found, without a new one"
    )
    options = parser.parse_args()
    if importlib.util.find_spec("mutmut") is None:
        print(
            f"mutmut is not installed. Install it into this environment: {sys.executable} -m pip install {INSTALL}"
        )
        return 2
    modules = options.modules or list(MODULES)
    told = [change for name in modules for change in changes_of(name, options.children, again=options.again)]
    found = outcome(told, listed())
    well = report(found)
    if options.record:
        keep(found)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
