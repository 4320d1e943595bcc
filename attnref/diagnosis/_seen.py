"""What a function made of one call."""

from dataclasses import dataclass, field

from attnref.diagnosis._pipeline import Array, Probe


class NotReturned(Exception):
    """What a function of several calls should have returned and did not."""


@dataclass
class Seen:
    """What the function made of one probe."""

    probe: Probe
    results: list[Array] = field(default_factory=list)
    """As NumPy arrays, in float64 and in our layout."""

    dtype: str = ""
    problem: str = ""
    """What is wrong with the call as such: an exception, no array; empty if there are numbers."""

    kind: str = ""
    line: str = ""
    maker: str = ""
    """The package that the result's type belongs to."""

    changed: tuple[str, ...] = ()
    alias: str = ""
    """The input whose memory the output shares."""

    arithmetic: bool = False
    """Whether it was raised by a division by zero or an overflow, where arrays would hold NaN."""

    @property
    def deed(self) -> str:
        """What it did instead of returning numbers, after "the function"."""
        return f"{'raises' if self.kind == 'raises' else 'returns'} {self.problem}"

    @property
    def output(self) -> Array | None:
        return self.results[0] if self.results else None
