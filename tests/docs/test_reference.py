"""Every public name of the library is documented on exactly one page of the reference."""

import re
from collections import Counter
from pathlib import Path

import attnref

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
