# SPDX-License-Identifier: Apache-2.0
"""Tenon and PyTorch behind one interface, so that one test runs on both.

Keys have Tenon's names. `npu` is a backend registered at run time in Tenon, and PrivateUse1 in
PyTorch.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import tenon
import tenon.introspect
import tenon.library

try:
    import torch
except ImportError:
    torch = None

NPU = tenon._tenon.tenon_backend_register("npu")
_numbers = itertools.count()


class Slot(NamedTuple):
    """A slot of a computed table: the kernel's label, its provenance, and whether calls skip it."""

    kernel: str
    provenance: str
    fallthrough: bool


class Tenon:
    """Tenon as a peer."""

    name = "tenon"
    is_torch = False
    package = tenon
    Library = tenon.library.Library
    define = staticmethod(tenon.library.define)
    impl = staticmethod(tenon.library.impl)
    fallthrough = staticmethod(tenon.library.fallthrough_kernel)
    ops = tenon.ops

    def queue_callback(self, function: Any) -> None:
        """Runs a function at the end of the current backward pass."""
        tenon.autograd.graph.queue_callback(function)

    def tensor(self, device: str = "cpu") -> Any:
        return tenon.ones(2) if device == "cpu" else tenon.empty(2, device=device)

    def key(self, name: str) -> str:
        return name

    def keyset(self, *names: str) -> Any:
        return tenon.library.DispatchKeySet(*names)

    def below(self, keys: Any, name: str) -> Any:
        return keys.below(name)

    def has(self, keys: Any, name: str) -> bool:
        return keys.has(name)

    def highest(self, keys: Any) -> str:
        return keys.highest()

    def remove(self, keys: Any, name: str) -> Any:
        return keys.remove(name)

    def keys_of(self, tensor: Any) -> Any:
        return tensor._keys

    def include(self, *names: str) -> Any:
        return tenon.library.IncludeDispatchKeyGuard(*names)

    def exclude(self, *names: str) -> Any:
        return tenon.library.ExcludeDispatchKeyGuard(*names)

    def force(self, include: Iterable[str], exclude: Iterable[str]) -> Any:
        return tenon.library.ForceDispatchKeyGuard(*include, exclude=tuple(exclude))

    def included(self, name: str) -> bool:
        return tenon.library.included_keys().has(name)

    def excluded(self, name: str) -> bool:
        return tenon.library.excluded_keys().has(name)

    def fallback(self, library: Any, function: Any, key: str) -> None:
        library.fallback(function, key)

    def register(self, library: Any, op: str, key: str, label: str) -> None:
        """Registers a kernel that is not called, or a fallthrough for the label "fallthrough"."""

        def kernel(*args: Any) -> Any:
            return args[0]

        kernel.__qualname__ = label
        function = None if label == "fallthrough" else kernel
        library._native.impl(op, tenon._tenon.tenon_key_parse(key), function)

    def table(self, qualname: str) -> dict[str, Slot]:
        return {
            key: Slot(slot.name, slot.provenance, slot.fallthrough)
            for key, slot in tenon.introspect.dispatch_table(qualname).items()
        }

    def raw(self, qualname: str) -> str:
        """Returns the operator's registrations as text."""
        return tenon.introspect.dump(qualname)

    def check(self, qualname: str) -> None:
        tenon.introspect.invariants(qualname)

    def dangling(self) -> list[str]:
        return tenon.introspect.dangling()

    def parse(self, text: str) -> str:
        """Parses and prints a schema."""
        return str(tenon.Schema.parse(text))

    def call_boxed(self, qualname: str, *args: Any) -> Any:
        return tenon.find_op(qualname)(*args)


_TO_TORCH = {
    "Batched": "FuncTorchBatched",
    "BatchedDecomposition": "FuncTorchBatchedDecomposition",
    "npu": "PrivateUse1",
    "Autogradnpu": "AutogradPrivateUse1",
    "Autocastnpu": "AutocastPrivateUse1",
}
_FROM_TORCH = {theirs: ours for ours, theirs in _TO_TORCH.items()}
# PyTorch's key of this name is another one than Tenon's.
_FROM_TORCH["Batched"] = "LegacyBatched"
_LINE = re.compile(r"^(\w+): (fallthrough )?(.*) \[(.+)\]$")


class Torch:
    """PyTorch as a peer."""

    name = "pytorch"
    is_torch = True
    package = torch

    def __init__(self) -> None:
        self.Library = torch.library.Library
        self.define = torch.library.define
        self.impl = torch.library.impl
        self.fallthrough = torch.library.fallthrough_kernel
        self.ops = torch.ops

    def queue_callback(self, function: Any) -> None:
        torch.autograd.Variable._execution_engine.queue_callback(function)

    def tensor(self, device: str = "cpu") -> Any:
        return torch.ones(2) if device == "cpu" else torch.empty(2, device=device)

    def key(self, name: str) -> str:
        return _TO_TORCH.get(name, name)

    def _key(self, name: str) -> Any:
        return torch._C._dispatch_key_parse(self.key(name))

    def keyset(self, *names: str) -> Any:
        keys = torch._C.DispatchKeySet.from_raw_repr(0)
        for name in names:
            keys = keys.add(self._key(name))
        return keys

    def below(self, keys: Any, name: str) -> Any:
        return keys & torch._C._dispatch_keyset_full_after(self._key(name))

    def has(self, keys: Any, name: str) -> bool:
        return keys.has(self._key(name))

    def highest(self, keys: Any) -> str:
        name = torch._C._dispatch_key_name(keys.highestPriorityTypeId())
        return _FROM_TORCH.get(name, name)

    def remove(self, keys: Any, name: str) -> Any:
        return keys.remove(self._key(name))

    def keys_of(self, tensor: Any) -> Any:
        return torch._C._dispatch_keys(tensor)

    def include(self, *names: str) -> Any:
        return self._guards(torch._C._IncludeDispatchKeyGuard, names)

    def exclude(self, *names: str) -> Any:
        return torch._C._ExcludeDispatchKeyGuard(self.keyset(*names))

    @contextlib.contextmanager
    def _guards(self, guard: Any, names: Iterable[str]) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for name in names:
                stack.enter_context(guard(self._key(name)))
            yield

    def force(self, include: Iterable[str], exclude: Iterable[str]) -> Any:
        return torch._C._ForceDispatchKeyGuard(self.keyset(*include), self.keyset(*exclude))

    def included(self, name: str) -> bool:
        return torch._C._dispatch_tls_is_dispatch_key_included(self._key(name))

    def excluded(self, name: str) -> bool:
        return torch._C._dispatch_tls_is_dispatch_key_excluded(self._key(name))

    def fallback(self, library: Any, function: Any, key: str) -> None:
        library.fallback(function, self.key(key))

    def register(self, library: Any, op: str, key: str, label: str) -> None:
        if label == "fallthrough":
            library.m.impl(op, self.key(key), self.fallthrough, False)
        else:
            library.m.impl_t_t(op, self.key(key), debug=label)

    def table(self, qualname: str) -> dict[str, Slot]:
        found = {}
        for line in torch._C._dispatch_dump_table(qualname).splitlines():
            if not line:
                continue
            key, skip, label, provenance = _LINE.match(line).groups()
            found[_FROM_TORCH.get(key, key)] = Slot(label, provenance, skip is not None)
        return found

    def raw(self, qualname: str) -> str:
        return torch._C._dispatch_dump(qualname)

    def check(self, qualname: str) -> None:
        torch._C._dispatch_check_invariants(qualname)

    def dangling(self) -> list[str]:
        return torch._C._dispatch_find_dangling_impls()

    def parse(self, text: str) -> str:
        return str(torch._C.parse_schema(text, allow_typevars=False))

    def call_boxed(self, qualname: str, *args: Any) -> Any:
        name, _, overload = qualname.partition(".")
        handle = torch._C._dispatch_find_schema_or_throw(name, overload)
        return torch._C._dispatch_call_boxed(handle, *args)


PEERS = [Tenon(), *([Torch()] if torch is not None else [])]


class Scratch:
    """An operator with its own namespace; its libraries are closed at the end."""

    def __init__(self, peer: Any, schema: str = "op(Tensor x) -> Tensor") -> None:
        self.peer = peer
        self.ns = f"behaviour_{next(_numbers)}"
        self.name = f"{self.ns}::{schema.partition('(')[0]}"
        self.op = schema.partition("(")[0]
        self._libraries = [peer.Library(self.ns, "FRAGMENT")]
        self._libraries[0].define(schema)

    def add(self, key: str, label: str | None = None) -> Any:
        """Registers a kernel with a label that tables show; returns its library."""
        library = self.peer.Library(self.ns, "IMPL")
        self._libraries.append(library)
        self.peer.register(library, self.op, key, key if label is None else label)
        return library

    def add_call(self, key: str, function: Any, with_keyset: bool = False) -> Any:
        """Registers a Python function in a new library, which is returned."""
        library = self.peer.Library(self.ns, "IMPL")
        self._libraries.append(library)
        library.impl(self.op, function, self.peer.key(key), with_keyset=with_keyset)
        return library

    def define(self, schema: str) -> None:
        self._libraries[0].define(schema)

    def overload(self, name: str | None = None) -> Any:
        """Returns the operator, or another one of the namespace, as a callable object."""
        packet = getattr(getattr(self.peer.ops, self.ns), (name or self.op).partition(".")[0])
        return getattr(packet, (name or self.op).partition(".")[2] or "default")

    def slot(self, key: str) -> Slot:
        return self.peer.table(self.name).get(key, MISSING)

    def row(self, *keys: str) -> list[str]:
        """Returns the labels of some slots' kernels: "-" for a missing one, "fb" for a fallback."""
        table = self.peer.table(self.name)
        found = []
        for key in keys:
            slot = table.get(key, MISSING)
            if slot.provenance == "backend fallback":
                found.append("fb")
            elif slot.fallthrough:
                found.append("fall")
            else:
                found.append(slot.kernel)
        return found

    def close(self) -> None:
        for library in reversed(self._libraries):
            library._destroy()
        self._libraries.clear()


MISSING = Slot("-", "missing", False)


@contextlib.contextmanager
def scratch(peer: Any, schema: str = "op(Tensor x) -> Tensor") -> Iterator[Scratch]:
    """Yields a scratch operator."""
    one = Scratch(peer, schema)
    try:
        yield one
    finally:
        one.close()


def fresh_namespace() -> str:
    """Returns a namespace that nothing else uses."""
    return f"behaviour_{next(_numbers)}"
