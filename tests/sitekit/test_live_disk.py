"""The script for a site that is read from disk: Node can read it, and it holds every file that is served."""

import base64
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from sitekit import browser_files, live_disk

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made():
    return live_disk.script(ROOT)


@pytest.fixture(scope="module")
def disk(made):
    return json.loads(made.decode().removeprefix("self.attnrefDisk = "))


@pytest.fixture(scope="module")
def held(disk):
    return {name: base64.b64decode(data) for name, data in disk["files"].items()}


def test_every_file_that_is_served_is_held_byte_for_byte(held):
    served = {place.rpartition("/")[2]: data for place, data in browser_files.files(ROOT).items()}
    vendored = {p.name: p.read_bytes() for p in (ROOT / "docs" / browser_files.VENDOR).iterdir()}
    assert held == vendored | served


def test_the_list_of_packages_is_the_one_with_attnref(held):
    assert "attnref" in json.loads(held["pyodide-lock.json"])["packages"]


def test_the_worker_is_the_served_one(disk):
    assert disk["source"] == (ROOT / "docs" / live_disk.WORKER).read_text(encoding="utf-8")


def test_it_is_a_script_that_node_can_read(made, tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    script = tmp_path / "disk.cjs"
    script.write_bytes(made)
    done = subprocess.run([node, "--check", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
