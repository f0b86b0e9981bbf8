# SPDX-License-Identifier: Apache-2.0
"""Tensors saved for backward: hooks that pack and unpack them, and hooks on new nodes."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from .. import _tenon
from ..error import NotSupportedError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .._tenon import Node, Tensor


class saved_tensors_hooks:
    """A context in which tensors that are saved for backward are packed by a function.

    The innermost context packs. It applies to the calling thread and travels with thread states.

    Args:
        pack_hook: Called with a tensor that is about to be saved, without gradient; must not write
            it. Its result, of any type, is saved instead of the tensor.
        unpack_hook: Called with the packed value each time a pass reaches the node; returns a
            tensor with the same elements.

    Raises:
        Error: If hooks of saved tensors are disabled, see `disable_saved_tensors_hooks`.
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        """Stores the functions; they are active once the context is entered."""
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
    """A context in which saved tensors are kept in CPU memory, and copied back for backward.

    Args:
        pin_memory: Not supported yet.
        device_type: Taken for PyTorch's sake: tensors of all devices are saved so.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        """Creates the hooks that copy."""
        if pin_memory:
            raise NotSupportedError(
                "save_on_cpu: pin_memory must be False, as pinned memory is not supported yet"
            )

        def pack(tensor: Tensor) -> Any:
            return tensor.device, tensor.to("cpu")

        def unpack(packed: Any) -> Tensor:
            device, tensor = packed
            return tensor.to(device)

        super().__init__(pack, unpack)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """A context in which hooks on saved tensors are rejected with a message.

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


class _OutsideError(StateError, AssertionError):
    """A backward pass outside the context in which its graph was recorded."""


class _Handle:
    """The packed value that represents a saved tensor."""

    __slots__ = ("__weakref__",)


class _SavedOriginals:
    """The tensors saved in an `allow_mutation_on_saved_tensors` context.

    Attributes:
        original: Saved tensors that are unwritten, by handle.
        cloned: Copies, made before the write, of those that were written.
        tid_to_weakhandle: The handle of each tensor: one that is saved twice is kept once.
        sid_to_tid: The tensors on each storage.
    """

    def __init__(self) -> None:
        self.original: WeakKeyDictionary[_Handle, Tensor] = WeakKeyDictionary()
        self.cloned: WeakKeyDictionary[_Handle, Tensor] = WeakKeyDictionary()
        self.tid_to_weakhandle: WeakValueDictionary[Any, _Handle] = WeakValueDictionary()
        self.sid_to_tid: dict[int, set[Any]] = {}

    def clear(self) -> None:
        """Drops all saved tensors."""
        self.original.clear()
        self.cloned.clear()
        self.tid_to_weakhandle.clear()
        self.sid_to_tid.clear()

    def pack(self, tensor: Tensor) -> _Handle:
        """Saves a reference to a tensor, without copying."""
        sid = tensor._storage_address()
        tid = (sid, tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        handle = self.tid_to_weakhandle.get(tid)
        if handle is None or handle not in self.original:
            handle = self.tid_to_weakhandle[tid] = _Handle()
            self.original[handle] = tensor
            self.sid_to_tid.setdefault(sid, set()).add(tid)
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        """Returns the tensor with the elements that it had when it was saved."""
        found = self.cloned.get(handle)
        if found is None:
            found = self.original.get(handle)
        if found is None:
            raise _OutsideError(
                "backward: must run inside of the allow_mutation_on_saved_tensors context that the "
                "graph was recorded in, got a pass outside of it"
            )
        return found

    def keep_elements(self, tensor: Tensor) -> None:
        """Copies the saved tensors on a tensor's storage, which is about to be written."""
        for tid in self.sid_to_tid.pop(tensor._storage_address(), ()):
            handle = self.tid_to_weakhandle.pop(tid, None)
            original = None if handle is None else self.original.pop(handle, None)
            if original is not None:
                self.cloned[handle] = original.clone()


def _writes_of(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Tensor]:
    """Returns the tensors that a call writes."""
    for place, argument in enumerate(func._schema.arguments):
        if not argument.is_write:
            continue
        value = args[place] if place < len(args) else kwargs.get(argument.name)
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, _tenon.Tensor):
                yield one


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_SavedOriginals]:
    """A context in which tensors may be written in place although they are saved for backward.

    Tensors saved inside the context are copied when they are first written. Backward passes must
    also run inside it. Yields the table of saved tensors, which is cleared on exit.

    Raises:
        StateError: If contexts are nested; or if a backward pass runs outside the context.
    """
    from ..utils._python_dispatch import TorchDispatchMode

    if _mutation_allowed.get():
        raise StateError(
            "allow_mutation_on_saved_tensors: contexts must not be nested, got one inside another"
        )
    saved = _SavedOriginals()

    class KeepElements(TorchDispatchMode):
        """Copies saved tensors before an operator writes them."""

        def __torch_dispatch__(
            self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            named = kwargs or {}
            for tensor in _writes_of(func, args, named):
                saved.keep_elements(tensor)
            return func(*args, **named)

    allowed = _mutation_allowed.set(True)
    try:
        with KeepElements(), saved_tensors_hooks(saved.pack, saved.unpack):
            yield saved
    finally:
        saved.clear()
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
