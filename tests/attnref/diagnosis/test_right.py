"""Right programs, a third of which look wrong: no false alarm."""

import pytest

from attnref import attention, blockwise_attention, check
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.diagnosis.right_programs import JAX_RIGHT, RIGHT, TORCH_RIGHT
from tests.attnref.peers import peer


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_not_blamed(name):
    source, options = RIGHT[name]
    report = check(compiled(source, name), **options)
    assert report.ok, str(report)


@pytest.mark.parametrize("name", RIGHT)
def test_the_arrays_of_another_seed_change_nothing(name):
    source, options = RIGHT[name]
    report = check(compiled(source, name), seed=5, **options)
    assert report.ok, str(report)


@pytest.mark.parametrize("name", TORCH_RIGHT)
def test_a_right_torch_program_is_not_blamed(name):
    torch = peer("torch")
    source, options = TORCH_RIGHT[name]
    report = check(compiled(source, name, torch=torch, F=torch.nn.functional), **options)
    assert report.ok, str(report)
    assert report.conventions["framework"] == "torch"


@pytest.mark.parametrize("name", JAX_RIGHT)
def test_a_right_jax_program_is_not_blamed(name):
    jax, jnp = peer("jax"), peer("jax.numpy")
    source, options = JAX_RIGHT[name]
    report = check(compiled(source, name, jax=jax, jnp=jnp), **options)
    assert report.ok, str(report)


def test_the_reference_itself_is_right():
    def f(Q, K, V, mask=None, causal=False, scale=None, bias=None, window=None, softcap=None):
        return attention(
            Q, K, V, mask=mask, causal=causal, scale=scale, bias=bias, window=window, softcap=softcap
        )

    assert check(f).ok
    assert check(f, features=["mask", "garbage"]).ok


@pytest.mark.parametrize("block_size", [1, 2, 3, 7, 64])
def test_blockwise_attention_is_right(block_size):
    def f(Q, K, V, mask=None, causal=False, scale=None):
        return blockwise_attention(
            Q, K, V, block_size=block_size, mask=mask, causal=causal, scale=scale
        ).output

    assert check(f).ok


def test_there_are_thirty():
    assert len(RIGHT) + len(TORCH_RIGHT) >= 30
