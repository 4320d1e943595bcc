"""What runs a page's blocks in the browser, run here: one name space, exact tracebacks, floods cut, nothing stale."""

import importlib
import warnings

import numpy as np
import pytest

from sitekit import live_driver


@pytest.fixture
def page():
    """Run blocks given as texts; return what the last one printed, its traceback, and which block that is from."""
    importlib.reload(live_driver)  # as it is in a worker that has run nothing
    options = np.get_printoptions()

    def run(*codes: str, own: bool = False, fails: bool = False, key: str = "page"):
        blocks = [
            {"name": f"block {n}", "code": code, "own": own, "fails": fails}
            for n, code in enumerate(codes, 1)
        ]
        said: list[tuple[str, str]] = []
        traceback, where = live_driver.run(key, blocks, lambda kind, text: said.append((kind, text)))
        return said, traceback, where

    yield run
    np.set_printoptions(**options)


def text(said, kind: str = "out") -> str:
    return "".join(text for k, text in said if k == kind)


def test_blocks_share_their_names_and_only_the_last_one_is_heard(page):
    said, traceback, _ = page("x = 2\nprint('unheard')", "x += 1", "print(x)")
    assert (text(said), traceback) == ("3\n", "")


def test_a_block_that_runs_again_begins_where_it_began_before(page):
    for _ in range(3):
        said, _, _ = page("x = [1]", "x.append(2)\nprint(x)")
        assert text(said) == "[1, 2]\n"


def test_a_later_block_sees_the_change_of_an_earlier_one_in_all_between(page):
    assert text(page("x = 1", "y = 2 * x", "print(y)")[0]) == "2\n"
    assert text(page("x = 5", "y = 2 * x", "print(y)")[0]) == "10\n"


def test_what_has_run_is_not_run_again(page):
    page("import sys; sys.runs = 1")
    page("import sys; sys.runs = 1", "sys.runs += 1")
    said, _, _ = page("import sys; sys.runs = 1", "sys.runs += 1", "print(sys.runs)")
    assert text(said) == "2\n"


def test_another_page_knows_nothing_of_this_one(page):
    page("x = 1")
    _, traceback, _ = page("", "print(x)", key="another")
    assert "NameError" in traceback


def test_another_page_prints_with_settings_of_its_own(page):
    page("import numpy as np\nnp.set_printoptions(precision=2)\nnp.seterr(all='ignore')")
    said, _, _ = page("import numpy as np\nprint(np.array([1 / 3]), np.geterr()['divide'])", key="another")
    assert text(said) == "[0.33333333] warn\n"


def test_a_program_of_its_own_prints_with_settings_of_its_own(page):
    settings = "import numpy as np\nnp.set_printoptions(precision=2)"
    third = "import numpy as np\nprint(np.array([1 / 3]))"
    page(settings)
    assert text(page(third, own=True)[0]) == "[0.33333333]\n"
    assert text(page(settings, third)[0]) == "[0.33]\n"


@pytest.mark.parametrize(
    "name", ["numpy.exp", "numpy.linalg.norm", "math.exp", "attnref.softmax", "builtins.print"]
)
def test_a_function_that_somebody_exchanged_is_itself_again_in_the_next_run(page, name):
    module, _, function = name.rpartition(".")
    kept = getattr(importlib.import_module(module), function)
    exchange = f"import {module}\n{name} = None"
    try:
        for own in (False, True):
            page("", exchange, own=own)
            said, traceback, _ = page(f"import {module}", f"{name}\nprint('called', {name} is not None)")
            assert (text(said), traceback) == ("called True\n", "")
        page(exchange)
        assert "ok" in live_driver.check(
            f"import {module}\ndef f(Q, K, V):\n    {name}()", "f", "attention", print
        )
        assert getattr(importlib.import_module(module), function) is kept
    finally:
        setattr(importlib.import_module(module), function, kept)


def test_the_first_block_of_all_runs_as_it_does_later(page):
    for _ in range(2):
        assert text(page("print(__name__)")[0]) == "__page__\n"


def test_a_program_of_its_own_sees_nothing_of_the_page(page):
    page("x = 1")
    said, traceback, _ = page("print(__name__, 'x' in globals())", own=True)
    assert (text(said), traceback) == ("__main__ False\n", "")


def test_a_traceback_begins_with_the_readers_line_and_shows_it(page):
    _, traceback, where = page("def f():\n    return 1 / 0", "f()")
    assert traceback.splitlines()[:4] == [
        "Traceback (most recent call last):",
        '  File "block 2", line 1, in <module>',
        "    f()",
        '  File "block 1", line 2, in f',
    ]
    assert traceback.splitlines()[-1] == "ZeroDivisionError: division by zero"
    assert where == ""


def test_a_syntax_error_shows_its_line(page):
    _, traceback, _ = page("x = 1\ny = = 2")
    assert 'File "block 1", line 2' in traceback
    assert "live_driver" not in traceback


def test_an_earlier_block_that_fails_is_named_and_runs_anew_the_next_time(page):
    for _ in range(2):
        said, traceback, where = page("1 / 0", "print(1)")
        assert (said, where) == ([], "block 1")
        assert "ZeroDivisionError" in traceback


def test_a_block_that_failed_is_named_by_the_next_one_at_once(page):
    page("x = 1", "y = 2\n1 / 0")
    said, traceback, where = page("x = 1", "y = 2\n1 / 0", "print(y)")
    assert (said, where) == ([], "block 2")
    assert "ZeroDivisionError" in traceback


def test_an_earlier_block_that_is_meant_to_fail_stops_nothing(page):
    said, traceback, _ = page("x = 1\n1 / 0", "print(x)", fails=True)
    assert (text(said), traceback) == ("1\n", "")


def test_leaving_the_program_is_an_error_that_is_shown(page):
    assert page("raise SystemExit(3)")[1].endswith("SystemExit: 3\n")


def test_each_line_goes_out_at_once_and_a_last_one_without_its_end_too(page):
    said, _, _ = page("print('a')\nprint('b', end='')\nprint('c')\nprint('d', end='')")
    assert said == [("out", "a\n"), ("out", "bc\n"), ("out", "d")]


def test_a_flood_is_cut_and_the_program_goes_on(page):
    said, traceback, _ = page("for _ in range(3000):\n    print('x' * 99)\ny = 1", "print(y)")
    assert (text(said), traceback) == ("1\n", "")
    said, _, _ = page("for _ in range(3000):\n    print('x' * 99)")
    assert len(text(said)) == live_driver.LIMIT + len(live_driver.CUT)
    assert text(said).endswith(live_driver.CUT)


def test_a_flood_in_a_traceback_is_cut_and_both_its_ends_stay(page):
    _, traceback, _ = page("raise ValueError('x' * 10**6 + 'the end')")
    assert len(traceback) <= live_driver.LIMIT + len(live_driver.CUT)
    assert traceback.startswith("Traceback")
    assert live_driver.CUT in traceback
    assert traceback.endswith("the end\n")


@pytest.mark.parametrize("line", ["return 1", "await x", "nonlocal x"])
def test_an_error_that_only_the_compiler_sees_shows_its_line_too(page, line):
    _, traceback, _ = page(f"x = 1\nif x:\n    {line}")
    assert f'File "block 1", line 3\n    {line}\n' in traceback


def test_a_flood_of_warnings_counts_as_well(page):
    said, _, _ = page(
        "import sys\nwhile sys.stderr.left[0] > 0:\n    sys.stderr.write('x' * 99)\nprint('unseen')"
    )
    assert text(said) == ""
    assert len(text(said, "err")) == live_driver.LIMIT + len(live_driver.CUT)


def test_a_warning_is_shown_with_its_line_each_time(page):
    code = "import warnings\nwarnings.warn('mind')"
    for _ in range(2):
        said, _, _ = page(code)
        assert text(said, "err") == "block 1, line 2: UserWarning: mind\n"


def test_filters_of_warnings_are_as_before(page):
    before = list(warnings.filters)
    page("import warnings\nwarnings.simplefilter('ignore')")
    assert list(warnings.filters) == before


def test_input_says_what_to_do_instead():
    with pytest.raises(RuntimeError, match="write the value into the code"):
        live_driver._no_input()


def check(code: str):
    said: list[tuple[str, str]] = []
    return said, live_driver.check(
        code, "attention", "attention", lambda kind, text: said.append((kind, text))
    )


def test_what_a_checked_function_prints_is_heard_and_cut():
    said, answer = check("def attention(Q, K, V):\n    print('called with', Q.shape)\n    return V")
    assert "called with (2, 3, 5, 4)\n" in text(said)
    assert answer["ok"] is False
    said, answer = check("def attention(Q, K, V):\n    print('x' * 99_999)\n    return V")
    assert len(text(said)) == live_driver.LIMIT + len(live_driver.CUT)
    assert answer["ok"] is False


@pytest.mark.parametrize("code", ["", "def attend(Q, K, V):\n    return V", "attention = 3"])
def test_a_program_without_the_function_is_told_its_name(code):
    said, answer = check(code)
    assert answer == {"missing": "attention"}
    assert said == []


def test_settings_of_an_earlier_program_do_not_reach_the_next_check():
    before = np.geterr()
    try:
        check("import numpy as np\nnp.seterr(all='raise')")
        check("import numpy as np")
        assert np.geterr() == before
    finally:
        np.seterr(**before)
