# SPDX-License-Identifier: Apache-2.0
"""Calls of operators with a sliding window: convolutions, pooling and their parts."""

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


@family("conv_nd")
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


@family("max_pooling")
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
    volume = torch.tensor([3, 7, 1, 9, 2, 8, 5, 4, 6, 0] * 9).reshape(1, 1, 3, 5, 6).float()
    deep = "aten::max_pool3d_with_indices"
    for name, window in {
        "plain": ([2, 2, 2],),
        "all": ([2, 3, 2], [1, 2, 1], [1, 1, 0], [1, 1, 2]),
        "ceil": ([2, 2, 4], [2, 2, 4], [0] * 3, [1] * 3, True),
    }.items():
        yield case(f"{name}3", deep, volume, *window, exact=True)
        yield case(f"{name}3_one", deep, volume[0], *window, exact=True)
        yield case(f"{name}3_values", "aten::max_pool3d", volume, *window, exact=True)
    one = [1, 1, 1]
    values, indices = torch.ops.aten.max_pool3d_with_indices(volume, [2, 2, 2], one)
    grad = ramp(*values.shape, start=1)
    window = [2, 2, 2], one, [0, 0, 0], one, False
    yield case("plain3_backward", deep + "_backward", grad, volume, *window, indices, exact=True)
    line = image[:, 0, 0]
    for op in ("aten::max_pool1d", "aten::max_pool1d_with_indices"):
        yield case(f"{op[6:]}", op, line, [3], [2], [1], exact=True)
        yield case(f"{op[6:]}_ceil", op, line[None], [4], [3], [0], [1], True, exact=True)
    yield case("shared1", "aten::adaptive_max_pool1d", line, [4], exact=True)
    for dims, tensor in ((2, image), (3, volume)):
        op, size = f"aten::adaptive_max_pool{dims}d", [2, 3, 4][-dims:]
        yield case(f"shared{dims}", op, tensor, size, exact=True)
        yield case(f"shared{dims}_one", op, tensor[0], size, exact=True)
        values, indices = getattr(torch.ops.aten, f"adaptive_max_pool{dims}d")(tensor, size)
        grad = ramp(*values.shape, start=1)
        yield case(f"shared{dims}_backward", op + "_backward", grad, tensor, indices, exact=True)
    yield case("refuses_shares", "aten::adaptive_max_pool2d", image, [2])


@family("convolution")
def _convolution():
    op = "aten::convolution"
    image, weight = ramp(2, 4, 5, 6, step=0.125), ramp(4, 2, 3, 2, start=-1, step=0.125)
    bias = ramp(4, start=1)
    line, volume = ramp(2, 2, 7, step=0.25), ramp(1, 2, 3, 4, 3, step=0.25)
    calls = {
        "groups": (image, weight, bias, [1, 1], [0, 0], [1, 1], False, [0, 0], 2),
        "all": (image, weight, bias, [2, 1], [1, 2], [2, 1], False, [0, 0], 2),
        "one_for_all": (image, weight, None, [2], [1], [1], False, [0], 2),
        "transposed": (image, weight, ramp(4), [2, 3], [1, 0], [1, 1], True, [1, 2], 2),
        "transposed_dilated": (image, weight, None, [1, 1], [1, 1], [2, 3], True, [1, 2], 2),
        "line": (line, ramp(3, 2, 3, start=-2), ramp(3), [2], [1], [1], False, [0], 1),
        "line_back": (line, ramp(2, 3, 3, start=-2), ramp(3), [2], [1], [1], True, [1], 1),
        "volume": (
            volume,
            ramp(2, 2, 2, 2, 1),
            None,
            [1] * 3,
            [1, 0, 0],
            [1] * 3,
            False,
            [0] * 3,
            1,
        ),
        "volume_back": (
            volume,
            ramp(2, 1, 2, 2, 1),
            None,
            [1] * 3,
            [0] * 3,
            [1] * 3,
            True,
            [0] * 3,
            2,
        ),
        "each_channel": (
            image,
            ramp(8, 1, 3, 3, start=-3),
            ramp(8),
            [2, 1],
            [1] * 2,
            [1] * 2,
            False,
            [0] * 2,
            4,
        ),
        "one_element": (
            image,
            ramp(3, 4, 1, 1, start=-3),
            ramp(3),
            [1, 1],
            [0, 0],
            [1, 1],
            False,
            [0, 0],
            1,
        ),
    }
    for name, call in calls.items():
        yield case(name, op, *call)
    # Large enough that a library may compute it.
    many = ramp(1, 8, 8, 8, step=0.125) % 4, ramp(8, 8, 3, 3, step=0.375) % 2 - 1, ramp(8)
    window = [1, 1], [1, 2], [1, 2], False, [0, 0], 1
    yield case("library", op, *many, *window)
    yield case("library_transposed", op, *many, [1, 2], [1, 2], [1, 1], True, [0, 1], 1)
    for dtype in [*FLOATS, torch.int64]:
        given = [tensor.to(dtype) for tensor in (image, weight, bias)]
        yield case(f"dtype_{short(dtype)}", op, *given, *calls["groups"][3:])
    last = image.contiguous(memory_format=torch.channels_last)
    yield case("channels_last", op, last, *calls["groups"][1:])
    yield case("transposed_input", op, image.transpose(2, 3), *calls["groups"][1:])
    yield case("empty_batch", op, image[:0], *calls["groups"][1:])
    yield case("refuses_output_padding", op, *calls["transposed"][:7], [2, 0], 2)
    yield case("refuses_channels", op, image[:, :3], *calls["groups"][1:])
    yield case("refuses_no_batch", op, image[0], *calls["groups"][1:], status=INVALID)
    for dims, size, name in ((1, [7], "line"), (3, [3, 4, 3], "volume")):
        given = calls[name][:3]
        yield case(f"conv{dims}d", f"aten::conv{dims}d", *given)
        yield case(f"conv{dims}d_one", f"aten::conv{dims}d", given[0][0], *given[1:])
        back_given = calls[f"{name}_back"]
        overload = "" if dims == 1 else ".input"
        transposed = f"aten::conv_transpose{dims}d{overload}"
        yield case(f"conv_transpose{dims}d", transposed, *back_given[:3], groups=back_given[8])
    for dtype in COMPLEX:
        given = [tensor.to(dtype) for tensor in (image, weight, bias)]
        yield case(f"dtype_{short(dtype)}", "aten::conv2d", *given, groups=2)
    yield case("conv_transpose2d", "aten::conv_transpose2d.input", image, weight, bias, groups=2)
    yield case("conv_transpose2d_one", "aten::conv_transpose2d.input", image[0], weight, groups=2)
    for word in ("same", "valid"):
        yield case(
            f"padding_{word}", "aten::conv2d.padding", image, weight, None, [1, 1], word, [1, 1], 2
        )


def _pools(dims):
    """Yields pooling windows, for a tensor with the trailing dims of shape (1, 2, 3, 5, 6)."""
    yield "plain", ([2] * dims,)
    yield "overlapping", ([1, 3, 2][-dims:], [1] * dims)
    yield "padding", ([2, 3, 3][-dims:], [2] * dims, [1] * dims)
    yield "ceil", ([2, 2, 4][-dims:], [2, 2, 4][-dims:], [0] * dims, True)
    yield "ceil_padding", ([3] * dims, [3] * dims, [1] * dims, True)


@family("average_pooling")
def _avg_pool2d():
    volume = torch.tensor([3.0, 7, 1, 9, 2, 8, 5, 4, 6, 0] * 18).reshape(1, 2, 3, 5, 6)
    for dims, image in ((1, volume[0, :, 0, 0]), (2, volume[:, :, 0]), (3, volume)):
        op = f"aten::avg_pool{dims}d"
        for name, window in _pools(dims):
            counts = (False,) if len(window) == 4 else ()
            yield case(f"{name}{dims}", op, image, *window)
            if counts:
                yield case(f"{name}{dims}_inside", op, image, *window, *counts)
            if dims == 1:
                continue
            rest = ([2] * dims, [0] * dims, False)
            kernel, stride, padding, ceil = (*window, *rest[len(window) - 1 :])
            result = getattr(torch.ops.aten, f"avg_pool{dims}d")(
                image, kernel, stride, padding, ceil
            )
            grad = ramp(*result.shape, start=1)
            yield case(
                f"{name}{dims}_backward",
                op + "_backward",
                grad,
                image,
                kernel,
                stride,
                padding,
                ceil,
                False,
                None,
            )
        if dims > 1:
            yield case(f"divisor{dims}", op, image, [2] * dims, divisor_override=3)
            yield case(f"one{dims}", op, image[0], [2] * dims)
        shared = [2, 3, 4][-dims:]
        yield case(f"shared{dims}", f"aten::adaptive_avg_pool{dims}d", image, shared)
        if dims > 1:
            yield case(f"shared_direct{dims}", f"aten::_adaptive_avg_pool{dims}d", image[0], shared)
            grad = ramp(1, 2, *shared, start=1)
            yield case(
                f"shared_backward{dims}", f"aten::_adaptive_avg_pool{dims}d_backward", grad, image
            )
    image = volume[:, :, 0]
    for dtype in [*FLOATS, torch.int64]:
        yield case(f"dtype_{short(dtype)}", "aten::avg_pool2d", image.to(dtype), [2, 2])
    for dtype in FLOATS:
        yield case(f"shared_{short(dtype)}", "aten::_adaptive_avg_pool2d", image.to(dtype), [2, 3])
    yield case(
        "channels_last",
        "aten::avg_pool2d",
        image.contiguous(memory_format=torch.channels_last),
        [2, 2],
    )
    yield case("transposed", "aten::avg_pool2d", image.transpose(2, 3), [2, 2])
    yield case("empty_batch", "aten::avg_pool2d", image[:0], [2, 2])
    yield case("refuses_padding", "aten::avg_pool2d", image, [2, 2], [1, 1], [2, 0])
    yield case("refuses_large", "aten::avg_pool2d", image, [6, 1])
    yield case("refuses_divisor", "aten::avg_pool2d", image, [2, 2], divisor_override=0)
    yield case("refuses_dims", "aten::avg_pool2d", ramp(4, 4), [2, 2], status=INVALID)


@family("reflection_pad")
def _reflection_pad():
    lines, image, volume = ramp(2, 3, 4), ramp(1, 2, 3, 4), ramp(1, 1, 3, 2, 4)
    for word in ("reflection", "replication"):
        for tensor, pad in (
            (lines, [1, 2]),
            (image, [1, 3, 2, 0]),
            (image, [-1, 2, 1, -1]),
            (volume, [1, 1, 0, 1, 2, 2]),
        ):
            dims = len(pad) // 2
            op, name = f"aten::{word}_pad{dims}d", f"{word}{dims}_{min(pad)}"
            yield case(name, op, tensor, pad, exact=True)
            yield case(f"{name}_one", op, tensor[0], pad, exact=True)
            result = getattr(torch.ops.aten, f"{word}_pad{dims}d")(tensor, pad)
            yield case(f"{name}_backward", op + "_backward", ramp(*result.shape), tensor, pad)
        for dtype in FLOATS + INTS + COMPLEX:
            yield case(
                f"{word}_{short(dtype)}",
                f"aten::{word}_pad2d",
                image.to(dtype),
                [1, 1, 1, 1],
                exact=True,
            )
    yield case("refuses_all", "aten::reflection_pad1d", lines, [4, 0])
    yield case("refuses_nothing_left", "aten::replication_pad1d", lines, [-2, -2])
    yield case("refuses_dims", "aten::reflection_pad2d", ramp(3, 4), [1, 1, 1, 1])


@family("pad")
def _pad():
    op = "aten::constant_pad_nd"
    image = ramp(1, 2, 3, 4)
    for name, pad in {
        "last": [1, 2],
        "two": [1, 0, 2, 1],
        "less": [-1, 1, 0, -2],
        "all": [1] * 8,
        "none": [],
    }.items():
        yield case(name, op, image, pad, 2.5, exact=True)
    yield case("nothing_left", op, image, [-2, -2], 1, exact=True)
    yield case(
        "channels_last", op, image.contiguous(memory_format=torch.channels_last), [1, 1], exact=True
    )
    for dtype in FLOATS + INTS + COMPLEX + [torch.bool]:
        yield case(f"dtype_{short(dtype)}", op, image.to(dtype), [1, 1], 1, exact=True)
    yield case("refuses_odd", op, image, [1, 2, 3])
    yield case("refuses_many", op, ramp(3), [1, 2, 3, 4])
    yield case("refuses_less_than_nothing", op, ramp(3), [-2, -2])
    for mode in ("reflect", "replicate", "circular"):
        yield case(mode, "aten::pad", image, [1, 2, 0, 2], mode, exact=True)
        yield case(f"{mode}_less", "aten::pad", image, [1, -1, 0, 1], mode, exact=True)
        yield case(f"{mode}_one", "aten::pad", image[0], [1, 2, 0, 2], mode, exact=True)
    yield case("constant", "aten::pad", image, [1, 2], "constant", 0.5, exact=True)
    yield case("refuses_value", "aten::pad", image, [1, 2, 0, 2], "reflect", 0.5)
    yield case("refuses_last_alone", "aten::pad", image, [1, 2], "reflect")
    yield case("refuses_round", "aten::pad", image, [5, 2, 0, 0], "circular")


@family("pixel_shuffle")
def _pixel_shuffle():
    image = ramp(2, 8, 2, 4)
    yield case("shuffle", "aten::pixel_shuffle", image, 2, exact=True)
    yield case("unshuffle", "aten::pixel_unshuffle", image, 2, exact=True)
    yield case("one", "aten::pixel_shuffle", image[0], 2, exact=True)
    yield case("channels", "aten::channel_shuffle", image, 4, exact=True)
    yield case("refuses_channels", "aten::pixel_shuffle", image, 3)
    yield case("refuses_rows", "aten::pixel_unshuffle", image, 3)
    yield case("refuses_factor", "aten::pixel_shuffle", image, 0)
    yield case("refuses_groups", "aten::channel_shuffle", image, 3)


SIZES = {1: ([3], [7], [4]), 2: ([2, 6], [6, 9], [3, 4]), 3: ([2, 3, 4], [5, 6, 7], [3, 3, 4])}


def _images(dims):
    return {1: ramp(2, 3, 4), 2: ramp(1, 2, 3, 4), 3: ramp(1, 2, 3, 3, 4)}[dims]


@family("upsample_nearest")
def _upsample_nearest():
    for kind in ("upsample_nearest", "_upsample_nearest_exact"):
        for dims, sizes in SIZES.items():
            op, image = f"aten::{kind}{dims}d", _images(dims)
            for number, size in enumerate(sizes):
                name = f"{kind}{dims}_{number}"
                yield case(name, op, image, size, exact=True)
                grad = ramp(*image.shape[:2], *size, start=1)
                yield case(f"{name}_backward", op + "_backward", grad, size, list(image.shape))
            yield case(f"{kind}{dims}_scales", op, image, sizes[0], *[1.7] * dims, exact=True)
            yield case(f"{kind}{dims}_by_sizes", op + ".vec", image, sizes[1], None, exact=True)
    op, image = "aten::upsample_nearest2d", _images(2)
    for dtype in [*FLOATS, torch.uint8]:
        yield case(f"dtype_{short(dtype)}", op, image.to(dtype), [5, 6], exact=True)
    yield case(
        "channels_last", op, image.contiguous(memory_format=torch.channels_last), [4, 5], exact=True
    )
    yield case("empty_batch", op, image[:0], [4, 5], exact=True)
    yield case("refuses_dims", op, image[0], [4, 5])
    yield case("refuses_size", op, image, [0, 5])
    yield case("refuses_neither", op + ".vec", image, None, None)
    yield case("refuses_dims_of_lists", op + ".vec", image, [4], None)


@family("upsample_linear")
def _upsample_linear():
    names = {
        1: ["upsample_linear1d"],
        2: ["upsample_bilinear2d", "upsample_bicubic2d"],
        3: ["upsample_trilinear3d"],
    }
    for dims, kinds in names.items():
        for kind in kinds:
            op, image = f"aten::{kind}", _images(dims)
            for number, size in enumerate(SIZES[dims]):
                for aligns in (False, True):
                    name = f"{kind}_{number}{int(aligns)}"
                    yield case(name, op, image, size, aligns)
                    grad = ramp(*image.shape[:2], *size, start=1)
                    yield case(
                        f"{name}_backward", op + "_backward", grad, size, list(image.shape), aligns
                    )
            yield case(f"{kind}_scales", op, image, SIZES[dims][0], False, *[1.7] * dims)
    op, image = "aten::upsample_bilinear2d", _images(2)
    for dtype in FLOATS:
        yield case(f"dtype_{short(dtype)}", op, image.to(dtype), [5, 6], False)
    yield case(
        "channels_last", op, image.contiguous(memory_format=torch.channels_last), [4, 5], False
    )
    yield case("refuses_size", op, image, [0, 5], False)
    yield case("refuses_sizes", op, image, [5], False)
