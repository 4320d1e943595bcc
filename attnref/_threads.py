"""Work shared among threads, each with a BLAS of its own; without them the same work, one after the other."""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any, TypeVar

Task = TypeVar("Task")
_one_call = Lock()  # two calls at once would each restore the other's number of BLAS threads


def share(tasks: Iterable[Task], worker: Callable[[], Callable[[Task], None]], *, worth: bool) -> None:
    """Do all tasks, in threads where that is worth it; each thread calls `worker` once for what does them.

    As many threads work as BLAS would have used by itself, and BLAS is held to one in each. It is held where one
    thread does all, too: for products of this size BLAS's own threads wait longer for each other than they work.
    Where threadpoolctl is not installed, BLAS cannot be held: its threads and ours would wait for each other, so
    the tasks are done one after the other.
    """
    left = deque(tasks)

    def work() -> None:
        do = worker()
        while left:
            try:
                task = left.popleft()
            except IndexError:  # another thread took the last one
                return
            do(task)

    if not _one_call.acquire(blocking=False):
        return work()
    try:
        threads = min(_blas_threads(), len(left)) if worth else 1
        with _one_blas_thread():
            _together(work, threads)
    finally:
        _one_call.release()


def _together(work: Callable[[], None], threads: int) -> None:
    """Work here and in other threads; where no thread can be started, as in a browser, here alone."""
    if threads < 2:
        return work()
    from concurrent.futures import ThreadPoolExecutor  # costs more than the rest of the import

    with ThreadPoolExecutor(threads - 1) as pool:
        try:
            others = [pool.submit(work) for _ in range(threads - 1)]
        except RuntimeError:
            others = []
        work()
        for other in others:
            other.result()


@cache
def _blas() -> Any:
    """What can hold the BLAS that NumPy has loaded, or None."""
    try:
        return import_module("threadpoolctl").ThreadpoolController().select(user_api="blas")
    except ImportError:
        return None


def _blas_threads() -> int:
    """How many threads BLAS would use by itself; one where that cannot be known."""
    libraries = _blas().info() if _blas() else []
    return max((library["num_threads"] for library in libraries), default=1)


def _one_blas_thread() -> AbstractContextManager[Any]:
    """While this lasts, BLAS works in the thread that calls it, if it can be held."""
    return _blas().limit(limits=1) if _blas() else nullcontext()
