# SPDX-License-Identifier: Apache-2.0
"""Layers that find out the size of their input at their first call."""

from __future__ import annotations

from ...error import InvalidArgumentError
from ...grad_mode import no_grad
from ..uninitialized import UninitializedBuffer, UninitializedParameter, is_lazy
from .batchnorm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .linear import Linear

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LazyModuleMixin:
    """Base of modules with uninitialized parameters, beside a subclass of Module.

    A subclass defines `initialize_parameters`, which materializes them from the first input.

    Attributes:
        cls_to_become: The class that the module has afterwards; None: its own.
    """

    cls_to_become: type | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Registers the hook of the first call."""
        super().__init__(*args, **kwargs)
        this: Any = self
        self._load_hook = this.register_load_state_dict_pre_hook(_materialize_loaded)
        self._initialize_hook = this.register_forward_pre_hook(_infer_parameters, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materializes the parameters from the arguments of the first call."""
        raise NotImplementedError(
            f"{type(self).__name__} must define initialize_parameters, got none"
        )

    def has_uninitialized_params(self) -> bool:
        """Returns true if a parameter or buffer has no elements yet."""
        this: Any = self
        return any(
            is_lazy(one) for kept in (this._parameters, this._buffers) for one in kept.values()
        )

    def reset_parameters(self) -> None:
        """Initializes the parameters again, if they have elements."""
        if not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]


def _infer_parameters(module: Any, args: Any, kwargs: Any = None) -> None:
    kwargs = kwargs or {}
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise InvalidArgumentError(
            f"{type(module).__name__}: initialize_parameters must materialize all parameters, got "
            "one without elements"
        )
    module._initialize_hook.remove()
    module._load_hook.remove()
    del module._initialize_hook, module._load_hook
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


def _materialize_loaded(module: Any, state_dict: Any, prefix: str, *rest: Any) -> None:
    for kept in (module._parameters, module._buffers):
        for name, one in kept.items():
            given = state_dict.get(prefix + name)
            if is_lazy(one) and given is not None and not is_lazy(given):
                with no_grad():
                    one.materialize(given.shape)


def _options(device: Any, dtype: Any) -> dict[str, Any]:
    given = {"device": device, "dtype": dtype}
    return {name: value for name, value in given.items() if value is not None}


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear whose in_features is the last size of its first input."""

    cls_to_become = Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        """Stores the options."""
        super().__init__(0, 0, False)
        options = _options(device, dtype)
        self.weight = UninitializedParameter(**options)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(**options)

    def initialize_parameters(self, input: Any) -> None:  # type: ignore[override]
        """Materializes the parameters for an input."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            self.in_features = self.weight.shape[-1]


class _LazyConv(LazyModuleMixin):
    _dims: int

    def __init__(self, *args: Any, out_channels: int, bias: bool, **kwargs: Any) -> None:
        options = _options(kwargs.get("device"), kwargs.get("dtype"))
        super().__init__(0, 0, *args, bias=False, **kwargs)
        self.weight: Any = UninitializedParameter(**options)
        self.out_channels = out_channels
        self.bias: Any = UninitializedParameter(**options) if bias else None

    def initialize_parameters(self, input: Any) -> None:  # type: ignore[override]
        """Materializes the parameters for an input of shape ([N,] channels, *sizes)."""
        this: Any = self
        if not self.has_uninitialized_params():
            return
        if input.ndim not in (self._dims + 1, self._dims + 2):
            raise InvalidArgumentError(
                f"{type(self).__name__}: input must have {self._dims + 1} or {self._dims + 2} "
                f"dims, got {input.ndim}"
            )
        channels = this.in_channels = input.shape[-self._dims - 1]
        if channels % this.groups != 0:
            raise InvalidArgumentError(
                f"{type(self).__name__}: in_channels must be divisible by groups, got {channels} "
                f"and {this.groups}"
            )
        pair = (channels, self.out_channels) if this.transposed else (self.out_channels, channels)
        with no_grad():
            self.weight.materialize((pair[0], pair[1] // this.groups, *this.kernel_size))
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()


def _conv(base: Any) -> Any:
    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Stores the options."""
        _LazyConv.__init__(
            *(self, kernel_size, stride, padding, dilation, groups),
            out_channels=out_channels,
            bias=bias,
            padding_mode=padding_mode,
            device=device,
            dtype=dtype,
        )

    return _made(_LazyConv, base, __init__, "in_channels is the number of its first input's")


def _conv_transpose(base: Any) -> Any:
    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Stores the options."""
        _LazyConv.__init__(
            *(self, kernel_size, stride, padding, output_padding, groups),
            out_channels=out_channels,
            bias=bias,
            dilation=dilation,
            padding_mode=padding_mode,
            device=device,
            dtype=dtype,
        )

    return _made(_LazyConv, base, __init__, "in_channels is the number of its first input's")


class _LazyNorm(LazyModuleMixin):
    def initialize_parameters(self, input: Any) -> None:  # type: ignore[override]
        """Materializes the parameters and buffers for an input of (N, channels, *sizes)."""
        this: Any = self
        if not self.has_uninitialized_params():
            return
        place = 1 if input.ndim in (2, this._ndims[-1]) else 0
        this.num_features = input.shape[place]
        for kept in (this._parameters, this._buffers):
            for one in kept.values():
                if is_lazy(one):
                    one.materialize((this.num_features,))
        self.reset_parameters()


def _norm(base: Any) -> Any:
    def __init__(
        self: Any,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        """Stores the options."""
        options = _options(device, dtype)
        LazyModuleMixin.__init__(self, 0, eps, momentum, False, False, **options)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(**options)
            self.bias = UninitializedParameter(**options) if bias else None
        if track_running_stats:
            from ...factories import tensor

            self.running_mean = UninitializedBuffer(**options)
            self.running_var = UninitializedBuffer(**options)
            place = {} if device is None else {"device": device}
            self.num_batches_tracked = tensor(0, **place)

    return _made(_LazyNorm, base, __init__, "num_features is the number of its first input's")


def _made(mixin: Any, base: Any, constructor: Any, what: str) -> Any:
    name = f"Lazy{base.__name__}"
    body = {
        "__init__": constructor,
        "__doc__": f"A {base.__name__} whose {what} channels.",
        "__module__": __name__,
        "__qualname__": name,
        "cls_to_become": base,
    }
    return type(name, (mixin, base), body)


LazyConv1d, LazyConv2d, LazyConv3d = (_conv(base) for base in (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d = _conv_transpose(ConvTranspose1d)
LazyConvTranspose2d = _conv_transpose(ConvTranspose2d)
LazyConvTranspose3d = _conv_transpose(ConvTranspose3d)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    _norm(base) for base in (BatchNorm1d, BatchNorm2d, BatchNorm3d)
)
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    _norm(base) for base in (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d)
)

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]
