# SPDX-License-Identifier: Apache-2.0
"""The conformance cases of tests/conformance, read as data."""

from __future__ import annotations

import math

import cases
import pytest
import tenon


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
        expected = _flat(cases.tensor(want))
        assert all(_close(g, w, tolerance) for g, w in zip(_flat(got), expected, strict=True)), (
            got,
            expected,
        )
    elif isinstance(spec, list):
        assert isinstance(got, (list, tuple)) and len(got) == len(spec)
        for one, want in zip(got, spec, strict=True):
            _check(one, want, args, tolerance)
    else:
        want = cases.value(spec)
        assert type(got) is type(want) and _close(got, want, tolerance), (got, want)


def _check_error(error, action):
    with pytest.raises(tenon.Error) as caught:
        action()
    assert caught.value.code == error["code"], caught.value
    for text in error.get("contains", ()):
        assert text in str(caught.value)


def _run_operator(case):
    args, kwargs = cases.arguments(case)

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


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{file}-{case['name']}") for file, case in cases.all_cases()]
)
def test_case(case):
    if "op" in case:
        _run_operator(case)
    elif "newer" in case:
        _run_compatibility(case)
    else:
        _run_schema(case)
