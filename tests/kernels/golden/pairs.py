# SPDX-License-Identifier: Apache-2.0
"""Calls of binary operators: on bits and truth values, and mathematical functions of two floats."""

import torch

from cases import ALL, FAMILIES, FLOATS, INF, INTS, NAN, Number, case, family, ramp, sample, short
from cases import layouts, odd_shapes, small
from pointwise import broadcasts, unary, written

MIXED = [
    (torch.bool, torch.int16),
    (torch.uint8, torch.int8),
    (torch.int32, torch.int64),
    (torch.int64, torch.float16),
    (torch.float16, torch.bfloat16),
    (torch.bfloat16, torch.float32),
    (torch.float32, torch.float64),
    (torch.float64, torch.complex64),
]


def pairs(name, exact=False, in_place=None, floats=True):
    """Yields calls in each dtype, with some pairs of dtypes, shapes and layouts."""
    op = f"aten::{name}"
    for dtype in ALL:
        # A NaN that is read back from text may be another one, and hypot treats signaling NaNs
        # differently.
        if name != "hypot" or dtype != torch.bfloat16:
            two = sample(dtype), sample(dtype, turn=1)
            yield case(f"dtype_{short(dtype)}", op, *two, exact=exact)
    for a, b in MIXED:
        pair = f"{short(a)}_{short(b)}"
        yield case(f"mixed_{pair}", op, small(a), small(b, 1), exact=exact)
        yield case(f"mixed_zero_dim_{pair}", op, small(a), small(b, 1)[1].clone(), exact=exact)
    if floats:
        yield from broadcasts(op, exact)
    if in_place:
        for made in written(f"aten::{in_place}", exact):
            if made.name != "in_place_number":  # these methods take tensors only
                yield made


for _name in ["atan2", "hypot"]:
    FAMILIES[_name] = (lambda n: lambda: pairs(n, in_place=f"{n}_"))(_name)
for _name in ["logical_and", "logical_or", "logical_xor"]:
    FAMILIES[_name] = (lambda n: lambda: pairs(n, exact=True, in_place=f"{n}_"))(_name)
for _name in ["fmax", "fmin"]:
    FAMILIES[_name] = (lambda n: lambda: pairs(n, exact=True))(_name)


@family("logaddexp")
def _logaddexp():
    yield from pairs("logaddexp")
    far = torch.tensor([INF, -INF, INF, 1.0], dtype=torch.complex64)
    yield case("complex_infinities", "aten::logaddexp", far, far)
    row = torch.tensor([INF, -INF, NAN, 90.0, -90.0, 1e30])
    for op in ("logaddexp", "logaddexp2"):
        yield case(f"{op}_far_apart", f"aten::{op}", row, row.flip(0))
        yield case(f"{op}_same", f"aten::{op}", row, row)
    for dtype in ALL:
        two = sample(dtype), sample(dtype, turn=1)
        yield case(f"base_2_{short(dtype)}", "aten::logaddexp2", *two)


def bits(name):
    op = f"aten::{name}"
    yield from pairs(f"{name}.Tensor", exact=True, floats=False)
    for key, tensor in layouts(torch.int32).items():
        yield case(f"layout_{key}", f"{op}.Tensor", tensor, ramp(3, dtype=torch.int32), exact=True)
    for dtype in [torch.bool, *INTS]:
        yield case(
            f"in_place_{short(dtype)}", f"{op}_.Tensor", sample(dtype), sample(dtype, turn=2)
        )
        yield case(f"number_{short(dtype)}", f"{op}.Scalar", sample(dtype), 6, exact=True)
        yield case(f"of_number_{short(dtype)}", f"{op}.Scalar_Tensor", 6, sample(dtype), exact=True)
        yield case(f"of_bool_{short(dtype)}", f"{op}.Scalar_Tensor", True, sample(dtype))
        yield case(f"wrapped_{short(dtype)}", f"{op}.Tensor", sample(dtype), Number(6), exact=True)
    yield case("number_refuses_float", f"{op}.Scalar", sample(torch.int32), 1.5)


for _name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
    FAMILIES[_name] = (lambda n: lambda: bits(n))(_name)


@family("fmod")
def _fmod():
    op = "aten::fmod.Tensor"
    for dtype in INTS + FLOATS:
        for turn in (0, 1):
            divisor = torch.tensor([3, 2, 7]).to(dtype)
            divisor = divisor if turn == 0 or dtype == torch.uint8 else -divisor
            yield case(f"dtype_{short(dtype)}_{turn}", op, sample(dtype), divisor, exact=True)
        yield case(f"number_{short(dtype)}", "aten::fmod.Scalar", sample(dtype), 3, exact=True)
    yield case("float_by_zero", op, ramp(3), torch.tensor(0.0), exact=True)
    yield case("refuses_bool", op, torch.tensor([True]), torch.tensor([True]))
    yield from broadcasts(op, exact=True)


@family("xlogy")
def _xlogy():
    yield from pairs("xlogy.Tensor", in_place="xlogy_.Tensor")
    row = torch.tensor([0.0, 0.0, 0.0, 2.0, NAN, INF])
    yield case("of_zero", "aten::xlogy.Tensor", row, torch.tensor([0.0, NAN, -1.0, 0.0, 1.0, 0.0]))
    yield case("number", "aten::xlogy.Scalar_Other", ramp(3), 2)
    yield case("of_number", "aten::xlogy.Scalar_Self", 2, ramp(3, start=1))


@family("signbit")
def _signbit():
    for made in unary("signbit", exact=True):
        if made.name != "dtype_bfloat16":  # PyTorch's bfloat16 NaN has an arbitrary sign
            yield made


@family("nan_to_num")
def _nan_to_num():
    op = "aten::nan_to_num"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), exact=True)
        yield case(f"given_{short(dtype)}", op, sample(dtype), 1.5, 2.5, -3.5, exact=True)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        if key != "size_one_dims":  # the stride of a dim of size 1 differs
            yield case(f"layout_{key}", op, tensor, exact=True)
    parts = torch.tensor([complex(NAN, INF), complex(-INF, 2), complex(1, NAN)])
    yield case("complex_parts", op, parts, exact=True)
    yield case("in_place", "aten::nan_to_num_", torch.tensor([NAN, 1, INF]), 5.0, exact=True)
