# SPDX-License-Identifier: Apache-2.0
"""Every shipped operator infers for symbolic sizes what it returns for numbers.

Runs the calls of the conformance cases. Each tensor size and `SymInt` of 2 or more is replaced by a
symbol with that number as its hint; equal numbers share a symbol. Shape, strides and offset must be
those of a call on real tensors, once for the hints, and if the guards allow it for other numbers.
"""

from __future__ import annotations

import pytest
import tenon

from symbolic_sizes import Sizes, evaluated, shape_of, without_offset
from test_fake_operators import CALLS, arguments, convert, tensors_in

# Keeps relations between numbers, so that calls that need such a relation still succeed.
OTHER = {2: 5, 3: 7, 4: 9, 5: 11, 6: 13}


def called(op, spec, other):
    """Calls an operator on real tensors of other sizes; returns None if it refuses them.

    Matrices are diagonal with twos. If the operator refuses these elements, which may be indices,
    it is called with zeros.
    """

    def resized(value, fill):
        sizes = [other.get(one, one) for one in value.shape]
        made = tenon.full(sizes, fill, dtype=value.dtype)
        if value.dim() > 1 and value.dtype is tenon.float32:
            made.diagonal(0, -2, -1).fill_(2)  # an invertible matrix
        return made

    for fill in (1, 0):
        args, kwargs = arguments(spec, "float32")
        args = [convert(one, lambda tensor: resized(tensor, fill)) for one in args]
        kwargs = {key: convert(one, lambda t: resized(t, fill)) for key, one in kwargs.items()}
        try:
            return tensors_in([op(*args, **kwargs)])
        except (IndexError, tenon.Error):
            continue
    return None


def check(op, name: str, spec) -> str:
    """Compares one call: "symbolic" if sizes stayed symbols, "numbers" if not, or why neither."""
    args, kwargs = arguments(spec, "float32")
    tensors = tensors_in([args, list(kwargs.values())])
    if not any(one >= 2 for tensor in tensors for one in tensor.shape):
        return "no size"
    sizes = Sizes()
    in_symbols = [convert(one, sizes.tensor) for one in args]
    kw_symbols = {key: convert(one, sizes.tensor) for key, one in kwargs.items()}
    try:
        real = op(*args, **kwargs)
    except Exception:
        return "refused"
    try:
        with tenon.no_grad():
            result = op(*in_symbols, **kw_symbols)
    except tenon.DataDependentError:
        return "asks data"
    except tenon.Error as error:
        assert "device" in str(error) or "meta" in str(error), error
        return "mixes devices"
    real_results, results = tensors_in([real]), tensors_in([result])
    assert len(real_results) == len(results)
    hints = {repr(one): number for number, one in sizes.of.items()}
    found = [evaluated(shape_of(one), hints) for one in results]
    expected = [shape_of(one) for one in real_results]
    if any(one.storage_offset() for one in tensors):  # the meta tensors have no offset
        found, expected = without_offset(found), without_offset(expected)
    assert found == expected
    for one, other in zip(results, real_results, strict=True):
        assert one.dtype == other.dtype
        assert one.is_contiguous() == other.is_contiguous()
    if not any(isinstance(one, tenon.SymInt) for each in results for one in shape_of(each)):
        return "numbers"
    return "other numbers" if is_checked_with_others(op, spec, sizes, results) else "symbolic"


def is_checked_with_others(op, spec, sizes, results) -> bool:
    """Compares the call for a second set of numbers; returns false if that is impossible.

    It is impossible if the guards do not hold for these numbers or the operator refuses the
    elements.
    """
    other = {number: OTHER.get(number, number + 8) for number in sizes.of}
    numbers = {one: other[number] for number, one in sizes.of.items()}
    variables = {one: number for one, number in numbers.items() if isinstance(one, tenon.SymInt)}
    if sizes.env.first_failure(variables) is not None:
        return False
    args, kwargs = arguments(spec, "float32")
    if any(not one.is_contiguous() for one in tensors_in([args, list(kwargs.values())])):
        return False
    names = {f"s{k}": numbers[one] for k, one in enumerate(sizes.of.values())}
    others = called(op, spec, other)
    if others is None:  # the operator refuses the elements
        return False
    for one, expected in zip(results, others, strict=True):
        assert evaluated(shape_of(one), names) == shape_of(expected)
    return True


def outcomes_of(name: str) -> set[str]:
    op = tenon.find_op(name)
    return {check(op, name, spec) for spec in CALLS[name]}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_operator(name):
    """Compares all cases of an operator."""
    outcomes_of(name)


def test_many_operators_stay_symbolic():
    """Operators with a shape rule stay symbolic: their calls do not specialize all sizes."""
    outcomes = {name: outcomes_of(name) for name in CALLS}
    compared = {name for name, seen in outcomes.items() if "other numbers" in seen}
    symbolic = {name for name, seen in outcomes.items() if "symbolic" in seen} | compared
    assert len(symbolic) > 800 and len(compared) > 770
    assert {"aten::add.Tensor", "aten::mm", "aten::cat", "aten::view"} <= symbolic
