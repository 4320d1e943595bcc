"""Labs as text: a notebook in the percent format, `docs/labs/x.py`, read as a page of Markdown and written back.

A lab is a Python file whose cells begin with `# %%` (code) or `# %% [markdown]`; what a code cell prints stands at
its end, in a comment that begins `# Output:`. `as_markdown` turns it into a page **line by line**: line n of the page
is line n of the file. So whatever looks at pages (the ledger, its tests, its errors) knows labs without more ado.

    # %% [markdown]        <!--%%-->
    # ## A sum             ## A sum
    #
    # Two and two.         Two and two.

    # %%                   ```python
    total = 2 + 2          total = 2 + 2
    print(total)           print(total)
                           ```
    # Output:              ```text
    # 4                    4
                           ```
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

RULE = "# ---"  # front matter stands between two of these, as in other tools that read this format
MARKDOWN = "<!--%%-->"
OUTPUT = "# Output:"
_MARKER = re.compile(r"# ?%%.*")
_PYTHON_FENCE = re.compile(r"(?:```|~~~)\s*\{?\s*\.?(?:python|py|pycon)\b")


@dataclass(frozen=True)
class Cell:
    """One cell. ``line`` is that of its marker; ``source`` and ``output`` are without comment signs."""

    kind: str  # "code" or "markdown"
    line: int
    source: list[str]
    output: list[str] | None = None


class _Reader:
    """The lines of a lab and what each becomes; the cells and the faults are found on the way."""

    def __init__(self, text: str) -> None:
        self.lines = [*text.rstrip("\n").split("\n"), ""]  # the last one is where a last fence is closed
        self.page = [""] * len(self.lines)
        self.cells: list[Cell] = []
        self.faults: list[tuple[int, str]] = []
        markers = [k for k, line in enumerate(self.lines) if _MARKER.fullmatch(line)]
        self._front_matter(markers[0] if markers else len(self.lines))
        for start, end in zip(markers, [*markers[1:], len(self.lines)], strict=True):
            self._cell(start, end)

    def fault(self, k: int, message: str) -> None:
        self.faults.append((k + 1, message))

    def _front_matter(self, end: int) -> None:
        reached = 0
        if self.lines[0] == RULE and RULE in self.lines[1:end]:
            reached = self.lines.index(RULE, 1) + 1
            self.page[:reached] = [_bare(line) for line in self.lines[:reached]]
        for k in range(reached, end):
            if self.lines[k].strip():
                self.fault(k, "this line stands before the first cell: begin one with # %%")

    def _cell(self, start: int, end: int) -> None:
        marker = self.lines[start].rstrip()
        if marker not in ("# %%", "# %% [markdown]"):
            self.fault(start, "a cell begins with # %% or # %% [markdown] and nothing else")
        (self._markdown if marker.endswith("[markdown]") else self._code)(start, end)

    def _markdown(self, start: int, end: int) -> None:
        self.page[start] = MARKDOWN
        last = self._last(start, end)
        for k in range(start + 1, last + 1):
            line = self.lines[k]
            if not line.startswith("# ") and line != "#":
                self.fault(k, "a line of a Markdown cell begins with # and a blank (an empty one is #)")
            self.page[k] = _bare(line)
            if _PYTHON_FENCE.match(self.page[k]):
                self.fault(k, "a block of Python is a cell of its own in a lab: begin it with # %%")
        self.cells.append(Cell("markdown", start + 1, self.page[start + 1 : last + 1]))

    def _code(self, start: int, end: int) -> None:
        self.page[start] = "```python"
        outputs = [k for k in range(start + 1, end) if self.lines[k] == OUTPUT]
        code_end = outputs[0] if outputs else end
        last = self._last(start, code_end)
        code = self.lines[start + 1 : last + 1]
        self.page[start + 1 : last + 1] = code
        for k, line in enumerate(code, start + 1):
            if line.lstrip().startswith(("```", "~~~")):
                self.fault(k, "a line of code that begins like a fence would end its block on the page")
        shown = _shown_by_notebooks_alone("\n".join(code))
        if shown:
            self.fault(start + shown, "a notebook would show this value, a script would not: print it")
        self._close(last + 1, code_end, "the comment # Output:" if outputs else "the next cell")
        self.cells.append(Cell("code", start + 1, code, self._output(outputs[0], end) if outputs else None))

    def _output(self, start: int, end: int) -> list[str]:
        last = self._last(start, end)
        self.page[start] = "```text"
        for k in range(start + 1, last + 1):
            if not self.lines[k].startswith("#"):
                self.fault(k, "the output ends its cell: begin the next cell with # %%")
            self.page[k] = _bare(self.lines[k])
            if self.page[k].lstrip().startswith(("```", "~~~")):
                self.fault(k, "a line of output that begins like a fence would end its block on the page")
        self._close(last + 1, end, "the next cell")
        return self.page[start + 1 : last + 1]

    def _close(self, k: int, end: int, what: str) -> None:
        if k < end:
            self.page[k] = "```"
        else:
            self.fault(k, f"leave a blank line above {what}")

    def _last(self, start: int, end: int) -> int:
        """The last line before ``end`` that is not blank, at least ``start``."""
        while end - 1 > start and not self.lines[end - 1].strip():
            end -= 1
        return end - 1


def _shown_by_notebooks_alone(code: str) -> int:
    """The line of a last expression that is no call, or zero. (What calls return is seen by running a kernel.)"""
    try:
        body = ast.parse(code).body
    except SyntaxError:  # said with its line by whoever runs the cell
        return 0
    last = body[-1] if body else None
    return last.lineno if isinstance(last, ast.Expr) and not isinstance(last.value, ast.Call) else 0


def _bare(line: str) -> str:
    return line[2:] if line.startswith("# ") else line.removeprefix("#")


_read = lru_cache(maxsize=64)(_Reader)


def as_markdown(text: str) -> str:
    """The lab as a page, line by line. The last cell's block is closed behind its last line."""
    return "\n".join(_read(text).page) + "\n"


def spaced(page: str) -> str:
    """A page to be rendered: Markdown would take two blocks without a blank line between them for one paragraph."""
    return re.sub(r"^```\n(?=```(?:text|python|\{ \.python .*)$)", "```\n\n", page, flags=re.MULTILINE)


def cells(text: str) -> list[Cell]:
    return _read(text).cells


def faults(text: str) -> list[tuple[int, str]]:
    return _read(text).faults  # what keeps it from being a lab: line, message


def as_percent(page: str) -> str:
    """The lab whose page this is, after its literals and outputs were changed there."""
    written: list[str] = []
    for state, line in _states(page.rstrip("\n").split("\n")):
        if state == "blank":
            written.append("")
        elif state == "marker":
            written.append({MARKDOWN: "# %% [markdown]", "```python": "# %%", "```text": OUTPUT}[line])
            if line == "```text":  # one blank line above it is enough
                while written[-3:-1] == ["", ""]:
                    del written[-2]
        elif state == "code":
            written.append(line)
        else:
            written.append(f"# {line}" if line else "#")
    return "\n".join(written).rstrip("\n") + "\n"


def _states(lines: list[str]) -> Iterator[tuple[str, str]]:
    state, front = "between", 2 if lines[0] == "---" else 0
    for k, line in enumerate(lines):
        if front:
            front -= line == "---"
            yield "front", line
        elif state in ("between", "markdown") and line in (MARKDOWN, "```python", "```text"):
            if line != "```text" or state == "between":
                state = {MARKDOWN: "markdown", "```python": "code", "```text": "output"}[line]
                yield "marker", line
            else:
                yield "markdown", line
        elif state in ("code", "output") and line == "```":
            state = "between"
            yield "blank", ""
        elif state == "markdown" and not line:
            later = next((other for other in lines[k:] if other), MARKDOWN)
            yield ("blank" if later in (MARKDOWN, "```python") else "markdown"), ""
        else:
            yield ("blank" if state == "between" else state), line
