"""The built site asks no other host for anything, and a strict build fails on what would mislead a reader."""

import io
import json
import logging
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).parents[2]
HERE = "https://here.invalid/"  # where a page is taken to stand while its links are resolved

# Elements that make a browser fetch something, and the attributes that say what.
FETCHING = {
    "script": ["src"], "img": ["src", "srcset"], "source": ["src", "srcset"], "iframe": ["src"],
    "embed": ["src"], "object": ["data"], "video": ["src", "poster"], "audio": ["src"], "track": ["src"],
    "input": ["src"], "use": ["href"], "image": ["href"],
}  # fmt: skip
FETCHING_LINKS = {
    "stylesheet",
    "preload",
    "modulepreload",
    "prefetch",
    "icon",
    "manifest",
    "preconnect",
    "dns-prefetch",
}
IN_CSS = re.compile(r"""@import\s+["']([^"']+)|url\(\s*["']?([^"')]+)""")


class Fetched(HTMLParser):
    """The addresses that a page makes a browser fetch."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.style = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        for name in FETCHING.get(tag, []):
            for address in found.get(name, "").split(", ") if name == "srcset" else [found.get(name, "")]:
                self.addresses.append(address.split(" ")[0])
        if tag == "link" and set(found.get("rel", "").split()) & FETCHING_LINKS:
            self.addresses.append(found.get("href", ""))
        self.addresses += in_css(found.get("style", ""))
        self.style = tag == "style"

    def handle_data(self, data: str) -> None:
        if self.style:
            self.addresses += in_css(data)


def in_css(text: str) -> list[str]:
    return [first or second for first, second in IN_CSS.findall(text)]


def fetched(path: Path) -> list[str]:
    """What a file makes a browser fetch, data: and parts of the page itself left out."""
    text = path.read_text("utf-8")
    addresses = Fetched(text).addresses if path.suffix == ".html" else in_css(text)
    return [a for a in addresses if a and not a.startswith(("data:", "#"))]


def foreign_and_missing(site: Path) -> list[str]:
    found = []
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        name = path.relative_to(site).as_posix()
        for address in fetched(path):
            whole = urlsplit(urljoin(HERE + name, address))
            if whole.netloc != urlsplit(HERE).netloc:
                found.append(f"{name} asks another host: {address}")
            elif not (site / unquote(whole.path).lstrip("/")).is_file():
                found.append(f"{name} asks for a file that is not there: {address}")
    return found


def test_site_passes_a_strict_build(built):
    _, complaints = built
    assert complaints == "", complaints


def test_no_page_asks_another_host_or_for_a_missing_file(site):
    assert len(list(site.rglob("*.html"))) > 1
    assert foreign_and_missing(site) == []


@pytest.mark.parametrize(
    "html",
    [
        '<script src="//cdn.example/a.js"></script>',
        '<link rel="stylesheet" href="https://fonts.example/css?family=A">',
        '<link rel="preconnect" href="https://fonts.example">',
        '<img src="https://img.example/a.png">',
        '<img srcset="a.png 1x, https://img.example/b.png 2x">',
        "<style>@import 'https://css.example/a.css';</style>",
        '<p style="background: url(https://img.example/a.png)">',
        '<iframe src="https://video.example/1"></iframe>',
        '<img src="missing.png">',
    ],
)
def test_request_to_another_host_is_noticed(tmp_path, html):
    (tmp_path / "a.png").touch()
    (tmp_path / "index.html").write_text(f'<a href="https://a.example">a link is no request</a>{html}')
    assert len(foreign_and_missing(tmp_path)) == 1


def test_own_scripts_name_no_host():
    for script in (ROOT / "docs/assets/javascripts").rglob("*.js"):
        code = script.read_text().replace('"http://www.w3.org/2000/svg"', "")  # a name, never asked for
        assert not re.search(r'https?://|\bimport\((?![^\n]*["`]\./)|//[a-z]+\.', code), script.name


def test_theme_fetches_mermaid_from_elsewhere_so_no_page_has_a_diagram(site):
    for page in site.rglob("*.html"):
        assert 'class="mermaid"' not in page.read_text("utf-8"), page


def test_records_that_pages_are_checked_against_are_not_published(site):
    assert [path.name for path in site.rglob("*.toml")] == []


def test_licences_of_fonts_are_published_with_them(site):
    assert list(site.glob("assets/vendor/licences/*OFL.txt"))


def test_search_finds_words_and_neither_mathml_nor_source_code(site):
    text = (site / "search" / "search_index.json").read_text()
    docs = json.loads(text)["docs"]
    found = " ".join(entry["title"] + entry["text"] for entry in docs)
    reference = (site / "reference/attention/index.html").read_text()
    assert "<math" in reference
    assert "mkdocstrings-source" in reference
    assert "softmax(QKᵀ/√d_k)V" in found  # a formula, said in a line
    assert [sign for sign in ("\u2061", "<math", "<mi>", "alttext") if sign in found] == []
    assert "Parameters" in found
    assert "def softmax(x: npt.ArrayLike" not in found  # its source code, which the reference folds away


def test_search_dialog_has_a_name(site, tags):
    page = (site / "index.html").read_text(encoding="utf-8")
    dialogs = [attributes for _, attributes in tags(page) if attributes.get("role") == "dialog"]
    assert dialogs
    assert all(dialog.get("aria-label") for dialog in dialogs)


# ---- what a strict build fails on: tiny sites under the settings of our own mkdocs.yml

SOUND = """# Title

[page](other.md), [part](other.md#a-part), [part of this page](#a-part-here), ![bars](bars.svg), $\\frac{a}{b}$.

## A part here

```python
--8<-- "bank.py:blend"
```
"""
SNIPPET = "# --8<-- [start:blend]\nimport math\n# --8<-- [end:blend]\n"


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A site of two pages with our settings, but for the theme and what needs our folders."""
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    kept = {key: settings[key] for key in ("validation", "exclude_docs")}
    extensions = [e for e in settings["markdown_extensions"] if e != "sitekit.ledger"]  # has its own tests
    kept |= {
        "site_name": "tiny",
        "nav": ["index.md", "other.md"],
        "plugins": [],
        "markdown_extensions": extensions,
    }
    kept |= {"theme": {"name": None, "custom_dir": "theme"}}
    files = {
        "mkdocs.yml": yaml.safe_dump(kept),
        "theme/main.html": "{{ page.content }}",
        "snippets/bank.py": SNIPPET,
        "docs/index.md": SOUND,
        "docs/other.md": "# Other\n\n## A part\n",
        "docs/bars.svg": "<svg/>",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outcome(folder: Path) -> str:
    """What a strict build of a site says against it; nothing when it passes."""
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    handler.setLevel(logging.WARNING)
    logging.getLogger("mkdocs").addHandler(handler)
    try:
        build(load_config(str(folder / "mkdocs.yml"), strict=True, site_dir=str(folder / "site")))
    except (Exception, SystemExit) as error:  # Abort is a SystemExit; a missing snippet an error of its own
        return f"{said.getvalue()}{error!r}"
    finally:
        logging.getLogger("mkdocs").removeHandler(handler)
    return ""


def test_sound_site_passes_a_strict_build(tiny, mkdocs):
    assert outcome(tiny) == ""
    assert "import math" in re.sub(r"<[^>]*>", "", (tiny / "site/index.html").read_text())


@pytest.mark.parametrize(
    ("sound", "spoiled", "says"),
    [
        ("(other.md)", "(missing.md)", "missing.md"),
        ("(other.md#a-part)", "(other.md#no-part)", "#no-part"),
        ("(#a-part-here)", "(#no-part)", "#no-part"),
        ("(other.md)", "(/other/)", "/other/"),
        ("(bars.svg)", "(bar.svg)", "bar.svg"),
        ("\\frac{a}{b}", "\\frac{a}", "index.md: bad formula: Expected argument"),
        ("\\frac{a}{b}", "\\fraction{a}{b}", "Unknown command"),
        ("bank.py:blend", "bank.py:blende", "blende"),
        ("bank.py:blend", "banks.py", "banks.py"),
    ],
)
def test_strict_build_fails_on(tiny, sound, spoiled, says):
    assert SOUND.count(sound) == 1
    (tiny / "docs/index.md").write_text(SOUND.replace(sound, spoiled))
    assert says in outcome(tiny)


def test_strict_build_fails_on_a_page_outside_the_navigation(tiny, mkdocs):
    (tiny / "docs/third.md").write_text("# Third\n")
    assert "third.md" in outcome(tiny)


def test_exit_code_of_a_strict_build_tells(tiny, mkdocs):
    (tiny / "docs/index.md").write_text(SOUND.replace("(other.md)", "(missing.md)"))
    assert mkdocs("build", "--strict", cwd=tiny).returncode == 1
