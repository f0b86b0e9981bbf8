# SPDX-License-Identifier: Apache-2.0
"""Every shipped operator infers for fake tensors what it returns for real ones.

Runs the calls of the conformance cases and compares shape, strides, offset, dtype, device, which
arguments the results share memory with, the versions after the call, and what is refused.
"""

from __future__ import annotations

import json

import cases
import pytest
import tenon
from tenon import FakeTensor, FakeTensorMode

DTYPES = ("float32", "int64", "complex64")
# Tags of operators whose results are, or depend on, elements.
ASKS_DATA = {"data_dependent_output", "dynamic_output_shape"}
# Other operators that read elements, depending on their arguments.
MAY_ASK_DATA = (
    "aten::index",
    "aten::_index_put_impl_",
    "aten::where",
    "aten::normal",
    "aten::repeat_interleave",
    # These take numbers as tensors.
    "aten::_foreach_addcdiv",
    "aten::_foreach_addcmul",
    "aten::_fused_adam",
    "aten::_fused_adamw",
    "aten::_fused_sgd",
    "aten::histogram",
    # These take lengths as tensors.
    "aten::ctc_loss",
    "aten::_ctc_loss_backward",
)
# These refuse all calls, and name the operator to call instead.
REFUSES = {
    "tenon::igamma_backward_self",
    "tenon::linalg_lu_factor_backward",
    "tenon::special_zeta_backward_self",
}


def is_operator(name: str) -> bool:
    """Returns false for the undefined names that some cases call."""
    try:
        return tenon.find_op(name).is_defined
    except tenon.NotFoundError:
        return False


def vector(*data: float) -> dict:
    return {"tensor": {"dtype": "float32", "shape": [len(data)], "data": list(data)}}


FLOAT64 = {"dtype": {"dtype": "float64"}}
SIX = vector(0, 1, 2, 3, 4, 5)
# Calls of operators that the conformance cases call without comparable results.
MORE: dict[str, list] = {
    "aten::chunk": [([SIX, 4], {}), ([SIX, 6, 0], {})],
    "aten::split.Tensor": [([SIX, 4], {})],
    "aten::split.sizes": [([SIX, [1, 5]], {})],
    "aten::split_with_sizes": [([SIX, [1, 5]], {})],
    "aten::unbind.int": [([SIX], {})],
    "tenon::cat_backward": [([vector(1, 2, 3), [[1], [2]], 0], {})],
    "aten::empty.memory_format": [([[2, 3]], FLOAT64)],
    "aten::empty.out": [([[2, 3]], {"out": vector()})],
    "aten::empty_like": [([SIX], FLOAT64)],
    "aten::empty_like.out": [([SIX], {"out": vector()})],
    "aten::empty_strided": [([[2, 3], [1, 2]], FLOAT64)],
    "aten::empty_strided.out": [([[2, 3], [1, 2]], {"out": vector()})],
    "aten::rand": [([[2, 3]], FLOAT64)],
    "aten::rand.out": [([[2, 3]], {"out": vector()})],
    "aten::randn": [([[2, 3]], FLOAT64)],
    "aten::randn.out": [([[2, 3]], {"out": vector()})],
}


def calls() -> dict[str, list]:
    """Collects the arguments of conformance cases by operator, and some more."""
    found = {name: list(each) for name, each in MORE.items()}
    for name, each in cases.by_operator().items():
        for case in each:
            if '"meta"' not in json.dumps(case) and is_operator(name):
                found.setdefault(name, []).append((case["args"], case.get("kwargs", {})))
    return found


CALLS = calls()


def convert(value, change):
    """Returns a value with its tensors changed, also inside lists."""
    if isinstance(value, (list, tuple)):
        return type(value)(convert(one, change) for one in value)
    return change(value) if isinstance(value, tenon.Tensor) else value


def tensors_in(value) -> list:
    if isinstance(value, (list, tuple)):
        return [one for each in value for one in tensors_in(each)]
    return [value] if isinstance(value, tenon.Tensor) else []


class Outcome:
    """The metadata of each result, and the arguments that it shares memory with."""

    def __init__(self, op, args, kwargs) -> None:
        given = tensors_in([args, list(kwargs.values())])
        versions = [one._version for one in given]
        self.result = op(*args, **kwargs)
        self.results = tensors_in(self.result)
        self.like = [self.of(one, given) for one in self.results]
        self.given = [
            (tuple(one.shape), one.stride(), one._version - before)
            for one, before in zip(given, versions, strict=True)
        ]
        self.rest = [] if self.results else self.result

    @staticmethod
    def of(result, given):
        base = result if result._base is None else result._base
        shares = [
            number
            for number, one in enumerate(given)
            if one is base or (one._base is not None and one._base is base)
        ]
        same = [number for number, one in enumerate(given) if one is result]
        return (
            tuple(result.shape),
            result.stride(),
            result.storage_offset(),
            result.dtype,
            result.device,
            result.is_contiguous(),
            shares,
            same,
        )


def arguments(spec, dtype):
    """Returns one call's arguments, with float32 tensors converted to the dtype."""
    args, kwargs = spec

    def as_dtype(tensor):
        return tensor.to(getattr(tenon, dtype)) if tensor.dtype is tenon.float32 else tensor

    values = [convert(cases.value(one), as_dtype) for one in args]
    return values, {key: convert(cases.value(one), as_dtype) for key, one in kwargs.items()}


def asks_data(op, name: str, error: Exception) -> bool:
    if not isinstance(error, tenon.DataDependentError):
        return False
    asks = ASKS_DATA & set(op.tags) or name.partition(".")[0].rstrip("_").startswith(MAY_ASK_DATA)
    return bool(asks)


def check(op, name: str, spec, dtype: str) -> str:
    """Compares one call; returns "compared", "refused" or "asks data"."""
    args, kwargs = arguments(spec, dtype)
    mode = FakeTensorMode()
    fake_args = convert(args, mode.from_tensor)
    fake_kwargs = {key: convert(one, mode.from_tensor) for key, one in kwargs.items()}
    try:
        real = Outcome(op, args, kwargs)
        failure = None
    except Exception as error:
        real, failure = None, error
    with mode:
        if real is None:
            try:
                op(*fake_args, **fake_kwargs)
            except Exception as error:
                if not asks_data(op, name, error):
                    assert type(error) is type(failure), (error, failure)
                return "refused"
            # Fake tensors have no elements to refuse, so only the call on real tensors must fail.
            assert isinstance(failure, (tenon.Error, IndexError)), failure
            return "refused"
        try:
            fake = Outcome(op, fake_args, fake_kwargs)
        except tenon.DataDependentError as error:
            assert asks_data(op, name, error), error
            return "asks data"
    assert fake.like == real.like
    assert fake.given == real.given
    assert all(isinstance(one, FakeTensor) for one in fake.results)
    assert fake.results or fake.rest == real.rest
    return "compared"


@pytest.mark.parametrize("name", sorted(CALLS))
def test_operator(name):
    """Compares all cases of an operator."""
    op = tenon.find_op(name)
    outcomes = [check(op, name, spec, dtype) for spec in CALLS[name] for dtype in DTYPES]
    assert "compared" in outcomes or "asks data" in outcomes or name in REFUSES


def test_every_operator_is_called():
    """No shipped operator is left out."""
    shipped = {*tenon.introspect.operators("aten"), *tenon.introspect.operators("tenon")}
    assert shipped - set(CALLS) == set()
