# SPDX-License-Identifier: Apache-2.0
"""Calls of special functions, and of functions of signs, angles and integers."""

import torch

from cases import BOOL, COMPLEX, FLOATS, INF, INTS, NAN, case, family, ramp, sample, short
from every_form import every_form

ROW = torch.tensor([-3.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.25, 7.0, INF, -INF, NAN])


def unary(op, *rest, row=ROW, dtypes=BOOL + INTS + FLOATS, **kwargs):
    name = op.removeprefix("aten::")
    yield from every_form(name, op, row, *rest, **kwargs)
    for dtype in dtypes:
        plain = torch.tensor([0, 1, 2, 5]).to(dtype)
        yield case(f"{name}_{short(dtype)}", op, plain, *rest, **kwargs)
    yield case(f"{name}_double", op, row.double(), *rest, **kwargs)


@family("erfinv")
def _erfinv():
    row = torch.tensor([-1.0, -0.999, -0.5, -1e-6, 0.0, 0.3, 0.97, 1.0, 1.5, NAN])
    yield from unary("aten::erfinv", row=row)
    yield from every_form("special", "aten::special_erfinv", row)


@family("gamma")
def _lgamma():
    yield from unary("aten::lgamma")
    yield from unary("aten::digamma")
    for n in (0, 1, 2, 5):
        yield case(f"polygamma_{n}", "aten::polygamma", n, ramp(4, start=0.5))
    yield from every_form("polygamma", "aten::polygamma", 1, ramp(4, start=0.5))
    for name in ("gammaln", "digamma", "psi"):
        yield from every_form(f"special_{name}", f"aten::special_{name}", ramp(4, start=0.5))
    yield from every_form("special_polygamma", "aten::special_polygamma", 2, ramp(4, start=0.5))
    yield case("refuses", "aten::polygamma", -1, ramp(2), status="TENON_ERROR_INVALID_ARGUMENT")


@family("sinc")
def _sinc():
    yield from unary("aten::sinc", row=ROW[:8])
    yield from every_form("special", "aten::special_sinc", ROW[:8])
    yield case("complex", "aten::sinc", sample(torch.complex64))


@family("modified_bessel")
def _i0():
    row = torch.tensor([-30.0, -4.0, -0.5, 0.0, 0.25, 1.0, 8.0, 19.0, 21.0, 60.0])
    for name in ("i0", "special_i1", "special_i0e", "special_i1e"):
        # In bfloat16, PyTorch rounds each step of these.
        yield from unary(f"aten::{name}", row=row, dtypes=INTS + [torch.float16, torch.float32])
    yield from every_form("special_i0", "aten::special_i0", row)


@family("float_power")
def _float_power():
    base, power = ramp(4, start=1), torch.tensor([2.0, 0.5, -1.0, 3.0])
    yield from every_form("tensors", "aten::float_power.Tensor_Tensor", base, power)
    yield from every_form("number", "aten::float_power.Tensor_Scalar", base.double(), 2)
    yield from every_form("base", "aten::float_power.Scalar", 2, power)
    yield case("double", "aten::float_power_.Tensor", base.double(), power)
    yield case("double_number", "aten::float_power_.Scalar", base.double(), 2.5)
    yield case("ints", "aten::float_power.Tensor_Tensor", base.int(), power.int())
    yield case("complex", "aten::float_power.Tensor_Scalar", base, 1 + 2j)
    yield case("refuses", "aten::float_power_.Tensor", base, power)


@family("ldexp")
def _ldexp():
    yield from every_form("ldexp", "aten::ldexp.Tensor", ramp(4), torch.tensor([0, 1, -1, 3]))


@family("copysign")
def _copysign():
    signs = torch.tensor([-1.0, 1.0, -0.0, 0.0, -2.0])
    yield from every_form("tensors", "aten::copysign.Tensor", ramp(5, start=-2), signs)
    yield from every_form("number", "aten::copysign.Scalar", ramp(5, start=-2), -1)
    yield case("ints", "aten::copysign.Tensor", ramp(5).int(), signs.int())


@family("nextafter")
def _nextafter():
    args = torch.tensor([0.0, 1.0, -1.0, INF, 1.0]), torch.tensor([1.0, 2.0, -2.0, 0.0, NAN])
    yield from every_form("floats", "aten::nextafter", *args, exact=True)
    yield case("doubles", "aten::nextafter", *(one.double() for one in args), exact=True)
    yield case("refuses", "aten::nextafter", ramp(2).int(), ramp(2).int())


@family("heaviside")
def _heaviside():
    yield from every_form("floats", "aten::heaviside", ROW, torch.tensor(0.5), exact=True)
    for dtype in BOOL + INTS + FLOATS:
        args = torch.tensor([0, 1, 2]).to(dtype), torch.tensor([1, 0, 1]).to(dtype)
        yield case(short(dtype), "aten::heaviside", *args, exact=True)


@family("gcd")
def _gcd():
    a, b = torch.tensor([12, -18, 0, 7, 0]), torch.tensor([18, 12, 5, -3, 0])
    for name in ("gcd", "lcm"):
        yield from every_form(name, f"aten::{name}", a, b, exact=True)
        for dtype in INTS[1:]:
            args = a.to(dtype), b.to(dtype)
            yield case(f"{name}_{short(dtype)}", f"aten::{name}", *args, exact=True)
        yield case(f"{name}_refuses", f"aten::{name}", ramp(2), ramp(2))


@family("deg2rad")
def _deg2rad():
    for name in ("deg2rad", "rad2deg"):
        yield from unary(f"aten::{name}")


@family("logit")
def _logit():
    row = torch.tensor([0.0, 0.1, 0.5, 0.9, 1.0, 1.5, NAN])
    yield from unary("aten::logit", row=row)
    yield from every_form("eps", "aten::logit", row, 0.2)
    yield from every_form("special", "aten::special_logit", row)


@family("angle")
def _angle():
    yield from unary("aten::angle")
    for dtype in COMPLEX:
        yield case(f"angle_{short(dtype)}", "aten::angle", sample(dtype))


@family("isposinf")
def _isposinf():
    for name in ("isposinf", "isneginf"):
        yield from unary(f"aten::{name}", exact=True)
    yield case("real", "aten::isreal", ROW, exact=True)
    yield case("complex", "aten::isreal", sample(torch.complex64), exact=True)


@family("polar")
def _polar():
    yield from every_form("complex", "aten::complex", ramp(3), ramp(3, start=1))
    yield from every_form("polar", "aten::polar", ramp(3), ramp(3, start=1))
    yield case("broadcast", "aten::complex", ramp(2, 1), ramp(3))
    yield case("refuses", "aten::complex", ramp(2).int(), ramp(2).int())


@family("positive")
def _positive():
    yield case("floats", "aten::positive", ramp(3), exact=True)
    yield case("refuses", "aten::positive", torch.tensor([True]))


@family("xlog1py")
def _xlog1py():
    op = "aten::special_xlog1py"
    args = torch.tensor([0.0, 1.0, 2.0, 0.0, -1.0]), torch.tensor([-1.0, 0.5, -1.0, NAN, 3.0])
    yield from every_form("tensors", op, *args)
    yield from every_form("other", f"{op}.other_scalar", args[0], 2)
    yield from every_form("self", f"{op}.self_scalar", 2, args[1])


@family("entr")
def _special_entr():
    yield from unary("aten::special_entr")


@family("normal_cdf")
def _special_ndtri():
    both = INTS + [torch.float32, torch.float64]  # PyTorch has only these dtypes for some functions
    wide = torch.tensor([-40.0, -26.5, -8.0, -2.0, -0.5, 0.0, 0.75, 3.0, 12.0, 30.0, 200.0, NAN])
    for name in ("erfcx", "ndtr", "log_ndtr"):
        yield from unary(f"aten::special_{name}", row=wide, dtypes=both)
        yield case(f"{name}_specials", f"aten::special_{name}", ROW)
    parts = torch.tensor([-0.5, 0.0, 1e-30, 1e-5, 0.01, 0.3, 0.5, 0.7, 0.999, 1.0, 1.5, NAN])
    yield from unary("aten::special_ndtri", row=parts, dtypes=both)


@family("bessel")
def _special_bessel_j0():
    # PyTorch's float64 results have eight digits, and it lacks smaller floats.
    row = torch.tensor([-30.0, -3.5, -0.25, 0.0, 1e-5, 0.5, 2.5, 8.0, 31.0, 150.0, NAN])
    for name in ("j0", "j1", "y0", "y1"):
        op = f"aten::special_bessel_{name}"
        yield from every_form(name, op, row)
        for dtype in INTS + [torch.float32]:
            yield case(f"{name}_{short(dtype)}", op, torch.tensor([0, 1, 2, 5]).to(dtype))


@family("incomplete_gamma")
def _igamma():
    # Pairs for which one of the expansions is used, and pairs for which none is. If both numbers
    # are close, PyTorch's float64 results have nine digits: igamma_test.cpp tests ours.
    pairs = [
        *((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (1.0, -1.0), (NAN, 1.0), (1.0, NAN)),
        *((INF, 1.0), (1.0, INF), (INF, INF), (0.5, 0.5), (2.0, 1.0), (1e-3, 0.01), (0.05, 0.4)),
        *((0.3, 1.05), (3.0, 0.7), (4.0, 9.0), (15.0, 30.0), (19.5, 40.0), (30.0, 70.0)),
        *((120.0, 60.0), (199.0, 300.0), (250.0, 400.0), (60.0, 10.0)),
    ]
    for dtype in (torch.float32, torch.float64):
        a, x = torch.tensor(pairs, dtype=dtype).unbind(-1)
        for name in ("igamma", "igammac"):
            yield from every_form(f"{name}_{short(dtype)}", f"aten::{name}", a, x)
    a, x = ramp(3, start=0.5), ramp(2, 1, start=0.25)
    for name in ("gammainc", "gammaincc"):
        yield from every_form(f"special_{name}", f"aten::special_{name}", a, x)
    yield case("float_and_double", "aten::igamma", a, x.double())
    for dtype in (torch.float16, torch.bfloat16):
        yield case(f"dtype_{short(dtype)}", "aten::igamma", a.to(dtype), x.to(dtype))
    for dtype in (torch.int64, torch.bool, torch.complex64):
        yield case(f"refuses_{short(dtype)}", "aten::igamma", a.to(dtype), a.to(dtype))


@family("zeta")
def _special_zeta():
    op = "aten::special_zeta"
    pairs = [
        *((2.0, 1.0), (1.5, 0.25), (3.0, -1.5), (2.5, -1.5), (2.0, -3.0), (2.0, 0.0), (1.0, 2.0)),
        *((0.5, 2.0), (-2.0, 1.0), (30.0, 0.5), (1.01, 100.0), (NAN, 1.0), (2.0, NAN)),
    ]
    for dtype in (torch.float32, torch.float64):
        x, q = torch.tensor(pairs, dtype=dtype).unbind(-1)
        yield from every_form(short(dtype), op, x, q)
    x, q = ramp(3, start=2), ramp(2, 1, start=0.25)
    yield case("broadcast", op, x, q)
    for dtype in (torch.int64, torch.uint8):
        yield case(f"dtype_{short(dtype)}", op, x.to(dtype), (q + 1).to(dtype))
    yield from every_form("other_number", f"{op}.other_scalar", x, 2.5)
    yield from every_form("self_number", f"{op}.self_scalar", 2.5, q)
    yield case("refuses_complex64", op, x.to(torch.complex64), q)


@family("mvlgamma")
def _mvlgamma():
    row = ramp(2, 3, start=2.5)
    for p in (1, 2, 4):
        yield case(f"of_{p}", "aten::mvlgamma", row, p)
        yield case(f"double_of_{p}", "aten::mvlgamma", row.double(), p)
    yield from every_form("every", "aten::mvlgamma", row, 3)
    yield from every_form("special", "aten::special_multigammaln", row, 2)
    yield case("ints", "aten::mvlgamma", torch.tensor([2, 5]), 2)
    yield case("turned", "aten::mvlgamma", row.t(), 2)
    yield case("number", "aten::mvlgamma", ramp(start=4), 2)
    yield case("poles", "aten::mvlgamma", torch.tensor([0.5, -1.0, 0.0, NAN, INF]), 2)
    yield case("refuses_none", "aten::mvlgamma", row, 0)
    yield case("refuses_complex64", "aten::mvlgamma", row.to(torch.complex64), 2)
