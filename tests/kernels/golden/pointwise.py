# SPDX-License-Identifier: Apache-2.0
"""Calls of the pointwise operators."""

import itertools

import torch

from cases import (
    ALL,
    BOOL,
    COMPLEX,
    FLOAT8,
    FLOATS,
    INF,
    INTS,
    NAN,
    FAMILIES,
    Number,
    case,
    family,
    layouts,
    odd_shapes,
    ramp,
    sample,
    short,
    small,
)


# ---- pointwise, one tensor ---------------------------------------------------------------------
def unary(name, safe=False, exact=False):
    op = f"aten::{name}"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), exact=exact)
        if dtype.is_floating_point and dtype not in FLOAT8:
            dense = torch.linspace(-4 if not safe else 0.01, 6, 23, dtype=torch.float64).to(dtype)
            yield case(f"range_{short(dtype)}", op, dense, exact=exact)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(
            f"layout_{key}", op, tensor.abs() if safe and key == "empty" else tensor, exact=exact
        )


for _name, _safe, _exact in [
    ("ceil", False, True),
    ("floor", False, True),
    ("neg", False, True),
    ("reciprocal", False, False),
    ("trunc", False, True),
    ("exp", False, False),
    ("log", True, False),
    ("sqrt", True, False),
    ("sin", False, False),
    ("cos", False, False),
    ("tanh", False, False),
    ("sigmoid", False, False),
    ("relu", False, True),
    *((name, False, False) for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh")),
    *((name, False, False) for name in ("cosh", "erf", "erfc", "exp2", "expm1", "sinh", "tan")),
    *((name, True, False) for name in ("log10", "log1p", "log2", "rsqrt")),
    *((name, False, True) for name in ("bitwise_not", "frac", "isfinite", "isinf", "isnan")),
    ("logical_not", False, True),
]:
    FAMILIES[_name] = (lambda n, s, e: lambda: unary(n, s, e))(_name, _safe, _exact)


@family("abs")
def _abs():
    yield from unary("abs", exact=True)
    for key, tensor in {**layouts(torch.complex64), **odd_shapes(torch.complex64)}.items():
        yield case(f"complex_{key}", "aten::abs", tensor)
    for shape, dims in [((1, 3, 1), (2, 1, 0)), ((2, 1, 3), (1, 0, 2)), ((2, 0, 3), (2, 0, 1))]:
        tensor = ramp(*shape, dtype=torch.complex128).permute(dims)
        yield case(f"complex_odd_{'x'.join(map(str, tensor.shape))}", "aten::abs", tensor)


# ---- pointwise, two tensors --------------------------------------------------------------------
def promotions(op, dtypes, exact, **kwargs):
    """Yields calls for all pairs of dtypes: tensors with dims, 0-dim tensors and Python numbers."""
    for a, b in itertools.product(dtypes, dtypes):
        pair = f"{short(a)}_{short(b)}"
        if a != b:
            left, right = small(a), small(b, 1)
            yield case(f"promote_{pair}", op, left, right, exact=exact, **kwargs)
            yield case(
                f"promote_zero_dim_{pair}", op, left, right[1].clone(), exact=exact, **kwargs
            )
    # The Python functions maximum and minimum take tensors only, and wrap no numbers.
    for a in [] if op in ("aten::maximum", "aten::minimum") else dtypes:
        for label, number in [("bool", True), ("int", 3), ("float", 2.5), ("complex", 1 + 2j)]:
            yield case(
                f"promote_{short(a)}_number_{label}",
                op,
                small(a),
                Number(number),
                exact=exact,
                **kwargs,
            )
            yield case(
                f"promote_zero_dim_{short(a)}_number_{label}",
                op,
                small(a)[0].clone(),
                Number(number),
                exact=exact,
                **kwargs,
            )


def broadcasts(op, exact):
    shapes = [
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((3,), (2, 1, 3)),
        ((2, 3), ()),
        ((), (2, 3)),
        ((), ()),
        ((0, 3), (3,)),
        ((0, 3), (1, 3)),
        ((1, 0), (4, 1)),
        ((2, 3), (1, 1, 1)),
        ((5, 1, 4, 1), (3, 1, 2)),
    ]
    for a, b in shapes:
        name = "x".join(map(str, a)) + "_with_" + "x".join(map(str, b))
        yield case(
            f"broadcast_{name}", op, ramp(*a, start=1, step=0.5), ramp(*b, start=2), exact=exact
        )
    for key, tensor in layouts().items():
        yield case(f"layout_{key}_row_major", op, tensor, ramp(2, 3, start=1), exact=exact)
        if key != "row_major":
            yield case(f"layout_row_major_{key}", op, ramp(2, 3, start=1), tensor, exact=exact)
        yield case(f"layout_{key}_twice", op, tensor, tensor, exact=exact)
        yield case(
            f"layout_{key}_float64",
            op,
            ramp(2, 3, start=1, dtype=torch.float64),
            tensor,
            exact=exact,
        )
    for key, tensor in odd_shapes().items():
        yield case(f"layout_{key}", op, tensor, tensor.clone(), exact=exact)
    yield case("refuses_sizes", op, ramp(2, 3), ramp(2, 4))
    yield case("refuses_sizes_of_dims", op, ramp(2, 3), ramp(3, 2))


def binary(name, dtypes=ALL, exact=False, in_place=None, out=None, promote=True):
    op = f"aten::{name}"
    for dtype in dtypes:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), sample(dtype, turn=1), exact=exact)
        yield case(f"self_{short(dtype)}", op, sample(dtype), sample(dtype), exact=exact)
    yield from broadcasts(op, exact)
    if promote:
        yield from promotions(op, BOOL + INTS + FLOATS + COMPLEX, exact)
    if in_place:
        yield from written(f"aten::{in_place}", exact)
    if out:
        yield from outs(f"aten::{out}", exact)


def written(op, exact):
    yield case("in_place", op, ramp(2, 3), ramp(2, 3, start=5), exact=exact)
    yield case("in_place_broadcast", op, ramp(2, 3), ramp(3, start=5), exact=exact)
    yield case("in_place_strided", op, ramp(4, 6)[::2, 1:4], ramp(2, 3, start=5), exact=exact)
    yield case(
        "in_place_casts_other", op, ramp(2, 3), ramp(2, 3, start=5, dtype=torch.int64), exact=exact
    )
    yield case(
        "in_place_keeps_dtype",
        op,
        ramp(2, 3, dtype=torch.float16),
        ramp(2, 3, start=5, dtype=torch.float64),
        exact=exact,
    )
    yield case("in_place_number", op, ramp(2, 3), Number(2), exact=exact)
    yield case(
        "in_place_refuses_float_into_int", op, ramp(2, 3, dtype=torch.int32), ramp(2, 3, start=0.5)
    )
    yield case("in_place_refuses_growing", op, ramp(3), ramp(2, 3))
    yield case("in_place_refuses_expanded", op, ramp(3).expand(2, 3), ramp(2, 3))
    whole = ramp(6)
    yield case("in_place_refuses_partial_overlap", op, whole[1:], whole[:-1], no_meta=True)
    same = ramp(2, 3, start=1)
    yield case("in_place_same_tensor", op, same, same, exact=exact)
    square = ramp(3, 3)
    yield case("in_place_refuses_own_transpose", op, square, square.t(), no_meta=True)


def outs(op, exact):
    a, b = ramp(2, 3), ramp(2, 3, start=5)
    yield case("out", op, a, b, out=torch.zeros(2, 3), exact=exact)
    yield case("out_resized", op, a, b, out=torch.zeros(0), exact=exact)
    yield case("out_shrinks", op, a, b, out=torch.zeros(4, 4), exact=exact)
    yield case("out_strided", op, a, b, out=torch.zeros(3, 2).t(), exact=exact)
    yield case("out_float64", op, a, b, out=torch.zeros(2, 3, dtype=torch.float64), exact=exact)
    yield case("out_complex64", op, a, b, out=torch.zeros(2, 3, dtype=torch.complex64), exact=exact)
    yield case(
        "out_transposed_inputs_resized",
        op,
        ramp(3, 2).t(),
        ramp(3, 2, start=3).t(),
        out=torch.zeros(0),
        exact=exact,
    )
    yield case("out_refuses_int", op, a, b, out=torch.zeros(2, 3, dtype=torch.int64))
    yield case("out_refuses_bool", op, a, b, out=torch.zeros(2, 3, dtype=torch.bool))
    yield case("out_refuses_expanded", op, a, b, out=torch.zeros(3).expand(2, 3))
    yield case("out_is_self", op, a, b, out=a, exact=exact)
    shared = torch.zeros(8)
    yield case(
        "out_refuses_partial_overlap", op, shared[1:7], ramp(6), out=shared[:6], no_meta=True
    )


def alphas(op, sub=False):
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        if sub and dtype == torch.bool:
            continue
        for label, alpha in [("bool", True), ("int", 2), ("float", 0.5), ("complex", 1 + 1j)]:
            yield case(
                f"alpha_{label}_{short(dtype)}", op, small(dtype), small(dtype, 1), alpha=alpha
            )
    yield case(
        "alpha_refuses_overflow",
        op,
        small(torch.uint8),
        small(torch.uint8),
        alpha=300,
        no_meta=True,
    )
    yield case("alpha_zero", op, small(torch.float32), sample(torch.float32, (2,)), alpha=0)


@family("add")
def _add():
    yield from binary("add.Tensor", in_place="add_.Tensor", out="add.out")
    yield from alphas("aten::add.Tensor")
    yield case("scalar_int", "aten::add.Scalar", ramp(2, 3), 2)
    yield case("scalar_alpha", "aten::add.Scalar", ramp(2, 3), 2, 3)
    yield case("scalar_float_on_int", "aten::add.Scalar", ramp(3, dtype=torch.int32), 0.5)
    yield case("scalar_wraps", "aten::add.Scalar", small(torch.uint8), 300)


@family("sub")
def _sub():
    yield from binary("sub.Tensor", in_place="sub_.Tensor", out="sub.out")
    yield from alphas("aten::sub.Tensor", sub=True)
    yield case("scalar_int", "aten::sub.Scalar", ramp(2, 3), 2)
    yield case("scalar_alpha", "aten::sub.Scalar", ramp(2, 3), 2, 3)


def scalings(name):
    """Yields calls with small floats and one number, which keeps float32 precision."""
    for dtype in [torch.float16, torch.bfloat16]:
        row = ramp(40, dtype=dtype, start=-999.0, step=48.75)
        wide, same = torch.tensor(0.3), torch.tensor(0.3, dtype=dtype)
        end = short(dtype)
        yield case(f"number_{end}", f"aten::{name}.Scalar", row, 0.3, exact=True)
        yield case(f"number_wide_{end}", f"aten::{name}.Tensor", row, wide, exact=True)
        yield case(f"number_same_{end}", f"aten::{name}.Tensor", row, same, exact=True)
        yield case(f"number_left_{end}", f"aten::{name}.Tensor", wide, row, exact=True)
        yield case(f"number_strided_{end}", f"aten::{name}.Scalar", row[::3], 0.3, exact=True)
        yield case(f"number_in_place_{end}", f"aten::{name}_.Tensor", row.clone(), wide, exact=True)
        out = torch.zeros(40)
        yield case(f"number_out_{end}", f"aten::{name}.out", row, wide, out=out, exact=True)


@family("mul")
def _mul():
    yield from binary("mul.Tensor", in_place="mul_.Tensor", out="mul.out")
    yield case("scalar_float_on_int", "aten::mul.Scalar", ramp(3, dtype=torch.int64), 2.5)
    yield case("scalar_complex", "aten::mul.Scalar", ramp(3), 1 + 2j)
    yield case("scalar_bool", "aten::mul.Scalar", ramp(3), True)
    yield from scalings("mul")


@family("div")
def _div():
    yield from binary("div.Tensor", in_place="div_.Tensor", out="div.out")
    yield case("scalar", "aten::div.Scalar", ramp(3, dtype=torch.int64), 2)
    yield from scalings("div")
    op = "aten::div.Tensor_mode"
    for mode in ["floor", "trunc", None]:
        for dtype in ALL:
            yield case(f"mode_{mode}_{short(dtype)}", op, *_quotients(dtype), rounding_mode=mode)
        for dtype in INTS:
            divisor = torch.tensor([2, 1], dtype=dtype)
            divisor[1] = 0
            yield case(
                f"mode_{mode}_zero_{short(dtype)}",
                op,
                small(dtype),
                divisor,
                rounding_mode=mode,
                no_meta=mode is not None,
            )
        yield case(
            f"mode_{mode}_specials",
            op,
            sample(torch.float32, (8,)),
            sample(torch.float32, (8,), 3),
            rounding_mode=mode,
        )
        yield case(
            f"mode_{mode}_mixed",
            op,
            ramp(4, dtype=torch.int32),
            ramp(4, start=0.75),
            rounding_mode=mode,
        )
        yield case(
            f"mode_{mode}_scalar",
            "aten::div.Scalar_mode",
            ramp(5, start=-2),
            1.5,
            rounding_mode=mode,
        )
    # Half-width quotients are rounded before truncation; division by one number is in float32.
    for mode, dtype in itertools.product(["floor", "trunc"], [torch.float16, torch.bfloat16]):
        row = ramp(40, dtype=dtype, start=-999.0, step=48.75)
        by = ramp(40, dtype=dtype, start=0.0625, step=0.28125)
        kwargs = {"rounding_mode": mode, "exact": True}
        name = f"mode_{mode}_rounds_{short(dtype)}"
        yield case(name, op, row, by, **kwargs)
        yield case(f"{name}_strided", op, row[::2], by[1::2], **kwargs)
        yield case(f"{name}_by_row", op, row.reshape(8, 5), by[:5], **kwargs)
        for shape in [(), (1,), (1, 1)]:
            one = by[3:4].reshape(shape)
            yield case(f"{name}_by_one_{len(shape)}", op, row, one, **kwargs)
        yield case(f"{name}_of_one", op, row[3:4], by, **kwargs)
        yield case(f"{name}_by_number", "aten::div.Scalar_mode", row, 0.3, **kwargs)
    yield case("mode_refused", op, ramp(2), ramp(2), rounding_mode="ceil")


def _quotients(dtype):
    if dtype == torch.bool:
        return sample(dtype), torch.ones(2, 3, dtype=torch.bool)
    if dtype == torch.uint8:
        return torch.tensor([0, 7, 8, 255], dtype=dtype), torch.tensor([3, 2, 3, 16], dtype=dtype)
    if dtype in FLOAT8:
        return small(dtype), small(dtype, 1)
    row = torch.tensor([7, -7, 7, -7, 6, -6, 0, 1], dtype=torch.float64)
    by = torch.tensor([2, 2, -2, -2, 3, 3, 5, 1], dtype=torch.float64)
    if dtype.is_floating_point:
        row = row * 0.5
    return row.to(dtype), by.to(dtype)


def compare(stem):
    op = f"{stem}.Tensor"
    yield from binary(op, exact=True)
    for dtype in BOOL + INTS + FLOATS:
        yield case(f"scalar_{short(dtype)}", f"aten::{stem}.Scalar", small(dtype), 2, exact=True)
    yield case("scalar_float_on_int", f"aten::{stem}.Scalar", small(torch.int32), 2.5, exact=True)
    yield case(
        "scalar_wraps",
        f"aten::{stem}.Scalar",
        torch.tensor([255, 1], dtype=torch.uint8),
        -1,
        exact=True,
    )


for _name in ["eq", "ne", "lt", "le", "gt", "ge"]:
    FAMILIES[_name] = (lambda n: lambda: compare(n))(_name)
for _name in ["maximum", "minimum"]:
    FAMILIES[_name] = (lambda n: lambda: binary(n, exact=True))(_name)


@family("where")
def _where():
    op = "aten::where.self"
    mask = torch.tensor([[True, False, True], [False, False, True]])
    for dtype in ALL:
        yield case(
            f"dtype_{short(dtype)}", op, mask, sample(dtype), sample(dtype, turn=2), exact=True
        )
    for a, b in itertools.combinations(BOOL + INTS + FLOATS + COMPLEX, 2):
        yield case(
            f"promote_{short(a)}_{short(b)}", op, mask[0, :2], small(a), small(b, 1), exact=True
        )
    for key, tensor in layouts().items():
        yield case(f"layout_{key}", op, mask, tensor, ramp(2, 3, start=9), exact=True)
    yield case("broadcast", op, mask[:, :1], ramp(3), ramp(4, 1, 1), exact=True)
    yield case("numbers", op, mask, Number(1), Number(2.5), exact=True)
    yield case("uint8_condition", op, mask.to(torch.uint8), ramp(2, 3), ramp(2, 3), exact=True)
    yield case("refuses_int_condition", op, mask.to(torch.int32), ramp(2, 3), ramp(2, 3))
    yield case("refuses_sizes", op, mask, ramp(2), ramp(2, 3))
    yield case("empty", op, mask[:0], ramp(0, 3), ramp(3), exact=True)
    yield case("zero_dim", op, torch.tensor(True), ramp(start=1), ramp(start=2), exact=True)


@family("round")
def _round():
    op, decimals = "aten::round", "aten::round.decimals"
    halves = torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997, NAN, INF])
    yield from unary("round", exact=True)
    for dtype in FLOATS:
        yield case(f"halves_{short(dtype)}", op, halves.to(dtype), exact=True)
    for digits in (-1, 0, 2):
        for dtype in FLOATS:
            row = torch.tensor([1.2345, -27.5, 0.125, 1e3, NAN]).to(dtype)
            name = f"decimals_{digits}_{short(dtype)}"
            yield case(name, decimals, row, decimals=digits)
    yield case("decimals_in_place", "aten::round_.decimals", ramp(3, step=0.375), decimals=1)
    into = torch.zeros(3)
    yield case("decimals_out", f"{decimals}_out", ramp(3, step=0.375), decimals=1, out=into)
