"""Change attnref in one place at a time, run its tests, and count module by module what no test notices.

python -m benchmarks.mutate_attnref [module …] [--children N] [--record]

A change that means the same is listed in tests/attnref/mutants.toml with its reason. What is neither noticed nor listed
is printed; above five in a hundred, or where the list holds a change that a test does notice, the exit code is 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import record

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "tests" / "attnref" / "mutants.toml"
SCRATCH = ROOT / ".cache" / "mutants"
INSTALL = "mutmut==3.8.1"
UNEXPLAINED = 0.05  # the share of changes that may survive without a reason
NOTICED = {"killed", "timeout", "segfault"}  # a test went red, never ended, or brought Python down

MODULES = [
    "_softmax", "_blend", "_masks", "_heads", "_running", "_attention", "_blockwise", "_scoring", "_multihead",
    "_validate", "_options", "_fit", "_gradients", "_gradients_blockwise", "_gradients_multihead", "_positions",
    "_patterns", "_sinks",
]  # fmt: skip
TESTS = [
    "softmax", "masks", "attention", "attention_errors", "attention_laws", "heads", "multihead", "running", "scoring",
    "blockwise", "threads", "patterns", "sinks", "gradients", "positions", "messages", "cache",
]  # fmt: skip

# Runs in the folder of a scratch copy: `mutmut` reads its settings there and writes the changed modules into `mutants`.
RUN = "from mutmut.__main__ import cli; cli()"
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


def prepare(modules: list[str]) -> None:
    """A scratch copy of the package and its tests, with settings of its own."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    leave = shutil.ignore_patterns("__pycache__")
    for folder in ("attnref", "tests/attnref"):
        shutil.copytree(ROOT / folder, SCRATCH / folder, ignore=leave)
    settings = {
        "source_paths": ["attnref"],
        "only_mutate": [f"attnref/{module}.py" for module in modules],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "--hypothesis-profile=ci"],
        "pytest_add_cli_args_test_selection": [f"tests/attnref/test_{name}.py" for name in TESTS],
        "use_git_change_detection": False,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    own = (ROOT / "pyproject.toml").read_text("utf-8")
    (SCRATCH / "pyproject.toml").write_text("\n".join([own, "[tool.mutmut]", *lines, ""]), "utf-8")


def python(code: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run code in the scratch copy; one thread of BLAS, since the tests of many changes share the machine."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=SCRATCH, env=environment, text=True, check=True, **options)


def outcome(told: list[tuple[str, str, list[str], list[str]]], same: dict[Change, str]) -> Outcome:
    """Count what became of each change."""
    counts: dict[str, Counter[str]] = {}
    unexplained, seen = [], set()
    for module, status, was, now in told:
        of_module = counts.setdefault(module, Counter(mutants=0, killed=0, equivalent=0, unexplained=0))
        of_module["mutants"] += 1
        change = Change(module, one_line(was), one_line(now))
        if status in NOTICED:
            of_module["killed"] += 1
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
    columns = ["mutants", "killed", "equivalent", "unexplained"]
    print(f"{'':24}" + "".join(f"{name:>13}" for name in columns))
    for name, counts in [*found.counts.items(), ("all", total)]:
        print(f"{name:24}" + "".join(f"{counts[column]:13,}" for column in columns))
    print(f"\nkilled: {total['killed'] / total['mutants']:.1%}")
    for module, was, now in found.unexplained:
        print(f"\nno test notices, in {module}:\n  - {was}\n  + {now}")
    for module, was, now in found.needless:
        print(f"\nlisted as meaning the same, but noticed or gone, in {module}:\n  - {was}\n  + {now}")
    return not found.needless and total["unexplained"] <= UNEXPLAINED * total["mutants"]


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
    if not options.again:
        prepare(options.modules or MODULES)
        python(RUN, "run", "--max-children", str(options.children))
    told = [json.loads(line) for line in python(TELL, capture_output=True).stdout.splitlines()]
    found = outcome(told, listed())
    well = report(found)
    if options.record:
        modules = {name: dict(counts) for name, counts in found.counts.items()}
        record.write(
            "mutants", {"versions": record.versions("mutmut", "pytest", "hypothesis"), "modules": modules}
        )
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
