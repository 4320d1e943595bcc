"""`python -m attnref`: exit codes, messages with lines, JSON; and the pytest fixture."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from attnref.diagnosis._command import main

ROOT = Path(__file__).parents[3]
RIGHT = "from attnref import attention\ndef f(Q, K, V):\n    return attention(Q, K, V).output\n"
WRONG = RIGHT.replace("(Q, K, V).output", "(Q, K, V, scale=1.0).output")


@pytest.fixture
def program(tmp_path):
    def write(text: str) -> str:
        path = tmp_path / "program.py"
        path.write_text(text, "utf-8")
        return f"{path}:f"

    return write


@pytest.mark.parametrize(
    ("text", "code"), [(RIGHT, 0), (WRONG, 1), ("f = 3\n", 2), ("def f(:\n", 2), ("1 / 0\n", 2), ("", 2)]
)
def test_the_exit_code_says_right_wrong_or_not_loaded(program, text, code, capsys):
    assert main(["check", program(text)]) == code
    assert capsys.readouterr().err.startswith("attnref: ") == (code == 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [("\n1 / 0\n", "line 2: 1 / 0"), ("x = 1\ndef f(:\n", "line 2"), ("def g(): pass\n", "It has: g")],
)
def test_what_cannot_be_loaded_is_told_with_its_line(program, text, words, capsys):
    assert main(["check", program(text)]) == 2
    assert words in capsys.readouterr().err


def test_a_missing_file_and_a_missing_name_are_told(capsys):
    assert main(["check", "nowhere.py:f"]) == 2
    assert main(["check", "nowhere"]) == 2
    assert "there is no file nowhere.py" in capsys.readouterr().err


def test_json_can_be_read_by_a_program(program, capsys):
    assert main(["check", program(WRONG), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["diagnoses"][0]["fault"] == "scale_missing"


def test_conventions_are_told_to_the_command(program, capsys):
    source = (
        RIGHT.replace("f(Q, K, V)", "f(Q, K, V, causal=False)")
        .replace(
            "(Q, K, V).output",
            "(Q, K, V, mask=causal_mask(Q.shape[-2], K.shape[-2], align='top_left')"
            " if causal else None).output",
        )
        .replace("import attention", "import attention, causal_mask")
    )
    assert main(["check", program(source)]) == 1
    assert main(["check", program(source), "--causal-align", "top_left"]) == 0


def test_the_command_explains_and_measures(program, capsys):
    assert main(["explain", "softmax_axis"]) == 0
    assert main(["conventions", program(RIGHT)]) == 0
    assert "1/sqrt(d_k)" in capsys.readouterr().out


def test_the_module_runs_as_a_process(program):
    done = subprocess.run(
        [sys.executable, "-m", "attnref", "check", program(WRONG)], cwd=ROOT, capture_output=True, encoding="utf-8",
        check=False, env={"PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 1
    assert "not divided" in done.stdout


def test_the_fixture_is_the_function(tmp_path):
    (tmp_path / "test_mine.py").write_text(
        "from attnref import attention\n"
        "def test_right(assert_attention):\n    assert_attention(lambda Q, K, V: attention(Q, K, V).output)\n"
        "def test_wrong(assert_attention):\n"
        "    assert_attention(lambda Q, K, V: attention(Q, K, V, scale=1.0).output)\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "attnref.pytest_plugin", str(tmp_path), "--rootdir",
            str(tmp_path)],
        cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
        env={"PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "scale_missing" in done.stdout


def test_importing_attnref_loads_nothing_of_the_checker():
    program = "import sys, attnref; print([name for name in sys.modules if 'diagnosis' in name])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
