"""For test suites: fail with the report."""

from collections.abc import Callable
from typing import Any

from attnref.diagnosis._check import check
from attnref.diagnosis._report import Report


def assert_attention(fn: Callable[..., Any], **options: Any) -> Report:
    """Fail, with the report, unless a function computes attention.

    Parameters
    ----------
    fn
        The function.
    **options
        As in `check`.

    Returns
    -------
    Report
        The report, if nothing is wrong.

    Raises
    ------
    AssertionError
        If something is; its text is the printed report.
    AttnRefError
        As in `check`.

    Examples
    --------
    >>> from attnref import assert_attention, attention
    >>> report = assert_attention(lambda Q, K, V, mask=None: attention(Q, K, V, mask=mask).output)
    >>> report.ok
    True
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    report = check(fn, **options)
    if not report.ok:
        raise AssertionError(str(report))
    return report
