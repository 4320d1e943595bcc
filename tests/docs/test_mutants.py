"""The promise, measured: change any numeral or input of a page, and the page falls short."""

import pytest

from sitekit import check, mutate
from sitekit.check import ROOT
from sitekit.mutate import Tally

PAGES = check.page_files()
PERCENT = {"numeral": 99, "output": 99, "input": 95}


@pytest.fixture(scope="module")
def tallies() -> dict[str, Tally | str]:
    """The mutants of every page, tried once."""
    names = [path.relative_to(ROOT).as_posix() for path in PAGES]
    return dict(zip(names, mutate.mutate_files(PAGES, ROOT), strict=True))


@pytest.mark.parametrize("name", [path.relative_to(ROOT).as_posix() for path in PAGES])
def test_every_change_of_a_page_is_noticed_or_exempt_with_its_reason(tallies, name):
    assert not isinstance(tallies[name], str), tallies[name]
    assert not tallies[name].survivors, "\n".join(map(str, tallies[name].survivors))
    assert all(reason.strip() for _, reason in tallies[name].exempt)


@pytest.mark.parametrize("kind", list(PERCENT))
def test_nearly_every_change_of_the_site_is_noticed(tallies, kind):
    counts = [tally.by_kind.get(kind, [0, 0]) for tally in tallies.values()]
    noticed, tried = (sum(count[k] for count in counts) for k in (0, 1))
    assert tried > 100
    assert 100 * noticed >= PERCENT[kind] * tried
