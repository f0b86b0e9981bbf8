# SPDX-License-Identifier: Apache-2.0
"""The conformance cases of tests/conformance, read as data."""

from __future__ import annotations

import json
import math
import pathlib

import pytest
import tenon

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "conformance"


def _cases():
    for path in sorted(FOLDER.glob("*.json")):
        for case in json.loads(path.read_text())["cases"]:
            yield pytest.param(case, id=f"{path.stem}-{case['name']}")


def _number(value):
    """An element as JSON writes it."""
    if isinstance(value, str):
        return float(value)
    return complex(*map(_number, value)) if isinstance(value, list) else value


def _tensor(spec):
    dtype = getattr(tenon, spec["dtype"])
    if spec.get("device") == "meta":
        return tenon.empty(spec["shape"], dtype=dtype, device="meta")
    storage = tenon.tensor([_number(value) for value in spec["data"]], dtype=dtype)
    if "strides" not in spec:
        return storage.reshape(spec["shape"])
    return tenon.ops.aten.as_strided(storage, spec["shape"], spec["strides"], spec.get("offset", 0))


def _value(spec):
    if isinstance(spec, list):
        return [_value(item) for item in spec]
    if not isinstance(spec, dict):
        return spec
    ((kind, value),) = spec.items()
    return {
        "tensor": lambda: _tensor(value),
        "float": lambda: float(value),
        "complex": lambda: complex(*value),
        "dtype": lambda: getattr(tenon, value),
        "device": lambda: tenon.device(value),
        "memory_format": lambda: getattr(tenon, value),
        "generator": lambda: tenon.Generator(seed=value["seed"]),
    }[kind]()


def _flat(tensor):
    return tensor.reshape(-1).tolist()


def _close(got, want, tolerance):
    if isinstance(want, complex) or isinstance(got, complex):
        got, want = complex(got), complex(want)
        return _close(got.real, want.real, tolerance) and _close(got.imag, want.imag, tolerance)
    if isinstance(want, float) and math.isnan(want):
        return math.isnan(got)
    if got == want:
        return True
    return tolerance is not None and abs(got - want) <= tolerance * max(1.0, abs(want))


def _check(got, spec, args, tolerance):
    if isinstance(spec, dict) and "argument" in spec:
        assert got is args[spec["argument"]]
    elif isinstance(spec, dict) and "tensor" in spec:
        want = spec["tensor"]
        assert got.dtype is getattr(tenon, want["dtype"])
        assert list(got.shape) == want["shape"]
        assert got.device == tenon.device(want.get("device", "cpu"))
        if want.get("device") == "meta":
            return
        expected = _flat(_tensor(want))
        assert all(_close(g, w, tolerance) for g, w in zip(_flat(got), expected, strict=True)), (
            got,
            expected,
        )
    elif isinstance(spec, list):
        assert isinstance(got, (list, tuple)) and len(got) == len(spec)
        for one, want in zip(got, spec, strict=True):
            _check(one, want, args, tolerance)
    else:
        want = _value(spec)
        assert type(got) is type(want) and _close(got, want, tolerance), (got, want)


def _check_error(error, action):
    with pytest.raises(tenon.Error) as caught:
        action()
    assert caught.value.code == error["code"], caught.value
    for text in error.get("contains", ()):
        assert text in str(caught.value)


def _run_operator(case):
    args = [_value(arg) for arg in case["args"]]
    kwargs = {name: _value(arg) for name, arg in case.get("kwargs", {}).items()}

    def call():
        return tenon.find_op(case["op"])(*args, **kwargs)

    if "error" in case:
        _check_error(case["error"], call)
        return
    result = call()
    count = len(case["expect"])
    results = [result] if count == 1 else [] if count == 0 else list(result)
    for got, spec in zip(results, case["expect"], strict=True):
        _check(got, spec, args, case.get("tolerance"))
    for index, spec in case.get("after", {}).items():
        _check(args[int(index)], spec, args, case.get("tolerance"))
    for index in case.get("shares", ()):
        assert results[0]._storage_ptr() == args[index]._storage_ptr()


def _run_schema(case):
    if "error" in case:
        _check_error(case["error"], lambda: tenon.Schema.parse(case["schema"]))
        return
    schema = tenon.Schema.parse(case["schema"])
    assert str(schema) == case["prints"]
    assert str(tenon.Schema.parse(str(schema))) == case["prints"]
    arguments = schema.arguments
    facts = {
        "op_name": lambda: schema.name,
        "overload": lambda: schema.overload_name,
        "arguments": lambda: [one.name for one in arguments],
        "types": lambda: [one.type for one in arguments],
        "kwarg_only": lambda: [one.name for one in arguments if one.kwarg_only],
        "returns": lambda: [one.type for one in schema.returns],
        "mutable": lambda: schema.is_mutable,
        "defaults": lambda: {one.name: one.default for one in arguments if one.has_default},
    }
    for name, read in facts.items():
        if name in case:
            assert read() == case[name]


def _run_compatibility(case):
    newer, older = tenon.Schema.parse(case["newer"]), tenon.Schema.parse(case["older"])
    if case.get("forward", False):
        assert newer.is_forward_compatible_with(older) == case["compatible"]
    else:
        assert newer.is_backward_compatible_with(older) == case["compatible"]


@pytest.mark.parametrize("case", list(_cases()))
def test_case(case):
    if "op" in case:
        _run_operator(case)
    elif "newer" in case:
        _run_compatibility(case)
    else:
        _run_schema(case)
