# SPDX-License-Identifier: Apache-2.0
"""What operators write to, in layouts that mean nothing, overlap, or show a part of memory.

The calls are those of the conformance cases, of every operator with a written tensor argument.
"""

from __future__ import annotations

import copy

import cases
import pytest
import tenon

from test_fake_operators import CALLS

DTYPES = (tenon.float32, tenon.int64, tenon.bool, tenon.complex64, tenon.uint8)


def written(op) -> list[str]:
    """Names of the arguments that a call writes and that are tensors."""
    return [
        argument.name
        for argument in op._schema.arguments
        if argument.alias_info is not None
        and argument.alias_info.is_write
        and str(argument.type) == "Tensor"
    ]


def calls_of(name: str) -> list:
    """Cases of an operator; of a form without any, those of the form that it stands for."""
    if name in CALLS:
        return CALLS[name]
    base, _, overload = name.partition(".")
    base = base.removesuffix("_")
    functional = f"{base}.{overload.removesuffix('out').rstrip('_')}".rstrip(".")
    return CALLS.get(functional, CALLS.get(base, CALLS.get(f"{base}.Tensor", [])))


def bound(op, spec, dtype) -> dict:
    """Returns fresh arguments of a call by name, with empty tensors of a dtype for missing ones."""
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
    """Whether a call succeeds and changes the shape of nothing that had elements."""
    try:
        given = bound(op, spec, dtype)
        before = {key: given[key].shape for key in written(op) if given[key].numel() != 0}
        run(op, given)
    except (tenon.Error, NotImplementedError, TypeError, AttributeError):
        return False
    return all(given[key].shape == shape for key, shape in before.items())


def writers() -> dict[str, list]:
    """Calls that succeed, by operator: the case, and the dtype of what it lacks."""
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
    """The same elements, with strides of dims of size 1 that no other layout has."""
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
            if odd[key].shape != usual[key].shape:  # resized
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
            # All at one place; each dim one element further; rows that share all but one element.
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
                else:  # right all the same: a number may fill all, and some calls write nothing
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
            if count > 0:  # one element less than the result has
                given = bound(op, spec, dtype)
                given[key] = memory[7 : 7 + count - 1]
                with pytest.raises(tenon.Error):
                    run(op, given)
                assert not memory.any(), key
            given = bound(op, spec, dtype)
            given[key] = memory[7 : 7 + count + 3]
            try:  # some operators have rules of their own for the sizes of `out`
                run(op, given)
                assert given[key].shape == done[key].shape, key
            except tenon.error.InvalidArgumentError:
                assert not memory.any(), key
            assert not memory[:7].any() and not memory[7 + count + 3 :].any(), key
