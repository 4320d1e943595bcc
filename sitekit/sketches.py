"""The functions that draw a lesson's figures: which there are, what they are drawn from, and drawing one.

They stand in `snippets/<slug>/figures.py`, each marked by `@figure`. The program is read without running it;
it runs, and matplotlib is imported, when a figure is drawn.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from dataclasses import dataclass
from functools import lru_cache
from numbers import Number
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from sitekit import numerals, svg
from sitekit.programs import Run

SITEKIT = Path(__file__).parent


class FigureError(Exception):
    """Why a figure does not hold; the text says what to do."""


@dataclass(frozen=True)
class Sketch:
    """A function that draws a figure, and the names whose values it takes."""

    function: str
    parameters: tuple[str, ...]


def file_of(root: Path, slug: str, name: str) -> Path:
    return root / "docs" / "assets" / "figures" / slug / f"{name}.svg"


def source_of(root: Path, slug: str) -> Path:
    return root / "snippets" / slug / "figures.py"


@lru_cache(maxsize=64)
def find(code: str) -> dict[str, Sketch]:
    """The figures that a program draws, by the name of their file. The program is read, not run."""
    found = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(mark, ast.Name) and mark.id == "figure" for mark in node.decorator_list
        ):
            names = tuple(argument.arg for argument in node.args.args)
            found[node.name.replace("_", "-")] = Sketch(node.name, names)
    return found


@lru_cache(maxsize=64)
def written_numerals(code: str) -> tuple[tuple[int, str], ...]:
    """Texts of a program that hold digits: (line, text). A figure's numbers come from values alone."""
    tree = ast.parse(code)
    passed_over = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            passed_over |= {id(part) for part in ast.walk(node.format_spec)}
    return tuple(
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in passed_over
        and any(numerals.find(node.value))
    )


# ---- what a figure is drawn from ----


def arguments(sketch: Sketch, run: Run) -> dict[str, Any]:
    """The values for a figure's parameters, from the page that was run."""
    values = {}
    for name in sketch.parameters:
        if name not in run.modules and name not in run.computed:
            raise FigureError(f"asks for {name}, which the page does not compute")
        if len(run.computed.get(name, ())) > 1:
            raise FigureError(
                f"shows {name}, which the page assigns more than once: give one of them another name"
            )
        values[name] = run.modules[name] if name in run.modules else run.names[name]
    return values


def inputs(code: str, values: dict[str, Any]) -> str:
    """The digest of all that a figure is drawn from: programs without their comments, and values."""
    parts = [_bare(code), _bare((SITEKIT / "drawing.py").read_text(encoding="utf-8"))]
    if re.search(r"^\s*(?:import|from) attnref\b", code, re.MULTILINE):
        parts += [
            _bare(file.read_text(encoding="utf-8"))
            for file in sorted((SITEKIT.parent / "attnref").glob("*.py"))
        ]
    return svg.digest([*parts, *(f"{name} {_plain(value)}" for name, value in values.items())])


@lru_cache(maxsize=64)
def _bare(code: str) -> str:
    return ast.unparse(ast.parse(code))


def _plain(value: Any) -> str:
    """A value as text, numbers to nine digits: the last bits differ between machines."""
    if isinstance(value, SimpleNamespace):
        kept = {name: item for name, item in vars(value).items() if _is_data(name, item)}
        return _plain(kept)
    if hasattr(value, "tolist"):
        return f"{value.shape}{_plain(value.tolist())}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_plain, value)) + "]"
    if isinstance(value, float):
        return f"{0.0 if abs(value) < 1e-12 else value:.9g}"
    if value is None or isinstance(value, str | bool | Number):
        return repr(value)
    raise FigureError(f"is given a {type(value).__name__}; a figure takes numbers, texts and arrays")


def _is_data(name: str, item: Any) -> bool:
    return not (name.startswith("__") or callable(item) or isinstance(item, ModuleType))


def drawn_from(root: Path, slug: str, name: str, run: Run) -> tuple[Sketch, dict[str, Any], str]:
    path = source_of(root, slug)
    code = path.read_text(encoding="utf-8") if path.exists() else ""
    sketch = find(code).get(name)
    if sketch is None:
        function = name.replace("-", "_")
        raise FigureError(
            f"is drawn by no function: snippets/{slug}/figures.py holds no {function} under @figure"
        )
    values = arguments(sketch, run)
    return sketch, values, inputs(code, values)


_drawings: dict[tuple[Path, str, str], str] = {}


def draw(path: Path, sketch: Sketch, values: dict[str, Any], inputs: str) -> str:
    """The file of a figure, drawn anew; this imports matplotlib."""
    key = (path, sketch.function, inputs)
    if key not in _drawings:
        import matplotlib

        from sitekit import drawing

        try:
            with matplotlib.rc_context():
                matplotlib.rcdefaults()  # whatever this machine's own settings are
                matplotlib.rcParams.update(drawing.STYLE)
                figure = getattr(_loaded(path), sketch.function)(**values)
                _drawings[key] = svg.to_svg(figure, inputs)
        except Exception as error:
            raise FigureError(f"could not be drawn: {type(error).__name__}: {error}") from error
    return _drawings[key]


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"figures_of_{path.parent.name.replace('-', '_')}", path)
    if spec is None or spec.loader is None:
        raise FigureError(f"cannot be loaded from {path.name}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
