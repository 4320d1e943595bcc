"""The pytest fixture `assert_attention`. Nothing of the checker is imported until a test asks for it."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def assert_attention() -> Callable[..., Any]:
    """Fail, with the report, unless a function computes attention: see `attnref.assert_attention`."""
    from attnref.diagnosis._assert import assert_attention as function

    return function
