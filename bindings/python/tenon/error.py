# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one base, and one class per status that is also the built-in exception it resembles.

The base is a RuntimeError, which is what PyTorch raises for most of them.

An exception holds the C error and reads text, notes and frames from it lazily. An exception that a
Python kernel raises reaches the Python caller as the same object, across frames of any languages.
"""

from __future__ import annotations

import builtins

from . import _tenon
from ._tenon import Error


class InvalidArgumentError(Error, ValueError):
    """A value, shape or name that the function does not accept."""


class ArgumentTypeError(Error, TypeError):
    """An argument of the wrong type, or the wrong number of arguments."""


class NotFoundError(Error, LookupError):
    """An operator, overload, key, device or plugin that does not exist."""


class AlreadyExistsError(Error):
    """A name that is taken."""


class NoKernelError(Error, NotImplementedError):
    """No kernel serves the computed key."""


class NotSupportedError(Error, NotImplementedError):
    """The operation exists, but not for this dtype, device or layout."""


class OutOfRangeError(Error, IndexError):
    """An index or dimension out of range."""


class ParseError(Error, ValueError):
    """Text that does not parse."""


class OutOfMemoryError(Error, builtins.MemoryError):
    """A memory allocation failed."""


class StateError(Error):
    """The object was closed, or the call is not legal in this state."""


class BusyError(Error):
    """Something is in use on another thread."""


class TooDeepError(Error, builtins.RecursionError):
    """Dispatches nested too deep."""


class AbiError(Error):
    """A plugin and the library were built for different ABIs."""


class OperatingSystemError(Error):
    """A file, the loader or a device driver failed."""


class KernelError(Error):
    """A kernel failed without reporting a more specific status."""


class DataDependentError(Error):
    """A result depends on elements that do not exist, as those of fake tensors."""


class ForeignError(Error):
    """An exception of another language; `kind` is its class there."""


class InternalError(Error):
    """A failure inside Tenon itself."""


_BY_STATUS = {
    _tenon.TENON_ERROR_INVALID_ARGUMENT: InvalidArgumentError,
    _tenon.TENON_ERROR_TYPE: ArgumentTypeError,
    _tenon.TENON_ERROR_NOT_FOUND: NotFoundError,
    _tenon.TENON_ERROR_ALREADY_EXISTS: AlreadyExistsError,
    _tenon.TENON_ERROR_NO_KERNEL: NoKernelError,
    _tenon.TENON_ERROR_NOT_SUPPORTED: NotSupportedError,
    _tenon.TENON_ERROR_INDEX: OutOfRangeError,
    _tenon.TENON_ERROR_PARSE: ParseError,
    _tenon.TENON_ERROR_OUT_OF_MEMORY: OutOfMemoryError,
    _tenon.TENON_ERROR_STATE: StateError,
    _tenon.TENON_ERROR_BUSY: BusyError,
    _tenon.TENON_ERROR_RECURSION: TooDeepError,
    _tenon.TENON_ERROR_ABI: AbiError,
    _tenon.TENON_ERROR_SYSTEM: OperatingSystemError,
    _tenon.TENON_ERROR_RUNTIME: KernelError,
    _tenon.TENON_ERROR_DATA_DEPENDENT: DataDependentError,
    _tenon.TENON_ERROR_FOREIGN: ForeignError,
    _tenon.TENON_ERROR_INTERNAL: InternalError,
}
for _status, _type in _BY_STATUS.items():
    _tenon._set_error_type(_status, _type)

__all__ = ["Error", *(_type.__name__ for _type in _BY_STATUS.values())]
