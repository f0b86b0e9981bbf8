# SPDX-License-Identifier: Apache-2.0
"""Custom operators combined with modes, subclasses, gradients, threads and shipped operators."""

import itertools
import os
import pytest
from seed import sub, torch


_count = itertools.count()
_tag = os.path.basename(os.path.dirname(os.path.abspath(__file__)))


def new(*schemas):
    ns = "%s_mix_%d" % (_tag, next(_count))
    lib = sub("library").Library(ns, "DEF")
    for s in schemas:
        lib.define(s)
    return lib, ns, getattr(torch.ops, ns)


def recorder(seen):
    """Makes a dispatch mode that records (name, positional arguments after the first, keywords)."""
    base = sub("utils._python_dispatch").TorchDispatchMode

    class Mode(base):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), tuple(args[1:]), dict(kwargs or {})))
            return func(*args, **(kwargs or {}))

    return Mode()


@pytest.mark.parametrize(
    "schema",
    [
        "f.default(Tensor x) -> Tensor",
        "f(Tensor x, int a=1, int b) -> Tensor",
        "9f(Tensor x) -> Tensor",
        "f(Tensor) -> Tensor",
        "f(Tensor x,) -> Tensor",
        "f",
        "",
        "f.(Tensor x) -> Tensor",
    ],
)
def test_malformed_schemas_are_refused(schema):
    lib, _, ops = new()
    with pytest.raises(RuntimeError):
        lib.define(schema)
    assert not hasattr(ops, "f")


def test_spaces_in_schemas_do_not_matter():
    lib, ns, ops = new("f( Tensor x ,int   n = 3 )->Tensor")
    assert str(ops.f.default._schema) == ns + "::f(Tensor x, int n=3) -> Tensor"


def test_names_with_underscores_and_digits():
    lib, ns, ops = new("_a1_b_.over_2load(Tensor x) -> Tensor")
    assert ops._a1_b_.over_2load.name() == ns + "::_a1_b_.over_2load"


def test_parenthesised_single_result_is_no_tuple():
    lib, _, ops = new("f(Tensor x) -> (Tensor)")
    lib.impl("f", lambda x: x + 1, "CPU")
    assert ops.f(torch.zeros(())).item() == 1


def test_operator_of_many_arguments():
    n = 40
    lib, _, ops = new("f(Tensor x, %s) -> int" % ", ".join("int a%d=%d" % (i, i) for i in range(n)))
    lib.impl("f", lambda x, *a: sum(a) + 1000 * len(a), "CPU")
    x = torch.ones(1)
    assert (
        ops.f(x) == 0
        and ops.f(x, a3=100) == 4 * 1000 + 0 + 1 + 2 + 100
        and ops.f(x, *([1] * n)) == n * 1000 + n
    )


def test_torch_function_mode_sees_packet_and_overload_as_called():
    lib, ns, ops = new("f(Tensor x, int n=1) -> Tensor")
    lib.impl("f", lambda x, n=1: x * n, "CPU")
    base, seen = sub("overrides").TorchFunctionMode, []

    class Mode(base):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), len(args), dict(kwargs or {})))
            return func(*args, **(kwargs or {}))

    x = torch.ones(1)
    with Mode():
        ops.f(x, n=5)
        ops.f.default(x)
    assert seen == [(ns + ".f", 1, {"n": 5}), (ns + ".f.default", 1, {})]


def test_results_in_inference_mode_are_inference_tensors():
    lib, _, ops = new("f(Tensor x) -> Tensor")
    lib.impl("f", lambda x: x + 1, "CompositeExplicitAutograd")
    with torch.inference_mode():
        assert ops.f(torch.ones(1)).is_inference()
    assert not ops.f(torch.ones(1)).is_inference()


def test_mutation_of_a_list_entry_is_noticed_in_backward():
    @sub("library").custom_op("%s_mix_%d::dbl_all" % (_tag, next(_count)), mutates_args={"xs"})
    def dbl(xs: list[torch.Tensor]) -> None:
        for x in xs:
            x.mul_(2)

    w = torch.ones(1, requires_grad=True)
    a, b = w.exp(), w.exp()
    dbl([b])
    a.sum().backward()
    with pytest.raises(RuntimeError, match="modified"):
        b.sum().backward()


def test_exception_in_a_kernel_restores_recording():
    lib, ns, ops = new("boom(Tensor x) -> Tensor")

    def boom(x):
        raise ValueError("boom")

    lib.impl("boom", boom, "CPU")
    sub("library").register_autograd(ns + "::boom", lambda ctx, g: g, lib=lib)
    w = torch.ones(1, requires_grad=True)
    for _ in range(3):
        with pytest.raises(ValueError, match="boom"):
            ops.boom(w)
    (w * 2).sum().backward()
    assert torch.is_grad_enabled() and w.grad.item() == 2.0


def test_builtin_overloads_take_python_numbers_for_tensors():
    x = torch.ones(1)
    assert (
        torch.ops.aten.add.Tensor(x, 2).item() == 3.0
        and torch.ops.aten.mul.Tensor(x, 2.5).item() == 2.5
    )
    assert torch.ops.aten.add(torch.tensor([1]), 2).dtype is torch.int64


def test_builtin_out_inplace_and_factories():
    ops, x = torch.ops.aten, torch.ones(2)
    out = torch.empty(2)
    assert ops.add.out(x, x, out=out) is out and out.tolist() == [2.0, 2.0]
    assert ops.add_.Tensor(x, x) is x and x.tolist() == [2.0, 2.0]
    assert (
        ops.full([2], 3).tolist() == [3, 3]
        and ops.zeros([2], dtype=torch.int64).dtype is torch.int64
    )
    assert ops.clone(x, memory_format=torch.contiguous_format).tolist() == [2.0, 2.0]


def test_gradient_flows_through_builtin_overloads():
    x = torch.tensor([2.0], requires_grad=True)
    torch.ops.aten.mul.Tensor(x, torch.ops.aten.exp.default(x)).sum().backward()
    assert abs(x.grad.item() - 3 * torch.tensor(2.0).exp().item()) < 1e-4


def test_grad_mode_inside_kernels_follows_the_key():
    """PyTorch records the calls of a CPU kernel if its operator has no gradient formula."""
    lib, _, ops = new("f(Tensor x) -> Tensor", "g(Tensor x) -> Tensor")
    seen = []
    lib.impl("f", lambda x: seen.append(("CPU", (x * 1).requires_grad)) or x.detach(), "CPU")
    lib.impl(
        "g",
        lambda x: seen.append(("Composite", (x * 1).requires_grad)) or x.detach(),
        "CompositeImplicitAutograd",
    )
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        ops.g(x)
    ops.g(x)
    ops.f(x)
    below = torch.__name__ == "torch"
    assert seen == [("Composite", False), ("Composite", True), ("CPU", below)]
