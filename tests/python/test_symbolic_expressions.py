# SPDX-License-Identifier: Apache-2.0
"""Compares shapes of shipped operators for sizes that are expressions of two symbols with numbers.

The calls are those of the conformance cases. Each size of 2 or more is the difference, the product
or the quotient of two variables with random hints. Shape, strides and offset are compared with
those of a call on real tensors, with the hints put in and, where the guards hold for them, with
other random numbers. So a size that only seems constant, or another expression, is found.
"""

from __future__ import annotations

import functools
import random

import pytest
import tenon

from symbolic_sizes import Sizes, evaluated, shape_of, without_offset
from test_fake_operators import CALLS, arguments, convert, tensors_in
from test_symbolic_operators import called

KINDS = ("difference", "product", "quotient")


def pair(kind: str, number: int, chance: random.Random) -> tuple[int, int]:
    """Two random numbers whose difference, product or quotient is a number."""
    other = chance.randint(2, 40)
    if kind == "difference":
        return number + other, other
    if kind == "quotient":
        return number * other + chance.randrange(other), other
    factors = [one for one in range(2, number) if number % one == 0]
    factor = chance.choice(factors or [1])
    return number // factor, factor


class Expressions(Sizes):
    """Sizes as expressions of two variables of one kind; primes are no product but a variable."""

    def __init__(self, kind: str, chance: random.Random) -> None:
        super().__init__()
        self.kind, self.chance = kind, chance
        self.variables: dict[str, tenon.SymInt] = {}
        self.hints: dict[str, int] = {}
        self.pairs: dict[int, list[str]] = {}

    def variable(self, hint: int) -> tenon.SymInt:
        made = self.env.new_size(hint)
        self.variables[repr(made)] = made
        self.hints[repr(made)] = hint
        return made

    def size(self, number: int):
        if number < 2:
            return number
        if number not in self.of:
            first, second = pair(self.kind, number, self.chance)
            if second == 1:
                made = [self.variable(first)]
                self.of[number] = made[0]
            else:
                made = [self.variable(first), self.variable(second)]
                self.of[number] = {
                    "difference": lambda a, b: a - b,
                    "product": lambda a, b: a * b,
                    "quotient": lambda a, b: a // b,
                }[self.kind](*made)
            self.pairs[number] = [repr(one) for one in made]
        return self.of[number]

    def others(self) -> tuple[dict[int, int], dict[str, int]]:
        """Another number for each size, and the variables that give them."""
        sizes, names = {}, {}
        for number, variables in self.pairs.items():
            numbers = [self.chance.randint(2, 9), self.chance.randint(2, 9)]
            if self.kind != "product":
                numbers = list(pair(self.kind, self.chance.randint(2, 60), self.chance))
            a, b = numbers if len(variables) == 2 else (numbers[0], 1)
            sizes[number] = {"difference": a - b, "product": a * b, "quotient": a // b}[self.kind]
            if len(variables) == 1:
                sizes[number] = a
            names.update(zip(variables, (a, b), strict=False))
        return sizes, names


def check(op, spec, kind: str, chance: random.Random) -> bool:
    """Compares one call; True if other numbers were compared as well."""
    args, kwargs = arguments(spec, "float32")
    tensors = tensors_in([args, list(kwargs.values())])
    if not any(one >= 2 for tensor in tensors for one in tensor.shape):
        return False
    sizes = Expressions(kind, chance)
    in_symbols = [convert(one, sizes.tensor) for one in args]
    kw_symbols = {key: convert(one, sizes.tensor) for key, one in kwargs.items()}
    try:
        real = op(*args, **kwargs)
    except Exception:
        return False
    try:
        with tenon.no_grad():
            result = op(*in_symbols, **kw_symbols)
    except tenon.DataDependentError:
        return False
    except tenon.Error as error:
        assert "device" in str(error) or "meta" in str(error), error
        return False
    results, real_results = tensors_in([result]), tensors_in([real])
    found = [evaluated(shape_of(one), sizes.hints) for one in results]
    expected = [shape_of(one) for one in real_results]
    if any(one.storage_offset() for one in tensors):  # which those on meta have not
        found, expected = without_offset(found), without_offset(expected)
    assert found == expected, kind
    if any(not one.is_contiguous() for one in tensors):
        return False
    other, names = sizes.others()
    variables = {sizes.variables[name]: number for name, number in names.items()}
    decided = [name for name, one in sizes.variables.items() if not isinstance(one, tenon.SymInt)]
    if decided or sizes.env.first_failure(variables) is not None:
        return False
    others = called(op, spec, other)
    if others is None:
        return False
    for one, wanted in zip(results, others, strict=True):
        assert evaluated(shape_of(one), names) == shape_of(wanted), (kind, names)
    return True


@functools.cache
def compared(name: str) -> int:
    """Returns how many calls of an operator were compared with other numbers."""
    op, chance = tenon.find_op(name), random.Random(name)
    return sum(check(op, spec, kind, chance) for spec in CALLS[name] for kind in KINDS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_operator(name):
    """An operator in all of its cases."""
    compared(name)


def test_a_fair_share_is_compared_with_other_numbers():
    """Guards leave enough: not all calls are decided to the numbers of their hints."""
    assert sum(compared(name) > 0 for name in sorted(CALLS)) > 300


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_range_between_symbols(step):
    env = tenon.ShapeEnv()
    first, last = env.new_size(3), env.new_size(10)
    made = tenon.arange(first, last, step, device="meta")
    names = {repr(first): 3, repr(last): 10}
    assert evaluated(made.shape, names) == (len(range(3, 10, step)),)
    for names in ({repr(first): 2, repr(last): 50}, {repr(first): 7, repr(last): 8}):
        variables = {first: names[repr(first)], last: names[repr(last)]}
        assert env.first_failure(variables) is None
        expected = len(range(names[repr(first)], names[repr(last)], step))
        assert evaluated(made.shape, names) == (expected,)
