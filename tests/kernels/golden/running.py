# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that clamp, round, rotate and accumulate elements, or return their parts."""

import itertools

import torch

from cases import (
    ALL,
    BOOL,
    COMPLEX,
    FLOATS,
    INF,
    INTS,
    NAN,
    case,
    family,
    layouts,
    odd_shapes,
    outs,
    ramp,
    sample,
    short,
    small,
)


def numbers(op, *tail, dtypes=BOOL + INTS + FLOATS + COMPLEX, **kwargs):
    """Yields calls of a unary operator with number arguments: every dtype, and layouts."""
    for dtype in dtypes:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), *tail, **kwargs)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", op, tensor, *tail, **kwargs)


@family("clamp")
def _clamp():
    op, tensor = "aten::clamp", "aten::clamp.Tensor"
    for made in numbers(op, 1, 3, exact=True):
        if made.name != "layout_size_one_dims":  # the stride of a dim of size 1 differs
            yield made
    for dtype in INTS + FLOATS:
        for name, low, high in [("float", 0.5, 2.5), ("low", 2, None), ("high", None, 2)]:
            yield case(f"{name}_{short(dtype)}", op, small(dtype), low, high, exact=True)
        pair = small(dtype), torch.tensor(1).to(dtype), torch.tensor(3).to(dtype)
        yield case(f"tensors_{short(dtype)}", tensor, *pair, exact=True)
    row = torch.tensor([-2.0, NAN, 0.5, INF, -INF])
    yield case("crossed", op, row, 3, 1, exact=True)
    # A bound that all integers of the dtype satisfy has no effect; one that none satisfies is
    # refused.
    bytes_ = torch.tensor([0, 1, 200], dtype=torch.uint8)
    narrow = torch.tensor([-128, 0, 127], dtype=torch.int8)
    yield case("far_bytes", op, bytes_, -1, 300, exact=True)
    yield case("far_narrow", op, narrow, -1000, 1000, exact=True)
    yield case("far_least", "aten::clamp_min", bytes_, -1, exact=True)
    yield case("far_most", "aten::clamp_max", bytes_, 300, exact=True)
    yield case("far_floats", op, narrow, 1000, 2000.0, exact=True)
    yield case("far_in_place", "aten::clamp_", bytes_.clone(), -1, 1, exact=True)
    yield case("refuses_max", op, bytes_, None, -1)
    yield case("refuses_min", "aten::clamp_min", bytes_, 256)
    yield case("nan_bound", tensor, row, torch.tensor(NAN), torch.tensor(1.0), exact=True)
    yield case("broadcast", tensor, ramp(2, 1), ramp(3, start=1), None, exact=True)
    turned = ramp(4, 4, 4).permute(2, 1, 0)
    between = ramp(8, 4)[::2].t(), turned[:, :, :1], turned[:, 1:2]
    yield case("broadcast_between", tensor, *between, exact=True)
    yield case("promotes", tensor, ramp(3).int(), ramp(3, start=0.5), None, exact=True)
    yield case("in_place", "aten::clamp_", ramp(2, 3), 1, 3, exact=True)
    yield case("in_place_tensors", "aten::clamp_.Tensor", ramp(2, 3), None, ramp(3), exact=True)
    yield case("in_place_refuses_float", "aten::clamp_", ramp(3).int(), 0.5)
    yield case("in_place_refuses_growing", "aten::clamp_.Tensor", ramp(3), ramp(2, 3))
    yield case("refuses_neither", op, ramp(3), None, None)
    yield from outs("aten::clamp.out", [2, 3], ramp(2, 3), 1, 3)
    bounded = torch.zeros(3)
    yield case("out_tensors", "aten::clamp.Tensor_out", ramp(3), ramp(3), None, out=bounded)
    for which in ("min", "max"):
        one = f"aten::clamp_{which}"
        yield case(f"{which}_number", one, ramp(2, 3), 2, exact=True)
        yield case(f"{which}_promotes", one, ramp(3).int(), 0.5, exact=True)
        yield case(f"{which}_tensor", f"{one}.Tensor", ramp(2, 3), ramp(3, start=1), exact=True)
        yield case(f"{which}_in_place", f"{one}_", ramp(2, 3), 2, exact=True)
        tensors = ramp(2, 3), ramp(3, start=1)
        yield case(f"{which}_in_place_tensor", f"{one}_.Tensor", *tensors, exact=True)
        yield case(f"{which}_out", f"{one}.out", ramp(3), 1, out=torch.zeros(3), exact=True)
        into = torch.zeros(0)
        yield case(f"{which}_out_tensor", f"{one}.Tensor_out", *tensors, out=into, exact=True)


@family("remainder")
def _remainder():
    op = "aten::remainder.Tensor"
    for dtype, turn in itertools.product(INTS + FLOATS, (0, 1)):
        divisor = torch.tensor([3, 2, 7]).to(dtype)
        row = sample(dtype, (2, 3), turn)
        yield case(f"dtype_{short(dtype)}_{turn}", op, row, divisor, exact=True)
        if dtype != torch.uint8:
            yield case(f"negative_{short(dtype)}_{turn}", op, row, -divisor, exact=True)
    for left, right in itertools.permutations([torch.int32, torch.float32, torch.float64], 2):
        args = ramp(4, start=-2).to(left), ramp(4, start=1).to(right)
        yield case(f"mixed_{short(left)}_{short(right)}", op, *args)
    yield case("zero", op, ramp(3, start=-1), torch.zeros(3))
    yield case("zero_of_ints", op, ramp(3).int(), torch.zeros(3).int(), no_meta=True)
    yield case("broadcast", op, ramp(2, 1, start=-1), ramp(3, start=1))
    yield case("number", "aten::remainder.Scalar", ramp(4, start=-2), 1.5)
    yield case("number_of_ints", "aten::remainder.Scalar", ramp(4, start=-2).int(), 3)
    yield case("in_place", "aten::remainder_.Tensor", ramp(4, start=-2), ramp(4, start=1))
    yield case("in_place_number", "aten::remainder_.Scalar", ramp(4, start=-2), -3)
    for dtype in COMPLEX:
        yield case(f"refuses_{short(dtype)}", op, small(dtype), small(dtype))


@family("cumsum")
def _cumsum():
    op = "aten::cumsum"
    for dim in (0, 1, -1):
        for key, tensor in layouts().items():
            yield case(f"layout_{key}_{dim}", op, tensor, dim)
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, ramp(2, 3).to(dtype), 1)
    for dtype in (torch.int8, torch.float64, torch.complex64):
        yield case(f"as_{short(dtype)}", op, ramp(2, 3), 1, dtype=dtype)
    yield case("specials", op, torch.tensor([1.0, INF, 2.0, -INF, 1.0]), 0)
    yield case("three_dims", op, ramp(2, 3, 4), 1)
    yield case("zero_dim", op, ramp(start=3), 0)
    yield case("empty", op, ramp(0, 3), 0)
    yield case("in_place", "aten::cumsum_", ramp(2, 3), 0)
    yield case("in_place_int8", "aten::cumsum_", ramp(2, 3).to(torch.int8), 1)
    yield case("refuses_dim", op, ramp(2, 3), 2)
    yield case("out", "aten::cumsum.out", ramp(2, 3), 1, out=torch.zeros(0))
    yield case("out_double", "aten::cumsum.out", ramp(3), 0, out=torch.zeros(3).double())
    args = ramp(3), 0
    yield case("out_refuses_dtype", "aten::cumsum.out", *args, dtype=torch.int32, out=ramp(3))


@family("flip")
def _flip():
    op = "aten::flip"
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), [1], exact=True)
    for key, tensor in layouts().items():
        for dims in ([0], [-1], [0, 1], []):
            name = f"layout_{key}_{'_'.join(map(str, dims))}"
            yield case(name, op, tensor, dims, exact=True)
    for key, tensor in odd_shapes().items():
        if tensor.dim() > 0:
            yield case(f"layout_{key}", op, tensor, [0], exact=True)
    yield case("zero_dim", op, ramp(), [], exact=True)
    yield case("refuses_dim", op, ramp(2, 3), [2])
    yield case("refuses_twice", op, ramp(2, 3), [0, -2])


@family("roll")
def _roll():
    op = "aten::roll"
    for shift in (-4, -1, 0, 2, 3, 7):
        yield case(f"rows_{shift}", op, ramp(3, 2), [shift], [0], exact=True)
        yield case(f"flat_{shift}", op, ramp(3, 2), [shift], exact=True)
    yield case("both", op, ramp(3, 4), [1, -1], [0, 1], exact=True)
    yield case("twice", op, ramp(5), [1, 1], [0, 0], exact=True)
    yield case("transposed", op, ramp(3, 4).t(), [1], [1], exact=True)
    yield case("empty", op, ramp(0, 3), [1], [0], exact=True)
    yield case("refuses_counts", op, ramp(3, 4), [1, 2], [0])
    yield case("refuses_none", op, ramp(3, 4), [])
    yield case("refuses_dim", op, ramp(3, 4), [1], [2])
    yield case("refuses_0_dim", op, torch.tensor(1.0), [1], [0])


@family("view_as_real")
def _view_as_real():
    for dtype in ALL:
        for name in ("view_as_real", "real", "imag"):
            status = None if dtype.is_complex else "TENON_ERROR_NOT_SUPPORTED"
            if name != "real" or dtype.is_complex:
                args = f"{name}_{short(dtype)}", f"aten::{name}", sample(dtype)
                yield case(*args, exact=True, status=status)
    for dtype, (key, tensor) in itertools.product(COMPLEX, layouts().items()):
        for name in ("view_as_real", "real", "imag"):
            op = f"aten::{name}"
            yield case(f"{name}_{key}_{short(dtype)}", op, tensor.to(dtype), exact=True)
    op = "aten::view_as_complex"
    for dtype in (torch.float32, torch.float64, torch.int32):
        status = None if dtype.is_floating_point else "TENON_ERROR_NOT_SUPPORTED"
        args = f"complex_{short(dtype)}", op, ramp(3, 2, dtype=dtype)
        yield case(*args, exact=True, status=status)
    yield case("complex_permuted", op, ramp(4, 3, 2).transpose(0, 1), exact=True)
    yield case("complex_offset", op, ramp(4, 2)[1:], exact=True)
    yield case("complex_one", op, ramp(2), exact=True)
    yield case("complex_refuses_size", op, ramp(2, 3))
    yield case("complex_refuses_zero_dim", op, ramp())
    yield case("complex_refuses_stride", op, ramp(2, 3).t())
    yield case("complex_refuses_odd", op, ramp(3, 3)[:, :2])
    yield case("complex_refuses_offset", op, ramp(9)[1:3])


@family("sort")
def _sort():
    op, stable = "aten::sort", "aten::sort.stable"
    row = torch.tensor([3.0, NAN, -1.0, INF, 0.5, -INF])
    for descending in (False, True):
        yield case(f"specials_{descending}", op, row, 0, descending, exact=True)
        for dtype in BOOL + INTS + FLOATS:
            equals = torch.tensor([3, 1, 2, 1, 3, 0]).to(dtype)
            args = {"stable": True, "dim": 0, "descending": descending}
            yield case(f"dtype_{short(dtype)}_{descending}", stable, equals, **args, exact=True)
        for (key, tensor), dim in itertools.product(layouts().items(), (0, -1)):
            name = f"layout_{key}_{dim}_{descending}"
            args = {"stable": True, "dim": dim, "descending": descending}
            yield case(name, stable, tensor, **args, exact=True)
    yield case("default", op, torch.tensor([[2.0, 1.0], [3.0, 4.0]]), exact=True)
    yield case("three_dims", op, ramp(2, 3, 4, step=-1), 1, exact=True)
    yield case("zero_dim", op, ramp(start=3), exact=True)
    yield case("empty", op, ramp(0, 3), 1, exact=True)
    yield case("refuses_dim", op, ramp(2, 3), 2)
    yield case("refuses_complex", op, ramp(3).cfloat(), status="TENON_ERROR_NOT_SUPPORTED")
    values, indices = torch.zeros(2, 3), torch.zeros(0, dtype=torch.int64)
    args = ramp(2, 3, step=-1), 1
    yield case("out", "aten::sort.values", *args, values=values, indices=indices, exact=True)
    wrong = torch.zeros(2, 3, dtype=torch.int32)
    yield case("out_refuses", "aten::sort.values", *args, values=values, indices=wrong)
    last = "aten::argsort"
    yield case("argsort", last, torch.tensor([[3.0, 1.0, 2.0]]), exact=True)
    yield case("argsort_descending", last, torch.tensor([[3.0, 1.0, 2.0]]), 1, True, exact=True)
    yield case("argsort_stable", f"{last}.stable", ramp(3, step=-1), stable=True, exact=True)


@family("topk")
def _topk():
    op = "aten::topk"
    row = torch.tensor([3.0, NAN, -1.0, INF, 0.5, -INF])
    for largest in (False, True):
        for k in (0, 1, 4, 6):
            yield case(f"specials_{k}_{largest}", op, row, k, 0, largest, exact=True)
        for dtype in INTS + FLOATS:
            values = torch.tensor([3, 1, 7, 5, 2]).to(dtype)
            yield case(f"dtype_{short(dtype)}_{largest}", op, values, 3, 0, largest, exact=True)
    yield case("rows", op, torch.tensor([[2.0, 7.0, 1.0], [5.0, 4.0, 6.0]]), 2, exact=True)
    yield case("columns", op, torch.tensor([[2.0, 7.0, 1.0], [5.0, 4.0, 6.0]]), 1, 0, exact=True)
    yield case("transposed", op, torch.tensor([[2.0, 7.0], [5.0, 4.0]]).t(), 2, exact=True)
    yield case("zero_dim", op, ramp(start=3), 1, exact=True)
    yield case("refuses_many", op, ramp(3), 4)
    yield case("refuses_below", op, ramp(3), -1)
    yield case("refuses_dim", op, ramp(3), 1, 1)
    values, indices = torch.zeros(2), torch.zeros(2, dtype=torch.int64)
    yield case("out", "aten::topk.values", ramp(3), 2, values=values, indices=indices, exact=True)
