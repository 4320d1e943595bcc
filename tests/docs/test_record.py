"""What the checks take on trust holds no numbers: the remarks of the record of sources, and the style sheets."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
STYLES = sorted((ROOT / "docs" / "assets" / "stylesheets").glob("*.css"))


def remarks_with_numbers(record: dict) -> list[str]:
    """The sources whose remark, or whose name of a figure, holds a digit: a figure has an entry and a place."""
    texts = {
        key: [source["adds"], *(f["of"] for f in source.get("figures", {}).values())]
        for key, source in record.items()
    }
    return [key for key, found in texts.items() if re.search(r"\d", " ".join(found))]


def generated_numbers(css: str) -> list[str]:
    return [text for text in re.findall(r"\bcontent\s*:\s*([^;}]*)", css) if re.search(r"\"[^\"]*\d", text)]


def test_no_remark_of_a_source_holds_a_number():
    record = tomllib.loads((ROOT / "docs" / "bibliography.toml").read_text(encoding="utf-8"))
    assert len(record) > 10
    assert remarks_with_numbers(record) == []


def test_a_number_in_a_remark_is_found():
    source = {"adds": "It has 99 heads.", "figures": {}}
    assert remarks_with_numbers({"some2017": source, "other2018": {"adds": "It has heads."}}) == ["some2017"]


def test_no_style_sheet_writes_a_number():
    assert STYLES
    assert [path.name for path in STYLES if generated_numbers(path.read_text(encoding="utf-8"))] == []


def test_a_number_that_a_style_sheet_writes_is_found():
    assert generated_numbers('p::after { content: " weight 0.9"; }') == ['" weight 0.9"']
    assert generated_numbers('p::after { content: attr(data-x) " = "; }') == []
