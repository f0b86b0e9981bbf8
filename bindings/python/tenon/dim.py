# SPDX-License-Identifier: Apache-2.0
"""Dim: specifications of symbolic sizes, and the fake inputs that have them."""

from __future__ import annotations

import inspect

from . import _tenon
from ._tenon import ShapeEnv, SymInt, Tensor
from .error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar


class Dim:
    """A size of inputs that may vary between runs of a graph; Dims of one name are equal sizes.

    Attributes:
        AUTO: Instead of a Dim: a new symbol if the size is 2 or more, otherwise the number.
        DYNAMIC: Equivalent to AUTO.
        STATIC: Instead of a Dim: the number.

    Args:
        name: An identifier.
        min: The lower bound, at least 2, because sizes of 0 and 1 are always numbers.
        max: The upper bound.
    """

    __slots__ = ("__name__", "max", "min")

    AUTO: ClassVar[Any]
    DYNAMIC: ClassVar[Any]
    STATIC: ClassVar[Any]

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        """Checks and stores the name and the bounds."""
        if not name.isidentifier():
            raise InvalidArgumentError(f"Dim: name must be an identifier, got {name!r}")
        self.__name__ = name
        self.min = min
        self.max = max

    def __repr__(self) -> str:
        return f"Dim({self.__name__!r}, min={self.min}, max={self.max})"


Dim.AUTO = Dim("AUTO")
Dim.DYNAMIC = Dim("DYNAMIC")
Dim.STATIC = Dim("STATIC")


class SymbolicInputs:
    """Makes fake tensors of inputs, with symbolic sizes according to a specification.

    Args:
        env: The environment that creates the symbols.
        function: The function whose parameter names the specification may use.
    """

    def __init__(self, env: ShapeEnv, function: Callable[..., Any] | None = None) -> None:
        """Starts without symbols."""
        self._env = env
        self._function = function
        self._named: dict[str, tuple[Dim, SymInt, int]] = {}
        self._made: dict[int, Tensor] = {}

    def of_all(self, inputs: tuple[Any, ...], spec: Any) -> tuple[Any, ...]:
        """Converts all inputs; `spec` is the argument `dynamic` of `trace`."""
        if isinstance(spec, dict):
            spec = self._by_place(spec, len(inputs))
        if spec is True:
            spec = (True,) * len(inputs)
        if not isinstance(spec, (tuple, list)) or len(spec) != len(inputs):
            raise InvalidArgumentError(
                "trace: dynamic must be True, a dict by input or a tuple with an entry for each of "
                f"{len(inputs)} inputs, got {spec!r}"
            )
        return tuple(self.of_tree(one, its) for one, its in zip(inputs, spec, strict=True))

    def of_tree(self, tree: Any, spec: Any) -> Any:
        """Converts one input; `spec` has the structure of the tree down to the tensors."""
        if isinstance(tree, Tensor):
            return self._tensor(tree, spec)
        if isinstance(tree, dict):
            parts = _parts(spec, tree.keys())
            return {key: self.of_tree(value, parts[key]) for key, value in tree.items()}
        if isinstance(tree, (tuple, list)):
            parts = _parts(spec, range(len(tree)))
            made = [self.of_tree(value, parts[i]) for i, value in enumerate(tree)]
            return type(tree)(*made) if hasattr(tree, "_fields") else type(tree)(made)
        return tree

    def _by_place(self, spec: dict[Any, Any], count: int) -> list[Any]:
        places: list[Any] = [None] * count
        names = _parameters(self._function)
        for key, value in spec.items():
            place = names.index(key) if key in names else key
            if not isinstance(place, int) or not 0 <= place < count:
                raise InvalidArgumentError(
                    f"trace: dynamic must name inputs, {', '.join(names[:count])} or 0 to "
                    f"{count - 1}, got {key!r}"
                )
            places[place] = value
        return places

    def _tensor(self, tensor: Tensor, spec: Any) -> Tensor:
        known = self._made.get(id(tensor))
        if known is not None:
            return known
        shape = tensor.shape
        sizes = tuple(
            self._size(number, one) for number, one in zip(shape, _dims(spec, shape), strict=True)
        )
        made = _tenon.copy_symbolic(tensor, sizes)
        self._made[id(tensor)] = made
        return made

    def _size(self, number: int, spec: Any) -> Any:
        if spec is None or spec is False or spec is Dim.STATIC:
            return number
        if spec is True or spec is Dim.AUTO or spec is Dim.DYNAMIC:
            return self._env.new_size(number)
        if isinstance(spec, SymInt):
            return spec
        if isinstance(spec, int):
            if spec != number:
                raise InvalidArgumentError(f"trace: a size must be {number}, got {spec}")
            return number
        if isinstance(spec, str):
            spec = Dim(spec)
        if not isinstance(spec, Dim):
            raise InvalidArgumentError(
                f"trace: a size must be a Dim, a name, True, None or a number, got {spec!r}"
            )
        return self._dim(number, spec)

    def _dim(self, number: int, dim: Dim) -> SymInt:
        name = dim.__name__
        if name not in self._named:
            if number < 2:
                raise InvalidArgumentError(
                    f"trace: {name} must be 2 or more in the inputs at hand, got {number}: sizes "
                    "of 0 and 1 are numbers"
                )
            low = max(2, dim.min or 0)
            size = self._env.new_symbol(name, hint=number, min=low, max=dim.max)
            self._named[name] = (dim, size, number)
        _, size, hint = self._named[name]
        if hint != number:
            raise InvalidArgumentError(f"trace: {name} must be one size, got {hint} and {number}")
        return size


def _parameters(function: Callable[..., Any] | None) -> list[str]:
    try:
        return list(inspect.signature(function).parameters) if function is not None else []
    except (TypeError, ValueError):
        return []


def _parts(spec: Any, keys: Any) -> dict[Any, Any]:
    """Returns the specification of each child of a tree node, by key."""
    if spec is None or spec is True or spec is False:
        return dict.fromkeys(keys, spec)
    if isinstance(spec, (tuple, list)):
        spec = dict(enumerate(spec))
    unknown = set(spec) - set(keys) if isinstance(spec, dict) else {spec}
    if unknown:
        raise InvalidArgumentError(
            f"trace: dynamic must be a tree like the inputs, got {unknown.pop()!r} beside "
            f"{', '.join(map(repr, keys))}"
        )
    return {key: spec.get(key) for key in keys}


def _dims(spec: Any, shape: tuple[int, ...]) -> list[Any]:
    """Returns the specification of each dim of a tensor."""
    count = len(shape)
    if spec is None or isinstance(spec, bool):
        return [spec] * count
    if isinstance(spec, dict):
        dims: list[Any] = [None] * count
        for dim, size in spec.items():
            if not isinstance(dim, int) or not -count <= dim < count:
                raise InvalidArgumentError(
                    f"trace: a dim must be from {-count} to {count - 1}, got {dim!r}"
                )
            dims[dim] = size
        return dims
    if not isinstance(spec, (tuple, list)) or len(spec) != count:
        raise InvalidArgumentError(
            f"trace: dims of a tensor must be a dict by dim or a tuple of {count}, got {spec!r}"
        )
    return list(spec)


__all__ = ["Dim", "SymbolicInputs"]
