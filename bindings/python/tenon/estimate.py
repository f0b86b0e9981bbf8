# SPDX-License-Identifier: Apache-2.0
"""What a function would need: its memory and products, told by running it on fake tensors."""

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
    """Multiplications and additions of a matrix product, or of a batch of them."""
    return 2 * math.prod(a.shape) * b.shape[-1]


def _sum_and_product(result: Tensor, _: Tensor, a: Tensor, b: Tensor, *rest: Any) -> int:
    return _product(result, a, b)


def _places(narrow: Tensor, weight: Any) -> int:
    """Those of a convolution: all weights at each place of its narrow side.

    That is its result, or of a transposed one its input.
    """
    return 2 * narrow.shape[0] * math.prod(narrow.shape[2:]) * math.prod(weight)


def _convolution(result: Tensor, x: Tensor, weight: Tensor, *rest: Any) -> int:
    transposed = rest[4]
    return _places(x if transposed else result, weight.shape)


def _weight_gradient(_: Tensor, grad: Tensor, x: Tensor, weight: Any, *rest: Any) -> int:
    transposed = rest[3]
    return _places(x if transposed else grad, weight)


# Operators that are products, by name without overload: the flops of a call's result and arguments.
_FLOPS: dict[str, Callable[..., int]] = {
    "aten::mm": _product,
    "aten::bmm": _product,
    "aten::addmm": _sum_and_product,
    "aten::baddbmm": _sum_and_product,
    "aten::convolution": _convolution,
    "tenon::convolution_backward_weight": _weight_gradient,
}


class Estimate:
    """What a call would need: numbers, or expressions of the symbols that sizes have.

    Attributes:
        flops: Floating-point operations of matrix products, those of convolutions included.
        allocated: Bytes of all tensors that it makes, together.
        peak: Bytes of those that live at one time, at most; what it is given does not count.
        calls: How often each operator runs, by full name.
    """

    __slots__ = ("allocated", "calls", "flops", "live", "peak")

    def __init__(self) -> None:
        """Of a call that has not begun."""
        self.flops = self.allocated = self.live = self.peak = 0
        self.calls: collections.Counter[str] = collections.Counter()

    def __repr__(self) -> str:
        return f"Estimate(flops={self.flops}, allocated={self.allocated}, peak={self.peak})"


class _Watch(TorchDispatchMode):
    """Counts what operators make, by storages.

    One lives while a tensor that an operator gave does, a view too, also where no object of Python
    is left of it.
    """

    def __init__(self, found: Estimate, given: list[Any]) -> None:
        self.found = found
        self.given = {one._storage_address() for one in given if isinstance(one, Tensor)}
        self.owners: dict[int, list[object]] = {}  # of storages that live
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
        """Takes away the storages on which no tensor lives any more."""
        for storage, owners in list(self.owners.items()):
            owners[:] = [one for one in owners if weak_tensor_lives(one)]
            if not owners:
                del self.owners[storage]
                self.found.live -= self.sizes.pop(storage)


def estimate(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Estimate:
    """Tells what `fn(*args, **kwargs)` would need, without memory for it and without computing.

    The function runs on fake tensors: real ones among the arguments, and those that it refers to,
    are made fake. Those of symbolic sizes, on meta, stay as they are. A backward pass that it
    runs counts in; what it is to give gradients is an argument.

        found = estimate(model, x)
        print(found.peak / 2**30, "GiB")

    Args:
        fn: A function or module.
        *args: Its arguments; tensors in lists, tuples and dicts are made fake, too.
        **kwargs: Its keyword arguments.

    Raises:
        DataDependentError: the function asks for elements.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    given = mode._from_tree((args, kwargs))
    found = Estimate()
    with mode, _Watch(found, tree_flatten(given)[0]):
        fn(*given[0], **given[1])
    return found


__all__ = ["Estimate", "estimate"]
