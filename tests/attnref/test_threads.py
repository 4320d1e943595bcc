"""Work shared among threads: each task once, whatever the threads, and BLAS left as it was."""

import contextlib
import threading

import numpy as np
import pytest

from attnref import _blockwise, _threads, attention, blockwise_attention
from tests.attnref.peers import peer
from tests.attnref.tolerance import assert_close

BATCH, HEADS, L_Q, L_K, D_K, D_V = 2, 3, 5, 7, 11, 13


class Blas:
    """What stands in for threadpoolctl: so many threads, and a count of how often it is held and let go."""

    def __init__(self, threads):
        self.threads, self.held, self.released = threads, 0, 0

    def info(self):
        return [{"num_threads": 1}, {"num_threads": self.threads}]

    @contextlib.contextmanager
    def limit(self, *, limits):
        assert limits == 1
        self.held += 1
        yield
        self.released += 1


def with_blas(monkeypatch, threads):
    blas = Blas(threads) if threads else None
    monkeypatch.setattr(_threads, "_blas", lambda: blas)
    return blas


def work(number, worth=True):
    """Do that many tasks; say which were done, and by how many workers in which threads."""
    done, threads = [], []

    def worker():
        threads.append(threading.get_ident())
        return done.append

    _threads.share(range(number), worker, worth=worth)
    return done, threads


@pytest.mark.parametrize("threads", [0, 1, 2, 3])
@pytest.mark.parametrize("number", [0, 1, 7, 101])
def test_each_task_is_done_once(monkeypatch, threads, number):
    with_blas(monkeypatch, threads)
    assert sorted(work(number)[0]) == list(range(number))


def test_as_many_threads_work_as_blas_would_use_and_blas_is_held(monkeypatch):
    blas = with_blas(monkeypatch, 3)
    meet = threading.Barrier(3, timeout=30)
    done = []
    _threads.share(range(3), lambda: lambda task: (meet.wait(), done.append(task)), worth=True)
    assert sorted(done) == [0, 1, 2]  # three at the same time, or the barrier breaks
    assert (blas.held, blas.released) == (1, 1)


def test_there_are_no_more_threads_than_tasks(monkeypatch):
    with_blas(monkeypatch, 64)
    assert len(work(2)[1]) <= 2


@pytest.mark.parametrize(("threads", "worth"), [(0, True), (1, True), (3, False)])
def test_without_threads_all_is_done_here_and_in_order(monkeypatch, threads, worth):
    blas = with_blas(monkeypatch, threads)
    done, where = work(7, worth)
    assert done == list(range(7))
    assert where == [threading.get_ident()]
    assert blas is None or (blas.held, blas.released) == (1, 1)  # its threads would wait for each other


def test_where_no_thread_can_be_started_all_is_done_here(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    with_blas(monkeypatch, 3)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    done, where = work(7)
    assert done == list(range(7))
    assert where == [threading.get_ident()]


def test_a_call_within_a_call_leaves_blas_to_the_outer_one(monkeypatch):
    blas = with_blas(monkeypatch, 2)
    inner = []
    _threads.share(range(2), lambda: lambda _: inner.append(work(5)[0]), worth=True)
    assert inner == [list(range(5))] * 2
    assert (blas.held, blas.released) == (1, 1)
    work(2)
    assert (blas.held, blas.released) == (2, 2)


def test_an_error_in_any_thread_arrives_and_lets_the_next_call_work(monkeypatch):
    with_blas(monkeypatch, 3)
    for bad in range(7):
        with pytest.raises(ZeroDivisionError):
            _threads.share(range(7), lambda bad=bad: lambda task: 1 / (task - bad), worth=True)
    assert sorted(work(7)[0]) == list(range(7))


def test_threadpoolctl_holds_blas_and_lets_it_go():
    threadpoolctl = peer("threadpoolctl")
    held = []
    before = _threads._blas_threads()
    _threads.share(range(9), lambda: lambda _: held.append(_threads._blas_threads()), worth=True)
    assert threadpoolctl.threadpool_info()
    assert set(held) == {1}
    assert _threads._blas_threads() == before


@pytest.mark.parametrize("threads", [0, 3])
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"causal": True, "softcap": 1.3},
        {"window": (1, 0), "scale": 1.7},
        {"window": (0, None)},
        {"window": (np.uint8(1), np.uint8(2))},
        {"mask": np.random.default_rng(5).random((BATCH, 1, L_Q, L_K)) < 0.4},
        {"bias": np.where(np.random.default_rng(7).random((HEADS, L_Q, L_K)) < 0.4, -np.inf, 1.5)},
    ],
    ids=lambda options: " ".join(options),
)
@pytest.mark.parametrize("garbage", [1.0, np.nan])
def test_neither_threads_nor_blocks_of_queries_change_the_result(
    monkeypatch, threads, rows, options, garbage
):
    with_blas(monkeypatch, threads)
    monkeypatch.setattr(_blockwise, "ROWS", rows)
    monkeypatch.setattr(_blockwise, "WORTH_THREADS", 0)
    rng = np.random.default_rng(11)
    Q, K = rng.normal(size=(BATCH, HEADS, L_Q, D_K)), rng.normal(size=(HEADS, L_K, D_K))
    V = rng.normal(size=(BATCH, 1, L_K, D_V))
    V[:, :, 3, 1] = garbage
    with np.errstate(all="raise"):
        ours = blockwise_attention(Q, K, V, block_size=3, **options).output
    assert_close(ours, attention(Q, K, V, **options).output)


def shared_out(monkeypatch, L_q, L_k=L_K):
    """What a call hands to `share`: its tasks, and whether they are worth threads."""
    seen = []
    monkeypatch.setattr(
        _blockwise, "share", lambda tasks, worker, *, worth: seen.append((list(tasks), worth))
    )
    blockwise_attention(np.ones((BATCH, L_q, D_K)), np.ones((L_k, D_K)), np.ones((L_k, D_V)))
    ((tasks, worth),) = seen
    return tasks, worth


@pytest.mark.parametrize("L_q", [1, 6, 7])
def test_each_query_of_each_head_belongs_to_one_task(monkeypatch, L_q):
    monkeypatch.setattr(_blockwise, "ROWS", 3)
    tasks, _ = shared_out(monkeypatch, L_q)
    answered = [(*at, row) for at, rows in tasks for row in range(L_q)[rows]]
    assert sorted(answered) == list(np.ndindex(BATCH, L_q))
    assert all(len(range(L_q)[rows]) <= 3 for _, rows in tasks)


def test_threads_are_worth_it_from_a_number_of_scores_on(monkeypatch):
    monkeypatch.setattr(_blockwise, "WORTH_THREADS", BATCH * L_Q * L_K)
    assert shared_out(monkeypatch, L_Q)[1] is True
    assert shared_out(monkeypatch, L_Q, L_K - 1)[1] is False
