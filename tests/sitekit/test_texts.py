"""Files that are no text, and texts that were written by other editors."""

import pytest

from sitekit import check, pages, proofs, texts, update
from tests.sitekit.site import FRONT, Site, whole

RIGHT = whole("It gets 0.735<!--= weights[0] -->.\n")


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, {"docs/page.md": RIGHT})


def told(site: Site, name: str = "docs/page.md") -> list[str]:
    return [str(problem) for problem in check.check_page(site.root / name, site.root)[1]]


def test_what_editors_and_systems_leave_below_docs_is_no_page(site):
    (site.root / "docs" / ".#page.md").symlink_to("nobody@nowhere")
    (site.root / "docs" / "._page.md").write_bytes(b"\x00\x05\x16\x07\xb0")
    site.write("docs/.ipynb_checkpoints/page-checkpoint.md", "It is 3.")
    (site.root / "docs" / "gone.md").symlink_to("nowhere.md")
    (site.root / "docs" / "folder.md").mkdir()
    site.write("docs/labs/._lab.py", "")
    assert pages.files(site.root) == [site.root / "docs" / "page.md"]


def test_a_page_below_a_hidden_folder_of_the_machine_is_a_page(tmp_path):
    site = Site(tmp_path / ".work", {"docs/page.md": RIGHT})
    assert pages.files(site.root) == [site.root / "docs" / "page.md"]


@pytest.mark.parametrize(("encoding", "line"), [("latin-1", 5), ("utf-16", 1)])
def test_a_page_that_is_no_utf8_is_a_problem_at_its_line(site, encoding, line):
    text = FRONT + "Caf\xe9.\n" if encoding == "latin-1" else RIGHT
    (site.root / "docs" / "page.md").write_bytes(text.encode(encoding))
    assert any(
        said.startswith(f"docs/page.md:{line}: the byte 0x")
        and "is no UTF-8: save this file as UTF-8" in said
        for said in told(site)
    )


def test_a_program_that_is_no_utf8_is_a_problem_at_its_line(site):
    page = FRONT + '```python\n--8<-- "page/part.py"\n```\n'
    site.write("docs/page.md", page)
    (site.root / "snippets" / "page").mkdir()
    (site.root / "snippets" / "page" / "part.py").write_bytes(b"x = 1\nname = 'caf\xe9'\n")
    assert told(site)[0].startswith("docs/page.md:5: snippets/page/part.py:2: the byte 0xe9 is no UTF-8")


@pytest.mark.parametrize("name", ["page_numbers.py", "figures.py"])
def test_a_snippet_that_is_no_utf8_is_a_problem_at_its_line(site, name):
    (site.root / "snippets" / "page").mkdir()
    (site.root / "snippets" / "page" / name).write_bytes(b"x = 1\nname = 'caf\xe9'\n")
    assert told(site)[0].startswith(f"snippets/page/{name}:2: the byte 0xe9 is no UTF-8")


def test_an_include_of_a_folder_is_a_problem(site):
    site.write("docs/page.md", FRONT + '```python\n--8<-- "page"\n```\n')
    (site.root / "snippets" / "page").mkdir()
    assert told(site) == ["docs/page.md:5: the include page is a folder: name a file below snippets/"]


def test_a_page_with_a_byte_order_mark_is_read_as_the_site_is(site):
    bound = RIGHT.replace("A page\n", "A page of 2\n#= d_k\n")
    (site.root / "docs" / "page.md").write_bytes(b"\xef\xbb\xbf" + bound.encode())
    assert told(site) == []


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_update_keeps_line_ends_and_the_byte_order_mark(site, mark, end, monkeypatch):
    monkeypatch.chdir(site.root)
    path = site.root / "docs" / "page.md"
    path.write_bytes((mark + RIGHT.replace("0.735", "0.741").replace("\n", end)).encode())
    assert update.main(["docs/page.md"]) == 0
    assert path.read_bytes() == (mark + RIGHT.replace("\n", end)).encode()


def test_lines_that_nothing_changed_keep_their_own_ends(tmp_path):
    path = tmp_path / "page.md"
    path.write_bytes(b"one\r\ntwo\nthree\r\nfour")
    texts.write(path, "one\nTWO\nand more\nthree\nfour\n")
    assert path.read_bytes() == b"one\r\nTWO\r\nand more\r\nthree\r\nfour\r\n"


def test_a_page_that_is_no_utf8_is_never_written(site, monkeypatch, capsys):
    monkeypatch.chdir(site.root)
    raw = RIGHT.replace("0.735", "0.741").encode() + b"\nCaf\xe9.\n"
    (site.root / "docs" / "page.md").write_bytes(raw)
    assert update.main(["docs/page.md"]) == 1
    assert (site.root / "docs" / "page.md").read_bytes() == raw
    assert "is no UTF-8" in capsys.readouterr().out


@pytest.mark.parametrize(
    "raw", [b"<svg><text>3</text>", "<svg><text>3</text></svg>".encode("utf-16"), b"<svg>\xe9</svg>"]
)
def test_a_drawing_that_cannot_be_read_is_a_problem(site, raw):
    site.write("docs/page.md", RIGHT + "\n![A drawing](bad.svg)\n")
    (site.root / "docs" / "bad.svg").write_bytes(raw)
    [said] = told(site)
    assert "the drawing 'bad.svg' cannot be read" in said
    assert said.startswith("docs/page.md:18: ")


def test_a_figure_that_is_no_utf8_is_a_problem(site):
    site.write("docs/page.md", RIGHT + "\n![A drawing](assets/figures/page/sums.svg)\n")
    site.write(
        "snippets/page/figures.py",
        "from sitekit.drawing import figure\n\n\n@figure\ndef sums(d_k):\n    return None\n",
    )
    file = site.write("docs/assets/figures/page/sums.svg", "")
    file.write_bytes(b"<svg>\xe9</svg>")
    assert any("the figure page/sums was changed by hand" in said for said in told(site))


def test_a_page_is_proved_whatever_stands_beside_it(site):
    (site.root / "docs" / ".#page.md").symlink_to("nobody@nowhere")
    page = pages.read(site.root / "docs" / "page.md", site.root, check.sources.read(site.root / "docs"))
    assert proofs.check(page).problems == []
    assert told(site) == []
