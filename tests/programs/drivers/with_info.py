# SPDX-License-Identifier: Apache-2.0
"""Tools that look inside models: torchinfo, torchviz, thop, ptflops, safetensors, jaxtyping."""

import contextlib
import io
import os
import tempfile

import torch
from report import part
from torch import nn


def net():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3)
    )


@part
def info():
    from torchinfo import summary

    found = summary(net(), input_size=(2, 1, 8, 8), verbose=0)
    return found.total_params, found.trainable_params, found.total_mult_adds, str(found)


@part
def thop():
    from thop import profile

    with contextlib.redirect_stdout(io.StringIO()):
        return profile(net(), inputs=(torch.randn(1, 1, 8, 8),), verbose=False)


@part
def flops():
    from ptflops import get_model_complexity_info

    with contextlib.redirect_stdout(io.StringIO()):
        return get_model_complexity_info(
            net(), (1, 8, 8), as_strings=False, backend="pytorch", print_per_layer_stat=False
        )


@part
def flops_aten():
    from ptflops import get_model_complexity_info

    with contextlib.redirect_stdout(io.StringIO()):
        return get_model_complexity_info(
            net(), (1, 8, 8), as_strings=False, backend="aten", print_per_layer_stat=False
        )


@part
def drawing():
    from torchviz import make_dot

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    dot = make_dot(model(torch.randn(2, 4)).sum(), params=dict(model.named_parameters()))
    labels = sorted(line.split("label=")[-1] for line in dot.body if "->" not in line)
    return len(dot.body), [label.split(" ")[0].strip() for label in labels]


@part
def tensors():
    from safetensors.torch import load, load_file, load_model, save, save_file, save_model

    model = net()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.safetensors")
        save_file(model.state_dict(), path, metadata={"format": "pt"})
        found = load_file(path)
        save_model(model, path)
        other = net()
        load_model(other, path)
    same = load(save({"x": torch.arange(4, dtype=torch.bfloat16)}))
    return found, same, other.state_dict()


@part
def typed():
    from jaxtyping import Float, Int, jaxtyped

    x = torch.zeros(2, 3)
    return [
        isinstance(x, Float[torch.Tensor, "2 3"]),
        isinstance(x, Int[torch.Tensor, "2 3"]),
        isinstance(x, Float[torch.Tensor, "2 4"]),
        jaxtyped is not None,
    ]
