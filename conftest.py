"""Pytest collects the pages themselves: every block and binding of docs/, every block of the README."""

from pathlib import Path

from sybil.sybil import SybilCollection

from sitekit.sybil_parsers import collection

pytest_collect_file = SybilCollection(collection(Path(__file__).parent)).pytest()
