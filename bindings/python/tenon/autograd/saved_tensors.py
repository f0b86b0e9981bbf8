# SPDX-License-Identifier: Apache-2.0
"""What nodes save for backward: hooks that pack and unpack it, and hooks of new nodes."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar

from .. import _tenon
from ..error import NotSupportedError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .._tenon import Node, Tensor


class saved_tensors_hooks:
    """A context in which tensors that are saved for backward are packed by a function.

    The innermost context packs. Thread states carry it; other threads know nothing of it.

    Args:
        pack_hook: Called with a tensor that is about to be saved, without gradient; must not write
            it. What it returns, of any type, is saved in the tensor's place.
        unpack_hook: Called with that when a pass comes to the node, each time; returns a tensor
            with the same elements.

    Raises:
        Error: hooks of saved tensors are disabled, see `disable_saved_tensors_hooks`.
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        """Keeps the functions; they pack from the context's beginning on."""
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook
        self._pushed: list[int] = []

    def __enter__(self) -> None:
        self._pushed.append(_tenon.saved_hooks_push(self.pack_hook, self.unpack_hook))

    def __exit__(self, *exc: object) -> None:
        if not self._pushed:
            raise StateError(f"{type(self).__name__}: a context must be entered before it is left")
        _tenon.saved_hooks_pop(self._pushed.pop())


class save_on_cpu(saved_tensors_hooks):
    """A context in which tensors are saved in the CPU's memory, and copied back for backward.

    Args:
        pin_memory: Not supported yet.
        device_type: Taken for PyTorch's sake: tensors of all devices are saved so.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        """Makes the hooks that copy."""
        if pin_memory:
            raise NotSupportedError("save_on_cpu: pin_memory must be False, is not supported yet")

        def pack(tensor: Tensor) -> Any:
            return tensor.device, tensor.to("cpu")

        def unpack(packed: Any) -> Tensor:
            device, tensor = packed
            return tensor.to(device)

        super().__init__(pack, unpack)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """A context in which hooks of saved tensors are refused with a message.

    Raises:
        Error: with the message, where such hooks are in use already.
    """
    before = _tenon.tenon_saved_hooks_refusal()
    _tenon.tenon_saved_hooks_disable(error_message)
    try:
        yield
    finally:
        _tenon.tenon_saved_hooks_disable(before)


_mutation_allowed: ContextVar[bool] = ContextVar("_mutation_allowed", default=False)


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[None]:
    """A context in which tensors may be written in place though they are saved for backward.

    What is saved inside of it is a copy.
    """
    if _mutation_allowed.get():
        raise StateError(
            "allow_mutation_on_saved_tensors: contexts must not be nested, got one inside another"
        )
    allowed = _mutation_allowed.set(True)
    try:
        with saved_tensors_hooks(lambda tensor: tensor.clone(), lambda copy: copy):
            yield
    finally:
        _mutation_allowed.reset(allowed)


@contextmanager
def node_creation_hook(fn: Callable[[Node], Any]) -> Iterator[None]:
    """A context in which a function is called with each node that is recorded.

    Those of outer contexts are called first.
    """
    pushed = _tenon.creation_hook_push(fn)
    try:
        yield
    finally:
        _tenon.creation_hook_pop(pushed)


__all__ = [
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "node_creation_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
