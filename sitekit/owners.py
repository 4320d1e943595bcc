"""The ledger of a page as data: what owns each numeral, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitekit.numerals import Numeral
from sitekit.pages import Page, Problem
from sitekit.programs import Run


@dataclass(frozen=True)
class Owned:
    """A numeral with its owner: what the reader is shown as its proof."""

    numeral: Numeral
    kind: str  # "bound", "cited", "exempt", "read", "quoted", "named" or "elsewhere"
    proof: str  # the expression, the source or the reason
    value: str = ""  # the whole value, where it is computed
    line: str = ""  # where it was computed: "72", "bank.py:12" in a program, or several with commas
    wrong: str = ""  # what is wrong with it
    right: str = ""  # what should be printed instead, where that is known
    source: str = ""  # the expression of which the value is a part


@dataclass
class Ledger:
    """All that is known of a page."""

    page: Page
    run: Run
    owned: dict[Numeral, Owned] = field(default_factory=dict)
    formula_proofs: dict[int, str] = field(default_factory=dict)  # by the span's start
    lines: dict[str, str] = field(default_factory=dict)  # the code of each line that proofs name
    problems: list[Problem] = field(default_factory=list)
    blocks: int = 0
    outputs: int = 0
    claims: int = 0
    waiting_blocks: int = 0  # these wait for a package that is not installed here
    waiting_outputs: int = 0
    comments: int = 0

    @property
    def examples(self) -> int:
        """How many checks the page has: its blocks, its outputs and its comments."""
        return self.blocks + self.outputs + self.comments

    def count(self, kind: str) -> int:
        return sum(owned.kind == kind for owned in self.owned.values())
