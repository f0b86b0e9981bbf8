# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that read and write elements by index tensors and masks."""

import dataclasses

import torch

from cases import (
    ALL,
    BOOL,
    COMPLEX,
    FLOATS,
    INF,
    INTS,
    NAN,
    Tensors,
    case,
    family,
    outs,
    ramp,
    sample,
    short,
)

INDEX = "TENON_ERROR_INDEX"
INVALID = "TENON_ERROR_INVALID_ARGUMENT"


def ints(*numbers, dtype=torch.int64):
    return torch.tensor(numbers, dtype=dtype)


def selections():
    """Returns by name a tensor and indices into it; names of masks begin with "mask"."""
    x = ramp(3, 4, 2)
    table = torch.tensor([[0, 2], [1, -1]])
    yield "first", x, [ints(2, 0, -1)]
    yield "second", x, [None, ints(3, 3)]
    yield "last", x, [None, None, ints(1, 0, 1)]
    yield "int32", x, [ints(2, 0, dtype=torch.int32)]
    yield "table", x, [None, table]
    yield "adjacent", x, [None, ints(0, 3), ints(1, 0)]
    yield "apart", x, [ints(0, 2), None, ints(1, 0)]
    yield "apart_table", x, [table, None, ints(1, 0)]
    yield "broadcast", x, [ints(0, 1, 2).reshape(3, 1), ints(3, 0)]
    yield "all_dims", x, [ints(0, 2), ints(3, 1), ints(1, 1)]
    yield "zero_dim_index", x, [torch.tensor(1), ints(0, 2)]
    yield "empty_index", x, [ints()]
    yield "empty_self", ramp(0, 3), [None, ints(2, 0)]
    yield "nothing_of_nothing", ramp(0, 3), [ints()]
    yield "trailing_none", x, [ints(1), None, None]
    yield "transposed", ramp(4, 3).t(), [ints(2, 0)]
    yield "transposed_second", ramp(4, 3).t(), [None, ints(2, 0)]
    yield "permuted", ramp(2, 3, 4).permute(2, 0, 1), [None, ints(1, 0, 1)]
    yield "permuted_apart", ramp(2, 3, 4).permute(2, 0, 1), [ints(0, 3), None, ints(2, 1)]
    yield "turned_table", x, [torch.tensor([[0, 1, 2], [2, 1, 0]]).t()]
    yield "offset", ramp(4, 6)[1:3, ::2], [ints(1, 1, 0)]
    yield "mask_first", x, [torch.tensor([True, False, True])]
    yield "mask_two_dims", x, [ramp(3, 4).remainder(3) == 0]
    yield "mask_all_dims", x, [ramp(3, 4, 2).remainder(5) == 0]
    yield "mask_second", x, [None, torch.tensor([True, False, False, True])]
    yield "mask_and_index", x, [torch.tensor([True, False, True]), ints(1, 0)]
    yield "mask_none", x, [torch.zeros(3, dtype=torch.bool)]
    yield "mask_uint8", x, [ints(1, 0, 1, dtype=torch.uint8)]
    yield "mask_turned", x, [(ramp(4, 3).remainder(3) == 0).t()]


def refusals():
    x = ramp(3, 4)
    yield "above", x, [ints(0, 3)]
    yield "below", x, [None, ints(-5)]
    yield "of_empty", ramp(0, 3), [ints(0)]
    yield "floats", x, [torch.tensor([0.0])]
    yield "shapes", x, [ints(0, 1), ints(0, 1, 2)]
    yield "too_many", x, [ints(0), ints(0), ints(0)]
    yield "mask_shape", x, [torch.tensor([True, False])]


def has_mask(indices):
    return any(t is not None and t.dtype in (torch.bool, torch.uint8) for t in indices)


def needs_data(name):
    return name in ("above", "below", "of_empty")


@family("index")
def _index():
    op = "aten::index.Tensor"
    for name, x, indices in selections():
        yield case(name, op, x, Tensors(indices), exact=True, no_meta=has_mask(indices))
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), Tensors([ints(1, 0)]), exact=True)
    for name, x, indices in refusals():
        hidden = needs_data(name) or has_mask(indices)
        yield case(f"refuses_{name}", op, x, Tensors(indices), status=INDEX, no_meta=hidden)
    picked = Tensors([None, ints(2, 0, 0)])
    yield from outs("aten::index.Tensor_out", [2, 3], ramp(2, 3), picked)
    unsafe = "aten::_unsafe_index.Tensor"
    yield case("unsafe", unsafe, ramp(2, 3), Tensors([None, ints(2, 0)]), exact=True)


@family("index_put")
def _index_put():
    op, in_place = "aten::index_put", "aten::index_put_"
    for name, x, indices in selections():
        if name == "trailing_none":
            continue
        selected = torch.ops.aten.index(x, indices)
        values = ramp(*selected.shape, start=100)
        hidden = has_mask(indices)
        args = Tensors(indices), values
        yield case(name, op, x, *args, exact=True, no_meta=hidden)
        yield case(f"{name}_in_place", in_place, x.clone(), *args, exact=True, no_meta=hidden)
        yield case(f"{name}_added", op, x, *args, True, exact=True, no_meta=hidden)
        if name == "mask_uint8":
            continue  # PyTorch refuses a number with uint8 masks, but not with bool masks
        one = Tensors(indices), torch.tensor(7.0)
        yield case(f"{name}_number", op, x, *one, exact=True, no_meta=hidden)
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        for adds in (False, True):
            args = Tensors([ints(1, 0, 1)]), sample(dtype, (3, 3), 1)
            x = sample(dtype)
            if adds:
                x = x.nan_to_num(1, 1, 1) if dtype.is_floating_point else x
            yield case(f"dtype_{short(dtype)}_{adds}", op, x, *args, adds)
    for name, x, indices in refusals():
        hidden = needs_data(name) or has_mask(indices)
        args = Tensors(indices), torch.tensor(1.0)
        yield case(f"refuses_{name}", op, x, *args, status=INDEX, no_meta=hidden)
    picked = Tensors([ints(1, 0)])
    yield case("leading_ones", op, ramp(3, 2), picked, ramp(1, 1, 2, 2), exact=True)
    yield case("broadcast_values", op, ramp(3, 2), picked, ramp(2, 1, start=9), exact=True)
    yield case("refuses_values_dtype", op, ramp(3, 2), picked, ramp(2, dtype=torch.float64))
    yield case("refuses_values_shape", op, ramp(3, 2), picked, ramp(3))
    yield from outs("aten::index_put.out", [3, 2], ramp(3, 2), picked, ramp(2, start=50))


def rows(op, tail, int32=True, exact=True):
    """Yields calls of an operator that takes a dim, a vector of indices, and `tail(sizes)`."""
    for name, x, dim, index in [
        ("first", ramp(3, 4, 2), 0, ints(2, 0, 1)),
        ("last", ramp(3, 4, 2), -1, ints(1, 0)),
        ("middle", ramp(3, 4, 2), 1, ints(3, 0, 2)),
        ("int32", ramp(3, 4), 0, ints(2, 0, dtype=torch.int32)),
        ("empty", ramp(3, 4), 0, ints()),
        ("transposed", ramp(4, 3).t(), 1, ints(0, 3)),
        ("strided", ramp(4, 6)[::2, 1:4], 1, ints(2, 0)),
        ("zero_dim_index", ramp(3, 2), 0, torch.tensor(1)),
        ("zero_dim", ramp(start=4), 0, ints(0)),
    ]:
        if name == "int32" and not int32:
            continue  # PyTorch refuses it here
        sizes = list(x.shape)
        if sizes:
            sizes[dim] = index.numel()
        yield case(name, op, x, dim, index, *tail(sizes), exact=exact)
    table = torch.tensor([[0, 1]])
    yield case("refuses_table", op, ramp(3, 4), 0, table, *tail([2, 4]), status=INVALID)
    yield case("refuses_floats", op, ramp(3), 0, torch.tensor([0.0]), *tail([1]), status=INVALID)
    yield case("refuses_dim", op, ramp(3), 1, ints(0), *tail([1]))
    far = ramp(3), 0, ints(3)
    yield case("refuses_bounds", op, *far, *tail([1]), status=INDEX, no_meta=True)


@family("index_select")
def _index_select():
    op = "aten::index_select"
    yield from rows(op, lambda sizes: [])
    yield case("repeated", op, ramp(3, 4), 1, ints(2, 2, 0), exact=True)
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), 1, ints(2, 0), exact=True)
    yield from outs("aten::index_select.out", [2, 2], ramp(2, 3), 1, ints(2, 0))
    grad = "aten::index_select_backward"
    yield case("backward", grad, ramp(2, 3), [2, 4], 1, ints(3, 0, 3), exact=True)


@family("index_add")
def _index_add():
    op = "aten::index_add"
    yield from rows(op, lambda sizes: [ramp(*sizes, start=100)])
    for dtype in INTS + FLOATS + COMPLEX:
        x = ramp(2, 3).to(dtype)
        yield case(f"dtype_{short(dtype)}", op, x, 1, ints(2, 2), ramp(2, 2, start=3).to(dtype))
        name = f"alpha_{short(dtype)}"
        yield case(name, op, x, 1, ints(2, 0), ramp(2, 2, start=3).to(dtype), alpha=2)
    source = ramp(2, 3, start=10)
    yield case("in_place", "aten::index_add_", ramp(4, 3), 0, ints(3, 1), source, alpha=0.5)
    yield from outs("aten::index_add.out", [4, 3], ramp(4, 3), 0, ints(3, 1), source)
    yield case("refuses_sizes", op, ramp(4, 3), 0, ints(3, 1), ramp(2, 2))
    yield case("refuses_dtype", op, ramp(4), 0, ints(3), ramp(1, dtype=torch.float64))


@family("index_copy")
def _index_copy():
    op = "aten::index_copy"
    yield from rows(op, lambda sizes: [ramp(*sizes, start=100)], int32=False)
    source = ramp(2, 3, start=10)
    yield case("in_place", "aten::index_copy_", ramp(4, 3), 0, ints(3, 1), source, exact=True)
    yield from outs("aten::index_copy.out", [4, 3], ramp(4, 3), 0, ints(3, 1), source)
    yield case("refuses_sizes", op, ramp(4, 3), 0, ints(3, 1), ramp(2, 2), status=INVALID)
    yield case("refuses_dtype", op, ramp(4), 0, ints(3), ramp(1, dtype=torch.float64))


@family("index_fill")
def _index_fill():
    op = "aten::index_fill.int_Scalar"
    yield from rows(op, lambda sizes: [7], int32=False)
    yield case("tensor", "aten::index_fill.int_Tensor", ramp(3), 0, ints(1), torch.tensor(5.0))
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), 1, ints(2, -1), 1, exact=True)
    yield case("in_place", "aten::index_fill_.int_Scalar", ramp(3), 0, ints(1), 9, exact=True)
    other = torch.tensor(5, dtype=torch.int32)
    yield case("in_place_tensor", "aten::index_fill_.int_Tensor", ramp(3), 0, ints(1), other)
    yield case("refuses_complex", op, ramp(3), 0, ints(1), 1j, status=INVALID)
    vector = "aten::index_fill.int_Tensor", ramp(3), 0, ints(1), ramp(1)
    yield case("refuses_vector", *vector)
    yield from outs("aten::index_fill.int_Scalar_out", [3], ramp(3), 0, ints(1), 9)


@family("take")
def _take():
    op = "aten::take"
    for name, x in [("row_major", ramp(2, 3)), ("transposed", ramp(3, 2).t()), ("one", ramp(1))]:
        for key, index in [("vector", ints(0, -1)), ("table", torch.tensor([[0], [0]]))]:
            yield case(f"{name}_{key}", op, x, index, exact=True)
    yield case("zero_dim", op, ramp(start=3), torch.tensor(0), exact=True)
    yield case("empty", op, ramp(0), ints(), exact=True)
    yield case("refuses_bounds", op, ramp(2, 3), ints(6), no_meta=True)
    yield case("refuses_int32", op, ramp(2, 3), ints(0, dtype=torch.int32), status=INVALID)
    yield from outs("aten::take.out", [2], ramp(2, 3), ints(5, 0))


@family("gather")
def _gather():
    op = "aten::gather"
    table = torch.tensor([[0, 2, 1], [1, 0, 0]])
    yield case("last", op, ramp(2, 3), 1, table, exact=True)
    yield case("first", op, ramp(3, 3), 0, table, exact=True)
    yield case("smaller", op, ramp(4, 5), -1, table, exact=True)
    yield case("transposed", op, ramp(3, 2).t(), 1, table, exact=True)
    yield case("transposed_index", op, ramp(3, 4), 1, table.t(), exact=True)
    yield case("three_dims", op, ramp(2, 3, 2), 1, torch.tensor([[[2, 0]], [[1, 1]]]), exact=True)
    yield case("vector", op, ramp(4), 0, ints(3, 3, 0), exact=True)
    yield case("zero_dim", op, ramp(start=5), 0, torch.tensor(0), exact=True)
    yield case("empty", op, ramp(2, 3), 0, ints(), exact=True)
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), 1, table, exact=True)
    yield from outs("aten::gather.out", [2, 3], ramp(2, 3), 1, table)
    far = ints(0, 3)
    yield case("refuses_bounds", op, ramp(3), 0, far, status=INDEX, no_meta=True)
    yield case("refuses_below", op, ramp(3), 0, ints(-1), status=INDEX, no_meta=True)
    yield case("refuses_dims", op, ramp(2, 3), 0, ints(0))
    yield case("refuses_sizes", op, ramp(1, 3), 1, table)
    yield case("refuses_floats", op, ramp(3), 0, torch.tensor([0.0]))
    along = "aten::take_along_dim"
    yield case("along_flat", along, ramp(2, 3), torch.tensor([[5, 0]]), exact=True)
    yield case("along_dim", along, ramp(2, 3), torch.tensor([[2]]), 1, exact=True)
    yield case("along_end", along, ramp(2, 3), torch.tensor([[-1], [-3]]), 1, exact=True)
    yield case("along_broadcast", along, ramp(1, 3), torch.tensor([[2], [0]]), 1, exact=True)
    yield case("along_refuses_dims", along, ramp(2, 3), ints(0), 1)
    picked = torch.tensor([[2], [0]])
    into = torch.zeros(2, 1)
    yield case("along_out", "aten::take_along_dim.out", ramp(2, 3), picked, 1, out=into)


def named(prefix, cases):
    for made in cases:
        yield dataclasses.replace(made, name=f"{prefix}_{made.name}")


@family("scatter")
def _scatter():
    table = torch.tensor([[0, 2], [1, 0]])
    src = ramp(2, 2, start=50)
    for name in ("scatter", "scatter_add"):
        dot = ".src" if name == "scatter" else ""
        op, in_place = f"aten::{name}{dot}", f"aten::{name}_{dot}"
        out = f"aten::{name}.src_out" if dot else f"aten::{name}.out"
        yield case(f"{name}_last", op, ramp(2, 3), 1, table, src)
        yield case(f"{name}_first", op, ramp(3, 3), 0, table, src)
        yield case(f"{name}_larger_src", op, ramp(2, 3), 1, table, ramp(3, 4, start=50))
        yield case(f"{name}_transposed", op, ramp(3, 2).t(), 1, table, src.t())
        yield case(f"{name}_vector", op, ramp(4), 0, ints(3, 0), ramp(2, start=9))
        yield case(f"{name}_zero_dim", op, ramp(), 0, torch.tensor(0), ramp(start=9))
        yield case(f"{name}_empty", op, ramp(2, 3), 0, ints(), ramp(0))
        yield case(f"{name}_in_place", in_place, ramp(2, 3), 1, table, src)
        yield case(f"{name}_in_place_strided", in_place, ramp(4, 6)[::2, ::2], 1, table, src)
        for dtype in INTS + FLOATS + COMPLEX:
            args = ramp(2, 3).to(dtype), 1, table, src.to(dtype)
            yield case(f"{name}_dtype_{short(dtype)}", op, *args)
        yield from named(name, outs(out, [2, 3], ramp(2, 3), 1, table, src))
        far = ramp(3), 0, ints(3), ramp(1)
        yield case(f"{name}_refuses_bounds", op, *far, status=INDEX, no_meta=True)
        yield case(f"{name}_refuses_dtype", op, ramp(3), 0, ints(0), ramp(1).double())
        yield case(f"{name}_refuses_src", op, ramp(3), 0, ints(0, 1), ramp(1))
        yield case(f"{name}_refuses_dims", op, ramp(2, 3), 0, ints(0), ramp(1))
    op = "aten::scatter.value"
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"value_{short(dtype)}", op, sample(dtype), 1, table, 1, exact=True)
    yield case("value_in_place", "aten::scatter_.value", ramp(2, 3), 1, table, 2.5, exact=True)
    yield from named("value", outs("aten::scatter.value_out", [2, 3], ramp(2, 3), 1, table, 7))


@family("scatter_reduce")
def _scatter_reduce():
    op, in_place = "aten::scatter_reduce.two", "aten::scatter_reduce_.two"
    table = torch.tensor([[0, 2, 0], [1, 1, 1]])
    src = ramp(2, 3, start=-2.5)
    for word in ("sum", "prod", "mean", "amax", "amin"):
        for own in (True, False):
            name, kept = f"{word}_{int(own)}", {"include_self": own}
            yield case(f"{name}_last", op, ramp(2, 3), 1, table, src, word, **kept)
            yield case(f"{name}_first", op, ramp(3, 3), 0, table, src, word, **kept)
            yield case(f"{name}_transposed", op, ramp(3, 2).t(), 1, table, src, word, **kept)
            more = ramp(3, 4, start=5)
            yield case(f"{name}_larger_src", op, ramp(2, 3), 1, table, more, word, **kept)
            vector = ramp(4), 0, ints(3, 0, 3), ramp(3, start=9)
            yield case(f"{name}_vector", op, *vector, word, **kept)
            one = ramp(start=2), 0, torch.tensor(0), ramp(start=9)
            yield case(f"{name}_zero_dim", op, *one, word, **kept)
            yield case(f"{name}_empty", op, ramp(2, 3), 1, ints(), ramp(0), word, **kept)
            yield case(f"{name}_in_place", in_place, ramp(2, 3), 1, table, src, word, **kept)
            gaps = ramp(4, 6)[::2, ::2]
            yield case(f"{name}_in_place_strided", in_place, gaps, 1, table, src, word, **kept)
            for dtype in BOOL + INTS + FLOATS + COMPLEX:
                args = sample(dtype), 1, table, sample(dtype, turn=2)
                if dtype.is_complex or dtype == torch.bool:
                    if word not in ("sum", "prod"):
                        continue  # refused below, or refused by PyTorch without a reason
                yield case(f"{name}_{short(dtype)}", op, *args, word, **kept)
        out = outs("aten::scatter_reduce.two_out", [2, 3], ramp(2, 3), 1, table, src, word)
        yield from named(word, out)
    numbers = torch.tensor([INF, NAN, -INF]), 0, ints(0, 1, 2), torch.tensor([NAN, 1.0, INF])
    for word in ("amax", "amin"):
        yield case(f"{word}_nan", op, *numbers, word)
        yield case(f"{word}_bool", op, sample(torch.bool), 1, table, table == 1, word)
        args = ramp(2, 3).cfloat(), 1, table, src.cfloat(), word
        yield case(f"{word}_refuses_complex", op, *args)
    yield case("mean_refuses_bool", op, sample(torch.bool), 1, table, table == 1, "mean")
    far = ramp(3), 0, ints(3), ramp(1), "sum"
    yield case("refuses_bounds", op, *far, status=INDEX, no_meta=True)
    yield case("refuses_dtype", op, ramp(3), 0, ints(0), ramp(1).double(), "sum")
    yield case("refuses_src", op, ramp(3), 0, ints(0, 1), ramp(1), "sum")
    yield case("refuses_dims", op, ramp(2, 3), 0, ints(0), ramp(1), "sum")
    yield case("refuses_word", op, ramp(3), 0, ints(0), ramp(1), "add")
    for word in ("add", "multiply"):
        kept = {"reduce": word}
        op, in_place = "aten::scatter.reduce", "aten::scatter_.reduce"
        of_value, value_in_place = "aten::scatter.value_reduce", "aten::scatter_.value_reduce"
        for dtype in BOOL + INTS + FLOATS + COMPLEX:
            args = sample(dtype), 1, table
            yield case(f"{word}_{short(dtype)}", op, *args, sample(dtype, turn=2), **kept)
            yield case(f"{word}_value_{short(dtype)}", of_value, *args, 3, **kept)
        yield case(f"{word}_in_place", in_place, ramp(2, 3), 1, table, src, **kept)
        yield case(f"{word}_value_in_place", value_in_place, ramp(2, 3), 1, table, 2.5, **kept)
        args = "aten::scatter.reduce_out", [2, 3], ramp(2, 3), 1, table, src
        yield from named(word, outs(*args, **kept))
        args = "aten::scatter.value_reduce_out", [2, 3], ramp(2, 3), 1, table, 2
        yield from named(f"{word}_value", outs(*args, **kept))
    yield case("add_refuses_word", op, ramp(3), 0, ints(0), ramp(1), reduce="sum")
    far = ramp(3), 0, ints(3), ramp(1)
    yield case("add_refuses_bounds", op, *far, reduce="add", status=INDEX, no_meta=True)


@family("masked_select")
def _masked_select():
    op = "aten::masked_select"
    mask = ramp(2, 3).remainder(2) == 0
    hidden = {"exact": True, "no_meta": True}
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), mask, **hidden)
    yield case("transposed", op, ramp(3, 2).t(), mask, **hidden)
    yield case("transposed_mask", op, ramp(3, 2), mask.t(), **hidden)
    yield case("broadcast_mask", op, ramp(2, 3), torch.tensor([True, False, True]), **hidden)
    yield case("broadcast_self", op, ramp(3), mask, **hidden)
    yield case("none", op, ramp(2, 3), torch.zeros(2, 3, dtype=torch.bool), **hidden)
    yield case("zero_dim", op, ramp(start=3), torch.tensor(True), **hidden)
    yield case("refuses_sizes", op, ramp(2, 2), mask, no_meta=True)
    yield case("refuses_ints", op, ramp(2), ints(0, 1))
    yield from outs("aten::masked_select.out", [3], ramp(2, 3), mask, no_meta=True)


@family("masked_scatter")
def _masked_scatter():
    op = "aten::masked_scatter"
    mask = ramp(2, 3).remainder(2) == 0
    hidden = {"exact": True, "no_meta": True}
    source = ramp(2, 2, start=50)
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), mask, source.to(dtype), **hidden)
    yield case("transposed", op, ramp(3, 2).t(), mask, source.t(), **hidden)
    yield case(
        "broadcast_mask", op, ramp(2, 3), torch.tensor([True, False, True]), source, **hidden
    )
    yield case("broadcast_self", op, ramp(3), mask, source, **hidden)
    yield case("zero_dim", op, ramp(), torch.tensor(True), source, **hidden)
    yield case("in_place", "aten::masked_scatter_", ramp(2, 3), mask, source, **hidden)
    yield case("refuses_few", op, ramp(2, 3), mask, ramp(2), no_meta=True)
    yield case("refuses_dtype", op, ramp(2, 3), mask, source.double())
    yield from outs("aten::masked_scatter.out", [2, 3], ramp(2, 3), mask, source, no_meta=True)
    grad = "aten::masked_scatter_backward"
    yield case("backward", grad, ramp(2, 3), mask, [2, 2], **hidden)


@family("embedding")
def _embedding():
    op = "aten::embedding"
    table = torch.tensor([[0, 2], [2, 2]])
    yield case("table", op, ramp(3, 2), table, exact=True)
    yield case("one", op, ramp(3, 2), torch.tensor(1), exact=True)
    yield case("int32", op, ramp(3, 2), table.int(), exact=True)
    yield case("padding", op, ramp(3, 2), table, 2, exact=True)
    yield case("empty", op, ramp(3, 2), ints(), exact=True)
    yield case("refuses_vector", op, ramp(3), ints(0))
    yield case("refuses_floats", op, ramp(3, 2), torch.tensor([0.0]), status=INVALID)
    yield case("refuses_bounds", op, ramp(3, 2), ints(3), no_meta=True)
    grad = "aten::embedding_dense_backward"
    for padding in (-1, 2):
        for scales in (False, True):
            args = ramp(2, 2, 2, start=1), table, 3, padding, scales
            yield case(f"backward_{padding}_{scales}", grad, *args)


@family("embedding_bag")
def _embedding_bag():
    op = "aten::_embedding_bag"
    indices, offsets = ints(0, 1, 1, 3, 2, 0), ints(0, 2, 2, 5)
    double = torch.float64  # float64, for which PyTorch also returns the bags of sums
    weight = (ramp(4, 3, dtype=double) * 1.25).remainder(4) - 1
    weights = ramp(6, dtype=double, start=0.5)
    for name in ("_embedding_bag", "_embedding_bag_forward_only"):
        for mode in (0, 1, 2):
            for padding in (-1, 1):
                args = indices, offsets, False, mode, False, None, False, padding
                yield case(f"{name}_{mode}_{padding}", f"aten::{name}", weight, *args)
        args = indices, offsets, False, 0, False, weights, False, 1
        yield case(f"{name}_weighted", f"aten::{name}", weight, *args)
        last = ints(0, 2, 2, 6)
        for mode in (1, 2):
            args = indices, last, False, mode, False, None, True, 1
            if mode == 1 or name == "_embedding_bag":
                yield case(f"{name}_last_{mode}", f"aten::{name}", weight, *args)
        for dtype in FLOATS:
            for mode in (1, 2):
                args = weight.to(dtype), indices, offsets, False, mode
                yield case(f"{name}_{short(dtype)}_{mode}", f"aten::{name}", *args)
        into = {f"out{k}": torch.zeros(0, dtype=torch.int64 if k else double) for k in range(4)}
        yield case(f"{name}_out", f"aten::{name}.out", weight, indices, offsets, **into)
    turned = weight.t().contiguous().t(), indices, ints(0, 1, 5)
    yield case("turned", op, *turned, False, 1)
    small = indices.int(), offsets.int()
    yield case("int32", op, weight, *small, False, 1)
    yield case("mixed", op, weight, indices.int(), offsets, False, 1)
    yield case("empty", op, weight, ints(), ints(0, 0), False, 2)
    no_meta = {"no_meta": True}
    yield case("refuses_index", op, weight, indices + 1, offsets, status=INDEX, **no_meta)
    yield case("refuses_first_offset", op, weight, indices, offsets + 1, **no_meta)
    yield case("refuses_last_offset", op, weight, indices, ints(0, 7), status=INVALID, **no_meta)
    yield case("refuses_mode", op, weight, indices, offsets, False, 3)
    args = weight, indices, offsets, False, 1, False, weights
    yield case("refuses_weights_of_mean", op, *args, status=INVALID)
    args = weight, indices, offsets, False, 0, False, weights[:5]
    yield case("refuses_few_weights", op, *args, status=INVALID)
    own = "aten::embedding_bag"
    yield case("own", own, weight, indices, offsets, False, 1)
    args = weight, indices, offsets, False, 1, False, None, False
    for padding in (None, 2, -2):
        yield case(f"own_padding_{padding}", f"{own}.padding_idx", *args, padding)
    yield case("own_refuses_padding", f"{own}.padding_idx", *args, 4, status=INVALID)
    grad, bags = ramp(4, 3, dtype=double, start=1), ints(0, 0, 2, 2, 2, 3)
    for mode in (0, 1, 2):
        for padding in (-1, 1):
            for by_freq in (False, True):
                if mode == 2 and by_freq:
                    continue  # which PyTorch refuses
                args = indices, offsets, by_freq, mode, False, None, False, padding
                _, bag_of, sizes, most = torch.ops.aten._embedding_bag(weight, *args)
                saved = bag_of, sizes, most, 4, by_freq, mode
                name = f"{mode}_{padding}_{int(by_freq)}"
                dense = "aten::_embedding_bag_dense_backward"
                yield case(f"dense_{name}", dense, grad, indices, *saved, None, padding)
                rest = *saved, False, None, padding
                back = "aten::_embedding_bag_backward"
                yield case(f"backward_{name}", back, grad, indices, offsets, *rest)
    args = indices, bags, ints(0, 0, 0, 0), ints(0, 0, 0, 0), 4, False, 0, weights
    yield case("dense_weighted", dense, grad, *args)
    yield case("dense_out", f"{dense}.out", grad, *args, out=torch.zeros(0, dtype=double))
    of_weights = "aten::_embedding_bag_per_sample_weights_backward"
    args = grad, weight, indices, offsets, bags, 0
    yield case("weights", of_weights, *args)
    yield case("weights_padding", of_weights, *args, 1)
    yield case("weights_out", f"{of_weights}.out", *args, out=torch.zeros(0, dtype=double))


@family("put")
def _put():
    op = "aten::put"
    table = torch.tensor([[0, -1], [3, 2]])
    source = ramp(2, 2, start=50)
    for adds in (False, True):
        yield case(f"plain_{adds}", op, ramp(2, 3), table, source, adds)
        yield case(f"turned_{adds}", op, ramp(3, 2).t(), table, source.t(), adds)
        yield case(f"in_place_{adds}", "aten::put_", ramp(2, 3), table, source, adds)
        gaps = ramp(4, 6)[::2, ::2]
        yield case(f"in_place_strided_{adds}", "aten::put_", gaps, table, source, adds)
        yield case(f"zero_dim_{adds}", op, ramp(start=2), ints(0), ramp(1, start=9), adds)
        yield case(f"empty_{adds}", op, ramp(2, 3), ints(), ramp(0), adds)
        for dtype in INTS + FLOATS + COMPLEX:
            args = ramp(2, 3).to(dtype), table, source.to(dtype), adds
            yield case(f"{short(dtype)}_{adds}", op, *args)
    yield case("twice", op, ramp(3), ints(1, 1), ramp(2, start=5), True)
    yield from outs("aten::put.out", [2, 3], ramp(2, 3), table, source)
    yield case("refuses_bounds", op, ramp(3), ints(3), ramp(1), status=INDEX, no_meta=True)
    yield case("refuses_dtype", op, ramp(3), ints(0), ramp(1).double(), status=INVALID)
    yield case("refuses_source", op, ramp(3), ints(0, 1), ramp(1), status=INVALID)
    yield case("refuses_floats", op, ramp(3), ramp(1), ramp(1), status=INVALID)


@family("index_reduce")
def _index_reduce():
    op, in_place = "aten::index_reduce", "aten::index_reduce_"
    for word in ("prod", "mean", "amax", "amin"):
        for own in (True, False):
            name, kept = f"{word}_{int(own)}", {"include_self": own}
            index = ints(2, 0, 2)
            src = ramp(3, 4, start=-2.5)
            yield case(f"{name}_first", op, ramp(3, 4), 0, index, src, word, **kept)
            yield case(f"{name}_last", op, ramp(4, 3), -1, index, src.t(), word, **kept)
            yield case(f"{name}_in_place", in_place, ramp(3, 4), 0, index, src, word, **kept)
            gaps = ramp(6, 8)[::2, ::2]
            yield case(f"{name}_in_place_strided", in_place, gaps, 0, index, src, word, **kept)
            one = ramp(start=2), 0, ints(0), ramp(start=9)
            yield case(f"{name}_zero_dim", op, *one, word, **kept)
            yield case(f"{name}_empty", op, ramp(3, 4), 0, ints(), ramp(0, 4), word, **kept)
            for dtype in INTS + FLOATS:
                args = ramp(3, 4).to(dtype), 0, index, ramp(3, 4, start=1).to(dtype), word
                yield case(f"{name}_{short(dtype)}", op, *args, **kept)
        out = outs("aten::index_reduce.out", [3, 4], ramp(3, 4), 0, index, src, word)
        yield from named(word, out)
    far = ramp(3), 0, ints(3), ramp(1), "prod"
    yield case("refuses_bounds", op, *far, status=INDEX, no_meta=True)
    yield case("refuses_dtype", op, ramp(3), 0, ints(0), ramp(1).double(), "prod")
    yield case("refuses_source", op, ramp(3), 0, ints(0, 1), ramp(1), "prod", status=INVALID)
    yield case("refuses_word", op, ramp(3), 0, ints(0), ramp(1), "sum", status=INVALID)
