"""The examples in the docstrings run, and none is lost: their number is asserted."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import attnref
import attnref.trained

# Module -> how many examples (lines with >>>) its docstrings hold.
EXAMPLES = {
    "_additive": 3,
    "_alibi": 3,
    "_attention": 4,
    "_blockwise": 5,
    "_cache": 9,
    "_differential": 4,
    "_encoder": 3,
    "_feed_forward": 2,
    "_gradients": 4,
    "_gradients_blockwise": 3,
    "_gradients_multihead": 2,
    "_heads": 3,
    "_latent": 3,
    "_linear": 3,
    "_masks": 5,
    "_multihead": 2,
    "_norms": 4,
    "_paged": 7,
    "_patterns": 3,
    "_positions": 3,
    "_recurrences": 5,
    "_sinks": 4,
    "_softmax": 3,
    "trained._bert": 6,
    "trained._folder": 1,
    "trained._safetensors": 4,
    "trained._wordpiece": 4,
    "trained._words": 2,
}
TRAINED = [f"trained.{module.name}" for module in pkgutil.iter_modules(attnref.trained.__path__)]
MODULES = sorted([*(module.name for module in pkgutil.iter_modules(attnref.__path__)), *TRAINED])


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_docstring_hold(name):
    module = importlib.import_module(f"attnref.{name}")
    with np.printoptions():
        failed, attempted = doctest.testmod(
            module, extraglobs={"np": np, "blockwise_attention": attnref.blockwise_attention}
        )
    assert failed == 0, f"{failed} examples of attnref.{name} fail; the lines above say which"
    assert attempted == EXAMPLES.get(name, 0)


def test_every_public_function_shows_an_example():
    functions = [getattr(attnref, name) for name in attnref.__all__ if name[0].islower()]
    missing = [function.__name__ for function in functions if ">>> " not in (function.__doc__ or "")]
    assert functions
    assert missing == []


def test_a_wrong_example_fails():
    def wrong():
        """
        >>> print(1 + 1)
        3
        """

    test = doctest.DocTestFinder().find(wrong, "wrong")[0]
    assert doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None).failed == 1
