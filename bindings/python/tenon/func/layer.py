# SPDX-License-Identifier: Apache-2.0
"""Layers: one vmap, grad or jvp that the thread is inside of, as a `with` block."""

from __future__ import annotations

from .. import _tenon
from ..error import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._tenon import Tensor

RANDOMNESS = {
    "error": _tenon.TENON_RANDOMNESS_ERROR,
    "same": _tenon.TENON_RANDOMNESS_SAME,
    "different": _tenon.TENON_RANDOMNESS_DIFFERENT,
}
RANDOMNESS_NAMES = {number: name for name, number in RANDOMNESS.items()}


class Layer:
    """A `with` block inside a layer; its value is the layer's handle."""

    __slots__ = ("_args", "handle")

    def __init__(self, *args: int) -> None:
        """Takes the arguments of `_tenon.layer_enter`: kind, size, randomness."""
        self._args = args

    def __enter__(self) -> Any:
        self.handle = _tenon.layer_enter(*self._args)
        return self.handle

    def __exit__(self, *exc: Any) -> None:
        _tenon.layer_leave(self.handle)


def grad_layer() -> Layer:
    """Returns a layer in which gradients flow to its own tensors."""
    return Layer(_tenon.TENON_LAYER_GRAD)


def jvp_layer() -> Layer:
    """Returns a layer whose tensors have tangents."""
    return Layer(_tenon.TENON_LAYER_JVP)


def unwrap(handle: Any, value: Any) -> Any:
    """Returns the value below a layer of a tensor; other values unchanged."""
    if isinstance(value, _tenon.Tensor):
        return _tenon.layer_unwrap(handle, value)[0]
    return value


class hidden_layer:
    """Hides the innermost layer during a `with` block: calls are made outside of it."""

    __slots__ = ("_hidden",)

    def __enter__(self) -> None:
        self._hidden = _tenon.layer_hide()

    def __exit__(self, *exc: Any) -> None:
        _tenon.layer_show(self._hidden)


def plain(tensor: Tensor) -> Tensor:
    """Returns the tensor below all grad and jvp layers.

    Raises:
        StateError: If a vmap maps the tensor.
    """
    return _tenon.tensor_plain(tensor)


def is_mapped(tensor: Tensor) -> bool:
    """Returns true if a vmap maps the tensor at any level: its elements cannot be read then."""
    try:
        plain(tensor)
    except StateError:
        return True
    return False
