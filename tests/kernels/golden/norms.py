# SPDX-License-Identifier: Apache-2.0
"""Calls of operators that normalize channels."""

import torch

from cases import FLOATS, case, family, ramp, short


def _images():
    return torch.tensor([3.0, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, 8] * 6).reshape(2, 3, 4, 3)


def _running(dtype=torch.float32):
    return torch.tensor([0.5, -1.0, 2.0]).to(dtype), torch.tensor([1.5, 0.5, 3.0]).to(dtype)


@family("batch_norm")
def _batch_norm():
    weight, bias = torch.tensor([1.0, -2.0, 0.5]), torch.tensor([0.5, 0.0, -1.0])
    for op, tail in (("aten::batch_norm", [False]), ("aten::native_batch_norm", [])):
        name = op.removeprefix("aten::")
        for training in (True, False):
            label = f"{name}_{'training' if training else 'evaluation'}"
            yield case(label, op, _images(), weight, bias, *_running(), training, 0.25, 1e-5, *tail)
            rest = [training, 0.1, 0.5, *tail]
            yield case(f"{label}_plain", op, _images(), None, None, *_running(), *rest)
            rows = _images()[:, :, 0, 0]
            yield case(f"{label}_rows", op, rows, weight, None, *_running(), *rest)
        rest = [True, 0.1, 1e-5, *tail]
        yield case(f"{name}_without_running", op, _images(), weight, bias, None, None, *rest)
    op = "aten::batch_norm"
    for dtype in FLOATS:
        given = [tensor.to(dtype) for tensor in (_images(), weight, bias)]
        rest = [False, 0.1, 1e-5, False]
        yield case(f"dtype_{short(dtype)}", op, *given, *_running(dtype), *rest)
    small = _images().to(torch.bfloat16)
    yield case("mixed", op, small, weight, bias, *_running(), True, 0.1, 1e-5, False)
    yield case("refuses_weight", op, _images(), ramp(2), None, *_running(), True, 0.1, 1e-5, False)
    for training in (True, False):
        op, rest = "aten::instance_norm", [training, 0.25, 1e-5, False]
        label = f"instance_{'training' if training else 'evaluation'}"
        yield case(label, op, _images(), weight, bias, *_running(), *rest)
    rest = [True, 0.1, 1e-5, False]
    yield case("instance_without_running", op, _images(), None, None, None, None, *rest)
    rows = ramp(2, 3, 4) % 5 - 1.5
    op, factors = "aten::native_layer_norm", (ramp(4, start=1), ramp(4))
    yield case("layer", op, rows, [4], *factors, 1e-5)
    yield case("layer_plain", op, rows, [3, 4], None, None, 0.5)
    op = "aten::native_group_norm"
    yield case("group", op, _images(), weight, bias, 2, 3, 12, 3, 1e-5)
    yield case("group_plain", op, _images(), None, None, 2, 3, 12, 1, 0.5)
