"""Hypothesis: no deadline, since a busy machine is no fault of the code; in CI always the same examples."""

import os

from hypothesis import settings

settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")
