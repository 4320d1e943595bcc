"""The lab teaches the functions that the program runs: they are the same, cell by cell."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = (ROOT / "snippets" / "induction-head" / "train.py").read_text(encoding="utf-8")
LAB = (ROOT / "docs" / "labs" / "induction-head.py").read_text(encoding="utf-8")


def parts(code: str) -> dict[str, str]:
    """Functions, classes and constants of a file by name, without what is set apart by layout alone."""
    found = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = ast.dump(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.dump(node.value)
    return found


def differences(program: str, lab: str) -> list[str]:
    taught = parts(lab)
    return [name for name, part in parts(program).items() if taught.get(name) != part]


def test_the_lab_holds_each_function_of_the_program_unchanged():
    assert len(parts(PROGRAM)) > 10
    assert differences(PROGRAM, LAB) == []


def test_a_function_that_was_changed_in_the_lab_alone_is_found():
    assert differences(
        PROGRAM, LAB.replace("keep, keep_square = 0.9, 0.99", "keep, keep_square = 0.9, 0.98")
    ) == ["adam"]
