# SPDX-License-Identifier: Apache-2.0
"""A custom autograd function, and an operator with a gradient, in Python."""

import tenon
from tenon.autograd import Function
from tenon.library import custom_op


# [quote.begin function]
class Binary(Function):
    """Returns -size or size; gradients pass where |x| < 2 * size."""

    @staticmethod
    def forward(ctx, x, size):
        ctx.save_for_backward(x.abs() < 2 * size)
        return x.sign() * size

    @staticmethod
    def backward(ctx, grad):
        (near,) = ctx.saved_tensors
        return grad * near, None  # nothing for `size`


x = tenon.tensor([-3.0, 0.3], requires_grad=True)
y = Binary.apply(x, 0.5)  # tensor([-0.5000,  0.5000])
(y * 2).sum().backward()
print(x.grad)  # tensor([0., 2.])
# [quote.end]


# [quote.begin operator]
@custom_op("example_function::cube", mutates_args=())
def cube(x: tenon.Tensor) -> tenon.Tensor:
    """Any code, for example NumPy; operators in it are not recorded."""
    return x * x * x


def setup_context(ctx, inputs, output):
    """Runs after each recorded call."""
    ctx.save_for_backward(*inputs)


def backward(ctx, grad):
    """Returns the gradient of the argument."""
    (x,) = ctx.saved_tensors
    return grad * 3 * x * x


cube.register_autograd(backward, setup_context=setup_context)
x = tenon.tensor([2.0], requires_grad=True)
cube(x).backward()
print(x.grad)  # tensor([12.])
# [quote.end]
