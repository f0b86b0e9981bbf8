# SPDX-License-Identifier: Apache-2.0
"""Calls of the operators that gradient formulas use."""

import itertools

import torch

from cases import (
    ALL,
    BOOL,
    COMPLEX,
    FLOATS,
    INTS,
    FAMILIES,
    Number,
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
from pointwise import binary, broadcasts, promotions, unary


# ---- parts of a dim ----------------------------------------------------------------------------
@family("select_backward")
def _select_backward():
    op = "aten::select_backward"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, small(dtype), [2, 3], 1, 1, exact=True)
    for dim, index in [(0, 0), (0, -1), (-1, 1)]:
        grad = ramp(*((3, 4) if dim == 0 else (2, 3)), start=1)
        yield case(f"dim_{dim}_index_{index}", op, grad, [2, 3, 4], dim, index, exact=True)
    yield case("transposed", op, ramp(4, 3, start=1).t(), [2, 3, 4], 0, 1, exact=True)
    yield case("zero_dim", op, ramp(start=1), [3], 0, 2, exact=True)
    yield case("empty", op, ramp(0), [0, 3], 1, 2, exact=True)
    yield case("broadcasts", op, ramp(start=1), [2, 3], 0, 1, exact=True)
    yield case("refuses_index", op, ramp(3), [2, 3], 0, 2)
    yield case("refuses_dim", op, ramp(3), [2, 3], 2, 0)
    yield case("refuses_sizes", op, ramp(4), [2, 3], 0, 0)
    yield from outs("aten::select_backward.out", [2, 3], ramp(3, start=1), [2, 3], 0, 1)


@family("slice_backward")
def _slice_backward():
    op = "aten::slice_backward"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, small(dtype), [5], 0, 1, 3, 1, exact=True)
    for start, end, step in [(0, 4, 1), (1, 100, 2), (-2, 2**63 - 1, 1), (3, 1, 1), (0, -1, 3)]:
        count = len(range(4)[start:end:step])
        grad = ramp(2, count, start=1)
        name = f"range_{start}_{min(end, 1000)}_{step}"
        yield case(name, op, grad, [2, 4], 1, start, end, step, exact=True)
    yield case("transposed", op, ramp(3, 2, start=1).t(), [4, 3], 0, 1, 3, 1, exact=True)
    yield case("refuses_step", op, ramp(2), [4], 0, 0, 2, 0)
    yield case("refuses_sizes", op, ramp(3), [4], 0, 0, 2, 1)
    yield from outs("aten::slice_backward.out", [4, 3], ramp(2, 3, start=1), [4, 3], 0, 1, 3, 1)


@family("value_selecting_reduction_backward")
def _value_selecting_reduction_backward():
    op = "aten::value_selecting_reduction_backward"
    whole = ramp(2, 3, 4).remainder(5)
    for dim, keep in itertools.product([0, 1, -1], [False, True]):
        indices = whole.max(dim, keep).indices
        grad = ramp(*indices.shape, start=1)
        args = (grad, dim, indices, [2, 3, 4], keep)
        yield case(f"dim_{dim}_{'keep' if keep else 'drop'}", op, *args, exact=True)
    for dtype in FLOATS + COMPLEX:
        indices = torch.tensor([2, 0])
        yield case(f"dtype_{short(dtype)}", op, small(dtype), 1, indices, [2, 3], False, exact=True)
    yield case("zero_dim", op, ramp(start=1), 0, torch.tensor(0), [], False, exact=True)
    yield case("empty", op, ramp(0), 1, torch.zeros(0, dtype=torch.int64), [0, 3], False)


def _parts(op, good, bad):
    for number, (shape, *rest) in enumerate(good):
        yield case(f"parts_{number}", op, ramp(*shape), *rest, exact=True)
    yield case("transposed", op, ramp(5, 4).t(), *good[0][1:], exact=True)
    for number, (shape, *rest) in enumerate(bad):
        yield case(f"refuses_{number}", op, ramp(*shape), *rest)


@family("unbind")
def _unbind():
    good = [((4, 5),), ((4, 5), 1), ((4, 5), -1), ((3,),), ((0, 3), 1), ((2, 3, 4), 1)]
    yield from _parts("aten::unbind.int", good, [((),), ((2, 3), 2)])


@family("split_with_sizes")
def _split_with_sizes():
    good = [
        ((4, 5), [1, 3]),
        ((4, 5), [2, 0, 3], 1),
        ((4, 5), [5], -1),
        ((0, 3), [0, 0]),
        ((4,), [1, 1, 1, 1]),
    ]
    bad = [((2, 3), [1, 2]), ((2, 3), [-1, 3]), ((), [1]), ((2, 3), [2], 2), ((2, 3), [])]
    yield from _parts("aten::split_with_sizes", good, bad)


@family("split")
def _split():
    good = [((4, 5), 2), ((4, 5), 2, 1), ((4, 5), 9, -1), ((0, 3), 0), ((0, 3), 2), ((4,), 1)]
    bad = [((2, 3), 0), ((2, 3), -1), ((), 1), ((2, 3), 1, 2)]
    yield from _parts("aten::split.Tensor", good, bad)
    yield case("sizes", "aten::split.sizes", ramp(4, 5), [1, 0, 4], -1, exact=True)
    yield case("sizes_refuses", "aten::split.sizes", ramp(2, 3), [1, 1], 1)


@family("chunk")
def _chunk():
    good = [((4, 5), 2), ((4, 5), 3, 1), ((4, 5), 9, -1), ((0, 3), 3), ((5,), 4)]
    yield from _parts("aten::chunk", good, [((2, 3), 0), ((2, 3), -1), ((), 1), ((2, 3), 1, 2)])


@family("sum_to_size")
def _sum_to_size():
    op = "aten::sum_to_size"
    good = [
        ((2, 3), [2, 3]),
        ((2, 3), [3]),
        ((2, 3), [2, 1]),
        ((2, 3), [1, 1]),
        ((2, 3), [1]),
        ((2, 3), []),
        ((4, 2, 3), [2, 1]),
        ((4, 1, 3), [1, 1]),
        ((0, 3), [1, 3]),
        ((0, 3), [0, 1]),
        ((), []),
        ((1, 3), [3]),
    ]
    for shape, size in good:
        name = "x".join(map(str, shape)) + "_to_" + "x".join(map(str, size))
        yield case(name, op, ramp(*shape), size)
    yield case("transposed", op, ramp(3, 2).t(), [2, 1])
    yield case("integers", op, ramp(2, 3, dtype=torch.int32), [1, 3])
    for shape, size in [((2, 3), [4]), ((3,), [2, 3]), ((2, 3), [2])]:
        name = "x".join(map(str, shape)) + "_to_" + "x".join(map(str, size))
        yield case(f"refuses_{name}", op, ramp(*shape), size)


# ---- pointwise, one tensor ---------------------------------------------------------------------
@family("conj_physical")
def _conj_physical():
    op = "aten::conj_physical"
    # For real tensors, PyTorch returns the tensor itself instead of a copy.
    for dtype in COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), exact=True)
        yield case(f"in_place_{short(dtype)}", "aten::conj_physical_", sample(dtype), exact=True)
    yield case("in_place_float32", "aten::conj_physical_", sample(torch.float32), exact=True)
    for key, tensor in {**layouts(torch.complex64), **odd_shapes(torch.complex64)}.items():
        # The strides of dims of size 1, which no element depends on, differ.
        if key != "size_one_dims":
            yield case(f"layout_{key}", op, tensor, exact=True)
    shape = {"dtype": torch.complex64}
    yield from (
        one
        for one in outs(
            "aten::conj_physical.out", [2, 3], ramp(2, 3, dtype=torch.complex64) * 1j, **shape
        )
        if one.name not in ("out_double", "out_int32")
    )


def _signs(name):
    yield from unary(name, exact=True)
    for dtype in INTS + FLOATS:
        yield case(f"in_place_{short(dtype)}", f"aten::{name}_", sample(dtype), exact=True)
    # PyTorch refuses an `out` of a wider dtype.
    made = outs(f"aten::{name}.out", [2, 3], ramp(2, 3, start=-2))
    yield from (one for one in made if one.name != "out_double")


@family("sgn")
def _sgn():
    yield from _signs("sgn")
    for key, tensor in layouts(torch.complex128).items():
        turned = tensor * (1 - 2j)
        yield case(f"complex_{key}", "aten::sgn", turned)


FAMILIES["sign"] = lambda: _signs("sign")


# ---- pointwise, two tensors --------------------------------------------------------------------
def _powers(dtype):
    """Bases and exponents, zeros and negative ones too."""
    if not dtype.is_floating_point and not dtype.is_complex:
        whole = torch.tensor([0, 0, 1, 2, 3, 5, 7, 2, 2], dtype=dtype)
        powers = torch.tensor([0, 3, 9, 7, 4, 0, 2, 8, 63], dtype=dtype)
        return whole, powers
    bases = torch.tensor([0, 0, 1.5, -2, -2, 3, 0.5, -0.5, 2], dtype=torch.float64)
    powers = torch.tensor([0, 2, 2, 3, 0.5, -1, -2.5, 2, -0.5], dtype=torch.float64)
    if dtype.is_complex:
        return torch.complex(bases[2:], bases[2:] + 1).to(dtype), powers[2:].to(dtype)
    return bases.to(dtype), powers.to(dtype)


@family("pow")
def _pow():
    yield case("number_of_turned", "aten::pow.Scalar", 2, torch.ones(2, 3).t(), exact=True)
    op = "aten::pow.Tensor_Tensor"
    for dtype in INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, *_powers(dtype))
    negative = torch.tensor([-3, -2, -1, -1, 0, 1, 2, -2], dtype=torch.int64)
    by = torch.tensor([3, 2, -1, -2, -1, -5, -3, -1], dtype=torch.int64)
    for dtype in [torch.int8, torch.int16, torch.int32, torch.int64]:
        yield case(f"negative_{short(dtype)}", op, negative.to(dtype), by.to(dtype), exact=True)
    specials = sample(torch.float64, (8, 1)), sample(torch.float64, (8,))
    yield case("specials", op, *specials)
    yield case("refuses_bools", op, *_bools())
    yield from (one for one in broadcasts(op, False) if one.name != "layout_zero_dim")
    yield from (
        one
        for one in promotions(op, INTS + FLOATS + COMPLEX, False)
        if not isinstance(one.args[1], Number)
    )
    a, b = ramp(2, 3, start=1), ramp(2, 3, start=-1, step=0.5)
    yield case("in_place", "aten::pow_.Tensor", a.clone(), b)
    yield case("in_place_refuses_float", "aten::pow_.Tensor", ramp(3, dtype=torch.int32), b[0])
    yield from (_near(one) for one in outs("aten::pow.Tensor_Tensor_out", [2, 3], a, b))
    yield from _numbers()


def _bools():
    return torch.tensor([True, False]), torch.tensor([True, True])


def _near(one):
    one.exact = False
    return one


def _numbers():
    op = "aten::pow.Tensor_Scalar"
    for dtype, number in itertools.product(
        INTS + FLOATS + COMPLEX, [0, 1, 2, 3, 0.0, 0.5, 1.5, -2.0, 2j]
    ):
        self = small(dtype)[:1] if isinstance(number, complex) else small(dtype)
        yield case(f"{short(dtype)}_to_{number}", op, self, number)
        yield case(f"{number}_to_{short(dtype)}", "aten::pow.Scalar", number, self)
    yield case("bools_to_2", op, _bools()[0], 2)
    yield case("negative_power", op, ramp(4, start=-2), -1)
    yield case("refuses_negative_power", op, ramp(3, dtype=torch.int64), -1)
    yield case("refuses_negative_power_of_bools", op, _bools()[0], -1)
    yield case("scalar_in_place", "aten::pow_.Scalar", ramp(2, 3, start=1), 1.5)
    yield case("scalar_in_place_refuses", "aten::pow_.Scalar", ramp(2, dtype=torch.int32), 1.5)
    yield case("scalar_out", "aten::pow.Tensor_Scalar_out", ramp(2, 3), 3, out=torch.zeros(0))
    yield case("base_out", "aten::pow.Scalar_out", 3, ramp(2, 3), out=torch.zeros(0))


@family("rsub")
def _rsub():
    yield from binary("rsub.Tensor")
    for label, alpha in [("int", 2), ("float", 0.5)]:
        args = ("aten::rsub.Tensor", small(torch.float32), small(torch.float32, 1))
        yield case(f"alpha_{label}", *args, alpha=alpha)
    yield case("alpha_refused", "aten::rsub.Tensor", *[small(torch.int32)] * 2, alpha=0.5)
    yield case("scalar", "aten::rsub.Scalar", ramp(2, 3), 2)
    yield case("scalar_alpha", "aten::rsub.Scalar", ramp(2, 3), 2, 3)
    yield case("scalar_float_on_int", "aten::rsub.Scalar", ramp(3, dtype=torch.int32), 0.5)
    a, b = ramp(2, 3), ramp(2, 3, start=5)
    yield case("out", "aten::rsub.Tensor_out", a, b, out=torch.zeros(0))
    yield case("scalar_out", "aten::rsub.Scalar_out", a, 2, out=torch.zeros(0))


@family("masked_fill")
def _masked_fill():
    mask = torch.tensor([[True, False, True], [False, False, True]])
    scalar, tensor = "aten::masked_fill.Scalar", "aten::masked_fill.Tensor"
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", scalar, sample(dtype), mask, 1, exact=True)
        value = small(dtype)[0].clone()
        yield case(f"tensor_{short(dtype)}", tensor, sample(dtype), mask, value, exact=True)
    yield case("fraction_into_int", scalar, ramp(2, 3, dtype=torch.int32), mask, 1.5, exact=True)
    half = torch.tensor(1.5)
    yield case("tensor_fraction", tensor, ramp(2, 3, dtype=torch.int32), mask, half, exact=True)
    yield case("mask_broadcasts", scalar, ramp(2, 3), mask[:, :1], 9, exact=True)
    yield case("self_broadcasts", scalar, ramp(3), mask, 9.5, exact=True)
    yield case("both_broadcast", scalar, ramp(3), mask[:, :1], 9, exact=True)
    yield case("zero_dim", scalar, ramp(start=1), torch.tensor(True), 9, exact=True)
    yield case("empty", scalar, ramp(0, 3), mask[:0], 9, exact=True)
    for end, value in [("Scalar", 9), ("Tensor", ramp(start=9))]:
        op = f"aten::masked_fill_.{end}"
        yield case(f"in_place_{end}", op, ramp(2, 3), mask, value, exact=True)
        yield case(f"in_place_strided_{end}", op, ramp(4, 6)[::2, 1:4], mask, value, exact=True)
        yield case(f"in_place_row_{end}", op, ramp(2, 3), mask[0], value, exact=True)
        yield case(f"in_place_refuses_growing_{end}", op, ramp(3), mask, value)
        yield case(f"in_place_int_{end}", op, ramp(2, 3, dtype=torch.int8), mask, value, exact=True)
        out = torch.zeros(0)
        args = (f"aten::masked_fill.{end}_out", ramp(2, 3), mask, value)
        yield case(f"out_{end}", *args, out=out, exact=True)
    yield case("refuses_uint8_mask", scalar, ramp(2, 3), mask.to(torch.uint8), 1)
    yield case("refuses_sizes", scalar, ramp(2, 3), mask[:, :2], 1)
    yield case("refuses_complex", scalar, ramp(2, 3), mask, 1j, no_meta=True)
    yield case("refuses_overflow", scalar, small(torch.uint8), mask[0, :2], 300, no_meta=True)
    yield case("refuses_vector", tensor, ramp(2, 3), mask, ramp(1))
    yield case("refuses_complex_tensor", tensor, ramp(2, 3), mask, torch.tensor(1.5j), no_meta=True)


# ---- gradients of pointwise operators ----------------------------------------------------------
def _of_result(name, dtypes, *rest):
    op = f"aten::{name}"
    for dtype in dtypes:
        yield case(f"dtype_{short(dtype)}", op, small(dtype), small(dtype, 1), *rest)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", op, tensor, tensor.flip(0) if tensor.dim() else tensor, *rest)
    yield case("specials", op, ramp(8, start=1), sample(torch.float32, (8,)), *rest)
    yield case("broadcast", op, ramp(2, 3), ramp(3, start=-1, step=0.5), *rest)
    grad_input = torch.zeros(0)
    args = (f"{op}.grad_input", ramp(2, 3), ramp(2, 3, start=-1, step=0.5), *rest)
    yield case("out", *args, grad_input=grad_input)


FAMILIES["sigmoid_backward"] = lambda: _of_result("sigmoid_backward", BOOL + FLOATS + COMPLEX)
FAMILIES["tanh_backward"] = lambda: _of_result("tanh_backward", BOOL + FLOATS + COMPLEX)


@family("threshold_backward")
def _threshold_backward():
    yield from _of_result("threshold_backward", INTS + FLOATS, 0)
    args = ("aten::threshold_backward", ramp(5, start=1), ramp(5, step=0.25))
    yield case("half", *args, 0.5, exact=True)
