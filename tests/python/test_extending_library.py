# SPDX-License-Identifier: Apache-2.0
"""Custom operators, written as for PyTorch: the examples of the library pages."""

from __future__ import annotations

import numpy as np
import pytest
import tenon as torch
from tenon.library import Library

pytestmark = pytest.mark.filterwarnings("ignore:impl_abstract was renamed")


@pytest.fixture
def lib():
    library = Library("mylib", "DEF")
    yield library
    library._destroy()


def test_define_and_impl_by_qualified_name(lib):
    torch.library.define("mylib::sin", "(Tensor x) -> Tensor", lib=lib)

    @torch.library.impl("mylib::sin", "cpu", lib=lib)
    def f(x):
        return torch.from_numpy(np.sin(x.numpy()))

    x = torch.randn(3)
    y = torch.ops.mylib.sin(x)
    assert torch.allclose(y, x.sin())


def test_default_implementation_serves_all_devices(lib):
    torch.library.define("mylib::double", "(Tensor x) -> Tensor", lib=lib)
    torch.library.impl("mylib::double", "default", lambda x: x + x, lib=lib)
    assert torch.ops.mylib.double(torch.ones(2)).tolist() == [2.0, 2.0]
    assert torch.ops.mylib.double(torch.ones(2, device="meta")).device.type == "meta"


def test_define_and_impl_by_library(lib):
    torch.library.define(lib, "sin(Tensor x) -> Tensor")

    @torch.library.impl(lib, "sin", "CPU")
    def f(x):
        return torch.from_numpy(np.sin(x.numpy()))

    x = torch.randn(3)
    assert torch.allclose(torch.ops.mylib.sin(x), x.sin())
    assert torch.ops.mylib.sin.default(x).tolist() == torch.ops.mylib.sin(x).tolist()


def test_abstract_linear(lib):
    torch.library.define(
        "mylib::custom_linear", "(Tensor x, Tensor weight, Tensor bias) -> Tensor", lib=lib
    )

    @torch.library.impl_abstract("mylib::custom_linear", lib=lib)
    def custom_linear_abstract(x, weight, bias):
        assert x.dim() == 2
        assert weight.dim() == 2
        assert bias.dim() == 1
        assert x.shape[1] == weight.shape[1]
        assert weight.shape[0] == bias.shape[0]
        assert x.device == weight.device

        return (x @ weight.t()) + bias

    shapes = (4, 3), (2, 3), (2,)
    with torch.FakeTensorMode():
        y = torch.ops.mylib.custom_linear(*(torch.empty(*one) for one in shapes))
        assert tuple(y.shape) == (4, 2)
        with pytest.raises(AssertionError):
            torch.ops.mylib.custom_linear(torch.empty(4, 5), torch.empty(2, 3), torch.empty(2))
    y = torch.ops.mylib.custom_linear(*(torch.empty(*one, device="meta") for one in shapes))
    assert tuple(y.shape) == (4, 2) and y.device.type == "meta"


def test_abstract_nonzero(lib):
    torch.library.define("mylib::custom_nonzero", "(Tensor x) -> Tensor", lib=lib)

    @torch.library.impl_abstract("mylib::custom_nonzero", lib=lib)
    def custom_nonzero_abstract(x):
        ctx = torch.library.get_ctx()
        nnz = ctx.new_dynamic_size()
        shape = [nnz, x.dim()]
        result = x.new_empty(shape, dtype=torch.int64)
        return result

    @torch.library.impl("mylib::custom_nonzero", "cpu", lib=lib)
    def custom_nonzero_cpu(x):
        x_np = x.numpy()
        res = np.stack(np.nonzero(x_np), axis=1)
        return torch.tensor(res, device=x.device)

    x = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
    assert torch.ops.mylib.custom_nonzero(x).tolist() == [[0, 1], [1, 0]]
    with torch.FakeTensorMode() as mode:
        y = torch.ops.mylib.custom_nonzero(mode.from_tensor(x))
    assert y.dtype == torch.int64 and not isinstance(y.shape[0], int) and y.shape[1] == 2


def test_library_that_defines():
    my_lib = Library("foo", "DEF")
    assert my_lib.define("sum(Tensor self) -> Tensor") == "sum"
    my_lib.impl("sum", lambda self: self.sum(), "CPU")
    assert torch.ops.foo.sum(torch.ones(3)).item() == 3
    my_lib.define("add.twice(Tensor self, Tensor other) -> Tensor")
    my_lib.impl("add.twice", lambda self, other: self + other + other, "CPU")
    assert torch.ops.foo.add.twice(torch.ones(1), torch.ones(1)).item() == 3
    assert torch.ops.foo.add(torch.ones(1), torch.ones(1)).item() == 3
    my_lib._destroy()


def test_fragment_adds_definitions_to_the_library():
    my_lib, more = Library("foo", "DEF"), Library("foo", "FRAGMENT")
    more.define("product(Tensor self) -> Tensor")
    more.impl("product", lambda self: self.prod(), "CPU")
    assert torch.ops.foo.product(torch.tensor([2.0, 3.0])).item() == 6
    more._destroy()
    my_lib._destroy()


def test_kernel_that_overrides_division():
    my_lib = Library("aten", "IMPL")

    def div_cpu(self, other):
        calls.append(1)
        return self * (1 / other)

    calls = []
    my_lib.impl("div.Tensor", div_cpu, "CPU")
    x, y = torch.tensor([6.0]), torch.tensor([2.0])
    assert (x / y).item() == 3 and torch.div(x, y).item() == 3
    assert len(calls) >= 2
    my_lib._destroy()
    count = len(calls)
    assert (x / y).item() == 3 and len(calls) == count


def test_kernel_for_meta():
    my_lib = Library("mylib", "DEF")
    my_lib.define("shaped(Tensor x) -> Tensor")
    only_meta = Library("mylib", "IMPL", "Meta")
    only_meta.impl("shaped", lambda x: x.new_empty(2, 2))
    assert tuple(torch.ops.mylib.shaped(torch.empty(3, device="meta")).shape) == (2, 2)
    only_meta._destroy()
    my_lib._destroy()


def test_fallthrough_skips_a_key(lib):
    lib.define("skipped(Tensor x) -> Tensor")
    lib.impl("skipped", lambda x: x + 1, "CPU")
    lib.impl("skipped", torch.library.fallthrough_kernel, "Autograd")
    assert torch.ops.mylib.skipped(torch.ones(1, requires_grad=True)).item() == 2
