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
    # Far from 0, where a difference of squares would lose all digits.
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
    # An out with as many elements keeps its sizes and is filled row by row.
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
    # The sorted sequence and the values are compared in their promoted dtype.
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


@family("cdist")
def _cdist():
    forward, back = "aten::_cdist_forward", "aten::_cdist_backward"
    a, b = ramp(3, 2).remainder(5) * 0.75, ramp(4, 2, start=1, step=1.5).remainder(4)
    powers = (0.0, 1.0, 1.5, 2.0, 3.0, INF)
    for p in powers:
        for mode in (None, 2):
            yield case(f"{p}_{mode}", forward, a, b, p, mode)
        yield case(f"double_{p}", forward, a.double(), b.double(), p, None)
        yield case(f"self_{p}", forward, a, a, p, None)
        yield case(f"batch_{p}", forward, ramp(2, 1, 3, 2), b.expand(3, 4, 2), p, None)
        turned = ramp(2, 3).t(), ramp(4, 4)[:, ::2]
        yield case(f"strides_{p}", forward, *turned, p, None)
        yield case(f"own_{p}", "aten::cdist", a, b, p)
        into = {"out": torch.zeros(0)}
        yield case(f"out_{p}", f"{forward}.out", a, b, p, None, **into)
        grad, found = ramp(3, 4, start=1), torch.cdist(a, b, p)
        yield case(f"backward_{p}", back, grad, a, b, p, found)
        found = torch.cdist(a, a, p)
        grad = ramp(3, 3, start=1)
        yield case(f"backward_self_{p}", back, grad, a, a, p, found)
        yield case(f"backward_out_{p}", f"{back}.out", grad, a, a, p, found, **into)
        pairs, pairs_back = "aten::_pdist_forward", "aten::_pdist_backward"
        yield case(f"pairs_{p}", pairs, b, p)
        yield case(f"pairs_own_{p}", "aten::pdist", b, p)
        yield case(f"pairs_out_{p}", f"{pairs}.out", b.double(), p, out=torch.zeros(0).double())
        grad = ramp(6, start=1)
        args = grad, b, p, torch.pdist(b, p)
        yield case(f"pairs_backward_{p}", pairs_back, *args)
        yield case(f"pairs_backward_out_{p}", f"{pairs_back}.out", *args, out=torch.zeros(0))
    yield case("no_rows", forward, a, b[:0], 2.0, None)
    yield case("no_elements", forward, a[:, :0], b[:, :0], 2.0, None)
    yield case("no_pairs", "aten::_pdist_forward", b[:1], 2.0)
    yield case("many", "aten::cdist", ramp(40, 3).remainder(7), ramp(30, 3).remainder(5))
    yield case("refuses_power", forward, a, b, -1.0, None, status=INVALID)
    yield case("refuses_widths", forward, a, ramp(2, 3), 2.0, None, status=INVALID)
    yield case("refuses_vector", forward, a[0], b, 2.0, None, status=INVALID)
    yield case("refuses_mode", forward, a, b, 2.0, 5, status=INVALID)
    yield case("refuses_ints", forward, a.int(), b.int(), 2.0, None, status=UNSUPPORTED)
    yield case("pairs_refuse_ints", "aten::_pdist_forward", b.int(), 2.0, status=UNSUPPORTED)
    yield case("pairs_refuse_cube", "aten::pdist", ramp(2, 2, 2), status=INVALID)


@family("renorm")
def _renorm():
    op = "aten::renorm"
    for dtype in FLOATS + COMPLEX:
        x = ramp(3, 4, start=-5, step=0.75).to(dtype)
        for p in (1, 2, 2.5, INF):
            for dim in (0, -1):
                yield case(f"{short(dtype)}_{p}_{dim}", op, x, p, dim, 4.0)
    cube = ramp(2, 3, 2, start=-3)
    yield case("cube", op, cube, 2, 1, 3)
    yield case("turned", op, ramp(4, 3, start=-3).t(), 2, 0, 3)
    yield case("in_place", f"{op}_", ramp(3, 4, start=-5), 2, 0, 4.0)
    yield case("in_place_strided", f"{op}_", ramp(6, 8, start=-5)[::2, ::2], 2, 0, 4.0)
    yield case("out", f"{op}.out", cube, 1, 2, 3, out=torch.zeros(0))
    yield case("none", op, ramp(3, 4), 2, 0, 0)
    yield case("empty", op, ramp(3, 0), 2, 0, 1.0)
    for name, args in {
        "vector": (ramp(3), 2, 0, 1.0),
        "power": (cube, 0, 0, 1.0),
        "bound": (cube, 2, 0, -1.0),
    }.items():
        yield case(f"refuses_{name}", op, *args, status=INVALID)
    yield case("refuses_dim", op, cube, 2, 3, 1.0)
    yield case("refuses_ints", op, cube.int(), 2, 0, 1.0, status=UNSUPPORTED)
