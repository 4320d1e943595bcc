"""The top level: what is public, where it says so, and that later parts come in only when asked for."""

import importlib.metadata
import importlib.resources
import inspect
import tomllib
from pathlib import Path

import pytest

import attnref

ROOT = Path(__file__).parents[2]


def test_all_names_what_is_there_in_order():
    assert list(attnref.__all__) == sorted(attnref.__all__)
    assert [name for name in attnref.__all__ if not hasattr(attnref, name)] == []
    public = {name for name, item in vars(attnref).items() if name[0] != "_" and not inspect.ismodule(item)}
    assert public - {"Any", "TYPE_CHECKING", "import_module"} <= set(attnref.__all__)


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert attnref.__version__ == project["version"]


def test_the_package_says_that_it_is_typed():
    assert importlib.resources.files("attnref").joinpath("py.typed").is_file()


def test_a_lazy_name_is_imported_when_it_is_asked_for(monkeypatch):
    monkeypatch.setitem(attnref._LAZY, "isclose", "math")
    assert attnref.isclose(1.0, 1.0)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'attnref' has no attribute 'novel'"):
        attnref.novel  # noqa: B018
