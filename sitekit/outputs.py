"""Blocks and what they print: each block is owned, each output is compared to the letter."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sitekit.fences import Fence
from sitekit.numerals import find
from sitekit.pages import Page, Problem

if TYPE_CHECKING:
    from sitekit.owners import Ledger


def following(page: Page, fence: Fence) -> Fence | None:
    """The output block that follows a block, only blank lines between."""
    later = [f for f in page.fences if f.start >= fence.end]
    if later and later[0].kind == "output" and later[0].prefix == fence.prefix:
        between = page.text[fence.end : later[0].start]
        if not between.strip(" \t>\n"):
            return later[0]
    return None


def apart(page: Page, fence: Fence) -> Fence | None:
    """The output block below a block that something stands between."""
    group = [f for f in page.fences if f.program and f.program == fence.program] or [fence]
    for member in group:
        later = [f for f in page.fences if f.start >= member.end][:1]
        if later and later[0].kind == "output" and not following(page, member):
            return later[0]
    return None


def shown_for(page: Page, fence: Fence) -> list[Fence]:
    """The output blocks of a block; those of a program may follow any of the blocks that show it.

    A session shows its own outputs, so a block that follows it is nobody's.
    """
    if fence.kind == "pycon":
        return []
    group = [f for f in page.fences if f.program and f.program == fence.program] or [fence]
    return [output for output in (following(page, member) for member in group) if output]


def compare(ledger: Ledger) -> None:
    """Compare every block's output, and report each block that nothing owns."""
    page, printed = ledger.page, ledger.run.printed
    paired: set[int] = set()
    for unit in ledger.run.units:
        if unit.fence is None:
            continue
        fence = page.fences[unit.fence]
        shown = shown_for(page, fence)
        paired |= {output.start for output in shown}
        ledger.blocks += sum(f.program == fence.program for f in page.fences) if fence.program else 1
        ledger.outputs += len(shown)
        ledger.waiting_blocks += bool(unit.absent)
        ledger.waiting_outputs += len(shown) * bool(unit.absent)
        if len(shown) > 1:
            message = f"{fence.program} has a second output block here; a program prints once"
            ledger.problems.append(Problem(page.path, shown[1].line, message))
        elif unit.fence in printed:
            ledger.problems += _difference(page, fence, shown[0] if shown else None, printed[unit.fence])
    for fence in page.fences:
        if fence.kind == "shell":
            ledger.blocks += 1
            ledger.problems += _commands(page, fence)
        elif fence.kind == "tree":
            ledger.blocks += 1
            ledger.problems += _missing(page, fence)
        elif fence.kind == "unowned" or (fence.kind == "output" and fence.start not in paired):
            ledger.problems.append(Problem(page.path, fence.line, _unowned(fence)))


def _difference(page: Page, fence: Fence, output: Fence | None, printed: str) -> list[Problem]:
    if output is None:
        if not printed.strip("\n"):
            return []
        other = apart(page, fence)
        advice = f" (the one in line {other.line} stands apart: move it directly below)" if other else ""
        message = f"this block prints, and no output block follows it{advice}. It prints:\n{printed.rstrip()}"
        return [Problem(page.path, fence.line, message)]
    shown = output.code.rstrip("\n")
    if not printed.strip("\n"):
        message = "an output block stands here, but the block above prints nothing: print it, or delete it"
        return [Problem(page.path, output.line, message)]
    wanted = printed.rstrip("\n")
    if shown == wanted:
        return []
    was, now = shown.split("\n"), wanted.split("\n")
    rows = list(difflib.ndiff(was, now))
    first = next(
        (k for k, (a, b) in enumerate(zip(was, now, strict=False)) if a != b),
        min(len(was), len(now)),
    )
    table = "\n".join(f"    {row.rstrip()}" for row in rows if row[0] in "-+ ")
    message = f"the block prints something else (- as shown, + as printed):\n{table}"
    return [Problem(page.path, output.code_line + first, message)]


def _unowned(fence: Fence) -> str:
    if fence.kind == "output":
        return "this block belongs to no program: an output stands directly behind the Python block that prints it"
    return (
        f"no test owns a block marked {fence.info!r}: write python, pycon, sh or tree, "
        "or text behind the block that prints it"
    )


def _missing(page: Page, fence: Fence) -> list[Problem]:
    """Compare a drawn tree with the disk: the first words of a line are paths, deeper lines stand below them."""
    root = page.snippets.parent
    above: list[tuple[int, Path]] = []
    problems = []
    for number, line in enumerate(fence.code.split("\n")):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        above = [(width, path) for width, path in above if width < indent]
        folder = above[-1][1] if above else root
        names = re.match(r"(?:\S+(?: \S+)*?)(?=\s{2,}|\t|$)", line.strip()).group().split(" · ")
        for name in names:
            if name.startswith("/") or not _is_there(folder / name):
                where = name if name.startswith("/") else (folder / name).relative_to(root).as_posix()
                problems.append(
                    Problem(
                        page.path, fence.code_line + number, f"the tree shows {where}, which is not there"
                    )
                )
        above.append((indent, folder / names[0]))
        for numeral in find(line, line.index(names[-1]) + len(names[-1])):
            message = f"the numeral {numeral.text} in a tree has no owner: say it in words"
            problems.append(Problem(page.path, fence.code_line + number, message))
    return problems


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # no system has such a name
        return False


def _commands(page: Page, fence: Fence) -> list[Problem]:
    root = page.snippets.parent
    makefile = root / "Makefile"
    targets = (
        set(re.findall(r"^([a-z]+):", makefile.read_text(encoding="utf-8"), re.M))
        if makefile.exists()
        else ()
    )
    problems = []
    for number, line in enumerate(fence.code.split("\n")):
        command, mark, comment = line.partition("#")
        if any(find(comment)):
            message = f"the comment {mark + comment!r} holds a number that nothing runs: write it in words"
            problems.append(Problem(page.path, fence.code_line + number, message))
        words = command.removeprefix("$ ").split()
        if not words or _known(words, targets, root):
            continue
        command = " ".join(words)
        message = (
            f"nothing tests the command {command!r}: show a make target or python -m with a module of ours"
        )
        problems.append(Problem(page.path, fence.code_line + number, message))
    return problems


def _known(words: list[str], targets: set[str] | tuple[()], root: Path) -> bool:
    match words:
        case ["make", target, *_]:
            return target in targets
        case ["python", "-m", module, *_]:
            path = root / module.replace(".", "/")
            return module in ("pytest", "mkdocs") or _is_there(path.with_suffix(".py")) or _is_there(path)
        case ["git", "clone", _, *_] | ["cd", _] | ["pip", "install", *_]:
            return True
    return False
