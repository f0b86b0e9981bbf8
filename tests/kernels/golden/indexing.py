# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that read and write where index tensors and masks say."""

import torch

from cases import ALL, BOOL, COMPLEX, FLOATS, INTS, Tensors, case, family, outs, ramp, sample, short

INDEX = "TENON_ERROR_INDEX"


def ints(*numbers, dtype=torch.int64):
    return torch.tensor(numbers, dtype=dtype)


def selections():
    """A tensor and what is selected of it, by name; masks are named so."""
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
            continue  # PyTorch refuses a number here, which it takes for bools
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
