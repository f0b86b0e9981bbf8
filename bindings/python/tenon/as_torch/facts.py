# SPDX-License-Identifier: Apache-2.0
"""Facts about the host that a program may query, and functions that return their argument.

Facts are true: a device is available if Tenon has one, and features that Tenon lacks are reported
as absent. Nothing here computes with tensors.
"""

from __future__ import annotations

import contextlib
import os
import time
import typing
from importlib import import_module

from .. import _tenon
from ..error import NotSupportedError
from . import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Tenon's modules under other names than torch's, and private ones that programs import.
MODULES = {
    "torch.autograd.profiler_util": "tenon.profiler.events",
    "torch._C": "tenon._C",
    "torch._custom_ops": "tenon.fake",
    "torch._subclasses.fake_tensor": "tenon.fake",
    "torch.utils._python_dispatch": "tenon.utils._python_dispatch",
    "torch.utils._foreach_utils": "tenon.utils._foreach_utils",
    "torch.utils._pytree": "tenon.utils._pytree",
}


class _Devices:
    """The devices of one type; `tenon.device` is a class, so its module is imported by name."""

    @staticmethod
    def count(kind: str) -> int:
        return _tenon.tenon_device_count(_tenon.device(kind).type_code)

    @staticmethod
    def is_available(kind: str) -> bool:
        return _Devices.count(kind) > 0


class TorchVersion(str):
    """A version as a string that compares by its numbers, also with tuples of them."""

    __slots__ = ()

    @staticmethod
    def _numbers(of: object) -> tuple[int, ...]:
        parts: Any = of
        if isinstance(of, str):
            parts = str(of).split("+")[0].split(".")
        digits = ["".join(filter(str.isdigit, str(part))) for part in parts]
        found = [int(each) if each else 0 for each in digits[:3]]
        return tuple(found + [0] * (3 - len(found)))

    def _compare(self, other: object) -> int:
        mine, theirs = self._numbers(str(self)), self._numbers(other)
        return (mine > theirs) - (mine < theirs)

    def __lt__(self, other: object) -> bool:
        return self._compare(other) < 0

    def __le__(self, other: object) -> bool:
        return self._compare(other) <= 0

    def __gt__(self, other: object) -> bool:
        return self._compare(other) > 0

    def __ge__(self, other: object) -> bool:
        return self._compare(other) >= 0

    def __eq__(self, other: object) -> bool:
        return self._compare(other) == 0

    def __hash__(self) -> int:
        return hash(self._numbers(str(self)))


def _identity(function: Any = None, *args: object, **kwargs: object) -> Any:
    """Returns its argument; with options only, returns a decorator that does."""
    if function is None:
        return lambda given: given
    return function


def _decorator(reason: object = None, **kwargs: object) -> Any:
    """Returns the function; works as a decorator with or without a text in parentheses."""
    return reason if callable(reason) else lambda given: given


def _answer(value: object) -> Callable[..., Any]:
    """Returns a function that always returns one value."""

    def answer(*args: object, **kwargs: object) -> object:
        return value

    return answer


_false, _nothing, _zero = _answer(False), _answer(None), _answer(0)


class _Scope(contextlib.ContextDecorator):
    """A `with` block, or a decorator, without effect."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Takes any options."""

    def __enter__(self) -> _Scope:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


class _Flags:
    """A module of switches: they can be set and read back, but have no effect."""

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)


def _refusal(name: str, text: str) -> Callable[..., Any]:
    def refuse(*args: object, **kwargs: object) -> None:
        raise NotSupportedError(f"{name}: {text}")

    return refuse


def _seed_device(kind: str) -> Callable[[int], None]:
    """Returns manual_seed of a device kind; it does nothing for devices that do not exist."""

    def manual_seed(seed: int) -> None:
        from .._tenon import default_generator

        for index in range(_Devices.count(kind) if kind == "cuda" else 0):
            default_generator(f"{kind}:{index}").manual_seed(seed)

    return manual_seed


def _absent_device(kind: str) -> dict[str, object]:
    """Returns the answers of a kind of device that Tenon does not have."""
    return {
        "_is_in_bad_fork": _false,
        "_initialized": False,
        "current_device": _refusal(f"torch.{kind}.current_device", "Tenon has no such device"),
        "device_count": _zero,
        "empty_cache": _nothing,
        "is_available": _false,
        "is_bf16_supported": _false,
        "is_built": _false,
        "is_current_stream_capturing": _false,
        "is_initialized": _false,
        "manual_seed": _seed_device(kind),
        "manual_seed_all": _seed_device(kind),
        "synchronize": _nothing,
    }


def _cuda() -> dict[str, object]:
    def is_available() -> bool:
        return _Devices.is_available("cuda")

    def device_count() -> int:
        return _Devices.count("cuda")

    def synchronize(device: object = None) -> None:
        if is_available():
            import_module("tenon.device").synchronize("cuda" if device is None else device)

    facts = _absent_device("cuda")
    facts.pop("current_device")
    return facts | {
        "device_count": device_count,
        "get_rng_state_all": _answer([]),
        "set_rng_state_all": _nothing,
        "is_available": is_available,
        "is_initialized": is_available,
        "max_memory_allocated": _zero,
        "max_memory_reserved": _zero,
        "memory_allocated": _zero,
        "memory_reserved": _zero,
        "reset_peak_memory_stats": _nothing,
        "synchronize": synchronize,
    }


def current_accelerator(check_available: bool = False) -> Any:
    """Returns the device type that is no CPU, None if there is none."""
    return _tenon.device("cuda") if _Devices.is_available("cuda") else None


def _device_module(device: Any = None) -> Any:
    """Returns torch.cuda, torch.cpu and so on."""
    kind = "cpu" if device is None and current_accelerator() is None else device or "cuda"
    return import_module(f"torch.{getattr(kind, 'type', str(kind).partition(':')[0])}")


def _assert(condition: object, message: object = "") -> None:
    """Raises AssertionError if the condition is false."""
    assert condition, message


def _check(condition: object, message: Callable[[], str] | None = None) -> None:
    """Raises RuntimeError if the condition is false."""
    if not condition:
        raise RuntimeError(message() if message is not None else "a condition must hold")


def _file_path(*parts: str) -> str:
    """Returns a path inside the package."""
    return os.path.join(os.path.dirname(_tenon.__file__ or ""), *parts)


def _set_default_tensor_type(kind: Any) -> None:
    """Sets the default dtype to that of a class such as FloatTensor, or of its name."""
    from ..dtype import set_default_dtype
    from ..typed_tensors import dtype_named

    found = dtype_named(kind) if isinstance(kind, str) else kind.dtype
    if found is None:
        raise NotSupportedError(f"set_default_tensor_type: t must be a CPU class, got {kind!r}")
    set_default_dtype(found)


def _autocast(kind: str) -> dict[str, object]:
    """Returns the older functions about autocast regions of a device."""

    def ask(name: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            return getattr(import_module("tenon.amp.autocast_mode"), name)(kind, *args)

        return call

    short = "gpu" if kind == "cuda" else kind
    return {
        f"get_autocast_{short}_dtype": ask("get_autocast_dtype"),
        f"set_autocast_{short}_dtype": ask("set_autocast_dtype"),
        f"is_autocast_{short}_enabled": ask("is_autocast_enabled"),
        f"set_autocast_{short}_enabled": ask("set_autocast_enabled"),
    }


class _Stream:
    """The one queue of a device whose work is done when a call returns."""

    def synchronize(self) -> None:
        """Has no effect."""

    wait_event = wait_stream = record_event = lambda self, other=None: None

    def query(self) -> bool:
        """Returns true: all work is done."""
        return True

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


class _Event:
    """A moment of such a queue."""

    def __init__(self, enable_timing: bool = False, **options: object) -> None:
        self._time: float | None = None

    def record(self, stream: object = None) -> None:
        """Stores the time."""
        self._time = time.perf_counter()

    def elapsed_time(self, end_event: _Event) -> float:
        """Returns the milliseconds to another moment."""
        return 1000 * ((end_event._time or 0.0) - (self._time or 0.0))

    def query(self) -> bool:
        """Returns true: it has passed."""
        return True

    def synchronize(self, stream: object = None) -> None:
        """Has no effect."""

    wait = synchronize


def _typename(obj: Any) -> str:
    """Returns the name of an object's type with its module."""
    if isinstance(obj, _tenon.Tensor):
        return obj.type()
    kind = obj if isinstance(obj, type) else type(obj)
    return f"{kind.__module__}.{kind.__qualname__}"


def _progress(*args: Any, **kwargs: Any) -> Any:
    """Returns a bar of the package tqdm, which torch passes on to programs."""
    return import_module("tqdm").tqdm(*args, **kwargs)


_failed_libraries: list[str] = []  # native parts of packages, which need PyTorch's libraries


def _register_fake(op: Any, func: Any = None, **options: Any) -> Any:
    """Registers a fake kernel, or nothing for an operator whose native library did not load."""
    from ..error import NotFoundError
    from ..library import register_fake

    if func is None:
        return lambda given: _register_fake(op, given, **options) or given
    try:
        return register_fake(op, func, **options)
    except NotFoundError:
        if not _failed_libraries:
            raise
        return func


def _load_library(path: Any) -> None:
    """Loads a library of operators; failures are OSError, which programs of torch expect."""
    from .. import ops
    from ..error import OperatingSystemError

    try:
        ops.load_library(path)
    except OperatingSystemError as failure:
        _failed_libraries.append(str(path))
        raise OSError(str(failure)) from failure


class _ScriptModule:
    """A type that no object has: Tenon compiles no TorchScript."""


_COMPILER: dict[str, object] = {
    "allow_in_graph": _identity,
    "assume_constant_result": _identity,
    "cudagraph_mark_step_begin": _nothing,
    "disable": _identity,
    "disallow_in_graph": _identity,
    "forbid_in_graph": _identity,
    "graph_break": _nothing,
    "is_compiling": _false,
    "is_dynamo_compiling": _false,
    "is_dynamo_supported": _false,
    "is_exporting": _false,
    "mark_dynamic": _nothing,
    "mark_static": _nothing,
    "maybe_mark_dynamic": _nothing,
    "reset": _nothing,
    "substitute_in_graph": lambda *args, **kwargs: _identity,
}

_JIT: dict[str, object] = {
    "ScriptFunction": _ScriptModule,
    "ScriptModule": _ScriptModule,
    "RecursiveScriptModule": _ScriptModule,
    "Final": typing.Final,
    "_overload": _identity,
    "_overload_method": _identity,
    "_script_if_tracing": _identity,
    "annotate": lambda kind, value: value,
    "export": _identity,
    "freeze": _identity,
    "ignore": _decorator,
    "interface": _identity,
    "is_scripting": _false,
    "is_tracing": _false,
    "isinstance": isinstance,
    "optimize_for_inference": _identity,
    "optimized_execution": _Scope,
    "script": _identity,
    "script_if_tracing": _identity,
    "unused": _identity,
}

_BACKENDS: dict[str, dict[str, object]] = {
    "torch.backends": {"disable_global_flags": _nothing},
    "torch.backends.cuda": {
        "is_built": _false,
        "matmul": _Flags(allow_tf32=False),
        "flash_sdp_enabled": _false,
        "mem_efficient_sdp_enabled": _false,
        "math_sdp_enabled": _answer(True),
        "cudnn_sdp_enabled": _false,
        "enable_flash_sdp": _nothing,
        "enable_mem_efficient_sdp": _nothing,
        "enable_math_sdp": _nothing,
        "enable_cudnn_sdp": _nothing,
        "sdp_kernel": _Scope,
    },
    "torch.backends.cudnn": {
        "allow_tf32": False,
        "benchmark": False,
        "deterministic": False,
        "enabled": False,
        "flags": _Scope,
        "is_available": _false,
        "version": _nothing,
    },
    "torch.backends.mkldnn": {"enabled": False, "flags": _Scope, "is_available": _false},
    "torch.backends.opt_einsum": {"enabled": False, "is_available": _false, "strategy": None},
    **{
        f"torch.backends.{name}": {"is_available": _false, "is_built": _false, "enabled": False}
        for name in ("cpu", "cusparselt", "mha", "mkl", "mps", "nnpack", "openmp", "xnnpack")
    },
    "torch.backends.python_native": {"all_dsls": [], "available_dsls": []},
    "torch.backends.quantized": {"engine": "none", "supported_engines": []},
}
_BACKENDS["torch.backends.cpu"] = {"get_cpu_capability": _answer("DEFAULT")}


def _thread_functions() -> dict[str, object]:
    from ..threads import get_num_threads

    return {
        "has_lapack": True,
        "has_mkl": False,
        "has_openmp": False,
        "has_spectral": True,
        "init_num_threads": _nothing,
        "__config__": _Flags(show=_answer("Tenon"), parallel_info=_answer("")),
        "get_num_interop_threads": _answer(1),
        "set_num_interop_threads": _nothing,
        "_get_num_threads": get_num_threads,
    }


# Sets of instructions that PyTorch's own kernels choose by; Tenon's libraries choose theirs.
_INSTRUCTIONS = ("amx_tile", "amx_fp16", "avx2", "avx512", "avx512_bf16", "avx512_vnni", "vnni")

FACTS: dict[str, dict[str, object]] = {
    "torch": {
        "_assert": _assert,
        "_assert_async": _assert,
        "_check": _check,
        "__version__": TorchVersion(names.version()),
        "are_deterministic_algorithms_enabled": _false,
        "compile": _identity,
        "compiled_with_cxx11_abi": _answer(True),
        "get_device_module": _device_module,
        "get_deterministic_debug_mode": _zero,
        "get_file_path": _file_path,
        "get_float32_matmul_precision": _answer("highest"),
        "is_distributed": _false,
        "set_default_tensor_type": _set_default_tensor_type,
        "is_deterministic_algorithms_warn_only_enabled": _false,
        "is_vulkan_available": _false,
        "is_warn_always_enabled": _false,
        "set_deterministic_debug_mode": _nothing,
        "set_float32_matmul_precision": _nothing,
        "set_flush_denormal": _false,
        "set_warn_always": _nothing,
        "typename": _typename,
        "use_deterministic_algorithms": _nothing,
        **_thread_functions(),
        **_autocast("cpu"),
        **{name: each for name, each in _autocast("cuda").items() if "enabled" not in name},
    },
    "torch._C": {
        "_are_functorch_transforms_active": _false,
        "_get_tracing_state": _nothing,
        "_TorchFunctionState": _Flags(ENABLED=0, DISABLED=1, ALL_DISABLED=2),
        "_get_torch_function_state": _zero,
        "has_lapack": True,
        "has_spectral": True,
        "_get_cpu_capability": _answer("DEFAULT"),
        "_LinAlgError": RuntimeError,
        "_get_privateuse1_backend_name": _answer("privateuseone"),
        "_log_api_usage_once": _nothing,
    },
    "torch.accelerator": {
        "current_accelerator": current_accelerator,
        "current_device_index": _zero,
        "device_count": lambda: _Devices.count("cuda"),
        "is_available": lambda: _Devices.is_available("cuda"),
        "synchronize": _nothing,
    },
    "torch.compiler": _COMPILER,
    "torch._dynamo": {**_COMPILER, "config": _Flags(), "OptimizedModule": _ScriptModule},
    "torch._dynamo._trace_wrapped_higher_order_op": {"TransformGetItemToIndex": _Scope},
    "torch._dynamo.utils": {"is_compile_supported": _false},
    "torch._dynamo.eval_frame": {"OptimizedModule": _ScriptModule},
    "torch._native.dsl_registry": {"dsl_registry": None},
    "torch.nn.modules.module": {"_EXTRA_STATE_KEY_SUFFIX": "_extra_state"},
    "torch.nn.attention.flex_attention": {"_DEFAULT_SPARSE_BLOCK_SIZE": 128},
    "torch._utils": {"_is_privateuse1_backend_available": _false},
    "torch.cpu": {
        **{f"_is_{name}_supported": _false for name in _INSTRUCTIONS},
        "Event": _Event,
        "Stream": _Stream,
        "StreamContext": _Scope,
        "current_stream": lambda device=None: _Stream(),
        "current_device": _answer("cpu"),
        "get_capabilities": _answer({}),
        "device_count": _answer(1),
        "is_available": _answer(True),
        "is_initialized": _answer(True),
        "set_device": _nothing,
        "stream": _Scope,
        "synchronize": _nothing,
    },
    "torch.cuda": _cuda(),
    "torch.cuda.jiterator": {
        name: lambda *args, **kwargs: _refusal("torch.cuda.jiterator", "Tenon compiles no kernels")
        for name in ("_create_jit_fn", "_create_multi_output_jit_fn")
    },
    "torch.profiler.itt": {"is_available": _false},
    "torch.distributed": {
        "get_rank": _refusal("torch.distributed.get_rank", "there is no process group"),
        "get_world_size": _refusal("torch.distributed.get_world_size", "there is no process group"),
        "is_available": _false,
        "is_initialized": _false,
        "is_torchelastic_launched": _false,
    },
    "torch.jit": _JIT,
    "torch.jit._script": _JIT,
    "torch.jit.annotations": {
        **{f"BroadcastingList{n}": list for n in range(1, 7)},
        **{name: getattr(typing, name) for name in ("Any", "Dict", "List", "Optional", "Tuple")},
    },
    "torch.mps": _absent_device("mps"),
    "torch.mtia": _absent_device("mtia"),
    "torch.hub": {"tqdm": _progress},
    "torch.utils.model_zoo": {
        "load_url": _refusal("torch.utils.model_zoo.load_url", "Tenon downloads no models"),
        "tqdm": _progress,
    },
    "torch.library": {"register_fake": _register_fake},
    "torch.ops": {"load_library": _load_library},
    "torch.optim.optimizer": {"ParamsT": object, "_params_t": object, "required": object()},
    "torch.onnx": {
        "is_in_onnx_export": _false,
        "register_custom_op_symbolic": _nothing,
        "unregister_custom_op_symbolic": _nothing,
    },
    "torch.onnx.symbolic_helper": {"parse_args": lambda *kinds: _identity},
    "torch.serialization": {"FILE_LIKE": typing.Any, "MAP_LOCATION": typing.Any},
    "torch.torch_version": {"TorchVersion": TorchVersion},
    "torch.version": {
        "__version__": names.version(),
        "cuda": None,
        "debug": False,
        "git_version": "",
        "hip": None,
        "rocm": None,
        "xpu": None,
    },
    "torch.xpu": _absent_device("xpu"),
    **_BACKENDS,
}


def is_own_module(path: str) -> bool:
    """Returns true if the facts have a module of this path, or of one below it."""
    known = (*FACTS, *MODULES)
    return path in known or any(each.startswith(f"{path}.") for each in known)
