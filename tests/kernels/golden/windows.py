# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that slide a window: convolutions, pooling and what they are made of."""

import torch

from cases import COMPLEX, FLOATS, INF, INTS, NAN, case, family, ramp, short

INVALID = "TENON_ERROR_INVALID_ARGUMENT"
WINDOWS = {
    "plain": ([2, 3], [1, 1], [0, 0], [1, 1]),
    "stride": ([2, 2], [1, 1], [0, 0], [2, 1]),
    "padding": ([3, 2], [1, 1], [1, 1], [1, 2]),
    "dilation": ([2, 2], [2, 1], [1, 0], [1, 1]),
    "all": ([3, 3], [2, 1], [2, 1], [2, 3]),
}


@family("im2col")
def _im2col():
    op, back = "aten::im2col", "aten::col2im"
    image = ramp(2, 3, 5, 6)
    for name, window in WINDOWS.items():
        kernel, dilation, padding, stride = window
        yield case(name, op, image, *window, exact=True)
        yield case(f"{name}_one", op, image[0], *window, exact=True)
        columns = torch.ops.aten.im2col(image, *window)
        yield case(f"{name}_back", back, columns, [5, 6], *window, exact=True)
        yield case(f"{name}_back_one", back, columns[0], [5, 6], *window, exact=True)
    yield case("transposed", op, ramp(2, 6, 5).transpose(1, 2), *WINDOWS["all"], exact=True)
    for dtype in FLOATS + COMPLEX:
        small = ramp(1, 3, 3).to(dtype)
        yield case(f"dtype_{short(dtype)}", op, small, *WINDOWS["plain"], exact=True)
    yield case("refuses_large", op, ramp(1, 2, 2), [3, 1], [1, 1], [0, 0], [1, 1])
    yield case("refuses_stride", op, ramp(1, 2, 2), [1, 1], [1, 1], [0, 0], [0, 1])
    flat = ramp(2, 2)
    yield case("refuses_dims", op, flat, [1, 1], [1, 1], [0, 0], [1, 1], status=INVALID)
    yield case("back_refuses_rows", back, ramp(3, 4), [2, 2], [2, 1], [1, 1], [0, 0], [1, 1])
    yield case("back_refuses_columns", back, ramp(2, 4), [3, 2], [2, 1], [1, 1], [0, 0], [1, 1])


@family("conv2d")
def _conv2d():
    op = "aten::conv2d"
    image, weight = ramp(2, 2, 5, 6, step=0.25), ramp(4, 2, 3, 2, start=-1, step=0.125)
    bias = ramp(4, start=1)
    yield case("plain", op, image, weight)
    yield case("bias", op, image, weight, bias)
    yield case("one", op, image[0], weight, bias)
    yield case("stride", op, image, weight, None, [2, 1])
    yield case("padding", op, image, weight, bias, [1, 1], [1, 2])
    yield case("dilation", op, image, weight, bias, [1, 1], [2, 0], [2, 1])
    yield case("groups", op, image, ramp(4, 1, 2, 2, start=-1, step=0.5), bias, groups=2)
    yield case("double", op, image.double(), weight.double(), bias.double(), [2, 2], [1, 1])
    yield case("empty_batch", op, ramp(0, 2, 5, 6), weight)
    yield case("refuses_channels", op, ramp(2, 3, 5, 6), weight)
    yield case("refuses_groups", op, image, weight, groups=0, status=INVALID)
    yield case("refuses_dtype", op, image, weight.double())
    yield case("refuses_bias", op, image, weight, ramp(3))
    yield case("refuses_large", op, ramp(2, 2, 2, 2), weight)
    yield case("refuses_dims", op, ramp(5, 6), weight)


@family("max_pool2d")
def _max_pool2d():
    op, whole = "aten::max_pool2d_with_indices", "aten::max_pool2d"
    image = torch.tensor([3, 7, 1, 9, 2, 8, 5, 4, 6, 0] * 6).reshape(2, 1, 5, 6).float()
    windows = {
        "plain": ([2, 2],),
        "overlapping": ([3, 2], [1, 1]),
        "padding": ([3, 3], [2, 2], [1, 1]),
        "dilation": ([2, 2], [1, 2], [1, 0], [2, 1]),
        "ceil": ([2, 4], [2, 4], [0, 0], [1, 1], True),
        "ceil_padding": ([3, 3], [3, 3], [1, 1], [1, 1], True),
    }
    for name, window in windows.items():
        yield case(name, op, image, *window, exact=True)
        yield case(f"{name}_one", op, image[0], *window, exact=True)
        yield case(f"{name}_values", whole, image, *window, exact=True)
    for dtype in FLOATS + INTS:
        yield case(f"dtype_{short(dtype)}", op, image.to(dtype), [2, 2], exact=True)
    row = torch.tensor([[[1.0, NAN, -INF, -INF, 2.0, INF]]])
    yield case("specials", op, row, [1, 2], exact=True)
    grid = ramp(1, 2, 4, 4).contiguous(memory_format=torch.channels_last)
    yield case("channels_last", op, grid, [2, 2], exact=True)
    yield case("empty_batch", op, ramp(0, 2, 4, 4), [2, 2], exact=True)
    yield case("refuses_padding", op, image, [2, 2], [1, 1], [2, 0])
    yield case("refuses_large", op, image, [7, 1])
    yield case("refuses_dims", op, ramp(4, 4), [2, 2])
    yield case("refuses_no_channels", op, ramp(2, 0, 4, 4), [2, 2])
    back = "aten::max_pool2d_with_indices_backward"
    for name in ("overlapping", "padding", "dilation"):
        kernel, stride, *rest = windows[name]
        padding, dilation = [*rest, [0, 0], [1, 1]][:2] if len(rest) != 1 else [rest[0], [1, 1]]
        window = kernel, stride, padding, dilation, False
        values, indices = torch.ops.aten.max_pool2d_with_indices(image, *window)
        grad = ramp(*values.shape, start=1)
        yield case(f"{name}_backward", back, grad, image, *window, indices, exact=True)
