# SPDX-License-Identifier: Apache-2.0
"""Every shipped operator in a vmap, compared with a loop.

The calls are those of the conformance cases. Each runs with two variants of its tensors, mapped in
front, at the end, and one tensor alone; in several dtypes, and in a nested vmap.
"""

from __future__ import annotations

import itertools
import json
import warnings

import cases
import pytest
import tenon
from tenon.func import vmap

# Names, or their beginnings, of operators that draw random numbers; test_func.py tests these.
RANDOM = (
    "rand",
    "normal",
    "uniform",
    "bernoulli",
    "cauchy",
    "exponential",
    "geometric",
    "log_normal",
    "multinomial",
    "poisson",
    "rrelu",
)
# Operators that read elements, which differ between the examples of a vmap.
DATA_DEPENDENT = {"data_dependent_output", "dynamic_output_shape"}
ASK_DATA = (
    "aten::where",
    "aten::equal",
    "aten::masked_select",
    "tenon::masked_select_backward",
    "aten::repeat_interleave.self_Tensor",
    # These take lengths and targets as tensors.
    "aten::_ctc_loss_backward.Tensor",
    "aten::ctc_loss.IntList",
    "aten::ctc_loss.Tensor",
    # These take numbers as tensors.
    "aten::_foreach_addcdiv.Tensor",
    "aten::_foreach_addcmul.Tensor",
    "aten::quantile",
    "aten::nanquantile",
)
DTYPES = ("float32", "float64", "bfloat16", "int64", "complex64")


def calls() -> dict[str, list]:
    """Collects the arguments of conformance cases by operator, with tensors and without `out`s."""
    found: dict[str, list] = {}
    for name, each in cases.by_operator().items():
        for case in each:
            if "expect" not in case or '"meta"' in json.dumps(case):
                continue
            kwargs = case.get("kwargs", {})
            if has_tensor(list(kwargs.values())) or not has_tensor(case["args"]):
                continue
            found.setdefault(name, []).append((case["args"], kwargs))
    return found


def has_tensor(specs: list) -> bool:
    return any(
        has_tensor(one) if isinstance(one, list) else isinstance(one, dict) and "tensor" in one
        for one in specs
    )


CALLS = calls()


class Example:
    """One call, with its tensors apart from the other arguments."""

    def __init__(self, name: str, args: list, kwargs: dict, dtype: str) -> None:
        self.op = tenon.find_op(name)
        self.counts_memory = name.startswith("aten::as_strided")
        self.is_in_place = name.partition(".")[0].endswith("_")
        self.specs = args
        self.kwargs = {key: cases.value(one) for key, one in kwargs.items()}
        self.dtype = dtype
        self.tensors = [one for arg in args for one in self.tensors_of(arg)]

    def tensors_of(self, spec) -> list:
        """Returns the tensors of an argument, float32 ones in the example's dtype."""
        if isinstance(spec, list):
            return [one for each in spec for one in self.tensors_of(each)]
        if not (isinstance(spec, dict) and "tensor" in spec):
            return []
        if spec["tensor"]["dtype"] != "float32":
            return [cases.value(spec)]
        return [cases.value(spec).to(getattr(tenon, self.dtype))]

    def run(self, *tensors):
        """Calls the operator with other tensors; returns its result, or what it wrote."""
        left = iter(tensors)

        def put(spec):
            if isinstance(spec, list):
                return [put(one) for one in spec]
            return next(left) if isinstance(spec, dict) and "tensor" in spec else cases.value(spec)

        result = self.op(*map(put, self.specs), **self.kwargs)
        return tensors[0] if self.is_in_place else result


def turned(tensor):
    """Returns a tensor with the same elements in reverse order."""
    return tensor.reshape(-1).flip([0]).reshape(tensor.shape)


def leaves(result) -> list:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def mapped_ways(example: Example):
    """Yields in_dims for the tensors: all in front, all at the end, one alone."""
    count = len(example.tensors)
    yield (0,) * count
    if not example.counts_memory:
        yield (-1,) * count
    for alone in range(count) if count > 1 else ():
        if alone == 0 or not example.is_in_place:
            yield tuple(0 if k == alone else None for k in range(count))


def by_loop(example: Example, rows: list, in_dims: tuple) -> list | None:
    """Stacks the results for each row of tensors; returns None if a vmap has no such result."""
    columns = []
    wholes = stacked(rows, in_dims)
    for number in range(len(rows)):
        row = [
            whole if dim is None else whole.select(dim, number)
            for whole, dim in zip(wholes, in_dims, strict=True)
        ]
        if example.counts_memory:  # as_strided counts from the start of the whole tensor
            row = [one.clone() for one in row]
        try:
            results = leaves(example.run(*row))
        except tenon.Error:
            return None
        if not all(isinstance(one, tenon.Tensor) for one in results):
            return None
        columns.append(results)
    if any(len({tuple(one.shape) for one in each}) > 1 for each in zip(*columns, strict=True)):
        return None
    return [tenon.stack(each) for each in zip(*columns, strict=True)]


def check_same(got, expected) -> None:
    assert tuple(got.shape) == tuple(expected.shape), (got.shape, expected.shape)
    assert got.dtype is expected.dtype, (got.dtype, expected.dtype)
    small = expected.dtype in (tenon.bfloat16, tenon.float16)
    near = {"rel": 2**-6 if small else 1e-5, "abs": 2**-6 if small else 1e-6, "nan_ok": True}
    assert got.reshape(-1).tolist() == pytest.approx(expected.reshape(-1).tolist(), **near)


def stacked(rows: list, in_dims: tuple) -> list:
    """Stacks the rows of each tensor along its mapped dim; unmapped tensors use the first row."""
    return [
        each[0].clone() if dim is None else tenon.stack(list(each), dim)
        for each, dim in zip(zip(*rows, strict=True), in_dims, strict=True)
    ]


def check(example: Example) -> int:
    """Compares vmaps with loops; returns the number of comparisons."""
    count = len(example.tensors)
    two = [example.tensors, [turned(one) for one in example.tensors]]
    checked = 0
    for in_dims in mapped_ways(example):
        rows = [
            [row[k] if in_dims[k] is not None else two[0][k] for k in range(count)] for row in two
        ]
        expected = by_loop(example, rows, in_dims)
        if expected is None:
            continue
        got = leaves(vmap(example.run, in_dims)(*stacked(rows, in_dims)))
        for one, other in zip(got, expected, strict=True):
            check_same(one, other)
        checked += 1
    pairs = [two, two[::-1]]
    inner = [by_loop(example, rows, (0,) * count) for rows in pairs]
    if None not in inner:
        whole = [
            tenon.stack(each) for each in zip(*(stacked(rows, (0,) * count) for rows in pairs))
        ]
        got = leaves(vmap(vmap(example.run, (0,) * count), (1,) * count)(*turn_over(whole)))
        for one, each in zip(got, zip(*inner, strict=True), strict=True):
            check_same(one, tenon.stack(list(each)))
        checked += 1
    return checked


def turn_over(tensors: list) -> list:
    """Moves the outer mapped dim behind the inner one, where the outer vmap expects it."""
    return [one.transpose(0, 1) for one in tensors]


@pytest.mark.parametrize("name", sorted(CALLS))
def test_vmap_is_the_loop(name):
    op = tenon.find_op(name)
    if name.partition("::")[2].startswith(RANDOM) and not name.endswith("_backward"):
        pytest.skip("random")
    if DATA_DEPENDENT & set(op.tags) or name in ASK_DATA:
        pytest.skip("results that depend on data may differ in shape between examples")
    if not any("Tensor" in str(one.type) for one in op._schema.returns):
        pytest.skip("no tensor comes of it")
    checked = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for (args, kwargs), dtype in itertools.product(CALLS[name], DTYPES):
            try:
                example = Example(name, args, kwargs, dtype)
            except tenon.Error:
                continue
            checked += check(example)
    assert checked > 0, "a conformance case must be one that a vmap can run"
