# SPDX-License-Identifier: Apache-2.0
"""Calls of operators on lists of tensors, and of fused optimizer steps."""

import torch

from cases import Tensors, case, family, ramp
from every_form import every_form


def pair(start=0.25):
    return Tensors([ramp(2, 2, start=start, step=0.125), ramp(3, start=start, step=0.25)])


@family("foreach_maths")
def _foreach_maths():
    for name in (
        *("abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1"),
        *("floor", "frac", "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal"),
        *("round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
    ):
        yield from every_form(name, f"aten::_foreach_{name}", pair())


@family("foreach_arithmetic")
def _foreach_arithmetic():
    for name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "clamp_max", "clamp_min"):
        op = f"aten::_foreach_{name}"
        yield from every_form(f"{name}_number", f"{op}.Scalar", pair(), 2)
        yield from every_form(f"{name}_numbers", f"{op}.ScalarList", pair(), [2, 3])
        yield from every_form(f"{name}_list", f"{op}.List", pair(), pair(1.0))
        if name in ("add", "mul", "div"):
            yield from every_form(f"{name}_tensor", f"{op}.Tensor", pair(), torch.tensor(3.0))
    yield from every_form("add_alpha", "aten::_foreach_add.List", pair(), pair(1.0), alpha=2)
    yield from every_form("pow_base", "aten::_foreach_pow.ScalarAndTensor", 2, pair())
    yield from every_form("lerp_list", "aten::_foreach_lerp.List", pair(), pair(1.0), pair(0.5))
    yield from every_form("lerp_number", "aten::_foreach_lerp.Scalar", pair(), pair(1.0), 0.25)
    yield from every_form(
        "lerp_numbers", "aten::_foreach_lerp.ScalarList", pair(), pair(1.0), [0, 1]
    )
    for name in ("addcmul", "addcdiv"):
        op, args = f"aten::_foreach_{name}", (pair(), pair(1.0), pair(0.5))
        yield from every_form(f"{name}_number", f"{op}.Scalar", *args, 2)
        yield from every_form(f"{name}_numbers", f"{op}.ScalarList", *args, [2, 3])
        numbers = torch.tensor([2.0, 3.0])
        yield from every_form(f"{name}_tensor", f"{op}.Tensor", *args, numbers, no_meta=True)
    yield case("refuses", "aten::_foreach_add.List", pair(), Tensors(pair()[:1]))
    yield case("refuses_numbers", "aten::_foreach_add.ScalarList", pair(), [1])


@family("foreach_copy")
def _foreach_copy():
    yield from every_form("copy", "aten::_foreach_copy", pair(), pair(1.0))
    yield from every_form("clone", "aten::_foreach_clone", pair())
    yield from every_form("zero", "aten::_foreach_zero", pair())
    yield from every_form("max", "aten::_foreach_max", pair())
    yield from every_form("mm", "aten::_foreach_mm", Tensors([ramp(2, 2)]), Tensors([ramp(2, 3)]))
    yield from every_form("norm", "aten::_foreach_norm.Scalar", pair(), 1)
    yield from every_form("powsum", "aten::_foreach_powsum.Scalar", pair(), 3)


def adam(dtype=torch.float32, largest=False):
    lists = [Tensors(one.to(dtype) for one in pair(start)) for start in (0.25, -0.5, 0.1, 0.2, 0.3)]
    steps = Tensors([torch.tensor(3.0), torch.tensor(1.0)])
    return (*lists[:4], lists[4] if largest else Tensors(), steps)


OPTIONS = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.1, "eps": 1e-8}


@family("fused_adam")
def _fused_adam():
    for name in ("adam", "adamw"):
        op = f"aten::_fused_{name}_"
        for amsgrad in (False, True):
            for maximize in (False, True):
                options = {**OPTIONS, "amsgrad": amsgrad, "maximize": maximize}
                yield case(f"{name}_{amsgrad}_{maximize}", op, *adam(largest=amsgrad), **options)
        options = {**OPTIONS, "amsgrad": False, "maximize": False}
        yield case(f"{name}_double", op, *adam(torch.float64), **options)
        scaled = {"grad_scale": torch.tensor(4.0), "found_inf": torch.tensor(0.0)}
        yield case(f"{name}_scaled", op, *adam(), **options, **scaled)
        skipped = {"grad_scale": torch.tensor(4.0), "found_inf": torch.tensor(1.0)}
        yield case(f"{name}_skipped", op, *adam(), **options, **skipped, no_meta=True)
        with_tensor = {**options, "lr": torch.tensor(0.1)}
        yield case(f"{name}_tensor_lr", f"{op}.tensor_lr", *adam(), **with_tensor, no_meta=True)


@family("fused_sgd")
def _fused_sgd():
    op, lists = "aten::_fused_sgd_", (pair(), pair(-0.5), pair(0.1))
    for momentum in (0.0, 0.9):
        for first in (False, True):
            options = {
                **{"weight_decay": 0.1, "momentum": momentum, "lr": 0.1, "dampening": 0.2},
                **{"nesterov": False, "maximize": first, "is_first_step": first},
            }
            given = lists if momentum else (*lists[:2], Tensors())
            args = [Tensors(one.clone() for one in each) for each in given]
            yield case(f"momentum_{momentum}_{first}", op, *args, **options)
    options = {**options, "dampening": 0.0, "nesterov": True, "is_first_step": False}
    args = [Tensors(one.clone() for one in each) for each in lists]
    yield case("nesterov", op, *args, **options)
    args = [Tensors(one.clone() for one in each) for each in lists]
    scale = {"grad_scale": torch.tensor(2.0)}
    yield case("scaled", op, *args, **options, **scale)
    options["lr"] = torch.tensor(0.1)
    args = [Tensors(one.clone() for one in each) for each in lists]
    yield case("tensor_lr", f"{op}.tensor_lr", *args, **options, no_meta=True)
