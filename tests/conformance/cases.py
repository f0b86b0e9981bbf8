# SPDX-License-Identifier: Apache-2.0
"""Reads the conformance cases: see README.md beside this file for what a case holds."""

from __future__ import annotations

import collections
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import tenon

FOLDER = pathlib.Path(__file__).resolve().parent


def all_cases() -> Iterator[tuple[str, dict]]:
    """Yields each case and the name of its file."""
    for path in sorted(FOLDER.glob("*.json")):
        for case in json.loads(path.read_text())["cases"]:
            yield path.stem, case


def by_operator() -> dict[str, list[dict]]:
    """Returns the operator cases of each overload."""
    found = collections.defaultdict(list)
    for _, case in all_cases():
        if "op" in case and "args" in case:
            found[case["op"]].append(case)
    return found


def arguments(case: dict) -> tuple[list, dict]:
    """Makes the positional and keyword arguments of an operator case."""
    kwargs = {name: value(spec) for name, spec in case.get("kwargs", {}).items()}
    return [value(spec) for spec in case["args"]], kwargs


def value(spec: Any) -> Any:
    """Makes a value."""
    if isinstance(spec, list):
        return [value(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    ((kind, given),) = spec.items()
    return {
        "tensor": lambda: tensor(given),
        "float": lambda: float(given),
        "complex": lambda: complex(*given),
        "dtype": lambda: getattr(tenon, given),
        "device": lambda: tenon.device(given),
        "memory_format": lambda: getattr(tenon, given),
        "generator": lambda: tenon.Generator(seed=given["seed"]),
    }[kind]()


def tensor(spec: dict) -> Any:
    """Makes a tensor."""
    dtype = getattr(tenon, spec["dtype"])
    if spec.get("device") == "meta":
        return tenon.empty(spec["shape"], dtype=dtype, device="meta")
    storage = tenon.tensor([element(one) for one in spec["data"]], dtype=dtype)
    if "strides" not in spec:
        return storage.reshape(spec["shape"])
    return tenon.ops.aten.as_strided(storage, spec["shape"], spec["strides"], spec.get("offset", 0))


def element(given: Any) -> Any:
    """Returns an element of a tensor."""
    if isinstance(given, str):
        return float(given)
    return complex(*map(element, given)) if isinstance(given, list) else given
