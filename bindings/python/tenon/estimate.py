# SPDX-License-Identifier: Apache-2.0
"""Estimates of a function's memory and flops, obtained by running it on fake tensors."""

from __future__ import annotations

import collections
import math

from ._tenon import Tensor, weak_tensor, weak_tensor_lives
from .fake import FakeTensorMode
from .symbol import sym_max
from .utils._python_dispatch import TorchDispatchMode
from .utils.pytree import tree_flatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _product(_: Tensor, a: Tensor, b: Tensor, *rest: Any) -> int:
    """Returns the multiplications plus additions of a (batched) matrix product."""
    return 2 * math.prod(a.shape) * b.shape[-1]


def _sum_and_product(result: Tensor, _: Tensor, a: Tensor, b: Tensor, *rest: Any) -> int:
    return _product(result, a, b)


def _places(narrow: Tensor, weight: Any) -> int:
    """Returns the flops of a convolution: all weights are applied at each position of `narrow`.

    `narrow` is the result of the convolution, or the input of a transposed one.
    """
    return 2 * narrow.shape[0] * math.prod(narrow.shape[2:]) * math.prod(weight)


def _convolution(result: Tensor, x: Tensor, weight: Tensor, *rest: Any) -> int:
    transposed = rest[4]
    return _places(x if transposed else result, weight.shape)


def _weight_gradient(_: Tensor, grad: Tensor, x: Tensor, weight: Any, *rest: Any) -> int:
    transposed = rest[3]
    return _places(x if transposed else grad, weight)


# Operators that compute products, by name without overload, and functions that return the flops of
# a call from its result and arguments.
_FLOPS: dict[str, Callable[..., int]] = {
    "aten::mm": _product,
    "aten::bmm": _product,
    "aten::addmm": _sum_and_product,
    "aten::baddbmm": _sum_and_product,
    "aten::convolution": _convolution,
    "tenon::convolution_backward_weight": _weight_gradient,
}


class Estimate:
    """The cost of a call; with symbolic sizes, the fields are expressions of their symbols.

    Attributes:
        flops: Floating-point operations of matrix products and convolutions.
        allocated: Total bytes of all tensors that the call creates.
        peak: Maximum bytes of created tensors that are alive at one time, without the arguments.
        calls: Number of calls of each operator, by full name.
    """

    __slots__ = ("allocated", "calls", "flops", "live", "peak")

    def __init__(self) -> None:
        """Sets all counts to zero."""
        self.flops = self.allocated = self.live = self.peak = 0
        self.calls: collections.Counter[str] = collections.Counter()

    def __repr__(self) -> str:
        return f"Estimate(flops={self.flops}, allocated={self.allocated}, peak={self.peak})"


class _Watch(TorchDispatchMode):
    """Counts the storages that operators create.

    A storage is alive while any tensor on it that an operator returned is, views included. Such a
    tensor may outlive its Python object, for example as a saved tensor of a node.
    """

    def __init__(self, found: Estimate, given: list[Any]) -> None:
        self.found = found
        self.given = {one._storage_address() for one in given if isinstance(one, Tensor)}
        self.owners: dict[int, list[object]] = {}  # weak tensors by address of a live storage
        self.sizes: dict[int, int] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func.name()
        self.found.calls[name] += 1
        flops = _FLOPS.get(name.partition(".")[0])
        if flops is not None:
            self.found.flops += flops(result, *args)
        self._let_go()
        for tensor in tree_flatten(result)[0]:
            if isinstance(tensor, Tensor):
                self._count(tensor)
        self.found.peak = sym_max(self.found.peak, self.found.live)
        return result

    def _count(self, tensor: Tensor) -> None:
        storage = tensor._storage_address()
        if storage in self.given:
            return
        if storage not in self.owners:
            base = tensor if tensor._base is None else tensor._base
            size = self.sizes[storage] = math.prod(base.shape) * base.dtype.itemsize
            self.owners[storage] = []
            self.found.allocated += size
            self.found.live += size
        self.owners[storage].append(weak_tensor(tensor))

    def _let_go(self) -> None:
        """Removes the storages on which no tensor is alive."""
        for storage, owners in list(self.owners.items()):
            owners[:] = [one for one in owners if weak_tensor_lives(one)]
            if not owners:
                del self.owners[storage]
                self.found.live -= self.sizes.pop(storage)


def estimate(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Estimate:
    """Estimates the cost of `fn(*args, **kwargs)` without allocating or computing anything.

    The function runs on fake tensors: real tensors, both arguments and tensors that the function
    refers to, are converted. Meta tensors with symbolic sizes are used unchanged. A backward pass
    inside of `fn` is counted; tensors that need gradients must be arguments.

        found = estimate(model, x)
        print(found.peak / 2**30, "GiB")

    Args:
        fn: A function or module.
        *args: The arguments of `fn`; tensors in lists, tuples and dicts are converted, too.
        **kwargs: The keyword arguments of `fn`.

    Raises:
        DataDependentError: The function reads elements.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    given = mode._from_tree((args, kwargs))
    found = Estimate()
    with mode, _Watch(found, tree_flatten(given)[0]):
        fn(*given[0], **given[1])
    return found


__all__ = ["Estimate", "estimate"]
