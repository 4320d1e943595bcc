"""Tell people what is wrong with their attention. Loaded when it is first asked for."""

from attnref.diagnosis._assert import assert_attention
from attnref.diagnosis._catalogue import FORMS, Fault
from attnref.diagnosis._check import check
from attnref.diagnosis._conventions import Conventions, conventions
from attnref.diagnosis._explain import Explanation, explain, faults
from attnref.diagnosis._faulty import faulty
from attnref.diagnosis._report import Diagnosis, Report, Unexplained

__all__ = [
    "FORMS",
    "Conventions",
    "Diagnosis",
    "Explanation",
    "Fault",
    "Report",
    "Unexplained",
    "assert_attention",
    "check",
    "conventions",
    "explain",
    "faults",
    "faulty",
]
