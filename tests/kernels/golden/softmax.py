# SPDX-License-Identifier: Apache-2.0
"""Calls of softmax, log_softmax and their gradients."""

import dataclasses

import torch

from cases import FLOATS, INF, INTS, NAN, case, family, layouts, outs, ramp, short

INVALID = "TENON_ERROR_INVALID_ARGUMENT"


@family("softmax")
def _softmax():
    for op in ("aten::_softmax", "aten::_log_softmax"):
        name = op.removeprefix("aten::_")
        for dtype in FLOATS:
            for dim in (0, 1, -1):
                small = (ramp(3, 5, 4, step=0.25) % 3).to(dtype)
                yield case(f"{name}_{short(dtype)}_{dim}", op, small, dim, False)
        for key, tensor in layouts().items():
            if tensor.is_floating_point():
                yield case(f"{name}_layout_{key}", op, tensor, -1, False)
        yield case(f"{name}_long", op, ramp(2, 1000, step=0.01) % 7, 1, False)
        yield case(f"{name}_number", op, torch.tensor(3.0), -1, False)
        yield case(f"{name}_one", op, ramp(3, 1), 1, False)
        yield case(f"{name}_empty", op, ramp(0, 3), 1, False)
        yield case(f"{name}_empty_rows", op, ramp(3, 0), 1, False)
        wide = torch.tensor([[1e4, 1.0, -1e4], [-INF, 2.0, -INF], [NAN, 1.0, 2.0]])
        yield case(f"{name}_extremes", op, wide, 1, False)
        channels = ramp(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
        yield case(f"{name}_channels_last", op, channels, 1, False)
        for made in outs(f"{op}.out", [2, 3], ramp(2, 3), 1, False):
            # PyTorch 2.15 writes these outs as if they were row-major.
            if made.name not in ("out_refuses_expanded", "out_strided", "out_turned"):
                yield dataclasses.replace(made, name=f"{name}_{made.name}", exact=False)
        yield case(f"{name}_refuses_dim", op, ramp(2, 3), 2, False)
        for dtype in INTS[:1]:
            yield case(f"{name}_refuses_{short(dtype)}", op, ramp(2, 3).to(dtype), 1, False)
        back = f"{op}_backward_data"
        for dtype in FLOATS:
            for dim in (0, 1):
                output = getattr(torch, name)(ramp(4, 3, step=0.5), dim).to(dtype)
                grad = ramp(4, 3, start=-2, step=0.5).to(dtype)
                yield case(f"{name}_back_{short(dtype)}_{dim}", back, grad, output, dim, dtype)
    back = "aten::_softmax_backward_data"
    yield case("back_refuses_sizes", back, ramp(2), ramp(3), 0, torch.float32, status=INVALID)
