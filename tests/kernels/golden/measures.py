# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that measure elements, place them, or make them by a rule."""

import itertools

import torch

from cases import BOOL, COMPLEX, FLOATS, INF, INTS, NAN, case, family, layouts, ramp, sample, short

UNSUPPORTED = "TENON_ERROR_NOT_SUPPORTED"
INVALID = "TENON_ERROR_INVALID_ARGUMENT"


@family("var")
def _var():
    for name, dim, correction in itertools.product(
        ("var", "std"), (None, [0], [1], [0, 1], [-1]), (None, 0, 1, 2.5)
    ):
        for key, tensor in layouts().items():
            op = f"aten::{name}.correction"
            args = f"{name}_{key}_{dim}_{correction}".replace(" ", ""), op, tensor, dim
            yield case(*args, correction=correction)
    for name, dtype in itertools.product(("var", "std"), FLOATS + COMPLEX):
        tensor = ramp(3, 4, start=-5, step=0.75).to(dtype)
        yield case(f"{name}_{short(dtype)}", f"aten::{name}.correction", tensor, [1], keepdim=True)
    # Far from 0, where a difference of squares would have no digits left.
    far = (ramp(64) % 3 + 100000).reshape(8, 8)
    for dim in (None, [0], [1]):
        yield case(f"far_{dim}", "aten::var.correction", far, dim)
    row = torch.tensor([[1.0, INF, 2.0], [NAN, 1.0, 2.0], [3.0, 3.0, 3.0]])
    yield case("specials", "aten::var.correction", row, [1])
    yield case("one", "aten::var.correction", ramp(1), None)
    yield case("none", "aten::std.correction", ramp(0), None)
    for name in ("var", "std"):
        yield case(f"{name}_biased", f"aten::{name}", ramp(2, 3), False)
        yield case(f"{name}_dim", f"aten::{name}.dim", ramp(2, 3), [1], True, True)
        for made in ("", ".dim", ".correction"):
            args = {"": (), ".dim": ([0],), ".correction": ([0],)}[made]
            both = f"aten::{name}_mean{made}"
            yield case(f"{name}_mean{made}".replace(".", "_"), both, ramp(2, 3), *args)
        for dtype in BOOL + INTS:
            args = f"{name}_refuses_{short(dtype)}", f"aten::{name}.correction", sample(dtype)
            yield case(*args, status=UNSUPPORTED)


@family("logsumexp")
def _logsumexp():
    op = "aten::logsumexp"
    for key, tensor in layouts().items():
        yield case(f"layout_{key}", op, tensor, [0])
        yield case(f"layout_{key}_all", op, tensor, list(range(tensor.dim())), True)
    for dtype in INTS + FLOATS:
        yield case(f"dtype_{short(dtype)}", op, ramp(2, 3).to(dtype), [1])
    rows = [[1000.0, 1000.0], [-INF, -INF], [INF, 1.0], [NAN, 1.0], [-1000.0, -1000.0]]
    yield case("specials", op, torch.tensor(rows), [1])
    yield case("empty", op, ramp(0, 3), [0])


@family("linspace")
def _linspace():
    op = "aten::linspace"
    for dtype in INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, 0, 10, 7, dtype=dtype)
    for steps in (0, 1, 2, 5):
        yield case(f"steps_{steps}", op, 3.5, -2, steps)
        yield case(f"logspace_{steps}", "aten::logspace", -1, 2, steps)
    yield case("complex", op, 1j, 2, 3)
    yield case("base", "aten::logspace", 0, 3, 4, 2.0)
    yield case(
        "tensors", f"{op}.Tensor_Tensor", torch.tensor(0.0), torch.tensor(1), 3, no_meta=True
    )
    yield case("refuses_steps", op, 0, 1, -1)
    out = torch.zeros(5, dtype=torch.float64)
    yield case("out", "aten::linspace.out", 0, 1, 5, out=out)
    yield case("out_resized", "aten::linspace.out", 0, 1, 5, out=torch.zeros(0))
    # An out of so many elements keeps its sizes, and is filled row by row.
    yield case("out_of_rows", "aten::linspace.out", 0, 5, 6, out=torch.zeros(2, 3))
    yield case("out_of_columns", "aten::linspace.out", 0, 5, 6, out=torch.zeros(3, 2).t())
    yield case(
        "out_too_narrow", "aten::linspace.out", 0, 300.0, 3, out=torch.zeros(3).byte(), no_meta=True
    )
    yield case("logspace_out", "aten::logspace.out", 0, 3, 4, out=torch.zeros(2, 2).double())


@family("random")
def _random():
    def source():
        return torch.Generator().manual_seed(7)

    for dtype in BOOL + INTS + FLOATS:
        whole = torch.zeros(5, dtype=dtype)
        name = short(dtype)
        yield case(f"all_{name}", "aten::random_", whole, generator=source(), exact=True)
        args = f"to_{name}", "aten::random_.to", whole, 2
        yield case(*args, generator=source(), exact=True)
    wide = torch.zeros(5, dtype=torch.int64)
    for low, high in ((-3, 4), (-(2**62), 2**62), (0, 2**28), (5, 2**28 + 4), (-9, None)):
        args = f"from_{low}_{high}", "aten::random_.from", wide, low, high
        yield case(*args, generator=source(), exact=True)
    turned = torch.zeros(2, 3).t()
    yield case("turned", "aten::random_.to", turned, 90, generator=source(), exact=True)
    op = "aten::randint"
    yield case("randint", f"{op}.generator", 9, [2, 3], generator=source(), exact=True)
    args = "randint_low", f"{op}.low_generator", -9, 9, [4]
    yield case(*args, generator=source(), dtype=torch.float32, exact=True)
    yield case("refuses_none", "aten::random_.from", wide, 3, 3)
    small = torch.zeros(2, dtype=torch.uint8)
    yield case("refuses_large", "aten::random_.from", small, 0, 257)
    yield case("refuses_small", "aten::random_.from", small, -1, 3)


@family("searchsorted")
def _searchsorted():
    op = "aten::searchsorted.Tensor"
    row = torch.tensor([1.0, 3.0, 3.0, 7.0])
    values = torch.tensor([[0.0, 3.0], [NAN, 9.0], [-INF, INF]])
    for right in (False, True):
        yield case(f"row_{right}", op, row, values, right=right, exact=True)
        yield case(f"int_{right}", op, row, values, out_int32=True, right=right, exact=True)
        lines = torch.tensor([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]])
        each = torch.tensor([[3.0, 0.0], [4.0, 7.0]])
        yield case(f"lines_{right}", op, lines, each, right=right, exact=True)
        yield case(f"lines_turned_{right}", op, lines, each.t(), right=right, exact=True)
        for dtype in INTS + FLOATS:
            args = row.to(dtype), torch.tensor([0, 3, 8]).to(dtype)
            yield case(f"dtype_{short(dtype)}_{right}", op, *args, right=right, exact=True)
    yield case("side", op, row, values, side="right", exact=True)
    order = torch.tensor([2, 0, 1])
    args = torch.tensor([3.0, 5.0, 1.0]), torch.tensor([2.0, 6.0])
    yield case("sorter", op, *args, sorter=order, exact=True)
    yield case("empty", op, ramp(0), values, exact=True)
    yield case("number", "aten::searchsorted.Scalar", row, 3.0, exact=True)
    # What is searched and what is looked for are compared in the dtype that both promote to.
    whole = torch.tensor([1, 3, 3, 7])
    yield case("whole_in_floats", op, row, torch.tensor([2, 3, 8]), exact=True)
    yield case("floats_in_whole", op, whole, torch.tensor([2.5, 3.0, 8.5]), exact=True)
    yield case(
        "lines_in_doubles", op, lines.to(torch.float64), each.t().to(torch.int32), exact=True
    )
    yield case("number_between", "aten::searchsorted.Scalar", whole, 3.5, exact=True)
    yield case("buckets_number_between", "aten::bucketize.Scalar", 0.5, whole, exact=True)
    yield case("buckets", "aten::bucketize.Tensor", values, row, exact=True)
    yield case("buckets_number", "aten::bucketize.Scalar", 4.0, row, exact=True)
    yield case("refuses_sizes", op, torch.zeros(2, 3), torch.zeros(3, 3), status=INVALID)
    yield case("refuses_side", op, row, values, side="middle")
    yield case("refuses_both", op, row, values, side="left", right=True)


@family("bincount")
def _bincount():
    op, parts = "aten::bincount", "aten::histc"
    numbers = torch.tensor([1, 0, 3, 1])
    for dtype in INTS:
        yield case(f"dtype_{short(dtype)}", op, numbers.to(dtype), exact=True, no_meta=True)
    for dtype in (torch.float32, torch.float64, torch.int32):
        weights = torch.tensor([0.5, 1, 2, 3]).to(dtype)
        yield case(f"weights_{short(dtype)}", op, numbers, weights, exact=True, no_meta=True)
    yield case("length", op, numbers, None, 7, exact=True, no_meta=True)
    yield case("none", op, torch.zeros(0, dtype=torch.int64), None, 2, exact=True, no_meta=True)
    yield case("refuses_below", op, torch.tensor([1, -1]), no_meta=True)
    yield case("refuses_floats", op, ramp(3), no_meta=True, status=INVALID)
    yield case("refuses_weights", op, numbers, ramp(3), no_meta=True, status=INVALID)
    row = torch.tensor([0.0, 0.25, 0.5, 1.0, 2.0, -1.0, 0.9])
    for low, high in ((0, 0), (0, 1), (-1, 4)):
        yield case(f"histc_{low}_{high}", parts, row, 4, low, high, exact=True, no_meta=True)
    yield case("histc_double", parts, row.double(), 3, 0, 1, exact=True, no_meta=True)
    yield case("histc_same", parts, torch.ones(3), 2, exact=True, no_meta=True)
    yield case("histc_refuses", parts, row, 0, no_meta=True)
