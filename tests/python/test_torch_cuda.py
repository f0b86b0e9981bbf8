# SPDX-License-Identifier: Apache-2.0
"""CUDA compared with PyTorch: equal random numbers for equal seeds, equal results of calls.

Needs a GPU, PyTorch with CUDA, and libtenon_cuda.so in the folder of libtenon.
"""

from __future__ import annotations

import numpy
import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

SIZES = [5, 256, 1000, 1 << 20, (1 << 20) + 77]
# The random bits of each thread are equal; the functions computed from them may round differently.
DRAWS = {
    "uniform_": (-1.0, 3.0),
    "normal_": (1.0, 2.0),
    "exponential_": (2.0,),
    "cauchy_": (1.0, 2.0),
    "log_normal_": (0.5, 0.25),
    "geometric_": (0.25,),
    "bernoulli_": (0.3,),
}


def both(count: int, dtype: str):
    ours = tenon.zeros(count, dtype=getattr(tenon, dtype), device="cuda")
    return ours, torch.zeros(count, dtype=getattr(torch, dtype), device="cuda")


def as_numpy(tensor):
    wide = tenon.float64 if isinstance(tensor, tenon.Tensor) else torch.float64
    return numpy.asarray(tensor.to("cpu").to(wide).numpy())


def expect_same(ours, theirs, dtype: str, most: float = 0.0) -> None:
    """Asserts equality up to rounding, except for a share `most` of the elements."""
    tolerance = {"float64": 1e-13, "float32": 2e-6, "float16": 1e-3, "bfloat16": 1e-2}.get(dtype, 0)
    a, b = as_numpy(ours), as_numpy(theirs)
    differs = ~numpy.isclose(a, b, rtol=tolerance, atol=tolerance)
    assert differs.mean() <= most, (differs.mean(), a[differs][:4], b[differs][:4])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("name", DRAWS)
def test_same_seed_draws_pytorchs_numbers(name, count, dtype):
    ours, theirs = both(count, dtype)
    for seed in (0, 123456789012345):
        tenon.manual_seed(seed)
        torch.manual_seed(seed)
        for _ in range(2):  # the second call continues after the first
            getattr(ours, name)(*DRAWS[name])
            getattr(theirs, name)(*DRAWS[name])
            # Near the ends of the range tan loses digits, and ceil may jump.
            expect_same(ours, theirs, dtype, 1e-3 if name in ("cauchy_", "geometric_") else 0)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "float32", "bool"])
@pytest.mark.parametrize("count", SIZES)
def test_same_seed_draws_pytorchs_integers(count, dtype):
    ours, theirs = both(count, dtype)
    calls = [()] if dtype == "bool" else [(), (100,), (3, 90)]
    if dtype == "int64":
        calls.append((0, 1 << 40))
    for arguments in calls:
        tenon.manual_seed(42)
        torch.manual_seed(42)
        ours.random_(*arguments)
        theirs.random_(*arguments)
        expect_same(ours, theirs, dtype)


def test_state_is_pytorchs():
    generator = tenon.Generator(device="cuda")
    generator.manual_seed(9)
    other = torch.Generator(device="cuda").manual_seed(9)
    a, b = both(1000, "float32")
    a.normal_(generator=generator)
    b.normal_(generator=other)
    state = bytes(generator.get_state())
    # follows the part that all of our states begin with
    assert state[-16:] == other.get_state().numpy().tobytes()


CALLS = {
    "add": lambda lib, a, b: a + 2 * b,
    "softmax": lambda lib, a, b: (a - a.amax(1, keepdim=True)).exp().sum(1),
    "norms": lambda lib, a, b: (a.var(1), a.mean(0), a.std(0)),
    "compare": lambda lib, a, b: lib.where(a > b, a, b * 2),
    "matmul": lambda lib, a, b: a @ b.t(),
    "addmm": lambda lib, a, b: lib.addmm(a @ a.t(), a, b.t(), beta=0.5, alpha=2),
    "bmm": lambda lib, a, b: lib.bmm(a.reshape(4, 8, 48), b.reshape(4, 8, 48).transpose(1, 2)),
    "cast": lambda lib, a, b: a.to(lib.float16).to(lib.float32),
    "strided": lambda lib, a, b: a[:, ::3] * b.t()[::3].t(),
    "tanh": lambda lib, a, b: lib.tanh(a) * lib.sigmoid(b) + lib.erf(a),
    "sums": lambda lib, a, b: (a.sum(), a.sum(0), a.prod(1), a.argmax(1), a.amin()),
}


@pytest.mark.parametrize("name", CALLS)
def test_call_returns_pytorchs_result(name):
    generator = numpy.random.default_rng(3)
    a, b = (generator.standard_normal((32, 48)).astype("float32") for _ in range(2))
    torch.backends.cuda.matmul.allow_tf32 = False
    ours = CALLS[name](tenon, tenon.tensor(a).to("cuda"), tenon.tensor(b).to("cuda"))
    theirs = CALLS[name](torch, torch.tensor(a, device="cuda"), torch.tensor(b, device="cuda"))
    for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (ours, theirs))):
        assert tuple(one.shape) == tuple(other.shape) and str(one.device) == "cuda:0"
        numpy.testing.assert_allclose(as_numpy(one), as_numpy(other), rtol=3e-5, atol=3e-5)
