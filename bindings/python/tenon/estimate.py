# SPDX-License-Identifier: Apache-2.0
"""What a function would need: its memory and products, told by running it on fake tensors."""

from __future__ import annotations

import collections
import math
import weakref

from ._tenon import Tensor
from .fake import FakeTensorMode
from .utils._python_dispatch import TorchDispatchMode
from .utils.pytree import tree_flatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _product(a: Tensor, b: Tensor) -> int:
    """Multiplications and additions of a matrix product, or of a batch of them."""
    return 2 * math.prod(a.shape) * b.shape[-1]


# Operators that are products, by name without overload: the flops of a call's arguments.
_FLOPS: dict[str, Callable[..., int]] = {
    "aten::mm": lambda a, b, *_: _product(a, b),
    "aten::bmm": lambda a, b, *_: _product(a, b),
    "aten::addmm": lambda _, a, b, *__: _product(a, b),
}


class Estimate:
    """What a call would need.

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

    def _freed(self, size: int) -> None:
        self.live -= size


class _Watch(TorchDispatchMode):
    """Counts what operators make, by the storages that it has not seen yet."""

    def __init__(self, found: Estimate, given: list[Any]) -> None:
        self.found = found
        self.storages = {one._storage_address() for one in given if isinstance(one, Tensor)}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func.name()
        self.found.calls[name] += 1
        flops = _FLOPS.get(name.partition(".")[0])
        if flops is not None:
            self.found.flops += flops(*args)
        for tensor in tree_flatten(result)[0]:
            if isinstance(tensor, Tensor) and tensor._base is None:
                self._count(tensor)
        return result

    def _count(self, tensor: Tensor) -> None:
        storage = tensor._storage_address()
        if storage in self.storages:
            return
        size = math.prod(tensor.shape) * tensor.dtype.itemsize
        self.storages.add(storage)
        self.found.allocated += size
        self.found.live += size
        self.found.peak = max(self.found.peak, self.found.live)
        weakref.finalize(tensor, self._let_go, storage, size).atexit = False

    def _let_go(self, storage: int, size: int) -> None:
        self.storages.discard(storage)
        self.found._freed(size)


def estimate(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Estimate:
    """Tells what `fn(*args, **kwargs)` would need, without memory for it and without computing.

    The function runs on fake tensors: real ones among the arguments, and those that it refers to,
    are made fake. A backward pass that it runs counts in; what it is to give gradients is an
    argument.

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
