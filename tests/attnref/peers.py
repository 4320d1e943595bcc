"""What is only there to compare with: where it is missing a test is skipped, and in CI that is an error."""

import importlib
import os
from types import ModuleType

import pytest


def peer(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"{name} is not installed")
