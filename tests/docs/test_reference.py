"""Every public name of the library is documented on exactly one page of the reference."""

import re
from collections import Counter
from pathlib import Path

import attnref
from attnref import faults

ROOT = Path(__file__).parents[2]


def documented(folder: Path) -> Counter[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]
    return Counter(name for text in texts for name in re.findall(r"^::: attnref\.(\w+)", text, re.MULTILINE))


def test_every_public_name_is_documented_on_exactly_one_page():
    assert documented(ROOT / "docs" / "reference") == Counter(set(attnref.__all__))


def test_a_name_on_two_pages_is_counted_twice(tmp_path):
    (tmp_path / "a.md").write_text("::: attnref.softmax\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("Text\n\n::: attnref.softmax\n", encoding="utf-8")
    assert documented(tmp_path) == {"softmax": 2}


def test_every_fault_has_its_place_on_the_page_that_a_report_names():
    """Add what is missing: a heading `### Title { #fault }`, a block that prints `explain("fault")`, and its output."""
    folder = ROOT / "docs" / "reference"
    for name, fault in faults().items():
        page, _, place = fault.page.partition("/#")
        text = (folder / f"{page}.md").read_text(encoding="utf-8")
        heading = rf"^### [^\n]+ {{ #{place} }}\n\n```python\nprint\(explain\(\"{name}\"\)\)\n```\n"
        assert re.search(heading, text, re.MULTILINE), f"{name} has no place on {page}.md"


def test_the_pages_of_faults_hold_them_in_the_order_of_the_catalogue():
    for page in {fault.page.partition("/#")[0] for fault in faults().values()}:
        text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
        places = re.findall(r"^### .*\{ #(\w+) \}$", text, re.MULTILINE)
        kinds = list(dict.fromkeys(faults()[name].kind for name in places))
        order = [name for kind in kinds for name, fault in faults().items() if fault.kind == kind]
        assert places == order
