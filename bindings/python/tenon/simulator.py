# SPDX-License-Identifier: Apache-2.0
"""A simulator: names of keys in, dispatch tables out; no operator or kernel of one's own needed."""

from __future__ import annotations

import itertools as _itertools

from . import _tenon
from .error import InvalidArgumentError
from .introspect import Slot, dispatch_table, dump, dump_table
from .introspect import keys as _runtime_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_numbers = _itertools.count()
_ALIASES = (
    "Autograd",
    "Autocast",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "BatchedDecomposition",
)
_BOTH = ("CompositeImplicitAutograd", "CompositeExplicitAutograd")


class Simulator:
    """A scratch operator to try registrations on, as PyTorch's PythonDispatcher is.

    `Simulator().register(["CPU", "Autograd"])` makes a kernel `fn_CPU` for CPU and one for each
    other name; the tables then say which of them serves which key.
    """

    def __init__(self) -> None:
        """Defines the scratch operator; it goes with the simulator."""
        self.name = f"tenon_simulator_{next(_numbers)}::op"
        namespace = self.name.partition("::")[0]
        self._library = _tenon.NativeLibrary(namespace, _tenon.TENON_LIBRARY_FRAGMENT)
        self._library.define("op(Tensor x) -> Tensor")
        self._keys: list[str] = []

    def close(self) -> None:
        """Removes the scratch operator."""
        self._library.close()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @staticmethod
    def keys() -> list[str]:
        """Returns the names that can be registered on: runtime keys, then aliases."""
        return [*_runtime_keys(), *_ALIASES]

    def register(self, dispatch_keys: Iterable[str]) -> Simulator:
        """Registers a kernel `fn_KEY` on each key, and returns the simulator.

        Raises:
            InvalidArgumentError: a key twice, or both composites, which no operator should have.
            NotFoundError: a name that is no key; nothing is registered then.
        """
        names = list(dispatch_keys)
        every = [*self._keys, *names]
        for name in names:
            if every.count(name) > 1:
                raise InvalidArgumentError(
                    f"Simulator.register: each key must be there once, got {name} twice"
                )
        if all(name in every for name in _BOTH):
            raise InvalidArgumentError(
                f"Simulator.register: keys must not hold both {_BOTH[0]} and {_BOTH[1]}"
            )
        numbers = [_tenon.tenon_key_parse(name) for name in names]
        for name, number in zip(names, numbers, strict=True):
            self._library.impl("op", number, _kernel(f"fn_{name}"))
            self._keys.append(name)
        return self

    def table(self) -> dict[str, Slot]:
        """Returns the computed table: key -> slot."""
        return dispatch_table(self.name)

    def registrations(self) -> str:
        """Returns the registered keys and their kernels, one a line."""
        return _lines("Registered Kernels", ((key, f"fn_{key}") for key in self._keys))

    def dispatch_table(self) -> str:
        """Returns the slots that the registrations serve, one a line, without fallbacks."""
        rows = (
            (key, f"{slot.name} [{slot.provenance}]")
            for key, slot in self.table().items()
            if slot.provenance != "backend fallback"
        )
        return _lines("Computed Dispatch Table", rows)

    def raw_registrations(self) -> str:
        """Returns everything that is registered, with places and inactive kernels."""
        return dump(self.name)

    def raw_dispatch_table(self) -> str:
        """Returns every filled slot, fallbacks included."""
        return dump_table(self.name)


def _kernel(label: str) -> object:
    def kernel(x: object) -> object:
        return x

    kernel.__qualname__ = label
    return kernel


def _lines(title: str, rows: Iterable[tuple[str, str]]) -> str:
    found = [("key", "kernel"), *rows]
    width = max(len(key) for key, _ in found) + 2
    lines = [f"{key:<{width}}{kernel}" for key, kernel in found]
    return "\n".join([title, lines[0], "-" * (width + 12), *lines[1:]]) + "\n"


__all__ = ["Simulator"]
