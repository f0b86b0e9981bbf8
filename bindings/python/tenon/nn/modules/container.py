# SPDX-License-Identifier: Apache-2.0
"""Modules that hold modules or parameters: in a row, as a list, by key."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from ..._tenon import Tensor
from ...error import ArgumentTypeError, InvalidArgumentError, OutOfRangeError
from ..parameter import Parameter
from .module import Module, indent, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, KeysView, ValuesView
    from typing import Any


def _position(container: Any, index: Any, insert: bool = False) -> int:
    """Returns an index from the front, checked."""
    count = len(container)
    place = operator.index(index)
    if place < 0:
        place += count
    if not 0 <= place < count + insert:
        raise OutOfRangeError(
            f"{type(container).__name__}: index must be between {-count} and "
            f"{count - 1 + insert}, got {index}"
        )
    return place


class _Modules(Module):
    """Base class of Sequential and ModuleList: modules named "0", "1" and so on."""

    def _renumber(self, modules: Iterable[Module]) -> None:
        self._modules.clear()
        for place, module in enumerate(modules):
            self.add_module(str(place), module)

    def _key(self, index: Any) -> str:
        return list(self._modules)[_position(self, index)]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)._of(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        for key in list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, key)
        if all(key.isdigit() for key in self._modules):
            self._renumber(list(self))

    @classmethod
    def _of(cls, items: list[tuple[str, Any]]) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._modules.values()))

    def append(self, module: Module) -> Any:
        """Adds a module at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Adds modules at the end; returns the container."""
        if isinstance(modules, str) or not isinstance(modules, Iterable):
            raise ArgumentTypeError(
                f"extend: modules must be iterable, got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Puts a module before the one at an index; returns the container."""
        if not isinstance(module, Module):
            raise ArgumentTypeError(f"insert: module must be Module, got {type(module).__name__}")
        place = _position(self, index, insert=True)
        modules = list(self)
        self._renumber([*modules[:place], module, *modules[place:]])
        return self

    def pop(self, key: int | slice) -> Any:
        """Removes a module and returns it."""
        module = self[key]
        del self[key]
        return module


class Sequential(_Modules):
    """Runs modules in sequence, each on the result of the previous one.

    Args:
        *args: The modules; or one dict of them, whose keys are their names.
    """

    def __init__(self, *args: Any) -> None:
        """Adds the initial modules."""
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(args):
                self.add_module(str(place), module)

    @classmethod
    def _of(cls, items: list[tuple[str, Any]]) -> Any:
        return cls(dict(items))

    def forward(self, input: Any) -> Any:
        """Returns the last module's result."""
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ArgumentTypeError(
                f"Sequential: other must be Sequential to be added, got {type(other).__name__}"
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ArgumentTypeError(
                f"Sequential: other must be Sequential to be added, got {type(other).__name__}"
            )
        return self.extend(other)

    def __mul__(self, count: int) -> Sequential:
        if not isinstance(count, int):
            raise ArgumentTypeError(
                f"Sequential: other must be int to multiply by, got {type(count).__name__}"
            )
        if count <= 0:
            raise InvalidArgumentError(f"Sequential: other must be > 0, got {count}")
        return Sequential(*(module for _ in range(count) for module in self))

    __rmul__ = __mul__


class ModuleList(_Modules):
    """A list of modules.

    Args:
        modules: Initial modules.
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        """Adds the initial modules."""
        super().__init__()
        if modules is not None:
            self.extend(modules)

    @classmethod
    def _of(cls, items: list[tuple[str, Any]]) -> Any:
        return cls(module for _, module in items)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, other: Iterable[Module]) -> ModuleList:
        return self.extend(other)

    def __repr__(self) -> str:
        """Returns the list as text; equal neighbours are printed once."""
        runs: list[tuple[int, int, str]] = []
        for place, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], place, text)
            else:
                runs.append((place, place, text))
        lines = [
            f"({first}): {indent(text)}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {indent(text)}"
            for first, last, text in runs
        ]
        return layout(self._get_name(), [], lines)


class ModuleDict(Module):
    """Modules by key, in the order in which they came.

    Args:
        modules: A dict, or pairs, of initial modules.
    """

    def __init__(self, modules: Any = None) -> None:
        """Adds the initial modules."""
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Removes a module and returns it."""
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """Returns the keys."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        """Pairs of key and module."""
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        """Returns the modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds modules from a dict or from pairs; existing keys are replaced."""
        if not isinstance(modules, Iterable):
            raise ArgumentTypeError(
                f"ModuleDict.update: modules must be a dict or pairs, got {type(modules).__name__}"
            )
        pairs = modules.items() if hasattr(modules, "items") else modules
        for place, pair in enumerate(pairs):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise InvalidArgumentError(
                    f"ModuleDict.update: element {place} must be a pair, got {pair!r}"
                )
            self[pair[0]] = pair[1]


def _as_parameter(value: Any) -> Any:
    """Returns plain tensors as parameters, and other values unchanged."""
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


def _line(key: Any, value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"({key}): {indent(repr(value))}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value.shape))
    return f"({key}): {kind} containing: [{value.dtype} of size {size}]"


class ParameterList(Module):
    """A list of parameters; tensors that are added become parameters, other values are kept.

    Args:
        values: Initial values.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        """Adds the initial values."""
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, str(_position(self, index)))

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, str(_position(self, index)), _as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, str(place)) for place in range(self._size)])

    def append(self, value: Any) -> ParameterList:
        """Adds a value at the end; returns the list."""
        setattr(self, str(self._size), _as_parameter(value))
        self._size += 1
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Adds values at the end; returns the list."""
        if isinstance(values, (str, Tensor)) or not isinstance(values, Iterable):
            raise ArgumentTypeError(
                f"ParameterList.extend: values must be iterable, got {type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def __repr__(self) -> str:
        return layout(self._get_name(), [], [_line(*pair) for pair in enumerate(self)])


class ParameterDict(Module):
    """Parameters by key; tensors that are added become parameters, other values are kept.

    Args:
        parameters: A dict, or pairs, of initial values.
    """

    def __init__(self, parameters: Any = None) -> None:
        """Adds the initial values."""
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: Any) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, str):
            raise ArgumentTypeError(f"ParameterDict: key must be str, got {type(key).__name__}")
        if key not in self._keys and hasattr(self, key):
            raise KeyError(f"ParameterDict: key must be free, got {key!r}, which is an attribute")
        setattr(self, key, _as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def keys(self) -> KeysView[str]:
        """Returns the keys."""
        return self._keys.keys()

    def items(self) -> list[tuple[str, Any]]:
        """Pairs of key and value."""
        return [(key, self[key]) for key in self._keys]

    def values(self) -> list[Any]:
        """Returns the values."""
        return [self[key] for key in self._keys]

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the value of a key, or a default."""
        return self[key] if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Returns the value of a key, which gets a default when it is not there."""
        if key not in self._keys:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Removes a value and returns it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Removes the last pair and returns it."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def clear(self) -> None:
        """Removes all values."""
        for key in list(self._keys):
            del self[key]

    def copy(self) -> ParameterDict:
        """Returns another dict with the same values."""
        return ParameterDict(self.items())

    @classmethod
    def fromkeys(cls, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Returns a dict with one value for all keys."""
        return cls((key, default) for key in keys)

    def update(self, parameters: Any) -> None:
        """Adds values from a dict or from pairs."""
        if not isinstance(parameters, Iterable):
            raise ArgumentTypeError(
                "ParameterDict.update: parameters must be a dict or pairs, got "
                f"{type(parameters).__name__}"
            )
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        for place, pair in enumerate(pairs):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise InvalidArgumentError(
                    f"ParameterDict.update: element {place} must be a pair, got {pair!r}"
                )
            self[pair[0]] = pair[1]

    def __or__(self, other: Any) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ior__(self, other: Any) -> ParameterDict:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return layout(self._get_name(), [], [_line(*pair) for pair in self.items()])


__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]
