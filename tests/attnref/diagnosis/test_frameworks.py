"""Functions of PyTorch and JAX, and whatever else gives its numbers away."""

import functools

import numpy as np
import pytest

from attnref import attention, check
from tests.attnref.diagnosis.programs import compiled
from tests.attnref.peers import peer


class Shared:
    """It gives its numbers by DLPack and in no other way."""

    def __init__(self, x):
        self.x = np.ascontiguousarray(x)

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class Convertible:
    """It gives its numbers when it is asked for an array."""

    def __init__(self, x):
        self.x = x

    def __array__(self, dtype=None, copy=None):
        return np.array(self.x, dtype=dtype)


@pytest.mark.parametrize("kind", [Shared, Convertible, np.ndarray.tolist])
@pytest.mark.parametrize(("scale", "fault"), [(None, None), (1.0, "scale_missing")])
def test_numbers_are_read_however_they_are_given(kind, scale, fault):
    report = check(lambda Q, K, V: kind(attention(Q, K, V, scale=scale).output))
    assert [item.fault for item in report.diagnoses] == ([fault] if fault else []), str(report)
    assert report.ok is (fault is None)


TORCH = """
def plain(Q, K, V, mask=None, scale=None):
    s = Q @ K.mT * (Q.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        s = s.masked_fill(~mask, -torch.inf)
    return torch.nan_to_num(s.softmax(-1)) @ V

class Module(torch.nn.Module):
    def forward(self, query, key, value, attn_mask=None):
        self.last = plain(query, key, value, attn_mask)
        return self.last

def learned(Q, K, V):
    return plain(Q, K, V) + 0 * torch.zeros(1, requires_grad=True)

def narrow(Q, K, V):
    return plain(Q, K, V).to(torch.bfloat16)

def beside(Q, K, V):
    s = (Q @ K.mT * Q.shape[-1] ** -0.5).softmax(-1)
    return {"output": s @ V, "weights": s}

def arrays(Q, K, V):
    return plain(*(torch.as_tensor(x) for x in (Q, K, V))).numpy()

def unscaled(Q, K, V, mask=None):
    Q = Q.detach().requires_grad_()
    return plain(Q, K, V, mask, 1.0)

def another(Q, K, V):
    try:
        Q, K, V = (x.to("meta").to("cpu") for x in (Q, K, V))
    except NotImplementedError:
        pass
    return plain(Q, K, V)

f = plain
"""


def torch_function(name: str):
    torch = peer("torch")
    scope = compiled(TORCH, "torch functions", torch=torch).__globals__
    return scope[name]() if name == "Module" else scope[name]


@pytest.mark.parametrize("name", ["plain", "Module", "learned", "beside", "arrays", "another"])
def test_a_right_torch_function_is_right_whatever_it_returns(name):
    report = check(torch_function(name))
    assert report.ok, str(report)


def test_a_torch_function_that_rounds_its_result_is_told_how():
    report = check(torch_function("narrow"))
    assert not [
        item for item in report.diagnoses if item.fault not in ("softmax_low_precision", "softmax_downcast")
    ]


def test_a_fault_in_torch_with_gradients_is_named():
    report = check(torch_function("unscaled"))
    assert [item.fault for item in report.diagnoses] == ["scale_missing"]
    assert report.conventions["framework"] == "torch"


def test_a_partial_function_and_narrower_arrays_are_taken():
    torch = peer("torch")
    report = check(
        functools.partial(torch.nn.functional.scaled_dot_product_attention, dropout_p=0.0),
        causal_align="top_left",
    )
    assert report.ok, str(report)
    report = check(torch_function("plain"), dtype="float32")
    assert report.ok, str(report)


JAX = """
@jax.jit
def right(Q, K, V, mask=None):
    s = jnp.einsum("bhid,bhjd->bhij", Q, K) / jnp.sqrt(Q.shape[-1])
    s = s if mask is None else jnp.where(mask, s, -jnp.inf)
    return jnp.nan_to_num(jax.nn.softmax(s, axis=-1)) @ V

def unscaled(Q, K, V, mask=None):
    return right(Q * jnp.sqrt(Q.shape[-1]), K, V, mask)

def inverted(Q, K, V, mask=None):
    return right(Q, K, V, None if mask is None else ~mask)

f = right
"""


@pytest.mark.parametrize(
    ("name", "fault"), [("right", None), ("unscaled", "scale_missing"), ("inverted", "mask_inverted")]
)
def test_a_jax_function_is_checked(name, fault):
    jax = peer("jax")
    f = compiled(JAX, "JAX functions", jax=jax, jnp=peer("jax.numpy"))
    report = check(getattr(f, "__wrapped__", f).__globals__[name])
    assert [item.fault for item in report.diagnoses] == ([fault] if fault else []), str(report)
    assert report.conventions["framework"] == "jax"


def test_jax_in_half_precision_is_checked():
    jax, jnp = peer("jax"), peer("jax.numpy")

    def f(Q, K, V):
        s = jnp.einsum("bhid,bhjd->bhij", Q, K, preferred_element_type=jnp.float32) / np.sqrt(Q.shape[-1])
        return (jax.nn.softmax(s.astype(jnp.float32), axis=-1) @ V.astype(jnp.float32)).astype(Q.dtype)

    report = check(f, form="half", dtype="bfloat16")
    assert report.ok, str(report)
    assert report.conventions["framework"] == "jax"
