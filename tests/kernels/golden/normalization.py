# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that normalize, and of losses."""

import itertools

import torch

from cases import COMPLEX, FLOATS, INF, INTS, NAN, case, family, layouts, ramp, short

INVALID = "TENON_ERROR_INVALID_ARGUMENT"
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def _rows():
    return ramp(2, 3, 4) % 5 - 1.5


@family("layer_norm")
def _layer_norm():
    weight, bias = torch.tensor([1.0, -2.0, 0.5, 3.0]), torch.tensor([0.5, 0.0, -1.0, 4.0])
    op, root = "aten::layer_norm", "aten::rms_norm"
    for key, tensor in layouts().items():
        if tensor.dim() == 0:
            continue
        yield case(f"layout_{key}", op, tensor, list(tensor.shape[-1:]))
        yield case(f"layout_{key}_all", op, tensor, list(tensor.shape))
        yield case(f"root_{key}", root, tensor, list(tensor.shape[-1:]))
    for name, has_weight, has_bias in itertools.product((op, root), (0, 1), (0, 1)):
        given = [weight if has_weight else None]
        if name == op:
            given.append(bias if has_bias else None)
        elif has_bias:
            continue
        label = name.removeprefix("aten::")
        yield case(f"{label}_{has_weight}{has_bias}", name, _rows(), [4], *given)
        yield case(f"{label}_{has_weight}{has_bias}_eps", name, _rows(), [4], *given, eps=0.5)
    for dtype in FLOATS:
        rows = _rows().to(dtype)
        given = [weight.to(dtype), bias.to(dtype)]
        yield case(f"dtype_{short(dtype)}", op, rows, [4], *given)
        yield case(f"root_dtype_{short(dtype)}", root, rows, [4], given[0])
        yield case(f"least_{short(dtype)}", root, rows * 1e-4, [4])
        yield case(f"group_dtype_{short(dtype)}", "aten::group_norm", rows, 3)
    for dtype in COMPLEX:
        yield case(f"root_dtype_{short(dtype)}", root, (_rows() + 2j).to(dtype), [4])
    for dtype in (torch.float16, torch.bfloat16):
        yield case(f"mixed_{short(dtype)}", op, _rows().to(dtype), [4], weight, bias)
    for dtype in INTS:
        status = "TENON_ERROR_NOT_SUPPORTED"
        yield case(f"refuses_{short(dtype)}", op, _rows().to(dtype), [4], status=status)
    yield case("specials", op, torch.tensor([[1.0, INF], [NAN, 1.0], [2.0, 2.0]]), [2])
    yield case("none", op, ramp(0, 4), [4])
    yield case("no_sizes", op, ramp(2, 0), [0])
    yield case("refuses_sizes", op, ramp(2, 3), [2])
    yield case("refuses_more_sizes", op, ramp(3), [2, 3])
    yield case("refuses_no_sizes", op, ramp(3), [])
    yield case("refuses_weight", op, ramp(2, 3), [3], ramp(2))
    yield case("refuses_bias", op, ramp(2, 3), [3], None, ramp(3, 1))
    yield case("root_refuses_sizes", root, ramp(2, 3), [2])
    group = "aten::group_norm"
    image = ramp(2, 4, 2, 3) % 7
    for groups in (1, 2, 4):
        yield case(f"group_{groups}", group, image, groups)
        yield case(f"group_{groups}_factors", group, image, groups, weight, bias, 0.25)
    yield case("group_turned", group, image.transpose(2, 3), 2, weight)
    yield case("group_columns", group, image[:, :, 0, 0], 2, None, bias)
    yield case("group_empty", group, ramp(0, 4, 3), 2)
    yield case("group_refuses", group, image, 3)
    yield case("group_refuses_weight", group, image, 2, ramp(3))
    yield case("group_refuses_row", group, ramp(4), 2, status=INVALID)


@family("regression_loss")
def _losses():
    input = torch.tensor([[0.0, 1.5, -3.0], [0.25, -1.0, 8.0]])
    target = torch.tensor([[0.0, 1.0, 2.0], [-0.5, 0.0, 6.5]])
    for name, reduction in itertools.product(LOSSES, (0, 1, 2)):
        op = f"aten::{name}"
        yield case(f"{name}_{reduction}", op, input, target, reduction)
        yield case(f"{name}_{reduction}_row", op, input, target[0], reduction)
        yield case(f"{name}_{reduction}_turned", op, input.t(), target.t(), reduction)
        yield case(f"{name}_{reduction}_empty", op, ramp(0, 2), ramp(0, 2), reduction)
        for dtype in FLOATS:
            given = input.to(dtype), target.to(dtype), reduction
            yield case(f"{name}_{reduction}_{short(dtype)}", op, *given)
    for name in LOSSES:
        op = f"aten::{name}"
        yield case(f"{name}_both", op, input, target.double(), 0)
        row = torch.tensor([INF, -INF, NAN, INF])
        yield case(f"{name}_specials", op, row, torch.tensor([1.0, 2.0, 3.0, INF]), 0)
        if name != "l1_loss":
            yield case(f"{name}_refuses_int", op, input.long(), target.long())
            yield case(f"{name}_refuses_complex", op, input + 1j, target + 0j)
            yield case(f"{name}_out", f"{op}.out", input, target, 0, out=torch.zeros(2, 3))
            yield case(f"{name}_mean_out", f"{op}.out", input, target, out=torch.zeros(()))
    for reduction in (0, 1, 2):
        yield case(f"l1_complex_{reduction}", "aten::l1_loss", input + 1j, target - 2j, reduction)
        yield case(f"l1_int_{reduction}", "aten::l1_loss", input.long(), target.long(), reduction)
    for bound in (0.0, 0.5, 3.0):
        yield case(f"smooth_{bound}", "aten::smooth_l1_loss", input, target, 0, bound)
        if bound:
            yield case(f"huber_{bound}", "aten::huber_loss", input, target, 0, bound)
    yield case("smooth_refuses", "aten::smooth_l1_loss", input, target, 1, -1.0, status=INVALID)
    for bound in (0.0, -1.0):
        yield case(
            f"huber_refuses_{bound}", "aten::huber_loss", input, target, 1, bound, status=INVALID
        )
