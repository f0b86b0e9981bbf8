# SPDX-License-Identifier: Apache-2.0
"""PyTorch's `PythonDispatcher`: dispatch tables of an imaginary operator from its registrations.

PyTorch's tables list backends that Tenon does not have: XLA and Lazy have separate Autograd keys,
FPGA uses AutogradOther. A `Simulator` computes their slots like those of any other backend.
"""

from __future__ import annotations

from .error import InvalidArgumentError, StateError
from .simulator import Simulator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BACKENDS = {
    "CPU": "AutogradCPU",
    "XLA": "AutogradXLA",
    "Lazy": "AutogradLazy",
    "FPGA": "AutogradOther",
}
_ALIASES = ("Autograd", "CompositeImplicitAutograd", "CompositeExplicitAutograd")
# The order in which PyTorch lists registrations.
_LISTED = (
    *("FPGA", "AutogradOther", "CPU", "XLA", "Lazy", "AutogradCPU", "AutogradXLA", "AutogradLazy"),
    *_ALIASES,
)
_IMPLICIT = "CompositeImplicitAutograd"


class PythonDispatcher:
    """An imaginary operator: `register(["CPU", "Autograd"])`, then `print(dispatchTable())`."""

    namespace = "__test__"
    name = "foo"
    runtime_keys = (*_BACKENDS, "AutogradOther", "AutogradCPU", "AutogradXLA", "AutogradLazy")
    alias_keys = _ALIASES
    supported_keys = (*runtime_keys, *alias_keys)

    def __init__(self) -> None:
        """Starts without kernels."""
        self._registered: list[str] = []

    def keys(self) -> tuple[str, ...]:
        """Returns the keys that kernels can be registered on."""
        return self.supported_keys

    def register(self, dispatchKeys: Sequence[str]) -> None:
        """Registers a kernel `fn_KEY` on each key.

        Raises:
            InvalidArgumentError: a key twice, one that is unknown, or both composites.
            StateError: it was called before.
        """
        if self._registered:
            raise StateError("register: kernels must be registered once, got another call")
        for key in dispatchKeys:
            if key not in self.supported_keys:
                raise InvalidArgumentError(
                    f"register: key must be one of {', '.join(self.supported_keys)}, got {key}"
                )
            if list(dispatchKeys).count(key) != 1:
                raise InvalidArgumentError(f"register: each key must occur once, got {key} twice")
        if {_IMPLICIT, "CompositeExplicitAutograd"} <= set(dispatchKeys):
            raise InvalidArgumentError(
                f"register: one of {_IMPLICIT} and CompositeExplicitAutograd must be registered, "
                "got both"
            )
        self._registered = [key for key in _LISTED if key in dispatchKeys]

    def _slot(self, key: str) -> str:
        """Returns the kernel for a runtime key, or "" if there is none."""
        backend = next(one for one, grad in _BACKENDS.items() if key in (one, grad))
        imagined = {backend: "CUDA", _BACKENDS[backend]: "AutogradCUDA"}
        registered = set(self._registered)
        shared = key == "AutogradOther" and key not in registered
        if shared and {"FPGA", _IMPLICIT} <= registered:
            return "ambiguous_autogradother [ambiguous autogradother]"
        given = {
            imagined.get(one, one): one
            for one in self._registered
            if one in imagined or one in self.alias_keys
        }
        simulator = Simulator().register(given)
        slot = simulator.table().get(imagined[key])
        if slot is None:
            return ""
        if slot.provenance == "backend fallback":
            return "[backend fallback]"
        return f"fn_{given[slot.source]} [{slot.provenance}]"

    def registrations(self) -> str:
        """Returns the registered keys and their kernels, one a line."""
        rows = [
            (f"{key}[alias]" if key in self.alias_keys else key, f"fn_{key}")
            for key in self._registered
        ]
        return _table("Registered Kernels", rows)

    rawRegistrations = registrations

    def dispatchTable(self) -> str:
        """Returns each runtime key and its kernel, one per line."""
        rows = [(key, served) for key in self.runtime_keys if (served := self._slot(key))]
        return _table("Computed Dispatch Table", rows)

    rawDispatchTable = dispatchTable


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    lines = ["", title, "key             kernel", "---------------------------"]
    return "\n".join([*lines, *(f"{key:<15} {served}" for key, served in rows)]) + "\n"


__all__ = ["PythonDispatcher"]
