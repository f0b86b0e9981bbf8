# SPDX-License-Identifier: Apache-2.0
"""Random programs with writes and views: replacing patterns by equal ones changes no result."""

import random

import pytest
import tenon
from tenon import fx, graph


def program(seed):
    """Returns a function of two tensors with random calls."""
    choice = random.Random(seed)
    steps = []
    for _ in range(choice.randint(4, 14)):
        kind = choice.choice(["unary", "unary", "binary", "binary", "write", "view", "split"])
        name = {
            "unary": ["exp", "abs", "neg", "relu", "sin"],
            "binary": ["add", "mul", "sub"],
            "write": ["add_", "mul_", "copy_"],
            "view": ["t"],
            "split": ["split"],
        }[kind]
        places = [choice.random() for _ in range(2)]
        steps.append((kind, choice.choice(name), *places))
    results = [choice.random() for _ in range(2)]

    def run(x, y):
        values = [x.clone(), y.clone()]

        def at(place):
            return values[int(place * len(values))]

        for kind, name, first, second in steps:
            if kind == "unary":
                values.append(getattr(at(first), name)())
            elif kind == "view":
                values.append(at(first).t())
            elif kind == "split":
                one, two = at(first).split(1, 0)
                values.append(one + two + at(second))
            elif kind == "binary":
                values.append(getattr(at(first), name)(at(second)))
            else:
                getattr(at(first), name)(at(second).clone())
        return [at(place) for place in results]

    return run


# Patterns, and replacements with equal results.
PAIRS = [
    (lambda x, y: x.mul(y).exp(), lambda x, y: y.mul(x).exp()),
    (lambda x: x.neg().abs(), lambda x: x.abs()),
    (lambda x: x.neg().neg(), lambda x: x.clone()),
    (lambda x: x.abs().relu(), lambda x: x.abs()),
    (lambda x, y: x.add(y), lambda x, y: y.add(x)),
    (lambda x, y: (x.exp(), y.abs()), lambda x, y: (x.exp(), y.abs())),
    (lambda x, y: (x.mul(y), x.add(y)), lambda x, y: (y.mul(x), y.add(x))),
    (lambda x, y: x.mul(y).add(y), lambda x, y: y.add(x.mul(y))),
]
A, B = tenon.tensor([[0.5, -1.0], [2.0, 0.25]]), tenon.tensor([[-0.5, 1.5], [1.0, -2.0]])


def examples(pattern):
    return [A.clone(), B.clone()][: pattern.__code__.co_argcount]


@pytest.mark.parametrize("block", range(8))
def test_equal_replacements_leave_the_results(block):
    replaced = 0
    pairs = [
        (graph.trace(one, *examples(one)), graph.trace(two, *examples(one))) for one, two in PAIRS
    ]
    for seed in range(block * 40, block * 40 + 40):
        function = program(seed)
        traced = graph.trace(function, A.clone(), B.clone())
        expected = traced(A.clone(), B.clone())
        for pattern, replacement in pairs:
            changed, count = traced.replace_pattern(pattern, replacement)
            replaced += count
            for one, two in zip(changed(A.clone(), B.clone()), expected, strict=True):
                assert tenon.allclose(one, two, equal_nan=True), (seed, str(traced), str(changed))
            changed.check()
    assert replaced > 20


@pytest.mark.parametrize("block", range(4))
def test_modules_agree(block):
    replaced = 0
    for seed in range(block * 8, block * 8 + 8):
        function = program(seed)
        expected = function(A, B)
        for pattern, replacement in PAIRS:
            module = fx.make_fx(function)(A, B)
            replaced += len(fx.replace_pattern(module, pattern, replacement))
            for one, two in zip(module(A, B), expected, strict=True):
                assert tenon.allclose(one, two, equal_nan=True), (seed, module.code)
    assert replaced > 0
