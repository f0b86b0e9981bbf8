# SPDX-License-Identifier: Apache-2.0
"""Modules on several devices: with one device, or none, calls go to the module itself."""

from __future__ import annotations

from .. import _tenon
from ..error import NotSupportedError
from .modules.module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class DataParallel(Module):
    """A module that calls another one; batches are not split among devices.

    Args:
        module: The module.
        device_ids: At most one device.
        output_device: Has no effect.
        dim: Has no effect.

    Raises:
        NotSupportedError: several devices are given.
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        """Stores the module."""
        super().__init__()
        count = _tenon.tenon_device_count(_tenon.device("cuda").type_code)
        devices = [*range(count)] if device_ids is None else [*device_ids]
        if len(devices) > 1:
            raise NotSupportedError(
                f"DataParallel: device_ids must be at most one device, got {devices}"
            )
        self.module, self.device_ids, self.dim = module, devices, dim
        self.output_device = output_device

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the module."""
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Any = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Calls a module; see `DataParallel`."""
    args = inputs if isinstance(inputs, tuple) else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*args, **(module_kwargs or {}))


__all__ = ["DataParallel", "data_parallel"]
