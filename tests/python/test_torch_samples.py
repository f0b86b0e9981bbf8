# SPDX-License-Identifier: Apache-2.0
"""Replays the operator calls of PyTorch's own operator samples (OpInfo).

Each sample runs in PyTorch under a mode that records the ATen operators, or the functions and
methods, that it calls. Calls of what Tenon ships are repeated on twins of the arguments: dtype,
shape, strides, elements, device and shared memory of results and of written arguments must be
equal, and Tenon must refuse what PyTorch refuses. torch_replay_reasons.py lists the known
differences with reasons. Each test prints how many calls were equal, refused by both, or different
for which reason. Skipped visibly if PyTorch is not installed; `./dev test --with-torch` installs
it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")

import torch_replay  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch_replay_forms import Forms  # noqa: E402
from torch_replay_functions import Functions  # noqa: E402

DTYPES = [
    *("float32", "float64", "bfloat16", "float16", "complex64", "complex128"),
    *("int64", "int32", "uint8", "bool"),
]


def samples(info: Any, dtype: torch.dtype) -> Iterator:
    """Returns sample inputs of an operator, none if PyTorch has none for the dtype."""
    if dtype not in info.supported_dtypes("cpu"):
        return
    yield from info.sample_inputs("cpu", dtype, requires_grad=False)
    yield from info.reference_inputs("cpu", dtype, requires_grad=False)


def errors(info: Any) -> Iterator:
    """Returns inputs that an operator must refuse."""
    if info.error_inputs_func is not None:
        yield from (one.sample_input for one in info.error_inputs("cpu"))


def run(mode: Any, inputs: Any, most: int) -> None:
    """Runs samples in a mode that checks the calls they make, at most `most` of each operator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in op_db:
            torch.manual_seed(0)
            taken = iter(inputs(info))
            for _ in range(most):
                try:
                    sample = next(taken, None)
                    if sample is None:
                        break
                    with mode:
                        info.op(sample.input, *sample.args, **sample.kwargs)
                except Exception:  # noqa: BLE001 - what PyTorch refuses, which the mode has seen
                    continue


@pytest.mark.parametrize("dtype", DTYPES)
def test_calls_inside_samples(dtype):
    seen = torch_replay.Replay()
    run(seen, lambda info: samples(info, getattr(torch, dtype)), 30)
    seen.check(f"operators, {dtype}", 150)


def test_calls_that_pytorch_refuses():
    seen = torch_replay.Replay()
    run(seen, errors, 100)
    seen.check("operators, what is refused", 50)
    assert seen.tally["refused by both"] >= 100


@pytest.mark.parametrize("dtype", DTYPES)
def test_forms_of_calls_inside_samples(dtype):
    seen = Forms()
    run(seen, lambda info: samples(info, getattr(torch, dtype)), 6)
    seen.check(f"out and in-place forms, {dtype}", 100)
    assert seen.tally["equal"] >= 2000
    assert seen.tally["refused by both"] >= 1000


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_and_methods_inside_samples(dtype):
    seen = Functions()
    run(seen, lambda info: samples(info, getattr(torch, dtype)), 12)
    seen.calls.check(f"functions and methods, {dtype}", 100)


def test_functions_and_methods_that_pytorch_refuses():
    seen = Functions()
    run(seen, errors, 100)
    seen.calls.check("functions and methods, what is refused", 50)
    assert seen.calls.tally["refused by both"] >= 100
