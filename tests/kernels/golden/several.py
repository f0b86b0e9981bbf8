# SPDX-License-Identifier: Apache-2.0
"""Calls of pointwise operators of three tensors, and of those with two results."""

import itertools

import torch

from cases import (
    BOOL,
    COMPLEX,
    FLOAT8,
    FLOATS,
    INF,
    INTS,
    NAN,
    case,
    family,
    layouts,
    odd_shapes,
    ramp,
    sample,
    short,
    small,
)

REFUSED = "TENON_ERROR_NOT_SUPPORTED"


def ternary(op, dtypes):
    """Yields calls of a ternary operator without numbers: dtypes, layouts and broadcasts."""
    for dtype in dtypes:
        yield case(f"dtype_{short(dtype)}", op, small(dtype), small(dtype, 1), small(dtype))
        yield case(
            f"specials_{short(dtype)}", op, *(sample(dtype, (8,), turn) for turn in range(3))
        )
    shapes = [
        ((2, 3), (3,), (2, 1)),
        ((3,), (2, 1, 3), (1,)),
        ((), (2, 3), ()),
        ((0, 3), (3,), (1, 3)),
        ((5, 1, 4, 1), (3, 1, 2), (4, 2)),
    ]
    for a, b, c in shapes:
        name = "_".join("x".join(map(str, shape)) for shape in (a, b, c))
        yield case(f"broadcast_{name}", op, ramp(*a, start=1), ramp(*b, start=2), ramp(*c, start=3))
    rows = {"row_major": ramp(2, 3, start=1, step=0.5), **layouts()}
    for key, tensor in rows.items():
        yield case(f"layout_{key}", op, tensor, ramp(2, 3, start=1), ramp(2, 3, start=2))
        yield case(f"layout_{key}_third", op, ramp(2, 3, start=1), ramp(2, 3, start=2), tensor)
    for key, tensor in odd_shapes().items():
        yield case(f"layout_{key}", op, tensor, tensor + 1, tensor + 2)
    big = ramp(17, 20, step=0.25, start=0.5)
    turned = ramp(20, 17, step=0.5, start=0.25).t()
    yield case("turned_second", op, big, turned, big)
    yield case("turned_all", op, turned, turned, turned)
    yield case("refuses_sizes", op, ramp(2, 3), ramp(2, 4), ramp(3))


def written(in_place, out, *tail, **kwargs):
    """Yields an in-place call and one with `out`; `tail` follows the two tensors."""
    a, b = ramp(2, 3, start=1), ramp(2, 3, start=5)
    yield case("in_place", in_place, a.clone(), b, *tail, **kwargs)
    yield case("in_place_strided", in_place, ramp(4, 6)[::2, 1:4], b, *tail, **kwargs)
    yield case("in_place_refuses_growing", in_place, ramp(3), b, *tail, **kwargs)
    yield case("out", out, a, b, *tail, out=torch.zeros(2, 3), **kwargs)
    yield case("out_resized", out, a, b, *tail, out=torch.zeros(0), **kwargs)
    yield case("out_strided", out, a, b, *tail, out=torch.zeros(3, 2).t(), **kwargs)
    yield case("out_refuses_int", out, a, b, *tail, out=torch.zeros(2, 3, dtype=torch.int32))
    same = ramp(2, 3, start=1)
    yield case("out_is_self", out, same, b, *tail, out=same, **kwargs)


def mixed(op, **kwargs):
    """Yields calls in which two of three dtypes are equal, with and without dims."""
    for a, b in itertools.permutations([torch.int32, torch.float16, torch.float64, COMPLEX[0]], 2):
        for place in range(3):
            tensors = [small(a), small(a, 1), small(a)]
            tensors[place] = small(b, 1)
            name = f"mixed_{short(a)}_{short(b)}_{place}"
            yield case(name, op, *tensors, **kwargs)
            tensors[place] = tensors[place][0].clone()
            yield case(f"{name}_zero_dim", op, *tensors, **kwargs)


def values(op, dtypes):
    for dtype in dtypes:
        for label, value in [("bool", True), ("int", 3), ("float", 0.5), ("complex", 1 + 1j)]:
            row = small(dtype), small(dtype, 1), small(dtype)
            yield case(f"value_{label}_{short(dtype)}", op, *row, value=value)
    wide = torch.tensor([0.001, 2.0], dtype=torch.float16)
    yield case("value_keeps_digits", op, wide, wide, wide, value=100.3)
    yield case("value_beyond_float16", op, wide, wide, wide, value=1e5)


@family("addcmul")
def _addcmul():
    op = "aten::addcmul"
    yield from ternary(op, BOOL + INTS + FLOATS + COMPLEX + FLOAT8)
    yield from mixed(op)
    yield from values(op, INTS + FLOATS + COMPLEX)
    row = small(torch.uint8)
    yield case("value_refuses_overflow", op, row, row, row, value=300, no_meta=True)
    yield from written("aten::addcmul_", "aten::addcmul.out", ramp(3, start=1), value=2)


@family("addcdiv")
def _addcdiv():
    op = "aten::addcdiv"
    yield from ternary(op, FLOATS + COMPLEX + FLOAT8)
    for dtype in BOOL + INTS:
        row = small(dtype), small(dtype), torch.ones(2, dtype=dtype)
        yield case(f"refuses_{short(dtype)}", op, *row, status=REFUSED)
    floats, ints = ramp(3, start=1), torch.tensor([1, 2, 3])
    yield case("refuses_quotient_of_ints", op, floats, ints, ints, status=REFUSED)
    yield case("int_self", op, ints, floats, ints)
    yield case("int_tensor1", op, floats, ints, floats)
    yield case("int_tensor2", op, floats, floats, ints)
    yield from values(op, FLOATS + COMPLEX)
    yield from written("aten::addcdiv_", "aten::addcdiv.out", ramp(3, start=1), value=2)


@family("lerp")
def _lerp():
    op = "aten::lerp.Tensor"
    yield from ternary(op, FLOATS + COMPLEX + FLOAT8)
    for dtype in BOOL + INTS:
        yield case(f"refuses_{short(dtype)}", op, small(dtype), small(dtype), small(dtype))
    row, end = ramp(5, start=-2), ramp(5, start=7)
    for dtype in FLOATS + COMPLEX:
        weights = torch.tensor([0, 0.25, 0.5, 1, -3], dtype=torch.float64).to(dtype)
        yield case(f"weights_{short(dtype)}", op, row.to(dtype), end.to(dtype), weights)
        yield case(f"weight_{short(dtype)}_zero_dim", op, row, end, weights[1].clone())
        yield case(f"scalar_{short(dtype)}", "aten::lerp.Scalar", row.to(dtype), end.to(dtype), 0.3)
    yield case("weight_int_zero_dim", op, row, end, torch.tensor(2))
    yield case("refuses_end", op, row, end.double(), row)
    yield case("refuses_weight", op, row, end, row.double())
    yield case("refuses_weight_of_one", op, row, end, torch.ones(1, dtype=torch.float64))
    yield case("scalar_refuses_end", "aten::lerp.Scalar", row, end.double(), 0.5)
    yield case("scalar_int", "aten::lerp.Scalar", row, end, 2)
    yield case("scalar_bool", "aten::lerp.Scalar", row, end, True)
    yield case("scalar_complex", "aten::lerp.Scalar", row.cfloat(), end.cfloat(), 0.25j)
    yield case("scalar_far_complex", "aten::lerp.Scalar", row.cfloat(), end.cfloat(), 2j)
    yield case("scalar_beyond_float16", "aten::lerp.Scalar", row.half(), row.half(), 1e5)
    yield case("scalar_refuses_complex", "aten::lerp.Scalar", row, end, 1j)
    yield case("scalar_broadcast", "aten::lerp.Scalar", ramp(2, 1), ramp(3), 0.5)
    yield case("scalar_in_place", "aten::lerp_.Scalar", ramp(3), ramp(3, start=4), 0.75)
    yield case(
        "scalar_out", "aten::lerp.Scalar_out", ramp(3), ramp(3, start=4), 0.75, out=torch.zeros(0)
    )
    yield case(
        "in_place_refuses_complex", "aten::lerp_.Tensor", ramp(2), ramp(2), torch.tensor(0.5j)
    )
    yield from written("aten::lerp_.Tensor", "aten::lerp.Tensor_out", ramp(3, step=0.25))


@family("frexp")
def _frexp():
    op = "aten::frexp.Tensor"
    extremes = [0.0, -0.0, 1, -3.5, INF, -INF, NAN, 1e-45, 6e-8, 1e-310, 3e38, 0.5, -0.4999]
    for dtype in FLOATS:
        row = torch.tensor(extremes, dtype=torch.float64).to(dtype)
        yield case(f"extremes_{short(dtype)}", op, row, exact=True)
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), exact=True)
    for dtype in BOOL + INTS + COMPLEX:
        yield case(f"refuses_{short(dtype)}", op, small(dtype), status=REFUSED)
    for dtype in FLOAT8:
        yield case(f"refuses_{short(dtype)}", op, small(dtype))
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", op, tensor, exact=True)
    out = "aten::frexp.Tensor_out"
    row = ramp(2, 3, start=-1.5)
    mantissa, exponent = torch.zeros(2, 3), torch.zeros(2, 3, dtype=torch.int32)
    pairs = {
        "": (mantissa, exponent),
        "_resized": (torch.zeros(0), torch.zeros(4, 5, dtype=torch.int32)),
        "_turned": (torch.zeros(3, 2).t(), exponent),
        "_turned_exponent": (mantissa, torch.zeros(3, 2, dtype=torch.int32).t()),
        "_strided": (torch.zeros(4, 6)[::2, ::2], torch.zeros(2, 3, 2, dtype=torch.int32)[..., 1]),
        "_refuses_double": (mantissa.double(), exponent),
        "_refuses_long": (mantissa, exponent.long()),
        "_refuses_expanded": (mantissa, torch.zeros(3, dtype=torch.int32).expand(2, 3)),
    }
    for name, (first, second) in pairs.items():
        yield case(f"out{name}", out, row, mantissa=first, exponent=second, exact=True)
    yield case("out_is_self", out, row, mantissa=row, exponent=exponent, exact=True)
    half = ramp(6, dtype=torch.float16, start=0.75)
    yield case(
        "out_half",
        out,
        half,
        mantissa=torch.zeros(0, dtype=torch.float16),
        exponent=torch.zeros(0, dtype=torch.int32),
        exact=True,
    )
