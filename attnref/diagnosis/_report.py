"""What a check found, and how it is printed: in narrow lines, as JSON, and in a notebook."""

import html
import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from attnref.diagnosis._say import plain

SHAPE = re.compile(r"\(\d+(?:, \d+)*\)")
REFERENCE = "https://attnref.github.io/reference/"
WIDTH = 70
"""Narrow enough for a page's column of code, and for any console."""

NAMED = 3
"""How many probes are told by name beside the first."""


@dataclass(frozen=True)
class Diagnosis:
    """One thing that is wrong, and how it was seen."""

    fault: str
    """Name in the catalogue, for `explain`."""

    kind: str
    """Which part of attention it belongs to, such as "scale" or "mask"."""

    sentence: str
    """What is wrong, with the numbers of one small call."""

    certainty: str
    """"exact": it gives the numbers of every probe. "likely": it gives those of the probes where nothing
    else is wrong, and something else, which has no name, is wrong besides."""

    mend: str = ""
    """What to change."""

    others: tuple[str, ...] = ()
    """Faults that would give the same numbers in all probes."""

    page: str = ""
    """Where the catalogue explains it, below `REFERENCE`."""

    line: str = ""
    """For an exception: the line of the function that raised it."""

    probe: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)
    yours: Any = None
    expected: Any = None


@dataclass(frozen=True)
class Unexplained:
    """A probe whose numbers are wrong in a way that has no name."""

    probe: str
    sentence: str
    stage: str


@dataclass(frozen=True)
class Report:
    """The result of `check`: true where nothing is wrong."""

    ok: bool
    diagnoses: tuple[Diagnosis, ...] = ()
    conventions: dict[str, str] = field(default_factory=dict)
    unexplained: tuple[Unexplained, ...] = ()
    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    not_tested: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    name: str = "the function"

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        total = len(self.passed) + len(self.failed)
        if self.ok:
            yield from wrapped(
                f"{self.name}: right. It gives the numbers of attention in all {total} probes."
            )
        else:
            number = len(self.diagnoses) + (1 if self.unexplained else 0)
            found = "one finding" if number == 1 else f"{number} findings"
            yield from wrapped(
                f"{self.name}: wrong, {found}. It passed {len(self.passed)} of {total} probes."
            )
        for n, item in enumerate(self.diagnoses, start=1):
            yield ""
            yield from wrapped(f"{n}. {item.sentence}", hang=3)
            if item.mend:
                yield from wrapped(f"Change: {item.mend}", indent=3, hang=8)
            if item.line:
                yield from wrapped(f"At {item.line}", indent=3, hang=3)
            certain = (
                "reproduces every number"
                if item.certainty == "exact"
                else "likely, not everything is explained"
            )
            exact = "" if item.kind == "program" and item.certainty == "exact" else f": {certain}"
            alike = f"; gives the same numbers: {', '.join(item.others)}" if item.others else ""
            yield from wrapped(f"[{item.fault}{exact}{alike}]", indent=3, hang=4)
        if self.unexplained:
            yield ""
            yield from self._unknown(len(self.diagnoses) + 1)
        yield from self._addresses()
        for title, items in (("Not tested", self.not_tested), ("Note", self.notes)):
            for text in items:
                yield ""
                yield from wrapped(f"{title}: {text}", hang=2)

    def _unknown(self, n: int) -> Iterator[str]:
        first, *others = self.unexplained
        yield from wrapped(f"{n}. Unknown: no fault of the catalogue gives these numbers.", hang=3)
        yield from wrapped(f"It goes wrong in: {first.stage}.", indent=3, hang=3)
        yield from wrapped(f"In probe “{first.probe}” {first.sentence}", indent=3, hang=3)
        if others:
            names = ", ".join(f"“{item.probe}”" for item in others[:NAMED])
            more = f" and in {len(others) - NAMED} more" if len(others) > NAMED else ""
            yield from wrapped(f"Also in {names}{more}.", indent=3, hang=3)
        if 0 < len(self.passed) <= NAMED:
            yield from wrapped(
                f"Right were {', '.join(f'“{name}”' for name in self.passed)}.", indent=3, hang=3
            )

    def _addresses(self) -> Iterator[str]:
        pages = list(dict.fromkeys(item.page for item in self.diagnoses if item.page))
        if pages:
            yield ""
            alone = len(pages) == 1
            yield "See " + REFERENCE + pages[0] if alone else f"See, under {REFERENCE}"
            yield from () if alone else (f"  {page}" for page in pages)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain lists, dicts and strings."""
        return {
            "ok": self.ok,
            "name": self.name,
            "diagnoses": [
                {key: plain(value) for key, value in vars(item).items()} for item in self.diagnoses
            ],
            "unexplained": [dict(vars(item)) for item in self.unexplained],
            "conventions": dict(self.conventions),
            "passed": list(self.passed),
            "failed": list(self.failed),
            "not_tested": list(self.not_tested),
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """The report as JSON; NaN and infinity are strings in it."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def _repr_html_(self) -> str:
        """For notebooks."""

        def part(item: Diagnosis) -> str:
            mend = f"<br><b>Change:</b> {html.escape(item.mend)}" if item.mend else ""
            return (
                f"<li>{html.escape(item.sentence)}{mend}<br>"
                f'<a href="{REFERENCE}{item.page}"><code>{item.fault}</code></a> ({item.certainty})</li>'
            )

        head = "right" if self.ok else "wrong"
        unknown = "".join(
            f"<li>Unknown: in probe “{html.escape(item.probe)}” {html.escape(item.sentence)}<br>"
            f"<b>It goes wrong in:</b> {html.escape(item.stage)}.</li>"
            for item in self.unexplained[:1]
        )
        rest = "".join(f"<p>Not tested: {html.escape(text)}</p>" for text in self.not_tested)
        found = "".join(map(part, self.diagnoses)) + unknown
        items = f"<ol>{found}</ol>" if found else ""
        top = f"<p><b>{html.escape(self.name)}: {head}</b>, {len(self.passed)} probes passed.</p>"
        return f"<div>{top}{items}{rest}</div>"


def wrapped(text: str, indent: int = 0, hang: int = 0) -> list[str]:
    """Lines of at most that width. A shape is not broken."""
    whole = SHAPE.sub(lambda shape: shape[0].replace(" ", "\N{NO-BREAK SPACE}"), text)
    lines = textwrap.wrap(
        whole, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * hang,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
