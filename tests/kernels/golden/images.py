# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that sample images at the points of a grid, and of unpooling."""

import itertools

import torch

from cases import FLOATS, NAN, case, family, ramp, short

INVALID = "TENON_ERROR_INVALID_ARGUMENT"
UNSUPPORTED = "TENON_ERROR_NOT_SUPPORTED"


def _image(*shape):
    return ramp(*shape) * 5 % 11 * 0.25 - 1


def _places(*shape):
    """Returns points inside and outside and at the edges; none is halfway between 3 x 4 pixels."""
    row = [-1.9, -1.0, -0.77, -0.31, 0.0, 0.13, 0.62, 1.0, 1.37, 3.9, -4.2]
    count = torch.Size(shape).numel()
    return torch.tensor((row * (count // len(row) + 1))[:count]).reshape(shape)


@family("grid_sampler_2d")
def _grid_sampler_2d():
    op, back, whole = (
        "aten::grid_sampler_2d",
        "aten::grid_sampler_2d_backward",
        "aten::grid_sampler",
    )
    image, grid = _image(2, 3, 3, 4), _places(2, 4, 2, 2)
    for mode, padding, aligns in itertools.product((0, 1, 2), (0, 1, 2), (False, True)):
        how, label = (mode, padding, aligns), f"{mode}_{padding}_{int(aligns)}"
        yield case(label, op, image, grid, *how)
        yield case(f"double_{label}", op, image.double(), grid.double(), *how)
        yield case(f"whole_{label}", whole, image, grid, *how)
        grad = _image(2, 3, 4, 2).flip(0)
        yield case(f"backward_{label}", back, grad, image, grid, *how, [True, True])
        one = image[:, :, :1, :1]
        yield case(f"one_{label}", op, one, grid, *how)
    turned = image.transpose(2, 3).contiguous().transpose(2, 3)
    last = image.contiguous(memory_format=torch.channels_last)
    wide = _places(2, 4, 2, 4)[..., ::2]
    for name, given in {"turned": turned, "channels_last": last}.items():
        yield case(name, op, given, wide, 0, 0, False)
        yield case(f"{name}_backward", back, grad, given, wide, 0, 0, False, [True, True])
    twice = image[:1].expand(2, 3, 3, 4), grid[:1].expand(2, 4, 2, 2)
    yield case("expanded", op, *twice, 2, 2, True)
    nowhere = torch.tensor([[[[NAN, 0.5], [0.25, NAN]]]])
    for mode, padding in itertools.product((0, 1, 2), (1, 2)):
        yield case(f"nan_{mode}_{padding}", op, image[:1], nowhere, mode, padding, False)
    for name, sizes in {"batch": (0, 3, 3, 4), "channels": (2, 0, 3, 4)}.items():
        places = grid[: sizes[0]]
        yield case(f"no_{name}", op, _image(*sizes), places, 0, 0, False)
    yield case("no_places", op, image, grid[:, :0], 0, 0, False)
    yield case("out", f"{op}.out", image, grid, 0, 0, False, out=torch.zeros(0))
    for dtype in (torch.float32, torch.int32):
        args = (image, grid, 0, 0, False)
        yield case(f"out_{short(dtype)}", f"{op}.out", *args, out=torch.zeros(2, 3, 4, 2).to(dtype))
    into = {"out0": torch.zeros(0), "out1": torch.zeros(0)}
    args = (grad, image, grid, 0, 0, False, [True, True])
    yield case("backward_out", f"{back}.out", *args, **into)
    yield case("refuses_images", op, image[:, :, :0], grid, 0, 0, False, status=INVALID)
    yield case("refuses_batch", op, image, grid[:1], 0, 0, False, status=INVALID)
    yield case("refuses_pairs", op, image, _places(2, 4, 2, 3), 0, 0, False, status=INVALID)
    yield case("refuses_dims", whole, image[0], grid, 0, 0, False, status=INVALID)
    mixed = image, grid.double(), 0, 0, False
    yield case("refuses_dtypes", op, *mixed, status=INVALID, no_meta=True)
    for dtype in FLOATS:
        # Tenon rounds once, PyTorch at each step.
        yield case(f"dtype_{short(dtype)}", op, image.to(dtype), grid.to(dtype), 1, 0, False)
    given = image.byte(), grid.byte(), 0, 0, False
    yield case("refuses_uint8", op, *given, status=UNSUPPORTED, no_meta=True)
    yield from _volumes()


def _volumes():
    """Yields calls of grid_sampler_3d, whose file is that of grid_sampler_2d."""
    op, back = "aten::grid_sampler_3d", "aten::grid_sampler_3d_backward"
    volume, grid = _image(2, 2, 2, 3, 4), _places(2, 2, 1, 3, 3)
    grad = _image(2, 2, 2, 1, 3).flip(0)
    for mode, padding, aligns in itertools.product((0, 1, 2), (0, 1, 2), (False, True)):
        how, label = (mode, padding, aligns), f"volume_{mode}_{padding}_{int(aligns)}"
        yield case(label, op, volume.double(), grid.double(), *how)
        yield case(f"{label}_whole", "aten::grid_sampler", volume, grid, *how)
        yield case(f"{label}_backward", back, grad, volume, grid, *how, [True, True])
    last = volume.contiguous(memory_format=torch.channels_last_3d)
    wide = _places(2, 2, 1, 3, 6)[..., ::2]
    yield case("volume_last", op, last, wide, 0, 0, False)
    yield case("volume_last_backward", back, grad, last, wide, 0, 0, False, [True, True])
    yield case("volume_out", f"{op}.out", volume, grid, 0, 0, False, out=torch.zeros(0))
    into = {"out0": torch.zeros(0), "out1": torch.zeros(0)}
    args = (grad, volume, grid, 0, 0, False, [True, True])
    yield case("volume_backward_out", f"{back}.out", *args, **into)
    yield case("volume_no_batch", op, volume[:0], grid[:0], 0, 0, False)
    for dtype in FLOATS:
        args = volume.to(dtype), grid.to(dtype), 1, 0, False
        yield case(f"volume_{short(dtype)}", op, *args)
    yield case("volume_refuses_planes", op, volume[:, :, :0], grid, 0, 0, False, status=INVALID)
    yield case("volume_refuses_batch", op, volume, grid[:1], 0, 0, False, status=INVALID)
    yield case("volume_refuses_pairs", op, volume, grid[..., :2], 0, 0, False, status=INVALID)
    args = volume, grid[0], 0, 0, False
    yield case("volume_refuses_dims", "aten::grid_sampler", *args, status=INVALID)


@family("affine_grid_generator")
def _affine_grid_generator():
    op, back = "aten::affine_grid_generator", "aten::affine_grid_generator_backward"
    for sizes in ([2, 3, 3, 4], [2, 1, 1, 5], [1, 2, 2, 3, 4], [2, 1, 2, 1, 1]):
        dims = len(sizes) - 2
        theta = _image(sizes[0], dims, dims + 1)
        grad = _image(sizes[0], *sizes[2:], dims)
        for aligns in (False, True):
            label = f"{'x'.join(map(str, sizes))}_{int(aligns)}"
            yield case(label, op, theta, sizes, aligns)
            yield case(f"double_{label}", op, theta.double(), sizes, aligns)
            yield case(f"backward_{label}", back, grad, sizes, aligns)
            yield case(f"out_{label}", f"{op}.out", theta, sizes, aligns, out=torch.zeros(0))
    theta = _image(2, 3, 2).transpose(1, 2)
    yield case("turned", op, theta, [2, 1, 3, 3], False)
    yield case("refuses_dims", op, theta, [2, 1, 3], False, status=INVALID)
    yield case("refuses_matrices", op, theta, [2, 1, 3, 3, 3], False, status=INVALID)


@family("max_unpooling")
def _max_unpool2d():
    op = "aten::max_unpool2d"
    image = _image(2, 3, 4, 6)
    values, places = torch.nn.functional.max_pool2d(image, 2, return_indices=True)
    for size in ([4, 6], [5, 7], [4, 7]):
        label = "x".join(map(str, size))
        yield case(label, op, values, places, size, exact=True)
        yield case(f"one_{label}", op, values[0], places[0], size, exact=True)
    for dtype in FLOATS:
        yield case(f"dtype_{short(dtype)}", op, values.to(dtype), places, [4, 6], exact=True)
    last = {"memory_format": torch.channels_last}
    given = values.contiguous(**last), places.contiguous(**last), [4, 6]
    yield case("channels_last", op, *given, exact=True)
    yield case("turned", op, values.transpose(2, 3), places.transpose(2, 3), [4, 6], exact=True)
    yield case("no_batch", op, values[:0], places[:0], [4, 6], exact=True)
    for name, out in {"none": torch.zeros(0), "some": torch.ones(2, 3, 4, 6)}.items():
        yield case(f"out_{name}", f"{op}.out", values, places, [4, 6], out=out, exact=True)
    outside = {"status": "TENON_ERROR_INDEX", "no_meta": True}
    yield case("refuses_places", op, values, places, [3, 3], **outside)
    yield case("refuses_int32", op, values, places.int(), [4, 6], status=INVALID)
    yield case("refuses_dims", op, values[0, 0], places[0, 0], [4, 6], status=INVALID)
    yield case("refuses_sizes", op, values, places[:1], [4, 6], status=INVALID)
    yield case("refuses_no_channels", op, values[:, :0], places[:, :0], [4, 6], status=INVALID)
    yield case("refuses_size", op, values, places, [4], status=INVALID)
    given = values.int(), places, [4, 6]
    yield case("refuses_integers", op, *given, status=UNSUPPORTED, no_meta=True)
    op, volume = "aten::max_unpool3d", _image(2, 3, 4, 2, 6)
    values, places = torch.nn.functional.max_pool3d(volume, 2, return_indices=True)
    window = [2, 2, 2], [0, 0, 0]
    for size in ([4, 2, 6], [5, 3, 7]):
        label = "x".join(map(str, size))
        yield case(f"volume_{label}", op, values, places, size, *window, exact=True)
        yield case(f"volume_one_{label}", op, values[0], places[0], size, *window, exact=True)
    for dtype in FLOATS:
        args = values.to(dtype), places, [4, 2, 6], *window
        yield case(f"volume_{short(dtype)}", op, *args, exact=True)
    last = {"memory_format": torch.channels_last_3d}
    given = values.contiguous(**last), places.contiguous(**last), [4, 2, 6], *window
    yield case("volume_last", op, *given, exact=True)
    yield case("volume_no_batch", op, values[:0], places[:0], [4, 2, 6], *window, exact=True)
    for name, out in {"none": torch.zeros(0), "some": torch.ones(2, 3, 4, 2, 6)}.items():
        args = values, places, [4, 2, 6], *window
        yield case(f"volume_out_{name}", f"{op}.out", *args, out=out, exact=True)
    yield case("volume_refuses_places", op, values, places, [1, 1, 3], *window, **outside)
    below = values, places - 50, [4, 2, 6], *window
    yield case("volume_refuses_below", op, *below, **outside)
    yield case("volume_refuses_int32", op, values, places.int(), [4, 2, 6], *window, status=INVALID)
    args = values[0, 0], places[0, 0], [4, 2, 6], *window
    yield case("volume_refuses_dims", op, *args, status=INVALID)
    yield case("volume_refuses_size", op, values, places, [4, 2], *window, status=INVALID)
    still = [2, 0, 2], [0, 0, 0]
    yield case("volume_refuses_stride", op, values, places, [4, 2, 6], *still, status=INVALID)
    given = values.int(), places, [4, 2, 6], *window
    yield case("volume_refuses_integers", op, *given, status=UNSUPPORTED, no_meta=True)
