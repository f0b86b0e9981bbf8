# SPDX-License-Identifier: Apache-2.0
"""Calls of one operator as a graph: recorded at the call and below autograd, run and bound.

A run is compared with the eager call on the same elements, and a bound run with an eager call on
other elements. Both must agree in bits, dtypes, sizes, strides, the memory that results share with
arguments, the arguments' elements afterwards, and the number of writes to each argument.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tenon
from graph_programs import same
from tenon.utils.pytree import tree_flatten, tree_unflatten

# Errors that an operator may raise if it reads elements itself or draws random numbers.
REFUSALS = (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError)
# Name prefixes of the operators that return uninitialized elements.
UNSET = ("empty", "new_empty", "resize", "_resize", "as_strided_copy.out")


@dataclasses.dataclass
class Outcome:
    """The result of one call or run."""

    results: list
    tensors: list  # the arguments after the call
    versions: list
    refusal: str = ""
    resizes: bool = False  # the call resizes an argument, which takes a graph a separate call


def other_elements(tensor: Any) -> Any:
    """Returns a tensor with the same metadata, its own memory and different elements."""
    made = fresh(tensor)
    if made.dtype.is_floating_point and made.numel() and made.stride().count(0) == 0:
        made.mul_(0.5).add_(0.125)
    return made


def fresh(tensor: Any) -> Any:
    """Returns a copy of a tensor's whole storage, with the same layout."""
    if tensor.device.type != "cpu" or not tensor.is_floating_point() and tensor.numel() == 0:
        return tensor.clone()
    whole = tenon.ops.aten.as_strided(
        tensor, [tensor.untyped_storage().nbytes() // tensor.element_size()], [1], 0
    )
    return tenon.ops.aten.as_strided(
        whole.clone(), list(tensor.shape), list(tensor.stride()), tensor.storage_offset()
    ).detach()


class CallOfOperator:
    """A call of an operator, whose tensor arguments are the inputs of a graph."""

    def __init__(self, name: str, args: tuple, kwargs: dict) -> None:
        self.op = tenon.find_op(name)
        self.name = name
        self.leaves, self.spec = tree_flatten((args, kwargs))
        # A tensor that is passed twice is one input.
        self.given = {id(x): x for x in self.leaves if isinstance(x, tenon.Tensor)}

    def tensors(self, make: Callable[[Any], Any]) -> list:
        """Returns one new tensor for each distinct tensor argument."""
        return [make(one) for one in self.given.values()]

    def run(self, *tensors: Any) -> Any:
        new = dict(zip(self.given, tensors, strict=True))
        leaves = [new.get(id(leaf), leaf) for leaf in self.leaves]
        args, kwargs = tree_unflatten(leaves, self.spec)
        return self.op(*args, **kwargs)

    def outcome(self, function: Any, tensors: list) -> Outcome:
        before = [one._version for one in tensors]
        sizes = [one.shape for one in tensors]
        tenon.manual_seed(3)
        try:
            results = function(*tensors)
        except REFUSALS as error:
            return Outcome([], tensors, [], f"{type(error).__name__}: {error}")
        versions = [x._version - y for x, y in zip(tensors, before, strict=True)]
        results = [x for x in tree_flatten(results)[0] if isinstance(x, tenon.Tensor)]
        resizes = sizes != [one.shape for one in tensors]
        return Outcome(results, tensors, versions, resizes=resizes)


def difference(one: Outcome, other: Outcome) -> str:
    """Describes how two outcomes differ; "" if they are equal."""
    if one.refusal or other.refusal:
        both = bool(one.refusal) == bool(other.refusal)
        return "" if both else f"refusals {one.refusal!r}, {other.refusal!r}"
    if len(one.results) != len(other.results):
        return f"{len(one.results)} results, {len(other.results)}"
    for what in ("results", "tensors"):
        pairs = zip(getattr(one, what), getattr(other, what), strict=True)
        for i, (x, y) in enumerate(pairs):
            if x.device.type != "meta" and not same(x, y):
                return f"{what} {i}: {x!r} {x.stride()}, {y!r} {y.stride()}"
    if one.versions != other.versions and not one.resizes:
        return f"versions {one.versions}, {other.versions}"
    shares = [shared(x) for x in (one, other)]
    return "" if shares[0] == shares[1] else f"shares memory {shares[0]}, {shares[1]}"


def shared(outcome: Outcome) -> list:
    """Lists for each result the arguments it is, those sharing memory, and if it is a view."""
    found = []
    for result in outcome.results:
        at = result.untyped_storage().data_ptr()
        found.append(
            (
                [i for i, x in enumerate(outcome.tensors) if x is result],
                [
                    i
                    for i, x in enumerate(outcome.tensors)
                    if result.numel() and x.untyped_storage().data_ptr() == at
                ],
                result._is_view(),
            )
        )
    return found


def check(name: str, args: tuple, kwargs: dict) -> tuple[str, str | None]:
    """Returns the difference, "" if none, and why no plan was bound, None if one was."""
    call = CallOfOperator(name, args, kwargs)
    eager = call.outcome(call.run, call.tensors(fresh))
    if eager.refusal:
        return "", "refused"
    reason: str | None = None
    for below_autograd in (True, False):
        traced = tenon.graph.trace(call.run, *call.tensors(fresh), below_autograd=below_autograd)
        where = f"below_autograd={below_autograd}"
        replayed = call.outcome(traced, call.tensors(fresh))
        if found := difference(replayed, eager):
            return f"{where}, run: {found}", reason
        others = call.outcome(traced, call.tensors(other_elements))
        mine = call.tensors(fresh)
        before = [(fresh(x), x._version) for x in mine]
        reason = traced.bind(*mine)
        for x, (copy, version) in zip(mine, before, strict=True):
            if not same(x, copy) or x._version != version:
                return f"{where}, bind: an argument changed", reason
        if reason is not None:
            continue
        for i in range(2):
            bound = call.outcome(traced, call.tensors(fresh))
            if found := difference(bound, eager):
                return f"{where}, bound run {i}: {found}", reason
        if found := difference(call.outcome(traced, call.tensors(other_elements)), others):
            return f"{where}, bound run on others: {found}", reason
    return "", reason
