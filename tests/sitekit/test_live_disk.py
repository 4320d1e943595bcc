"""The scripts for a site that is read from disk: classic ones, which Node can read and which hold every file."""

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sitekit import browser_files, live_disk

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "docs" / live_disk.SCRIPTS


@pytest.fixture(scope="module")
def made():
    return live_disk.files(ROOT)


def held(made) -> dict[str, bytes]:
    text = made["assets/live/disk.js"].decode().removeprefix("self.attnrefDisk = ")
    return {name: base64.b64decode(data) for name, data in json.loads(text)["files"].items()}


def test_every_file_that_is_served_is_held_byte_for_byte(made):
    files = held(made)
    served = {place.rpartition("/")[2]: data for place, data in browser_files.files(ROOT).items()}
    vendored = {p.name: p.read_bytes() for p in (ROOT / "docs" / browser_files.VENDOR).iterdir()}
    assert files == vendored | served


def test_the_list_of_packages_is_the_one_with_attnref(made):
    assert "attnref" in json.loads(held(made)["pyodide-lock.json"])["packages"]


def test_the_bundle_holds_every_module_and_no_word_that_only_modules_know(made):
    bundle = made["assets/javascripts/live/live.js"].decode()
    assert not re.search(r"^\s*(import|export)\b|\bimport\s*\(|import\.meta", bundle, re.MULTILINE)
    for name in live_disk.MODULES:
        assert f'modules["{name}"] = ' in bundle


def test_every_module_of_the_folder_is_known_to_the_bundle():
    # live.js begins, worker.js is started by itself.
    known = {*live_disk.MODULES.keys(), *live_disk.MODULES.values(), "live.js", "worker.js"}
    assert {path.name for path in SCRIPTS.iterdir()} == known


def test_modules_stand_behind_those_that_they_import():
    order = list(live_disk.MODULES)
    for place, name in enumerate(order):
        source = (SCRIPTS / live_disk.MODULES[name]).read_text(encoding="utf-8")
        for imported in re.findall(r'^import .* from "\./([\w.]+)"', source, re.MULTILINE):
            assert imported in order[:place], f"{name} imports {imported}"


def test_the_bundle_is_a_script_that_node_can_read(made, tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    script = tmp_path / "live.cjs"
    script.write_bytes(made["assets/javascripts/live/live.js"])
    done = subprocess.run([node, "--check", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_imports_and_exports_become_plain_names():
    modules = {"a.js": "export const x = 1\nexport async function f() {}\n"}
    entry = 'import { x as y } from "./a.js"\nimport * as a from "./a.js"\nconst z = await import("./a.js")\n'
    bundle = live_disk.bundle(modules, entry)
    assert "const x = 1\nasync function f() {}\n\nreturn { x, f }" in bundle
    assert 'const { x: y } = modules["a.js"]' in bundle
    assert 'const a = modules["a.js"]' in bundle
