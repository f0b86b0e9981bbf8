# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that reduce elements to a truth value, product, count or minimum."""

import torch

from cases import ALL, BOOL, COMPLEX, FLOATS, INF, INTS, NAN, case, family, layouts, odd_shapes
from cases import outs, ramp, sample, short, small


def zeros_among(dtype):
    """Returns a row without zeros, one with some, and one with only zeros."""
    rows = torch.tensor([[1, 1, 2], [1, 0, 1], [0, 0, 0]])
    return rows.to(torch.float32).to(dtype)


def truth(name):
    op = f"aten::{name}"
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"all_{short(dtype)}", op, zeros_among(dtype), exact=True)
        yield case(f"rows_{short(dtype)}", f"{op}.dim", zeros_among(dtype), 1, exact=True)
        yield case(f"columns_{short(dtype)}", f"{op}.dim", zeros_among(dtype), 0, True, exact=True)
        yield case(f"dims_{short(dtype)}", f"{op}.dims", zeros_among(dtype), [0, 1], exact=True)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", op, tensor, exact=True)
        yield case(f"layout_{key}_first", f"{op}.dim", tensor, 0, exact=True)
        yield case(f"layout_{key}_last", f"{op}.dims", tensor, [-1], True, exact=True)
    yield case("no_dims_fold_none", f"{op}.dims", zeros_among(torch.float32), [], exact=True)
    yield case("none_folds_all", f"{op}.dims", zeros_among(torch.float32), None, exact=True)
    yield case("nan_is_true", op, torch.tensor([NAN]), exact=True)
    long = torch.zeros(1000)
    long[700] = -0.5
    yield case("long", op, long, exact=True)
    yield case("long_other", op, 1 - long.ne(0).float(), exact=True)
    yield case("refuses_dim", f"{op}.dim", ramp(2), 1)
    yield case("refuses_twice", f"{op}.dims", ramp(2, 2), [0, 0])
    into = torch.zeros(3, dtype=torch.bool)
    yield case("out", f"{op}.out", zeros_among(torch.int32), 1, out=into, exact=True)


@family("any")
def _any():
    yield from truth("any")


@family("all")
def _all():
    yield from truth("all")


@family("prod")
def _prod():
    op, along = "aten::prod", "aten::prod.dim_int"
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, small(dtype))
        yield case(f"rows_{short(dtype)}", along, sample(dtype, (2, 4)), 1)
        yield case(f"columns_{short(dtype)}", along, small(dtype).expand(3, 2), 0, True)
    for dtype, to in [
        (torch.int32, torch.int32),
        (torch.float32, torch.int8),
        (torch.int64, torch.float32),
        (torch.float16, torch.float64),
    ]:
        yield case(f"{short(dtype)}_as_{short(to)}", op, small(dtype), dtype=to)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", op, tensor)
        yield case(f"layout_{key}_first", along, tensor, 0)
        yield case(f"layout_{key}_last", along, tensor, -1, True)
    yield case("wraps", op, torch.tensor([2**62, 3, 5]), exact=True)
    yield case("refuses_dim", along, ramp(2), 1)
    for made in outs(f"{op}.int_out", [2], ramp(2, 3, start=1), 1):
        if made.name != "out_refuses_expanded":  # PyTorch writes several results to one address
            yield made


@family("amin")
def _amin():
    op = "aten::amin"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype, (2, 4)), [1], exact=True)
        yield case(f"columns_{short(dtype)}", op, sample(dtype, (4, 3)), [0], exact=True)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        if tensor.numel():
            yield case(f"layout_{key}", op, tensor, exact=True)
            yield case(f"layout_{key}_last", op, tensor, [-1], True, exact=True)
    row = torch.full((40,), 5.0)
    row[33], row[35] = NAN, -INF
    yield case("nan_wins", op, row, [0], exact=True)
    yield case("refuses_empty", op, ramp(0, 3), [0], status="TENON_ERROR_INDEX")


@family("argmin")
def _argmin():
    op = "aten::argmin"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype, (2, 4)), 1, exact=True)
        yield case(f"all_{short(dtype)}", op, sample(dtype, (3, 4)), exact=True)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        if tensor.numel():
            yield case(f"layout_{key}", op, tensor, exact=True)
            yield case(f"layout_{key}_keep", op, tensor, 0, True, exact=True)
    yield case("first_of_equals", op, torch.tensor([2.0, 1.0, 1.0, 3.0]), exact=True)
    yield case("first_nan", op, torch.tensor([1.0, NAN, -INF, NAN]), exact=True)
    yield case("refuses_empty", op, ramp(0, 3), 0)


@family("count_nonzero")
def _count_nonzero():
    op = "aten::count_nonzero"
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"all_{short(dtype)}", op, zeros_among(dtype), exact=True)
        yield case(f"rows_{short(dtype)}", op, zeros_among(dtype), 1, exact=True)
    yield case("dims", f"{op}.dim_IntList", zeros_among(torch.int32), [0, 1], exact=True)
    yield case("empty", op, ramp(0, 3), 0, exact=True)


@family("square")
def _square():
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", "aten::square", sample(dtype))
    yield case("in_place", "aten::square_", ramp(2, 3))
    yield from outs("aten::square.out", [2, 3], ramp(2, 3))


@family("isclose")
def _isclose():
    op = "aten::isclose"
    row = torch.tensor([1.0, NAN, INF, -INF, 1e8, 0.0])
    other = torch.tensor([1.00001, NAN, INF, INF, 1e8 + 8, 1e-9])
    for dtype in FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, row.to(dtype), other.to(dtype), exact=True)
        numbers = row.to(dtype), other.to(dtype), 0.1, 1.0, True
        yield case(f"nan_{short(dtype)}", op, *numbers, exact=True)
    for dtype in BOOL + INTS:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), sample(dtype, turn=1), exact=True)
        near = sample(dtype), sample(dtype, turn=1), 0.0, 5.0
        yield case(f"near_{short(dtype)}", op, *near, exact=True)
    yield case("broadcast", op, ramp(2, 3), ramp(3), exact=True)
    yield case("refuses_dtypes", op, ramp(2), ramp(2, dtype=torch.float64))
    yield case("refuses_rtol", op, ramp(2), ramp(2), -1.0)
    yield case("all_close", "aten::allclose", ramp(3), ramp(3), no_meta=True, exact=True)
    far = "aten::allclose", ramp(3), ramp(3, start=0.5)
    yield case("not_all_close", *far, no_meta=True, exact=True)


@family("flatten")
def _flatten():
    op = "aten::flatten.using_ints"
    tensor = ramp(2, 3, 4)
    for ends in [(), (1,), (0, 1), (-2, -1), (1, 1)]:
        yield case("_".join(["ends", *map(str, ends)]), op, tensor, *ends, exact=True)
    yield case("strided", op, tensor.transpose(0, 2), exact=True)
    yield case("zero_dim", op, ramp(), exact=True)
    yield case("refuses_order", op, tensor, 2, 1)
    yield case("refuses_dim", op, tensor, 0, 3)


@family("narrow")
def _narrow():
    op = "aten::narrow"
    for dim, start, length in [(0, 1, 2), (1, -2, 1), (-1, 0, 0), (0, 3, 0)]:
        name = f"dim_{dim}_start_{start}_length_{length}"
        yield case(name, op, ramp(3, 4), dim, start, length, exact=True)
    yield case("refuses_length", op, ramp(3), 0, 1, 3)
    yield case("refuses_negative", op, ramp(3), 0, 1, -1)
    yield case("refuses_start", op, ramp(3), 0, 4, 0)
    yield case("refuses_zero_dim", op, ramp(), 0, 0, 1)
