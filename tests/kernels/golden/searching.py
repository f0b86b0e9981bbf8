# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that accumulate, rank and count elements, or compute norms of them."""

import torch

from cases import BOOL, FLOATS, INF, INTS, NAN, case, family, layouts, ramp, short
from every_form import every_form

MIXED = torch.tensor([[3.0, -1.0, 2.0, 2.0], [0.5, 4.0, -2.0, 0.0]])
WITH_NAN = torch.tensor([[3.0, NAN, 2.0, 2.0], [0.5, 4.0, -2.0, 0.0]])


@family("cummax")
def _cummax():
    for name in ("cummax", "cummin"):
        op = f"aten::{name}"
        yield from every_form(name, op, MIXED, 1, exact=True)
        yield case(f"{name}_nan", op, WITH_NAN, 1, exact=True)
        yield case(f"{name}_rows", op, MIXED, 0, exact=True)
        for dtype in BOOL + INTS + FLOATS:
            args = torch.tensor([1, 0, 3, 3, 2]).to(dtype), 0
            yield case(f"{name}_{short(dtype)}", op, *args, exact=True)
        yield case(f"{name}_zero_dim", op, ramp(start=2), 0, exact=True)
        yield case(f"{name}_refuses", op, MIXED, 2)


@family("cumprod")
def _cumprod():
    op = "aten::cumprod"
    yield from every_form("rows", op, MIXED, 1)
    for dim in (0, -1):
        for key, tensor in layouts().items():
            yield case(f"layout_{key}_{dim}", op, tensor, dim)
    for dtype in BOOL + INTS + FLOATS + [torch.complex64]:
        yield case(f"dtype_{short(dtype)}", op, ramp(4, start=1).to(dtype), 0)
    yield case("as_double", op, MIXED, 1, dtype=torch.float64)
    yield case("zero_dim", op, ramp(start=3), 0)
    yield case("refuses", op, MIXED, 2)


@family("logcumsumexp")
def _logcumsumexp():
    op = "aten::logcumsumexp"
    yield from every_form("rows", op, MIXED, 1)
    for dtype in FLOATS:
        yield case(f"dtype_{short(dtype)}", op, ramp(4).to(dtype), 0)
    yield case("specials", op, torch.tensor([-INF, -INF, 1.0, INF, 2.0]), 0)
    yield case("nan", op, torch.tensor([1.0, NAN, 2.0]), 0)
    yield case("large", op, torch.tensor([1000.0, 1001.0]), 0)


@family("order_statistics")
def _kthvalue():
    yield from every_form("second", "aten::kthvalue", MIXED, 2, 0, exact=True)
    yield case("keepdim", "aten::kthvalue", MIXED, 1, 0, True, exact=True)
    yield case("nan", "aten::kthvalue", WITH_NAN, 4, exact=True)
    yield case("refuses", "aten::kthvalue", MIXED, 5)
    apart = torch.tensor([[3.0, -1.0, 2.0, 1.0], [0.5, 4.0, -2.0, 0.0]])
    for name in ("median", "nanmedian"):
        yield from every_form(name, f"aten::{name}", MIXED, exact=True)
        yield from every_form(f"{name}_dim", f"aten::{name}.dim", apart, 1, exact=True)
        yield case(f"{name}_nan", f"aten::{name}", WITH_NAN, exact=True)
        yield case(f"{name}_ints", f"aten::{name}", MIXED.int(), exact=True)
        yield case(f"{name}_empty", f"aten::{name}", ramp(0), exact=True)
    nans = torch.tensor([[NAN, NAN], [NAN, 1.0]])
    yield case("median_nans", "aten::median.dim", nans, 1, True, exact=True)
    yield case("nanmedian_nans", "aten::nanmedian.dim", nans, 1, True, exact=True)
    yield from every_form(
        "mode", "aten::mode", torch.tensor([[2, 1, 1, 0], [3, 3, 2, 2]]), exact=True
    )
    yield case("mode_rows", "aten::mode", MIXED, 0, True, exact=True)


@family("aminmax")
def _aminmax():
    yield from every_form("all", "aten::aminmax", MIXED, exact=True)
    yield from every_form("rows", "aten::aminmax", MIXED, dim=1, keepdim=True, exact=True)
    yield case("nan", "aten::aminmax", WITH_NAN, dim=1, exact=True)
    yield case("refuses", "aten::aminmax", ramp(0))


@family("vector_norm")
def _vector_norm():
    op = "aten::linalg_vector_norm"
    for ord in (0, 1, 2, 3, 0.5, -1, INF, -INF):
        yield case(f"order_{ord}", op, MIXED, ord, [1])
        yield case(f"order_{ord}_nan", op, WITH_NAN, ord, [1])
    yield from every_form("all", op, MIXED)
    for key, tensor in layouts().items():
        yield case(f"layout_{key}", op, tensor, 2, [0], True)
    for dtype in FLOATS + [torch.complex64]:
        yield case(f"dtype_{short(dtype)}", op, ramp(40).to(dtype))
    yield case("as_double", op, MIXED, dtype=torch.float64)
    yield case("empty", op, ramp(0, 3), 2, [0])
    yield case("refuses_ints", op, MIXED.int())
    yield from every_form("norm", "aten::norm.Scalar", MIXED, 1)
    yield from every_form("norm_dtype", "aten::norm.ScalarOpt_dtype", MIXED, 2, dtype=torch.float64)
    yield from every_form("norm_dim", "aten::norm.ScalarOpt_dim", MIXED, 3, [1])
    args = MIXED, None, [1], True
    name = "aten::norm.ScalarOpt_dim_dtype"
    yield from every_form("norm_dim_dtype", name, *args, dtype=torch.float64)
    yield from every_form("dist", "aten::dist", MIXED, ramp(2, 4), 3)


@family("nansum")
def _nansum():
    for name in ("nansum", "nanmean"):
        yield from every_form(name, f"aten::{name}", WITH_NAN)
        yield from every_form(f"{name}_dim", f"aten::{name}", WITH_NAN, [1], True)
        yield case(f"{name}_double", f"aten::{name}", WITH_NAN, [0], dtype=torch.float64)
    yield case("ints", "aten::nansum", MIXED.int())
    yield case("refuses", "aten::nanmean", MIXED.int())


@family("unique")
def _unique():
    numbers = torch.tensor([[3, 1, 3], [2, 1, 1]])
    yield from every_form(
        "all", "aten::_unique2", numbers, True, True, True, exact=True, no_meta=True
    )
    yield case("alone", "aten::_unique2", MIXED, exact=True, no_meta=True)
    yield case("empty", "aten::_unique2", ramp(0), True, True, True, exact=True, no_meta=True)
    rows = torch.tensor([[2, 1], [1, 5], [2, 1], [1, 3]])
    yield from every_form(
        "rows", "aten::unique_dim", rows, 0, True, True, True, exact=True, no_meta=True
    )
    yield case(
        "columns", "aten::unique_dim", numbers, 1, True, True, True, exact=True, no_meta=True
    )
    runs = torch.tensor([1, 1, 2, 2, 3, 1, 1])
    yield from every_form(
        "runs", "aten::unique_consecutive", runs, True, True, exact=True, no_meta=True
    )
    yield case(
        "run_rows", "aten::unique_consecutive", rows, True, True, 0, exact=True, no_meta=True
    )


@family("histogram")
def _histogram():
    row, edges = torch.tensor([0.5, 1.0, 2.5, 4.0, 4.0]), torch.tensor([0.0, 1.0, 2.0, 4.0])
    yield from every_form("edges", "aten::histogram.bins_tensor", row, edges)
    yield from every_form("count", "aten::histogram.bin_ct", row, 4, no_meta=True)
    yield case("density", "aten::histogram.bins_tensor", row, edges, density=True)
    yield case("weights", "aten::histogram.bins_tensor", row, edges, weight=ramp(5))
    yield case("equal", "aten::histogram.bin_ct", torch.ones(3), 2, no_meta=True)
    yield case("refuses", "aten::histogram.bin_ct", row, 0)


@family("quantile")
def _quantile():
    shares = torch.tensor([0.0, 0.3, 1.0])
    for name in ("quantile", "nanquantile"):
        op = f"aten::{name}"
        yield from every_form(name, op, WITH_NAN, shares, 1)
        yield from every_form(f"{name}_number", f"{op}.scalar", WITH_NAN, 0.4, 1, True)
        for word in ("lower", "higher", "midpoint", "nearest"):
            yield case(f"{name}_{word}", op, MIXED, shares, 1, interpolation=word)
        yield case(f"{name}_all", op, MIXED, shares)
    yield case("refuses_share", "aten::quantile.scalar", MIXED, 1.5)
    yield case("refuses_word", "aten::quantile.scalar", MIXED, 0.5, interpolation="middle")


@family("msort")
def _msort():
    yield from every_form("rows", "aten::msort", MIXED, exact=True)
    yield case("nan", "aten::msort", WITH_NAN, exact=True)


@family("isin")
def _isin():
    numbers, few = torch.tensor([[1, 2], [3, 4]]), torch.tensor([4, 1])
    yield from every_form("few", "aten::isin.Tensor_Tensor", numbers, few, exact=True)
    yield case("many", "aten::isin.Tensor_Tensor", numbers, torch.arange(0, 99, 3), exact=True)
    yield case("not", "aten::isin.Tensor_Tensor", numbers, few, invert=True, exact=True)
    yield case("mixed", "aten::isin.Tensor_Tensor", MIXED, torch.arange(-3, 30), exact=True)
    yield from every_form("number", "aten::isin.Tensor_Scalar", numbers, 3, exact=True)
    yield from every_form("in", "aten::isin.Scalar_Tensor", 4, few, exact=True)


@family("diff")
def _diff():
    yield from every_form("once", "aten::diff", MIXED)
    yield case("twice", "aten::diff", MIXED, 2, 0)
    yield case("bools", "aten::diff", torch.tensor([True, False, False]))
    yield case("more", "aten::diff", MIXED, 1, 1, ramp(2, 1), ramp(2, 2))
    yield case("none", "aten::diff", MIXED, 9)
    yield case("refuses", "aten::diff", ramp())
    for name in ("trapezoid", "trapz", "cumulative_trapezoid"):
        yield case(f"{name}_dx", f"aten::{name}.dx", MIXED, dx=0.5)
        yield case(f"{name}_x", f"aten::{name}.x", MIXED, torch.tensor([0.0, 1.0, 3.0, 4.0]))
        yield case(f"{name}_rows", f"aten::{name}.x", MIXED, ramp(2, 4) ** 2, dim=0)


@family("cov")
def _cov():
    yield case("cov", "aten::cov", MIXED)
    yield case("vector", "aten::cov", MIXED[0])
    weights = {"fweights": torch.tensor([1, 2, 1, 3]), "aweights": ramp(4, start=0.5)}
    yield case("weights", "aten::cov", MIXED, correction=0, **weights)
    yield case("complex", "aten::cov", torch.complex(MIXED, MIXED.flip(1)))
    yield case("corrcoef", "aten::corrcoef", MIXED)
    yield case("corrcoef_complex", "aten::corrcoef", torch.complex(MIXED, MIXED.flip(1)))
    yield case("refuses", "aten::cov", ramp(1, 1, 1))
