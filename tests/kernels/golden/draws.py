# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that draw random numbers, each from a new generator."""

import torch

from cases import COMPLEX, FLOATS, INF, NAN, case, family, layouts, odd_shapes, ramp, sample, short


def seeded(seed=7):
    return torch.Generator().manual_seed(seed)


def _targets():
    """Yields tensors of many dtypes, lengths and layouts by name."""
    for dtype in FLOATS + COMPLEX:
        for count in [1, 5, 15, 16, 17, 35]:
            yield f"{short(dtype)}_{count}", ramp(count, dtype=dtype)
        # With gaps, elements are drawn one by one in memory order.
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


@family("distributions")
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


@family("multinomial")
def _multinomial():
    op = "aten::multinomial"
    chances = torch.tensor([[0.5, 0.0, 2.0, 1.25, 0.25], [3.0, 1.0, 0.0, 0.5, 7.0]])
    for dtype in FLOATS:
        lines = chances.to(dtype)
        for count, again in [(1, False), (3, False), (4, False), (1, True), (7, True)]:
            name = f"{short(dtype)}_{count}_{int(again)}"
            yield case(name, op, lines, count, again, generator=seeded(), exact=True)
            yield case(f"{name}_row", op, lines[1], count, again, generator=seeded(), exact=True)
    wide = ramp(3, 40, start=1) % 7
    for again in (False, True):
        for key, tensor in {
            "turned": (ramp(40, 3, start=1) % 7).t(),
            "gaps": (ramp(6, 120, start=1) % 5)[::2, ::3],
            "stretched": ramp(40, start=1).expand(3, 40),
        }.items():
            yield case(f"{key}_{int(again)}", op, tensor, 20, again, generator=seeded(), exact=True)
        name = f"empty_{int(again)}"
        yield case(name, op, ramp(0, 4), 2, again, generator=seeded(), exact=True)
        for key, out in {"out": torch.zeros(0), "out_turned": torch.zeros(5, 3).t()}.items():
            into = {"out": out.long(), "generator": seeded(), "exact": True}
            yield case(f"{key}_{int(again)}", f"{op}.out", wide, 5, again, **into)
    many = torch.ones(1, 900)
    yield case("many", op, many, 700, generator=seeded(), exact=True)
    yield case("many_again", op, many, 1500, True, generator=seeded(), exact=True)
    out = torch.zeros(2, 1)
    yield case("out_refuses_floats", f"{op}.out", chances, 1, generator=seeded(), out=out)
    unsupported = {"status": "TENON_ERROR_NOT_SUPPORTED"}
    yield case("refuses_ints", op, ramp(3).int(), 1, generator=seeded(), **unsupported)
    yield case("refuses_0_dim", op, ramp(), 1, generator=seeded())
    yield case("refuses_3_dims", op, ramp(1, 1, 3), 1, generator=seeded())
    yield case("refuses_none", op, chances, 0, generator=seeded())
    yield case("refuses_more_than_there_are", op, chances, 6, generator=seeded())
    for name, row in [("negative", [1.0, -1.0]), ("nan", [NAN, 1.0]), ("inf", [INF, 1.0])]:
        for again in (False, True):
            args = torch.tensor(row), 2, again
            yield case(f"refuses_{name}_{int(again)}", op, *args, generator=seeded(), no_meta=True)
    yield case("refuses_no_chances", op, torch.zeros(3), 1, generator=seeded(), no_meta=True)


@family("poisson")
def _poisson():
    op = "aten::poisson"
    rates = torch.tensor([[0.0, 0.25, 3.0, 9.5], [10.0, 40.0, 700.0, 1e6]])
    for dtype in FLOATS:
        yield case(short(dtype), op, rates.clamp_max(2000).to(dtype), seeded(), exact=True)
    yield case("wide", op, rates, seeded(), exact=True)
    for key, tensor in layouts().items():
        yield case(key, op, tensor.abs() * 9, seeded(), exact=True)
    for key, tensor in odd_shapes().items():
        yield case(f"shape_{key}", op, tensor.abs() * 9, seeded(), exact=True)
    yield case("turned", op, rates.t(), seeded(), exact=True)
    yield case("out", f"{op}.out", rates, seeded(), out=torch.zeros(0), exact=True)
    yield case("out_turned", f"{op}.out", rates, seeded(), out=torch.zeros(4, 2).t(), exact=True)
    yield case("refuses_ints", op, ramp(3).int(), seeded())
    yield case("refuses_negative", op, -ramp(3), seeded(), no_meta=True)


@family("rrelu")
def _rrelu():
    row = torch.tensor([0.5, -1.25, -0.0, 0.0, 3.0, -2.0, NAN, -INF, -0.125])
    op, with_noise, back = (
        "aten::rrelu",
        "aten::rrelu_with_noise",
        "aten::rrelu_with_noise_backward",
    )
    for dtype in (torch.bfloat16, torch.float32, torch.float64):
        given, name = row.to(dtype), short(dtype)
        how = (0.1, 0.3, True)
        yield case(name, op, given, *how, generator=seeded())
        yield case(f"{name}_mean", op, given, *how[:2])
        yield case(f"{name}_defaults", op, given, training=True, generator=seeded())
        yield case(f"{name}_in_place", f"{op}_", given.clone(), *how, generator=seeded())
        noise = torch.full_like(given, 7.0)
        yield case(f"{name}_noise", with_noise, given, noise, *how, generator=seeded())
        written = given.clone(), noise.clone()
        yield case(f"{name}_noise_in_place", f"{with_noise}_", *written, *how, generator=seeded())
        args = given, noise.clone(), *how[:2]
        yield case(f"{name}_noise_mean", with_noise, *args)
        args = given, noise.clone(), *how
        yield case(f"{name}_functional", f"{with_noise}_functional", *args, generator=seeded())
        grad = torch.arange(9).to(dtype)
        for training in (False, True):
            for is_result in (False, True):
                label = f"{name}_backward_{int(training)}_{int(is_result)}"
                args = grad, given, noise, 0.1, 0.3, training, is_result
                yield case(label, back, *args)
    args = grad, given, noise, 0.1, 0.1000001, True, False
    yield case("backward_of_one", back, *args)
    out = torch.zeros(0, dtype=torch.float64)
    yield case("backward_out", f"{back}.out", *args, out=out)
    out = torch.zeros(9)
    args = row, torch.zeros(9), 0.1, 0.3, True, seeded()
    yield case("noise_out", f"{with_noise}.out", *args, out=out)
    turned = ramp(3, 4, start=-7).t()
    yield case("turned", op, turned, 0.1, 0.3, True, generator=seeded())
    yield case("turned_noise", with_noise, turned, torch.zeros(4, 3), 0.1, 0.3, True, seeded())
    yield case("no_elements", op, torch.zeros(0, 2), 0.1, 0.3, True, generator=seeded())
    yield case("many", op, -ramp(1500, start=1), 0.1, 0.3, True, generator=seeded())
    yield case("refuses_order", op, row, 0.3, 0.1)
    yield case("refuses_sizes", with_noise, row, torch.zeros(8), 0.1, 0.3, True)
    yield case("refuses_dtype", with_noise, row, torch.zeros(9).double(), 0.1, 0.3, True)
    integers = row.nan_to_num(0, 0, 0).int()
    yield case("refuses_integers", op, integers, status="TENON_ERROR_NOT_SUPPORTED")
