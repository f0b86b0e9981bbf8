# SPDX-License-Identifier: Apache-2.0
"""Binds arguments and reads schemas: values and messages are equal in all languages."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
import tenon
from tenon import _tenon
from tenon.library import Library

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "conformance"
BINDINGS = json.loads((FOLDER / "bindings.json").read_text())["bindings"]
SIGNATURES = json.loads((FOLDER / "signatures.json").read_text())["signatures"]


def value(spec: Any, tensors: dict[str, tenon.Tensor]) -> Any:
    """Makes a value from its notation in the cases."""
    if spec is None:
        return None
    ((tag, given),) = spec.items()
    if tag == "list":
        return [value(one, tensors) for one in given]
    if tag == "tensors":
        return [None if name is None else tensors.setdefault(name, tenon.ones(1)) for name in given]
    make = {
        "complex": lambda: complex(*given),
        "dtype": lambda: getattr(tenon, given),
        "device": lambda: tenon.device(given),
        "tensor": lambda: tensors.setdefault(given, tenon.ones(1)),
    }
    return make[tag]() if tag in make else given


def same(got: Any, want: Any) -> bool:
    """Returns true if two values have equal types and values; tensors must be identical."""
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, tenon.Tensor) or want is None:
        return got is want
    return type(got) is type(want) and got == want


@pytest.fixture(scope="module")
def bind():
    """Defines the operators of all cases."""
    with Library("bind", "DEF") as library:
        for case in BINDINGS:
            library.define(case["schema"].partition("::")[2])
            library.impl(case["name"], lambda *args, **kwargs: None, "CompositeExplicitAutograd")
        yield tenon.ops.bind


@pytest.mark.parametrize("case", BINDINGS, ids=lambda case: case["name"])
def test_binding(bind, case):
    op = getattr(bind, case["name"])
    overload = op.default
    tensors: dict[str, tenon.Tensor] = {}
    positional = [value(one, tensors) for one in case["positional"]]
    named = {name: value(one, tensors) for name, one in case.get("named", {}).items()}
    if "bound" in case:
        want = [value(one, tensors) for one in case["bound"]]
        got = overload._bind(*positional, **named)
        assert same(got, want), got
        assert op(*positional, **named) is None
        return
    for call in (op, overload, overload._bind, overload.compute_keys, overload.explain):
        with pytest.raises(TypeError) as caught:
            call(*positional, **named)
        assert str(caught.value) == case["error"]


def test_kernels_get_the_bound_arguments(bind):
    """A Python kernel gets the caller's own objects, or equal ones."""
    seen = []
    with Library("bind_seen", "DEF") as library:
        for case in (case for case in BINDINGS if "bound" in case):
            library.define(case["schema"].partition("::")[2])
            library.impl(
                case["name"], lambda *a, **k: seen.append((a, k)), "CompositeExplicitAutograd"
            )
            tensors: dict[str, tenon.Tensor] = {}
            positional = [value(one, tensors) for one in case["positional"]]
            named = {name: value(one, tensors) for name, one in case.get("named", {}).items()}
            op = getattr(tenon.ops.bind_seen, case["name"]).default
            op(*positional, **named)
            args, kwargs = seen.pop()
            again = op._bind(*args, **kwargs)
            want = [value(one, tensors) for one in case["bound"]]
            assert same(again, want), (case["name"], args, kwargs)


@pytest.mark.parametrize("case", SIGNATURES, ids=lambda case: case["schema"])
def test_signature(case):
    schema = _tenon.tenon_schema_parse(case["schema"], -1)
    assert _tenon.tenon_schema_signature(schema) == case["letters"]
    assert _tenon.tenon_schema_signature_hash(schema) == int(str(case["hash"]), 0)


def test_errors_that_only_python_has_use_the_same_words(library, ops):
    library.define("f(Tensor x, int n=1, *, float s=0.5) -> ()")
    schema = f"schema: {library.ns}::f(Tensor x, int n=1, *, float s=0.5) -> ()"
    x = tenon.ones(1)
    for args, kwargs, complaint in [
        ((object(),), {}, "x must be Tensor, got object at position 0"),
        (
            (x, 2**70),
            {},
            f"n must be int, got int {2**70} (outside the range of int64) at position 1",
        ),
        ((x,), {"n": 2**70}, f"n must be int, got int {2**70} (outside the range of int64)"),
        ((x,), {"s": {"a": 1}}, "s must be float, got dict"),
    ]:
        with pytest.raises(TypeError) as caught:
            ops.f(*args, **kwargs)
        assert str(caught.value) == f"{library.ns}::f: {complaint}; {schema}"
