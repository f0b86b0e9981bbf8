# SPDX-License-Identifier: Apache-2.0
"""Calls of activations and their gradients."""

import torch

from cases import ALL, FLOATS, case, family, layouts, odd_shapes, outs, ramp, sample, short


def activation(op, *tail, first=-9, **kwargs):
    """Yields calls of a unary operator: every dtype, a range, layouts and forms."""
    op = f"aten::{op}"
    for dtype in FLOATS:
        if first == -9:
            yield case(f"dtype_{short(dtype)}", op, sample(dtype), *tail, **kwargs)
        dense = torch.linspace(first, 9, 37, dtype=torch.float64).to(dtype)
        yield case(f"range_{short(dtype)}", op, dense, *tail, **kwargs)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        if key != "size_one_dims":  # the stride of a dim of size 1 differs
            yield case(f"layout_{key}", op, tensor, *tail, **kwargs)
    yield case("in_place", f"{op}_", ramp(2, 3, start=-3), *tail, **kwargs)
    for made in outs(f"{op}.out", [2, 3], ramp(2, 3, start=-3), *tail, **kwargs):
        made.exact = False
        yield made  # only these operators refuse an out of float64


def gradient(op, *tail, first=-9, dtypes=FLOATS, **kwargs):
    """Yields calls of a gradient operator in every dtype."""
    op = f"aten::{op}"
    for dtype in dtypes:
        x = torch.linspace(first, 9, 37, dtype=torch.float64).to(dtype)
        grad = torch.linspace(2, -1, 37, dtype=torch.float64).to(dtype)
        yield case(f"backward_{short(dtype)}", op, grad, x, *tail, **kwargs)


@family("gelu")
def _gelu():
    # In float32, PyTorch's erf has no infinity, and fewer digits far below 0.
    for approximate in ("none", "tanh"):
        for made in activation("gelu", first=-3, approximate=approximate):
            made.name += f"_{approximate}"
            yield made
        for made in gradient("gelu_backward", first=-3, approximate=approximate):
            made.name += f"_{approximate}"
            yield made
    yield case("refuses_words", "aten::gelu", ramp(3), approximate="erf")
    for dtype in set(ALL) - set(FLOATS):
        if not dtype.is_floating_point:
            status = "TENON_ERROR_NOT_SUPPORTED"
            yield case(f"refuses_{short(dtype)}", "aten::gelu", sample(dtype), status=status)


@family("silu")
def _silu():
    yield from activation("silu")
    for dtype in (torch.complex64, torch.complex128):
        yield case(f"dtype_{short(dtype)}", "aten::silu", sample(dtype))
    yield from gradient("silu_backward")


@family("elu")
def _elu():
    yield from activation("elu")
    yield case("numbers", "aten::elu", ramp(7, start=-3), 1.5, 2.0, 0.5)
    yield case("celu", "aten::celu", ramp(7, start=-3), 1.5)
    yield case("celu_in_place", "aten::celu_", ramp(7, start=-3), 0.5)
    yield case("celu_refuses", "aten::celu", ramp(3), 0, status="TENON_ERROR_INVALID_ARGUMENT")
    yield case("selu", "aten::selu", ramp(7, start=-3))
    yield case("selu_in_place", "aten::selu_", ramp(7, start=-3))


@family("hardtanh")
def _hardtanh():
    yield from activation("hardtanh")
    yield from gradient("hardtanh_backward", -2.0, 1.5)
    yield case("ints", "aten::hardtanh", ramp(7, start=-3).to(torch.int64), -1, 2)
    yield case("relu6", "aten::relu6", ramp(9, start=-1))
    yield case("relu6_in_place", "aten::relu6_", ramp(9, start=-1))


@family("leaky_relu")
def _leaky_relu():
    yield from activation("leaky_relu", 0.25)
    yield from gradient("leaky_relu_backward", 0.25, False)


@family("softplus")
def _softplus():
    for made in activation("softplus", 2.0, 5.0):
        if made.name != "in_place":
            yield made
    yield from gradient("softplus_backward", 2.0, 5.0)
    for dtype in FLOATS:
        row = torch.linspace(-30, 30, 13, dtype=torch.float64).to(dtype)
        yield case(f"log_sigmoid_{short(dtype)}", "aten::log_sigmoid", row)
    yield case("log_sigmoid_turned", "aten::log_sigmoid", ramp(2, 3).t())


@family("hardsigmoid")
def _hardsigmoid():
    for name in ("hardsigmoid", "hardswish"):
        # PyTorch's 1/6 has float32 precision.
        dtypes = FLOATS[:3] if name == "hardsigmoid" else FLOATS
        for made in (*activation(name), *gradient(f"{name}_backward", dtypes=dtypes)):
            made.name = f"{name}_{made.name}"
            yield made


@family("mish")
def _mish():
    yield from activation("mish")


@family("hardshrink")
def _hardshrink():
    for name in ("hardshrink", "softshrink"):
        for made in (*activation(name, 1.5), *gradient(f"{name}_backward", 1.5)):
            made.name = f"{name}_{made.name}"
            if "in_place" not in made.name:
                yield made
    yield case("refuses_below", "aten::softshrink", ramp(3), -1.0)
