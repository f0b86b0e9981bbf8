# SPDX-License-Identifier: Apache-2.0
"""Prints what a driver computes, one JSON line a result, for a comparison of two runs."""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

torch.manual_seed(0)
FIRST = 6  # elements of a tensor that are printed beside its sums


def numbers(value: Any) -> list[float | str]:
    """Turns a result into numbers: sums and the first elements of tensors, and texts."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if value.is_complex():
            value = torch.view_as_real(value.resolve_conj())
        value = value.to(torch.float64).reshape(-1)
        sums = [float(value.sum()), float(value.abs().sum())] if value.numel() else []
        return [float(value.numel()), *sums, *value[:FIRST].tolist()]
    if isinstance(value, dict):
        return [n for key in sorted(value) for n in numbers(value[key])]
    if isinstance(value, (list, tuple)):
        return [n for one in value for n in numbers(one)]
    if hasattr(value, "tolist"):  # an array
        return numbers(value.tolist())
    return [float(value)] if isinstance(value, (bool, int, float)) else [str(value)]


def show(name: str, value: Any) -> None:
    """Prints one result."""
    print(json.dumps({"name": name, "value": numbers(value)}), flush=True)


def part(body: Callable[[], Any]) -> Callable[[], Any]:
    """Runs a part of a driver with seed 0 and prints what it returns, or its error."""
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)
    name = body.__name__.strip("_")
    try:
        results = body()
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        print(json.dumps({"name": name, "error": f"{type(error).__name__}: {error}"}), flush=True)
        return body
    if isinstance(results, dict):
        for key, value in results.items():
            show(f"{name}.{key}", value)
    else:
        show(name, results)
    return body


def gradients(module: torch.nn.Module) -> float:
    """Returns the sum of the absolute values of all gradients of a module."""
    found = [p.grad for p in module.parameters() if p.grad is not None]
    return float(sum(g.abs().sum() for g in found))


def train(module: torch.nn.Module, loss: Callable[[], Any], steps: int = 3, **kinds: Any) -> Any:
    """Trains a module by SGD and returns the losses and the sum of its parameters after it."""
    optimizer = torch.optim.SGD(module.parameters(), lr=kinds.get("lr", 1e-2))
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        losses.append(float(value))
    total = float(sum(p.detach().abs().sum() for p in module.parameters()))
    return {"losses": losses, "parameters": total}
