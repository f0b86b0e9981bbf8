# SPDX-License-Identifier: Apache-2.0
"""Calls every operator that writes to an argument with unusual layouts of that argument.

The layouts have arbitrary strides of dims of size 1, overlap themselves, or are views of a larger
tensor. The calls come from the conformance cases.
"""

from __future__ import annotations

import copy

import cases
import pytest
import tenon

from test_fake_operators import CALLS

DTYPES = (tenon.float32, tenon.int64, tenon.bool, tenon.complex64, tenon.uint8)


def written(op) -> list[str]:
    """Returns the names of the tensor arguments that the operator writes to."""
    return [
        argument.name
        for argument in op._schema.arguments
        if argument.alias_info is not None
        and argument.alias_info.is_write
        and str(argument.type) == "Tensor"
    ]


def calls_of(name: str) -> list:
    """Returns the cases of an operator.

    For an in-place or `out=` overload without cases, returns those of the functional overload.
    """
    if name in CALLS:
        return CALLS[name]
    base, _, overload = name.partition(".")
    base = base.removesuffix("_")
    functional = f"{base}.{overload.removesuffix('out').rstrip('_')}".rstrip(".")
    return CALLS.get(functional, CALLS.get(base, CALLS.get(f"{base}.Tensor", [])))


def bound(op, spec, dtype) -> dict:
    """Returns fresh arguments by name; missing written tensors are empty, of the given dtype."""
    args, kwargs = copy.deepcopy(spec)
    names = [argument.name for argument in op._schema.arguments]
    given = dict(zip(names, map(cases.value, args), strict=False))
    given.update({name: cases.value(value) for name, value in kwargs.items()})
    for key in written(op):
        given.setdefault(key, tenon.empty(0, dtype=dtype))
    return given


def run(op, given: dict) -> object:
    tenon.manual_seed(0)
    return op(**given)


def works(op, spec, dtype) -> bool:
    """Returns True if the call succeeds and resizes no argument that had elements."""
    try:
        given = bound(op, spec, dtype)
        before = {key: given[key].shape for key in written(op) if given[key].numel() != 0}
        run(op, given)
    except (tenon.Error, NotImplementedError, TypeError, AttributeError):
        return False
    return all(given[key].shape == shape for key, shape in before.items())


def writers() -> dict[str, list]:
    """Returns the cases that succeed by operator, each with the dtype for its missing tensors."""
    found = {}
    for name in sorted(tenon.introspect.operators("aten") + tenon.introspect.operators("tenon")):
        op = tenon.find_op(name)
        if not written(op) or "inplace_view" in op.tags:
            continue
        for spec in calls_of(name):
            dtype = next((one for one in DTYPES if works(op, spec, one)), None)
            if dtype is not None:
                found.setdefault(name, []).append((spec, dtype))
    return found


WRITERS = writers()


def test_most_operators_that_write_are_called():
    wanted = {
        name
        for name in tenon.introspect.operators("aten")
        if written(tenon.find_op(name)) and "inplace_view" not in tenon.find_op(name).tags
    }
    missing = wanted - set(WRITERS)
    assert len(missing) < 0.1 * len(wanted), sorted(missing)


def with_strides_of_ones(tensor):
    """Returns a view of the same elements whose dims of size 1 have arbitrary large strides."""
    strides = [
        stride if size != 1 else 1000 + dim
        for dim, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True))
    ]
    return tenon.as_strided(tensor, tensor.shape, strides, tensor.storage_offset())


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_strides_of_dims_of_one_mean_nothing(name):
    op = tenon.find_op(name)
    for spec, dtype in WRITERS[name]:
        usual, odd = bound(op, spec, dtype), bound(op, spec, dtype)
        run(op, usual)
        for key in written(op):
            if odd[key].shape != usual[key].shape:  # the call resized it
                odd[key] = tenon.zeros(usual[key].shape, dtype=usual[key].dtype)
            odd[key] = with_strides_of_ones(odd[key])
        run(op, odd)
        for key in written(op):
            if not name.startswith("aten::empty"):
                assert tenon.allclose(usual[key], odd[key], equal_nan=True), key


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_targets_that_overlap_themselves_are_refused(name):
    op = tenon.find_op(name)
    for spec, dtype in WRITERS[name]:
        done = bound(op, spec, dtype)
        run(op, done)
        for key in written(op):
            wide = sum(size > 1 for size in done[key].shape)
            # Stride 0: all elements share one address. Stride 1: neighbouring rows overlap.
            steps = [0] * (wide > 0) + [1] * (wide > 1)
            for step in steps:
                given = bound(op, spec, dtype)
                memory = tenon.zeros(done[key].numel() + 64, dtype=done[key].dtype)
                strides = [step] * done[key].dim()
                given[key] = tenon.as_strided(memory, done[key].shape, strides, 0)
                try:
                    run(op, given)
                except tenon.Error:
                    assert not given[key].any(), (key, step)
                else:  # allowed if the result is right, such as filling with one number
                    is_right = tenon.equal(given[key], done[key])
                    assert is_right or not given[key].any(), (key, step)


@pytest.mark.filterwarnings("ignore:.*is resized")
@pytest.mark.parametrize("name", sorted(WRITERS))
def test_views_are_never_resized_over_elements_outside_of_them(name):
    op = tenon.find_op(name)
    outs = [a.name for a in op._schema.arguments if a.is_out and a.name in written(op)]
    for spec, dtype in WRITERS[name]:
        done = bound(op, spec, dtype)
        run(op, done)
        for key in outs:
            count = done[key].numel()
            memory = tenon.zeros(4096, dtype=done[key].dtype)
            if count > 0:  # one element fewer than the result
                given = bound(op, spec, dtype)
                given[key] = memory[7 : 7 + count - 1]
                with pytest.raises(tenon.Error):
                    run(op, given)
                assert not memory.any(), key
            given = bound(op, spec, dtype)
            given[key] = memory[7 : 7 + count + 3]
            try:  # some operators are stricter about the sizes of `out`
                run(op, given)
                assert given[key].shape == done[key].shape, key
            except tenon.error.InvalidArgumentError:
                assert not memory.any(), key
            assert not memory[:7].any() and not memory[7 + count + 3 :].any(), key
