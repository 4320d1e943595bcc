"""Runs a page's blocks in the browser, in the worker where Pyodide has started Python.

The blocks of a page share one name space, as they do where the page is proved; a whole program has one of its own.
What is printed goes out line by line, so that an endless loop shows what it prints. Needs nothing but Python.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import io
import linecache
import sys
import traceback
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

LIMIT = 64 * 1024  # how many characters of one run are shown
CUT = "\n… cut here: a run shows 64 kB.\n"
Post = Callable[[str, str], object]

NOTHING = ("", "", "")
# Whose functions a reader may exchange. Not all of NumPy's modules: some keep things of their own in their names.
EXCHANGED = ("builtins", "math", "numpy", "numpy.linalg", "numpy.random", "attnref")

_names: dict[str, Any] = {}  # what the blocks that have run have defined
_done: list[tuple[str, str, str]] = [NOTHING]  # which these are: page, name, code; NOTHING: begin anew
_numpy: dict[str, Any] = {}  # NumPy's settings as they are before any page has changed them
_modules: dict[
    str, tuple[ModuleType, dict[str, Any]]
] = {}  # what modules hold before anybody has exchanged it


class Stream(io.TextIOBase):
    """Hands on what is printed at each end of a line, up to the limit that both streams of a run share."""

    def __init__(self, kind: str, post: Post, left: list[int]) -> None:
        self.kind, self.post, self.left = kind, post, left
        self.waiting: list[str] = []

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.left[0] > 0:
            self.waiting.append(text[: self.left[0]])
            self.left[0] -= len(text)
            if self.left[0] <= 0:
                self.waiting.append(CUT)
            if "\n" in text or self.left[0] <= 0:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self.waiting:
            text, self.waiting = "".join(self.waiting), []
            self.post(self.kind, text)


def run(page: str, blocks: list[dict[str, Any]], post: Post) -> tuple[str, str]:
    """Run a page's blocks up to the last one, which is shown; return its traceback, and which block it came from.

    Each block is `name`, by which a traceback calls it, `code`, `own` (it has a name space of its own) and `fails`
    (it is meant to fail). Those before the last one run unseen. What has run before, in this order and word for word,
    is not run again; otherwise all of them run from the start. So a run shows what the page as it stands would print,
    and nothing that an earlier version of a block left behind. ``page`` is a key that changes with the page. The name
    returned is that of an earlier block which failed, or nothing.
    """
    *before, shown = blocks
    _remember()
    if shown["own"]:
        _settle()
        return execute(shown["code"], shown["name"], {"__name__": "__main__"}, post), ""
    done = [(page, block["name"], block["code"]) for block in before]
    if _done != done:
        _start()
        for block in before:
            error = execute(block["code"], block["name"], _names, _nobody)
            if error and not block["fails"]:
                _done[:] = [NOTHING]
                return error, str(block["name"])
    error = execute(shown["code"], shown["name"], _names, post)
    _done[:] = [NOTHING] if error and not shown["fails"] else [*done, (page, shown["name"], shown["code"])]
    return error, ""


def check(code: str, function: str, form: str, post: Post) -> dict[str, Any]:
    """Run a reader's program and ask attnref what is wrong with a function of it.

    Gives `traceback` where the program does not run, `missing` where it has no such function, else `ok` and `html`,
    the report. What the function prints is heard.
    """
    _settle()
    names: dict[str, Any] = {"__name__": "__main__"}
    if error := execute(code, "your program", names, post):
        return {"traceback": error}
    if not callable(names.get(function)):
        return {"missing": function}
    import attnref  # loaded where something is checked, and not before

    with contextlib.redirect_stdout(Stream("out", post, [LIMIT])) as out:
        report = attnref.check(names[function], form=form)
        out.flush()
    return {"ok": report.ok, "html": report._repr_html_()}


def _start() -> None:
    """Begin with no names, and as if nothing had run before."""
    _settle()
    _names.clear()
    _names.update({"__name__": "__page__", "__builtins__": builtins})


def _settle() -> None:
    """Undo what earlier runs did to NumPy's settings and to modules; what the page's blocks left is then no more."""
    _remember()
    _done[:] = [NOTHING]
    for name, (module, content) in _modules.items():
        sys.modules[name] = module
        vars(module).update(content)
    if _numpy:
        import numpy as np

        np.seterr(**_numpy["error"])
        np.set_printoptions(**{key: value for key, value in _numpy.items() if key != "error"})


def _remember() -> None:
    """Keep how modules are before anything has run that could change them; a page may need none of them yet."""
    for name in EXCHANGED:
        if name not in _modules and importlib.util.find_spec(name.partition(".")[0]):
            module = importlib.import_module(name)
            _modules[name] = module, dict(vars(module))
    if "numpy" in _modules and not _numpy:
        import numpy as np

        _numpy.update(np.get_printoptions(), error=np.geterr())


def _nobody(kind: str, text: str) -> None:
    """Where the output of blocks goes that run unseen."""


def execute(code: str, name: str, names: dict[str, Any], post: Post) -> str:
    """Run code in a name space, and return its traceback if it has one."""
    # So a traceback can show the lines of code that stands in no file.
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    left = [LIMIT]
    out, err = Stream("out", post, left), Stream("err", post, left)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            exec(compile(code, name, "exec", dont_inherit=True), names)
    except BaseException as error:
        return trace(error)
    finally:
        out.flush()
        err.flush()
    return ""


def trace(error: BaseException) -> str:
    """The traceback from the reader's code on: this file's own frames say nothing to a reader. A long one is cut."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    if isinstance(error, SyntaxError) and error.text is None and error.filename and error.lineno:
        error.text = linecache.getline(error.filename, error.lineno)  # the compiler looks for it in a file
    text = "".join(traceback.TracebackException(type(error), error, frames).format())
    return text if len(text) <= LIMIT else text[: LIMIT // 2] + CUT + text[-LIMIT // 2 :]


def _show_warning(message: Any, category: type[Warning], file: str, line: int, *_: object) -> None:
    sys.stderr.write(f"{file}, line {line}: {category.__name__}: {message}\n")


def _no_input(prompt: object = "") -> str:
    raise RuntimeError("input() has nobody to ask here: write the value into the code")


if sys.platform == "emscripten":
    builtins.input = _no_input
