"""The pages of the site: each holds, says how many examples it has, and stands where its programs are looked for."""

from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from sitekit import check, pages, render, sources
from sitekit.check import ROOT
from sitekit.owners import Ledger
from sitekit.pages import FRONT_MATTER
from tests.sitekit.site import FRONT, Site

PAGES = check.page_files()
RECORD = sources.read(ROOT / "docs")
EXEMPT_PERCENT = 1


class Checked(NamedTuple):
    path: Path
    ledger: Ledger
    problems: list[str]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def site() -> list[Checked]:
    """Every page of the site with its ledger, checked once."""
    found = []
    for path in PAGES:
        ledger, problems = check.check_page(path, ROOT, RECORD)
        found.append(Checked(path, ledger, list(map(str, problems))))
    return found


@pytest.fixture(params=range(len(PAGES)), ids=[name(path) for path in PAGES])
def page(request, site) -> Checked:
    return site[request.param]


def front_matter(path: Path) -> dict[str, object]:
    match = FRONT_MATTER.match(pages.source(path))
    return yaml.safe_load(match.group().strip("-\n")) if match else {}


def folders_without_page(root: Path) -> list[str]:
    slugs = {path.stem for path in check.page_files(root)}
    folders = (path for path in (root / "snippets").iterdir() if path.is_dir() and path.name != "__pycache__")
    return sorted(path.name for path in folders if path.name not in slugs)


def test_a_page_holds(page):
    assert not page.problems, "\n".join(page.problems)


def test_a_page_has_a_title_and_a_description(page):
    meta = front_matter(page.path)
    assert all(isinstance(meta.get(key), str) and meta[key].strip() for key in ("title", "description"))


def test_the_number_of_a_pages_examples_is_the_one_its_front_matter_states(page):
    assert front_matter(page.path).get("examples") == page.ledger.examples


def test_there_are_pages_with_examples(site):
    assert sum(checked.ledger.examples for checked in site) > 50


def test_no_two_pages_have_one_slug():
    slugs = [path.stem for path in PAGES]
    assert sorted(set(slugs)) == sorted(slugs)


def test_every_folder_of_snippets_has_its_page():
    assert folders_without_page(ROOT) == []


def test_a_folder_of_snippets_without_a_page_is_found(tmp_path):
    site = Site(
        tmp_path, {"docs/lessons/masks.md": FRONT, "snippets/masks/a.py": "", "snippets/mask/a.py": ""}
    )
    assert folders_without_page(site.root) == ["mask"]


def test_at_most_one_numeral_in_a_hundred_is_exempt(site):
    exempt = sum(checked.ledger.count("exempt") for checked in site)
    assert 100 * exempt <= EXEMPT_PERCENT * sum(len(checked.ledger.owned) for checked in site)


def test_every_exempt_phrase_stands_on_a_page():
    used = {text for path in PAGES for _, _, text in pages.read(path, ROOT, RECORD).phrases}
    words = {" ".join(text.split()) for text in used}
    assert [p.text for p in RECORD.phrases if p.kind == "exempt" and p.text not in words] == []


def test_every_recorded_source_is_on_the_bibliography_page():
    text = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
    content, _ = render.page_html(text, ROOT)
    assert [key for key in RECORD.sources if f'id="{key}"' not in content] == []


def test_every_label_ends_in_the_year_of_its_source():
    labels = {source["label"]: str(source["year"]) for source in RECORD.sources.values()}
    assert [label for label, year in labels.items() if not label.endswith(f" {year}")] == []
