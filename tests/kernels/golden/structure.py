# SPDX-License-Identifier: Apache-2.0
"""Calls of views, reductions, products, and operators that move elements."""

import itertools

import torch

from cases import (
    ALL,
    BOOL,
    COMPLEX,
    FLOATS,
    INF,
    INTS,
    NAN,
    FAMILIES,
    Tensors,
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


# ---- views -------------------------------------------------------------------------------------
def view_of(op, tensor, *args, name, **kwargs):
    return case(name, op, tensor, *args, exact=True, **kwargs)


@family("view")
def _view():
    op = "aten::view"
    good = [
        ((2, 3), [6]),
        ((2, 3), [3, 2]),
        ((2, 3), [-1]),
        ((2, 3), [1, 2, -1, 1]),
        ((), [1, 1]),
        ((1,), []),
        ((0, 3), [3, 0]),
        ((0, 3), [0]),
        ((4, 0), [-1, 4]),
        ((2, 3, 4), [6, 4]),
        ((2, 3, 4), [2, 12]),
    ]
    for shape, size in good:
        name = "x".join(map(str, shape)) + "_to_" + "x".join(map(str, size))
        yield view_of(op, ramp(*shape), size, name=name)
    permuted = ramp(4, 2, 3).permute(1, 2, 0)
    yield view_of(op, permuted, [6, 4], name="merges_adjacent")
    yield view_of(op, permuted, [2, 3, 2, 2], name="splits_strided")
    yield view_of(op, permuted, [2, 1, 3, 4], name="inserts_one")
    yield view_of(op, ramp(3).expand(4, 3), [2, 2, 3], name="splits_expanded")
    yield view_of(op, ramp(6, 4)[1:, 1:3], [5, 2, 1], name="offset")
    yield view_of(op, ramp(2, 3).t(), [6], name="refuses_transposed")
    yield view_of(op, ramp(2, 3), [7], name="refuses_count")
    tensors = {
        "row_major": ramp(4, 6),
        "turned": ramp(6, 4).t(),
        "offset": ramp(6, 8)[2:, 2:6],
        "offset_odd": ramp(6, 8)[2:, 1:5],
        "strided": ramp(4, 12)[:, ::2],
        "expanded": ramp(1, 4).expand(3, 4),
        "odd_rows": ramp(4, 5)[:, :4],
        "zero_dim": ramp(),
        "empty": ramp(0, 4),
        "column": ramp(3, 1),
    }
    for (key, tensor), dtype in itertools.product(
        tensors.items(), [torch.float32, torch.int32, torch.int16, torch.float64]
    ):
        yield view_of("aten::view.dtype", tensor, dtype, name=f"dtype_{key}_{short(dtype)}")
    yield view_of(op, ramp(2, 3), [-1, -1], name="refuses_two_unknown")
    yield view_of(op, ramp(2, 3), [4, -1], name="refuses_remainder")
    yield view_of(op, ramp(2, 3), [-2, 3], name="refuses_negative")
    yield view_of(op, ramp(0, 3), [-1, 0], name="refuses_ambiguous")


@family("unsafe_view")
def _unsafe_view():
    yield view_of("aten::_unsafe_view", ramp(2, 3), [3, -1], name="view")


@family("reshape")
def _reshape():
    op = "aten::reshape"
    yield view_of(op, ramp(2, 3), [3, 2], name="view")
    yield view_of(op, ramp(2, 3).t(), [6], name="copies")
    yield view_of(op, ramp(2, 3).t(), [-1, 1, 3], name="copies_unknown")
    yield view_of(op, ramp(3).expand(2, 3), [6], name="copies_expanded")
    yield view_of(op, ramp(0, 3), [3, 0, 2], name="empty")
    yield view_of(op, ramp(), [1], name="zero_dim")
    yield view_of(op, ramp(2, 3), [4], name="refuses_count")
    # Contiguous, although one stride would describe it.
    yield case("ravel_with_gaps", "aten::ravel", ramp(6)[::2], exact=True)
    yield view_of("aten::ravel", ramp(2, 3), name="ravel_view")


@family("as_strided")
def _as_strided():
    op = "aten::as_strided"
    yield view_of(op, ramp(10), [2, 3], [4, 1], name="rows")
    yield view_of(op, ramp(10), [3, 3], [1, 1], 2, name="overlapping")
    yield view_of(op, ramp(10)[3:], [2], [2], name="keeps_offset")
    yield view_of(op, ramp(10)[3:], [2], [2], 0, name="sets_offset")
    yield view_of(op, ramp(4), [5], [1], name="refuses_outside")
    yield view_of(op, ramp(4), [2, 2], [1], name="refuses_counts")
    yield view_of(op, ramp(4), [2], [-1], name="refuses_negative")


@family("transpose")
def _transpose():
    op = "aten::transpose.int"
    for dims in [(0, 1), (-1, -3), (1, 1), (2, 0)]:
        yield view_of(op, ramp(2, 3, 4), *dims, name=f"dims_{dims[0]}_{dims[1]}")
    yield view_of(op, ramp(), 0, -1, name="zero_dim")
    yield view_of(op, ramp(2, 3), 0, 2, name="refuses_dim")


@family("t")
def _t():
    for shape in [(), (3,), (2, 3)]:
        yield view_of("aten::t", ramp(*shape), name=f"dims_{len(shape)}")
    yield view_of("aten::t", ramp(2, 3, 4), name="refuses_three")


@family("permute")
def _permute():
    op = "aten::permute"
    for number, dims in enumerate([[0, 1, 2], [2, 0, 1], [-1, 1, -3]]):
        yield view_of(op, ramp(2, 3, 4), dims, name=f"dims_{number}")
    yield view_of(op, ramp(), [], name="zero_dim")
    yield view_of(op, ramp(2, 3), [0, 0], name="refuses_duplicates")
    yield view_of(op, ramp(2, 3), [0], name="refuses_count")
    yield view_of(op, ramp(2, 3), [0, 2], name="refuses_dim")


@family("movedim")
def _movedim():
    op = "aten::movedim.intlist"
    for number, (source, target) in enumerate(
        [([0], [2]), ([0, 1], [1, 0]), ([-1], [0]), ([2, 0], [0, 1]), ([], [])]
    ):
        yield view_of(op, ramp(2, 3, 4), source, target, name=f"dims_{number}")
    yield view_of("aten::movedim.int", ramp(2, 3, 4), 0, -1, name="int")
    yield view_of(op, ramp(), [0], [0], name="zero_dim")
    yield view_of(op, ramp(2, 3), [0, 0], [0, 1], name="refuses_duplicates")
    yield view_of(op, ramp(2, 3), [0, 1], [1, 1], name="refuses_duplicate_targets")
    yield view_of(op, ramp(2, 3), [0], [0, 1], name="refuses_counts")
    yield view_of(op, ramp(2, 3), [2], [0], name="refuses_dim")


@family("expand")
def _expand():
    op = "aten::expand"
    for shape, size in [
        ((3,), [2, 3]),
        ((2, 1), [2, 4]),
        ((2, 1), [-1, 4]),
        ((), [2, 2]),
        ((1, 3), [0, 3]),
        ((2, 3), [2, 3]),
        ((0, 1), [0, 5]),
        ((3,), [2, 1, 3]),
        ((), [1]),
        ((), [2, 1]),
        ((), [0]),
    ]:
        name = "x".join(map(str, shape)) + "_to_" + "x".join(map(str, size))
        yield view_of(op, ramp(*shape), size, name=name)
    yield view_of(op, ramp(2, 3), [3, 3], name="refuses_size")
    yield view_of(op, ramp(2, 3), [3], name="refuses_fewer")
    yield view_of(op, ramp(3), [-1, 3], name="refuses_unknown_new")
    yield view_of(op, ramp(1, 3), [-2, 3], name="refuses_negative")


@family("unsqueeze")
def _unsqueeze():
    for dim in [0, 1, 2, -1, -3]:
        yield view_of("aten::unsqueeze", ramp(2, 3), dim, name=f"dim_{dim}")
    yield view_of("aten::unsqueeze", ramp(), 0, name="zero_dim")
    yield view_of("aten::unsqueeze", ramp(2, 3).t(), 1, name="transposed")
    yield view_of("aten::unsqueeze", ramp(2, 3), 3, name="refuses_dim")


@family("squeeze")
def _squeeze():
    for dim in [0, 1, 2, -1]:
        yield view_of("aten::squeeze.dim", ramp(1, 2, 1), dim, name=f"dim_{dim}")
    yield view_of("aten::squeeze.dim", ramp(), 0, name="zero_dim")
    yield view_of("aten::squeeze.dim", ramp(2, 3), 2, name="refuses_dim")
    yield view_of("aten::squeeze", ramp(1, 2, 1, 3), name="all")
    yield view_of("aten::squeeze", ramp(1, 1), name="all_to_zero_dim")
    for dims in [[0], [0, 2], [-1, 0], [1], [], [0, 1, 2]]:
        name = "dims_" + "_".join(map(str, dims))
        yield view_of("aten::squeeze.dims", ramp(1, 2, 1), dims, name=name)
    yield view_of("aten::squeeze.dims", ramp(), [-1], name="dims_zero_dim")
    yield view_of("aten::squeeze.dims", ramp(1, 2), [0, -2], name="refuses_dims_twice")
    yield view_of("aten::squeeze.dims", ramp(1, 2), [2], name="refuses_dims_beyond")


@family("slice")
def _slice():
    op = "aten::slice.Tensor"
    for number, rest in enumerate(
        [
            (0, 1, 3),
            (0, None, None, 2),
            (1, -2, None),
            (1, 0, 100),
            (-1, 1, -1),
            (0, 3, 1),
            (0, -100, 2),
            (1, 1, None, 3),
            (0, 4, 9),
            (0, 2**62, 2**63 - 1),
        ]
    ):
        yield view_of(op, ramp(4, 5), *rest, name=f"range_{number}")
    yield view_of(op, ramp(4, 5).t(), 0, 1, 4, 2, name="transposed")
    yield view_of(op, ramp(0, 3), 0, 0, 2, name="empty")
    yield view_of(op, ramp(4, 5), name="defaults")
    yield view_of(op, ramp(4), 0, 0, 4, 0, name="refuses_step_zero")
    yield view_of(op, ramp(4), 0, 0, 4, -1, name="refuses_step_negative")
    yield view_of(op, ramp(4), 1, 0, 4, 1, name="refuses_dim")
    yield view_of(
        op, ramp(), 0, 0, 1, 1, name="refuses_zero_dim", status="TENON_ERROR_INVALID_ARGUMENT"
    )


@family("select")
def _select():
    op = "aten::select.int"
    for dim, index in [(0, 0), (0, -1), (1, 2), (-1, -3)]:
        yield view_of(op, ramp(2, 3), dim, index, name=f"dim_{dim}_index_{index}")
    yield view_of(op, ramp(2, 3)[1:].t(), 0, 1, name="offset")
    yield view_of(op, ramp(2, 3), 0, 2, name="refuses_index")
    yield view_of(op, ramp(2, 3), 0, -3, name="refuses_negative_index")
    yield view_of(op, ramp(2, 3), 2, 0, name="refuses_dim")
    yield view_of(op, ramp(), 0, 0, name="refuses_zero_dim")


for _name in ["alias", "detach"]:
    FAMILIES[_name] = (
        lambda n: (
            lambda: (
                view_of(f"aten::{n}", tensor, name=f"layout_{key}")
                for key, tensor in {**layouts(), **odd_shapes()}.items()
            )
        )
    )(_name)


# ---- reductions --------------------------------------------------------------------------------
DIMS = [[0], [1], [-1], [0, 2], [1, 2], [0, 1, 2], []]


@family("sum")
def _sum():
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", "aten::sum", small(dtype))
        yield case(f"dim_{short(dtype)}", "aten::sum.dim_IntList", small(dtype).expand(3, 2), [0])
    yield case("specials", "aten::sum.dim_IntList", sample(torch.float32, (2, 4)), [1])
    yield case("wraps", "aten::sum", torch.tensor([2**63 - 1, 1], dtype=torch.int64))
    for dtype, to in [
        (torch.int32, torch.int32),
        (torch.int32, torch.bool),
        (torch.float32, torch.int8),
        (torch.int64, torch.float32),
        (torch.float16, torch.float64),
        (torch.float32, torch.float16),
        (torch.float32, torch.complex64),
        (torch.bool, torch.uint8),
    ]:
        yield case(f"{short(dtype)}_as_{short(to)}", "aten::sum", small(dtype), dtype=to)
    yield from _reductions("aten::sum.dim_IntList")
    yield case("none_means_all", "aten::sum.dim_IntList", ramp(2, 3), None)
    # Adding 0.1 ten thousand times in float16 would stop at 256.
    yield case(
        "float16_adds_in_float32",
        "aten::sum",
        torch.full((10000,), 0.1, dtype=torch.float16)[:1].expand(10000),
    )
    yield case(
        "bfloat16_adds_in_float32",
        "aten::sum",
        torch.full((1,), 0.1, dtype=torch.bfloat16).expand(5000),
    )
    yield case("float32_long", "aten::sum", ramp(1, start=0.1).expand(100000))


def _reductions(op, no_empty=False):
    for dims in DIMS:
        for keep in [False, True]:
            name = "_".join(str(d) for d in dims) or "all"
            yield case(f"dims_{name}_{'keep' if keep else 'drop'}", op, ramp(2, 3, 4), dims, keep)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        if tensor.numel() or not no_empty:
            yield case(f"layout_{key}_all", op, tensor, [])
        if tensor.dim() > 0:
            yield case(f"layout_{key}_last", op, tensor, [-1])
            if tensor.numel() or not no_empty:
                yield case(f"layout_{key}_first", op, tensor, [0], True)
    yield case("permuted_5d", op, ramp(2, 3, 2, 2, 3).permute(4, 1, 0, 3, 2), [1, 3])
    yield case("many_results", op, ramp(3, 150), [0])
    yield case("many_results_strided", op, ramp(3, 150)[:, ::2], [0])
    yield case("long_rows", op, ramp(2, 1, start=0.1).expand(2, 9000), [1])
    yield case("long_columns", op, ramp(3, start=0.1).expand(9000, 3), [0])
    yield case("empty_kept", op, ramp(0, 3), [1])
    yield case("refuses_dim", op, ramp(2, 3), [2])
    yield case("refuses_duplicates", op, ramp(2, 3), [0, -2])


@family("mean")
def _mean():
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", "aten::mean.dim", small(dtype), [0])
    for dtype, to in [
        (torch.int32, torch.float32),
        (torch.int64, torch.float64),
        (torch.float32, torch.float16),
        (torch.bool, torch.float32),
        (torch.int32, torch.int64),
    ]:
        yield case(f"{short(dtype)}_as_{short(to)}", "aten::mean.dim", small(dtype), [0], dtype=to)
    yield from _reductions("aten::mean.dim")
    yield case("all", "aten::mean", ramp(2, 3))
    yield case("all_as", "aten::mean", ramp(2, 3, dtype=torch.int32), dtype=torch.float32)
    yield case("none_means_all", "aten::mean.dim", ramp(2, 3), None)
    yield case("float16", "aten::mean.dim", ramp(40, 2, dtype=torch.float16, step=10), [0])


@family("amax")
def _amax():
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", "aten::amax", sample(dtype, (2, 4)), [1], exact=True)
        yield case(f"columns_{short(dtype)}", "aten::amax", sample(dtype, (4, 3)), [0], exact=True)
    yield from _reductions("aten::amax", no_empty=True)
    row = torch.full((40,), -5.0)
    row[33] = NAN
    row[35] = INF
    yield case("nan_wins", "aten::amax", row, [0], exact=True)
    yield case("all_negative_infinity", "aten::amax", torch.full((20,), -INF), [0], exact=True)
    yield case("refuses_empty", "aten::amax", ramp(0, 3), [0], status="TENON_ERROR_INDEX")
    yield case("refuses_empty_all", "aten::amax", ramp(0, 3), status="TENON_ERROR_INDEX")


@family("argmax")
def _argmax():
    op = "aten::argmax"
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype, (2, 4)), 1, exact=True)
        yield case(f"columns_{short(dtype)}", op, sample(dtype, (4, 3)), 0, exact=True)
        yield case(f"all_{short(dtype)}", op, sample(dtype, (3, 4)), exact=True)
    for key, tensor in {**layouts(), **odd_shapes()}.items():
        if tensor.numel():
            yield case(f"layout_{key}", op, tensor, exact=True)
            yield case(f"layout_{key}_keep", op, tensor, 0, True, exact=True)
            yield case(f"layout_{key}_last", op, tensor, -1, exact=True)
    yield case("first_of_equals", op, torch.tensor([1.0, 3.0, 3.0, 2.0]), exact=True)
    yield case(
        "first_of_equals_transposed", op, torch.tensor([[1.0, 5.0], [5.0, 2.0]]).t(), exact=True
    )
    yield case("first_nan", op, torch.tensor([1.0, NAN, INF, NAN]), exact=True)
    yield case("many_results", op, ramp(3, 150, step=-1), 0, exact=True)
    yield case("long", op, ramp(5000).remainder(997), exact=True)
    yield case("empty_kept", op, ramp(0, 3), 1, exact=True)
    yield case("refuses_empty", op, ramp(0, 3), 0)
    yield case("refuses_empty_all", op, ramp(0))
    yield case("refuses_dim", op, ramp(2, 3), 2)


# ---- products ----------------------------------------------------------------------------------
def matrix(dtype, rows, columns, start=1):
    whole = (torch.arange(rows * columns) * 7 + start) % 5 - (0 if dtype == torch.uint8 else 2)
    result = whole.reshape(rows, columns).to(torch.float32)
    if dtype.is_complex:
        return (result + 1j * result.flip(0)).to(dtype)
    return result.to(dtype)


@family("mm")
def _mm():
    op = "aten::mm"
    yield from outs("aten::mm.out", [2, 4], ramp(2, 3), ramp(3, 4))
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, matrix(dtype, 3, 4), matrix(dtype, 4, 2, 3))
    for dtype in [torch.float32, torch.float64, torch.complex64, torch.int32, torch.bfloat16]:
        for a_t, b_t in itertools.product([False, True], repeat=2):
            a, b = matrix(dtype, 3, 4), matrix(dtype, 4, 5, 2)
            a = a.t().contiguous().t() if a_t else a
            b = b.t().contiguous().t() if b_t else b
            yield case(f"transposed_{int(a_t)}{int(b_t)}_{short(dtype)}", op, a, b)
    yield case("strided", op, ramp(6, 8)[::2, ::2], ramp(8, 9)[1:5, ::3])
    yield case("expanded", op, ramp(3).expand(2, 3), ramp(3, 1).expand(3, 4))
    for n, k, m in [
        (0, 3, 2),
        (2, 0, 3),
        (2, 3, 0),
        (0, 0, 0),
        (1, 1, 1),
        (1, 5, 1),
        (5, 1, 3),
        (1, 3, 4),
        (4, 3, 1),
    ]:
        yield case(f"sizes_{n}x{k}x{m}", op, ramp(n, k), ramp(k, m, start=1))
    yield case("rows_apart", op, ramp(4, 10)[:, 2:5], ramp(3, 7)[:, 1:3])
    yield case("one_row_transposed", op, ramp(4, 1).t(), ramp(4, 2))
    yield case("nan", op, sample(torch.float32, (2, 2), 4), ramp(2, 2))
    yield case("large", op, matrix(torch.float32, 33, 47), matrix(torch.float32, 47, 29, 2))
    yield case(
        "int8_wraps",
        op,
        torch.full((2, 3), 100, dtype=torch.int8),
        torch.full((3, 2), 2, dtype=torch.int8),
    )
    yield case("refuses_sizes", op, ramp(2, 3), ramp(2, 3))
    yield case("refuses_vector", op, ramp(2, 3), ramp(3))
    yield case("refuses_batch", op, ramp(1, 2, 3), ramp(3, 2))
    yield case("refuses_dtypes", op, ramp(2, 3), ramp(3, 2, dtype=torch.float64))


@family("bmm")
def _bmm():
    op = "aten::bmm"
    made = outs("aten::bmm.out", [2, 2, 4], ramp(2, 2, 3), ramp(2, 3, 4))
    # PyTorch writes all matrices to one address.
    yield from (case for case in made if case.name != "out_refuses_expanded")
    for dtype in ALL:
        a = torch.stack(
            [
                matrix(dtype, 2, 3).float() if not dtype.is_complex else matrix(dtype, 2, 3),
                matrix(dtype, 2, 3, 4).float() if not dtype.is_complex else matrix(dtype, 2, 3, 4),
            ]
        ).to(dtype)
        yield case(f"dtype_{short(dtype)}", op, a, a.transpose(1, 2))
    yield case("permuted", op, ramp(3, 2, 4).permute(1, 0, 2), ramp(4, 5, 2).permute(2, 0, 1))
    yield case("expanded", op, ramp(2, 3).expand(4, 2, 3), ramp(4, 3, 2))
    for b, n, k, m in [(0, 2, 3, 4), (2, 0, 3, 4), (2, 3, 0, 4), (1, 1, 1, 1)]:
        yield case(f"sizes_{b}x{n}x{k}x{m}", op, ramp(b, n, k), ramp(b, k, m))
    yield case("refuses_batches", op, ramp(2, 2, 3), ramp(1, 3, 2))
    yield case("refuses_sizes", op, ramp(2, 2, 3), ramp(2, 2, 3))
    yield case("refuses_matrix", op, ramp(2, 3), ramp(2, 3, 2))
    yield case("refuses_dtypes", op, ramp(1, 2, 3), ramp(1, 3, 2, dtype=torch.float64))


@family("matmul")
def _matmul():
    op = "aten::matmul"
    yield from outs("aten::matmul.out", [2, 4], ramp(2, 3), ramp(3, 4))
    for name, left, right in [
        ("batch", ramp(5, 2, 3), ramp(3, 4)),
        ("vectors", ramp(3), ramp(3)),
        ("refused", ramp(2, 3), ramp(2, 3)),
    ]:
        yield case(f"out_{name}", "aten::matmul.out", left, right, out=torch.zeros(0))
    shapes = [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3,)),
        ((3,), (5, 3, 2)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((5, 2, 3), (1, 3, 4)),
        ((2, 1, 2, 3), (4, 3, 2)),
        ((2, 3, 4, 5), (5, 6)),
        ((0, 2, 3), (3, 4)),
        ((2, 0), (0, 3)),
        ((0,), (0,)),
        ((2, 2, 0), (0, 3)),
        ((1, 3), (2, 2, 3, 1)),
        ((2, 1, 2, 3), (3,)),
        ((3,), (2, 1, 3, 2)),
    ]
    for a, b in shapes:
        name = "x".join(map(str, a)) + "_with_" + "x".join(map(str, b))
        yield case(name, op, ramp(*a, step=0.5), ramp(*b, start=-1, step=0.25))
    for dtype in [torch.int64, torch.float16, torch.complex128]:
        yield case(f"dtype_{short(dtype)}", op, matrix(dtype, 2, 3), matrix(dtype, 3, 2))
    yield case("permuted_batch", op, ramp(2, 4, 3).permute(1, 0, 2), ramp(3, 2))
    yield case("transposed", op, ramp(3, 2).t(), ramp(4, 3).t())
    for a, b in [
        ((), (2,)),
        ((2,), ()),
        ((3,), (2,)),
        ((2, 3), (4, 2)),
        ((2, 2, 3), (3, 3, 2)),
        ((2, 3, 4), (2, 3, 4)),
    ]:
        name = "x".join(map(str, a)) + "_with_" + "x".join(map(str, b))
        yield case(f"refuses_{name}", op, ramp(*a), ramp(*b))


# ---- structure ---------------------------------------------------------------------------------
@family("cat")
def _cat():
    op = "aten::cat"
    for dtype in ALL:
        yield case(
            f"dtype_{short(dtype)}", op, Tensors([sample(dtype), sample(dtype, turn=1)]), exact=True
        )
    for a, b in itertools.combinations(BOOL + INTS + FLOATS + COMPLEX, 2):
        yield case(
            f"promote_{short(a)}_{short(b)}", op, Tensors([small(a), small(b, 1)]), exact=True
        )
    for dim in [0, 1, 2, -1, -3]:
        pair = Tensors([ramp(2, 3, 2), ramp(2, 3, 2, start=50)])
        yield case(f"dim_{dim}", op, pair, dim, exact=True)
    yield case("sizes", op, Tensors([ramp(2, 1), ramp(2, 3, start=9), ramp(2, 0)]), 1, exact=True)
    for key, tensor in layouts().items():
        yield case(f"layout_{key}", op, Tensors([tensor, ramp(2, 3)]), 1, exact=True)
    yield case("one", op, Tensors([ramp(2, 3)]), exact=True)
    yield from outs("aten::cat.out", [4, 3], Tensors([ramp(2, 3), ramp(2, 3, start=50)]))
    integers = Tensors([ramp(2, dtype=torch.int8), ramp(3, dtype=torch.int16)])
    for dtype in [torch.int16, torch.int64, torch.int8, torch.bool]:
        out = torch.zeros(5, dtype=dtype)
        yield case(f"out_of_integers_{short(dtype)}", "aten::cat.out", integers, out=out)
    yield case("skips_empty_vector", op, Tensors([ramp(0), ramp(2, 3), ramp(0)]), 1, exact=True)
    yield case("empty_vectors", op, Tensors([ramp(0), ramp(0)]), exact=True)
    yield case("empty_dim", op, Tensors([ramp(0, 3), ramp(2, 3)]), exact=True)
    last = ramp(1, 2, 2, 3).contiguous(memory_format=torch.channels_last)
    yield case("channels_last", op, Tensors([last, last]), 1, exact=True)
    yield case("channels_last_mixed", op, Tensors([last, ramp(1, 2, 2, 3)]), 1, exact=True)
    yield case("refuses_none", op, Tensors([]), status="TENON_ERROR_NO_KERNEL", no_meta=True)
    yield case("refuses_zero_dim", op, Tensors([ramp(), ramp()]))
    yield case("refuses_sizes", op, Tensors([ramp(2, 3), ramp(3, 2)]))
    yield case("refuses_dims", op, Tensors([ramp(2, 3), ramp(3)]))
    yield case("refuses_dim", op, Tensors([ramp(2, 3), ramp(2, 3)]), 2)


@family("stack")
def _stack():
    op = "aten::stack"
    yield from outs("aten::stack.out", [2, 2, 3], Tensors([ramp(2, 3), ramp(2, 3, start=50)]))
    for dim in [0, 1, 2, -1, -3]:
        pair = Tensors([ramp(2, 3), ramp(2, 3, start=50)])
        yield case(f"dim_{dim}", op, pair, dim, exact=True)
    yield case("zero_dim", op, Tensors([ramp(), ramp(start=1)]), exact=True)
    yield case("empty", op, Tensors([ramp(0), ramp(0)]), exact=True)
    yield case("promotes", op, Tensors([ramp(2), ramp(2, dtype=torch.float64)]), exact=True)
    yield case("refuses_sizes", op, Tensors([ramp(2), ramp(3)]))
    yield case("refuses_dim", op, Tensors([ramp(2), ramp(2)]), 2)


@family("nonzero")
def _nonzero():
    op = "aten::nonzero"
    mask = ramp(2, 3).remainder(2)
    yield from outs("aten::nonzero.out", [3, 2], mask, dtype=torch.int64, no_meta=True)
    for dtype in ALL:
        yield case(f"dtype_{short(dtype)}", op, sample(dtype), exact=True, no_meta=True)
    mask = ramp(2, 3, 4).remainder(3)
    yield case("three_dims", op, mask, exact=True, no_meta=True)
    yield case("permuted", op, mask.permute(2, 0, 1), exact=True, no_meta=True)
    yield case("expanded", op, ramp(3).expand(2, 3), exact=True, no_meta=True)
    yield case("none", op, torch.zeros(2, 3), exact=True, no_meta=True)
    yield case("empty", op, ramp(0, 3), exact=True, no_meta=True)
    yield case("zero_dim", op, ramp(start=1), exact=True, no_meta=True)
    yield case("zero_dim_zero", op, ramp(), exact=True, no_meta=True)
    fixed = "aten::nonzero_static"
    for size in (0, 2, 30):
        yield case(f"static_{size}", fixed, mask, size=size, exact=True)
        turned = mask.permute(2, 0, 1)
        yield case(f"static_filled_{size}", fixed, turned, size=size, fill_value=7, exact=True)
        yield case(f"static_zero_dim_{size}", fixed, ramp(start=1), size=size, exact=True)
    for dtype in BOOL + INTS + FLOATS + COMPLEX:
        yield case(f"static_{short(dtype)}", fixed, sample(dtype), size=4, exact=True)
    yield case("static_empty", fixed, ramp(0, 3), size=2, exact=True)
    into = {"size": 3, "exact": True}
    yield case("static_out", f"{fixed}.out", mask, out=torch.zeros(0, dtype=torch.int64), **into)
    out = torch.zeros(3, 3, dtype=torch.int64).t()
    yield case("static_out_turned", f"{fixed}.out", mask, out=out, **into)
    yield case("static_out_refuses_floats", f"{fixed}.out", mask, out=ramp(3, 3), size=3)
    yield case("static_refuses_negative", fixed, mask, size=-1)
