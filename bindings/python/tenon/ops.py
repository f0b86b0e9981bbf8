# SPDX-License-Identifier: Apache-2.0
"""`tenon.ops`: operators by namespace and name, resolved on first use and kept current.

`tenon.ops.aten.add` is a packet of overloads, `tenon.ops.aten.add.Tensor` is one overload. A
namespace is a plain module, so that an attribute access is an ordinary dict lookup. The registry
notifies this module when an operator is defined or removed.
"""

from __future__ import annotations

import os as _os
import sys as _sys
from _thread import RLock as _RLock

from . import _tenon
from ._tenon import OpOverload as OpOverload
from ._tenon import OpOverloadPacket as OpOverloadPacket
from .error import NotFoundError as _NotFoundError
from .error import OperatingSystemError as _OperatingSystemError
from .schema import Schema as _Schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType as _Module

    from . import _aten

    aten = _aten
else:
    _Module = type(_sys)  # without the cost of importing types

loaded_libraries: set[str] = set()

_lock = _RLock()
_pending: list[tuple[bool, str]] = []
_applying = False
_watching = False
# Namespace -> name -> overloads in order of definition.
_index: dict[str, dict[str, dict[str, None]]] = {}
_namespaces: dict[str, _Module] = {}
_packets: dict[str, OpOverloadPacket] = {}


def _apply() -> None:
    """Applies the registry events since the last call. Runs on any thread, one at a time."""
    global _applying
    with _lock:
        _pending.extend(_tenon.take_events())
        if _applying:
            return  # re-entrant: an outer frame of this thread is already applying events
        _applying = True
        try:
            touched: dict[tuple[str, str], None] = {}
            while _pending:
                for defined, full_name in list(_pending):
                    namespace, _, rest = full_name.partition("::")
                    name, _, overload = rest.partition(".")
                    overloads = _index.setdefault(namespace, {}).setdefault(name, {})
                    if defined:
                        overloads[overload] = None
                    else:
                        overloads.pop(overload, None)
                    touched[namespace, name] = None
                    del _pending[0]
                for namespace, name in list(touched):
                    _refresh(namespace, name)
                touched.clear()
        finally:
            _applying = False


def _watch() -> None:
    """Subscribes to registry events on the first use, and applies pending events."""
    global _watching
    if not _watching:
        _watching = True
        _tenon._set_registry_hook(_apply)
    _apply()


def _refresh(namespace: str, name: str) -> None:
    """Updates a packet and its namespace module; does nothing if neither exists."""
    qualified = f"{namespace}::{name}"
    module = _namespaces.get(namespace)
    packet = _packets.get(qualified)
    if module is None and packet is None:
        return
    if packet is None:
        packet = _packet(qualified)
    ops = []
    names = packet.__dict__
    old = {key for key, value in names.items() if isinstance(value, OpOverload)}
    for overload in _index.get(namespace, {}).get(name, {}):
        try:
            op = _tenon.find_op(f"{qualified}.{overload}" if overload else qualified)
        except _NotFoundError:
            continue  # just removed by another thread: an event for it is pending
        ops.append(op)
        names[overload or "default"] = op
        old.discard(overload or "default")
    for gone in old:
        del names[gone]
    packet._set_ops(tuple(ops))
    if module is None:
        return
    if ops:
        module.__dict__[name] = packet
    else:
        module.__dict__.pop(name, None)


def _packet(qualified: str) -> OpOverloadPacket:
    """Returns the unique packet of a name, for which no operator needs to exist yet."""
    packet = _packets.get(qualified)
    if packet is None:
        packet = _packets.setdefault(qualified, OpOverloadPacket(qualified))
    return packet


def _resolve(packet: OpOverloadPacket) -> None:
    """Fills a packet that is used before it has an operator, or raises NotFoundError."""
    qualified = packet._qualified_op_name
    missing = None
    try:
        _tenon.find_op(qualified)
    except _NotFoundError as error:
        missing = error  # named overloads may exist: the lookup has loaded the kernels
    _watch()
    namespace, _, name = qualified.partition("::")
    _refresh(namespace, name)
    if not packet._ops and missing is not None:
        raise missing


_tenon._set_packet_resolver(_resolve)


def __getattr__(name: str) -> _Module:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("aten", "tenon"):
        _load_kernels()
    _watch()
    with _lock:
        module = _namespaces.get(name)
        if module is None:
            module = _Module(f"{__name__}.{name}", f"Operators of namespace {name}.")
            _namespaces[name] = module
            for op_name in list(_index.get(name, {})):
                _refresh(name, op_name)
        globals()[name] = module
    return module


def __dir__() -> list[str]:
    namespaces = {name.partition("::")[0] for name in _tenon.op_names(False)}
    return sorted(namespaces | {"load_library", "loaded_libraries"})


def _load_kernels() -> None:
    """Loads libtenon_cpu by a lookup; without the kernels the namespace is empty."""
    _find_op_or_none("aten::add.Tensor")


def load_library(path: str | _os.PathLike[str]) -> None:
    """Loads a plugin and adds its path to `loaded_libraries`; loading twice has no effect.

    Args:
        path: A file, or the name of a plugin: "npu" is libnpu.so beside libtenon or in a folder of
            TENON_PLUGIN_PATH. Text with a "/", or that names an existing file, is always a path.

    Raises:
        NotFoundError: There is no such file or plugin.
        OperatingSystemError: The loader rejects the file, or it is no plugin.
        AbiError: The plugin was built for another ABI.
    """
    text = _os.fspath(path)
    if _os.sep in text or _os.path.isfile(text):
        text = _os.path.realpath(text)
        if _os.path.isdir(text):
            raise _OperatingSystemError(
                f"load_library: path must be a plugin file, got folder {text}"
            )
    plugin = _tenon.tenon_plugin_load(text)
    loaded_libraries.add(_os.path.realpath(_tenon.tenon_plugin_path(plugin)))


# ---- Attributes of overloads and packets ---------------------------------------------------------


def _overloads(self: OpOverloadPacket) -> list[str]:
    """Returns the names of the overloads, "default" for the one without a name."""
    _watch()
    if not self._ops:
        _resolve(self)
    return [op._overloadname or "default" for op in self._ops]


def _packet_str(self: OpOverloadPacket) -> str:
    return self._qualified_op_name.replace("::", ".")


def _packet_repr(self: OpOverloadPacket) -> str:
    return f"<OpOverloadPacket(op='{self}')>"


def _overload_str(self: OpOverload) -> str:
    return f"{self.name().partition('.')[0].replace('::', '.')}.{self._overloadname or 'default'}"


def _packet_reduce(self: OpOverloadPacket) -> tuple:
    return _packet, (self._qualified_op_name,)


def _schema_of(self: OpOverload) -> _Schema:
    return _Schema(self._schema_handle())


def _tags_of(self: OpOverload) -> list[str]:
    return _tenon.tenon_op_copy_tags(self).split()


def _packet_of(self: OpOverload) -> OpOverloadPacket:
    qualified = self.name().partition(".")[0]
    packet = _packet(qualified)
    if not packet._ops:
        _resolve(packet)
    return packet


class _Told:
    """An attribute whose value `tenon.signature` computes; on the type it is a constant."""

    def __init__(self, function: str, of_type: str | None = None) -> None:
        self._function, self._of_type = function, of_type

    def __get__(self, instance: object, owner: type) -> object:
        if instance is not None:
            from . import signature

            return getattr(signature, self._function)(instance)
        if self._of_type is None:
            raise AttributeError(f"type {owner.__name__} has no such attribute")
        return self._of_type


for _type, _members in (
    (
        OpOverloadPacket,
        {
            "__doc__": _Told("doc_of_packet", OpOverloadPacket.__doc__),
            "__signature__": _Told("of_packet"),
            "overloads": _overloads,
            "__repr__": _packet_repr,
            "__str__": _packet_str,
            "__reduce__": _packet_reduce,
        },
    ),
    (
        OpOverload,
        {
            "__doc__": _Told("doc_of_overload", OpOverload.__doc__),
            "__signature__": _Told("of_overload"),
            "_schema": property(_schema_of, doc="Schema of the operator."),
            "tags": property(_tags_of, doc='Tags, such as "pointwise".'),
            "overloadpacket": property(_packet_of, doc="The packet of all overloads."),
            "__str__": _overload_str,
        },
    ),
):
    for _name, _member in _members.items():
        setattr(_type, _name, _member)


def _find_op_or_none(full_name: str) -> OpOverload | None:
    """Returns the overload with a full name, or None if it does not exist."""
    try:
        return _tenon.find_op(full_name)
    except _NotFoundError:
        return None
