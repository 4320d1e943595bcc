"""Files that others made: each is listed, unchanged, and comes with its licence."""

import hashlib
import re
import shutil
import tomllib
from pathlib import Path

import pytest

VENDOR = Path(__file__).parents[2] / "docs" / "assets" / "vendor"
FIELDS = {"path", "name", "version", "licence", "licence_text", "sha256", "source", "changes"}


def problems(vendor: Path) -> list[str]:
    """What is wrong with a folder of vendored files, one sentence each."""
    files = tomllib.loads((vendor / "manifest.toml").read_text())["file"]
    found = []
    for file in files:
        if missing := FIELDS - file.keys():
            found.append(f"{file.get('path')} does not say its {', '.join(sorted(missing))}")
            continue
        path, text = vendor / file["path"], vendor / file["licence_text"]
        if not path.is_file():
            found.append(f"{file['path']} is listed but missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]:
            found.append(f"{file['path']} has another sha256 than the manifest says")
        if not text.is_file() or text.stat().st_size < 300:
            found.append(f"the licence text of {file['path']}, {file['licence_text']}, is missing")
    listed = {"manifest.toml"} | {file.get(key) for file in files for key in ("path", "licence_text")}
    present = {path.relative_to(vendor).as_posix() for path in vendor.rglob("*") if path.is_file()}
    return found + [f"{name} is not listed in manifest.toml" for name in sorted(present - listed)]


def test_vendored_files_are_listed_unchanged_and_licensed():
    assert problems(VENDOR) == []


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copytree(VENDOR, tmp_path / "vendor"))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda v: (v / "fonts/attnref-code.woff2").write_bytes(b"x"), "another sha256"),
        (lambda v: (v / "fonts/attnref-code.woff2").unlink(), "listed but missing"),
        (lambda v: (v / "licences/source-code-pro-OFL.txt").unlink(), "licence text"),
        (lambda v: (v / "licences/source-code-pro-OFL.txt").write_text("see elsewhere"), "licence text"),
        (lambda v: (v / "new.js").write_text("1"), "new.js is not listed"),
    ],
)
def test_spoiled_vendor_folder_is_noticed(copy, spoil, says):
    spoil(copy)
    assert any(says in problem for problem in problems(copy))


def test_incomplete_entry_is_noticed(copy):
    manifest = copy / "manifest.toml"
    manifest.write_text(re.sub("^licence = .*\n", "", manifest.read_text(), count=1, flags=re.MULTILINE))
    assert any("does not say its licence" in problem for problem in problems(copy))


def test_every_font_that_the_stylesheet_names_is_vendored_and_the_other_way_round():
    css = (VENDOR.parent / "stylesheets" / "attnref.css").read_text()
    named = set(re.findall(r"vendor/fonts/([\w.-]+)", css))
    assert named == {path.name for path in (VENDOR / "fonts").iterdir()}
