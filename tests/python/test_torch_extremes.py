# SPDX-License-Identifier: Apache-2.0
"""Every operator on a table of unusual tensors, compared with PyTorch: equal, or refused by both.

The tensors have sizes 0 and 1, 0 dims, NaN, infinities, the largest and smallest numbers, broadcast
shapes, gaps and transposed dims; dims may be negative. Arguments are made from the schema of each
overload that PyTorch has too, without those that have a default. Skipped visibly if PyTorch is not
installed.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")

import torch_replay as replay  # noqa: E402

DTYPES = ["float32", "float64", "bfloat16", "complex64", "int64", "uint8", "bool"]
# They access no elements, or memory that the caller answers for; return dtypes, which PyTorch's
# operators return as numbers; or take indices that another operator computes.
LEFT_OUT = (
    *("_reshape_alias", "_unsafe_view", "set_", "as_strided", "resize_", "record_stream"),
    *("result_type", "promote_types", "can_cast"),
    *("value_selecting_reduction_backward", "unfold_backward", "embedding_dense_backward"),
)


def awkward(dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """Returns tensors by a description of what is unusual about them."""
    if dtype is torch.bool:
        values = [True, False, True, True, False, False]
    elif dtype.is_floating_point or dtype.is_complex:
        info = torch.finfo(dtype)
        values = [
            math.nan,
            math.inf,
            -math.inf,
            0.0,
            -0.0,
            1.0,
            -1.5,
            info.max,
            info.min,
            info.tiny,
        ]
        values += [info.eps, 0.5]
    else:
        info = torch.iinfo(dtype)
        values = [info.max, info.min, 0, 1, 2, 3, 5, 7, info.max - 1, info.min + 1, 100, 64]
    every = torch.tensor(values, dtype=dtype)
    few = torch.tensor([1, 0, 1, 1, 0, 1]).to(dtype)
    return {
        "none": torch.empty(0, dtype=dtype),
        "no rows": torch.empty(0, 3, dtype=dtype),
        "no columns": torch.empty(3, 0, dtype=dtype),
        "a number": few[0].clone(),
        "one": few[:1].clone(),
        "one of one": few[:1].reshape(1, 1),
        "every value": every,
        "every value, turned": every.reshape(2, -1).t(),
        "with gaps": every[::2],
        "a square": few[:4].reshape(2, 2),
        "turned": few.reshape(2, 3).t(),
        "expanded": few[:1].expand(2, 3),
    }


def argument(parameter: Any, given: torch.Tensor, is_first: bool, other: str) -> Any:
    """Makes an argument for a parameter; further tensors are equal to the first or broadcast."""
    name, kind = parameter.name, str(parameter.type)
    if kind == "Tensor":
        if is_first:
            return given.clone(memory_format=torch.preserve_format)
        if name in ("index", "indices"):
            return torch.zeros(given.shape, dtype=torch.int64)
        if name in ("mask", "condition"):
            return torch.ones(given.shape, dtype=torch.bool)
        return given[..., :1].clone() if other == "broadcast" and given.dim() else given.clone()
    if kind == "List[Tensor]":
        return [given.clone(), given.clone()]
    if kind == "List[Optional[Tensor]]":
        return [torch.zeros(1, dtype=torch.int64)]
    if kind == "List[int]":
        if "dim" in name:
            return [-1]
        return list(given.stride() if "stride" in name else given.shape)
    if kind == "int" and "dtype" in name:
        return given.dtype
    if kind == "int":
        return -1 if "dim" in name and name != "dim0" else 0 if name == "dim0" else 1
    plain = {"number": 2, "float": 0.5, "bool": False, "List[float]": [0.5], "List[bool]": [True]}
    return plain.get(kind)


def overloads() -> list:
    """Returns PyTorch's overloads that Tenon ships and that are safe to call."""
    tenon.ops.aten.add.overloads()  # loads the operators
    found = []
    for name in tenon.introspect.operators("aten"):
        base, _, overload = name.removeprefix("aten::").partition(".")
        packet = getattr(torch.ops.aten, base, None)
        func = getattr(packet, overload or "default", None)
        if func is None or any(word in base for word in LEFT_OUT):
            continue
        if not any(one.is_out for one in func._schema.arguments):
            found.append(func)
    return found


def calls_of(func: Any, given: torch.Tensor) -> list[list]:
    """Makes arguments without defaults, once with equal and once with broadcast further tensors."""
    made = []
    for other in ("equal", "broadcast"):
        args, tensors = [], 0
        for parameter in func._schema.arguments:
            if parameter.has_default_value():
                break
            value = argument(parameter, given, tensors == 0, other)
            tensors += isinstance(value, torch.Tensor)
            args.append(value)
        if tensors < 2 and made:
            break
        made.append(args)
    return made


# Integers that overflow could go wrong silently. Floats are not tested: some operators of PyTorch
# refuse a number that is infinite in the dtype, and others do not.
NUMBERS = [-1, 300, -300, 2**40, 2.5, math.nan, math.inf, 1e300, True, 1j]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "bool"])
def test_operators_on_numbers_outside_of_the_dtype(dtype):
    seen = replay.Replay()
    seen.most_of_a_kind = 200
    given = torch.tensor([0, 1, 2, 100], dtype=torch.uint8).to(getattr(torch, dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for func in overloads():
            kinds = [str(one.type) for one in func._schema.arguments]
            places = [at for at, kind in enumerate(kinds) if kind in ("number", "Optional[number]")]
            for at in places:
                for number in NUMBERS:
                    args = calls_of(func, given)[0]
                    for parameter in func._schema.arguments[len(args) : at]:
                        args.append(parameter.default_value)
                    args[at:] = [number, *args[at + 1 :]]
                    if func._schema.arguments[min(at, len(args) - 1)].kwarg_only:
                        continue
                    if not seen.is_replayed(func, args, {}):
                        continue
                    torch.manual_seed(0)
                    try:
                        seen.beside(func, args, {})
                    except replay.REFUSALS:
                        continue  # recorded if Tenon accepts it
    seen.check(f"numbers beyond the dtype, {dtype}", 60)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_operator_on_unusual_tensors(dtype):
    seen = replay.Replay()
    table = awkward(getattr(torch, dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for func in overloads():
            for given in table.values():
                seen.kind = "" if given.numel() else "no elements"
                for args in calls_of(func, given):
                    if not seen.is_replayed(func, args, {}):
                        continue
                    torch.manual_seed(0)
                    try:
                        seen.beside(func, args, {})
                    except replay.REFUSALS:
                        continue  # recorded if Tenon accepts it
    seen.check(f"awkward tensors, {dtype}", 350)
