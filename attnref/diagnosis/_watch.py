"""Run a stranger's code: stop it when it does not end, catch what it raises and prints, find its own line."""

import contextlib
import contextvars
import ctypes
import io
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

IMPORTS = 60
"""Seconds for which a function is left alone that is loading a module."""

HERE = str(Path(__file__).parent)
OURS = "attnref.diagnosis"


class Stopped(BaseException):
    """Raised inside code that took too long. No `Exception`, so that `except Exception` does not keep it."""


@dataclass
class Watched:
    """What came of it."""

    value: Any = None
    error: BaseException | None = None
    line: str = ""
    """File, line and text of the innermost place in the code under test."""

    timed_out: bool = False
    printed: str = ""
    warned: list[str] = field(default_factory=list)


def described(filename: str, number: int, text: str | None) -> str:
    """A place in a program, on one line."""
    return f"{filename}:{number}" + (f": {text.strip()}" if text and text.strip() else "")


def _own(frame_summary: traceback.FrameSummary, home: str) -> bool:
    return frame_summary.filename == home


def place(trace: TracebackType | FrameType | None, home: str) -> str:
    """The deepest line in the file of the function under test; without one, the deepest of all."""
    if trace is None:
        return ""
    back = isinstance(trace, TracebackType)
    stack = traceback.extract_tb(trace) if back else traceback.extract_stack(trace)  # type: ignore[arg-type]
    own = [entry for entry in stack if _own(entry, home)] or list(stack[-1:])
    if not own or HERE in own[-1].filename:  # it was refused before it began
        return ""
    return described(own[-1].filename, own[-1].lineno or 0, own[-1].line)


def home_of(fn: Any) -> str:
    """The file that a function was written in."""
    for item in (
        fn,
        getattr(fn, "forward", None),
        getattr(fn, "func", None),
        type(fn).__dict__.get("__call__"),
    ):
        code = getattr(getattr(item, "__wrapped__", item), "__code__", None)
        if code is not None:
            return str(code.co_filename)
    return ""


def watch(
    work: Callable[[], Any], *, timeout: float, home: str = "", began: Callable[[], float] | None = None
) -> Watched:
    """Run it in a thread of its own, with what it prints and warns of caught.

    `began` says when the call that is running began. After `timeout` seconds from then an exception is
    raised inside it, between two lines of Python. Code that is inside one call of compiled code, or that
    catches everything, cannot be ended: its thread is left behind, and ends with the program. Where there
    are no threads, as in a browser, nothing is stopped.
    """
    found = Watched()
    out = io.StringIO()
    context = contextvars.copy_context()

    def target() -> None:
        try:
            found.value = context.run(work)
        except Stopped:
            found.timed_out = True
        except BaseException as error:
            found.error = error
            found.line = place(error.__traceback__, home)

    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        try:
            thread = threading.Thread(target=target, daemon=True, name=OURS)
            thread.start()
        except RuntimeError:  # no threads here
            target()
        else:
            _join(thread, timeout, found, home, began)
    found.printed = out.getvalue()
    found.warned = list(dict.fromkeys(f"{item.category.__name__}: {item.message}" for item in caught))
    return found


def importing(thread: threading.Thread) -> bool:
    """Whether a module is being loaded there: what is stopped then stays broken for the whole program."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _join(
    thread: threading.Thread, timeout: float, found: Watched, home: str, began: Callable[[], float] | None
) -> None:
    """Wait for the end, or bring it about."""
    start = time.monotonic()
    latest = start + IMPORTS
    while thread.is_alive():
        left = max(start, began() if began else start) + timeout - time.monotonic()
        if left <= 0:
            if not importing(thread) or time.monotonic() > latest:
                break
            start, left = time.monotonic(), timeout
        thread.join(left)
    if not thread.is_alive():
        return
    frame = sys._current_frames().get(thread.ident or 0)
    found.line = place(frame, home)
    found.timed_out = True
    with contextlib.suppress(AttributeError):  # another Python than CPython may not have it
        stop = ctypes.pythonapi.PyThreadState_SetAsyncExc
        for _ in range(20):
            stop(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Stopped))
            thread.join(0.05)
            if not thread.is_alive():
                break
