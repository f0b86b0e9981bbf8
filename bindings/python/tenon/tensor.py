# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor: ATen operators by name, and methods that accept several argument forms."""

from __future__ import annotations

from . import _lazy_names, _tenon
from ._tenon import Tensor, dtype, memory_format
from .dtype import (
    _NUMPY,
    bfloat16,
    bool_,
    complex32,
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
from .error import ArgumentTypeError, InvalidArgumentError, StateError
from .new_methods import METHODS as _NEW_METHODS
from .ops import _packet
from .overridable import overridable, overridable_property
from .tensor_methods import METHODS
from .wrapper_subclass import add_to_tensor as _add_to_tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

for _name in METHODS:
    setattr(Tensor, _name, overridable(_packet(f"aten::{_name}")))

_to_copy = _packet("aten::_to_copy")
_transpose = _packet("aten::transpose")
_where = _packet("aten::where")
_nonzero = _packet("aten::nonzero")
_empty = _packet("aten::empty")


def _caster(name: str, target: dtype) -> Any:
    def cast(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
        if memory_format is not None:
            return self.to(dtype=target, memory_format=memory_format)
        return self if self.dtype is target else _to_copy(self, dtype=target)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"Returns the tensor as {target}, itself when it is."
    return cast


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Returns the type's name, such as "tenon.FloatTensor", or the tensor converted to a dtype.

    Args:
        self: The tensor.
        dtype: A dtype, a name such as "torch.LongTensor", or a class such as LongTensor.
        non_blocking: Whether a copy from another device may still run on return.

    Raises:
        InvalidArgumentError: The name is unknown.
    """
    from .typed_tensors import dtype_named, type_name

    if dtype is None:
        return type_name(self.dtype, self.device.type)
    if isinstance(dtype, str):
        found = dtype_named(dtype)
        if found is None:
            raise InvalidArgumentError(f"type: dtype must be a known type, got {dtype!r}")
        return self.to(found, non_blocking=non_blocking)
    return self.to(getattr(dtype, "dtype", dtype), non_blocking=non_blocking)


def norm(
    self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """Returns a norm of all elements, or along dims; see `tenon.norm`."""
    from .own_arguments import norm

    return norm(self, p, dim, keepdim, dtype=dtype)


def cpu(self: Tensor) -> Tensor:
    """Returns a copy on the CPU, or the tensor itself if it is already on the CPU."""
    return self.to("cpu")


def cuda(self: Tensor, index: int | None = None) -> Tensor:
    """Returns the tensor on a CUDA device, which `index` may select."""
    return self.to("cuda" if index is None else f"cuda:{index}")


def is_floating_point(self: Tensor) -> bool:
    """Returns true if the dtype is a real floating-point dtype."""
    return self.dtype.is_floating_point


def is_complex(self: Tensor) -> bool:
    """Returns true if the dtype is complex."""
    return self.dtype.is_complex


def is_inference(self: Tensor) -> bool:
    """Returns true if the tensor was created in inference mode."""
    return bool(_tenon.tenon_tensor_flags(self) & _tenon.TENON_TENSOR_INFERENCE)


def numpy(self: Tensor, *, force: bool = False) -> Any:
    """Returns a numpy array on the same memory.

    With `force`, the tensor is first detached and moved to the CPU, which may copy it.

    Raises:
        StateError: The tensor requires grad and calls are recorded, i.e. grad mode is on and the
            caller is no kernel.
        ArgumentTypeError: The tensor is not on the CPU, or numpy has no such dtype.
    """
    if force:
        self = self.detach().cpu()
    if self.requires_grad and _tenon.is_recording_gradients():
        raise StateError(
            "numpy: tensor must not require grad while grad mode is on, as numpy records nothing: "
            "call detach(), or numpy() under no_grad()"
        )
    if not self.is_cpu or self.dtype not in _NUMPY:
        raise ArgumentTypeError(
            f"numpy: tensor must be on the CPU and of a dtype that numpy has, got {self.dtype} on "
            f"{self.device}"
        )
    import numpy as np

    return np.asarray(memoryview(self))


def is_tensor(obj: object) -> bool:
    """Returns true if an object is an instance of Tensor or a subclass."""
    return isinstance(obj, Tensor)


def _array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    import numpy as np

    array = numpy(self)
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return np.array(array) if copy else array


def _array_wrap(
    self: Tensor, array: Any, context: Any = None, return_scalar: bool = False
) -> Tensor:
    from .factories import from_numpy

    return from_numpy(array)


def where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """Returns the elements of `self` where the condition is true, otherwise those of `other`."""
    return _where(condition, self, other)


def is_nonzero(self: Tensor) -> bool:
    """Returns true if the tensor's only element is not 0."""
    return bool(self)


def is_signed(self: Tensor) -> bool:
    """Returns true if the dtype can represent negative numbers."""
    return self.dtype.is_signed


def ndimension(self: Tensor) -> int:
    """Returns the number of dims."""
    return self.ndim


def is_conj(self: Tensor) -> bool:
    """Returns false: there are no lazily conjugated tensors, since conj() computes its result."""
    return False


def is_neg(self: Tensor) -> bool:
    """Returns false: there are no lazily negated tensors."""
    return False


def resolve_conj(self: Tensor) -> Tensor:
    """Returns the tensor unchanged: there are no lazily conjugated tensors."""
    return self


def resolve_neg(self: Tensor) -> Tensor:
    """Returns the tensor unchanged: there are no lazily negated tensors."""
    return self


def adjoint(self: Tensor) -> Tensor:
    """Returns the tensor with its last two dims transposed and its elements conjugated."""
    return _mT(self).conj()


def _H(self: Tensor) -> Tensor:
    """Returns the conjugate transpose of a matrix; a 0-dim tensor counts as a matrix."""
    if self.ndim not in (0, 2):
        raise StateError(
            f"Tensor.H: tensor must be a matrix or a number, got sizes {tuple(self.shape)}"
        )
    return self.conj() if self.ndim == 0 else adjoint(self)


def nonzero(self: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """Returns the indices of the nonzero elements, one row per element.

    With `as_tuple`, returns one vector of indices per dim instead, as indexing accepts them; a
    0-dim tensor then counts as a vector of size 1.
    """
    if not as_tuple:
        return _nonzero(self) if out is None else _nonzero(self, out=out)
    if out is not None:
        raise StateError("nonzero: out must be left out if as_tuple is True, got a Tensor")
    return _nonzero(self.reshape(1) if self.ndim == 0 else self).unbind(1)


def _format(self: Tensor, spec: str) -> str:
    # 0-dim plain tensors are formatted as Python numbers; object.__format__ rejects any spec.
    is_number = self.ndim == 0 and not self.is_meta and type(self) is Tensor
    return format(self.item(), spec) if is_number else object.__format__(self, spec)


def _complex(self: Tensor) -> complex:
    return complex(self.item())


def _contains(self: Tensor, value: Any) -> bool:
    if not isinstance(value, (Tensor, bool, int, float, complex)):
        raise StateError(
            f"Tensor.__contains__: value must be a Tensor or a number, got {type(value).__name__}"
        )
    return any(bool(one) for one in (self == value).reshape(-1))


def _mT(self: Tensor) -> Tensor:
    """Returns the tensor with its last two dims transposed."""
    return _transpose(self, -2, -1)


def _is_sparse(self: Tensor) -> bool:
    """Returns false: all tensors are dense."""
    return False


def _late(name: str, module: str) -> Any:
    """Returns a method that calls a function of a module, imported at the first call."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        from importlib import import_module

        return getattr(import_module(f"tenon.{module}"), name)(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    return method


def get_device(self: Tensor) -> int:
    """Returns the index of the tensor's device, or -1 for the CPU."""
    index = self.device.index
    return -1 if self.is_cpu or index is None else index


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Returns the tensor unchanged: memory is never page-locked."""
    return self


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Returns false: memory is never page-locked."""
    return False


def is_shared(self: Tensor) -> bool:
    """Returns false: processes do not share memory."""
    return False


def is_distributed(self: Tensor) -> bool:
    """Returns false: a tensor is in one process."""
    return False


def new(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """Returns a tensor of the same dtype, from data, or uninitialised with the given sizes."""
    if len(args) == 1 and not isinstance(args[0], (int, _tenon.Size)):
        return self.new_tensor(args[0])
    return self.new_empty(*args) if args else self.new_empty(0)


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Fills the main diagonal; with `wrap`, restarts it below each square of a tall matrix."""
    if self.ndim == 2 and wrap:
        rows, columns = self.shape
        self.flatten()  # a matrix of any strides
        for start in range(0, rows, columns + 1):
            self[start:].diagonal().fill_(fill_value)
        return self
    count, step = min(self.shape), sum(self.stride())
    self.detach().as_strided((count,), (step,), self.storage_offset()).fill_(fill_value)
    return self


def resize_(self: Tensor, *sizes: Any, memory_format: Any = None) -> Tensor:
    """Changes the shape in place; elements keep their order, new ones are uninitialised."""
    shape = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    shape = tuple(int(size) for size in shape)
    if tuple(self.shape) == shape:
        return self
    old = self.detach().reshape(-1).clone()
    _empty(shape, out=self)
    count = min(old.numel(), self.numel())
    self.detach().view(-1)[:count].copy_(old[:count])
    return self


def resize_as_(self: Tensor, other: Tensor, memory_format: Any = None) -> Tensor:
    """Changes the shape in place to that of another tensor; see `resize_`."""
    return self.resize_(other.shape)


def _memory(tensor: Tensor) -> bytes | None:
    """Returns the bytes from the first element to the last, with gaps; None if there are none."""
    if tensor.is_meta or tensor.numel() == 0:
        return None
    from ctypes import string_at

    steps = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    if not tensor.is_cpu:
        tensor = tensor.as_strided((steps + 1,), (1,)).cpu()
    return string_at(tensor.data_ptr(), (steps + 1) * tensor.dtype.itemsize)


def _is_never(self: Tensor) -> bool:
    """Returns false, for attributes that ask for a layout or device that Tenon does not have."""
    return False


def _reduce_ex(self: Tensor, protocol: Any) -> tuple:
    from .factories import _restore

    facts = (_memory(self.detach()), self.dtype, tuple(self.shape), self.device, self.stride())
    if type(self) is Tensor and not self.requires_grad and not self.__dict__:
        return _restore, facts
    return _restore_as, (type(self), facts, self.__dict__, self.requires_grad)


def _restore_as(
    cls: type, facts: tuple, state: dict[str, Any], requires_grad: bool = False
) -> Tensor:
    """Rebuilds a pickled object of a subclass, or with attributes or gradients."""
    from .factories import _restore

    return _with_state(cls, _restore(*facts), state, requires_grad)


def _with_state(cls: type, tensor: Tensor, state: dict[str, Any], requires_grad: bool) -> Tensor:
    """Converts a new tensor to a class, and sets its attributes and `requires_grad`."""
    if type(tensor) is not cls:
        tensor = tensor.as_subclass(cls)
    tensor.__dict__.update(state)
    return tensor.requires_grad_() if requires_grad else tensor


def _copy(self: Tensor) -> Tensor:
    """Returns a tensor on the same memory, with the same attributes."""
    return _with_state(type(self), self.detach(), self.__dict__, self.requires_grad)


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """Returns the tensor that replaces `self` in a module when `other` is loaded into it."""
    return other if assign else self.copy_(other).detach()


def _deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if not self.is_leaf:
        raise StateError(
            "deepcopy: tensor must be a leaf, got one made by a recorded call: detach() it first"
        )
    if id(self) not in memo:
        fresh = self.detach().clone()
        if type(fresh) is not type(self):
            fresh = fresh.as_subclass(type(self))
        fresh.requires_grad_(self.requires_grad)
        memo[id(self)] = fresh
        if self.__dict__:
            from copy import deepcopy

            fresh.__dict__.update(deepcopy(self.__dict__, memo))
        if self.grad is not None:
            fresh.grad = _deepcopy(self.grad, memo)
    return memo[id(self)]


def _array_namespace(self: Tensor, *, api_version: str | None = None) -> Any:
    """Returns tenon.array_api, the functions of the array API standard."""
    from importlib import import_module

    versions = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
    if api_version is not None and api_version not in versions:
        raise InvalidArgumentError(
            f"Tensor.__array_namespace__: api_version must be one of {', '.join(versions)}, "
            f"got {api_version}"
        )
    return import_module("tenon.array_api")


def _reversed(self: Tensor) -> Tensor:
    """Returns the elements in reverse order along the first dim."""
    return self.flip(0) if self.ndim > 0 else self


def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """Returns the tensor on a device, itself if it is on that device already."""
    return self.to(device)


for _function in (
    *_NEW_METHODS,
    to_device,
    *(cpu, cuda, numpy, where, nonzero, is_floating_point, is_complex, is_inference),
    *(get_device, pin_memory, is_pinned, is_shared, is_distributed, new, fill_diagonal_),
    *(resize_, resize_as_),
    *(_late("unique", "own_arguments"), _late("unique_consecutive", "own_arguments")),
    *(
        _late(one, "compositions")
        for one in (
            *("argwhere", "diagflat", "dsplit", "floor_divide", "hsplit", "is_same_size"),
            *("narrow_copy", "tensor_split", "vsplit"),
        )
    ),
    *(_late(one, module) for module, names in _lazy_names.METHODS.items() for one in names),
    *(is_nonzero, is_signed, ndimension, is_conj, is_neg, resolve_conj, resolve_neg, adjoint),
):
    setattr(Tensor, _function.__name__, overridable(_function))
# Functions of the package with the implementation of the methods.
is_complex = overridable(is_complex)
is_floating_point = overridable(is_floating_point)
nonzero = overridable(nonzero)
_MEMBERS = {
    "norm": norm,
    "type": type_,
    "module_load": module_load,
    "__copy__": _copy,
    "__deepcopy__": _deepcopy,
    "__array__": _array,
    "__array_namespace__": _array_namespace,
    "__array_wrap__": _array_wrap,
    "__format__": _format,
    "__complex__": _complex,
    "__contains__": _contains,
    "__reduce_ex__": _reduce_ex,
    "__reversed__": _reversed,
}
for _name, _member in _MEMBERS.items():
    setattr(Tensor, _name, overridable(_member))
# Names of Python 2, which PyTorch keeps.
for _name, _operator in {
    "__div__": "__truediv__",
    "__idiv__": "__itruediv__",
    "__long__": "__int__",
    "__nonzero__": "__bool__",
    "__rdiv__": "__rtruediv__",
}.items():
    setattr(Tensor, _name, getattr(Tensor, _operator))
Tensor.mT = overridable_property(_mT)
Tensor.mH = overridable_property(adjoint)
Tensor.H = overridable_property(_H)
Tensor.is_sparse = overridable_property(_is_sparse)
for _name in (
    *("is_ipu", "is_maia", "is_mkldnn", "is_mps", "is_mtia", "is_nested", "is_quantized"),
    *("is_sparse_csr", "is_vulkan", "is_xla", "is_xpu"),
):
    setattr(Tensor, _name, overridable_property(_is_never))
Tensor.__array_priority__ = 1000  # numpy leaves `array + tensor` to the tensor
for _name, _dtype in {
    "cdouble": complex128,
    "cfloat": complex64,
    "chalf": complex32,
    "half": float16,
    "bfloat16": bfloat16,
    "float": float32,
    "double": float64,
    "char": int8,
    "short": int16,
    "int": int32,
    "long": int64,
    "byte": uint8,
    "bool": bool_,
}.items():
    setattr(Tensor, _name, overridable(_caster(_name, _dtype)))

_add_to_tensor()

__all__ = ["Tensor", "is_complex", "is_floating_point", "is_tensor", "nonzero"]
