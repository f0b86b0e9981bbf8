# SPDX-License-Identifier: Apache-2.0
"""Calls of factories, fillers, copies and reads."""

import itertools

import torch

from cases import (
    ALL,
    BOOL,
    FLOAT8,
    FLOATS,
    INF,
    NAN,
    FAMILIES,
    case,
    family,
    layouts,
    odd_shapes,
    outs,
    ramp,
    sample,
    short,
)


# ---- factories ---------------------------------------------------------------------------------
@family("full")
def _full():
    op = "aten::full"
    for value in [True, 3, 2.5, 1 + 2j]:
        yield case(f"infers_{type(value).__name__}", op, [2, 3], value, exact=True)
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, [2], 1, dtype=dtype, exact=True)
    yield case("zero_dim", op, [], 4, exact=True)
    yield case("empty", op, [0, 2], 4, exact=True)
    yield case("truncates", op, [2], 2.75, dtype=torch.int32, exact=True)
    yield case("refuses_overflow", op, [2], 300, dtype=torch.uint8)
    yield case("refuses_complex", op, [2], 1 + 2j, dtype=torch.float32)
    yield case("refuses_negative", op, [2, -1], 1)
    yield from outs("aten::full.out", [2, 3], [2, 3], 2.5)


def _constant(stem):
    op = f"aten::{stem}"
    yield case("default", op, [2, 3], exact=True)
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, [2], dtype=dtype, exact=True)
    yield case("zero_dim", op, [], exact=True)
    yield case("empty", op, [3, 0], exact=True)
    yield case("refuses_negative", op, [-2])
    yield from outs(f"{op}.out", [2, 3], [2, 3])


for _name in ["zeros", "ones"]:
    FAMILIES[_name] = (lambda n: lambda: _constant(n))(_name)


@family("arange")
def _arange():
    op = "aten::arange.start_step"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, 1, 8, 2, dtype=dtype)
    spans = [
        (0, 5, 1),
        (5, 0, -2),
        (0, 0, 1),
        (0.0, 1.0, 0.25),
        (1, 2.5, 0.5),
        (-3, 3, 2),
        (True, 4, True),
        (0, 7, 3),
        (2**53, 2**53 + 3, 1),
        (3, 3, -1),
    ]
    for number, span in enumerate(spans):
        yield case(f"span_{number}", op, *span)
    yield case("fraction_to_int64", op, 0.5, 3, 1, dtype=torch.int64)
    yield case("fraction_to_int32", op, 0.5, 3, 1, dtype=torch.int32)
    for number, span in enumerate(
        [(0.0, -8.000001, -4.0), (0.0, 1.0, 0.25), (1.5, 7.5, 1.5), (2.0**53, 2**53 + 3, 1)]
    ):
        for dtype in [torch.int64, torch.int16, torch.float32]:
            yield case(f"floats_{number}_{short(dtype)}", op, *span, dtype=dtype)
    yield case("end_only", "aten::arange", 4)
    yield case("end_only_float", "aten::arange", 2.5)
    yield case("start_end", "aten::arange.start", 2, 6)
    for name, span in {
        "zero_step": (0, 3, 0),
        "wrong_sign": (3, 0, 1),
        "infinite": (0, INF, 1),
        "nan": (NAN, 1, 1),
        "wrong_sign_down": (0, 3, -1),
    }.items():
        yield case(f"refuses_{name}", op, *span)
    start_out = "aten::arange.start_out"
    yield from outs("aten::arange.out", [4], 4)
    yield case("out", start_out, 0, 3, 1, out=torch.zeros(3))
    yield case("out_keeps_shape", start_out, 0, 6, 1, out=torch.zeros(3, 2).t(), no_meta=True)
    yield case("out_resized", start_out, 0, 3, 1, out=torch.zeros(0, dtype=torch.int64))


@family("fill")
def _fill():
    op = "aten::fill_.Scalar"
    for key, tensor in layouts().items():
        yield case(f"new_{key}", "aten::fill.Scalar", tensor, 2.5, exact=True)
    yield from outs("aten::fill.Scalar_out", [2, 3], ramp(2, 3), 2.5)
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), 1, exact=True)
    yield case("strided", op, ramp(4, 6)[::2, 1:4], 9, exact=True)
    yield case("expanded", op, ramp(3).expand(2, 3), 9, exact=True)
    yield case("empty", op, ramp(0, 3), 9, exact=True)
    yield case("zero_dim", op, ramp(), 9, exact=True)
    yield case("truncates", op, ramp(3, dtype=torch.int8), -1.75, exact=True)
    yield case("nan", op, ramp(3), NAN, exact=True)
    yield case("inf_float16", op, ramp(3, dtype=torch.float16), INF, exact=True)
    yield case("negative_to_uint8", op, ramp(3, dtype=torch.uint8), -1, exact=True)
    yield case("bool_from_float", op, ramp(3).to(torch.bool), 0.5, exact=True)
    for name, dtype, value in [
        ("uint8", torch.uint8, 256),
        ("int8", torch.int8, 128),
        ("int16", torch.int16, -40000),
        ("int32", torch.int32, 2**31),
        ("float16", torch.float16, 1e6),
        ("float32", torch.float32, 1e60),
        ("nan_int", torch.int32, NAN),
        ("complex", torch.float32, 1j),
        ("float8", torch.float8_e4m3fn, 1000.0),
    ]:
        yield case(f"refuses_overflow_{name}", op, ramp(3).to(dtype), value)


@family("zero")
def _zero():
    for key, tensor in layouts().items():
        yield case(f"new_{key}", "aten::zero", tensor, exact=True)
    yield from outs("aten::zero.out", [2, 3], ramp(2, 3))
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", "aten::zero_", sample(dtype), exact=True)
    yield case("strided", "aten::zero_", ramp(4, 6)[::2, 1:4], exact=True)
    yield case("empty", "aten::zero_", ramp(0), exact=True)


# ---- copies ------------------------------------------------------------------------------------
@family("copy")
def _copy():
    op = "aten::copy_"
    for key, tensor in layouts().items():
        yield case(f"new_{key}", "aten::copy", tensor, ramp(3, dtype=torch.int32), exact=True)
    yield case("new_refuses_sizes", "aten::copy", ramp(2, 3), ramp(2))
    yield from outs("aten::copy.out", [2, 3], ramp(2, 3), ramp(3, dtype=torch.int32))
    for a, b in itertools.product(ALL, ALL):
        source = torch.tensor([0, 1, 2.75, 100] if b not in BOOL else [0, 1, 1, 0]).to(b)
        if b.is_complex:
            source = source + 1j
        yield case(f"{short(b)}_to_{short(a)}", op, torch.zeros(4).to(a), source, exact=True)
    for dtype in FLOATS + FLOAT8:
        # Ties and limits of each narrow format, converted from float32.
        row = [
            1.0 + 2.0**-11,
            1.0 + 3 * 2.0**-11,
            65504.0,
            65519.0,
            65520.0,
            2.0**-24,
            2.0**-25,
            3 * 2.0**-25,
            6.1e-5,
            448.0,
            464.0,
            465.0,
            480.0,
            57344.0,
            61439.0,
            61440.0,
            2.0**-9,
            2.0**-10,
            2.0**-16,
            2.0**-17,
            1.0625,
            1.1875,
            1.125,
            1.375,
            -0.0,
            NAN,
            INF,
            -INF,
            3.4e38,
            1e-40,
        ]
        yield case(
            f"rounding_{short(dtype)}",
            op,
            torch.zeros(len(row)).to(dtype),
            torch.tensor(row),
            exact=True,
        )
    for dtype in [torch.int8, torch.int32, torch.int64, torch.bool]:
        yield case(
            f"negatives_{short(dtype)}",
            op,
            torch.zeros(4).to(dtype),
            torch.tensor([-1.0, -2.75, -0.5, 0.0]),
            exact=True,
        )
    yield case(
        "nan_to_bool", op, torch.zeros(2, dtype=torch.bool), torch.tensor([NAN, 0.0]), exact=True
    )
    for key, tensor in layouts().items():
        yield case(f"from_{key}", op, torch.zeros(2, 3), tensor, exact=True)
        yield case(
            f"from_{key}_cast", op, torch.zeros(2, 3, dtype=torch.float64), tensor, exact=True
        )
    yield case("to_transposed", op, torch.zeros(3, 2).t(), ramp(2, 3), exact=True)
    yield case("broadcast", op, torch.zeros(2, 3), ramp(3), exact=True)
    yield case("zero_dim", op, torch.zeros(2, 3), ramp(start=7), exact=True)
    yield case("empty", op, torch.zeros(0, 3), ramp(3), exact=True)
    same = ramp(3)
    yield case("same", op, same, same, exact=True)
    yield case("refuses_sizes", op, torch.zeros(3), ramp(2))
    yield case("refuses_growing", op, torch.zeros(3), ramp(2, 3))
    yield case("refuses_expanded", op, torch.zeros(3).expand(2, 3), ramp(2, 3))
    whole = ramp(6)
    yield case("refuses_partial_overlap", op, whole[1:], whole[:-1], no_meta=True)


@family("clone")
def _clone():
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", "aten::clone", sample(dtype), exact=True)
    yield from outs("aten::clone.out", [2, 3], ramp(3, 2).t())
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", "aten::clone", tensor, exact=True)
        yield case(
            f"contiguous_{key}",
            "aten::clone",
            tensor,
            memory_format=torch.contiguous_format,
            exact=True,
        )
    yield case(
        "channels_last",
        "aten::clone",
        ramp(1, 2, 3, 4),
        memory_format=torch.channels_last,
        exact=True,
    )
    yield case(
        "channels_last_3d",
        "aten::clone",
        ramp(1, 2, 1, 3, 2),
        memory_format=torch.channels_last_3d,
        exact=True,
    )
    yield case(
        "refuses_channels_last_of_3_dims",
        "aten::clone",
        ramp(2, 3, 4),
        memory_format=torch.channels_last,
    )


@family("to_copy")
def _to_copy():
    op = "aten::_to_copy"
    yield from outs("aten::_to_copy.out", [2, 3], ramp(2, 3, start=-1.5))
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, ramp(2, 3), dtype=dtype, exact=True)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", op, tensor, dtype=torch.float64, exact=True)
    yield case("no_change_copies", op, ramp(2, 3), exact=True)
    yield case("memory_format", op, ramp(1, 2, 3, 4), memory_format=torch.channels_last, exact=True)


@family("contiguous")
def _contiguous():
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", "aten::contiguous", tensor, exact=True)
    yield case(
        "channels_last",
        "aten::contiguous",
        ramp(1, 2, 3, 4),
        memory_format=torch.channels_last,
        exact=True,
    )


@family("local_scalar_dense")
def _local_scalar_dense():
    for dtype in ALL:
        yield case(
            f"dtype_{short(dtype)}",
            "aten::_local_scalar_dense",
            sample(dtype)[1, 2],
            exact=True,
            no_meta=True,
        )
    yield case("one_element", "aten::_local_scalar_dense", ramp(1, 1), exact=True, no_meta=True)


@family("item")
def _item():
    yield case("one_element", "aten::item", ramp(1, 1, start=2.5), exact=True, no_meta=True)
    yield case("refuses_two", "aten::item", ramp(2), no_meta=True)
    yield case("refuses_none", "aten::item", ramp(0), no_meta=True)


def _like(stem, *rest):
    op = f"aten::{stem}"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, ramp(2, 3), *rest, dtype=dtype, exact=True)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        yield case(f"layout_{key}", op, tensor, *rest, exact=True)
    yield case(
        "row_major", op, ramp(3, 2).t(), *rest, memory_format=torch.contiguous_format, exact=True
    )
    yield from outs(f"aten::{stem}.out", [2, 3], ramp(2, 3), *rest)


FAMILIES["zeros_like"] = lambda: _like("zeros_like")
FAMILIES["ones_like"] = lambda: _like("ones_like")
FAMILIES["full_like"] = lambda: _like("full_like", 1)


@family("to")
def _to():
    op = "aten::to.dtype"
    same = ramp(2, 3)
    yield case("same_dtype", op, same, torch.float32, exact=True)
    yield case("same_dtype_copy", op, same, torch.float32, False, True, exact=True)
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, ramp(3, 2).t(), dtype, exact=True)
    yield case(
        "memory_format",
        op,
        ramp(1, 2, 3, 4),
        torch.float32,
        memory_format=torch.channels_last,
        exact=True,
    )
    yield case(
        "memory_format_there",
        op,
        ramp(1, 2, 3, 4).contiguous(memory_format=torch.channels_last),
        torch.float32,
        memory_format=torch.channels_last,
        exact=True,
    )
