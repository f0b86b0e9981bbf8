# SPDX-License-Identifier: Apache-2.0
"""A simulator that computes dispatch tables from names of keys, without operators and kernels."""

from __future__ import annotations

from . import _tenon
from .introspect import Slot, _table
from .introspect import keys as _runtime_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIASES = (
    "Autograd",
    "Autocast",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "BatchedDecomposition",
)


class Simulator:
    """An imaginary operator to try registrations on, like PyTorch's PythonDispatcher.

    `Simulator().register(["CPU", "Autograd"])` makes a kernel `fn_CPU` for CPU and one for each
    other name; the tables then show which of them serves which key. The operator is not listed, and
    leaves nothing behind. The process's fallbacks serve it like a real operator.

    Args:
        schema: The schema of the operator, which fallbacks may depend on.

    Raises:
        SchemaError: the schema is malformed.
    """

    def __init__(self, schema: str = "f(Tensor x) -> Tensor") -> None:
        """Makes the operator."""
        self._handle = _tenon.tenon_simulator_new(schema)
        self._schema = schema

    @staticmethod
    def keys() -> list[str]:
        """Returns the names that can be registered on: runtime keys, then aliases."""
        return [*_runtime_keys(), *_ALIASES]

    def register(self, dispatch_keys: Iterable[str], *, fallthrough: bool = False) -> Simulator:
        """Registers a kernel `fn_KEY` on each key, and returns the simulator.

        Args:
            dispatch_keys: Names of runtime keys and aliases.
            fallthrough: Whether calls skip these keys.

        Raises:
            InvalidArgumentError: a key twice, or both composites, which no operator should have.
            NotFoundError: a name that is no key. Nothing is registered when one is wrong.
        """
        flags = _tenon.TENON_KERNEL_FALLTHROUGH if fallthrough else 0
        _tenon.tenon_simulator_register(self._handle, dispatch_keys, flags)
        return self

    def remove(self, dispatch_key: str) -> None:
        """Removes the registration on a key.

        Raises:
            NotFoundError: nothing is registered on it.
        """
        _tenon.tenon_simulator_remove(self._handle, dispatch_key)

    def table(self) -> dict[str, Slot]:
        """Returns the computed table: key -> slot."""
        return _table(lambda key: _tenon.simulator_slot(self._handle, key))

    def registrations(self) -> str:
        """Returns the registered keys and their kernels, one a line."""
        return self._print(_tenon.TENON_SIMULATOR_REGISTRATIONS)

    def dispatch_table(self) -> str:
        """Returns the slots that the registrations serve, one a line, without fallbacks."""
        return self._print(_tenon.TENON_SIMULATOR_TABLE)

    def raw_registrations(self) -> str:
        """Returns all registrations as text, as `introspect.dump` does."""
        return self._print(_tenon.TENON_SIMULATOR_RAW_REGISTRATIONS)

    def raw_dispatch_table(self) -> str:
        """Returns every filled slot, fallbacks included."""
        return self._print(_tenon.TENON_SIMULATOR_RAW_TABLE)

    def explain(self, keyset: int) -> str:
        """Explains in words what a call with this key set would do."""
        return _tenon.tenon_simulator_explain(self._handle, int(keyset)).removesuffix("\n")

    def __repr__(self) -> str:
        rows = self.registrations().splitlines()[3:]  # below the headline
        keys = [row.split()[0] for row in rows]
        return f"Simulator({self._schema!r}) with kernels for {', '.join(keys) or 'no key'}"

    def _print(self, what: int) -> str:
        return _tenon.tenon_simulator_print(self._handle, what)


__all__ = ["Simulator"]
