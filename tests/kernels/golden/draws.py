# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that draw random numbers, each from a generator of its own."""

import torch

from cases import COMPLEX, FLOATS, INF, NAN, case, family, layouts, odd_shapes, ramp, sample, short


def seeded(seed=7):
    return torch.Generator().manual_seed(seed)


def _targets():
    """Tensors of many dtypes, lengths and layouts, by name."""
    for dtype in FLOATS + COMPLEX:
        for count in [1, 5, 15, 16, 17, 35]:
            yield f"{short(dtype)}_{count}", ramp(count, dtype=dtype)
        # Gaps: one by one, in the order of memory.
        yield f"{short(dtype)}_strided", ramp(8, 10, dtype=dtype)[1:7:2, ::2]
        yield f"{short(dtype)}_transposed", ramp(7, 3, dtype=dtype).t()
    for name, tensor in layouts().items():
        yield f"layout_{name}", tensor
    for name, tensor in odd_shapes().items():
        yield f"shape_{name}", tensor
    yield "longer_than_a_draw", ramp(1500, dtype=torch.float16)


def _refusals(op, *numbers):
    for dtype in [torch.bool, torch.uint8, torch.int64, torch.float8_e5m2]:
        yield case(f"refuses_{short(dtype)}", op, sample(dtype), *numbers, generator=seeded())


@family("uniform")
def _uniform():
    op = "aten::uniform_"
    for name, tensor in _targets():
        yield case(name, op, tensor, generator=seeded(), exact=True)
    for dtype in FLOATS + COMPLEX:
        for low, high in [(-3.0, 5.5), (1.0, 1.01), (2.0, 2.0), (-100.0, 1e-3)]:
            name = f"{short(dtype)}_from_{low:g}_to_{high:g}"
            yield case(name, op, ramp(40, dtype=dtype), low, high, generator=seeded(), exact=True)
    yield case("seed_of_64_bits", op, ramp(4), generator=seeded(2**40 + 5), exact=True)
    yield from _refusals(op, 0.0, 1.0)
    yield case("refuses_from_above_to", op, ramp(2), 2.0, 1.0, generator=seeded())
    yield case("refuses_empty_from_above_to", op, ramp(0), 2.0, 1.0, generator=seeded())
    half = ramp(2, dtype=torch.float16)
    yield case("refuses_from_out_of_range", op, half, -65505.0, 1.0, generator=seeded())
    yield case("refuses_to_out_of_range", op, half, 0.0, 1e5, generator=seeded())
    yield case("refuses_range_out_of_range", op, half, -4e4, 4e4, generator=seeded())
    for name, number in [("nan", NAN), ("inf", INF)]:
        yield case(f"refuses_{name}", op, ramp(2), 0.0, number, generator=seeded())


@family("normal")
def _normal():
    op = "aten::normal_"
    for name, tensor in _targets():
        yield case(name, op, tensor, generator=seeded())
    for dtype in FLOATS + COMPLEX:
        for count in [5, 20]:
            name = f"{short(dtype)}_{count}_mean_and_std"
            yield case(name, op, ramp(count, dtype=dtype), -3.0, 2.5, generator=seeded())
    yield case("std_0", op, ramp(20), 1.5, 0.0, generator=seeded(), exact=True)
    yield from _refusals(op, 0.0, 1.0)
    yield case("refuses_negative_std", op, ramp(2), 0.0, -1.0, generator=seeded())
    yield case("refuses_nan_std", op, ramp(2), 0.0, NAN, generator=seeded())


def _factory(stem, exact):
    op = f"aten::{stem}.generator"
    for dtype in FLOATS + COMPLEX:
        yield case(
            f"dtype_{short(dtype)}", op, [2, 9], dtype=dtype, generator=seeded(), exact=exact
        )
    yield case("default_dtype", op, [5], generator=seeded(), exact=exact)
    yield case("zero_dim", op, [], generator=seeded(), exact=exact)
    yield case("empty", op, [0, 3], generator=seeded(), exact=True)
    yield case("refuses_int64", op, [2], dtype=torch.int64, generator=seeded())
    yield case("refuses_negative", op, [2, -1], generator=seeded())
    out = torch.zeros(0, dtype=torch.float64)
    yield case("out", f"{op}_out", [2, 3], generator=seeded(), out=out, exact=exact)
    out = torch.zeros(18, 2, dtype=torch.float64)[:, 1]
    yield case("out_strided", f"{op}_out", [18], generator=seeded(), out=out, exact=exact)
    out = torch.zeros(2, dtype=torch.int64)
    yield case("out_refuses_int64", f"{op}_out", [2], generator=seeded(), out=out)


@family("rand")
def _rand():
    yield from _factory("rand", exact=True)


@family("randn")
def _randn():
    yield from _factory("randn", exact=False)


@family("exponential")
def _exponential():
    for name, numbers in [
        ("exponential", (2.0,)),
        ("cauchy", (1.0, 0.5)),
        ("geometric", (0.3,)),
        ("log_normal", (0.5, 0.75)),
    ]:
        op = f"aten::{name}_"
        for dtype in FLOATS:
            yield case(
                f"{name}_{short(dtype)}", op, ramp(7, dtype=dtype), *numbers, generator=seeded()
            )
        for key, tensor in layouts().items():
            yield case(f"{name}_{key}", op, tensor, *numbers, generator=seeded())
        args = ramp(2, 3), *numbers
        yield case(f"{name}_functional", f"aten::{name}", *args, generator=seeded())
        yield case(
            f"{name}_out", f"aten::{name}.out", *args, generator=seeded(), out=torch.zeros(0)
        )
        refused = (-1.0, *numbers[1:]) if len(numbers) == 1 else (numbers[0], -1.0)
        yield case(f"{name}_refuses", op, ramp(2), *refused, generator=seeded())
    yield case("geometric_ints", "aten::geometric_", ramp(5).int(), 0.3, generator=seeded())
    yield case(
        "refuses_ints",
        "aten::exponential_",
        ramp(5).int(),
        generator=seeded(),
        status="TENON_ERROR_NOT_SUPPORTED",
    )


@family("randperm")
def _randperm():
    for count in (0, 1, 2, 10, 50):
        op = "aten::randperm.generator"
        yield case(f"count_{count}", op, count, generator=seeded(), exact=True)
    yield case("floats", op, 7, generator=seeded(), dtype=torch.float32, exact=True)
    out = torch.zeros(0, dtype=torch.int64)
    yield case("out", "aten::randperm.generator_out", 5, generator=seeded(), out=out, exact=True)
    yield case("refuses", op, -1, generator=seeded())


@family("bernoulli")
def _bernoulli():
    op = "aten::bernoulli_"
    for dtype in (torch.bool, torch.uint8, torch.int64, *FLOATS):
        name = short(dtype)
        yield case(name, f"{op}.float", ramp(20).to(dtype), 0.3, generator=seeded(), exact=True)
    for key, tensor in layouts().items():
        yield case(key, f"{op}.float", tensor, generator=seeded(), exact=True)
        args = tensor, torch.tensor([0.2, 0.5, 0.9])
        yield case(f"{key}_tensor", f"{op}.Tensor", *args, generator=seeded(), exact=True)
    chances = torch.tensor([[0.0, 0.25, 0.5], [0.75, 1.0, 0.1]])
    for dtype in FLOATS:
        args = ramp(2, 3), chances.to(dtype)
        name = f"tensor_{short(dtype)}"
        yield case(name, f"{op}.Tensor", *args, generator=seeded(), exact=True)
    of, source = "aten::bernoulli", {"generator": seeded()}
    yield case("own", of, chances, **source, exact=True)
    yield case("number", f"{of}.p", ramp(6), 0.5, generator=seeded(), exact=True)
    args = ramp(2, 3), chances
    yield case("copy", f"{of}.Tensor", *args, generator=seeded(), exact=True)
    yield case("own_out", f"{of}.out", chances, generator=seeded(), out=torch.zeros(0), exact=True)
    out = {"out": torch.zeros(0), "generator": seeded()}
    yield case("number_out", f"{of}.float_out", ramp(6), 0.5, **out, exact=True)
    out = {"out": torch.zeros(0), "generator": seeded()}
    yield case("copy_out", f"{of}.Tensor_out", *args, **out, exact=True)
    yield case("refuses", f"{op}.float", ramp(3), 1.5, generator=seeded())
    args = ramp(3), torch.full((3,), 2.0)
    yield case("refuses_tensor", f"{op}.Tensor", *args, generator=seeded(), no_meta=True)
    yield case("refuses_complex", f"{op}.float", ramp(3).cfloat(), 0.5, generator=seeded())
