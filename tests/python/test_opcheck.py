# SPDX-License-Identifier: Apache-2.0
"""opcheck from Python: its arguments, what it finds in a trace, and its reports."""

import pytest
import tenon
from tenon import custom_op as custom_op_module
from tenon.library import OpCheckError, custom_op, opcheck


@pytest.fixture(autouse=True)
def closed():
    """Closes the operators of each test; otherwise they live as long as the process."""
    before = set(custom_op_module._definitions)
    yield
    for name in set(custom_op_module._definitions) - before:
        custom_op_module._definitions.pop(name)._lib.close()


def _product(name):
    @custom_op(f"opchecked::{name}", mutates_args=())
    def product(x: tenon.Tensor, y: tenon.Tensor) -> tenon.Tensor:
        return x * y * 3

    product.register_fake(lambda x, y: tenon.empty_like(x))
    return product


def _leaves():
    return tenon.randn(3, 4, requires_grad=True), tenon.randn(3, 4, requires_grad=True)


def test_a_right_operator_passes_all_checks():
    product = _product("right")

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y * 3, grad * x * 3

    product.register_autograd(backward, setup_context=setup_context)
    assert set(opcheck(product, _leaves()).values()) == {"SUCCESS"}


def test_a_backward_that_is_not_traceable_is_found():
    product = _product("untraceable")
    calls = []

    def backward(ctx, grad):
        calls.append(grad)
        return grad * len(calls), grad

    product.register_autograd(backward)
    found = opcheck(product, _leaves(), raise_exception=False)
    assert found["test_autograd_registration"] == found["test_faketensor"] == "SUCCESS"
    failure = found["test_aot_dispatch_dynamic"]
    assert isinstance(failure, OpCheckError)
    assert str(failure).startswith("Gradients of the operator are different")
    assert "element [0, 0] is 1 and 2" in str(failure)


def test_a_fake_kernel_for_one_size_is_found():
    product = _product("one_size")
    product.register_fake(lambda x, y: x.new_empty(3, 4))
    assert opcheck(product, _leaves(), test_utils="test_faketensor")
    with pytest.raises(OpCheckError, match=r"test_faketensor failed with .* are not equal"):
        args = tenon.ones(5, 4), tenon.ones(5, 4)
        opcheck(product, args, test_utils="test_faketensor")


def test_written_arguments_are_compared():
    @custom_op("opchecked::scaled_", mutates_args={"x"})
    def scale(x: tenon.Tensor, factor: float) -> None:
        x.mul_(factor)

    x = tenon.ones(3)
    assert set(opcheck(scale, (x,), {"factor": 2.0}).values()) == {"SUCCESS"}
    assert x.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("sin", (tenon.randn(3, requires_grad=True),)),
        ("mm", (tenon.randn(2, 3, requires_grad=True), tenon.randn(4, 3).t())),
        ("cat", ([tenon.ones(2, 3), tenon.ones(1, 3)],)),
        ("t", (tenon.randn(2, 3, requires_grad=True),)),
        ("nonzero", (tenon.ones(3),)),
        ("normal_", (tenon.ones(3),)),
    ],
)
def test_shipped_operators_pass(name, args):
    overload = getattr(tenon.ops.aten, name).default
    assert set(opcheck(overload, args).values()) == {"SUCCESS"}


def test_errors_of_the_operator_are_reported():
    with pytest.raises(OpCheckError, match="test_schema failed with aten::mm") as caught:
        opcheck(tenon.ops.aten.mm.default, (tenon.ones(2, 3), tenon.ones(2, 3)))
    assert isinstance(caught.value.__cause__, tenon.Error)


def test_packets_must_have_one_overload():
    _product("packet")
    args = tenon.ones(2), tenon.ones(2)
    assert opcheck(tenon.ops.opchecked.packet, args, test_utils="test_schema")
    with pytest.raises(ValueError, match="must have one overload, got"):
        opcheck(tenon.ops.aten.add, args)


def test_tolerances_come_in_pairs():
    with pytest.raises(ValueError, match="atol must be given with rtol"):
        opcheck(tenon.ops.aten.sin.default, (tenon.ones(2),), atol=1e-3)


def test_fake_arguments_pass_unchecked():
    product = _product("unchecked")
    with tenon.FakeTensorMode():
        args = tenon.ones(2), tenon.ones(2)
    assert set(opcheck(product, args).values()) == {"SUCCESS"}
