# SPDX-License-Identifier: Apache-2.0
"""The Python part of the digits demo: the schema of leaky_relu, linear, and a training loop."""

from __future__ import annotations

import tenon
from tenon.library import Library

BATCH = 32

_library: Library | None = None
_caller: Library | None = None


class Linear(tenon.autograd.Function):
    """x @ weight + bias, as a custom autograd function."""

    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x.mm(weight) + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        wants_x, _, _ = ctx.needs_input_grad  # images need no gradient
        return grad.mm(weight.t()) if wants_x else None, x.t().mm(grad), grad.sum([0])


def linear(x, weight, bias):
    """Applies the function; callers in other languages use this operator."""
    return Linear.apply(x, weight, bias)


def train(images, labels, seed, epochs):
    """Trains a network; returns its parameters and the mean loss of each epoch."""
    ops = tenon.ops.digits
    parameters = ops.parameters(seed)
    velocities = [tenon.zeros_like(parameter) for parameter in parameters]
    for parameter in parameters:
        parameter.requires_grad = True
    w1, b1, w2, b2 = parameters
    count = images.shape[0]
    losses = []
    for epoch in range(epochs):
        rate = 0.1 * (epochs - epoch) / epochs
        total = 0.0
        for start in range(0, count, BATCH):
            batch = slice(start, min(start + BATCH, count))
            hidden = ops.leaky_relu(ops.linear(images[batch], w1, b1))
            loss = ops.cross_entropy(ops.linear(hidden, w2, b2), labels[batch])
            loss.backward()
            with tenon.no_grad():
                for parameter, velocity in zip(parameters, velocities, strict=True):
                    ops.step_(parameter, velocity, parameter.grad, rate)
                    parameter.grad = None
            total += loss.item() * (batch.stop - batch.start)
        losses.append(total / count)
    return parameters, tenon.tensor(losses, dtype=tenon.float64)


def register() -> None:
    """Registers schema, operator and loop."""
    global _library, _caller
    _library = Library("digits", "FRAGMENT")
    _library.define("leaky_relu(Tensor x, float slope=0.01) -> Tensor")
    _library.impl("linear", linear, "CompositeImplicitAutograd")
    _caller = Library("digits_python", "DEF")
    _caller.define(
        "train(Tensor images, Tensor labels, int seed, int epochs) -> (Tensor[], Tensor)"
    )
    _caller.impl("train", train, "CompositeImplicitAutograd")


def unregister() -> None:
    """Removes them again."""
    global _library, _caller
    for library in (_caller, _library):
        if library is not None:
            library._destroy()
    _library = _caller = None


register()
