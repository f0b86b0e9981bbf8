# SPDX-License-Identifier: Apache-2.0
"""Serialization of tensors, and of Python objects that hold tensors, in PyTorch's format.

A file is a zip archive that holds a pickle, whose tensors refer to storages by key, and the bytes
of each storage as a separate entry. Tensors that share memory still share it after loading. Tenon
and PyTorch can read each other's files.
"""

from __future__ import annotations

import ctypes
import io
import os
import pickle
import sys
import zipfile
from collections import OrderedDict
from typing import Any

from . import _tenon, legacy_format
from ._tenon import Tensor, dtype, layout, memory_format
from .device import device as device_type
from .dtype import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from .error import ArgumentTypeError, InvalidArgumentError, NotSupportedError, StateError
from .factories import empty
from .storage import UntypedStorage
from .tensor import _with_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# PyTorch's storage classes, and the dtype of each.
_STORAGES = {
    "ByteStorage": uint8,
    "CharStorage": int8,
    "ShortStorage": int16,
    "IntStorage": int32,
    "LongStorage": int64,
    "HalfStorage": float16,
    "BFloat16Storage": bfloat16,
    "FloatStorage": float32,
    "DoubleStorage": float64,
    "ComplexFloatStorage": complex64,
    "ComplexDoubleStorage": complex128,
    "BoolStorage": bool_,
}
_STORAGE_OF = {of: name for name, of in _STORAGES.items()}
_CONSTANTS = {
    name: value
    for name, value in vars(_tenon).items()
    if isinstance(value, (dtype, layout, memory_format))
}


# ---- Writing -------------------------------------------------------------------------------------


class _Name:
    """A function or class of PyTorch, pickled by name without importing it."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __call__(self) -> None:
        """Always raises; pickle requires a callable, but calls it only when loading."""
        raise NotImplementedError(self.name)


_TENSOR = _Name("torch._utils", "_rebuild_tensor_v2")
# For dtypes that PyTorch has no storage class for: the storage holds bytes, and the dtype follows.
_UNTYPED_TENSOR = _Name("torch._utils", "_rebuild_tensor_v3")
_UNTYPED = _Name("torch.storage", "UntypedStorage")
_PARAMETER = _Name("torch._utils", "_rebuild_parameter")
_DEVICE = _Name("torch", "device")


class _Stored:
    """A placeholder for a tensor's storage, which the pickle refers to by persistent id."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


class _Writer(pickle._Pickler):
    """A pickler that collects the storages of tensors in `storages`."""

    dispatch = pickle._Pickler.dispatch.copy()  # type: ignore[attr-defined]

    def __init__(self, file: io.BytesIO, legacy: bool = False) -> None:
        super().__init__(file, protocol=2)
        self.storages: dict[UntypedStorage, str] = {}
        self.legacy = legacy

    def save_name(self, name: _Name) -> None:
        self.write(b"c" + f"{name.module}\n{name.name}\n".encode())
        self.memoize(name)

    def save_constant(self, constant: Any) -> None:
        text = str(constant).rpartition(".")[2]
        self.write(b"c" + f"torch\n{text}\n".encode())
        self.memoize(constant)

    dispatch[_Name] = save_name
    for _kind in (dtype, layout, memory_format):
        dispatch[_kind] = save_constant

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, _Stored):
            return None
        tensor = obj.tensor
        storage = tensor.untyped_storage()
        key = self.storages.setdefault(storage, str(len(self.storages)))
        if tensor.dtype in _STORAGE_OF:
            name = _Name("torch", _STORAGE_OF[tensor.dtype])
            count = storage.nbytes() // tensor.dtype.itemsize
        else:
            name, count = _UNTYPED, storage.nbytes()
        found = ("storage", name, key, _text(tensor), count)
        return (*found, None) if self.legacy else found

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, device_type):
            return _DEVICE, (obj.type,) if obj.type == "cpu" else (obj.type, obj.index)
        if not isinstance(obj, Tensor):
            return NotImplemented
        from .nn import Parameter

        if type(obj) is Parameter:
            return _PARAMETER, (obj.detach(), obj.requires_grad, OrderedDict())
        if type(obj) is not Tensor or obj.__dict__:
            plain = obj.detach()
            plain = plain if type(plain) is Tensor else plain.as_subclass(Tensor)
            return _with_state, (type(obj), plain, obj.__dict__, obj.requires_grad)
        parts = self._parts(obj)
        return (
            (_TENSOR, parts) if obj.dtype in _STORAGE_OF else (_UNTYPED_TENSOR, (*parts, obj.dtype))
        )

    @staticmethod
    def _parts(tensor: Tensor) -> tuple[Any, ...]:
        if tensor.is_meta:
            raise NotSupportedError(f"save: tensor must have memory, got one on {tensor.device}")
        places = (tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
        return (_Stored(tensor), *places, tensor.requires_grad, OrderedDict())


def _text(tensor: Tensor) -> str:
    return "cpu" if tensor.is_cpu else str(tensor.device)


def _bytes(storage: UntypedStorage) -> bytes:
    tensor = storage._tensor.detach()
    if not tensor.is_cpu:
        count = storage.nbytes() // tensor.dtype.itemsize
        tensor = tensor.as_strided((count,), (1,), 0).cpu()
    return ctypes.string_at(tensor._storage_ptr(), storage.nbytes()) if storage.nbytes() else b""


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes an object, and the tensors that it holds, to a file.

    Preserves each tensor's dtype, sizes, strides, `requires_grad` and memory sharing; Parameters
    are loaded as Parameters. All other objects are pickled as usual.

    Args:
        obj: The object: a Tensor, a `state_dict`, or anything that can be pickled.
        f: A path, or a file opened for writing bytes.
        pickle_module: Ignored.
        pickle_protocol: Ignored; the protocol is always 2.
        _use_new_zipfile_serialization: Whether to write a zip archive instead of the older format.
        _disable_byteorder_record: Whether to omit the byte order from the archive.

    Raises:
        NotSupportedError: A tensor has no memory.
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise ArgumentTypeError(f"save: f must be a path or a file, got {type(f).__name__}")
    data = io.BytesIO()
    writer = _Writer(data, legacy=not _use_new_zipfile_serialization)
    writer.dump(obj)
    if not _use_new_zipfile_serialization:
        stored = [
            (key, one._tensor.dtype.itemsize, _bytes(one)) for one, key in writer.storages.items()
        ]
        if hasattr(f, "write"):
            legacy_format.write(f, data.getvalue(), stored)
            return
        with open(f, "wb") as file:
            legacy_format.write(file, data.getvalue(), stored)
        return
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", data.getvalue())
        if not _disable_byteorder_record:
            archive.writestr("archive/byteorder", sys.byteorder)
        for storage, key in writer.storages.items():
            archive.writestr(f"archive/data/{key}", _bytes(storage))
        archive.writestr("archive/version", "3\n")


class _NoArchive(StateError, pickle.UnpicklingError):
    """The error for a file of unknown format."""


# ---- Reading -------------------------------------------------------------------------------------


class _Rebuild:
    """The functions that pickles call.

    They are bound methods because a malicious pickle can set attributes of a plain function, but
    not of a bound method.
    """

    __slots__ = ()

    def tensor(
        self,
        storage: Tensor,
        offset: int,
        size: tuple[int, ...],
        stride: tuple[int, ...],
        requires_grad: bool = False,
        hooks: Any = None,
        metadata: Any = None,
    ) -> Tensor:
        """Returns a tensor on a storage, which is represented by a tensor that covers it."""
        return storage.as_strided(size, stride, offset).detach().requires_grad_(requires_grad)

    def untyped_tensor(
        self,
        storage: Tensor,
        offset: int,
        size: tuple[int, ...],
        stride: tuple[int, ...],
        requires_grad: bool,
        hooks: Any,
        of: dtype,
        metadata: Any = None,
    ) -> Tensor:
        """Returns a tensor on a storage of bytes."""
        return self.tensor(storage.view(of), offset, size, stride, requires_grad)

    def parameter(self, data: Tensor, requires_grad: bool, hooks: Any) -> Tensor:
        from .nn import Parameter

        return Parameter(data, requires_grad)

    def device(self, *parts: Any) -> device_type:
        return device_type(*parts)

    def encode(self, text: str, encoding: str) -> bytes:
        """Decodes bytes, which protocol 2 stores as Latin-1 text."""
        return text.encode("latin1")


_REBUILD = _Rebuild()
# The only names that a file may use with `weights_only`; none of them can run code from the file.
_KNOWN: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): _REBUILD.tensor,
    ("torch._utils", "_rebuild_tensor_v3"): _REBUILD.untyped_tensor,
    ("torch.storage", "UntypedStorage"): uint8,
    ("torch._utils", "_rebuild_parameter"): _REBUILD.parameter,
    ("torch", "device"): _REBUILD.device,
    ("torch", "Size"): tuple,
    ("_codecs", "encode"): _REBUILD.encode,
    ("collections", "OrderedDict"): OrderedDict,
    **{("torch", name): of for name, of in _STORAGES.items()},
    **{("torch", name): value for name, value in _CONSTANTS.items()},
    **{
        (module, kind.__name__): kind
        for module in ("builtins", "__builtin__")
        for kind in (set, frozenset, complex, bytearray, slice, range)
    },
}


class _Reader(pickle.Unpickler):
    """An unpickler that reads storages from the archive."""

    def __init__(
        self, archive: zipfile.ZipFile, folder: str, weights_only: bool, place: Callable[..., str]
    ) -> None:
        super().__init__(io.BytesIO(archive.read(f"{folder}/data.pkl")), encoding="utf-8")
        self.archive, self.folder = archive, folder
        self.weights_only, self.place = weights_only, place
        self.storages: dict[str, Tensor] = {}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _KNOWN:
            return _KNOWN[module, name]
        if self.weights_only:
            raise pickle.UnpicklingError(
                f"load: weights_only must be False to load {module}.{name}, which can run any code "
                "that the file's author likes; weights alone need tensors, numbers and containers"
            )
        return super().find_class(module, name)

    def persistent_load(self, pid: Any) -> Tensor:
        kind, of, key, location, numel = pid
        if kind != "storage" or not isinstance(of, dtype):
            raise pickle.UnpicklingError(f"load: the file must name storages, got {pid!r}")
        if key not in self.storages:
            self.storages[key] = self._read(of, str(key), str(location), int(numel))
        found = self.storages[key]
        if found.dtype is not of:
            raise NotSupportedError(
                f"load: a storage must have one dtype, got {found.dtype} and {of}"
            )
        return found

    def _read(self, of: dtype, key: str, location: str, numel: int) -> Tensor:
        data = self.archive.read(f"{self.folder}/data/{key}")
        if numel < 0 or numel * of.itemsize != len(data):
            raise StateError(
                f"load: storage {key} must have {numel} elements of {of}, got {len(data)} bytes"
            )
        memory = empty((numel,), dtype=of)
        ctypes.memmove(memory.data_ptr(), data, len(data))
        return memory.to(device=self.place(location))


class _LegacyReader(_Reader):
    """An unpickler for the older format, whose storages follow the pickle."""

    def __init__(self, stream: io.BytesIO, weights_only: bool, place: Callable[..., str]) -> None:
        pickle.Unpickler.__init__(self, stream, encoding="utf-8")
        self.weights_only, self.place = weights_only, place
        self.storages = {}

    def persistent_load(self, pid: Any) -> Tensor:
        if not isinstance(pid, tuple) or len(pid) < 5 or (len(pid) > 5 and pid[5] is not None):
            raise pickle.UnpicklingError(f"load: the file must name whole storages, got {pid!r}")
        return super().persistent_load(pid[:5])

    def _read(self, of: dtype, key: str, location: str, numel: int) -> Tensor:
        if numel < 0:
            raise StateError(f"load: storage {key} must have elements, got {numel}")
        return empty((numel,), dtype=of, device=self.place(location))

    def fill(self, key: str, count: int, stream: io.BytesIO) -> None:
        """Reads the bytes of a storage into the tensor that represents it."""
        memory = self.storages.get(key)
        if memory is None:
            raise StateError(f"load: storage {key} must be used in the file, got one that is not")
        data = stream.read(count * memory.dtype.itemsize)
        if count != memory.numel() or len(data) != count * memory.dtype.itemsize:
            raise StateError(
                f"load: storage {key} must have {memory.numel()} elements, got {count} and "
                f"{len(data)} bytes"
            )
        if memory.is_cpu:
            ctypes.memmove(memory.data_ptr(), data, len(data))
        elif not memory.is_meta:
            plain = empty((count,), dtype=memory.dtype)
            ctypes.memmove(plain.data_ptr(), data, len(data))
            memory.copy_(plain)


def _contents(f: Any, size: int = -1) -> bytes:
    """Reads at most `size` bytes from the position, or from the start if the position is the end.

    Restores the position of an open file.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return file.read(size)
    start = f.tell()
    data: bytes = f.read(size)
    if not data:
        f.seek(0)
        data = f.read(size)
    f.seek(start)
    return data


def _placing(map_location: Any) -> Callable[[str], str]:
    """Returns a function from a storage's location in the file to the device to load it on."""
    if map_location is None:
        return lambda location: location
    if isinstance(map_location, dict):
        return lambda location: map_location.get(location, location)
    if isinstance(map_location, (str, device_type)):
        return lambda location: str(map_location)
    if callable(map_location):
        return lambda location: _mapped(map_location, location)
    raise ArgumentTypeError(
        "load: map_location must be a device, its name or a dict of names, got "
        f"{type(map_location).__name__}"
    )


def _mapped(map_location: Callable[..., Any], location: str) -> str:
    """Calls a user's `map_location` with an empty storage; returns the resulting device."""
    storage = empty(0).untyped_storage()
    answer = map_location(storage, location)
    if answer is None:
        return location
    return location if answer is storage and location == "cpu" else str(answer.device)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Reads an object from a file that `tenon.save` or `torch.save` wrote.

    Args:
        f: A path, or a file opened for reading bytes.
        map_location: The device for all tensors, a dict from device names in the file to device
            names to load on, or a function of a storage and the name of its device. None keeps the
            devices of the file.
        pickle_module: Ignored.
        weights_only: Whether to reject anything but tensors, numbers, strings and containers, as
            by default. With False, loading an untrusted file can run arbitrary code.
        mmap: Accepted for compatibility; storages are always read, never mapped.
        **pickle_load_args: Ignored.

    Raises:
        pickle.UnpicklingError: The file holds objects that need `weights_only=False`.
        StateError: The file is no archive of this format, or it is damaged.
    """
    place = _placing(map_location)
    weights_only = weights_only is not False
    name = os.fspath(f) if isinstance(f, (str, os.PathLike)) else getattr(f, "name", "a file")
    is_path = isinstance(f, (str, os.PathLike))
    if mmap and not is_path:
        raise InvalidArgumentError(
            f"load: f must be a path where mmap is True, got {type(f).__name__}"
        )
    if is_path or hasattr(f, "seek"):
        head = _contents(f, legacy_format.HEAD)
        if not head:
            raise EOFError(f"load: {name} must hold what save wrote, got nothing")
        if legacy_format.is_legacy(head):
            return legacy_format.read(
                _contents(f), lambda stream: _LegacyReader(stream, weights_only, place)
            )
        if not zipfile.is_zipfile(f):
            raise _NoArchive(f"load: {name} must be an archive that save wrote, got other bytes")
    try:
        with zipfile.ZipFile(f) as archive:
            found = [one for one in archive.namelist() if one.count("/") == 1]
            folders = [one.partition("/")[0] for one in found if one.endswith("/data.pkl")]
            if len(folders) != 1:
                raise StateError(f"load: {name} must hold one data.pkl, got {len(folders)}")
            order = f"{folders[0]}/byteorder"
            if order in found and archive.read(order).decode() != sys.byteorder:
                raise NotSupportedError(f"load: {name} must have the byte order of this machine")
            return _Reader(archive, folders[0], weights_only, place).load()
    except (zipfile.BadZipFile, KeyError, EOFError, IndexError) as error:
        raise StateError(f"load: {name} must be an archive that save wrote, got {error}") from error


__all__ = ["load", "save"]
