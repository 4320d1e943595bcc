"""The command line: `python -m attnref check FILE.py:NAME`, and what else it knows."""

import argparse
import ast
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attnref._errors import AttnRefError
from attnref.diagnosis._catalogue import FORMS
from attnref.diagnosis._check import WORDS, check
from attnref.diagnosis._conventions import conventions
from attnref.diagnosis._explain import explain
from attnref.trained import _command as trained

RIGHT, WRONG, UNREADABLE = 0, 1, 2


class Unreadable(Exception):
    """What was named cannot be loaded."""


def load(target: str) -> Callable[..., Any]:
    """The function that `FILE.py:NAME` or `package.module:NAME` names."""
    where, _, name = target.rpartition(":")
    if not where or not name:
        raise Unreadable(f"{target!r} names no function: write FILE.py:NAME or MODULE:NAME")
    try:
        module = from_file(Path(where)) if where.endswith(".py") else importlib.import_module(where)
    except Unreadable:
        raise
    except BaseException as error:
        raise Unreadable(f"{where} cannot be loaded: {described(error, where)}") from error
    item: Any = module
    for part in name.split("."):
        if not hasattr(item, part):
            known = sorted(key for key, value in vars(module).items() if callable(value) and key[0] != "_")
            raise Unreadable(f"{where} has no {name!r}. It has: {', '.join(known) or 'no function'}")
        item = getattr(item, part)
    if not callable(item):
        raise Unreadable(f"{name} in {where} is of type {type(item).__name__}, and no function")
    return item  # type: ignore[no-any-return]


def from_file(path: Path) -> Any:
    """A file as a module; its own folder is on the path, as when it is run."""
    if not path.is_file():
        raise Unreadable(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def described(error: BaseException, where: str) -> str:
    """What went wrong and in which line of the file."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} (line {error.lineno}: {(error.text or '').strip()})"
    lines = [
        entry
        for entry in traceback.extract_tb(error.__traceback__)
        if Path(entry.filename).name == Path(where).name
    ]
    at = f" (line {lines[-1].lineno}: {lines[-1].line})" if lines else ""
    return f"{type(error).__name__}: {error}{at}"


def assigned(text: str) -> dict[str, Any]:
    """An option with its value, as in `causal=True`."""
    name, _, value = text.partition("=")
    try:
        return {name: ast.literal_eval(value)}
    except (ValueError, SyntaxError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not OPTION=VALUE: write causal=True") from error


def parser() -> argparse.ArgumentParser:
    """What can be asked."""
    top = argparse.ArgumentParser(
        prog="python -m attnref",
        description="Tell what is wrong with your attention, and what trained heads look at.",
    )
    commands = top.add_subparsers(dest="command", required=True)
    one = commands.add_parser(
        "check", help="name the faults of a function; exit 0 right, 1 wrong, 2 not loaded"
    )
    one.add_argument("target", metavar="FILE.py:NAME")
    one.add_argument("--form", choices=FORMS, default="attention")
    one.add_argument(
        "--layout", default="BHLD", help="order of batch, heads, length, width (BHLD, BLHD, BLD, LD)"
    )
    for option, words in WORDS.items():
        one.add_argument("--" + option.replace("_", "-"), choices=words, default=words[0])
    one.add_argument(
        "--always", metavar="OPTION=VALUE", type=assigned, default=None,
        help="what is built into the function, such as causal=True",
    )  # fmt: skip
    one.add_argument("--dtype", help="such as float32")
    one.add_argument("--timeout", type=float, default=10.0, help="seconds for one call")
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--json", action="store_true", help="print the report as JSON")
    two = commands.add_parser("conventions", help="measure scale, mask, causal alignment and the rest")
    two.add_argument("target", metavar="MODULE:NAME")
    three = commands.add_parser("explain", help="explain a fault of the catalogue")
    three.add_argument("target", metavar="FAULT")
    trained.add_commands(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return what the process exits with."""
    given = vars(parser().parse_args(arguments))
    command = given.pop("command")
    try:
        if command in ("maps", "fetch"):
            trained.run(command, given)
            return RIGHT
        target, as_json = given.pop("target"), given.pop("json", False)
        if command == "explain":
            print(explain(target))
            return RIGHT
        fn = load(target)
        if command == "conventions":
            print(conventions(fn))
            return RIGHT
        report = check(fn, **given)
    except (Unreadable, AttnRefError) as error:
        print(f"attnref: {error}", file=sys.stderr)
        return UNREADABLE
    print(report.to_json() if as_json else report)
    return RIGHT if report.ok else WRONG
