"""Running a page: its page_numbers.py, then its blocks from top to bottom; whole programs in a module of their own."""

from __future__ import annotations

import ast
import builtins
import contextlib
import doctest
import io
import re
import tokenize
import traceback
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sitekit import texts
from sitekit.numerals import find
from sitekit.pages import Page, Problem

_REGION = re.compile(r"#\s*--8<--\s*\[(?:start|end):[^\]]+\]\s*")
PAGE = ""  # the module name of code that runs in the page's own name space


@dataclass(frozen=True)
class Unit:
    """One piece of code that runs: a block of the page, a whole program, or page_numbers.py."""

    path: str  # the file its lines are in
    line: int  # the line of its first line of code there
    code: str
    module: str = PAGE
    fence: int | None = None  # which of the page's fences shows it first
    kind: str = "python"
    fails: bool = False
    absent: str = ""  # the package that it waits for where that is not installed: then it does not run
    faults: tuple[tuple[int, str], ...] = ()  # why its file cannot be read: line, message

    @cached_property
    def lines(self) -> list[str]:
        return self.code.split("\n")  # as Python counts them: a form feed ends no line

    @cached_property
    def python(self) -> str:
        """The code alone, on its own lines: of a session, what stands behind the prompts."""
        if self.kind != "pycon":
            return self.code
        prompt = re.compile(r"(?:>>>|\.\.\.)(?: |$)")
        return "\n".join(line[4:] if prompt.match(line) else "" for line in self.lines)


@dataclass
class Run:
    """What came of running a page."""

    units: list[Unit]
    names: dict[str, Any] = field(default_factory=dict)
    modules: dict[str, types.SimpleNamespace] = field(default_factory=dict)
    printed: dict[int | None, str] = field(default_factory=dict)  # by the number of the fence
    problems: list[Problem] = field(default_factory=list)
    digests: dict[str, object] = field(default_factory=dict)  # name -> what it held when it was assigned
    absent: dict[str, str] = field(default_factory=dict)  # name -> the package without which nothing gives it
    hollow: dict[tuple[str, ...], str | None] = field(
        default_factory=dict
    )  # what of its bindings proves nothing
    broken: bool = False  # did a unit fail, so that those behind it never ran

    @cached_property
    def computed(self) -> dict[str, list[Assignment]]:
        """The assignments of each name, ``weights`` for the page's and ``bank.weights`` for a program's."""
        found: dict[str, list[Assignment]] = {}
        computed: set[str] = set()
        for unit in self.units:
            imports = [(name, line, False) for name, line in imported(unit.python)]
            for name, line, loop in sorted([*assignments(unit.python), *imports], key=lambda item: item[1]):
                key = f"{unit.module}.{name}" if unit.module else name
                text = unit.lines[line - 1].strip() if line <= len(unit.lines) else ""
                found.setdefault(key, []).append(Assignment(unit.path, unit.line + line - 1, text, loop))
                computed |= {key} if (name, line, loop) not in imports else set()
        # An import computes nothing, though it takes a name from what does.
        return {key: places for key, places in found.items() if key in computed}


@dataclass(frozen=True)
class Assignment:
    """Where a name gets its value, and the line that gives it."""

    path: str
    line: int
    text: str
    loop: bool


@lru_cache(maxsize=4096)
def assignments(code: str) -> tuple[tuple[str, int, bool], ...]:
    """Return (name, line, is it a loop variable) of each assignment at module level.

    ``x += 1`` and ``x[0] = 1`` count as assignments of x; what a function assigns inside counts where it is global.
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ()
    return tuple(_assigned(tree.body))


@lru_cache(maxsize=4096)
def imported(code: str) -> tuple[tuple[str, int], ...]:
    """Return (name, line) of what the imports of a program give."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ()
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return tuple(((a.asname or a.name).partition(".")[0], node.lineno) for node in found for a in node.names)


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, int, bool]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno, False
            yield from _globals(node)
        elif isinstance(node, ast.For):
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name):
                    yield target.id, node.lineno, True
            yield from _assigned([*node.body, *node.orelse])
        elif isinstance(node, ast.If | ast.While | ast.With | ast.Try):
            if isinstance(node, ast.With):
                for item in node.items:
                    if item.optional_vars:
                        yield from _targets(item.optional_vars)
            handlers = [part for handler in getattr(node, "handlers", []) for part in handler.body]
            rest = [*getattr(node, "orelse", []), *handlers, *getattr(node, "finalbody", [])]
            yield from _assigned([*node.body, *rest])
        elif isinstance(node, ast.Assign | ast.Delete):
            for target in node.targets:
                yield from _targets(target)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            yield from _targets(node.target)
        yield from ((walrus.target.id, walrus.lineno, False) for walrus in _walruses(node))


def _targets(node: ast.expr) -> Iterator[tuple[str, int, bool]]:
    if isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            yield from _targets(element)
        return
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id, node.lineno, False


def _walruses(node: ast.stmt) -> Iterator[ast.NamedExpr]:
    """The ``:=`` of a statement's own expressions (a condition's too), without the statements below it."""
    for expression in ast.iter_child_nodes(node):
        if isinstance(expression, ast.expr):
            yield from (part for part in ast.walk(expression) if isinstance(part, ast.NamedExpr))


def _globals(node: ast.stmt) -> Iterator[tuple[str, int, bool]]:
    for part in ast.walk(node):
        if isinstance(part, ast.Global):
            yield from ((name, part.lineno, False) for name in part.names)


def units(page: Page) -> list[Unit]:
    """The code of a page in the order in which it runs."""
    found = []
    numbers = page.snippets / page.slug / "page_numbers.py"
    if numbers.exists():
        code, faults = texts.read(numbers)
        found.append(Unit(_relative(numbers, page), 1, code, faults=faults))
    started: dict[str, str] = {}  # program -> the name it is bound by
    for number, fence in enumerate(page.fences):
        if fence.kind not in ("python", "pycon") or fence.problem:
            continue
        if not fence.program:
            found.append(Unit(page.path, fence.code_line, fence.code, PAGE, number, fence.kind, fence.fails))
        elif fence.program not in started:
            file = page.snippets / fence.program
            module = file.stem.replace("-", "_")
            twins = [program for program, name in started.items() if name == module]
            message = f"{fence.program} and {', '.join(twins)} would both be called {module}: rename one"
            started[fence.program] = module
            faults = ((1, message),) if twins else ()
            found.append(Unit(_relative(file, page), 1, texts.read(file)[0], module, number, faults=faults))
    return found


def _relative(file: Path, page: Page) -> str:
    return file.relative_to(page.snippets.parent).as_posix()


def run(page_units: list[Unit], known: Run | None = None) -> Run:
    """Run the units in order. The first one that fails ends the run, since the rest would build on it.

    With the run of a page that holds, as ``known``, a block that prints something else fails too, and a whole
    program, which sees nothing of the page, is not run again where it has not changed.
    """
    result = Run(page_units)
    result.names = {"__name__": "__page__", "__builtins__": builtins}
    with warnings.catch_warnings(), np.printoptions(), np.errstate():
        warnings.simplefilter("error")
        for unit in page_units:
            if unit.absent:
                result.absent.update({name: unit.absent for name, _, _ in assignments(unit.python)})
                continue
            if known and unit.module != PAGE and unit in known.units and "set_printoptions" not in unit.code:
                result.modules[unit.module] = known.modules[unit.module]
                result.printed[unit.fence] = known.printed[unit.fence]
                continue
            names = result.names if unit.module == PAGE else {"__name__": "__main__"}
            problem = _run_unit(unit, names, result)
            if unit.module != PAGE:
                result.modules[unit.module] = types.SimpleNamespace(**names)
            if known and not problem and result.printed.get(unit.fence) != known.printed.get(unit.fence):
                problem = Problem(unit.path, unit.line, "this block prints something else than before")
            if problem:
                result.problems.append(problem)
                result.broken = True
                break
            result.problems += _shape_problems(unit, names)
            if unit.module == PAGE:
                given = [name for name, _, _ in assignments(unit.python) if name in names]
                result.digests |= {name: digest(names[name]) for name in given}
    return result


def digest(value: Any) -> object:
    """What tells whether an array or a collection has been changed in place; None where it is not looked at."""
    if isinstance(value, np.ndarray) and value.nbytes < 1_000_000 and value.dtype != object:
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, dict):
        return digest(list(value.items()))
    if isinstance(value, list | tuple | set) and len(value) < 1000:
        return tuple(map(digest, value))
    return repr(value) if isinstance(value, int | float | str) else None


def run_once(page_units: list[Unit], page: Page) -> Run:
    """Run a page's units, or take what the same ones gave before: a page is checked and then rendered.

    What they read (the library, other snippets, records of benchmarks) is looked at by its time stamps.
    """
    stamp = _stamp(page.snippets.parent)
    known = _RUNS.get(page.path)
    if known is None or known[0] != (stamp, page_units):
        known = _RUNS[page.path] = ((stamp, page_units), run(page_units))
    return known[1]


_RUNS: dict[str, tuple[tuple[tuple[int, ...], list[Unit]], Run]] = {}
_READ = ("attnref/**/*.py", "snippets/**/*.*", "benchmarks/records/*.json", "pyproject.toml")


def _stamp(root: Path) -> tuple[int, ...]:
    files = sorted(path for pattern in _READ for path in root.glob(pattern))
    return (hash(root), *(path.stat().st_mtime_ns for path in files))


def _run_unit(unit: Unit, names: dict[str, Any], result: Run) -> Problem | None:
    output = io.StringIO()
    for line, fault in unit.faults:
        return Problem(unit.path, line, fault)
    if unit.kind == "pycon":
        return _run_session(unit, names)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            exec(_compiled(unit.code, unit.path, unit.line), names)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and "KeyboardInterrupt" not in unit.code:
            raise  # somebody wants to stop
        last = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
        line = _line_of(error, unit)
        if not unit.fails:
            printed = f" (it had printed {output.getvalue()!r})" if output.getvalue() else ""
            return Problem(unit.path, line, f"this block raised {last}{printed}")
        output.write(last + "\n")
    else:
        if unit.fails:
            message = "this block is marked as failing, but it ran: remove .fails or mend the block"
            return Problem(unit.path, unit.line, message)
    if unit.fence is not None:
        result.printed[unit.fence] = output.getvalue()
    elif output.getvalue():
        return Problem(
            unit.path, unit.line, "page_numbers.py prints, and no page shows what: remove the print"
        )
    return None


@lru_cache(maxsize=4096)
def _compiled(code: str, path: str, line: int) -> types.CodeType:
    # Blank lines in front make the line numbers of a traceback those of the file.
    return compile("\n" * (line - 1) + code, path, "exec", dont_inherit=True)


def _line_of(error: BaseException, unit: Unit) -> int:
    if isinstance(error, SyntaxError) and error.filename == unit.path and error.lineno:
        return error.lineno
    places = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == unit.path]
    return places[-1] if places and places[-1] else unit.line


def _run_session(unit: Unit, names: dict[str, Any]) -> Problem | None:
    """Run an interactive session; what each prompt shows is compared to the letter."""
    try:
        examples = doctest.DocTestParser().get_examples(unit.code, unit.path)
    except ValueError as error:
        return Problem(unit.path, unit.line, f"this session cannot be read: {error}")
    if not examples:
        return Problem(unit.path, unit.line, "this session holds no >>> prompt, so nothing of it runs")
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for example in examples:
        test = doctest.DocTest([example], {}, unit.path, unit.path, 0, unit.code)
        test.globs = names  # given above, they would be copied, and each prompt would have names of its own
        try:
            runner.run(test, out=report.append, clear_globs=False)
        except KeyboardInterrupt:  # which doctest lets through
            if "KeyboardInterrupt" not in unit.code:
                raise
            return Problem(unit.path, unit.line + example.lineno, "this session raised KeyboardInterrupt")
        if "Exception raised:" in "".join(report):
            last = "".join(report).strip().splitlines()[-1].strip()
            return Problem(unit.path, unit.line + example.lineno, f"this session raised {last}")
        if report:
            shown = "".join(report).split("\n", 3)[-1].strip()
            return Problem(
                unit.path, unit.line + example.lineno, f"this session shows something else:\n{shown}"
            )
    return None


def _shape_problems(unit: Unit, names: dict[str, Any]) -> Iterator[Problem]:
    """A digit in a comment is a shape at the end of an assignment, and it is compared."""
    for line, text in docstrings(unit.python):
        for numeral in find(text):
            message = f"the docstring holds the number {numeral.text} that nothing runs: write it in words"
            yield Problem(unit.path, unit.line + line + text.count("\n", 0, numeral.start) - 1, message)
    if "#" not in unit.code:
        return
    assigned = _assigned_by_last_line(unit.python)
    for line, comment in comments(unit.python):
        if not _holds_numeral(comment) or _REGION.fullmatch(comment):
            continue
        where, shape, name = unit.line + line - 1, _shape(comment), assigned.get(line)
        if shape is None or name not in names:
            message = (
                f"the comment {comment!r} holds a number that nothing runs: print it, write it in words, "
                "or write the shape of what the line assigns, such as # (4, 2)"
            )
            yield Problem(unit.path, where, message)
        elif np.shape(names[name]) != shape:
            message = f"the comment says shape {shape}, {name} has {np.shape(names[name])}"
            yield Problem(unit.path, where, message)


def _holds_numeral(text: str) -> bool:
    return any(find(text)) or any(character.isnumeric() for character in text)


def _shape(comment: str) -> tuple[int, ...] | None:
    """The shape that a comment states, or None where it states something else."""
    try:
        shape = ast.literal_eval(comment.strip("# "))
    except (ValueError, SyntaxError):
        return None
    return shape if isinstance(shape, tuple) and all(type(size) is int for size in shape) else None


@lru_cache(maxsize=1024)
def _assigned_by_last_line(code: str) -> dict[int, str]:
    """The name (of several the last) that each assignment at module level gives, by its last line."""
    given = assignments(code)
    statements = ast.walk(ast.parse(code)) if given else ()
    last = {n.lineno: n.end_lineno for n in statements if isinstance(n, ast.Assign | ast.AnnAssign)}
    return {last[line] or line: name for name, line, _ in given if line in last}


@lru_cache(maxsize=1024)
def docstrings(code: str) -> tuple[tuple[int, str], ...]:
    """Return (line, text) of each text that stands for itself: docstrings, and others that nothing takes up."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ()
    alone = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    texts = [node for node in alone if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return tuple((node.lineno, node.value) for node in texts)


@lru_cache(maxsize=1024)
def comments(code: str) -> tuple[tuple[int, str], ...]:
    """Return (line, text) of each comment."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return ()
    return tuple((token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT)
