# SPDX-License-Identifier: Apache-2.0
"""Custom functions, written as for PyTorch: a linear layer, a constant, forward mode."""

from __future__ import annotations

import pytest
import tenon as torch
from tenon import nn
from tenon.autograd import Function, forward_ad, gradcheck, gradgradcheck


class LinearFunction(Function):
    """A product with a weight, and an optional bias."""

    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


linear = LinearFunction.apply


class MulConstant(Function):
    """A product with a number, which the context stores."""

    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None

    @staticmethod
    def jvp(ctx, grad_input, _):
        tangent = grad_input * ctx.constant
        del ctx.constant
        return tangent


class Linear(nn.Module):
    """A module that calls the function."""

    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features = input_features
        self.output_features = output_features
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter("bias", None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        return LinearFunction.apply(input, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"input_features={self.input_features}, output_features={self.output_features}, "
            f"bias={self.bias is not None}"
        )


def double(*sizes):
    return torch.randn(*sizes, dtype=torch.double, requires_grad=True)


def test_linear_has_the_gradients_of_its_formula():
    assert gradcheck(linear, (double(4, 5), double(3, 5)), eps=1e-6, atol=1e-4)
    assert gradcheck(linear, (double(4, 5), double(3, 5), double(3)), eps=1e-6, atol=1e-4)
    assert gradgradcheck(linear, (double(4, 5), double(3, 5)))


def test_gradient_of_a_large_product():
    input = (double(20, 20), double(30, 20))
    assert gradcheck(linear, input, eps=1e-6, atol=1e-4) is True


class PlainMulConstant(Function):
    """A product with a number; missing gradients arrive as zeros."""

    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


def test_constants_kept_by_the_context():
    x = double(3)
    assert gradcheck(lambda x: PlainMulConstant.apply(x, 3.0), (x,))
    assert gradgradcheck(lambda x: PlainMulConstant.apply(x, 3.0), (x,))


def test_constants_have_no_gradient():
    x = double(3)
    assert gradcheck(lambda x: MulConstant.apply(x, 3.0), (x,))
    MulConstant.apply(x, 3.0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


def test_jvp_may_free_saved_tensors():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.ones(2), torch.tensor([1.0, 10.0]))
        tangent = forward_ad.unpack_dual(MulConstant.apply(dual, 3.0)).tangent
    assert tangent.tolist() == [3.0, 30.0]


@pytest.mark.parametrize("bias", [True, False])
def test_the_layer_learns(bias):
    layer = Linear(5, 3, bias)
    assert repr(layer) == f"Linear(input_features=5, output_features=3, bias={bias})"
    assert len(list(layer.parameters())) == 1 + bias
    layer(torch.ones(2, 5)).sum().backward()
    assert layer.weight.grad.tolist() == [[2.0] * 5] * 3
    if bias:
        assert layer.bias.grad.tolist() == [2.0] * 3
