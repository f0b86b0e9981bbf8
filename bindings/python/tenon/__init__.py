# SPDX-License-Identifier: Apache-2.0
"""Tenon: an operator dispatcher and tensor core that every language shares.

`import tenon as torch` provides PyTorch's names: dtypes, `tensor`, `Tensor` with its methods,
`ops`, `library`. The docstrings state differences from PyTorch.
"""

from __future__ import annotations

import atexit as _atexit
from importlib import import_module as _import_module
from math import e, inf, nan, pi

try:
    from . import _tenon
except ImportError as _reason:
    from ._unbuilt import explain as _explain

    raise ImportError(_explain(_reason)) from _reason

_tenon._require_main_interpreter()

from . import _lazy_names, error, functional, library, ops, schema
from . import tensor as _methods  # adds the methods to Tensor

from . import autograd  # isort: skip  # adds the methods for gradients
from .tensor import is_complex, is_floating_point, is_tensor, nonzero  # isort: skip
from ._tenon import (
    Generator,
    ShapeEnv,
    SymBool,
    SymFloat,
    SymInt,
    Tensor,
    find_op,
    manual_seed,
)
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .config import get_cmake_dir, get_include
from .device import device, is_available
from .dtype import (
    bfloat16,
    bool_,
    cdouble,
    cfloat,
    chalf,
    channels_last,
    channels_last_3d,
    complex32,
    complex64,
    complex128,
    contiguous_format,
    double,
    dtype,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    layout,
    long,
    memory_format,
    preserve_format,
    promote_types,
    set_default_dtype,
    short,
    strided,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .dtype import float as float
from .dtype import int as int
from .dtype_info import finfo, iinfo
from .error import (
    AbiError,
    AlreadyExistsError,
    ArgumentTypeError,
    BusyError,
    DataDependentError,
    Error,
    ForeignError,
    InternalError,
    InvalidArgumentError,
    KernelError,
    NoKernelError,
    NotFoundError,
    NotSupportedError,
    OperatingSystemError,
    OutOfMemoryError,
    OutOfRangeError,
    ParseError,
    StateError,
    TooDeepError,
)
from .factories import (
    arange,
    as_tensor,
    asarray,
    empty,
    empty_like,
    empty_strided,
    eye,
    from_dlpack,
    from_numpy,
    frombuffer,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    rand,
    randn,
    tensor,
    zeros,
    zeros_like,
)
from .functional import *
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .own_arguments import (  # replaces the operators of the same names
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    cartesian_prod,
    cdist,
    chain_matmul,
    einsum,
    meshgrid,
    norm,
    stft,
    tensordot,
    unique,
    unique_consecutive,
)
from .rng_state import get_rng_state, set_rng_state
from .schema import Schema
from .shifts import bitwise_left_shift, bitwise_right_shift
from .storage import UntypedStorage
from .symbol import sym_float, sym_max, sym_min, sym_not, sym_sqrt
from .threads import get_num_threads, set_num_threads

_atexit.register(_tenon._close_gate)

TYPE_CHECKING = False
if TYPE_CHECKING:
    default_generator: Generator
    from . import amp, fft, func, fx, graph, linalg, nn, optim, overrides, testing, utils
    from ._tensor_str import set_printoptions as set_printoptions
    from .amp.autocast_mode import autocast as autocast
    from .amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
    from .amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
    from .amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
    from .amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
    from .amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
    from .amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
    from .amp.autocast_mode import set_autocast_enabled as set_autocast_enabled
    from .custom_op import Tag as Tag
    from .fake import FakeTensor as FakeTensor
    from .fake import FakeTensorMode as FakeTensorMode
    from .func import vmap as vmap
    from .serialization import load as load
    from .serialization import save as save


__version__ = _tenon.tenon_version()


_LARGER = (
    *("amp", "fft", "func", "fx", "graph", "linalg", "nn", "optim", "overrides", "profiler"),
    *("multiprocessing", "signal", "testing", "utils"),
    "__future__",
)
_AUTOCAST = (
    "autocast",
    "clear_autocast_cache",
    "get_autocast_dtype",
    "is_autocast_cache_enabled",
    "is_autocast_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
)
# Functions that are imported at their first use.
_LAZY_FUNCTIONS = (
    *(name for name in _AUTOCAST if name != "autocast"),
    *("load", "save", "set_printoptions", "vmap"),
    *_lazy_names.FUNCTIONS,
)


def __getattr__(name: str) -> object:
    """Imports the larger parts at their first use."""
    if name in _LARGER:
        return _import_module(f"tenon.{name}")
    if name in _AUTOCAST:
        found = globals()[name] = getattr(_import_module("tenon.amp.autocast_mode"), name)
        return found
    if name in ("FakeTensor", "FakeTensorMode"):
        found = globals()[name] = getattr(_import_module("tenon.fake"), name)
        return found
    if name == "Tag":
        from .custom_op import Tag

        return Tag
    if name == "vmap":
        from .func import vmap

        return vmap
    if name in ("load", "save"):
        return getattr(_import_module("tenon.serialization"), name)
    if name in ("_tensor_str", "set_printoptions"):
        printing = _import_module("tenon._tensor_str")
        return printing if name == "_tensor_str" else printing.set_printoptions
    if name == "default_generator":
        found = globals()[name] = _tenon.default_generator()
        return found
    if name in _lazy_names.HOMES or name in _lazy_names.MODULES or name in _lazy_names.IN_PLACE:
        found = globals()[name] = _lazy_names.find(name)
        return found
    raise AttributeError(f"module 'tenon' has no attribute {name!r}")


newaxis = None

# The type of `Tensor.shape`.
Size = _tenon.Size

# Names of builtins are attributes of the package, but `from tenon import *` leaves them out.
bool = bool_

__all__ = [
    "AbiError",
    "AlreadyExistsError",
    "ArgumentTypeError",
    "BusyError",
    "DataDependentError",
    "Error",
    "ForeignError",
    "Generator",
    "InternalError",
    "InvalidArgumentError",
    "KernelError",
    "NoKernelError",
    "NotFoundError",
    "NotSupportedError",
    "OperatingSystemError",
    "OutOfMemoryError",
    "OutOfRangeError",
    "ParseError",
    "Schema",
    "ShapeEnv",
    "Size",
    "StateError",
    "SymBool",
    "SymFloat",
    "SymInt",
    "Tensor",
    "TooDeepError",
    "UntypedStorage",
    "__version__",
    "arange",
    "as_tensor",
    "asarray",
    "autograd",
    "bfloat16",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "cdouble",
    "cfloat",
    "chalf",
    "channels_last",
    "channels_last_3d",
    "complex32",
    "complex64",
    "complex128",
    "contiguous_format",
    "default_generator",
    "device",
    "double",
    "dtype",
    "e",
    "empty",
    "empty_like",
    "empty_strided",
    "enable_grad",
    "error",
    "eye",
    "find_op",
    "finfo",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "get_cmake_dir",
    "get_default_dtype",
    "get_include",
    "get_num_threads",
    "get_rng_state",
    "half",
    "iinfo",
    "inf",
    "inference_mode",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_available",
    "is_complex",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_tensor",
    "layout",
    "library",
    "linspace",
    "long",
    "manual_seed",
    "memory_format",
    "nan",
    "newaxis",
    "no_grad",
    "nonzero",
    "ones",
    "ones_like",
    "ops",
    "pi",
    "preserve_format",
    "promote_types",
    "rand",
    "randn",
    "schema",
    "set_default_dtype",
    "set_grad_enabled",
    "set_num_threads",
    "set_rng_state",
    "short",
    "strided",
    "sym_float",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_sqrt",
    "tensor",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "zeros",
    "zeros_like",
]
__all__ += [name for name in functional.__all__ if name not in __all__]
__all__ += ["unique"]
for _name in functional.BUILTINS:
    __all__.remove(_name)
