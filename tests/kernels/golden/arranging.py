# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that arrange elements: diagonals, windows, repetitions, triangles."""

import itertools

import torch

from cases import BOOL, COMPLEX, FLOATS, INTS, Tensors, case, family, layouts, ramp, sample, short

INVALID = "TENON_ERROR_INVALID_ARGUMENT"


@family("diagonal")
def _diagonal():
    for offset in (-4, -1, 0, 2, 5):
        for key, tensor in {
            "wide": ramp(3, 5),
            "high": ramp(5, 3),
            "turned": ramp(5, 3).t(),
        }.items():
            args = f"{key}_{offset}", "aten::diagonal", tensor, offset
            yield case(*args, exact=True)
            yield case(f"{key}_{offset}_copy", "aten::diagonal_copy", tensor, offset, exact=True)
            yield case(f"diag_{key}_{offset}", "aten::diag", tensor, offset, exact=True)
        yield case(f"diag_vector_{offset}", "aten::diag", ramp(2), offset, exact=True)
        yield case(f"embed_{offset}", "aten::diag_embed", ramp(2, 3), offset, exact=True)
        back = ramp(max(0, min(3 + min(offset, 0), 5 - max(offset, 0))), start=1)
        args = back, [3, 5], offset, 0, 1
        yield case(f"backward_{offset}", "aten::diagonal_backward", *args, exact=True)
    yield case("dims", "aten::diagonal", ramp(2, 3, 4), 1, -1, 0, exact=True)
    yield case("embed_dims", "aten::diag_embed", ramp(2, 3), 1, 0, 2, exact=True)
    yield case("embed_turned", "aten::diag_embed", ramp(2, 3), -1, 1, 0, exact=True)
    yield case("empty", "aten::diagonal", ramp(0, 3), exact=True)
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", "aten::diag", sample(dtype), exact=True)
    yield case("refuses_same_dim", "aten::diagonal", ramp(2, 3), 0, 1, -1)
    yield case("refuses_dim", "aten::diagonal", ramp(2, 3), 0, 0, 2)
    yield case("diag_refuses", "aten::diag", ramp(2, 2, 2), status=INVALID)
    yield case("diag_out", "aten::diag.out", ramp(2), out=torch.zeros(0), exact=True)


@family("unfold")
def _unfold():
    for size, step in itertools.product((0, 1, 2, 5), (1, 2, 3)):
        yield case(f"{size}_{step}", "aten::unfold", ramp(2, 5), 1, size, step, exact=True)
        count = (5 - size) // step + 1
        args = ramp(2, count, size, start=1), [2, 5], 1, size, step
        yield case(f"{size}_{step}_backward", "aten::unfold_backward", *args, exact=True)
    yield case("turned", "aten::unfold", ramp(5, 2).t(), -1, 2, 1, exact=True)
    yield case("zero_dim", "aten::unfold", ramp(start=3), 0, 1, 1, exact=True)
    yield case("refuses_size", "aten::unfold", ramp(3), 0, 4, 1)
    yield case("refuses_step", "aten::unfold", ramp(3), 0, 1, 0)


@family("view_scatter")
def _view_scatter():
    whole = ramp(3, 4)
    yield case("diagonal", "aten::diagonal_scatter", whole, ramp(3, start=20), 1, exact=True)
    yield case("select", "aten::select_scatter", whole, ramp(3, start=20), 1, -1, exact=True)
    row = ramp(2, 4, start=20)
    yield case("slice", "aten::slice_scatter", whole, row, 0, 1, 3, exact=True)
    yield case("slice_step", "aten::slice_scatter", whole, row, 0, None, None, 2, exact=True)
    yield case("diagonal_refuses", "aten::diagonal_scatter", whole, ramp(2), status=INVALID)
    yield case("select_refuses", "aten::select_scatter", whole, ramp(3), 0, 0, status=INVALID)
    yield case("slice_refuses", "aten::slice_scatter", whole, ramp(2), status=INVALID)


@family("repeat")
def _repeat():
    for key, tensor in layouts().items():
        repeats = [2, *[1] * (tensor.dim() - 1), 3]
        yield case(f"layout_{key}", "aten::repeat", tensor, repeats, exact=True)
    for repeats in ([1], [0], [3], [2, 2], [1, 1, 4]):
        name = "_".join(map(str, repeats))
        yield case(f"vector_{name}", "aten::repeat", ramp(3), repeats, exact=True)
        yield case(f"tile_{name}", "aten::tile", ramp(2, 3), repeats, exact=True)
    yield case("zero_dim", "aten::repeat", ramp(start=2), [2, 3], exact=True)
    yield case("zero_dim_none", "aten::repeat", ramp(start=2), [], exact=True)
    yield case("refuses_few", "aten::repeat", ramp(2, 3), [2])
    yield case("refuses_below", "aten::repeat", ramp(3), [-1])
    for dim in (None, 0, 1, -1):
        each = "aten::repeat_interleave.self_int"
        yield case(f"interleave_{dim}", each, ramp(2, 3), 2, dim, exact=True)
    counts = torch.tensor([2, 0, 3])
    each = "aten::repeat_interleave.self_Tensor"
    yield case("interleave_counts", each, ramp(2, 3), counts, 1, exact=True, no_meta=True)
    one = torch.tensor([2])
    yield case("interleave_one", each, ramp(2, 3), one, exact=True, no_meta=True)
    yield case("interleave_refuses", each, ramp(2, 3), counts, 0)
    op = "aten::repeat_interleave.Tensor"
    yield case("places", op, counts, exact=True, no_meta=True)
    yield case("places_int", op, counts.int(), exact=True, no_meta=True)
    yield case("places_narrow", op, counts.byte(), exact=True, no_meta=True)
    narrow = counts.to(torch.int16)
    yield case("interleave_narrow", each, ramp(2, 3), narrow, 1, exact=True, no_meta=True)
    yield case("places_refuses", op, torch.tensor([1, -1]), no_meta=True)
    yield case("places_overflow", op, torch.tensor([2**63 - 1, 2, 2**63 - 1]), no_meta=True)


@family("rot90")
def _rot90():
    for quarters in (-3, -1, 0, 1, 2, 4, 7):
        yield case(f"turns_{quarters}", "aten::rot90", ramp(2, 3), quarters, exact=True)
        args = ramp(2, 3, 4), quarters, [2, 0]
        yield case(f"dims_{quarters}", "aten::rot90", *args, exact=True)
    yield case("fliplr", "aten::fliplr", ramp(2, 3), exact=True)
    yield case("flipud", "aten::flipud", ramp(2, 3), exact=True)
    yield case("fliplr_refuses", "aten::fliplr", ramp(3))
    yield case("refuses_dims", "aten::rot90", ramp(2, 3), 1, [0, 0])
    yield case("refuses_vector", "aten::rot90", ramp(3), 1, [0, 0])


@family("tril")
def _tril():
    for name, diagonal in itertools.product(("tril", "triu"), (-9, -1, 0, 1, 3, 9)):
        op = f"aten::{name}"
        for key, tensor in {"wide": ramp(3, 5), "high": ramp(2, 5, 3)}.items():
            yield case(f"{name}_{key}_{diagonal}", op, tensor, diagonal, exact=True)
        args = f"{name}_in_place_{diagonal}", f"{op}_", ramp(4, 3), diagonal
        yield case(*args, exact=True)
        turned = ramp(5, 3).t()
        yield case(f"{name}_turned_{diagonal}", op, turned, diagonal, exact=True)
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"dtype_{short(dtype)}", "aten::triu", sample(dtype), exact=True)
    yield case("empty", "aten::tril", ramp(0, 3), exact=True)
    yield case("out", "aten::tril.out", ramp(3, 3), out=torch.zeros(0), exact=True)
    yield case("out_turned", "aten::triu.out", ramp(2, 3), out=ramp(3, 2).t(), exact=True)
    yield case("refuses_vector", "aten::tril", ramp(3))


@family("new_empty")
def _new_empty():
    like = ramp(2, dtype=torch.int32)
    yield case("zeros", "aten::new_zeros", like, [2, 3], exact=True)
    yield case("ones", "aten::new_ones", like, [3], dtype=torch.float64, exact=True)
    yield case("full", "aten::new_full", like, [3], 7, exact=True)
    yield case("none", "aten::new_empty", like, [0, 2], exact=True)
    yield case("none_strided", "aten::new_empty_strided", like, [0, 2], [1, 5], exact=True)
    yield case("zeros_out", "aten::new_zeros.out", like, [2], out=ramp(3), exact=True)


@family("stacking")
def _least_dims():
    for dims, shape in itertools.product((1, 2, 3), ((), (3,), (2, 3), (2, 3, 4), (1, 2, 3, 4))):
        name = f"{dims}_of_{len(shape)}"
        yield case(name, f"aten::atleast_{dims}d", ramp(*shape), exact=True)
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        for key, shape in {"number": (), "vector": (3,), "matrix": (3, 2)}.items():
            pair = Tensors([ramp(*shape), ramp(*shape, start=7)])
            yield case(f"{name}_{key}", f"aten::{name}", pair, exact=True)


@family("tril_indices")
def _tril_indices():
    for name in ("tril_indices", "triu_indices"):
        op = f"aten::{name}"
        for rows, columns in ((3, 3), (2, 4), (4, 2), (0, 3), (3, 0), (1, 1)):
            for offset in (-5, -1, 0, 1, 3):
                label = f"{name}_{rows}_{columns}_{offset}"
                yield case(label, op, rows, columns, offset, exact=True)
        yield case(f"{name}_int32", op, 3, 4, dtype=torch.int32, exact=True)
        out = torch.zeros(0, dtype=torch.int64)
        yield case(f"{name}_out", f"{op}.out", 3, 4, 1, out=out, exact=True)
        yield case(f"{name}_refuses_rows", op, -1, 4)
        yield case(f"{name}_refuses_columns", op, 4, -1)
